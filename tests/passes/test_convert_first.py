"""Sums of bytes that become floats are summed as floats: which, which stay, and the same numbers for all bytes at every level."""

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from tests.passes.parity import traced
from xetile.dialects import arith
from xetile.dialects.types import VectorType
from xetile.ir.verifier import verify
from xetile.passes.workgroup.numbers.convert_first import convert_first

# Of bytes without a sign, bytes with one, and a row of bytes without one.
CONVERTED = {
    "less a number": lambda u, i, row: (u.to(xt.i32) - 128).to(xt.f16),
    "less a row": lambda u, i, row: (u.to(xt.i32) - row.to(xt.i32)).to(xt.f16),
    "in 16 bits": lambda u, i, row: (u.to(xt.i16) - row.to(xt.i16)).to(xt.f16),
    "of both kinds": lambda u, i, row: (i.to(xt.i32) - u.to(xt.i32) + 3).to(xt.f16),
    "from a number": lambda u, i, row: (7 - u.to(xt.i32)).to(xt.f16),
    "halves of bytes": lambda u, i, row: ((u & 15).to(xt.i32) - (u >> 4).to(xt.i32)).to(xt.bf16).to(xt.f16),
    "without a sign": lambda u, i, row: (u.to(xt.u32) + row.to(xt.u32)).to(xt.f16),
    "by way of f32": lambda u, i, row: ((u.to(xt.i32) - row.to(xt.i32)).to(xt.f32) * 0.5).to(xt.f16),
}
KEPT = {
    "beyond bf16": lambda u, i, row: (u.to(xt.i32) + row.to(xt.i32)).to(xt.bf16).to(xt.f16),
    "beyond f16": lambda u, i, row: (u.to(xt.i32) + 2000).to(xt.f16),
    "wraps": lambda u, i, row: (u.to(xt.u32) - row.to(xt.u32)).to(xt.f32).to(xt.f16),
    "products": lambda u, i, row: (u.to(xt.i32) * 3).to(xt.f16),
    "used as integers": lambda u, i, row: (lambda s: s.to(xt.f16) + (s & 3).to(xt.f16))(u.to(xt.i32) - 8),
    "words": lambda u, i, row: ((u.to(xt.i32) << 3) - 8).to(xt.f16),
}
ALL = CONVERTED | KEPT


@xt.jit
def products(A, U, Signed, Row, Out, FORM: xt.constexpr):
    a, u = xt.load_tile(xt.init_tile(A, (0, 0), (16, 16))), xt.load_tile(xt.init_tile(U, (0, 0), (16, 16)))
    i = xt.load_tile(xt.init_tile(Signed, (0, 0), (16, 16)))
    row = xt.load_tile(xt.init_tile(Row, 0, (16,)))[None, :]
    xt.store_tile(a @ FORM(u, i, row), xt.init_tile(Out, (0, 0), (16, 16)))


def launch(form: str) -> Launch:
    """All bytes, in an order of their own for each operand; A is the identity."""
    rng = np.random.default_rng(3)
    u, i = (rng.permutation(256).astype(np.uint8).reshape(16, 16) for _ in range(2))
    row = np.array([0, 255, 128, 127, *rng.integers(0, 256, 12)], np.uint8)
    values = {
        "A": np.eye(16, dtype=np.float16),
        "U": u,
        "Signed": i.view(np.int8),
        "Row": row,
        "Out": np.zeros((16, 16), np.float32),
    }
    return Launch(products, values, {}, constants={"FORM": ALL[form]})


def sums_of_words(form: str) -> int:
    """How many sums of integers in vectors are left."""
    case = launch(form)
    module = convert_first(traced(case.kernel.fn, case.values, case.constants))
    verify(module)
    kinds = (arith.AddI, arith.SubI, arith.MulI)
    return sum(isinstance(op, kinds) and isinstance(op.result.type, VectorType) for op in module.walk())


@pytest.mark.parametrize("form", CONVERTED)
def test_no_sum_of_integers_is_left(form):
    assert sums_of_words(form) == 0


@pytest.mark.parametrize("form", KEPT)
def test_sums_that_floats_do_not_hold_stay(form):
    assert sums_of_words(form) > 0


@pytest.mark.every(3)
@pytest.mark.parametrize("form", ALL)
def test_every_level_gives_the_same(form):
    launch(form).alike_at_levels("Out")
