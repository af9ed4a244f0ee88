"""Numbers of known other lanes come by moves with a stride (backends/spirv/places), the same on simulated GPUs and where they are emulated."""

from __future__ import annotations

import numpy as np
import pytest
from xetile.backends.spirv.gather import Gather, gather_of
from xetile.backends.spirv.places import moves_of

import xetile as xt
from tests import tools


def test_a_column_takes_a_move_for_four_rows():
    """Rows of 16 halves: a move reads two registers, which hold two rows each."""
    column = [(0, 16 * row + 5) for row in range(16)]
    moves = list(moves_of(column, 32))
    assert [(m.lane, m.count, m.at, m.down) for m in moves] == [(0, 4, 5, 16), (4, 4, 69, 16), (8, 4, 133, 16), (12, 4, 197, 16)]


@pytest.mark.parametrize("seed", range(20))
def test_moves_give_each_lane_its_number(seed):
    rng = np.random.default_rng(seed)
    down, across, width = (int(rng.choice(n)) for n in ((0, 1, 2, 8, 16, 32), (0, 1, 3), (1, 2, 4)))
    found = [
        (int(rng.integers(2)) if seed % 3 == 0 else 0, lane // width * down + lane % width * across + seed) for lane in range(16)
    ]
    taken = [(m.operand, m.number(n)) for m in moves_of(found, 32) for n in range(m.count)]
    assert taken == found


def test_a_piece_says_what_it_does():
    piece = Gather(16, 16, ((8, 16), (4, 32)), tuple(moves_of([(lane // 8, 16 * (lane % 8) + 3) for lane in range(16)], 32)))
    assert gather_of(piece.text()) == piece
    assert gather_of("vdpbf16ps $3, $2, $0") is None


@xt.jit(grid=(1,))
def scaled(A, Out, SHAPE: xt.constexpr):
    x = xt.load_tile(xt.init_tile(A, (0, 0), SHAPE))
    xt.store_tile(x * 3 + 1, xt.init_tile(Out, (0, 0), SHAPE))


@xt.jit(num_subgroups=1, grid=(1,))
def turned(A, Out, SHAPE: xt.constexpr):
    x = xt.load_tile(xt.init_tile(A, (0, 0), (16, 16)))
    xt.store_tile((x + 1).T * 2, xt.init_tile(Out, (0, 0), (16, 16)))


def check(device, kernel, kind, shape):
    a = np.random.default_rng(0).integers(0, 20, (40, 64)).astype(kind)
    out = np.full_like(a, 7)
    expected = out.copy()
    tile = a[: shape[0], : shape[1]]
    expected[: shape[0], : shape[1]] = tile * 3 + 1 if kernel is scaled else (tile.T + 1) * 2
    with xt.device(device):
        kernel(a, out, SHAPE=shape)
    np.testing.assert_array_equal(out, expected)


CASES = [
    pytest.param(kernel, kind, shape, marks=() if n in (0, 3, 6) else pytest.mark.slow)
    for n, (kernel, kind, shape) in enumerate([
        (scaled, np.float16, (33, 17)), (scaled, np.float16, (33, 9)), (scaled, np.float16, (37, 45)), (scaled, np.int8, (33, 18)),
        (scaled, np.int8, (17, 23)), (scaled, np.float32, (33, 9)), (turned, np.float16, (16, 16)), (turned, np.float32, (16, 16)),
        (turned, np.int8, (16, 16)), (turned, np.int16, (16, 16)),
    ])
]  # fmt: skip


@pytest.mark.parametrize("kernel, kind, shape", CASES)
@pytest.mark.parametrize("device", ["sim:bmg", *(pytest.param(d, marks=pytest.mark.slow) for d in ("sim:pvc", "sim:dg2"))])
def test_numbers_of_other_lanes_on_simulated_gpus(device, kernel, kind, shape):
    tools.require_tool("ocloc")
    check(device, kernel, kind, shape)


@pytest.mark.every(2)
@pytest.mark.parametrize("kernel, kind, shape", CASES)
def test_numbers_of_other_lanes_where_gpus_are_emulated(monkeypatch, kernel, kind, shape):
    monkeypatch.setenv("XETILE_CPU", "emulate")
    check("cpu", kernel, kind, shape)
