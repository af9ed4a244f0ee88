"""Exponentials of scaled products become powers of two, where nothing else sees the products; the results stay."""

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from tests.parity.run import run_levels
from tests.passes.parity import traced
from xetile.dialects import math
from xetile.passes.workgroup.products.accumulate_products import accumulate_products
from xetile.passes.workgroup.products.scale_exponents import scale_exponents
from xetile.target import get_target

LOWEST = -1e30


@xt.jit
def softmax(A, B, Y, Z, scale):
    s = xt.load_tile(xt.init_tile(A, (0, 0), (16, 32))) @ xt.load_tile(xt.init_tile(B, (0, 0), (32, 32))) * scale
    xt.store_tile(xt.exp(s - xt.max(s, axis=1)), xt.init_tile(Y, (0, 0), (16, 32)))


@xt.jit
def columns(A, B, Y, Z, scale):
    """The smallest of columns, a number of the kernel's own, and one side of a branch."""
    s = xt.load_tile(xt.init_tile(A, (0, 0), (16, 32))) @ xt.load_tile(xt.init_tile(B, (0, 0), (32, 32))) * 0.3
    if scale > 0.1:
        s = xt.minimum(-s, 2.0)
    xt.store_tile(xt.exp(xt.min(s, axis=0) - s), xt.init_tile(Y, (0, 0), (16, 32)))


@xt.jit
def known_row(A, B, Y, Z, scale):
    s = scale * (xt.load_tile(xt.init_tile(A, (0, 0), (16, 32))) @ xt.load_tile(xt.init_tile(B, (0, 0), (32, 32))))
    xt.store_tile(xt.exp(s - xt.load_tile(xt.init_tile(Z, (0, 0), (1, 32)))), xt.init_tile(Y, (0, 0), (16, 32)))


def online(start, masked, stored):
    @xt.jit
    def kernel(A, B, Y, Z, scale):
        """Rows' sums; with `stored` their logarithms."""
        a = xt.load_tile(xt.init_tile(A, (0, 0), (16, 32)))
        largest, total = xt.full((16, 1), start, xt.f32), xt.zeros((16, 1), xt.f32)
        for n in range(0, B.shape[1], 16):
            s = a @ xt.load_tile(xt.init_tile(B, (0, n), (32, 16))) * scale
            s = xt.where(n + xt.arange(16)[None, :] < B.shape[1] - 5, s, masked)
            new = xt.maximum(largest, xt.max(s, axis=1))
            total = total * xt.exp(largest - new) + xt.sum(xt.exp(s - new), axis=1)
            largest = new
        xt.store_tile(largest + xt.log(total) if stored else total, xt.init_tile(Y, (0, 0), (16, 1)))

    return kernel


@xt.jit
def scores_stored(A, B, Y, Z, scale):
    s = xt.load_tile(xt.init_tile(A, (0, 0), (16, 32))) @ xt.load_tile(xt.init_tile(B, (0, 0), (32, 32))) * scale
    xt.store_tile(s + xt.exp(s - xt.max(s, axis=1)), xt.init_tile(Y, (0, 0), (16, 32)))


@xt.jit
def compared(A, B, Y, Z, scale):
    s = xt.load_tile(xt.init_tile(A, (0, 0), (16, 32))) @ xt.load_tile(xt.init_tile(B, (0, 0), (32, 32))) * scale
    xt.store_tile(xt.where(s < 0.5, xt.exp(s), 0.0), xt.init_tile(Y, (0, 0), (16, 32)))


@xt.jit
def biased(A, B, Y, Z, scale):
    """What is added may be much larger than the product: its last bits are not open."""
    s = xt.load_tile(xt.init_tile(A, (0, 0), (16, 32))) @ xt.load_tile(xt.init_tile(B, (0, 0), (32, 32))) * scale
    s = s - xt.load_tile(xt.init_tile(Z, (0, 0), (1, 32)))
    xt.store_tile(xt.exp(s - xt.max(s, axis=1)), xt.init_tile(Y, (0, 0), (16, 32)))


