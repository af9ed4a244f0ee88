"""Operands that take much work are worked out once by a workgroup: which of them, and what they are then."""

import numpy as np
import pytest

import xetile as xt
from tests.passes.parity import traced
from xetile.dialects import xetile
from xetile.passes.workgroup.accumulate_products import accumulate_products
from xetile.passes.workgroup.layouts.infer_layouts import infer_layouts
from xetile.passes.workgroup.layouts.plan import LayoutPlan
from xetile.passes.workgroup.share_operands import share_operands
from xetile.target import get_target


@xt.jit(num_subgroups=4)
def product(A, S, B, C, HOW: xt.constexpr):
    """C[64, 128] = HOW(A, S) @ B."""
    scales, acc = xt.load_tile(xt.init_tile(S, (0, 0), (64, 1))), xt.zeros((64, 128), xt.i32)
    for k in range(0, A.shape[1], 64):
        a = HOW(xt.load_tile(xt.init_tile(A, (0, k), (64, 64))), scales).to(xt.i8)
        acc += a @ xt.load_tile(xt.init_tile(B, (k, 0), (64, 128)))
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (64, 128)))


SHARED = {"divided": lambda a, s: a / s, "powers": lambda a, s: xt.exp(xt.exp(xt.exp(xt.exp(a) * s) * s) * s) * s + s}
OWN = {
    "as it is": lambda a, s: a,
    "scaled": lambda a, s: a * s,
    "divided before": lambda a, s: a * (1 / s),
}


def arrays():
    rng = np.random.default_rng(3)
    a, b = rng.uniform(-50, 50, (64, 128)).astype("f4"), rng.integers(-99, 99, (128, 128)).astype("i1")
    return {"A": a, "S": rng.uniform(0.5, 1, (64, 1)).astype("f4"), "B": b, "C": np.zeros((64, 128), "i4")}


def shared(how, target: str, subgroups: int = 4) -> list[int]:
    """The roles of operands that stand behind a change of layout."""
    module = accumulate_products(traced(product.fn, arrays(), {"HOW": how}))
    module.kernel.attributes["num_subgroups"] = subgroups
    share_operands(module, get_target(target))
    products = [op for op in module.walk() if isinstance(op, xetile.TileMma)]
    return [at for op in products for at in (0, 1) if isinstance(op.operands[at].op, xetile.TileConvLayout)]


@pytest.mark.parametrize("how", SHARED)
def test_much_work_is_shared(how):
    assert shared(SHARED[how], "pvc") == [0]


@pytest.mark.parametrize("how", OWN)
def test_little_work_is_not(how):
    assert shared(OWN[how], "pvc") == []


def test_one_subgroup_shares_nothing():
    assert shared(SHARED["divided"], "pvc", subgroups=1) == []


def test_more_subgroups_have_parts_that_registers_hold():
    assert shared(SHARED["divided"], "pvc", subgroups=16) == []
    assert shared(SHARED["divided"], "dg2", subgroups=16) == [0]  # where there are barriers anyway


def test_layouts_are_planned_once_for_what_looks_at_them_and_what_follows_them(monkeypatch):
    planned = []
    monkeypatch.setattr(LayoutPlan, "_choose", lambda plan, choose=LayoutPlan._choose: (planned.append(plan), choose(plan)))
    module = accumulate_products(traced(product.fn, arrays(), {"HOW": next(iter(OWN.values()))}))
    infer_layouts(share_operands(module, get_target("pvc")), get_target("pvc"))
    assert len(planned) == 1
    module = accumulate_products(traced(product.fn, arrays(), {"HOW": next(iter(SHARED.values()))}))
    module.kernel.attributes["num_subgroups"] = 4
    infer_layouts(share_operands(module, get_target("pvc")), get_target("pvc"))
    assert len(planned) == 3, "one more for the changed module"


def test_numbers_are_the_same(device):
    values = arrays()
    with xt.device(device):
        product[(1,)](*values.values(), HOW=SHARED["divided"])
    a = (values["A"] / values["S"]).astype("i1").astype("i4")
    np.testing.assert_array_equal(values["C"], a @ values["B"].astype("i4"))
