"""Operands that take much work are worked out once by a workgroup: which of them, and what they are then."""

import numpy as np
import pytest

import xetile as xt
from tests.passes.parity import traced
from xetile.dialects import xetile
from xetile.passes.workgroup.layouts.infer_layouts import infer_layouts
from xetile.passes.workgroup.layouts.plan import LayoutPlan
from xetile.passes.workgroup.products.accumulate_products import accumulate_products
from xetile.passes.workgroup.products.share_operands import share_operands
from xetile.target import get_target


@xt.jit(num_subgroups=8)
def product(A, S, B, C, HOW: xt.constexpr):
    """C[256, 64] = A @ HOW(B, S)."""
    scales, acc = xt.load_tile(xt.init_tile(S, (0, 0), (1, 64))), xt.zeros((256, 64), xt.i32)
    for k in range(0, A.shape[1], 64):
        b = HOW(xt.load_tile(xt.init_tile(B, (k, 0), (64, 64))), scales).to(xt.i8)
        acc += xt.load_tile(xt.init_tile(A, (0, k), (256, 64))) @ b
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (256, 64)))


SHARED = {"divided": lambda a, s: a / s, "powers": lambda a, s: xt.exp(xt.exp(xt.exp(xt.exp(a) * s) * s) * s) * s + s}
OWN = {
    "as it is": lambda a, s: a,
    "scaled": lambda a, s: a * s,
    "divided before": lambda a, s: a * (1 / s),
}


def arrays():
    rng = np.random.default_rng(3)
    a, b = rng.integers(-99, 99, (256, 128)).astype("i1"), rng.uniform(-50, 50, (128, 64)).astype("f4")
    return {"A": a, "S": rng.uniform(0.5, 1, (1, 64)).astype("f4"), "B": b, "C": np.zeros((256, 64), "i4")}


def shared(how, target: str, subgroups: int = 8) -> list[int]:
    """The roles of operands that stand behind a change of layout."""
    module = accumulate_products(traced(product.fn, arrays(), {"HOW": how}))
    module.kernel.attributes["num_subgroups"] = subgroups
    share_operands(module, get_target(target))
    products = [op for op in module.walk() if isinstance(op, xetile.TileMma)]
    return [at for op in products for at in (0, 1) if isinstance(op.operands[at].op, xetile.TileConvLayout)]


@pytest.mark.parametrize("how", SHARED)
def test_much_work_is_shared(how):
    assert shared(SHARED[how], "pvc") == [1]


@pytest.mark.parametrize("how", OWN)
def test_little_work_is_not(how):
    assert shared(OWN[how], "pvc") == []


def test_one_subgroup_shares_nothing():
    assert shared(SHARED["divided"], "pvc", subgroups=1) == []


def test_more_subgroups_have_parts_that_registers_hold():
    assert shared(SHARED["divided"], "pvc", subgroups=16) == []
    assert shared(SHARED["divided"], "dg2", subgroups=16) == [1]  # where there are barriers anyway


def test_layouts_are_planned_once_for_what_looks_at_them_and_what_follows_them(monkeypatch):
    planned = []
    monkeypatch.setattr(LayoutPlan, "_choose", lambda plan, choose=LayoutPlan._choose: (planned.append(plan), choose(plan)))
    module = accumulate_products(traced(product.fn, arrays(), {"HOW": next(iter(OWN.values()))}))
    infer_layouts(share_operands(module, get_target("pvc")), get_target("pvc"))
    assert len(planned) == 1
    module = accumulate_products(traced(product.fn, arrays(), {"HOW": next(iter(SHARED.values()))}))
    module.kernel.attributes["num_subgroups"] = 8
    infer_layouts(share_operands(module, get_target("pvc")), get_target("pvc"))
    assert len(planned) == 3, "one more for the changed module"


def test_numbers_are_the_same(device):
    values = arrays()
    with xt.device(device):
        product[(1,)](*values.values(), HOW=SHARED["divided"])
    b = (values["B"] / values["S"]).astype("i1").astype("i4")
    np.testing.assert_array_equal(values["C"], values["A"].astype("i4") @ b)
