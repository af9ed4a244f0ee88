"""Gathers and scatters whose offsets are a tile's: forms in which people write them, masks, edges; which become tiles, and which must not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from tests.parity.run import uncompiled

M, N = 43, 88
Form = Callable[[Any, Any, Any, Any, Any], tuple[Any, Any]]


def inside(A, r, c):
    return (r < A.shape[0]) & (c < A.shape[1])


FORMS: dict[str, Form] = {
    "by rows": lambda A, m, n, i, j: ((m + i) * A.stride(0) + n + j, inside(A, m + i, n + j)),
    "the base apart": lambda A, m, n, i, j: (m * A.stride(0) + n + (i * A.stride(0) + j), inside(A, i + m, j + n)),
    "turned around": lambda A, m, n, i, j: (j + (n + A.stride(0) * (i + m)), (A.shape[1] > n + j) & (A.shape[0] > m + i)),
    "in i64": lambda A, m, n, i, j: (
        (m + i).to(xt.i64) * A.stride(0).to(xt.i64) + (n + j).to(xt.i64),
        ((m + i).to(xt.i64) < A.shape[0].to(xt.i64)) & ((n + j).to(xt.i64) < A.shape[1].to(xt.i64)),
    ),
    "at most": lambda A, m, n, i, j: ((m + i) * A.stride(0) + n + j, (m + i <= A.shape[0] - 1) & (n + j + 1 <= A.shape[1])),
    "what is left": lambda A, m, n, i, j: ((m + i) * A.stride(0) + n + j, (i < A.shape[0] - m) & (j < A.shape[1] - n)),
    "from zero": lambda A, m, n, i, j: (
        (m + i) * A.stride(0) + n + j,
        (m + i >= 0) & (m + i < A.shape[0]) & (n + j >= 0) & (n + j < A.shape[1]),
    ),
}


@xt.jit
def copied(X, Y, FORM: xt.constexpr, BM: xt.constexpr = 16, BN: xt.constexpr = 32):
    """Y = 2 * X."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    i, j = xt.arange(BM)[:, None], xt.arange(BN)[None, :]
    places, mask = FORM(X, m, n, i, j)
    x = xt.load_gather(xt.init_tile(X, places), mask)
    places, mask = FORM(Y, m, n, i, j)
    xt.store_scatter(x * 2, xt.init_tile(Y, places), mask)


def numbers(dtype: Any, *shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0 if dtype is np.uint8 else -4, 5, shape).astype(dtype)


def launch(form: Form, dtype: Any = np.float32, columns: int = N) -> Launch:
    x = numbers(dtype, M, columns)
    grid = (-(-columns // 32), 3)
    return Launch(copied, {"X": x, "Y": np.zeros_like(x)}, {"Y": x * 2}, grid, {"FORM": form}, 4)


@pytest.mark.every(16)
@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16, np.int8, np.uint8, np.float64, np.int32])
@pytest.mark.parametrize("name", FORMS)
def test_tiles_are_copied(device, name, dtype):
    launch(FORMS[name], dtype).on_device(device)


@pytest.mark.every(4)
@pytest.mark.parametrize("columns", [87, 70, 33, 1])
@pytest.mark.parametrize("name", ["by rows", "what is left"])
def test_rows_of_any_length(device, name, columns):
    launch(FORMS[name], np.float16, columns).on_device(device)


@pytest.mark.every(4)
@pytest.mark.parametrize("target", ["bmg", "dg2"])
@pytest.mark.parametrize("name", FORMS)
def test_levels_agree(name, target):
    launch(FORMS[name]).at_levels(target)


def layout_of(kernel: Any, *types: str, target: str = "pvc", **options: Any) -> str:
    return uncompiled(kernel, *types, target=target, **options).ir["layout"]


def is_tile(text: str) -> bool:
    """Whether nothing is accessed but tiles."""
    return not any(name in text for name in ("gather", "scatter", "_rows"))


F, H = "f32[?,?]", "f16[?,?]"


