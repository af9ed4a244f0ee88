"""Debug mode on kernels built by hand: what it finds in shared local memory, between programs and at barriers, and what not."""

from __future__ import annotations

import numpy as np
import pytest
from build import Kernel, matmul, passed
from xetile.backends.reference.checks import DivergentBarrierError, OutOfBoundsError, RaceError, UndefinedValueError
from xetile.backends.reference.interpret import interpret

import xetile as xt
from xetile.dialects import arith, gpu, scf, xegpu, xetile
from xetile.dialects.types import F32, I1, I8, I32, I64, INDEX, MemRefType, VectorType
from xetile.errors import LaunchError, Location
from xetile.ir.core import Block

BLOCK = VectorType((8, 16), F32)


class Placed(Kernel):
    """Each op stands on a line of its own."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.line = 0

    def at(self, line):
        return self.build.located(Location("kernel.py", line))


def exchange(barrier, subgroups=4):
    """Each subgroup writes a block to shared memory and reads its neighbour's."""
    k = Placed({"A": F32, "R": F32}, num_subgroups=subgroups)
    zero, sg = k.const(0), k.build(gpu.SubgroupId)
    slm = k.build(gpu.Alloca, result=MemRefType((subgroups * 8 * 16 * 4,), I8, None, 3))
    matrix = k.build(xegpu.CreateMemDesc, slm, result=xegpu.MemDescType((subgroups * 8, 16), F32))
    mine = k.mul(sg, k.const(8))
    v = k.build(xegpu.LoadNd, k.desc("A", (8, 16)), (mine, zero), value=BLOCK)
    with k.at(10):
        k.build(xegpu.StoreMatrix, v, matrix, (mine, zero))
    if barrier:
        k.build(barrier)
    next_ = k.build(arith.RemUI, k.add(mine, k.const(8)), k.const(subgroups * 8))
    with k.at(20):
        w = k.build(xegpu.LoadMatrix, matrix, (next_, zero), value=BLOCK)
    k.build(xegpu.StoreNd, w, k.desc("R", (8, 16)), (mine, zero))
    return k.done()


def run(module, *arrays, grid=(1,), level="subgroup", **options):
    interpret(module, grid, passed(*arrays), level=level, debug=True, **options)


def blocks(count=4):
    return np.arange(count * 128, dtype=np.float32).reshape(count * 8, 16), np.zeros((count * 8, 16), np.float32)


def test_a_missing_barrier_is_reported_with_both_lines():
    a, r = blocks()
    with pytest.raises(RaceError) as error:
        run(exchange(None), a, r)
    text = str(error.value)
    assert error.value.at.line == 20 and "kernel.py:10" in text and "no barrier" in text and "subgroup" in text


def test_with_the_barrier_nothing_is_reported():
    a, r = blocks()
    run(exchange(gpu.Barrier), a, r)
    assert (r == np.roll(a, -8, axis=0)).all()


def test_a_fence_is_no_barrier():
    a, r = blocks()
    k_fence = exchange(None)
    run_ok = exchange(gpu.Barrier)
    run(run_ok, a, r)
    with pytest.raises(RaceError):
        run(k_fence, a, r)


def test_one_subgroup_needs_no_barrier():
    a, r = blocks(1)
    run(exchange(None, 1), a, r)
    assert (r == a).all()


def test_a_missing_barrier_after_reading_is_reported():
    """In a loop: write, barrier, read the neighbour's, and write again while others still read."""
    for with_second in (True, False):
        k = Placed({"A": F32, "R": F32}, num_subgroups=2)
        zero, sg = k.const(0), k.build(gpu.SubgroupId)
        slm = k.build(gpu.Alloca, result=MemRefType((2 * 8 * 16 * 4,), I8, None, 3))
        matrix = k.build(xegpu.CreateMemDesc, slm, result=xegpu.MemDescType((16, 16), F32))
        mine, other = k.mul(sg, k.const(8)), k.build(arith.SubI, k.const(8), k.mul(sg, k.const(8)))
        v = k.build(xegpu.LoadNd, k.desc("A", (8, 16)), (mine, zero), value=BLOCK)

        def body(i, value, k=k, matrix=matrix, mine=mine, other=other, zero=zero, with_second=with_second):
            with k.at(10):
                k.build(xegpu.StoreMatrix, value, matrix, (mine, zero))
            k.build(gpu.Barrier)
            with k.at(20):
                got = k.build(xegpu.LoadMatrix, matrix, (other, zero), value=BLOCK)
            if with_second:
                k.build(gpu.Barrier)
            return [got]

        (last,) = k.loop(zero, k.const(4), k.const(1), [v], body)
        k.build(xegpu.StoreNd, last, k.desc("R", (8, 16)), (mine, zero))
        module = k.done()
        a, r = blocks(2)
        if with_second:
            run(module, a, r)
            assert (r == a).all()
        else:
            with pytest.raises(RaceError) as error:
                run(module, a, r)
            assert error.value.at.line == 10 and "kernel.py:20" in str(error.value)


