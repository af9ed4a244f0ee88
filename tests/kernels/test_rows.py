"""Gathers of whole rows: forms in which people write them, indices that mask rows out, edges; which come by block messages."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from tests.parity.run import uncompiled
from xetile import mlir
from xetile.ir.printer import print_op
from xetile.passes.block import loaded_rows

M, K, N = 40, 72, 48
Form = Callable[[Any, Any, Any], tuple[Any, Any]]


def ends(rows, columns, A):
    return (rows >= 0) & (rows < A.shape[0]) & (columns < A.shape[1])


FORMS: dict[str, Form] = {
    "ends": lambda A, r, c: (r * A.shape[1] + c, ends(r, c, A)),
    "by stride": lambda A, r, c: (r * A.stride(0) + c, ends(r, c, A)),
    "the column first": lambda A, r, c: (c + A.shape[1] * r, (A.shape[1] > c) & ((A.shape[0] > r) & (r >= 0))),
    "in i64": lambda A, r, c: (
        r.to(xt.i64) * A.shape[1].to(xt.i64) + c.to(xt.i64),
        (c.to(xt.i64) < A.shape[1].to(xt.i64)) & (r.to(xt.i64) >= 0) & (r.to(xt.i64) < A.shape[0].to(xt.i64)),
    ),
    "by stride, in i64": lambda A, r, c: (A.stride(0).to(xt.i64) * r.to(xt.i64) + c.to(xt.i64), ends(r, c, A)),
    "one row further": lambda A, r, c: ((r + 1) * A.shape[1] + c - A.shape[1], ends(r, c, A)),
    "columns from zero": lambda A, r, c: (r * A.shape[1] + c, (c >= 0) & ends(r, c, A)),
    "other rows": lambda A, r, c: ((r ^ 1) * A.shape[1] + c, ends(r ^ 1, c, A) & (r % 3 != 0)),
}


@xt.jit
def product(A, Rows, B, C, FORM: xt.constexpr, BM: xt.constexpr = 32, BN: xt.constexpr = 48, BK: xt.constexpr = 32):
    """C = A[Rows] @ B."""
    m = xt.program_id(0) * BM
    rows, acc = xt.load_tile(xt.init_tile(Rows, m, BM))[:, None], xt.zeros((BM, BN), C.dtype)
    for k in range(0, A.shape[1], BK):
        places, mask = FORM(A, rows, k + xt.arange(BK)[None, :])
        acc += xt.load_gather(xt.init_tile(A, places), mask) @ xt.load_tile(xt.init_tile(B, (k, 0), (BK, BN)))
    xt.store_tile(acc, xt.init_tile(C, (m, 0), (BM, BN)))


@xt.jit
def copy(A, Rows, Y, FORM: xt.constexpr, BM: xt.constexpr = 32, BN: xt.constexpr = 32):
    """Y = A[Rows] * 2: Rows is a column."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    places, mask = FORM(A, xt.load_tile(xt.init_tile(Rows, (m, 0), (BM, 1))), n + xt.arange(BN)[None, :])
    xt.store_tile(xt.load_gather(xt.init_tile(A, places), mask) * 2, xt.init_tile(Y, (m, n), (BM, BN)))


