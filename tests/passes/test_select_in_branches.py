"""Branches that mask what products gave become selects: which, and with the same results whichever way a branch goes."""

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from tests.passes.parity import traced
from xetile.dialects import scf
from xetile.dialects.types import VectorType
from xetile.ir.verifier import verify
from xetile.passes.workgroup.forms.select_in_branches import select_in_branches


@xt.jit
def masked(s, keys, rows, end, n):
    if n + 16 > end:
        s = xt.where(keys < end, s, -1.0)
    return s


@xt.jit
def kept_where_false(s, keys, rows, end, n):
    if n + 16 > end:
        s = xt.where(keys >= end, 2.0, s)
    return s


@xt.jit
def in_the_other_side(s, keys, rows, end, n):
    if n + 16 <= end:
        pass
    else:
        s = xt.where(keys < end, s, -1.0)
    return s


@xt.jit
def other_side_replaced(s, keys, rows, end, n):
    if n + 16 <= end:
        pass
    else:
        s = xt.where(keys >= end, 3.0, s)
    return s


@xt.jit
def twice(s, keys, rows, end, n):
    if n + 16 > end or n > 32:
        s = xt.where(keys < end, s, -1.0)
        s = xt.where(keys > rows, -2.0, s)
    return s


@xt.jit
def by_a_flag(s, keys, rows, end, n):
    if end % 2 == 1:
        s = xt.where((keys <= rows) & (keys < end), s, -3.0)
    return s


@xt.jit
def by_two_conditions(s, keys, rows, end, n):
    if n > 16 and end < 60:
        s = xt.where(keys <= rows, s, -3.0)
    return s


@xt.jit
def multiplied(s, keys, rows, end, n):
    if n + 16 > end:
        s = s * 2.0
    return s


@xt.jit
def of_both_sides(s, keys, rows, end, n):
    if n + 16 > end:
        s = xt.where(keys < end, s, -1.0)
    else:
        s = xt.where(keys > 8, s, 1.0)
    return s


@xt.jit
def by_what_is_loaded(s, keys, rows, end, n):
    if n + 16 > end:
        s = xt.where(keys % (end - n) == 0, s, -1.0)
    return s


SELECTED = (masked, kept_where_false, in_the_other_side, other_side_replaced, twice, by_a_flag, by_two_conditions)
LEFT = (multiplied, of_both_sides, by_what_is_loaded)


@xt.jit
def summed(A, B, Out, end, FORM: xt.constexpr):
    """Out[M, 16] = the sums over blocks of 16 columns of FORM of A[M, K] @ B[K, K], which masks them."""
    m = xt.program_id(0) * 16
    rows, acc = m + xt.arange(16)[:, None], xt.zeros((16, 16), xt.f32)
    a = xt.load_tile(xt.init_tile(A, (m, 0), (16, 16)))
    for n in range(0, B.shape[1], 16):
        s = a @ xt.load_tile(xt.init_tile(B, (0, n), (16, 16)))
        acc += FORM(s, n + xt.arange(16)[None, :], rows, end, n)
    xt.store_tile(acc, xt.init_tile(Out, (m, 0), (16, 16)))


def launch(form, end: int = 37) -> Launch:
    rng = np.random.default_rng(3)
    a, b = (rng.integers(-2, 3, shape).astype(np.float16) for shape in ((48, 16), (16, 72)))
    return Launch(
        summed, {"A": a, "B": b, "Out": np.zeros((48, 16), np.float32), "end": end}, {}, grid=(3,), constants={"FORM": form}
    )


def branches(form) -> int:
    """How many branches give vectors behind the pass."""
    case = launch(form)
    module = select_in_branches(traced(case.kernel.fn, case.values, case.constants))
    verify(module)
    found = [op for op in module.walk() if isinstance(op, scf.If) and any(isinstance(v.type, VectorType) for v in op.results)]
    return len(found)


@pytest.mark.parametrize("form", SELECTED, ids=lambda form: form.fn.__name__)
def test_masks_take_the_condition(form):
    assert branches(form) == 0


@pytest.mark.parametrize("form", LEFT, ids=lambda form: form.fn.__name__)
def test_other_branches_stay(form):
    assert branches(form) == 1


@pytest.mark.every(12, 5)
@pytest.mark.parametrize("end", [-1, 0, 16, 37, 72, 100])
@pytest.mark.parametrize("form", [*SELECTED, of_both_sides], ids=lambda form: form.fn.__name__)
def test_every_level_gives_the_same(form, end):
    assert np.any(launch(form, end).alike_at_levels("Out")["Out"])
