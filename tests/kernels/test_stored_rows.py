"""Scatters of whole rows: forms in which people write them, rows that are not there, edges; which go by block messages."""

from __future__ import annotations

import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import xetile as xt
from tests.kernels.test_rows import FORMS, HOSTILE, K, M, numbers
from tests.ops.run import Launch
from tests.parity.run import uncompiled
from xetile import mlir
from xetile.ir.printer import print_op
from xetile.passes.block import loaded_rows

N = 64


@xt.jit
def put(X, Rows, A, FORM: xt.constexpr, BM: xt.constexpr = 32, BN: xt.constexpr = 32):
    """A[Rows] = X * 2."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    rows = xt.load_tile(xt.init_tile(Rows, m, BM))[:, None]
    places, mask = FORM(A, rows, n + xt.arange(BN)[None, :])
    x = xt.load_tile(xt.init_tile(X, (m, n), (BM, BN)))
    xt.store_scatter(x * 2, xt.init_tile(A, places), mask & (m + xt.arange(BM)[:, None] < X.shape[0]))


def rows_of(count: int = N) -> np.ndarray:
    """Each row at most once, as of two that go to one place either may stay; some that are not there."""
    rows = np.full(count, -1, np.int32)
    rows[:M] = np.random.default_rng(1).permutation(M)
    rows = np.random.default_rng(2).permutation(rows)
    for place, hostile in zip(np.flatnonzero(rows < 0), HOSTILE):
        rows[place] = hostile
    return rows


def left(a: np.ndarray, rows: np.ndarray, x: np.ndarray, name: str) -> np.ndarray:
    """An array after its rows were stored."""
    wanted, after = rows ^ 1 if name == "other rows" else rows, a.copy()
    for row, place in enumerate(wanted):
        if 0 <= place < len(a) and (name != "other rows" or rows[row] % 3 != 0):
            after[place] = x[row]
    return after


def launch(name: str, dtype: Any, columns: int = K, whole: int | None = None) -> Launch:
    x = np.random.default_rng(3).integers(0 if dtype is np.uint8 else -4, 5, (N - 3, columns)).astype(dtype)
    room = np.full((M, whole or columns), 7).astype(dtype)
    a = room[:, :columns]
    a[...] = numbers(np.int32, columns).astype(dtype) if dtype is not np.uint8 else 3
    rows = rows_of()
    values = {"X": x, "Rows": rows, "A": a}
    grid = (-(-columns // 32), 2)
    return Launch(put, values, {"A": left(a, rows[: N - 3], x * 2, name)}, grid, {"FORM": FORMS[name]}, 4)


def check(made: Launch, device: str) -> None:
    """Run a launch on arrays that lie as they were made: forms that step by lengths of rows ask for that."""
    values = dict(made.values)
    with xt.device(device):
        made.kernel[made.grid](*values.values(), num_subgroups=made.num_subgroups, **made.constants)
    np.testing.assert_array_equal(values["A"], made.expected["A"])
    whole = values["A"].base
    if whole is not None:
        assert (whole[:, values["A"].shape[1] :] == 7).all()


@pytest.mark.every(12)
@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16, np.int32, np.int8, np.uint8, np.float64])
@pytest.mark.parametrize("name", FORMS)
def test_rows_go_where_they_belong(device, name, dtype):
    check(launch(name, dtype), device)


@pytest.mark.every(6)
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("columns", [70, 66, 50, 33])
def test_rows_that_begin_anywhere(device, columns, dtype):
    """What lies behind a row is the next one's."""
    check(launch("ends", dtype, columns), device)


@pytest.mark.every(2)
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_rows_of_a_part_of_an_array(device, dtype):
    check(launch("by stride", dtype, 72, 128), device)


@pytest.mark.every(3)
@pytest.mark.parametrize("name", FORMS)
def test_levels_agree(name):
    launch(name, np.float32).at_levels("bmg")


@pytest.mark.every(2)
@pytest.mark.parametrize("name", ["ends", "by stride"])
def test_rows_that_no_messages_store_are_scattered(monkeypatch, name):
    monkeypatch.setattr(loaded_rows, "store_messages", lambda *_: None)
    made = launch(name, np.float32)
    text = made.compiled("bmg").ir
    assert "store_rows" in text["subgroup"] and "store_scatter" in text["blocked"]
    made.at_levels("bmg")


@xt.jit
def reduced(X, Rows, A, BM: xt.constexpr = 32, BN: xt.constexpr = 64):
    """A[Rows] = a row's sum in all columns: subgroups that share a value store it once."""
    rows = xt.load_tile(xt.init_tile(Rows, 0, BM))[:, None]
    x = xt.sum(xt.load_tile(xt.init_tile(X, (0, 0), (BM, BN))), axis=1) + xt.zeros((BM, BN), xt.f32)
    places, mask = FORMS["ends"](A, rows, xt.arange(BN)[None, :])
    xt.store_scatter(x, xt.init_tile(A, places), mask)


def test_sums_of_rows(device):
    x, rows = np.random.default_rng(3).integers(-4, 5, (32, 64)).astype(np.float32), rows_of(M)[:32]
    a = np.zeros((M, 64), np.float32)
    expected = left(a, rows, np.repeat(x.sum(1, keepdims=True), 64, 1), "ends")
    made = Launch(reduced, {"X": x, "Rows": rows, "A": a}, {"A": expected}, num_subgroups=4)
    check(made, device)