HOSTILE = [-1, M, -(2**31), 2**31 - 1, 2**30, -(2**30), 2**31 // K, -(2**31) // K, 2**32 // K % 2**31, M + 1]


def numbers(dtype: Any, columns: int = K) -> np.ndarray:
    return np.random.default_rng(0).integers(-4, 5, (M, columns)).astype(dtype)


def rows_of(count: int = 64) -> np.ndarray:
    """Rows of all kinds: there, there twice, and not there."""
    rows = np.random.default_rng(1).integers(0, M, count).astype(np.int32)
    rows[3 : 3 + 4 * len(HOSTILE) : 4] = HOSTILE
    return rows


def taken(a: np.ndarray, rows: np.ndarray, name: str) -> np.ndarray:
    """The rows, those that are not there as zeros."""
    wanted = rows ^ 1 if name == "other rows" else rows
    there = (wanted >= 0) & (wanted < len(a))
    if name == "other rows":
        there &= rows % 3 != 0
    return np.where(there[:, None], a[np.where(there, wanted, 0)], 0)


@pytest.mark.every(12)
@pytest.mark.parametrize("name", FORMS)
def test_products_of_rows(device, name):
    a, b, rows = numbers(np.float16), np.random.default_rng(2).integers(-4, 5, (K, N)).astype(np.float16), rows_of()
    c = np.zeros((len(rows), N), np.float32)
    with xt.device(device):
        product[2, 1](a, rows, b, c, FORMS[name])
    np.testing.assert_array_equal(c, taken(a, rows, name).astype(np.float32) @ b.astype(np.float32))


@pytest.mark.every(4)
@pytest.mark.parametrize(
    "kinds", [(np.int8, np.int32), (np.uint8, np.int32), (ml_dtypes.bfloat16, np.float32), (np.float32, np.float32)]
)
def test_products_of_rows_of_other_types(device, kinds):
    """Four rows of bytes share a lane's word in the operand; those of f32 are multiplied and added."""
    narrow, wide = kinds
    a, b, rows = np.abs(numbers(narrow, 80)), np.random.default_rng(2).integers(0, 5, (80, N)).astype(narrow), rows_of()
    c = np.zeros((len(rows), N), wide)
    with xt.device(device):
        product[2, 1](a, rows, b, c, FORMS["ends"], BK=64)
    np.testing.assert_array_equal(c, taken(a, rows, "ends").astype(wide) @ b.astype(wide))


@pytest.mark.every(3)
@pytest.mark.parametrize("kinds", [(np.float16, np.float32, 16), (np.int8, np.int32, 32), (np.float32, np.float32, 16)])
def test_products_of_rows_in_narrow_steps(device, kinds):
    """IGC takes a row's part for one number where a lane has 16 bits of it: such steps are gathered."""
    narrow, wide, step = kinds
    a, b, rows = np.abs(numbers(narrow, 80)), np.random.default_rng(2).integers(0, 5, (80, 64)).astype(narrow), rows_of()
    c = np.zeros((len(rows), 64), wide)
    with xt.device(device):
        product[2, 1](a, rows, b, c, FORMS["ends"], BN=64, BK=step)
    np.testing.assert_array_equal(c, taken(a, rows, "ends").astype(wide) @ b.astype(wide))


@pytest.mark.every(36)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int32])
@pytest.mark.parametrize("name", FORMS)
def test_copies_of_rows(device, name, dtype):
    a, rows = numbers(dtype), rows_of()
    y = np.zeros((len(rows), K), dtype)
    with xt.device(device):
        copy[3, 2](a, rows[:, None].copy(), y, FORMS[name])
    np.testing.assert_array_equal(y, taken(a, rows, name) * 2)


def test_rows_of_a_part_of_an_array(device):
    """Its rows lie further apart than they are long, and what lies between is not theirs."""
    whole, rows = np.full((M, 128), 9, np.float16), rows_of()
    whole[:, :K] = numbers(np.float16)
    y = np.zeros((len(rows), K), np.float16)
    with xt.device(device):
        copy[3, 2](whole[:, :K], rows[:, None].copy(), y, FORMS["by stride"])
    np.testing.assert_array_equal(y, taken(whole[:, :K], rows, "by stride") * 2)


@pytest.mark.every(3)
@pytest.mark.parametrize("columns", [70, 66, 50])
def test_rows_that_begin_anywhere(device, columns):
    """Of even length: rows begin at words, and at no line; the array's own rows follow each other closely."""
    a, rows = np.random.default_rng(0).integers(-4, 5, (M, columns)).astype(np.float16), rows_of()
    y = np.zeros((len(rows), columns), np.float16)
    with xt.device(device):
        copy[3, 2](a, rows[:, None].copy(), y, FORMS["ends"])
    np.testing.assert_array_equal(y, taken(a, rows, "ends") * 2)


@xt.jit
def flat(A, Rows, Y, LENGTH: xt.constexpr, AHEAD: xt.constexpr = 0, BM: xt.constexpr = 32, BN: xt.constexpr = 64):
    """Y = rows of LENGTH elements of one after the other, from AHEAD on."""
    m = xt.program_id(0) * BM
    rows, c = xt.load_tile(xt.init_tile(Rows, m, BM))[:, None], xt.arange(BN)[None, :]
    places = rows * LENGTH + (c + AHEAD)
    xt.store_tile(xt.load_gather(xt.init_tile(A, places), (c < LENGTH) & (rows >= 0)), xt.init_tile(Y, (m, 0), (BM, BN)))


