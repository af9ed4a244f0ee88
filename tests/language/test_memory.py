"""Tiles of memory: where they lie, what is outside, and what is refused."""

import itertools

import numpy as np
import pytest

import xetile as xt
from tests.language.running import body_of, ops_of, run, traced
from xetile.errors import CompileError, DtypeError, LayoutError, TileShapeError

RNG = np.random.default_rng(6)
EDGES = [0, 3, 5, -2, -20, 40]


def padded(array, offset, shape, padding=0):
    """What a load gives: the array's elements, padding outside."""
    result = np.full(shape, padding, array.dtype)
    for place in itertools.product(*map(range, shape)):
        source = tuple(p + o for p, o in zip(place, offset))
        if all(0 <= s < n for s, n in zip(source, array.shape)):
            result[place] = array[source]
    return result


def copy(A, B, y, x, SHAPE: xt.constexpr, PADDING: xt.constexpr = 0):
    xt.store_tile(xt.load_tile(xt.init_tile(A, (y, x), SHAPE), padding=PADDING), xt.init_tile(B, (0, 0), SHAPE))


@pytest.mark.every(2)
@pytest.mark.parametrize("y,x", list(itertools.product(EDGES, EDGES)))
def test_loads_pad(y, x):
    a = RNG.integers(-99, 99, (13, 9)).astype(np.int16)
    b = np.zeros((8, 16), np.int16)
    run(copy, a, b, y, x, SHAPE=(8, 16), PADDING=-7)
    np.testing.assert_array_equal(b, padded(a, (y, x), (8, 16), -7))


@pytest.mark.parametrize("padding", [0, 1.5, -1.0, float("inf"), float("-inf"), float("nan")])
def test_any_padding(padding):
    a, b = np.ones((3, 3), np.float16), np.zeros((4, 4), np.float16)
    run(copy, a, b, 0, 0, SHAPE=(4, 4), PADDING=padding)
    np.testing.assert_array_equal(b, padded(a, (0, 0), (4, 4), padding))


@pytest.mark.parametrize("y,x", list(itertools.product(EDGES, EDGES)))
def test_stores_clip(y, x):
    def kernel(A, y, x):
        xt.store_tile(1, xt.init_tile(A, (y, x), (8, 4)))

    a = np.zeros((13, 9), np.uint8)
    run(kernel, a, y, x)
    inside = np.zeros_like(a)
    inside[max(y, 0) : max(y + 8, 0), max(x, 0) : max(x + 4, 0)] = 1
    np.testing.assert_array_equal(a, inside)


def test_leading_axes_drop():
    def kernel(A, B, i):
        xt.store_tile(xt.load_tile(xt.init_tile(A[i, 1], (2, 3), (4, 8))), xt.init_tile(B[0], (0, 0), (4, 8)))
        xt.store_tile(xt.load_tile(xt.init_tile(A[i][2][-1], 1, (8,))), xt.init_tile(B[1, 3], 0, (8,)))

    a = RNG.integers(0, 99, (3, 4, 7, 10)).astype(np.int32)
    b = np.zeros((2, 4, 8), np.int32)
    run(kernel, a, b, 2)
    np.testing.assert_array_equal(b[0], padded(a[2, 1], (2, 3), (4, 8)))
    np.testing.assert_array_equal(b[1, 3], a[2, 2, -1, 1:9])


@pytest.mark.parametrize("columns", ["A.T", "array"])
def test_column_major(columns):
    def view(A, B):
        xt.store_tile(xt.load_tile(xt.init_tile(A.T, (2, 1), (8, 4), order=(0, 1))), xt.init_tile(B, (0, 0), (8, 4)))

    def whole(A, B):
        xt.store_tile(xt.load_tile(xt.init_tile(A, (2, 1), (8, 4), order=(0, 1))), xt.init_tile(B, (0, 0), (8, 4)))

    a, b = RNG.integers(0, 99, (6, 9)).astype(np.int32), np.zeros((8, 4), np.int32)
    run(view if columns == "A.T" else whole, a if columns == "A.T" else a.T, b)
    np.testing.assert_array_equal(b, padded(a.T, (2, 1), (8, 4)))


