"""Kernels that need each part of the lowering to vectors, with what they give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

import xetile as xt


@dataclass(frozen=True)
class Case:
    """A kernel, its arrays (the last one is written), grid, constants, and numpy's result."""

    kernel: Any
    arrays: tuple[np.ndarray, ...]
    expected: np.ndarray
    grid: tuple[int, ...] = (1,)
    constants: tuple[tuple[str, Any], ...] = ()
    rtol: float = 1e-5


def numbers(*shape: int, dtype: Any = np.float32, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind in "iu":
        return rng.integers(-100, 100, shape).astype(dtype)
    return rng.uniform(-1, 1, shape).astype(dtype)


@xt.jit
def chain(A, B, C, M: xt.constexpr, N: xt.constexpr):
    place = (xt.program_id(1) * M, xt.program_id(0) * N)
    a, b = xt.load_tile(xt.init_tile(A, place, (M, N))), xt.load_tile(xt.init_tile(B, place, (M, N)), padding=3.0)
    xt.store_tile(xt.where(a < b, a * 2.0 + b, xt.maximum(a, b)), xt.init_tile(C, place, (M, N)))


@xt.jit
def row_softmax(A, B, M: xt.constexpr, N: xt.constexpr):
    m = xt.program_id(0) * M
    a = xt.load_tile(xt.init_tile(A, (m, 0), (M, N)), padding=float("-inf"))
    e = xt.exp(a - xt.max(a, 1))
    xt.store_tile(e / xt.sum(e, 1), xt.init_tile(B, (m, 0), (M, N)))


@xt.jit
def column_sums(A, B, M: xt.constexpr, N: xt.constexpr):
    n = xt.program_id(0) * N
    a = xt.load_tile(xt.init_tile(A, (0, n), (M, N)))
    xt.store_tile(xt.sum(a, 0) + xt.max(a, 0), xt.init_tile(B, (0, n), (1, N)))


@xt.jit
def product(A, B, C, BM: xt.constexpr, BN: xt.constexpr, BK: xt.constexpr):
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    a, b = xt.init_tile(A, (m, 0), (BM, BK)), xt.init_tile(B, (0, n), (BK, BN))
    acc = xt.zeros((BM, BN), xt.i32 if A.dtype in (xt.i8, xt.u8) else xt.f32)
    for _ in range(0, A.shape[1], BK):
        acc = xt.tile_mma(xt.load_tile(a), xt.load_tile(b), acc)
        a, b = xt.update_tile_offset(a, (0, BK)), xt.update_tile_offset(b, (BK, 0))
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit
def carried(A, B, N: xt.constexpr):
    """Two values change places in a loop, one is rematerialized in a branch of it."""
    x, y = xt.load_tile(xt.init_tile(A, 0, (N,))), xt.zeros((N,), xt.f32)
    for i in range(A.shape[0] // 8):
        if i % 2 == 0:
            x = x + 1.0
        else:
            x = x * xt.sum(x * 0.01)
        x, y = y + i, x
    xt.store_tile(x - 2.0 * y, xt.init_tile(B, 0, (N,)))


def carried_by_numpy(a: np.ndarray) -> np.ndarray:
    x, y = a.copy(), np.zeros_like(a)
    for i in range(a.size // 8):
        x = x + 1 if i % 2 == 0 else x * (x * np.float32(0.01)).sum()
        x, y = y + np.float32(i), x
    return x - 2 * y


@xt.jit
def turned(A, B, M: xt.constexpr, N: xt.constexpr):
    a = xt.load_tile(xt.init_tile(A, (0, 0), (M, N)))
    t = xt.tile_transpose(a)
    xt.store_tile(t + xt.cumsum(t, 1) * xt.arange(N)[:, None].to(xt.f32), xt.init_tile(B, (0, 0), (N, M)))


@xt.jit
def scattered(A, B, N: xt.constexpr):
    i = xt.arange(N)
    odd = i % 2 == 1
    found = xt.load_gather(xt.init_tile(A, (N - 1 - i) * 2), odd, padding=-1)
    xt.store_scatter(found, xt.init_tile(B, i * 3), i != 4)
    xt.atomic_rmw_tile("add", found * 0 + 5, xt.init_tile(B, i // 2), odd)


def scattered_by_numpy(a: np.ndarray, b: np.ndarray, n: int) -> np.ndarray:
    i, out = np.arange(n), b.copy()
    found = np.where(i % 2 == 1, a[(n - 1 - i) * 2], -1)
    out[(i * 3)[i != 4]] = found[i != 4]
    np.add.at(out, (i // 2)[i % 2 == 1], 5)
    return out


@xt.jit
def shared(A, B, N: xt.constexpr):
    slm = xt.alloc_slm((N, N), xt.f16)
    xt.store_tile(xt.load_tile(xt.init_tile(A, (0, 0), (N, N))), xt.init_tile(slm, (0, 0), (N, N)))
    xt.barrier()
    half = xt.load_tile(xt.init_tile(slm, (N // 2, 0), (N // 2, N)))
    xt.store_tile(half, xt.init_tile(slm, (0, 0), (N // 2, N)))
    xt.store_tile(xt.load_tile(xt.init_tile(slm, (0, 0), (N, N))), xt.init_tile(B, (0, 0), (N, N)))


@xt.jit
def moved_in_place(A, B, N: xt.constexpr):
    """Loads and stores of one array keep their order, wherever the tiles overlap."""
    x = xt.load_tile(xt.init_tile(A, (0, 0), (N, N)))
    xt.store_tile(x * 2.0, xt.init_tile(A, (1, 1), (N, N)))
    y = xt.load_tile(xt.init_tile(A, (0, 1), (N, N)))
    xt.store_tile(y + x, xt.init_tile(A, (0, 0), (N, N)))
    xt.store_tile(xt.load_tile(xt.init_tile(A, (1, 0), (N, N))), xt.init_tile(B, (0, 0), (N, N)))


def moved_in_place_by_numpy(a: np.ndarray, n: int) -> np.ndarray:
    a = a.copy()
    x = a[:n, :n].copy()
    a[1 : n + 1, 1 : n + 1] = x * 2
    a[:n, :n] = a[:n, 1 : n + 1] + x
    return a[1 : n + 1, :n]


@xt.jit
def running(A, B, N: xt.constexpr):
    """Values that loops carry are read after the new ones are known."""
    first = xt.load_tile(xt.init_tile(A, (0, 0), (N, N)))
    most, acc = xt.max(first, 1), xt.zeros((N, N), xt.f32)
    for i in range(1, A.shape[0] - N):
        x = xt.load_tile(xt.init_tile(A, (i, 0), (N, N)))
        new = xt.maximum(most, xt.max(x, 1))
        acc = acc * (most - new) + x
        most = new
    xt.store_tile(acc + most, xt.init_tile(B, (0, 0), (N, N)))


def running_by_numpy(a: np.ndarray, n: int) -> np.ndarray:
    most, acc = a[:n, :n].max(1, keepdims=True), np.zeros((n, n), np.float32)
    for i in range(1, a.shape[0] - n):
        x = a[i : i + n, :n]
        new = np.maximum(most, x.max(1, keepdims=True))
        acc, most = acc * (most - new) + x, new
    return acc + most


@xt.jit
def chosen(A, B, N: xt.constexpr):
    """A tile that is made, and one that is moved, in a branch."""
    p = xt.program_id(0)
    if p % 2 == 0:
        tile = xt.init_tile(A, (p, 3), (N, N))
        more = 1.0
    else:
        tile = xt.update_tile_offset(xt.init_tile(A, (0, 0), (N, N)), (p, p))
        more = 2.0
    xt.store_tile(xt.load_tile(tile) + more, xt.init_tile(B, (p * N, 0), (N, N)))


def chosen_by_numpy(a: np.ndarray, n: int) -> np.ndarray:
    a = np.pad(a, ((0, n), (0, n)))
    return np.concatenate([a[:n, 3 : n + 3] + 1, a[1 : n + 1, 1 : n + 1] + 2, a[2 : n + 2, 3 : n + 3] + 1])


@xt.jit
def relaid(A, B, N: xt.constexpr):
    """A layout that is changed: the value stays, and stays apart from what becomes of its source."""
    x = xt.load_tile(xt.init_tile(A, (0, 0), (N, N)))
    y = xt.tile_conv_layout(x + 1.0, wg_map=xt.wg_map((1, 1), (N, N)))
    z = x + 1.0
    for i in range(3):
        z = z * y + i
    xt.store_tile(z + y, xt.init_tile(B, (0, 0), (N, N)))


def relaid_by_numpy(a: np.ndarray) -> np.ndarray:
    y, z = a + 1, a + 1
    for i in range(3):
        z = z * y + i
    return z + y


def _softmax(a: np.ndarray) -> np.ndarray:
    e = np.exp(a - a.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def _chain(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.where(a < b, a * 2 + b, np.maximum(a, b))


def _products() -> dict[str, Callable[[], Case]]:
    def make(m: int, n: int, k: int, dtype: Any, turn: str = "", blocks: tuple[int, int, int] = (16, 40, 8)) -> Case:
        a, b = numbers(m, k, dtype=dtype, seed=1), numbers(k, n, dtype=dtype, seed=2)
        wide = np.int32 if dtype in (np.int8, np.uint8) else np.float32
        expected = a.astype(wide) @ b.astype(wide)
        a = np.asfortranarray(a) if "a" in turn else a
        b = np.asfortranarray(b) if "b" in turn else b
        constants = tuple(zip(("BM", "BN", "BK"), blocks))
        grid = (-(-n // blocks[1]), -(-m // blocks[0]))
        return Case(product, (a, b, np.zeros((m, n), wide)), expected, grid, constants, 1e-3)

    return {
        "product": lambda: make(16, 40, 16, np.float32),
        "ragged product": lambda: make(29, 45, 21, np.float32),
        "turned product": lambda: make(20, 35, 9, np.float32, "ab"),
        "turned in blocks": lambda: make(40, 48, 33, np.float32, "ab", (32, 32, 16)),
        "half product": lambda: make(20, 35, 17, np.float16),
        "byte product": lambda: make(20, 35, 17, np.int8),
        "pairs of bytes": lambda: make(20, 72, 40, np.int8, "", (16, 56, 8)),
        "bytes by fours": lambda: make(20, 72, 90, np.int8, "", (16, 56, 80)),
        "unsigned bytes by fours": lambda: make(20, 35, 40, np.uint8, "a", (16, 56, 16)),
        "pairs of bf16": lambda: make(20, 72, 40, ml_dtypes.bfloat16, "b", (16, 56, 16)),
        "bf16 for AMX": lambda: make(70, 75, 100, ml_dtypes.bfloat16, "", (48, 48, 64)),
        "packed rows of bf16 for AMX": lambda: make(70, 140, 50, ml_dtypes.bfloat16, "", (64, 128, 32)),
        "packed rows of bytes for AMX": lambda: make(150, 140, 70, np.int8, "", (160, 128, 64)),
        "bytes for AMX": lambda: make(30, 40, 130, np.int8, "b", (32, 48, 64)),
        "unsigned bytes for AMX": lambda: make(30, 40, 130, np.uint8, "b", (32, 48, 64)),
        "one row": lambda: make(1, 75, 21, np.float32, blocks=(1, 40, 8)),
        "few rows": lambda: make(7, 300, 21, np.float32, blocks=(4, 272, 8)),
        "few transposed rows": lambda: make(3, 40, 40, np.float32, "ab", (4, 32, 16)),
        "few rows by columns": lambda: make(3, 70, 41, np.float32, "b", (4, 32, 32)),
        "few rows by columns of bf16": lambda: make(2, 40, 71, ml_dtypes.bfloat16, "b", (2, 32, 64)),
        "few rows by columns of f16": lambda: make(1, 50, 41, np.float16, "b", (1, 64, 32)),
        "tall product": lambda: make(27, 3, 9, np.float32, blocks=(27, 4, 16)),
    }


@xt.jit
def by_columns(A, B, C, M: xt.constexpr, N: xt.constexpr):
    """Arrays that lie column by column: read and written so, with sums both ways, and values of fewer elements on the way."""
    m = xt.program_id(0) * M
    x = xt.load_tile(xt.init_tile(A, (m, 0), (M, N)))
    y = xt.where(xt.arange(N)[None, :] < A.shape[1], x * 2.0, 1.0)
    xt.store_tile(y, xt.init_tile(B, (m, 0), (M, N)))
    total = xt.sum(y, axis=1) * (1 + xt.arange(M))[:, None].to(xt.f32)
    again = xt.load_tile(xt.init_tile(B, (m, 0), (M, N)))
    least = xt.min(again, axis=0)
    xt.store_tile(total + xt.max(again - least, axis=1), xt.init_tile(C, (m, 0), (M, 1)))


def by_columns_by_numpy(a: np.ndarray, m: int, n: int) -> np.ndarray:
    found = []
    for first in range(0, len(a), m):
        read = np.zeros((m, n), np.float32)
        read[: len(a) - first, : a.shape[1]] = a[first : first + m]
        y = np.where(np.arange(n) < a.shape[1], read * 2, 1)
        again = np.zeros_like(read)
        again[: len(a) - first, : a.shape[1]] = y[: len(a) - first, : a.shape[1]]
        found.append(y.sum(1) * (1 + np.arange(m)) + (again - again.min(0)).max(1))
    return np.concatenate(found)[: len(a), None]


@xt.jit
def of_one_number(A, B, N: xt.constexpr):
    """Arithmetic on values whose elements are all one number: integers with numbers that a branch chooses, and indices."""
    count = 2
    if A[0] < A[1]:
        count = 3
    n, p = xt.full((N,), A[0]), xt.full((N,), xt.program_id(0) + 7)
    total = n % count + n // count * 10 + (p * 4 % count + p // count).to(xt.i32) + xt.where(p > count, 100, 200)
    xt.store_tile(total + xt.arange(N, dtype=xt.i32), xt.init_tile(B, xt.program_id(0) * N, (N,)))


def of_one_number_by_numpy(a: np.ndarray, n: int) -> np.ndarray:
    count = 3 if a[0] < a[1] else 2
    p = np.repeat(np.arange(2), n) + 7
    return a[0] % count + a[0] // count * 10 + p * 4 % count + p // count + 100 + np.tile(np.arange(n), 2)


@xt.jit
def rows_multiplied(A, B, C, N: xt.constexpr):
    """C = A @ B[N:2 * N]: rows of a value, found by places that lie in a buffer of as many bytes as these rows in panels."""
    a, b = xt.load_tile(xt.init_tile(A, (0, 0), (N, N))), xt.load_tile(xt.init_tile(B, (0, 0), (2 * N, 2 * N)))
    xt.store_tile(a @ b[N : 2 * N], xt.init_tile(C, (0, 0), (N, 2 * N)))


CASES: dict[str, Callable[[], Case]] = {
    "chain": lambda: Case(
        chain, (a := numbers(8, 64), b := numbers(8, 64, seed=1), np.zeros((8, 64), np.float32)), _chain(a, b), (2, 2), (("M", 4), ("N", 32))
    ),
    "ragged chain": lambda: Case(
        chain, (a := numbers(7, 43), b := numbers(7, 43, seed=1), np.zeros((7, 43), np.float32)), _chain(a, b), (2, 2), (("M", 4), ("N", 24))
    ),
    "by rows to columns": lambda: Case(
        chain, (a := numbers(39, 50), b := np.asfortranarray(numbers(39, 50, seed=1)), np.asfortranarray(np.zeros((39, 50), np.float32))),
        _chain(a, b), (2, 2), (("M", 32), ("N", 32)),
    ),
    "columns of width one": lambda: Case(
        chain, (a := numbers(21, 3), b := numbers(21, 3, seed=1), np.zeros((21, 3), np.float32)), _chain(a, b), (3, 2), (("M", 16), ("N", 1))
    ),
    "softmax": lambda: Case(row_softmax, (a := numbers(5, 37), np.zeros_like(a)), _softmax(a), (2,), (("M", 4), ("N", 48))),
    "column sums": lambda: Case(
        column_sums, (a := numbers(9, 37), np.zeros((1, 37), np.float32)), a.sum(0, keepdims=True) + a.max(0), (2,), (("M", 16), ("N", 24))
    ),
    "sums of wide rows": lambda: Case(  # several rows at a time, what they give added up
        column_sums, (a := numbers(12, 1100), np.zeros((1, 1100), np.float32)), a.sum(0, keepdims=True) + a.max(0),
        (1,), (("M", 12), ("N", 1104)),
    ),
    "carried": lambda: Case(carried, (a := numbers(40), np.zeros_like(a)), carried_by_numpy(a), (1,), (("N", 40),)),
    "turned": lambda: Case(
        turned, (a := numbers(6, 20), np.zeros((20, 6), np.float32)), a.T + np.cumsum(a.T, 1) * np.arange(20)[:, None],
        (1,), (("M", 6), ("N", 20)),
    ),
    "scattered": lambda: Case(
        scattered, (a := numbers(40, dtype=np.int32), b := numbers(60, dtype=np.int32, seed=3)), scattered_by_numpy(a, b, 20),
        (1,), (("N", 20),),
    ),
    "shared": lambda: Case(
        shared, (a := numbers(16, 16, dtype=np.float16), np.zeros_like(a)), np.concatenate([a[8:], a[8:]]), (1,), (("N", 16),)
    ),
    "moved in place": lambda: Case(
        moved_in_place, (a := numbers(18, 18), np.zeros((16, 16), np.float32)), moved_in_place_by_numpy(a, 16), (1,), (("N", 16),)
    ),
    "chosen": lambda: Case(
        chosen, (a := numbers(20, 20), np.zeros((48, 16), np.float32)), chosen_by_numpy(a, 16), (3,), (("N", 16),)
    ),
    "by columns": lambda: Case(
        by_columns, (a := np.asfortranarray(numbers(50, 20)), np.zeros_like(a), np.zeros((50, 1), np.float32)),
        by_columns_by_numpy(a, 32, 24), (2,), (("M", 32), ("N", 24)),
    ),
    "relaid": lambda: Case(relaid, (a := numbers(16, 16), np.zeros_like(a)), relaid_by_numpy(a), (1,), (("N", 16),)),
    "running": lambda: Case(
        running, (a := numbers(24, 16), np.zeros((16, 16), np.float32)), running_by_numpy(a, 16), (1,), (("N", 16),)
    ),
    "of one number": lambda: Case(
        of_one_number, (a := np.array([-11, 4], np.int32), np.zeros(48, np.int32)), of_one_number_by_numpy(a, 24), (2,), (("N", 24),)
    ),
    "rows multiplied": lambda: Case(
        rows_multiplied, (a := numbers(32, 32), b := numbers(64, 64, seed=1), np.zeros((32, 64), np.float32)), a @ b[32:], (1,), (("N", 32),)
    ),
    **_products(),
}  # fmt: skip