@xt.jit
def by_distance(A, B, Y, Z, scale):
    """A multiple of one number is added (ALiBi)."""
    s = xt.load_tile(xt.init_tile(A, (0, 0), (16, 32))) @ xt.load_tile(xt.init_tile(B, (0, 0), (32, 32))) * scale
    s = s + (xt.arange(32)[None, :] - xt.arange(16)[:, None]).to(xt.f32) * (scale + 1)
    xt.store_tile(xt.exp(s - xt.max(s, axis=1)), xt.init_tile(Y, (0, 0), (16, 32)))


@xt.jit
def distance_stored(A, B, Y, Z, scale):
    far = (xt.arange(32)[None, :] - xt.arange(16)[:, None]).to(xt.f32) * scale
    s = xt.load_tile(xt.init_tile(A, (0, 0), (16, 32))) @ xt.load_tile(xt.init_tile(B, (0, 0), (32, 32))) * scale + far
    xt.store_tile(xt.exp(s - xt.max(s, axis=1)) + far, xt.init_tile(Y, (0, 0), (16, 32)))


@xt.jit
def distance_alone(A, B, Y, Z, scale):
    """Nothing in the sum has last bits that are open."""
    far, z = (xt.arange(32)[None, :] - xt.arange(16)[:, None]).to(xt.f32), xt.load_tile(xt.init_tile(Z, (0, 0), (16, 32)))
    xt.store_tile(xt.exp(far * scale + z * (scale + 1)), xt.init_tile(Y, (0, 0), (16, 32)))


@xt.jit
def loaded(A, B, Y, Z, scale):
    s = xt.load_tile(xt.init_tile(Z, (0, 0), (16, 32))) * scale
    xt.store_tile(xt.exp(s - xt.max(s, axis=1)), xt.init_tile(Y, (0, 0), (16, 32)))


@xt.jit
def largest_less_transposed(A, B, Y, Z, scale):
    """The row that is subtracted is a column of the same numbers."""
    s = xt.load_tile(xt.init_tile(A, (0, 0), (16, 32))) @ xt.load_tile(xt.init_tile(B, (0, 0), (32, 16))) * scale
    xt.store_tile(xt.exp(s - xt.max(s, axis=1).T), xt.init_tile(Y, (0, 0), (16, 16)))


SCALED = {
    "softmax": softmax,
    "columns": columns,
    "known row": known_row,
    "online": online(float("-inf"), float("-inf"), False),
    "online, lowest": online(LOWEST, LOWEST, False),
    "online, logarithms": online(float("-inf"), float("-inf"), True),
    "transposed": largest_less_transposed,
    "by distance": by_distance,
}
KEPT = {
    "scores stored": scores_stored,
    "compared": compared,
    "biased": biased,
    "distance stored": distance_stored,
    "distance alone": distance_alone,
    "loaded": loaded,
    "the lowest number comes out": online(LOWEST, LOWEST, True),
    "too large for f32": online(-3e38, -3e38, False),
}


def launch(kernel) -> Launch:
    rng = np.random.default_rng(3)
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((16, 32), (32, 32)))
    z = rng.standard_normal((16, 32)).astype(np.float32)
    return Launch(kernel, {"A": a, "B": b, "Y": np.zeros((16, 32), np.float32), "Z": z, "scale": 0.6}, {}, constants={})


def functions(kernel) -> set[type]:
    case = launch(kernel)
    module = accumulate_products(traced(kernel.fn, case.values, case.constants))
    return {type(op) for op in scale_exponents(module, get_target("pvc")).walk()} & {math.Exp, math.Exp2}


@pytest.mark.parametrize("name", SCALED)
def test_exponentials_of_scaled_products_are_powers_of_two(name):
    assert functions(SCALED[name]) == {math.Exp2}


@pytest.mark.parametrize("name", KEPT)
def test_what_something_else_sees_stays(name):
    assert functions(KEPT[name]) == {math.Exp}


@pytest.mark.every(18)
@pytest.mark.parametrize("name", SCALED | KEPT)
def test_results_stay(name):
    case = launch((SCALED | KEPT)[name])
    found = [(level, after["Y"]) for level, after in run_levels(case.compiled().request, (1, 1, 1), case.values, emits=True)]
    for level, got in found[1:]:
        np.testing.assert_allclose(got, found[0][1], rtol=1e-5, atol=1e-6, err_msg=level)