def test_columns_of_rank_1():
    def kernel(A, B, C):
        column = xt.load_tile(xt.init_tile(A, 3, (8, 1)))
        xt.store_tile(column * xt.load_tile(xt.init_tile(A, 0, (8,))), xt.init_tile(B, (0, 0), (8, 8)))
        xt.store_tile(column, xt.init_tile(C, 2, (8, 1)))
        xt.store_tile(xt.load_tile(xt.init_tile(B[:, :], (0, 0), (1, 8))), xt.init_tile(C, 0, (1, 8)))

    a, b, c = np.arange(9, dtype=np.int32), np.zeros((8, 8), np.int32), np.zeros(9, np.int32)
    run(kernel, a, b, c)
    column = padded(a, (3,), (8,))
    np.testing.assert_array_equal(b, column[:, None] * a[:8])
    np.testing.assert_array_equal(c, [*b[0], column[6]])


def test_other_sizes_and_strides():
    def kernel(A, B, n):
        tile = xt.init_tile(A, (0, 0), (4, 4), base_shape=(n, 3), base_strides=(8, 1))
        xt.store_tile(xt.load_tile(tile, padding=9), xt.init_tile(B, (0, 0), (4, 4)))

    a, b = np.arange(32, dtype=np.int32).reshape(8, 4), np.zeros((4, 4), np.int32)
    run(kernel, a, b, 2)
    np.testing.assert_array_equal(b, [[0, 1, 2, 9], [8, 9, 10, 9], [9] * 4, [9] * 4])


def test_tiles_move():
    def kernel(A, B, d):
        tile = xt.update_tile_offset(xt.init_tile(A, (0, 4), (2, 4)), (d, -1))
        xt.store_tile(xt.load_tile(tile), xt.init_tile(B, (0, 0), (2, 4)))
        row = xt.update_tile_offset(xt.init_tile(A[1], 0, (4,)), d)
        xt.store_tile(xt.load_tile(row), xt.update_tile_offset(xt.init_tile(B[0], 0, (4,)), (4,)))

    a, b = np.arange(40, dtype=np.int32).reshape(5, 8), np.zeros((2, 8), np.int32)
    run(kernel, a, b, 3)
    np.testing.assert_array_equal(b[:, :4], a[3:5, 3:7])
    np.testing.assert_array_equal(b[0, 4:], a[1, 3:7])


def test_shared_memory_passes_tiles():
    def kernel(A, B):
        shared = xt.alloc_slm((8, 16), A.dtype)
        assert shared.shape == (8, 16) and shared.dtype is A.dtype
        xt.store_tile(xt.load_tile(xt.init_tile(A, (0, 0), (8, 16))), xt.init_tile(shared, (0, 0), (8, 16)))
        xt.fence("slm")
        xt.barrier()
        xt.store_tile(xt.load_tile(xt.init_tile(shared.T, (4, 0), (8, 8))), xt.init_tile(B, (0, 0), (8, 8)))

    a, b = RNG.integers(0, 99, (8, 16)).astype(np.int32), np.zeros((8, 8), np.int32)
    run(kernel, a, b)
    np.testing.assert_array_equal(b, a.T[4:12])


def test_prefetches_and_hints_change_nothing():
    def kernel(A, LOCALITY: xt.constexpr):
        tile = xt.init_tile(A, (0, 0), (8, 16))
        xt.prefetch_tile(tile, locality=LOCALITY)
        xt.prefetch_tile(tile, l1_hint="uncached", l3_hint="cached")
        xt.store_tile(xt.load_tile(tile, l1_hint="streaming"), tile, l1_hint="write_back")

    for locality in range(4):
        text = "\n".join(body_of(kernel, {"LOCALITY": locality}, A="f16[?,?]"))
        assert (f"locality = {locality} : i32" in text) == (locality != 3)
        assert 'l1_hint = "uncached", l3_hint = "cached"' in text


