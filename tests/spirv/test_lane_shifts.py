"""What lanes take of those further on, in as few moves as registers allow (backends/spirv/assembly/lane_shifts)."""

from __future__ import annotations

import re

import numpy as np
import pytest
from xetile.backends.spirv.assembly.call import call_of
from xetile.backends.spirv.assembly.lane_shifts import Choice, Shift

import xetile as xt
from tests import tools

LANES, REGISTER = 16, 64
MOVE = re.compile(r"mov \(M1_NM, (\d+)\) O\d+\((\d+),(\d+)\)<1> (\w)\d+\((\d+),(\d+)\)<([01]);1,0>")


def run(piece: Shift, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """What the moves of a piece make of registers, one number after the other."""
    unit, memory = REGISTER * 8 // piece.bits, {"A": a.ravel(), "B": b.ravel()}
    found = np.full(a.size, -1)
    for count, *to, source, row, column, step in MOVE.findall(piece.text(LANES)):
        place, at, n = int(to[0]) * unit + int(to[1]), int(row) * unit + int(column), int(count)
        assert n == 1 or step == "1"
        # One instruction reads two registers, writes one, and nothing beside its operands.
        assert (
            at // unit + 1 >= (at + n - 1) // unit and place // unit == (place + n - 1) // unit and n * piece.bits <= REGISTER * 8
        )
        assert at + n <= a.size and place + n <= a.size
        found[place : place + n] = memory[source][at : at + n]
    return found.reshape(a.shape)


@pytest.mark.parametrize("bits", [8, 16, 32])
@pytest.mark.parametrize("rows", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("distance", range(1, LANES))
def test_moves_of_a_piece(bits, rows, distance):
    piece = Shift(LANES, bits, rows, distance, REGISTER)
    a = np.arange(rows * LANES).reshape(rows, LANES)
    b = a + 1000
    expected = np.concatenate([a, b], axis=1)[:, distance : distance + LANES]
    np.testing.assert_array_equal(run(piece, a, b), expected)


def test_a_row_of_words_takes_two_moves():
    assert Shift(LANES, 32, 8, 1, REGISTER).text(LANES).count("mov ") == 8 + 8 + 1  # the last register is read to its end alone
    assert Shift(LANES, 16, 8, 1, REGISTER).text(LANES).count("mov ") == 4 + 8 + 1  # of 16 bits two rows lie in one


def test_a_piece_says_what_it_does():
    for piece in (Shift(LANES, 16, 8, 3, REGISTER), Choice(LANES, 8, 8, REGISTER)):
        assert call_of(piece.text(16)) == piece
    assert call_of("vdpbf16ps $3, $2, $0") is None


@xt.jit(grid=(1,))
def beside(A, Out, BY: xt.constexpr):
    x = xt.load_tile(xt.init_tile(A, (0, 0), (16, 64)))
    column = xt.load_tile(xt.init_tile(A, (0, 3), (16, 1)))
    alike = xt.tile_broadcast(column, (16, 64))  # all lanes have the same
    xt.store_tile(x[:, BY : BY + 32] + alike[:, BY : BY + 32], xt.init_tile(Out, (0, 0), (16, 32)))


KINDS = [np.float16, np.float32, np.int8, np.int64]


def check(device: str, kind: type, by: int) -> None:
    a = (np.arange(16 * 64) % 61).reshape(16, 64).astype(kind)
    out = np.zeros((16, 32), kind)
    with xt.device(device):
        beside(a, out, BY=by)
    np.testing.assert_array_equal(out, a[:, by : by + 32] + a[:, 3:4])


@pytest.mark.every(25, 2)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("by", [1, 3, 8, 15, 16, 17])
def test_columns_of_values_where_gpus_are_emulated(monkeypatch, kind, by):
    monkeypatch.setenv("XETILE_CPU", "emulate")
    check("cpu", kind, by)


@pytest.mark.every(24, 4)
@pytest.mark.parametrize("device", ["sim:bmg", pytest.param("sim:pvc", marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("by", [1, 3, 8, 15, 16, 17])
def test_columns_of_values_on_simulated_gpus(device, kind, by):
    tools.require_tool("ocloc")
    check(device, kind, by)
