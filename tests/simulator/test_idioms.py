"""What IGC's optimizer has instructions for, in the words in which people write it: averages, fractions, signs, saturation."""

import ml_dtypes
import numpy as np
import pytest

import xetile as xt
from tests import tools

SHAPE = (4, 32)


def halves(x):
    """In half precision."""
    return x.to(xt.f16)


FLOATS = {
    "fraction": lambda x, y: x - xt.floor(x),
    "fraction, towards zero": lambda x, y: x - xt.trunc(x),
    "between": lambda x, y: x * y + (1.0 - x) * 2.0,
    "absolute": lambda x, y: xt.where(x < 0, -x, x),
    "absolute, or equal": lambda x, y: xt.where(x <= 0, -x, x),
    "larger of both signs": lambda x, y: xt.maximum(x, -x),
    "less than nothing": lambda x, y: xt.where(x < 0, x, -x),
    "sign": lambda x, y: xt.where(x > 0, 1.0, xt.where(x < 0, -1.0, 0.0)),
    "sign by masks": lambda x, y: (x > y).to(xt.f32) - (x < y).to(xt.f32),
    "inverse": lambda x, y: 1.0 / (1.0 / x),
    "quotient times": lambda x, y: x / y * y,
    "inverse root": lambda x, y: 1.0 / xt.sqrt(x),
    "square of a root": lambda x, y: xt.sqrt(x) * xt.sqrt(x),
    "least of three": lambda x, y: xt.minimum(xt.minimum(x, y), 0.5),
    "middle of three": lambda x, y: xt.maximum(xt.minimum(x, y), xt.minimum(xt.maximum(x, y), 0.5)),
    "saturated sum": lambda x, y: xt.clamp(x + y, 0.0, 1.0),
    "hard sigmoid": lambda x, y: xt.clamp(x * 0.25 + 0.5, 0.0, 1.0),
    "hard tangent": lambda x, y: xt.clamp(x, -1.0, 1.0) * 0.5 + 0.5,
    "rounded": lambda x, y: xt.floor(x + 0.5),
    "rounded up": lambda x, y: -xt.floor(-x),
    "nothing and a number": lambda x, y: x * 0.0 + y,
    "itself less itself": lambda x, y: x - x,
    "itself by itself": lambda x, y: x / x,
    "nothing less": lambda x, y: 0.0 - x,
    "difference, turned": lambda x, y: -(x - y),
    "a number": lambda x, y: xt.where(x == x, 1.0, 0.0),
    "compared by a difference": lambda x, y: xt.where(x - y > 0, x, y),
    "leaky": lambda x, y: xt.where(x > 0, x, x * 0.125),
    "step times": lambda x, y: xt.where(x >= 0.0, 1.0, 0.0) * y,
    "with a sign": lambda x, y: xt.where(y < 0, -xt.abs(x), xt.abs(x)),
    "product and sum": lambda x, y: x * y + x,
    "negative zero, chosen of halves": lambda x, y: xt.where(y < 0, -halves(x), xt.where(halves(x) != -0.0, halves(x), -0.0)),
    "negative zero, least": lambda x, y: xt.fmin(xt.where(halves(x) != -0.0, halves(x), -0.0), halves(y)),
    "less a product": lambda x, y: x - x * y,
}
INTEGERS = {
    "average, up": lambda x, y: (x + y + 1) >> 1,
    "average, up, by a quotient": lambda x, y: (x + y + 1) // 2,
    "average, up, by a complement": lambda x, y: (x - ~y) >> 1,
    "average of a product": lambda x, y: (x * 3 + y + 1) >> 1,
    "average, chosen": lambda x, y: xt.where(x > 0, (x + (y + 1)) >> 1, x),
    "average": lambda x, y: (x + y) >> 1,
    "average by bits": lambda x, y: (x | y) - ((x ^ y) >> 1),
    "distance": lambda x, y: xt.where(x > y, x - y, y - x),
    "sum of distances": lambda x, y: xt.abs(x - y) + x,
    "rotated": lambda x, y: (x << 5) | (x >> 3),
    "product, shifted": lambda x, y: (x * y) >> 4,
    "halved": lambda x, y: x // 2,
    "rest": lambda x, y: x % 8,
    "bits": lambda x, y: (x >> 3) & 7,
    "mixed bits": lambda x, y: (x & 15) | (y << 4),
    "complement": lambda x, y: ~x + 1,
    "sign": lambda x, y: xt.where(x > 0, 1, 0) - xt.where(x < 0, 1, 0),
    "compared by a difference": lambda x, y: xt.where(x - y > 0, x, y),
    "compared with the next": lambda x, y: xt.where(x + 1 > y, x, y),
    "extended": lambda x, y: (x << 4) >> 4,
    "cut off": lambda x, y: xt.minimum(xt.maximum(x, 0), 100),
    "narrowed": lambda x, y: x.to(xt.i8).to(x.dtype),
    "power of two": lambda x, y: xt.where((x & (x - 1)) == 0, x, y),
    "no power of two": lambda x, y: xt.where(((x & (x - 1)) != 0) | (x == 0), 3, 1),
    "lowest bit alone": lambda x, y: xt.where((x & (~x + 1)) == x, x, y),
    "lowest bit alone, by one less": lambda x, y: xt.where((x & ~(x - 1)) == x, x, y),
    "without the lowest bit": lambda x, y: x & (x - 1),
    "complement of one less": lambda x, y: xt.minimum(~(x - 1), y),
    "carry": lambda x, y: xt.where(x + y < x, 1, 0),
}
NEGATIONS = {  # of y, in words of LLVM's many rules
    "nothing less": lambda x, y: 0 - y,
    "complement and one": lambda x, y: ~y + 1,
    "by minus one": lambda x, y: y * -1,
    "less a sum": lambda x, y: x - (x + y),
    "less both": lambda x, y: (x + 3) - y - x - 3,
    "doubled": lambda x, y: (x << 1) - (x + x) - y,
    "rest of itself": lambda x, y: x % x - y,
    "rest of a wide one": lambda x, y: (x.to(xt.u64) % x.to(xt.u64)).to(x.dtype) - y,
    "rest of nothing": lambda x, y: 0 % x - y,
    "bits apart": lambda x, y: ((x & 1) & 2) - y,
    "bits shifted out": lambda x, y: ((x & 3) >> 2) - y,
    "bits of a multiple": lambda x, y: (x * 4) % 2 - y,
    "and not": lambda x, y: (x & ~x) - y,
    "neither": lambda x, y: ~(x | ~x) - y,
    "absorbed": lambda x, y: (x & (x | y)) - x - y,
    "least of the largest": lambda x, y: xt.maximum(xt.minimum(x, y), x) - x - y,
    "never": lambda x, y: ((x < y) & (x >= y)).to(x.dtype) - y,
    "absolute": lambda x, y: (y ^ (y >> 31)) - (y >> 31),
    "absolute, as the larger one": lambda x, y: xt.maximum(x - y, y - x),
    "absolute, as the smaller one": lambda x, y: xt.minimum(y - x, x - y),
    "absolute, chosen": lambda x, y: xt.where(x < y, y - x, x - y),
}
TELLING = {  # more than the bits of a negation
    "least": lambda n, x: xt.minimum(n, x),
    "compared": lambda n, x: xt.where(n < x, x, 7),
    "halved": lambda n, x: n >> 1,
    "float": lambda n, x: (n.to(xt.f32) * 0.25).to(x.dtype),
    "quotient": lambda n, x: n // 3,
    "widened": lambda n, x: (n.to(xt.i64) >> 1).to(x.dtype),
}
pytestmark = pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
KINDS = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
SPECIAL = [0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, -2.5, np.nan, np.inf, -np.inf, 3.0, -7.25, 1e-3, 65000, 1e-7, 300.0]


