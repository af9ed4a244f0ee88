"""What is known of whole numbers: their least and largest, in one place with their divisors and who has another one."""

import pytest

import xetile as xt
from tests.parity.run import uncompiled
from xetile.dialects import arith, gpu, scf, xetile
from xetile.dialects.gpu import GpuFunc
from xetile.dialects.types import I32, INDEX
from xetile.index_ranges import UNBOUNDED
from xetile.ir import analyses
from xetile.ir.builder import Builder, create
from xetile.ir.core import Block
from xetile.passes.analysis.numbers import Numbers
from xetile.runtime.compiler import trace


@xt.jit
def moved(A, C, n):
    """Offsets of all kinds: a program's, a counter's, what a loop carries, a scalar's."""
    down, up = xt.program_id(0) * 8, 0
    for i in range(4, 64, 4):
        tile = xt.load_tile(xt.init_tile(A, (down, i), (8, 16)))
        xt.store_tile(tile, xt.init_tile(C, (up, n), (8, 16)))
        down, up = down - 8, up + 8


def offsets(kind):
    module = trace(uncompiled(moved, "f16[?,?]", "f16[?,?]", "i32").request)
    kernel = module.kernel
    made = [op for op in kernel.walk() if isinstance(op, xetile.InitTile) and any(isinstance(u, kind) for u in op.result.users)]
    return analyses.get(Numbers, kernel), made[0].offsets


def test_offsets():
    numbers, (down, counter) = offsets(xetile.LoadTile)
    assert numbers.interval(counter) == (4, 60)
    assert not numbers.is_natural(down)
    assert numbers.zeros(down) == (3,) and numbers.zeros(counter) == (2,)
    assert not numbers.differ([down, counter])
    numbers, (up, scalar) = offsets(xetile.StoreTile)
    assert numbers.interval(up) == (0, UNBOUNDED)
    assert not numbers.is_natural(scalar)


def interval(make):
    """Of what is made of two arguments of a loop's body, an index and an i32, about which nothing is known."""
    body = Block([])
    kernel = create(GpuFunc, regions=[body], sym_name="kernel", args=())
    inner = Block([INDEX, INDEX, I32])
    build = Builder(body)
    zero, word = build(arith.Constant, value=0, result=INDEX), build(arith.Constant, value=0, result=I32)
    with build.at(inner):
        found = make(build, *inner.args[1:])
        build.op(scf.Yield, inner.args[1:])
    build.op(scf.For, zero, zero, zero, [zero, word], regions=[inner], values=[INDEX, I32])
    return analyses.get(Numbers, kernel).interval(found)


def number(build, value, type=I32):
    return build(arith.Constant, value=value, result=type)


@pytest.mark.parametrize(
    "make,expected",
    [
        (lambda b, x, w: b(arith.MulI, number(b, 1 << 20), number(b, 1 << 20)), (-(1 << 31), (1 << 31) - 1)),
        (lambda b, x, w: b(arith.AndI, number(b, -1), number(b, 7)), (0, 7)),
        (lambda b, x, w: b(arith.IndexCastUI, number(b, -1), result=INDEX), (0, (1 << 32) - 1)),
        (lambda b, x, w: b(arith.MaxSI, number(b, -5), number(b, -3)), (-3, -3)),
        (lambda b, x, w: b(arith.AddI, x, number(b, 3, INDEX)), (3, 3)),
    ],
    ids=["wraps as its type", "masked", "without a sign", "the larger", "carried unchanged"],
)
def test_rules(make, expected):
    assert interval(make) == expected


def reduced(*, size, cluster, use=lambda build, lane: lane):
    """Whether what lanes reduce differs: each lane's number modulo `size`, of which `cluster` are reduced together."""
    body = Block([])
    kernel = create(GpuFunc, regions=[body], sym_name="kernel", args=())
    build = Builder(body)
    lane = build(gpu.LaneId)
    if size:
        lane = build(arith.RemUI, lane, number(build, size, INDEX))
    found = build(gpu.SubgroupReduce, use(build, lane), kind="add", cluster_size=cluster)
    return analyses.get(Numbers, kernel).differ([found])


@pytest.mark.parametrize(
    "size,cluster,differs", [(None, None, False), (None, 8, True), (8, 8, False), (4, 8, False), (8, 4, True), (6, 8, True)]
)
def test_lanes_that_reduce_the_same_numbers_have_one(size, cluster, differs):
    assert reduced(size=size, cluster=cluster) is differs


def test_what_subgroups_differ_in_is_not_made_one_by_a_reduction():
    def and_subgroup(build, lane):
        return build(arith.AddI, lane, build(gpu.SubgroupId))

    assert reduced(size=8, cluster=8, use=and_subgroup)