@pytest.mark.every(8)
@pytest.mark.parametrize("target", ["pvc", "bmg", "dg2"])
@pytest.mark.parametrize("name", FORMS)
def test_forms_are_tiles(name, target):
    for kind in (F, H, "i8[?,?]"):
        assert is_tile(layout_of(copied, kind, kind, target=target, FORM=FORMS[name]))


ASSUMED: dict[str, Form] = {
    "steps of the row's length": lambda A, m, n, i, j: ((m + i) * A.shape[1] + n + j, inside(A, m + i, n + j)),
    "another end": lambda A, m, n, i, j: ((m + i) * A.stride(0) + n + j, (m + i < A.shape[0]) & (n + j < A.shape[0])),
    "no end of columns": lambda A, m, n, i, j: ((m + i) * A.stride(0) + n + j, m + i < A.shape[0]),
    "a column in front": lambda A, m, n, i, j: ((m + i) * A.stride(0) + n + j - 1, inside(A, m + i, n + j - 1)),
}
"""Tiles where rows follow each other, of square matrices, and where launches reach no other row."""


@pytest.mark.parametrize("name", ASSUMED)
def test_tiles_of_arrays_of_which_something_is_assumed(name):
    assert is_tile(layout_of(copied, F, F, FORM=ASSUMED[name]))


@pytest.mark.every(4)
@pytest.mark.parametrize("columns", [43, 64, 88])
@pytest.mark.parametrize("name", ASSUMED)
def test_launches_look_at_what_is_assumed(device, name, columns):
    """Where rows are reached into, the next ones' elements are twice theirs, too; memory goes on in front of the arrays and behind them."""
    x, y = (surrounded(numbers(np.float16, M, columns) * factor) for factor in (1, 0))
    expected = 2 * x
    if name == "another end":
        expected[:, M:] = 0
    with xt.device(device):
        copied[3, 3](x, y, FORM=ASSUMED[name])
    np.testing.assert_array_equal(y, expected)


def surrounded(array: np.ndarray) -> np.ndarray:
    """A copy between other elements of the same memory."""
    whole = np.zeros(array.size + 128, array.dtype)
    whole[64:-64] = array.reshape(-1)
    return whole[64:-64].reshape(array.shape)


OTHERS: dict[str, Form] = {
    "every 17th row": lambda A, m, n, i, j: ((m + i) * 17 * A.stride(0) + n + j, inside(A, (m + i) * 17, n + j)),
    "every other column": lambda A, m, n, i, j: ((m + i) * A.stride(0) + n + 2 * j, inside(A, m + i, n + 2 * j)),
    "a diagonal": lambda A, m, n, i, j: ((m + i) * A.stride(0) + n + i + j, inside(A, m + i, n + i + j)),
    "in i32": lambda A, m, n, i, j: ((m + i).to(xt.i32) * A.stride(0).to(xt.i32) + (n + j).to(xt.i32), inside(A, m + i, n + j)),
}


@pytest.mark.every(3)
@pytest.mark.parametrize("name", OTHERS)
def test_others_are_not(name):
    text = layout_of(copied, F, F, FORM=OTHERS[name])
    assert not is_tile(text) and "load_tile" not in text


@xt.jit
def flat(X, Y, n, B: xt.constexpr = 64):
    """Y[:n] = X[:n] of matrices whose rows follow each other: no tile, whose rows would end."""
    i = xt.program_id(0) * B + xt.arange(B)
    xt.store_scatter(xt.load_gather(xt.init_tile(X, i), i < n), xt.init_tile(Y, i), i < X.shape[0] * X.shape[1])


@xt.jit
def windows(X, Y, W, B: xt.constexpr = 16):
    """Y[i] = X.flat[i : i + len(W)]: rows reach into the next ones."""
    i, j = xt.arange(B)[:, None], xt.arange(B)[None, :]
    x = xt.load_gather(xt.init_tile(X, i * X.stride(0) + j), (i < Y.shape[0]) & (j < W.shape[0]))
    xt.store_tile(x, xt.init_tile(Y, (0, 0), (B, B)))


