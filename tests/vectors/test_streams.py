"""Vectors stored past the caches: where an array is too large for them, a line is written whole and nothing reads it back."""

from __future__ import annotations

import numpy as np
import pytest
from xetile.backends.spirv.module.disassemble import disassemble

import xetile as xt
from tests.parity.run import uncompiled
from xetile.runtime.settings import override
from xetile.target import get_target


@xt.jit
def doubled(X, Y, BN: xt.constexpr = 256):
    x = xt.load_tile(xt.init_tile(X, (xt.program_id(1), xt.program_id(0) * BN), (1, BN)))
    xt.store_tile(x + x, xt.init_tile(Y, (xt.program_id(1), xt.program_id(0) * BN), (1, BN)))


@xt.jit
def added(X, Y, BN: xt.constexpr = 256):
    tile = xt.init_tile(Y, (xt.program_id(1), xt.program_id(0) * BN), (1, BN))
    xt.store_tile(xt.load_tile(xt.init_tile(X, (xt.program_id(1), xt.program_id(0) * BN), (1, BN))) + xt.load_tile(tile), tile)


@xt.jit
def moved_on(X, Y):
    source, target = xt.init_tile(X, (0, 0), (4, 256)), xt.init_tile(Y, (0, 0), (4, 256))
    for _ in range(4):
        xt.store_tile(xt.load_tile(source), target)
        source, target = xt.update_tile_offset(source, (0, 256)), xt.update_tile_offset(target, (0, 256))


def level(kernel, *types, target="cpu", **constants):
    text: str = uncompiled(kernel, *types, target=target, **constants).ir["vectors"]
    return text


@pytest.mark.parametrize("target", ["cpu", "avx512", "avx2", "amx"])
def test_rows_of_an_array_that_is_only_written_go_past_the_caches_where_it_is_large(target):
    text = level(doubled, "f32[?,?]", "f32[?,?]", target=target)
    assert text.count("nontemporal = true") == 3  # of tiles that lie in the array, and of others what does and what may not
    assert f"arith.constant {get_target(target).stream_bytes // 4} : index" in text


def test_so_do_tiles_that_move():
    assert "nontemporal = true" in level(moved_on, "f32[?,?]", "f32[?,?]")


@pytest.mark.parametrize(
    "kernel, types, constants",
    [
        (added, ("f32[?,?]", "f32[?,?]"), {}),  # read too
        (doubled, ("f32[?,?]", "f32[?,?]"), {"BN": 64}),  # few neighbours
        (doubled, ("f32[?,?]", "f32[64,1024]"), {}),  # small
        (doubled, ("f32[?,?]", "f32[16384,1023]"), {}),  # rows that are not aligned
    ],
)
def test_others_do_not(kernel, types, constants):
    assert "nontemporal" not in level(kernel, *types, **constants)


def test_in_spirv_they_stand_between_marks_that_keep_them_from_being_merged():
    text = disassemble(doubled.compile("f32[?,?]", "f32[?,?]", target="cpu").spirv)
    assert text.count("Aligned|Nontemporal 16") == 12
    assert "SideEffectsINTEL" in text and text.count("OpAsmCallINTEL") == 6


ROWS, COLUMNS = 2050, 4100  # 33.6 MB of f32


@pytest.mark.covering
@pytest.mark.every(4, 1)
@pytest.mark.device
@pytest.mark.parametrize("way", ["vector", "avx2"])
@pytest.mark.parametrize("shift, pitch", [(0, COLUMNS), (4, COLUMNS), (1, COLUMNS), (0, COLUMNS + 1)])
def test_large_arrays_are_right_wherever_they_begin(way, shift, pitch):
    x = np.arange(ROWS, dtype=np.float32)[:, None] + np.arange(COLUMNS, dtype=np.float32)
    memory = np.full(shift + ROWS * pitch, -1, np.float32)
    y = memory[shift:].reshape(ROWS, pitch)[:, :COLUMNS]
    with override(cpu=way), xt.device("cpu"):
        doubled[(-(-COLUMNS // 256), ROWS)](x, y)
    np.testing.assert_array_equal(y, x + x)
    assert (memory == -1).sum() == memory.size - y.size