@pytest.mark.every(4)
@pytest.mark.parametrize(("length", "ahead"), [(50, 0), (34, 2), (46, -46), (64, 64)])
def test_rows_of_memory_without_rows(device, length, ahead):
    """They begin at any word of a line: in front of the first, and behind it, where the array goes on."""
    a, rows = np.arange(64 * 30, dtype=np.float16), np.random.default_rng(3).integers(1, 20, 64).astype(np.int32)
    rows[::5] = [-1, -(2**31)] * 6 + [-7]
    y = np.zeros((64, 64), np.float16)
    with xt.device(device):
        flat[2](a, rows, y, length, ahead)
    c = np.arange(64)
    there = (rows[:, None] >= 0) & (c < length)
    np.testing.assert_array_equal(y, np.where(there, a[np.where(there, rows[:, None] * length + c + ahead, 0)], 0))


@xt.jit
def endless(A, Rows, B, C, COUNT: xt.constexpr = False, BM: xt.constexpr = 32, BN: xt.constexpr = 48, BK: xt.constexpr = 32):
    """C = A[Rows] @ B, where all rows are there and as long as all steps."""
    rows, acc = xt.load_tile(xt.init_tile(Rows, 0, BM))[:, None], xt.zeros((BM, BN), xt.f32)
    for i in range(0, xt.cdiv(A.shape[1], BK) if COUNT else A.shape[1], 1 if COUNT else BK):
        k = i * BK if COUNT else i
        a = xt.load_gather(xt.init_tile(A, rows * A.shape[1] + (k + xt.arange(BK)[None, :])))
        acc += a @ xt.load_tile(xt.init_tile(B, (k, 0), (BK, BN)))
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (BM, BN)))


@pytest.mark.every(2)
@pytest.mark.parametrize("count", [False, True])
def test_rows_without_masks(device, count):
    a, b = numbers(np.float16, 96), np.random.default_rng(2).integers(-4, 5, (96, N)).astype(np.float16)
    rows, c = np.random.default_rng(4).integers(0, M, 32).astype(np.int32), np.zeros((32, N), np.float32)
    with xt.device(device):
        endless[1](a, rows, b, c, count)
    np.testing.assert_array_equal(c, a[rows].astype(np.float32) @ b.astype(np.float32))


def test_steps_that_reach_into_the_next_row(device):
    """Without a mask the elements behind a row are those of the next one."""
    a, rows = numbers(np.float16), np.random.default_rng(4).integers(0, M - 1, 32).astype(np.int32)
    b, c = np.zeros((128, N), np.float16), np.zeros((32, N), np.float32)
    b[:96] = np.random.default_rng(2).integers(-4, 5, (96, N))
    with xt.device(device):
        endless[1](a, rows, b, c)
    np.testing.assert_array_equal(c, np.hstack([a[rows], a[rows + 1, :24]]).astype(np.float32) @ b[:96].astype(np.float32))


def launch_of_copy(name: str = "ends") -> Launch:
    a, rows = numbers(np.float16), rows_of()
    values = {"A": a, "Rows": rows[:, None].copy(), "Y": np.zeros((len(rows), K), np.float16)}
    return Launch(copy, values, {"Y": taken(a, rows, name) * 2}, (3, 2), {"FORM": FORMS[name]}, 4)


@pytest.mark.every(3)
@pytest.mark.parametrize("name", FORMS)
def test_levels_agree(name):
    launch_of_copy(name).at_levels("bmg")


def test_rows_that_no_messages_bring_are_gathered(monkeypatch):
    """Whatever part of a tile subgroups have."""
    monkeypatch.setattr(loaded_rows, "row_messages", lambda *_: None)
    launch = launch_of_copy()
    text = launch.compiled("bmg").ir
    assert "load_rows" in text["subgroup"] and "load_gather" in text["blocked"]
    launch.at_levels("bmg")


F = "f16[?,?]"


def by_rows(kernel: Any, *types: str, target: str = "pvc", **options: Any) -> bool:
    """Whether all gathers of a kernel are of rows."""
    text = uncompiled(kernel, *types, target=target, **options).ir["layout"]
    assert ("load_rows" in text) != ("load_gather" in text)
    return "load_rows" in text


@pytest.mark.every(24)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize("name", FORMS)
def test_forms_are_rows(name, target):
    assert by_rows(product, F, "i32[?]", F, "f32[?,?]", target=target, FORM=FORMS[name])
    assert by_rows(product, "i8[?,?]", "i32[?]", "i8[?,?]", "i32[?,?]", target=target, FORM=FORMS[name], BK=64)
    assert by_rows(copy, F, "i32[?,?]", F, target=target, FORM=FORMS[name])
    assert by_rows(copy, "f32[?,?]", "i32[?,?]", "f32[?,?]", target=target, FORM=FORMS[name])