@xt.jit(num_subgroups=1, grid=(1,))
def computed(A, B, Out, FORM: xt.constexpr):
    """Out = a form of A and B."""
    x, y = (xt.load_tile(xt.init_tile(array, (0, 0), SHAPE)) for array in (A, B))
    xt.store_tile(FORM(x, y).to(Out.dtype), xt.init_tile(Out, (0, 0), SHAPE))


def both(form, numbers, kind, device):
    """What numpy and a device make of it."""
    tools.require_tool("ocloc")
    rng = np.random.default_rng(0)
    x, y, results = rng.choice(numbers, SHAPE), rng.choice(numbers, SHAPE), []
    for on in ("numpy", device):
        results.append(np.zeros(SHAPE, kind))
        with xt.device(on), np.errstate(all="ignore"):
            computed(x, y, results[-1], FORM=form)
    return results


def check_zeros(found, expected):
    """They have the same signs."""
    np.testing.assert_array_equal(np.signbit(found)[found == 0], np.signbit(expected)[expected == 0])


@pytest.mark.every(31, 3)
@pytest.mark.simulated
@pytest.mark.parametrize("device", ["sim:pvc", "sim:bmg", "sim:dg2"])
@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("form", FLOATS)
def test_floats(device, dtype, form):
    """NaN, and zeros with their signs; quotients and roots in each device's own way."""
    with np.errstate(all="ignore"):
        numbers = np.array(SPECIAL, np.float32).astype(KINDS[dtype])
    expected, found = (each.astype(np.float64) for each in both(FLOATS[form], numbers, KINDS[dtype], device))
    np.testing.assert_allclose(found, expected, rtol=1e-5 if dtype == "f32" else 2e-2, atol=0)
    check_zeros(found, expected)


@pytest.mark.every(31, 5)
@pytest.mark.simulated
@pytest.mark.parametrize("device", ["sim:pvc", "sim:bmg", "sim:dg2"])
@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32])
@pytest.mark.parametrize("form", INTEGERS)
def test_integers(device, kind, form):
    """Sums wrap."""
    ends = np.iinfo(kind)
    numbers = [0, 1, 2, 3, 7, 9, 100, ends.max, ends.min, ends.max - 1, ends.min + 1, ends.max // 2, ends.max // 2 + 1]
    expected, found = both(INTEGERS[form], np.array(numbers, kind), kind, device)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.every(108, 2)
@pytest.mark.simulated
@pytest.mark.parametrize("device", ["sim:pvc", "sim:bmg", "sim:dg2"])
@pytest.mark.parametrize("kind", [np.int16, np.int32])
@pytest.mark.parametrize("use", TELLING)
@pytest.mark.parametrize("form", NEGATIONS)
def test_negations(device, kind, use, form):
    """The smallest integer is its own."""
    ends = np.iinfo(kind)
    numbers = np.array([0, 1, 2, 3, -7, 100, ends.max, ends.min, ends.min, ends.min + 1], kind)
    expected, found = both(lambda x, y: TELLING[use](NEGATIONS[form](x, y), x), numbers, kind, device)
    np.testing.assert_array_equal(found, expected)
