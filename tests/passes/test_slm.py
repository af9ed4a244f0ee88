"""Exchanges through shared local memory: barriers where subgroups would race, and no more; buffers take turns."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.passes.parity import check_parity, ops, races, text
from xetile.dialects import arith, gpu, scf, xetile
from xetile.dialects.types import F32, INDEX, MemRefType
from xetile.ir.builder import Builder
from xetile.ir.core import Block
from xetile.passes.common.slm import place_barriers

rng = np.random.default_rng(4)
ROWS, COLUMNS, GRID = xt.wg_map((8, 1), (4, 64)), xt.wg_map((1, 8), (32, 8)), xt.wg_map((4, 2), (8, 32))


def floats(*shape):
    return rng.standard_normal(shape).astype(np.float32)


@xt.jit
def chain(X, Y, n):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (32, 64), wg_map=ROWS)) + 1.0
    x = xt.tile_conv_layout(x, wg_map=COLUMNS) * 2.0
    x = xt.tile_conv_layout(x, wg_map=GRID) + 3.0
    x = xt.tile_conv_layout(x, wg_map=ROWS)
    xt.store_tile(x, xt.init_tile(Y, (0, 0), (32, 64)))


@xt.jit
def loop(X, Y, n):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (32, 64), wg_map=ROWS))
    for _ in range(n):
        x = xt.tile_conv_layout(xt.tile_conv_layout(x + 1.0, wg_map=COLUMNS) * 2.0, wg_map=ROWS)
    xt.store_tile(x, xt.init_tile(Y, (0, 0), (32, 64)))


@xt.jit
def statistics(X, Y, n):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (2, 128)))
    for _ in range(n):
        x = x - xt.max(x, axis=1)
        x = x / xt.sum(x, axis=1)
    xt.store_tile(x, xt.init_tile(Y, (0, 0), (2, 128)))


@xt.jit
def branch(X, Y, n):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (32, 64), wg_map=ROWS))
    for i in range(n):
        if i % 2 == 0:
            x = xt.tile_conv_layout(xt.tile_conv_layout(x + 1.0, wg_map=COLUMNS), wg_map=ROWS)
    xt.store_tile(x, xt.init_tile(Y, (0, 0), (32, 64)))


# kernel, shape, buffers, barriers
KERNELS = [(chain, (32, 64), 2, 3), (loop, (32, 64), 2, 2), (statistics, (2, 128), 2, 2), (branch, (32, 64), 2, 2)]


@pytest.mark.parametrize("kernel,shape,buffers,barriers", KERNELS, ids=[k[0].fn.__name__ for k in KERNELS])
def test_barriers_are_enough_and_no_more(kernel, shape, buffers, barriers):
    args = {"X": np.abs(floats(*shape)), "Y": floats(*shape), "n": 3}
    _, modules = check_parity(kernel.fn, (1,), args, subgroups=8)
    module = modules["subgroup"]
    assert len(ops(module, "memref.alloca")) == buffers
    assert len(ops(module, "gpu.barrier")) == barriers, text(module)
    assert not races(module.kernel)
    for barrier in ops(module, "gpu.barrier"):
        block, place = barrier.parent, barrier.parent.ops.index(barrier)
        block.remove(barrier)
        assert races(module.kernel), "this barrier is not needed"
        block.insert(place, [barrier])


def test_a_branch_that_only_some_subgroups_take_gets_its_barrier_before():
    body, then = Block(), Block()
    build = Builder(body)
    func = build.op(gpu.GpuFunc, sym_name="k", args=(), regions=[Block([INDEX])])
    build.block = func.body
    (buffer,) = (build(gpu.Alloca, result=MemRefType((8, 16), F32, None, 3)),)
    zero = func.body.args[0]
    tile = build(xetile.InitTile, buffer, [zero] * 2, [zero] * 2, [zero] * 2, result=xetile.TileType((8, 16), F32, space=3))
    value = build(xetile.LoadTile, tile)
    me = build(gpu.SubgroupId)
    first = build(arith.CmpI, me, zero, predicate="eq")
    with build.at(then):
        build(xetile.StoreTile, value, tile)
        build(scf.Yield)
    branch = build.op(scf.If, first, regions=[then, Block()], values=[])
    build(gpu.Return)
    place_barriers(func, {buffer})
    assert [op.opname for op in then.ops] == ["xetile.store_tile", "scf.yield"]
    assert func.body.ops[func.body.ops.index(branch) - 1].opname == "gpu.barrier"


@xt.jit
def masks(X, Y):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (32, 64), wg_map=ROWS))
    odd = xt.tile_conv_layout(x > 0.0, wg_map=COLUMNS)
    place = xt.tile_conv_layout(xt.arange(0, 64)[None, :] + xt.zeros((32, 64), xt.i32) + (x * 4.0).to(xt.i32), wg_map=COLUMNS)
    xt.store_tile(xt.where(odd, place, 0).to(xt.i32), xt.init_tile(Y, (0, 0), (32, 64)))


def test_masks_and_integers_cross_too():
    args = {"X": floats(32, 64), "Y": np.zeros((32, 64), np.int32)}
    out, _ = check_parity(masks.fn, (1,), args)
    np.testing.assert_array_equal(out["Y"], np.where(args["X"] > 0, np.arange(64) + (args["X"] * 4).astype(np.int32), 0))
