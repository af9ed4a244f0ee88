"""Sums with multiples of products become products that add, which round once: where, and where they stay."""

import numpy as np
import pytest

import xetile as xt
from tests.passes.parity import traced
from tests.passes.test_accumulate_products import check, launch
from xetile.passes.workgroup.products.accumulate_products import accumulate_products
from xetile.passes.workgroup.products.fuse_scaled_sums import fuse_scaled_sums
from xetile.target import get_target

FUSED = {
    "x + p * s": lambda a, b, x: x + (a @ b) * 2,
    "s * p + x": lambda a, b, x: 2 * (a @ b) + x,
    "two scales": lambda a, b, x: x + (a @ b) * xt.sum(x, 1) * xt.sum(x, 0),
}
KEPT = {
    "read twice": lambda a, b, x: (lambda p: x + p - p.to(xt.f32))((a @ b) * 2),
    "no product": lambda a, b, x: x + x * 2,
    "elementwise of a product": lambda a, b, x: x + xt.exp((a @ b) * 0) * 2,
}


def names(form, dtype, total=xt.f32) -> list[str]:
    case = launch(form, dtype, total)
    module = accumulate_products(traced(case.kernel.fn, case.values, case.constants))
    return [op.opname for op in fuse_scaled_sums(module, get_target("pvc")).walk()]


@pytest.mark.parametrize("form", FUSED)
def test_multiples_of_products_are_added_as_they_are_multiplied(form):
    found = names(FUSED[form], xt.f16)
    assert "math.fma" in found
    assert "arith.addf" not in found


@pytest.mark.parametrize("form", KEPT)
def test_other_sums_stay(form):
    assert "math.fma" not in names(KEPT[form], xt.f16)


def test_whole_numbers_stay_exact():
    """A product of integers has no open bits, as f32 either."""
    assert "math.fma" not in names(lambda a, b, x: x + (a @ b).to(xt.f32) * 2, xt.i8)
    assert "math.fma" not in names(lambda a, b, x: x + xt.tile_mma(a, b, dtype=xt.f16) * 2, xt.f16, xt.f16)


@pytest.mark.every(2)
@pytest.mark.parametrize("form", [*FUSED, *KEPT])
def test_forms_give_the_same_at_every_level(form):
    check((FUSED | KEPT)[form], xt.f16, xt.f32)


@xt.jit
def scaled(A, B, S, C):
    """A scale for each step."""
    acc = xt.zeros((16, 16), xt.f32)
    for k in range(0, A.shape[1], 16):
        a, b = xt.load_tile(xt.init_tile(A, (0, k), (16, 16))), xt.load_tile(xt.init_tile(B, (k, 0), (16, 16)))
        acc += (a @ b) * S[k // 16]
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (16, 16)))


def test_a_scale_of_each_step(device):
    rng = np.random.default_rng(7)
    a, b = (rng.standard_normal(s).astype("f2") for s in ((16, 64), (64, 16)))
    s, c = rng.standard_normal(4).astype("f4"), np.zeros((16, 16), "f4")
    with xt.device(device):
        scaled[(1,)](a, b, s, c)
    exact = a.astype("f8") * np.repeat(s, 16) @ b.astype("f8")
    np.testing.assert_allclose(c, exact, rtol=0, atol=1e-5)