def test_rows_that_go_on_are_no_tiles(device):
    x = numbers(np.float32, 20, 33)
    y = np.zeros_like(x)
    with xt.device(device):
        flat[11](x, y, x.size)
    np.testing.assert_array_equal(y, x)
    x, w, y = numbers(np.float32, 40, 2), np.zeros(9, np.float32), np.zeros((10, 9), np.float32)
    with xt.device(device):
        windows[1](x, y, w)
    np.testing.assert_array_equal(y, [x.reshape(-1)[2 * i : 2 * i + 9] for i in range(10)])


@xt.jit
def added(X, Y, Z, B: xt.constexpr = 256):
    """One mask for all, of the first array's length."""
    i = xt.program_id(0) * B + xt.arange(B)
    mask = i < X.shape[0]
    x, y = xt.load_gather(xt.init_tile(X, i), mask), xt.load_gather(xt.init_tile(Y, i), mask)
    xt.store_scatter(x + y, xt.init_tile(Z, i), mask)


@pytest.mark.every(8)
@pytest.mark.parametrize("dtypes", [(np.float32,) * 3, (np.float16,) * 3, (np.int8,) * 3, (np.float16, np.float32, np.float32)])
@pytest.mark.parametrize("length", [1024, 1000, 777, 3])
def test_vectors_up_to_the_shortest(device, length, dtypes):
    """What lies behind the mask's end is not written, though the other arrays go on."""
    x, y, z = (numbers(dtype, n, seed=i) for i, (dtype, n) in enumerate(zip(dtypes, (length, length + 64, length + 32))))
    expected = z.copy()
    expected[:length] = x.astype(y.dtype) + y[:length]
    with xt.device(device):
        added[4](x, y, z)
    np.testing.assert_array_equal(z, expected)


@pytest.mark.parametrize("target", ["pvc", "bmg", "dg2"])
def test_vectors_are_tiles(target):
    assert is_tile(layout_of(added, *["f32[?]"] * 3, target=target))


def test_vectors_are_lines():
    """Whole lines by 32 rows a message, as tiles are."""
    text = uncompiled(added, *["f32[?;lines]"] * 3, target="pvc", B=1024).ir["lane"]
    assert text.count("xegpu.load_nd") <= 8


@xt.jit
def counted(A, B, C, BM: xt.constexpr = 32, BN: xt.constexpr = 32, BK: xt.constexpr = 32):
    """C = A @ B by places, as people who come from pointers write it."""
    m, n = xt.program_id(1) * BM + xt.arange(BM)[:, None], xt.program_id(0) * BN + xt.arange(BN)[None, :]
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        i, j = k + xt.arange(BK)[:, None], k + xt.arange(BK)[None, :]
        a = xt.load_gather(xt.init_tile(A, m * A.stride(0) + j), (m < A.shape[0]) & (j < A.shape[1]))
        b = xt.load_gather(xt.init_tile(B, i * B.stride(0) + n), (i < A.shape[1]) & (n < B.shape[1]))
        acc += a @ b
    xt.store_scatter(acc.to(C.dtype), xt.init_tile(C, m * C.stride(0) + n), (m < C.shape[0]) & (n < C.shape[1]))


@xt.jit
def carried(A, B, C, BM: xt.constexpr = 32, BN: xt.constexpr = 32, BK: xt.constexpr = 32):
    """The same by places that move on."""
    m, n = xt.program_id(1) * BM + xt.arange(BM)[:, None], xt.program_id(0) * BN + xt.arange(BN)[None, :]
    i, j = xt.arange(BK)[:, None], xt.arange(BK)[None, :]
    at, to, acc = m * A.stride(0) + j, i * B.stride(0) + n, xt.zeros((BM, BN), xt.f32)
    for k in range(xt.cdiv(A.shape[1], BK)):
        a = xt.load_gather(xt.init_tile(A, at), (m < A.shape[0]) & (j < A.shape[1] - k * BK))
        b = xt.load_gather(xt.init_tile(B, to), (i < B.shape[0] - k * BK) & (n < B.shape[1]))
        acc += a @ b
        at += BK
        to += BK * B.stride(0)
    xt.store_scatter(acc.to(C.dtype), xt.init_tile(C, m * C.stride(0) + n), (m < C.shape[0]) & (n < C.shape[1]))