@xt.jit
def products(X, B, Rows, A, BM: xt.constexpr = 32, BN: xt.constexpr = 64, BK: xt.constexpr = 32):
    """A[Rows] = X @ B, as a mixture of experts combines."""
    n, acc = xt.program_id(0) * BN, xt.zeros((BM, BN), xt.f32)
    for k in range(0, X.shape[1], BK):
        acc += xt.load_tile(xt.init_tile(X, (0, k), (BM, BK))) @ xt.load_tile(xt.init_tile(B, (k, n), (BK, BN)))
    places, mask = FORMS["by stride"](A, xt.load_tile(xt.init_tile(Rows, 0, BM))[:, None], n + xt.arange(BN)[None, :])
    xt.store_scatter(acc.to(A.dtype), xt.init_tile(A, places), mask)


@pytest.mark.every(4)
@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16])
def test_products(device, dtype):
    x, b = (np.random.default_rng(i).integers(-3, 4, shape).astype(np.float16) for i, shape in enumerate([(32, 64), (64, K)]))
    rows, a = rows_of(M)[:32], np.zeros((M, K), dtype)
    expected = left(a, rows, (x.astype(np.float32) @ b.astype(np.float32)).astype(dtype), "by stride")
    with xt.device(device):
        products[2](x, b, rows, a)
    np.testing.assert_array_equal(a, expected)


@xt.jit
def shuffled(X, From, To, A, BM: xt.constexpr = 32, BN: xt.constexpr = 80):
    """A[To] = A[From] behind it, of an array that is read and written: what is stored is what was loaded."""
    rows, c = xt.load_tile(xt.init_tile(From, 0, BM))[:, None], xt.arange(BN)[None, :]
    there = xt.load_tile(xt.init_tile(To, 0, BM))[:, None]
    x = xt.load_gather(xt.init_tile(A, rows * A.stride(0) + c), (rows >= 0) & (c < A.shape[1]))
    xt.store_scatter(x, xt.init_tile(A, there * A.stride(0) + c), (there >= 0) & (c < A.shape[1]))


def test_rows_change_places(device):
    a, order = numbers(np.float32), np.random.default_rng(5).permutation(M)[:32].astype(np.int32)
    to = np.random.default_rng(6).permutation(order)
    expected = a.copy()
    expected[to] = a[order]
    made = Launch(shuffled, {"X": a.copy(), "From": order, "To": to, "A": a}, {"A": expected}, num_subgroups=4)
    check(made, device)


F = "f32[?,?]"


def by_rows(kernel: Any, *types: str, target: str = "pvc", **options: Any) -> bool:
    """Whether all scatters of a kernel are of rows."""
    text = uncompiled(kernel, *types, target=target, **options).ir["layout"]
    assert ("store_rows" in text) != ("store_scatter" in text)
    return "store_rows" in text


@pytest.mark.every(8)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize("name", FORMS)
def test_forms_are_rows(name, target):
    for kind in ("f32[?,?]", "f16[?,?]"):
        assert by_rows(put, kind, "i32[?]", kind, target=target, FORM=FORMS[name])


def test_rows_of_an_array_have_one_surface():
    text = uncompiled(products, "f16[?,?]", "f16[?,?]", "i32[?]", F, target="pvc").ir
    assert re.search(r"store_rows .* by %A_s0 of %A_d0", text["layout"])


def test_other_scatters_are_not():
    """Bytes, and words of eight bytes; columns that no messages end; arrays that break the rules, targets without messages."""
    for kind in ("i8[?,?]", "f64[?,?]"):
        assert not by_rows(put, kind, "i32[?]", kind, FORM=FORMS["ends"])
    assert not by_rows(put, F, "i32[?]", F, FORM=FORMS["ends"], BN=40)
    assert not by_rows(put, F, "i32[?]", "f32[?,?;scattered]", FORM=FORMS["ends"])
    assert not by_rows(put, F, "i32[?]", F, target="dg2", FORM=FORMS["ends"])
    assert not by_rows(put, F, "i32[?]", F, FORM=lambda A, r, c: (r * A.shape[1] + c, (r >= 0) & (c < A.shape[1]) & (c < r)))
    half = "f16[?,?]"
    assert not by_rows(put, half, "i32[?]", half, FORM=lambda A, r, c: (r * A.shape[1] + c + r, (r >= 0) & (c < A.shape[1])))


@pytest.mark.parametrize("level", ["layout", "subgroup", "blocked"])
def test_text_of_rows_is_read(level):
    text = uncompiled(put, F, "i32[?]", F, target="pvc", FORM=FORMS["by stride"]).ir[level]
    assert "store_rows" in text and print_op(mlir.parse(text)).strip() == text.strip()


@pytest.mark.every(4)
@pytest.mark.parametrize("rows", [12, 20, 3])
def test_tiles_of_any_number_of_rows(device, rows):
    """Their padding is not there, as other rows are not."""
    made = launch("by stride", np.float32)
    options = {**made.constants, "BM": rows}
    check(Launch(put, made.values, made.expected, (made.grid[0], -(-N // rows)), options, 4), device)
    assert by_rows(put, F, "i32[?]", F, FORM=FORMS["by stride"], BM=rows)