@pytest.mark.parametrize("count", [False, True])
def test_rows_without_masks_are_rows(count):
    assert by_rows(endless, F, "i32[?]", F, "f32[?,?]", COUNT=count)


@xt.jit
def far(A, Rows, B, C, n, STEP: xt.constexpr, BK: xt.constexpr = 32):
    """The same by steps that nobody knows the end of, or each by rows of its own."""
    acc, first = xt.zeros((32, 48), xt.f32), xt.load_tile(xt.init_tile(Rows, 0, 32))[:, None]
    for k in range(0, n, BK):
        rows = xt.load_tile(xt.init_tile(Rows, k, 32))[:, None] if STEP else first
        a = xt.load_gather(xt.init_tile(A, rows * A.shape[1] + (k * (1 - STEP) + xt.arange(BK)[None, :])))
        acc += a @ xt.load_tile(xt.init_tile(B, (k, 0), (BK, 48)))
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (32, 48)))


@pytest.mark.every(2)
@pytest.mark.parametrize("step", [0, 1])
def test_steps_of_which_nobody_knows_the_end(device, step):
    a, b = numbers(np.float16, 96), np.random.default_rng(2).integers(-4, 5, (96, N)).astype(np.float16)
    rows, c = np.random.default_rng(4).integers(0, M, 96).astype(np.int32), np.zeros((32, N), np.float32)
    with xt.device(device):
        far[1](a, rows, b, c, 96, step)
    taken = np.hstack([a[rows[k : k + 32], :32] for k in (0, 32, 64)]) if step else a[rows[:32]]
    np.testing.assert_array_equal(c, taken.astype(np.float32) @ b.astype(np.float32))
    assert by_rows(far, F, "i32[?]", F, "f32[?,?]", "i32", STEP=step) == bool(step)


@xt.jit
def of_matrices(A, Rows, Y, BM: xt.constexpr = 32, BN: xt.constexpr = 128):
    """Y[z] = A[z, Rows]."""
    z = xt.program_id(0)
    rows, columns = xt.load_tile(xt.init_tile(Rows, 0, BM))[:, None], xt.arange(BN)[None, :]
    places, mask = FORMS["by stride"](A[z], rows, columns)
    xt.store_tile(xt.load_gather(xt.init_tile(A[z], places), mask), xt.init_tile(Y[z], (0, 0), (BM, BN)))


def test_rows_of_matrices(device):
    a, rows = np.stack([numbers(np.float16, 96), 2 * numbers(np.float16, 96)]), rows_of()[:32].copy()
    y = np.zeros((2, 32, 96), np.float16)
    with xt.device(device):
        of_matrices[2](a, rows, y)
    np.testing.assert_array_equal(y, [taken(part, rows, "ends") for part in a])
    assert by_rows(of_matrices, "f16[?,?,?]", "i32[?]", "f16[?,?,?]")


@xt.jit
def second(A, B, Rows, C, BM: xt.constexpr = 32, BN: xt.constexpr = 64, BK: xt.constexpr = 32):
    """C = A @ B[Rows], rows of each step by their numbers."""
    n, acc = xt.program_id(0) * BN, xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        places, mask = FORMS["by stride"](B, xt.load_tile(xt.init_tile(Rows, k, BK))[:, None], n + xt.arange(BN)[None, :])
        acc += xt.load_tile(xt.init_tile(A, (0, k), (BM, BK))) @ xt.load_gather(xt.init_tile(B, places), mask)
    xt.store_tile(acc, xt.init_tile(C, (0, n), (BM, BN)))


def test_rows_of_second_operands(device):
    a, b, rows = np.random.default_rng(5).integers(-4, 5, (32, 64)).astype(np.float16), numbers(np.float16), rows_of()
    c = np.zeros((32, K), np.float32)
    with xt.device(device):
        second[2](a, b, rows, c)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ taken(b, rows, "by stride").astype(np.float32))


def test_rows_of_an_array_have_one_surface():
    """Where rows are others in each step, all that changes of a message is its row and its column."""
    text = uncompiled(second, F, F, "i32[?]", "f32[?,?]", target="pvc").ir
    assert re.search(r"load_rows .* by %B_s0 of %B_d0", text["layout"])
    loop = text["lane"][text["lane"].index("scf.for") : text["lane"].index("scf.yield")]
    assert loop.count("xegpu.load_nd") > 16 and "create_nd_tdesc" not in loop


