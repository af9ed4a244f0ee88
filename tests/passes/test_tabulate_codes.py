"""What is computed of codes of few bits is a known table: which values are, which stay, and the same numbers for all bytes at every level."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.kernels.plain_floats import by_bits, by_choices, by_powers, by_shifts
from tests.ops.run import Launch
from tests.passes.parity import traced
from xetile.dialects import tables
from xetile.ir.verifier import verify
from xetile.passes.workgroup.numbers.tabulate_codes import tabulate_codes
from xetile.target import get_target

TABULATED = {
    "by powers": lambda u, i: by_powers(u & 15),
    "by shifts": lambda u, i: by_shifts(u >> 4),
    "by choices": lambda u, i: by_choices((u >> 2) & 15),
    "by bits": lambda u, i: by_bits(u & 15),
    "without a mask": lambda u, i: xt.where(u & 8 != 0, -1.0, 1.0) * (((u >> 1) & 3) << (u & 1)).to(xt.f32),
    "three bits of a signed byte": lambda u, i: xt.where((i & 7) > 3, 1.5 - (i & 7).to(xt.f32), xt.exp2((i & 7).to(xt.f32))),
    "quotients": lambda u, i: ((u & 15) // 3).to(xt.f32) - ((u & 15) % 3).to(xt.f32) * 0.25,
    "of wider integers": lambda u, i: xt.where(((u.to(xt.i32) * 5) & 15) > 7, -2.0, 0.5) * (((u.to(xt.i32) * 5) & 15) ^ 3).to(xt.f32),
    "shifts beyond the width": lambda u, i: ((u & 15).to(xt.u16) << ((u & 15).to(xt.u16) * 2)).to(xt.f32),
    "of 64 bits": lambda u, i: xt.where(((u & 15).to(xt.i64) - 9 << 60) >> 61 < -1, 3.0, ((u & 15).to(xt.u64) - 3 >> 62).to(xt.f32)),
    "of 64 bits without a sign": lambda u, i: xt.where((u & 15).to(xt.u64) - 7 > 1 << 40, -1.0, ((u & 15).to(xt.u64) - 7).to(xt.f32)),
    "both signs together": lambda u, i: xt.where(u & 7 > 3, (u & 15).to(xt.u32) << 2, xt.where(u & 1 == 1, 9, 3)).to(xt.f32),
    "infinity and NaN": lambda u, i: xt.where((u & 3) == 3, float("inf"), xt.where((u & 3) == 2, -0.0, by_shifts(u & 3))),
    "what is not chosen is unknown": lambda u, i: xt.where((u & 15) < 15, by_powers(u & 15), 1.0 / ((u & 15).to(xt.f32) - 12.0)),
}  # fmt: skip
KEPT = {
    "five bits": lambda u, i: xt.where((u & 31) > 12, -1.0, 1.0) * ((u & 31) << 1).to(xt.f32) * xt.exp2(((u & 31) >> 2).to(xt.f32)),
    "a few steps": lambda u, i: (u & 15).to(xt.f32) * 0.5 - 4.0,
    "two codes": lambda u, i: xt.where((u & 15) > (i & 15), 1.0, by_shifts(i)),
    "inexact": lambda u, i: 1.0 / ((u & 7).to(xt.f32) + 1.0) * xt.where((u & 7) > 3, -1.0, 1.0),
}  # fmt: skip
ALL = TABULATED | KEPT


@xt.jit
def products(A, U, Signed, Out, FORM: xt.constexpr):
    a, u = xt.load_tile(xt.init_tile(A, (0, 0), (16, 16))), xt.load_tile(xt.init_tile(U, (0, 0), (16, 16)))
    i = xt.load_tile(xt.init_tile(Signed, (0, 0), (16, 16)))
    xt.store_tile(a @ FORM(u, i).to(xt.f16), xt.init_tile(Out, (0, 0), (16, 16)))


GOLDEN = {
    "tabulate_codes": (products, ("f16[?,?]", "u8[?,?]", "i8[?,?]", "f32[?,?]"), {"FORM": TABULATED["by powers"]}, "pvc"),
}


def launch(form: str) -> Launch:
    """All bytes, in an order of their own for each operand; A is the identity."""
    u, i = (np.random.default_rng(seed).permutation(256).astype(np.uint8).reshape(16, 16) for seed in range(2))
    u = u & 253 if form == "infinity and NaN" else u  # 0 times infinity would be everywhere
    values = {"A": np.eye(16, dtype=np.float16), "U": u, "Signed": i.view(np.int8), "Out": np.zeros((16, 16), np.float32)}
    return Launch(products, values, {}, constants={"FORM": ALL[form]})


def found(form: str) -> int:
    case = launch(form)
    module = tabulate_codes(traced(case.kernel.fn, case.values, case.constants), get_target("pvc"))
    verify(module)
    return len(module.find(tables.Choose))


@pytest.mark.parametrize("form", TABULATED)
def test_a_table_is_found(form):
    assert found(form) == 1


@pytest.mark.parametrize("form", KEPT)
def test_what_is_no_short_table_stays(form):
    assert found(form) == 0


@pytest.mark.every(3)
@pytest.mark.parametrize("form", ALL)
def test_every_level_gives_the_same(form):
    launch(form).alike_at_levels("Out")
