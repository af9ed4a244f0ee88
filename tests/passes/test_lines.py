"""Arrays of one dimension by several lines to a message: every place of a tile, every length of an array, the same numbers."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.parity.run import assert_levels_agree, request
from xetile.dialects import xegpu
from xetile.errors import ArgumentError
from xetile.passes import pipeline
from xetile.runtime.compiler import trace
from xetile.runtime.devices import find_device
from xetile.runtime.specialize import specialize
from xetile.signature import parse
from xetile.target import get_target

TILE = 128


@xt.jit(grid=lambda Y: (xt.cdiv(Y.shape[0], TILE) + 1,))
def shifted(X, Y, by, PADDING: xt.constexpr = 0):
    """Each program loads a tile `by` whole tiles away from the one that it writes; the last ones are behind the array."""
    i = xt.program_id(0) * TILE
    x = xt.load_tile(xt.init_tile(X, i + by * TILE, TILE), padding=PADDING)
    xt.store_tile(x * 2, xt.init_tile(Y, i, TILE))


@xt.jit
def moved(X, Y):
    """One program walks over the array, with tiles that it moves."""
    x, y = xt.init_tile(X, 0, TILE), xt.init_tile(Y, 0, TILE)
    largest = xt.full((1, 1), -100, X.dtype)
    for _ in range(0, X.shape[0], TILE):
        value = xt.load_tile(x)
        largest = xt.maximum(largest, xt.max(value))
        xt.store_tile(value + largest[0], y)
        x, y = xt.update_tile_offset(x, TILE), xt.update_tile_offset(y, TILE)


@xt.jit
def part(X, Y, n):
    """An array that seems to end earlier: n is no number of whole lines."""
    xt.store_tile(xt.load_tile(xt.init_tile(X[:n], 0, TILE)) + 1, xt.init_tile(Y[:n], 0, TILE))


def run(kernel, length, dtype, device, *more, **constants):
    """What a kernel makes of whole numbers, in an array with others around it."""
    whole = np.full(length + 256, 7, dtype)
    x, y = (np.arange(length) % 50 - 20).astype(dtype), whole[128 : 128 + length]
    with xt.device(device):
        kernel(x, y, *more, **constants) if kernel is shifted else kernel[1](x, y, *more)
    assert (whole[:128] == 7).all()
    assert (whole[128 + length :] == 7).all()
    return x, y


LENGTHS = (64, 512, 496, 500, 160, 260)
DTYPES = [np.float32, np.float16, np.int8, np.float64]


@pytest.mark.covering
@pytest.mark.every(4, 3)
@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
@pytest.mark.parametrize("by", [-1, 0, 1])
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda t: t.__name__)
def test_shifted(device, dtype, by):
    for length in LENGTHS:
        x, y = run(shifted, length, dtype, device, by, PADDING=3)
        wide = np.concatenate([np.full(1024, 3, dtype), x, np.full(1024, 3, dtype)])
        np.testing.assert_array_equal(y, wide[1024 + by * TILE :][:length] * 2)


@pytest.mark.every(5)
@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
@pytest.mark.parametrize("dtype", DTYPES[:3], ids=lambda t: t.__name__)
def test_moved(device, dtype):
    for length in LENGTHS[:4]:
        x, y = run(moved, length, dtype, device)
        so_far = [max(0 if length % TILE and end > length else -100, x[:end].max()) for end in range(TILE, length + TILE, TILE)]
        np.testing.assert_array_equal(y, x + np.repeat(so_far, TILE)[:length].astype(dtype))


@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
def test_part(device):
    for n in (100, 96, 1):
        x, y = run(part, 256, np.float32, device, n)
        np.testing.assert_array_equal(y[:n], x[:n] + 1)
        assert (y[n:] == 7).all()


@xt.jit
def ending(X, Y, first):
    """Tiles from that number on."""
    i = (first + xt.program_id(0)) * TILE
    xt.store_tile(xt.load_tile(xt.init_tile(X, i, TILE)) + 1, xt.init_tile(Y, i, TILE))


@pytest.mark.every(2)
@pytest.mark.filterwarnings("error::xetile.runtime.specialize.PerformanceWarning")
@pytest.mark.parametrize("dtype", [np.float32, np.float16], ids=lambda t: t.__name__)
def test_longer_than_a_row(device, dtype):
    """Arrays of more than 16 MB are reached line by line, at their begin and where they end."""
    for more in (0, 4, 64, 66, 128):
        length = (1 << 24) // np.dtype(dtype).itemsize + more
        whole, x = np.full(length + 256, 7, dtype), (np.arange(length) % 50 - 20).astype(dtype)
        y = whole[128 : 128 + length]
        with xt.device(device):
            for first in (0, length // TILE - 2):
                ending[4](x, y, first)
        for part in (slice(0, 4 * TILE), slice((length // TILE - 2) * TILE, None)):
            np.testing.assert_array_equal(y[part], x[part] + 1)
        assert (whole[:128] == 7).all()
        assert (whole[128 + length :] == 7).all()


def test_what_launches_see_of_long_arrays():
    """Nothing but its length is wrong with such an array; a byte more, and it is accessed element by element."""

    def of(array):
        return specialize("kernel", {"X": array}, find_device("numpy"), "pvc").types[0][1]

    assert str(of(np.zeros(1 << 23, np.float32))) == "f32[?;scattered,lines,long]"
    assert str(of(np.zeros((1 << 23) + 1, np.float32))) == "f32[?;scattered,long]"
    assert str(of(np.zeros((1 << 24) + 1, np.int8))) == "i8[?;scattered]"
    assert str(of(np.zeros(1 << 20, np.float32))) == "f32[?;lines]"
    with pytest.raises(ArgumentError, match="rank 1"):
        parse("f32[?;long]")


def messages(kernel, mark):
    what = request(kernel, {"X": f"f32[?{mark}]", "Y": f"f32[?{mark}]"}, num_subgroups=1)
    module = next(found for level, found in pipeline.lower(trace(what), get_target("pvc")) if level == "xegpu")
    return [op.desc.type.shape for op in module.walk() if isinstance(op, (xegpu.LoadNd, xegpu.StoreNd))]


def test_messages():
    """8 lines of 16 numbers at once; twice where an array may end inside of a line."""
    assert messages(moved, ";lines") == [(8, 16), (8, 16)]
    assert messages(moved, "") == [(8, 16)] * 4


def test_known_lengths():
    """Of arrays whose length the type says it is known where they end."""
    for length, count in ((512, 2), (500, 4)):
        what = request(moved, {"X": f"f32[{length}]", "Y": f"f32[{length}]"}, num_subgroups=1)
        module = next(found for level, found in pipeline.lower(trace(what), get_target("pvc")) if level == "xegpu")
        assert sum(isinstance(op, (xegpu.LoadNd, xegpu.StoreNd)) for op in module.walk()) == count


@pytest.mark.parametrize("marks", [("", ""), (";lines", ";lines"), (";lines", "")])
def test_levels(marks):
    x, y = (np.arange(256) % 50 - 20).astype(np.float32), np.zeros(256, np.float32)
    what = request(moved, {"X": f"f32[?{marks[0]}]", "Y": f"f32[?{marks[1]}]"}, num_subgroups=2)
    assert_levels_agree(what, (1, 1, 1), {"X": x, "Y": y}, "Y")


def test_a_mark_of_types():
    assert str(parse("f32[?;lines]")) == "f32[?;lines]"
    with pytest.raises(ArgumentError, match="rank 1"):
        parse("f32[?,?;lines]")


@pytest.mark.device
def test_saved_kernels_ask_for_lines(tmp_path):
    moved.compile("f32[?;lines]", "f32[?]", target="pvc").save(tmp_path / "lines")
    x, y = np.ones(100, np.float32), np.zeros(100, np.float32)
    with xt.device("cpu"):
        with pytest.raises(ArgumentError, match="whole lines"):
            xt.load(tmp_path / "lines")[1](x, y)
        xt.load(tmp_path / "lines")[1](np.ones(96, np.float32), y)


@pytest.mark.device
def test_saved_kernels_for_long_arrays_take_shorter_ones(tmp_path):
    moved.compile("f32[?;scattered,long]", "f32[?;scattered,long]", target="pvc").save(tmp_path / "long")
    x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    with xt.device("cpu"):
        xt.load(tmp_path / "long")[1](x, y)
        np.testing.assert_array_equal(y, x + 99)
        with pytest.raises(ArgumentError, match="at least 64 bytes"):
            xt.load(tmp_path / "long")[1](x[:15], y[:15])


@xt.jit
def rows(X, Y, by, N: xt.constexpr = 256):
    """Row r of Y is twice row r + by of X, of as many columns as N or fewer."""
    b, r = xt.program_id(1), xt.program_id(0)
    x = xt.load_tile(xt.init_tile(X[b], (r + by, 0), (1, N)))
    xt.store_tile(x * 2, xt.init_tile(Y[b], (r, 0), (1, N)))


@pytest.mark.covering
@pytest.mark.every(3)
@pytest.mark.parametrize("dtype", DTYPES[:3], ids=lambda t: t.__name__)
def test_rows_that_lie_whole_lines_apart(device, dtype):
    """Each program has one row, of the array or behind or in front of it; rows end inside of a line or at one, within the tile or not."""
    line = 64 // np.dtype(dtype).itemsize
    for columns in (line, line + 4, 100, 200, 256, 300):
        wide = -(-columns // line) * line
        x = (np.arange(2 * 5 * wide) % 50 - 20).astype(dtype).reshape(2, 5, wide)[:, :, :columns]
        for by in (-1, 0, 1):
            whole = np.full((2, 5, wide), 7, dtype)
            with xt.device(device):
                rows[(7, 2)](x, whole[:, :, :columns], by)
            shifted_rows = np.zeros((2, 5, min(columns, 256)), dtype)
            shifted_rows[:, max(0, -by) : 5 - max(0, by)] = x[:, max(0, by) : 5 + min(0, by), :256] * 2
            np.testing.assert_array_equal(whole[:, :, : min(columns, 256)], shifted_rows)
            assert (whole[:, :, min(columns, 256) :] == 7).all()


def test_messages_of_rows():
    """A row of an array whose strides are whole lines goes as memory of one dimension does."""
    for mark, count in ((";free", 6), (";any", 32)):
        what = request(rows, {"X": f"f32[?,?,?{mark}]", "Y": f"f32[?,?,?{mark}]", "by": "i32"}, num_subgroups=1)
        module = next(found for level, found in pipeline.lower(trace(what), get_target("pvc")) if level == "xegpu")
        assert sum(isinstance(op, (xegpu.LoadNd, xegpu.StoreNd)) for op in module.walk()) == count
