"""Products that several numbers scale are multiplied by one: which, where that number is computed, and that all levels mean the same."""

import numpy as np
import pytest

import xetile as xt
from tests.parity.run import run_levels
from tests.passes.parity import traced
from tests.passes.test_accumulate_products import launch
from xetile.dialects import arith, scf
from xetile.dialects.types import VectorType
from xetile.passes.workgroup.products.accumulate_products import accumulate_products
from xetile.passes.workgroup.products.join_scales import join_scales
from xetile.target import get_target

JOINED = {
    "divided": lambda a, b, x: (a @ b) / 3.0,
    "times one, divided by another": lambda a, b, x: (a @ b) * 0.3 / 7.0,
    "times two": lambda a, b, x: 0.3 * (a @ b) * 0.7,
    "divided twice": lambda a, b, x: (a @ b) / 3.0 / 5.0,
}
KEPT = {
    "no product": lambda a, b, x: x * 0.3 / 7.0,
    "divided by rows": lambda a, b, x: (a @ b) / (xt.sum(x * x, 1) + 1.0),
    "a divisor": lambda a, b, x: 3.0 / ((a @ b) * (a @ b) + 1.0),
}


def joined(kernel, values, constants=None):
    module = accumulate_products(traced(kernel, values, constants or {}))
    return join_scales(module, get_target("pvc"))


def scales(form) -> list[str]:
    """The products and quotients of vectors whose result is used."""
    case = launch(form, xt.f16, xt.f32)
    module = joined(case.kernel.fn, case.values, case.constants)
    ops = [op for op in module.walk() if isinstance(op, (arith.MulF, arith.DivF)) and isinstance(op.results[0].type, VectorType)]
    return [op.opname for op in ops if op.results[0].users]


@pytest.mark.parametrize("form", JOINED)
def test_numbers_become_one(form):
    assert scales(JOINED[form]) == ["arith.mulf"]


@pytest.mark.parametrize("form", KEPT)
def test_other_quotients_stay(form):
    assert "arith.divf" in scales(KEPT[form])


@pytest.mark.parametrize("form", [*JOINED, *KEPT])
def test_forms_give_the_same_at_every_level(form):
    """Within the last bits of products, of which the scales are no longer rounded one by one."""
    case = launch((JOINED | KEPT)[form], xt.f16, xt.f32)
    found = [(level, after["Out"]) for level, after in run_levels(case.compiled().request, (1, 1, 1), case.values, emits=True)]
    for level, got in found[1:]:
        np.testing.assert_allclose(got, found[0][1], rtol=1e-6, err_msg=level)


@xt.jit
def capped(A, B, C, S, s, cap):
    """Numbers that are arguments, and one that each round has anew."""
    for n in range(0, B.shape[1], 16):
        a, b = xt.load_tile(xt.init_tile(A, (0, 0), (8, 16))), xt.load_tile(xt.init_tile(B, (0, n), (16, 16)))
        xt.store_tile(cap * xt.tanh((a @ b) * s / cap) + (a @ b) * s / S[n // 16], xt.init_tile(C, (0, n), (8, 16)))


def _numbers() -> list[np.ndarray]:
    rng = np.random.default_rng(3)
    a, b = (rng.standard_normal(s).astype("f2") for s in ((8, 16), (16, 64)))
    return [a, b, np.zeros((8, 64), "f4"), np.float32([1, -2, 0.25, 8])]


def test_a_quotient_of_arguments_is_computed_before_the_loop():
    module = joined(capped.fn, dict(zip(("A", "B", "C", "S", "s", "cap"), [*_numbers(), 0.3, 7.0])))
    found = [op.parent.parent for op in module.walk() if isinstance(op, arith.DivF) and op.results[0].users]
    assert sorted(isinstance(around, scf.For) for around in found) == [False, True]


def test_numbers_of_a_loop(device):
    a, b, c, s = _numbers()
    with xt.device(device):
        capped[(1,)](a, b, c, s, -0.3, 7.0)
    p = a.astype("f8") @ b.astype("f8") * -0.3
    np.testing.assert_allclose(c, 7 * np.tanh(p / 7) + p / np.repeat(s, 16), rtol=2e-5, atol=2e-5)