def test_split_barriers_order_what_came_before_the_arrival():
    for early in (True, False):
        k = Placed({"A": F32, "R": F32}, num_subgroups=2)
        zero, sg = k.const(0), k.build(gpu.SubgroupId)
        slm = k.build(gpu.Alloca, result=MemRefType((2 * 8 * 16 * 4,), I8, None, 3))
        matrix = k.build(xegpu.CreateMemDesc, slm, result=xegpu.MemDescType((16, 16), F32))
        mine, other = k.mul(sg, k.const(8)), k.build(arith.SubI, k.const(8), k.mul(sg, k.const(8)))
        v = k.build(xegpu.LoadNd, k.desc("A", (8, 16)), (mine, zero), value=BLOCK)
        if not early:
            k.build(gpu.BarrierArrive)
        k.build(xegpu.StoreMatrix, v, matrix, (mine, zero))
        if early:
            k.build(gpu.BarrierArrive)
        k.build(gpu.BarrierWait)
        w = k.build(xegpu.LoadMatrix, matrix, (other, zero), value=BLOCK)
        k.build(xegpu.StoreNd, w, k.desc("R", (8, 16)), (mine, zero))
        a, r = blocks(2)
        if early:
            run(k.done(), a, r)
            assert (r == np.roll(a, 8, axis=0)).all()
        else:
            with pytest.raises(RaceError):
                run(k.done(), a, r)


def test_shared_memory_that_nobody_wrote_is_undefined():
    k = Placed({"R": F32}, num_subgroups=1)
    slm = k.build(gpu.Alloca, result=MemRefType((8, 16), F32, None, 3))
    zero, one, rows, columns = (k.const(n) for n in (0, 1, 8, 16))
    tile = k.build(
        xetile.InitTile, slm, (zero, zero), (rows, columns), (columns, one), result=xetile.TileType((8, 16), F32, space=3)
    )
    with k.at(5):
        v = k.build(xetile.LoadTile, tile)
    k.build(xetile.StoreTile, v, k.tile("R", (zero, zero), (8, 16)))
    with pytest.raises(UndefinedValueError, match="nothing has been written") as error:
        run(k.done(), np.zeros((8, 16), np.float32), level="workgroup")
    assert error.value.at.line == 5


def test_arrays_marked_undefined():
    a, r = np.zeros((8, 16), np.float32), np.zeros((8, 16), np.float32)
    for write_first in (True, False):
        k = Placed({"A": F32, "R": F32})
        zero = k.const(0)
        tile = k.tile("A", (zero, zero), (8, 16))
        if write_first:
            k.build(xetile.StoreTile, k.const(1.0, BLOCK), tile)
        k.build(xetile.StoreTile, k.build(xetile.LoadTile, tile), k.tile("R", (zero, zero), (8, 16)))
        if write_first:
            run(k.done(), a, r, undefined=["A"], level="workgroup")
        else:
            with pytest.raises(UndefinedValueError, match="A"):
                run(k.done(), a, r, undefined=["A"], level="workgroup")


def barrier_under(condition_of, subgroups=4):
    k = Placed({"R": F32}, num_subgroups=subgroups)
    blocks_ = [Block(), Block()]
    k.build.op(scf.If, condition_of(k), regions=blocks_, values=[])
    with k.build.at(blocks_[0]), k.at(30):
        k.build(gpu.Barrier)
        k.build(scf.Yield)
    return k.done()


def test_a_barrier_that_some_subgroups_miss_is_reported_always():
    def some(k):
        return k.build(arith.CmpI, k.build(gpu.SubgroupId), k.const(2), predicate="ult")

    with pytest.raises(DivergentBarrierError) as error:
        interpret(barrier_under(some), (1,), passed(np.zeros((1, 1), np.float32)))
    assert error.value.at.line == 30 and "subgroup 2" in str(error.value)


