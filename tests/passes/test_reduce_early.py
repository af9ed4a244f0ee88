"""Sums of what products give stand before other products that do not need them; with the same results at every level."""

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from tests.passes.parity import traced
from xetile.dialects import xetile
from xetile.ir.verifier import verify
from xetile.passes.workgroup.products.accumulate_products import accumulate_products
from xetile.passes.workgroup.products.reduce_early import reduce_early


@xt.jit
def behind(p, b, acc, total):
    acc += p.to(xt.f16) @ b
    total += xt.sum(p, axis=1)
    return acc, total


@xt.jit
def of_what_is_made_behind(p, b, acc, total):
    acc += p.to(xt.f16) @ b
    total = total * 2.0 + xt.sum(p * p, axis=1)
    return acc, total


@xt.jit
def between_two(p, b, acc, total):
    acc += p.to(xt.f16) @ b
    acc += (p + 1.0).to(xt.f16) @ b
    total = xt.maximum(total, xt.max(p, axis=1))
    return acc, total


@xt.jit
def before(p, b, acc, total):
    total += xt.sum(p, axis=1)
    acc += p.to(xt.f16) @ b
    return acc, total


@xt.jit
def of_the_other_product(p, b, acc, total):
    q = p.to(xt.f16) @ b
    total += xt.sum(q, axis=1)
    acc += q
    return acc, total


@xt.jit
def of_what_is_loaded(p, b, acc, total):
    acc += p.to(xt.f16) @ b
    total += xt.sum(b.to(xt.f32), axis=1)
    return acc, total


MOVED = (behind, of_what_is_made_behind, between_two)
KEPT = (before, of_the_other_product, of_what_is_loaded)


@xt.jit
def summed(A, B, Out, Total, FORM: xt.constexpr):
    a, acc, total = xt.load_tile(xt.init_tile(A, (0, 0), (16, 16))), xt.zeros((16, 16), xt.f32), xt.zeros((16, 1), xt.f32)
    for n in range(0, B.shape[1], 16):
        b = xt.load_tile(xt.init_tile(B, (0, n), (16, 16)))
        acc, total = FORM(a @ b, b, acc, total)
    xt.store_tile(acc, xt.init_tile(Out, (0, 0), (16, 16)))
    xt.store_tile(total, xt.init_tile(Total, (0, 0), (16, 1)))


def launch(form) -> Launch:
    rng = np.random.default_rng(3)
    a, b = (rng.integers(-2, 3, shape).astype(np.float16) for shape in ((16, 16), (16, 48)))
    values = {"A": a, "B": b, "Out": np.zeros((16, 16), np.float32), "Total": np.zeros((16, 1), np.float32)}
    return Launch(summed, values, {}, constants={"FORM": form})


def behind_products(form) -> int:
    """How many products stand before the reduction in the loop."""
    case = launch(form)
    module = reduce_early(accumulate_products(traced(case.kernel.fn, case.values, case.constants)))
    verify(module)
    reduction = next(op for op in module.walk() if isinstance(op, xetile.TileReduce))
    ops = reduction.parent.ops
    return sum(isinstance(op, xetile.TileMma) for op in ops[: ops.index(reduction)])


@pytest.mark.parametrize("form", MOVED, ids=lambda form: form.fn.__name__)
def test_sums_stand_before_the_products_that_they_do_not_need(form):
    assert behind_products(form) == 1


@pytest.mark.parametrize("form", KEPT, ids=lambda form: form.fn.__name__)
def test_others_stay_where_they_are(form):
    assert behind_products(form) == {before: 1}.get(form, 2)


@pytest.mark.every(2)
@pytest.mark.parametrize("form", MOVED, ids=lambda form: form.fn.__name__)
def test_every_level_gives_the_same(form):
    launch(form).alike_at_levels("Out", "Total")
