"""Numbers of known other lanes come by moves with a stride (spirv/facts/places), the same on simulated GPUs and where they are emulated."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from xetile.backends.spirv.assembly.call import call_of
from xetile.backends.spirv.assembly.gather import Gather
from xetile.backends.spirv.facts.places import moves_of

import xetile as xt
from tests import tools
from tests.emit.kernels import LANES, Kernel
from xetile.dialects import arith, gpu, vector, xegpu
from xetile.dialects.types import F32, I32
from xetile.ir.core import Value


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
    assert call_of(piece.text(16)) == piece
    bytes_of_a_row = Gather(16, 8, ((1, 16),), tuple(moves_of([(0, lane) for lane in range(16)], 64)), twice=True)
    assert call_of(bytes_of_a_row.text(16)) == bytes_of_a_row
    assert call_of("vdpbf16ps $3, $2, $0") is None


def exchanged(kernel: Kernel, count: int) -> list[Value]:
    """Numbers of one lane each, for all."""
    vectors = kernel.load(0, 2)
    ones = [kernel.build(vector.Extract, vectors, position=(at,)) for at in range(2)]
    lanes, width = [kernel.constant(5 * n % LANES, I32) for n in range(count)], kernel.constant(LANES, I32)
    return [kernel.build(gpu.Shuffle, ones[n % 2], lane, width, mode="idx")[0] for n, lane in enumerate(lanes)]


def chosen(kernel: Kernel, numbers: Sequence[Value]) -> Value:
    """For each lane one of them; every other choice takes an earlier one again."""
    value, *others = numbers
    for n, other in enumerate(others):
        here = kernel.build(arith.CmpI, kernel.lane, kernel.index(n + 1), predicate="uge")
        before = value
        value = kernel.build(arith.Select, here, other, before)
        if n % 2:
            first = kernel.build(arith.CmpI, kernel.lane, kernel.index(2), predicate="ult")
            value = kernel.build(arith.Select, first, value, before)
    return value


@pytest.mark.parametrize("choices", [2, 3, 5, 9])
def test_numbers_of_others_between_stores_under_one_mask(choices):
    """Stores of one branch are written together, and what stands between them ahead: choices that are moves, or taken one by one."""
    kernel = Kernel([I32, I32, I32, F32])
    size, one = kernel.index(64), kernel.index(1)
    block = kernel.build(
        xegpu.CreateNdTdesc, kernel.args[3], (), (size,), (one,), result=xegpu.TensorDescType((16,), F32)
    )  # the kernel is for GPUs alone
    kernel.build(xegpu.PrefetchNd, block, (kernel.index(0),))
    mask = kernel.build(arith.CmpI, kernel.lane, kernel.index(9), predicate="ult")
    numbers = exchanged(kernel, choices + 1)
    kernel.build(xegpu.Store, kernel.constant(1, I32), kernel.args[1], kernel.lane, mask)
    kernel.build(xegpu.Store, chosen(kernel, numbers), kernel.args[2], kernel.lane, mask)
    kernel.emit()


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


@pytest.mark.every(3)
@pytest.mark.parametrize("kernel, kind, shape", CASES)
@pytest.mark.parametrize("device", ["sim:bmg", *(pytest.param(d, marks=pytest.mark.slow) for d in ("sim:pvc", "sim:dg2"))])
def test_numbers_of_other_lanes_on_simulated_gpus(device, kernel, kind, shape):
    tools.require_tool("ocloc")
    check(device, kernel, kind, shape)


@pytest.mark.every(4)
@pytest.mark.parametrize("kernel, kind, shape", CASES)
def test_numbers_of_other_lanes_where_gpus_are_emulated(monkeypatch, kernel, kind, shape):
    monkeypatch.setenv("XETILE_CPU", "emulate")
    check("cpu", kernel, kind, shape)