def test_a_barrier_that_whole_programs_miss_is_fine():
    def some(k):
        return k.build(arith.CmpI, k.pid("x"), k.const(2), predicate="ult")

    run(barrier_under(some), np.zeros((1, 1), np.float32), grid=(5,))


def copy_rows(offset):
    """Program y reads row y + offset and writes row y of the same array."""
    k = Placed({"A": F32})
    y = k.pid("y")
    with k.at(10):
        v = k.build(xetile.LoadTile, k.tile("A", (k.add(y, k.const(offset)), k.const(0)), (1, 16)))
    with k.at(20):
        k.build(xetile.StoreTile, k.build(arith.AddF, v, v), k.tile("A", (y, k.const(0)), (1, 16)))
    return k.done()


@pytest.mark.parametrize("budget", [1 << 20, 1])
@pytest.mark.parametrize("offset", [-1, 1])
def test_programs_that_read_what_others_write(offset, budget):
    a = np.ones((6, 16), np.float32)
    with pytest.raises(RaceError) as error:
        run(copy_rows(offset), a, grid=(1, 6), level="workgroup", budget_bytes=budget)
    assert error.value.at.line in (10, 20) and "program (x=0, y=" in str(error.value)
    run(copy_rows(0), np.ones((6, 16), np.float32), grid=(1, 6), level="workgroup", budget_bytes=budget)


@pytest.mark.parametrize("same", [True, False])
def test_programs_that_write_the_same_element(same):
    k = Placed({"A": F32})
    y = k.build(arith.IndexCast, k.pid("y"), result=I32)
    value = k.build(arith.SIToFP, k.const(3, I32) if same else y, result=F32)
    from xetile.dialects import vector

    with k.at(7):
        k.build(xetile.StoreTile, k.build(vector.Broadcast, value, result=VectorType((1, 16), F32)),
                k.tile("A", (k.const(0), k.const(0)), (1, 16)))  # fmt: skip
    a = np.zeros((1, 16), np.float32)
    if same:
        run(k.done(), a, grid=(1, 3), level="workgroup")
        assert (a == 3).all()
    else:
        with pytest.raises(RaceError, match="different values") as error:
            run(k.done(), a, grid=(1, 3), level="workgroup")
        assert error.value.at.line == 7


def test_gathers_and_scatters_outside_raise_unless_masked():
    for masked in (True, False):
        k = Placed({"A": F32})
        offsets = k.const((0, 5, 99, -1), VectorType((1, 4), INDEX))
        mask = k.const((True, True, not masked, not masked), VectorType((1, 4), I1))
        with k.at(3):
            tile = k.build(xetile.InitTile, k.args["A"], (offsets,), (), (), result=xetile.TileType((1, 4), F32, scatter=True))
            v = k.build(xetile.LoadGather, tile, mask)
            k.build(xetile.StoreScatter, v, mask, tile)
        a = np.zeros((1, 16), np.float32)
        if masked:
            run(k.done(), a, level="workgroup")
        else:
            with pytest.raises(OutOfBoundsError, match=r"offset 99.*A with 16 elements") as error:
                run(k.done(), a, level="workgroup")
            assert error.value.at.line == 3


def test_index_overflow_and_division_by_zero():
    k = Placed({"A": F32}, index_bits=32)
    with k.at(4):
        k.mul(k.const(1 << 20), k.add(k.pid("y"), k.const(1 << 10)))
    run(k.done(), np.zeros((1, 1), np.float32), grid=(1, 3))
    k = Placed({"A": F32}, index_bits=32)
    with k.at(4):
        k.mul(k.const(1 << 20), k.add(k.pid("y"), k.const((1 << 11) - 1)))
    with pytest.raises(UndefinedValueError, match=r"2147483648 does not fit 32 bits") as error:
        run(k.done(), np.zeros((1, 1), np.float32), grid=(1, 3))
    assert error.value.at.line == 4 and "y=1" in str(error.value)
    k = Placed({"A": F32})
    k.build(arith.DivSI, k.const(1, I64), k.build(arith.IndexCast, k.pid("y"), result=I64))
    with pytest.raises(UndefinedValueError, match="divides by zero"):
        run(k.done(), np.zeros((1, 1), np.float32), grid=(1, 3))