def test_text_of_rows_is_read():
    for kernel, types, constants in ((second, (F, F, "i32[?]", "f32[?,?]"), {}),
                                     (product, (F, "i32[?]", F, "f32[?,?]"), {"FORM": FORMS["ends"]}),
                                     (endless, (F, "i32[?]", F, "f32[?,?]"), {})):  # fmt: skip
        for level in ("layout", "subgroup", "blocked"):
            text = uncompiled(kernel, *types, target="pvc", **constants).ir[level]
            assert "load_rows" in text
            assert print_op(mlir.parse(text)).strip() == text.strip()


OTHERS: dict[str, Form] = {
    "every other column": lambda A, r, c: (r * A.shape[1] + 2 * c, (r >= 0) & (2 * c < A.shape[1])),
    "one column further": lambda A, r, c: (r * A.shape[1] + c + 1, ends(r, c, A)),
    "to another end": lambda A, r, c: (r * A.shape[1] + c, (r >= 0) & (c < A.shape[0])),
    "nearly to the end": lambda A, r, c: (r * A.shape[1] + c, (r >= 0) & (c + 1 < A.shape[1])),
    "to two ends": lambda A, r, c: (r * A.shape[1] + c, (r >= 0) & (c < A.shape[1]) & (c < 64)),
    "not from zero": lambda A, r, c: (r * A.shape[1] + c - 32, (c - 32 < A.shape[1]) & (r >= 0)),
    "a triangle": lambda A, r, c: (r * A.shape[1] + c, ends(r, c, A) & (c < r)),
    "by rows of odd length": lambda A, r, c: (r * 33 + c, ends(r, c, A)),
    "columns moved by rows": lambda A, r, c: (r * A.shape[1] + c + r, ends(r, c, A)),
    "wrapped columns": lambda A, r, c: (r * A.shape[1] + (c & 31), ends(r, c, A)),
}


@pytest.mark.every(18)
@pytest.mark.parametrize("name", OTHERS)
def test_other_gathers_are_not(name):
    assert not by_rows(product, F, "i32[?]", F, "f32[?,?]", FORM=OTHERS[name])


@pytest.mark.every(3)
@pytest.mark.parametrize(("kind", "step"), [("f16", 16), ("f16", 48), ("i8", 32)])
def test_narrow_steps_are_not(kind, step):
    types = (f"{kind}[?,?]", "i32[?]", f"{kind}[?,?]", "i32[?,?]" if kind == "i8" else "f32[?,?]")
    assert not by_rows(product, *types, FORM=FORMS["ends"], BK=step)


def test_arrays_that_break_the_rules_are_not():
    assert not by_rows(product, "f16[?,?;scattered]", "i32[?]", F, "f32[?,?]", FORM=FORMS["ends"])
    assert not by_rows(product, "f16[?,?;F]", "i32[?]", F, "f32[?,?]", FORM=FORMS["ends"])
    assert not by_rows(product, F, "i32[?]", F, "f32[?,?]", target="dg2", FORM=FORMS["ends"])


def test_rows_begin_before_the_loop():
    """In each step all that changes of a message is its column."""
    text = uncompiled(product, F, "i32[?]", F, "f32[?,?]", target="pvc", FORM=FORMS["ends"]).ir["lane"]
    loop = text[text.index("scf.for") : text.index("scf.yield")]
    assert loop.count("xegpu.load_nd") > 16
    assert not {op for op in ("create_nd_tdesc", "gpu.shuffle", "xegpu.load ") if op in loop}


@pytest.mark.every(4)
@pytest.mark.parametrize("rows", [12, 20, 3])
def test_tiles_of_any_number_of_rows(device, rows):
    """Their padding is not there, as other rows are not."""
    a, places = numbers(np.float32), rows_of()
    y = np.zeros((len(places), K), np.float32)
    with xt.device(device):
        copy[3, -(-len(places) // rows)](a, places[:, None].copy(), y, FORMS["ends"], BM=rows)
    np.testing.assert_array_equal(y, taken(a, places, "ends") * 2)
    assert by_rows(copy, "f32[?,?]", "i32[?,?]", "f32[?,?]", FORM=FORMS["ends"], BM=rows)