PRODUCTS = {"counted": counted, "carried": carried}


@pytest.mark.every(4)
@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32])
@pytest.mark.parametrize("name", PRODUCTS)
def test_products(device, name, dtype):
    a, b = numbers(dtype, 40, 72), numbers(dtype, 72, 48, seed=1)
    c = np.zeros((40, 48), np.float32)
    with xt.device(device):
        PRODUCTS[name][2, 2](a, b, c)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


@pytest.mark.every(2)
@pytest.mark.parametrize("target", ["pvc", "dg2"])
@pytest.mark.parametrize("name", PRODUCTS)
def test_products_are_of_tiles(name, target):
    assert is_tile(layout_of(PRODUCTS[name], H, H, F, target=target))


@xt.jit
def attended(Q, K, S, B: xt.constexpr = 32):
    """S[z, h] = Q[z, h] @ K[z, h].T, whose rows are read as columns; of what is masked besides zeros are left."""
    z, h = xt.program_id(1), xt.program_id(0)
    i, j, d = xt.arange(B)[:, None], xt.arange(B)[None, :], xt.arange(B)
    q = z * Q.stride(0) + h * Q.stride(1)
    k = z * K.stride(0) + h * K.stride(1)
    left = xt.load_gather(xt.init_tile(Q, q + i * Q.stride(2) + d[None, :]), (i < Q.shape[2]) & (d[None, :] < Q.shape[3]))
    right = xt.load_gather(xt.init_tile(K, k + j * K.stride(2) + d[:, None]), (j < K.shape[2]) & (d[:, None] < K.shape[3]))
    there = xt.load_gather(xt.init_tile(S[z, h], i * S.stride(2) + j), (i < S.shape[2]) & (j < S.shape[3]) & (j <= i), padding=-1)
    out = (left @ right).to(xt.f32) + there
    xt.store_scatter(out, xt.init_tile(S[z, h], i * S.stride(2) + j), (i < S.shape[2]) & (j < S.shape[3]))


def test_matrices_and_columns(device):
    q, k = numbers(np.float16, 2, 3, 20, 32), numbers(np.float16, 2, 3, 24, 32, seed=1)
    s = numbers(np.float32, 2, 3, 20, 24, seed=2)
    below = np.arange(24) <= np.arange(20)[:, None]
    expected = q.astype(np.float32) @ k.astype(np.float32).swapaxes(2, 3) + np.where(below, s, -1)
    Launch(attended, {"Q": q, "K": k, "S": s}, {"S": expected}, (3, 2)).on_device(device)
    assert is_tile(layout_of(attended, *["f16[?,?,?,?]"] * 2, "f32[?,?,?,?]"))


@xt.jit
def heads(X, Y, B: xt.constexpr = 16):
    """Heads counted through all batches: an inner index alone, which goes on where the next batch begins."""
    h, i, j = xt.program_id(0), xt.arange(B)[:, None], xt.arange(B)[None, :]
    x = xt.load_gather(xt.init_tile(X, h * X.stride(1) + i * X.stride(2) + j), (i < X.shape[2]) & (j < X.shape[3]))
    xt.store_tile(x, xt.init_tile(Y[h], (0, 0), (B, B)))


def test_heads_of_all_batches(device):
    x = numbers(np.float32, 2, 3, 16, 16)
    y = np.zeros((6, 16, 16), np.float32)
    with xt.device(device):
        heads[6](x, y)
    np.testing.assert_array_equal(y, x.reshape(6, 16, 16))