def test_a_correct_kernel_is_silent_and_gives_the_same():
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((50, 40)).astype(np.float32), rng.standard_normal((40, 70)).astype(np.float32)
    plain, checked = np.zeros((50, 70), np.float32), np.zeros((50, 70), np.float32)
    module = matmul(F32, F32, 16, 16, 16)
    interpret(module, (5, 4), passed(a, b, plain))
    seen = []
    interpret(module, (5, 4), passed(a, b, checked), debug=True, undefined=["C"], watch=lambda op, value: seen.append(op.opname))
    assert np.allclose(plain, checked, atol=1e-5) and "xetile.tile_mma" in seen


# Subgroups of their own.


def produce_and_consume(consumer_first, participants=2, turns=3):
    """Subgroup 0 hands blocks to subgroup 1 through one slot: barrier 0 says full, barrier 1 says empty."""
    k = Placed({"A": F32, "R": F32}, num_subgroups=2)
    zero, one, eight = k.const(0), k.const(1), k.const(8)
    k.build(xegpu.AllocNbarrier, nbarrier_num=2)
    count = k.const(participants, I8)
    full, empty = (k.build(xegpu.InitNbarrier, k.const(n, I8), count) for n in (0, 1))
    slm = k.build(gpu.Alloca, result=MemRefType((8 * 16 * 4,), I8, None, 3))
    matrix = k.build(xegpu.CreateMemDesc, slm, result=xegpu.MemDescType((8, 16), F32))
    source, dest = k.desc("A", (8, 16)), k.desc("R", (8, 16))

    def meet(barrier):
        k.build(xegpu.NbarrierArrive, barrier)
        k.build(xegpu.NbarrierWait, barrier)

    def produce(i):
        v = k.build(xegpu.LoadNd, source, (k.mul(i, eight), zero), value=BLOCK)
        k.build(xegpu.StoreMatrix, v, matrix, (zero, zero))
        meet(full)
        meet(empty)
        return []

    def consume(i):
        meet(full)
        v = k.build(xegpu.LoadMatrix, matrix, (zero, zero), value=BLOCK)
        k.build(xegpu.StoreNd, v, dest, (k.mul(i, eight), zero))
        meet(empty)
        return []

    produces = k.build(arith.CmpI, k.build(gpu.SubgroupId), zero, predicate="ne" if consumer_first else "eq")
    regions = [Block(), Block()]
    k.build.op(scf.If, produces, regions=regions, values=[])
    for region, body in zip(regions, (consume, produce) if consumer_first else (produce, consume)):
        with k.build.at(region):
            k.loop(zero, k.const(turns), one, [], body)
            k.build(scf.Yield)
    return k.done()


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize("consumer_first", [False, True])
def test_producers_and_consumers_meet_at_named_barriers(consumer_first, debug):
    a, r = blocks(3)
    interpret(produce_and_consume(consumer_first), (1,), passed(a, r), debug=debug)
    assert (r == a).all()


def test_a_barrier_that_never_opens_is_reported():
    a, r = blocks(3)
    with pytest.raises(DivergentBarrierError, match="never open"):
        interpret(produce_and_consume(True, participants=3), (1,), passed(a, r))


def test_errors_inside_a_task_come_out():
    k = Placed({"A": F32}, num_subgroups=2)
    barrier = k.build(xegpu.InitNbarrier, k.const(0, I8), k.const(2, I8))
    k.build(xegpu.NbarrierArrive, barrier)
    k.build(xegpu.NbarrierWait, barrier)
    size = k.const(16)
    fake = k.build(arith.IndexCast, size, result=I64)
    k.build(xegpu.CreateNdTdesc, fake, (), (size, size), (size, size), result=xegpu.TensorDescType((8, 16), F32))
    with pytest.raises(LaunchError, match="follows addresses only to arrays"):
        interpret(k.done(), (1,), passed(np.zeros((16, 16), np.float32)))


def test_outputs_that_are_left_unwritten_are_told():
    @xt.jit(out={"Y": lambda X: xt.empty(X.shape, X.dtype)}, grid=(1,))
    def first_eight(X, Y):
        xt.store_tile(xt.load_tile(xt.init_tile(X, 0, (8,))), xt.init_tile(Y, 0, (8,)))

    with xt.debug():
        assert first_eight(np.ones(8, np.float32)).all()
        with pytest.raises(UndefinedValueError, match=r"writes 12 of the 20 elements of Y, .*; the first is Y.flat\[8\]"):
            first_eight(np.ones(20, np.float32))
        given = np.zeros(20, np.float32)
        first_eight(np.ones(20, np.float32), given)  # what the caller gives holds something
        assert given.sum() == 8