def test_maps_are_part_of_tiles():
    def kernel(A):
        xt.prefetch_tile(xt.init_tile(A, (0, 0), (64, 32), wg_map=xt.wg_map(sg_layout=(4, 2), sg_data=(16, 16))))
        xt.prefetch_tile(xt.init_tile(A[0], 0, (64,), wg_map=xt.wg_map(sg_layout=(8,), sg_data=(8,))))

    module = traced(kernel, A="f16[?,?]")
    tiles = [op.result.type for op in module.walk() if op.opname == "xetile.init_tile"]
    assert [(t.wg_map.sg_layout, t.wg_map.sg_data) for t in tiles] == [((4, 2), (16, 16)), ((1, 8), (1, 8))]


def init(*args, **kwargs):
    return lambda A: xt.init_tile(A, *args, **kwargs)


def test_columns_of_arrays_are_views_whose_tiles_are_columns():
    """They were refused: neighbours of X[b, :, d] do not lie side by side."""

    def kernel(X, Y, d):
        x = xt.init_tile(X[1, :, d], 2, (16, 1))
        moved = xt.update_tile_offset(x, (1, 0))
        xt.store_tile(xt.load_tile(x, padding=9) + xt.load_tile(moved), xt.init_tile(Y[2:, 3], 0, (16, 1)))

    x, y = np.arange(2 * 17 * 5, dtype=np.float32).reshape(2, 17, 5), np.zeros((20, 6), np.float32)
    run(kernel, x, y, 4)
    column, expected = x[1, :, 4], np.zeros((20, 6), np.float32)
    expected[2:18, 3] = np.pad(column[2:], (0, 1), constant_values=9) + np.pad(column[3:], (0, 2))
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("action,kind,message", [
    (init((0, 0), (8, 16, 2)), TileShapeError, "one or two sizes"),
    (init((0, 0), (8, 0)), TileShapeError, "0 is not a size"),
    (init((0, 0), (8, 1.5)), TileShapeError, "1.5 is not a size"),
    (init((0, 0), (8,)), TileShapeError, "give two sizes"),
    (init((0, 0)), TileShapeError, "needs the shape"),
    (init((0, 1.5), (8, 8)), DtypeError, "an offset is 1.5, not an integer"),
    (init((0,), (8, 8)), TileShapeError, "1 offsets for A"),
    (init((0, 0), (8, 8), base_shape=(3,)), TileShapeError, "base_shape has 1 entries"),
    (init((0, 0), (8, 8), wg_map=(8, 4)), LayoutError, "make one with xt.wg_map"),
    (init((0, 0), (8, 8), base_strides=(3, 2)), TileShapeError, "do not lie side by side"),
    (lambda A: xt.init_tile(A[0], 0, (8, 8)), TileShapeError, "are \\(N,\\), \\(1, N\\) or \\(N, 1\\)"),
    (lambda A: xt.init_tile(3, (0, 0), (8, 8)), CompileError, "the base is 3, not an array"),
    (lambda A: A[1.5], CompileError, "is not an integer"),
    (lambda A: A[0, 0, 0], CompileError, "has 2 axes, the subscript has 3"),
    (lambda A: xt.init_tile(A[2:8], (-1, 0), (8, 8)), CompileError, "may be negative"),
    (lambda A: xt.init_tile(A[2 : A.shape[1]], (A.stride(0), 0), (8, 8)), CompileError, "may be negative"),
    (lambda A: xt.init_tile(A[2:8], (xt.program_id(0) * 8 + 1 - 2, 0), (8, 8)), CompileError, "may be negative"),
    (lambda A: xt.init_tile(A[2:8], ((xt.program_id(0) - 1) * 8, 0), (8, 8)), CompileError, "may be negative"),
    (lambda A: xt.update_tile_offset(xt.init_tile(A[2:8], (0, 0), (8, 8)), (-1, 0)), CompileError, "move it forward only"),
    (lambda A: xt.init_tile(A[0:8:2], (0, 0), (8, 8)), TileShapeError, "takes one element in 2"),
    (lambda A: xt.init_tile(A[:, 3], 0, (8,)), TileShapeError, "a column is a tile of width 1"),
    (lambda A: xt.prefetch_tile(A[0:8:2, 0:8]), CompileError, "every other element"),
    (lambda A: A[8:8], TileShapeError, "has no elements"),
    (lambda A: A[8:0:-1], CompileError, "the step of a slice is -1"),
    (lambda A: A.stride(2), TileShapeError, "has no axis 2"),
    (lambda A: xt.load_tile(A), CompileError, "is no tile: a size is not constant"),
    (lambda A: xt.load_tile(A[0 : A.shape[1], 0:4]), CompileError, "is no tile: a size is not constant"),
    (lambda A: xt.load_tile(xt.init_tile(A, (0, 0), (8, 8)), padding=A.shape[0]), CompileError, "padding is a constant"),
    (lambda A: xt.prefetch_tile(xt.init_tile(A, (0, 0), (8, 8)), locality=4), CompileError, "0, 1, 2 or 3"),
    (lambda A: xt.prefetch_tile(xt.init_tile(A, (0, 0), (8, 8)), l1_hint="warm"), CompileError, "one of cached"),
    (lambda A: xt.load_tile(xt.init_tile(A, xt.arange(8))), CompileError, "use xt.load_gather"),
    (lambda A: xt.update_tile_offset(xt.init_tile(A, (0, 0), (8, 8)), 3), TileShapeError, "1 offsets for a tile"),
    (lambda A: xt.alloc_slm((8, 8), xt.index), DtypeError, "no size in memory"),
    (lambda A: xt.store_tile("x", xt.init_tile(A, (0, 0), (8, 8))), CompileError, "is not a value"),
    (lambda A: xt.wg_map(8, 4), LayoutError, "wg_map takes tuples"),
    (lambda A: xt.wg_map((8, 4, 2)), LayoutError, "one or two numbers"),
    (lambda A: list(A), CompileError, "cannot loop over A"),
    (lambda A: len(A), CompileError, "use A.shape\\[0\\]"),
])  # fmt: skip
def test_refused(action, kind, message):
    with pytest.raises(kind, match=message):
        ops_of(call, {"F": action}, A="f16[?,?]")