@xt.jit
def columns(X, S, Y, BM: xt.constexpr = 16, BN: xt.constexpr = 32):
    """Y = X * S by rows, S of one dimension; Y is read before it is written, in place."""
    m, n = xt.program_id(1) * BM + xt.arange(BM), xt.program_id(0) * BN + xt.arange(BN)
    s = xt.load_gather(xt.init_tile(S, m[:, None]), m[:, None] < X.shape[0])
    at, mask = m[:, None] * Y.stride(0) + n[None, :], inside(Y, m[:, None], n[None, :])
    x = xt.load_gather(xt.init_tile(X, m[:, None] * X.stride(0) + n[None, :]), inside(X, m[:, None], n[None, :]))
    xt.store_scatter(xt.load_gather(xt.init_tile(Y, at), mask) + x * s, xt.init_tile(Y, at), mask)


def test_columns_of_vectors_and_in_place(device):
    x, s, y = numbers(np.float32, M, N), numbers(np.float32, M, seed=1), numbers(np.float32, M, N, seed=2)
    Launch(columns, {"X": x, "S": s, "Y": y}, {"Y": y + x * s[:, None]}, (3, 3), num_subgroups=4).on_device(device)
    assert is_tile(layout_of(columns, F, "f32[?]", F, num_subgroups=4))


@xt.jit
def parts(X, At, Y, B: xt.constexpr = 32):
    """Y[p] = X from At[p] on, zeros where it is not."""
    i = xt.arange(B) + At[xt.program_id(0)]
    x = xt.load_gather(xt.init_tile(X, i), (i >= 0) & (i < X.shape[0]))
    xt.store_tile(x, xt.init_tile(Y[xt.program_id(0)], 0, B))


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_places_from_memory(device, dtype):
    """Of which some are not there: in front of the array and behind it, and so far away that 32 bits do not tell."""
    at = np.array([0, 5, -3, 60, 100, -100, 2**31 - 1, -(2**31), 2**30, 2**31 - 20], dtype)
    if dtype is np.int64:
        at[-4:] = 2**32 + 5, -(2**32) + 5, 2**33, 2**40 + 7
    x, y = np.arange(1, 79, dtype=np.float32), np.zeros((len(at), 32), np.float32)
    where = at.astype(object)[:, None] + np.arange(32)
    inside = ((where >= 0) & (where < len(x))).astype(bool)
    with xt.device(device):
        parts[len(at)](x, at, y)
    np.testing.assert_array_equal(y, np.where(inside, x[np.where(inside, where, 0).astype(int)], 0))


@xt.jit(grid=(1,))
def rows_by_places(X, S, Y):
    """Rows of X, those below the diagonal alone, and what a vector holds for each."""
    i, j = xt.arange(16)[:, None], xt.program_id(0) * 16 + xt.arange(16)[None, :]
    x = xt.load_gather(xt.init_tile(X, i * X.stride(0) + j), (i < X.shape[0]) & (j < X.shape[1]) & (j <= i))
    s = xt.load_gather(xt.init_tile(S, j), j < X.shape[1])
    xt.store_scatter(x * s, xt.init_tile(Y, i * Y.stride(0) + j), (i < X.shape[0]) & (j < Y.shape[1]))


def test_masks_choose_among_what_is_loaded(device):
    x, s, y = numbers(np.float32, 12, 14), numbers(np.float32, 20, seed=1), np.full((14, 16), 9, np.float32)
    expected = y.copy()
    expected[:12, :14] = np.where(np.arange(14) <= np.arange(12)[:, None], x, 0) * s[:14]
    expected[:12, 14:] = 0
    with xt.device(device):
        rows_by_places(x, s, y)
    np.testing.assert_array_equal(y, expected)


@xt.jit
def first_of(X, Y, B: xt.constexpr = 16):
    """Y[i] = X[2 * i + X's length], of which there is none."""
    i = 2 * xt.arange(B) + X.shape[0]
    xt.store_tile(xt.load_gather(xt.init_tile(X, i), i < X.shape[0], padding=3), xt.init_tile(Y, 0, B))


@pytest.mark.parametrize("length", [0, 5])
def test_nothing_is_gathered(device, length):
    x, y = np.ones(length, np.float32), np.zeros(16, np.float32)
    with xt.device(device):
        first_of[1](x, y)
    assert (y == 3).all()
