"""Products of values one after the other become products of each: in which forms, which stay as they are, and their values."""

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from tests.passes.parity import traced
from xetile.dialects import xetile
from xetile.passes.workgroup.products.accumulate_products import accumulate_products
from xetile.passes.workgroup.products.split_rows import split_rows
from xetile.target import get_target


def joined(*parts):
    return xt.concatenate(parts, axis=0)


# A loaded tile, what lies in the lower and upper halves of bytes, and a row of numbers.
SPLIT = {
    "one after the other": lambda x, a, b, s: x @ joined(a, b),
    "the other first": lambda x, a, b, s: x @ joined(b, a),
    "worked out further": lambda x, a, b, s: x @ ((joined(a, b) - 8) * s),
    "of both": lambda x, a, b, s: x @ (joined(a, b) * joined(b, a + 1)),
    "of halves": lambda x, a, b, s: x @ joined(a[:16], a[16:], b[:16], b[16:]),
    "of four": lambda x, a, b, s: x @ joined(a[:16] + 1, b[:16] + 2, a[16:] + 3, b[16:] + 4),
    "a first operand that is worked out": lambda x, a, b, s: (x * 2 + 1) @ joined(a, b),
    "a first operand less a column": lambda x, a, b, s: (x - xt.max(x, axis=1)) @ joined(a, b),
}
KEPT = {
    "parts that are no steps": lambda x, a, b, s: x @ joined(a[:8], b, a[8:]),
    "one twice": lambda x, a, b, s: x @ joined(a, a),
}
ALL = SPLIT | KEPT


@xt.jit(grid=(1,))
def products(X, W, S, C, FORM: xt.constexpr):
    acc = xt.zeros((32, 64), xt.f32)
    s = xt.load_tile(xt.init_tile(S, (0, 0), (1, 64)))
    for k in range(0, X.shape[1], 64):
        w = xt.load_tile(xt.init_tile(W, (k // 2, 0), (32, 64)))
        a, b = (w & 15).to(xt.f16), (w >> 4).to(xt.f16)
        acc += FORM(xt.load_tile(xt.init_tile(X, (0, k), (32, 64))), a, b, s)
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (32, 64)))


GOLDEN = {
    "split_rows": (products, ("f16[?,?]", "u8[?,?]", "f16[?,?]", "f32[?,?]"), {"FORM": SPLIT["worked out further"]}, "dg2"),
}


def launch(form: str) -> Launch:
    """The last rows are beyond the end of what is loaded."""
    rng = np.random.default_rng(5)
    w = rng.integers(0, 256, (64, 64)).astype(np.uint8)
    values = {
        "X": rng.integers(-2, 3, (32, 128)).astype(np.float16),
        "W": w,
        "S": rng.integers(-2, 3, (1, 64)).astype(np.float16),
    }
    return Launch(products, {**values, "C": np.zeros((32, 64), np.float32)}, {}, constants={"FORM": ALL[form]})


def split(form: str, target: str = "dg2"):
    case = launch(form)
    module = split_rows(accumulate_products(traced(case.kernel.fn, case.values, case.constants)), get_target(target))
    module.verify()
    return module


@pytest.mark.parametrize("form", [form for form in SPLIT if form != "of four"])
def test_nothing_goes_through_memory_to_products_of_each_value(form):
    module = split(form)
    (product, *others) = module.find(xetile.TileMma)
    assert len(others) == 1
    assert not {"xetile.store_tile", "gpu.barrier"} & {op.opname for op in product.parent.ops}


def test_products_of_four_values():
    assert len(split("of four").find(xetile.TileMma)) == 4


@pytest.mark.parametrize("form", KEPT)
def test_other_products_stay(form):
    assert len(split(form).find(xetile.TileMma)) == 1


def test_devices_with_block_messages_join_them_in_registers():
    assert len(split("one after the other", "pvc").find(xetile.TileMma)) == 1


@pytest.mark.every(3)
@pytest.mark.parametrize("form", ALL)
def test_every_level_gives_the_same(form):
    launch(form).alike_at_levels("C")


@pytest.mark.every(2)
@pytest.mark.parametrize("device", ["sim:dg2", "cpu"])
@pytest.mark.parametrize("form", ALL)
def test_each_device_gives_the_same(device, form):
    found, expected = launch(form), launch(form)
    with xt.device(device):
        products(*found.values.values(), FORM=ALL[form])
    with xt.device("numpy"):
        products(*expected.values.values(), FORM=ALL[form])
    np.testing.assert_array_equal(found.values["C"], expected.values["C"])