@pytest.mark.parametrize("offset", [
    lambda A: xt.program_id(0) * 8 + 1 - 1,
    lambda A: (xt.program_id(0) + 2) * 3 - 6,
    lambda A: xt.maximum(xt.minimum(A.stride(0), 4), -1) + 1,
])  # fmt: skip
def test_offsets_into_a_part_that_are_never_negative(offset):
    ops_of(call, {"F": lambda A: xt.prefetch_tile(xt.init_tile(A[2:8], (offset(A), 0), (8, 8)))}, A="f16[?,?]")


def call(A, F: xt.constexpr):
    F(A)


def test_known_indices_are_checked():
    with pytest.raises(TileShapeError, match="index 3 is outside axis 0 of 3 elements"):
        ops_of(call, {"F": lambda A: A[3]}, A="f16[3,4,5]")


@xt.jit
def rows_that_overlap(Y, width, STEP: xt.constexpr):
    """Program p writes `width` of 16 numbers from element p * STEP on."""
    p = xt.program_id(0)
    row = xt.init_tile(Y, (p * STEP, 0), (1, 16), base_shape=(Y.shape[1], width), base_strides=(1, 1))
    xt.store_tile((p * 100 + xt.arange(16).to(xt.i32))[None, :], row)


@pytest.mark.parametrize(("step", "width"), [(16, 12), (12, 12), (16, 16), (8, 5)])
def test_rows_of_programs_in_one_row_of_memory(device, step, width):
    """Each program's numbers stay, though places of the tile that a store drops lie where another one writes."""
    y = np.zeros((1, 64), np.int32)
    with xt.device(device):
        rows_that_overlap[4](y, width, STEP=step)
    expected = np.zeros(64, np.int32)
    for p in range(4):
        expected[p * step : p * step + width] = p * 100 + np.arange(width)
    np.testing.assert_array_equal(y[0], expected)
