"""Operands of products that change hands between subgroups lie in shared memory in DPAS's order: block messages, and the same numbers."""

from __future__ import annotations

import re

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from tests.parity.run import uncompiled
from xetile.dialects import xegpu
from xetile.dialects.types import VectorType
from xetile.runtime.compiler import lowered

SIZE = 64


def product(side: str, element: xt.DType = xt.f16, acc: xt.DType = xt.f32):
    """out = y @ b, a @ y or y.T @ b with y = a * 2, by four subgroups that have rows of y, and others of what they multiply."""
    rows, blocks = xt.wg_map(sg_layout=(4, 1), sg_data=(16, 64)), xt.wg_map(sg_layout=(2, 2), sg_data=(32, 32))
    whole_rows, whole_columns = xt.wg_map(sg_layout=(2, 2), sg_data=(32, 64)), xt.wg_map(sg_layout=(2, 2), sg_data=(64, 32))

    @xt.jit(grid=(1,))
    def kernel(A, B, Out):
        y = xt.load_tile(xt.init_tile(A, (0, 0), (SIZE, SIZE), wg_map=rows)) * xt.full((SIZE, SIZE), 2, element)
        other = xt.load_tile(xt.init_tile(B, (0, 0), (SIZE, SIZE)))
        zeros = xt.zeros((SIZE, SIZE), acc)
        if side == "first":
            out = xt.tile_mma(xt.tile_conv_layout(y, whole_rows), other, zeros, wg_map=blocks)
        elif side == "second":
            out = xt.tile_mma(other, xt.tile_conv_layout(y, whole_columns), zeros, wg_map=blocks)
        else:
            out = xt.tile_mma(xt.tile_conv_layout(y.T, whole_rows), other, zeros, wg_map=blocks)
        xt.store_tile(out, xt.init_tile(Out, (0, 0), (SIZE, SIZE)))

    return kernel


def expected(side: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    y, b = 2 * a.astype(np.float64), b.astype(np.float64)
    return {"first": y @ b, "second": b @ y, "turned": y.T @ b}[side]


TYPES = [(xt.f16, xt.f32), (xt.bf16, xt.f32), (xt.i8, xt.i32)]


def launch(side: str, element: xt.DType, acc: xt.DType) -> Launch:
    random = np.random.default_rng(0)
    a, b = (random.integers(-8, 8, (SIZE, SIZE)).astype(element.numpy) for _ in range(2))
    arrays = {"A": a, "B": b, "Out": np.zeros((SIZE, SIZE), acc.numpy)}
    return Launch(product(side, element, acc), arrays, {"Out": expected(side, a, b).astype(acc.numpy)})


@pytest.mark.every(4)
@pytest.mark.every(10, 5)  # the turned ones take the driver ten seconds each: by default they run at each level
@pytest.mark.parametrize(("element", "acc"), TYPES, ids=lambda t: t.name)
@pytest.mark.parametrize("side", ["first", "second", "turned"])
def test_products_of_what_others_have(device, side, element, acc):
    launch(side, element, acc).on_device(device)


@pytest.mark.every(2, 1)
@pytest.mark.parametrize(("element", "acc"), TYPES, ids=lambda t: t.name)
def test_transposes_at_each_level(element, acc):
    launch("turned", element, acc).at_levels()


@pytest.mark.every(2)
@pytest.mark.parametrize(("side", "messages"), [("first", 8), ("second", 4), ("turned", 8)])
def test_they_are_read_by_block_messages(side, messages):
    lane = uncompiled(product(side), "f16[64,64]", "f16[64,64]", "f32[64,64]", target="pvc").ir["lane"]
    reads = re.findall(r"xegpu\.load_matrix.*", lane)
    # 32 rows, or columns, of 64: 16 rows of elements a message, or 16 rows of words.
    assert len(reads) == messages
    assert all("subgroup_block_io" in read for read in reads)
    assert len(re.findall(r"xegpu\.store_matrix", lane)) == 8


@xt.jit(grid=(1,))
def rounded_up(A, H, Out, a):
    """Two subgroups work out 24 of 48 rows of a second operand each, which are 32 as other values of the kernel are."""
    v = xt.clamp(xt.load_tile(xt.init_tile(H, (8, a % 5), (64, 16))).to(xt.f64), -7, 7).T
    places = (xt.arange(48)[None, :] % 5 - xt.arange(16)[:, None] % 3).to(xt.f64)
    v = v - xt.any(xt.tile_broadcast(xt.max(places, axis=1), (16, 48)) > 0, 1).to(xt.f64)
    for _ in range(a % 3, 5, 2):
        x = xt.clamp(xt.load_tile(xt.init_tile(A, (a % 5, 16), (64, 48)), padding=1).to(xt.f64), -7, 7).to(xt.f16)
        part = xt.init_tile(A, (0, 16), (48, 16), base_shape=(13, 18), base_strides=(A.stride(0), 1))
        y = xt.clamp(xt.load_tile(part, padding=1).to(xt.f64), -7, 7).to(xt.f16)
        v = xt.clamp(xt.tile_mma(x, y), -7, 7).to(xt.f64).T
    xt.store_tile(v, xt.init_tile(Out, (0, 0), (16, 64)))


@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
def test_subgroups_write_nothing_over_each_others_shares():
    """The rows that were added to the first one's lie where the second one's are, those of the second beyond the buffer."""
    compiled = rounded_up.compile("f32[?,?]", "f16[?,?]", "f64[?,?]", "i32", num_subgroups=2, target="bmg")
    shares = [line for line in compiled.ir["subgroup"].splitlines() if "valid" in line and "memory_space = 3" in line]
    assert len(shares) == 1 and "valid = array<i64: 24, -1>" in shares[0]
    stored = [op.operands[0].type for op in lowered(compiled.request).walk() if isinstance(op, xegpu.StoreMatrix)]
    assert sum(kind.count for kind in stored if isinstance(kind, VectorType)) == 24 // 2  # of each column, words of two rows
