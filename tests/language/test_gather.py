"""Scattered tiles and atomic updates."""

import numpy as np
import pytest

import xetile as xt
from tests.language.running import ops_of, run
from xetile.errors import CompileError, DtypeError, TileShapeError

RNG = np.random.default_rng(7)


def test_gather_and_scatter():
    def kernel(A, PLACES, B, n):
        where = xt.load_tile(xt.init_tile(PLACES, 0, (16,)))
        values = xt.load_gather(xt.init_tile(A, where), where < n, padding=-1)
        xt.store_scatter(values * 2, xt.init_tile(B, where), where >= 3)

    a, places = np.arange(100, 120, dtype=np.int32), RNG.permutation(16).astype(np.int32)
    b = np.zeros(16, np.int32)
    run(kernel, a, places, b, 12)
    order = np.arange(16)
    np.testing.assert_array_equal(b, np.where(order < 3, 0, np.where(order < 12, (100 + order) * 2, -2)))


def test_rows_and_moved_tiles():
    def kernel(A, B):
        tile = xt.init_tile(A[1], (xt.arange(4)[:, None] * A.stride(1) + xt.arange(8)[None, :] * 2))
        xt.store_tile(xt.load_gather(xt.update_tile_offset(tile, 1)), xt.init_tile(B, (0, 0), (4, 8)))

    a, b = RNG.standard_normal((2, 6, 20)).astype(np.float32), np.zeros((4, 8), np.float32)
    run(kernel, a, b)
    np.testing.assert_array_equal(b, a[1, :4, 1:17:2])


KINDS = {
    "add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum, "maxnum": np.fmax, "minnum": np.fmin,
    "assign": lambda a, b: b, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [xt.i32, xt.u32, xt.f32, xt.i64], ids=str)
def test_atomics_give_the_old_elements(kind, dtype):
    if dtype.is_float and kind in ("and", "or", "xor"):
        with pytest.raises(DtypeError, match="there is no atomic"):
            ops_of(update, {"KIND": kind}, A=f"{dtype}[?,?]", OLD=f"{dtype}[?,?]")
        return
    a = RNG.integers(0, 99, (5, 6)).astype(dtype.numpy)
    new, old = a.copy(), np.zeros((4, 8), dtype.numpy)
    run(update, new, old, KIND=kind)
    np.testing.assert_array_equal(old[:, :6], a[:4])
    np.testing.assert_array_equal(new[:4], KINDS[kind](a[:4], np.asarray(17, dtype.numpy)))
    np.testing.assert_array_equal(new[4], a[4])


def update(A, OLD, KIND: xt.constexpr):
    old = xt.atomic_rmw_tile(KIND, xt.full((4, 8), 17, A.dtype), xt.init_tile(A, (0, 0), (4, 8)))
    xt.store_tile(old, xt.init_tile(OLD, (0, 0), (4, 8)))


def test_atomics_collect_over_programs():
    def kernel(A, SUM):
        row = xt.load_tile(xt.init_tile(A, (xt.program_id(0), 0), (1, 16)))
        xt.atomic_rmw_tile("add", row, xt.init_tile(SUM, 0, (1, 16)))
        xt.atomic_rmw_tile("max", xt.max(row, axis=1), xt.init_tile(SUM, 16, (1,)))

    a, total = RNG.integers(0, 99, (10, 16)).astype(np.int32), np.zeros(17, np.int32)
    run(kernel, a, total, grid=(10,))
    np.testing.assert_array_equal(total, [*a.sum(0), a.max()])


def test_atomics_through_scattered_tiles_count():
    def kernel(A, COUNTS):
        value = xt.load_tile(xt.init_tile(A, 0, (64,)))
        xt.atomic_rmw_tile("add", 1, xt.init_tile(COUNTS, value), mask=value < 8)

    a, counts = RNG.integers(0, 12, 64).astype(np.int32), np.zeros(12, np.int32)
    run(kernel, a, counts)
    np.testing.assert_array_equal(counts, np.bincount(a, minlength=12) * (np.arange(12) < 8))


def scattered(A):
    return xt.init_tile(A[0], xt.arange(8))


def ordinary(A):
    return xt.init_tile(A, (0, 0), (8, 8))


@pytest.mark.parametrize("action,kind,message", [
    (lambda A: xt.load_gather(ordinary(A)), CompileError, "does not take an ordinary tile"),
    (lambda A: xt.store_tile(0, scattered(A)), CompileError, "use xt.store_scatter"),
    (lambda A: xt.load_gather(scattered(A), xt.arange(8)), DtypeError, "the mask is index"),
    (lambda A: xt.load_gather(scattered(A), xt.arange(4) < 3), TileShapeError, "the mask is bool"),
    (lambda A: xt.init_tile(A[0], xt.arange(8).to(xt.f32)), DtypeError, "not integers"),
    (lambda A: xt.init_tile(A[0], xt.arange(8), (4,)), TileShapeError, "leave the shape out"),
    (lambda A: xt.atomic_rmw_tile("nand", 1, ordinary(A)), CompileError, "there is no kind 'nand'"),
    (lambda A: xt.atomic_rmw_tile("addi", 1, ordinary(A)), DtypeError, "there is no atomic 'addi' of f32"),
    (lambda A: xt.atomic_rmw_tile("add", 1, ordinary(A), xt.zeros((8, 8)) > 0), CompileError, "masks are for scattered"),
    (lambda A: xt.atomic_rmw_tile("add", xt.zeros((8, 8), xt.i32), ordinary(A)), DtypeError, "convert the value"),
])  # fmt: skip
def test_refused(action, kind, message):
    with pytest.raises(kind, match=message):
        ops_of(call, {"F": action}, A="f32[?,?]")


def call(A, F: xt.constexpr):
    F(A)
