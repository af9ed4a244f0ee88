"""xegpu at workgroup and subgroup level: blocks, scattered elements, shared local memory."""

from __future__ import annotations

import numpy as np
import pytest
from build import Kernel, passed
from xetile.backends.reference.interpret import interpret

from xetile.dialects import arith, gpu, vector, xegpu
from xetile.dialects.types import F16, F32, I1, I8, I16, I32, INDEX, MemRefType, VectorType
from xetile.errors import LaunchError
from xetile.ir.core import UNIT
from xetile.layout import Layout, MemLayout


def at_zero(k):
    return (k.const(0), k.const(0))


def run(k, *arrays, grid=(1,), level="subgroup", valid=True):
    interpret(k.done(valid=valid), grid, passed(*arrays), level=level)


def test_packed_load():
    a = np.arange(16 * 16, dtype=np.int16).reshape(16, 16)
    out = np.zeros((8, 32), np.int16)
    k = Kernel({"A": I16, "R": I16})
    v = k.build(xegpu.LoadNd, k.desc("A", (16, 16)), at_zero(k), packed=UNIT, value=VectorType((8, 16, 2), I16))
    flat = k.build(vector.ShapeCast, v, result=VectorType((8, 32), I16))
    k.build(xegpu.StoreNd, flat, k.desc("R", (8, 32)), at_zero(k))
    run(k, a, out)
    assert (out.reshape(8, 16, 2) == a.reshape(8, 2, 16).swapaxes(1, 2)).all()


def test_packed_blocks_side_by_side():
    a = np.arange(32 * 32, dtype=np.int8).reshape(32, 32)
    out = np.zeros((16, 64), np.int8)
    k = Kernel({"A": I8, "R": I8})
    desc = k.desc("A", (32, 16), array_length=2)
    v = k.build(xegpu.LoadNd, desc, at_zero(k), packed=UNIT, value=VectorType((2, 8, 16, 4), I8))
    k.build(xegpu.StoreNd, k.build(vector.ShapeCast, v, result=VectorType((16, 64), I8)), k.desc("R", (16, 64)), at_zero(k))
    run(k, a, out)
    expected = a.reshape(8, 4, 2, 16).transpose(2, 0, 3, 1)
    assert (out.reshape(2, 8, 16, 4) == expected).all()


def test_transposing_load_and_moving_descriptors():
    a = np.arange(40 * 24, dtype=np.float32).reshape(40, 24)
    out = np.zeros((8, 16), np.float32)
    k = Kernel({"A": F32, "R": F32})
    moved = k.build(xegpu.UpdateNdOffset, k.desc("A", (16, 8)), (k.const(3), k.const(5)))
    v = k.build(xegpu.LoadNd, moved, (k.const(10), k.const(1)), transpose=(1, 0), value=VectorType((8, 16), F32))
    k.build(xegpu.PrefetchNd, moved, ())
    k.build(xegpu.StoreNd, v, k.desc("R", (8, 16)), at_zero(k))
    run(k, a, out)
    assert (out == a[13:29, 6:14].T).all()


@pytest.mark.parametrize("level", ["subgroup", "workgroup"])
def test_dpas_with_plain_and_packed_b(level):
    rng = np.random.default_rng(0)
    a, b = rng.integers(-3, 4, (8, 16)).astype(np.float16), rng.integers(-3, 4, (16, 16)).astype(np.float16)
    c = np.zeros((8, 16), np.float32)
    k = Kernel({"A": F16, "B": F16, "C": F32})
    va = k.build(xegpu.LoadNd, k.desc("A", (8, 16)), at_zero(k), value=VectorType((8, 16), F16))
    plain = k.build(xegpu.LoadNd, k.desc("B", (16, 16)), at_zero(k), value=VectorType((16, 16), F16))
    packed = k.build(xegpu.LoadNd, k.desc("B", (16, 16)), at_zero(k), packed=UNIT, value=VectorType((8, 16, 2), F16))
    first = k.build(xegpu.Dpas, va, plain, result=VectorType((8, 16), F32))
    k.build(xegpu.StoreNd, k.build(xegpu.Dpas, va, packed, first), k.desc("C", (8, 16)), at_zero(k))
    run(k, a, b, c, level=level)
    assert (c == 2 * (a.astype(np.float32) @ b.astype(np.float32))).all()


def test_subgroups_work_on_their_own_blocks():
    """Four subgroups in a 2 x 2 grid copy their quarter, transposed among themselves."""
    a = np.arange(16 * 32, dtype=np.float32).reshape(16, 32)
    out = np.zeros((16, 32), np.float32)
    k = Kernel({"A": F32, "R": F32}, num_subgroups=4)
    sg, two = k.build(gpu.SubgroupId), k.const(2)
    y, x = k.build(arith.DivUI, sg, two), k.build(arith.RemUI, sg, two)
    v = k.build(xegpu.LoadNd, k.desc("A", (8, 16)), (k.mul(y, k.const(8)), k.mul(x, k.const(16))), value=VectorType((8, 16), F32))
    k.build(xegpu.StoreNd, v, k.desc("R", (8, 16)), (k.mul(x, k.const(8)), k.mul(y, k.const(16))))
    run(k, a, out)
    assert (out[:8, :16] == a[:8, :16]).all() and (out[8:, :16] == a[:8, 16:]).all() and (out[:8, 16:] == a[8:, :16]).all()


@pytest.mark.parametrize("chunk", [1, 2, 4])
def test_scattered_descriptors_and_chunks(chunk):
    """Seed 002, create_tdesc, examples 1 and 2: a[0], a[16], ... with a chunk from each."""
    a = np.arange(80, dtype=np.float32).reshape(1, 80)
    out = np.full((1, 80), -1, np.float32)
    offsets, mask = (0, 16, 32, 64), (True, True, False, True)
    shape = (4,) if chunk == 1 else (4, chunk)
    k = Kernel({"A": F32, "R": F32})
    off, active = k.const(offsets, VectorType((4,), INDEX)), k.const(mask, VectorType((4,), I1))
    type = xegpu.TensorDescType(shape, F32, xegpu.ScatterAttr(chunk_size=chunk))
    source, dest = (k.build(xegpu.CreateTdesc, k.flat(n), off, result=type) for n in "AR")
    source = k.build(xegpu.UpdateOffset, source, k.const(3, VectorType((4,), INDEX)))
    v = k.build(xegpu.Load, source, None, active, value=VectorType(shape, F32))
    k.build(xegpu.Prefetch, source, None)
    k.build(xegpu.Store, v, dest, None, active)
    run(k, a, out)
    expected = np.full(80, -1)
    for o, on in zip(offsets, mask):
        if on:
            expected[o : o + chunk] = a[0, o + 3 : o + 3 + chunk]
    assert out[0].tolist() == expected.tolist()


def test_base_with_offsets_of_any_rank():
    a = np.arange(64, dtype=np.int32).reshape(1, 64)
    out = np.zeros((1, 64), np.int32)
    k = Kernel({"A": I32, "R": I32})
    shape = (4, 8)
    off = k.const(tuple(63 - i for i in range(32)), VectorType(shape, INDEX))
    to = k.const(tuple(range(32)), VectorType(shape, INDEX))
    mask = k.const(True, VectorType(shape, I1))
    v = k.build(xegpu.Load, k.flat("A"), off, mask, value=VectorType(shape, I32))
    k.build(xegpu.Store, v, k.flat("R"), to, mask)
    run(k, a, out, level="workgroup")
    assert out[0, :32].tolist() == list(range(63, 31, -1)) and not out[0, 32:].any()


def test_atomics_on_scattered_elements():
    a = np.zeros((1, 8), np.int32)
    old = np.zeros((1, 8), np.int32)
    k = Kernel({"A": I32, "R": I32})
    off = k.const((0, 0, 0, 5, 5, 7, 1, 99), VectorType((8,), INDEX))
    mask = k.const((True,) * 6 + (False, True), VectorType((8,), I1))
    desc = k.build(xegpu.CreateTdesc, k.flat("A"), off, result=xegpu.TensorDescType((8,), I32, xegpu.ScatterAttr()))
    found = k.build(xegpu.AtomicRmw, desc, mask, k.const(tuple(range(1, 9)), VectorType((8,), I32)), kind="addi")
    every = k.const(True, VectorType((8,), I1))
    k.build(xegpu.Store, found, k.flat("R"), k.const(tuple(range(8)), VectorType((8,), INDEX)), every)
    run(k, a, old)
    assert a[0].tolist() == [6, 0, 0, 0, 0, 9, 0, 6] and old[0].tolist() == [0, 1, 3, 0, 4, 0, 0, 0]


# Shared local memory.

MATRICES = [
    ("row-major", None),
    ("column-major", xegpu.MemLayoutAttr(stride=(1, 16))),
    ("blocked", xegpu.MemLayoutAttr(block=(8, 8))),
    ("column-major, blocked", xegpu.MemLayoutAttr(stride=(1, 16), block=(8, 8))),
]


def shared_matrix(k, layout, shape=(16, 32), element=F16):
    size = shape[0] * shape[1] * element.bits // 8
    slm = k.build(gpu.Alloca, result=MemRefType((size,), I8, None, 3))
    return slm, k.build(xegpu.CreateMemDesc, slm, result=xegpu.MemDescType(shape, element, layout))


@pytest.mark.parametrize("layout", [m[1] for m in MATRICES], ids=[m[0] for m in MATRICES])
def test_matrices_in_shared_memory_lie_as_their_layout_says(layout):
    a = np.arange(16 * 32, dtype=np.int16).reshape(16, 32)
    back, raw = np.zeros((8, 16), np.int16), np.zeros((1, 512), np.int16)
    k = Kernel({"A": I16, "R": I16, "S": I16})
    slm, matrix = shared_matrix(k, layout, element=I16)
    whole = k.build(xegpu.LoadNd, k.desc("A", (16, 32)), at_zero(k), value=VectorType((16, 32), I16))
    k.build(xegpu.StoreMatrix, whole, matrix, at_zero(k))
    k.build(gpu.Barrier)
    inner = xegpu.MemLayoutAttr((layout and layout.stride) or (32, 1), (layout and layout.block) or ())
    view = k.build(xegpu.MemDescSubview, matrix, (k.const(8), k.const(8)), result=xegpu.MemDescType((8, 24), I16, inner))
    part = k.build(xegpu.LoadMatrix, view, (k.const(0), k.const(3)), value=VectorType((8, 16), I16))
    k.build(xegpu.StoreNd, part, k.desc("R", (8, 16)), at_zero(k))
    numbers = k.const(tuple(range(512)), VectorType((512,), INDEX))
    every = k.const(True, VectorType((512,), I1))
    words = k.build(gpu.ElementCast, slm, result=MemRefType((512,), I16, None, 3))
    k.build(xegpu.Store, k.build(xegpu.Load, words, numbers, every, value=VectorType((512,), I16)), k.flat("S"), numbers, every)
    run(k, a, back, raw)
    assert (back == a[8:16, 11:27]).all()
    memory = MemLayout((16, 32), *((layout.stride, layout.block) if layout else ()))
    for i in range(16):
        for j in range(32):
            assert raw[0, memory.address((i, j))] == a[i, j]


def test_each_lane_reads_its_own_row_of_a_matrix():
    a = np.arange(16 * 8, dtype=np.float32).reshape(16, 8)
    out = np.zeros((16, 4), np.float32)
    k = Kernel({"A": F32, "R": F32})
    _, matrix = shared_matrix(k, None, (16, 8), F32)
    lane = k.build(gpu.LaneId)
    on = k.const(True, I1)
    row = k.build(xegpu.Load, k.flat("A"), k.mul(lane, k.const(8)), on, value=VectorType((8,), F32))
    k.build(xegpu.StoreMatrix, row, matrix, (lane, k.const(0)))
    v = k.build(xegpu.LoadMatrix, matrix, (lane, k.const(2)), value=VectorType((4,), F32))
    k.build(xegpu.Store, v, k.flat("R"), k.mul(lane, k.const(4)), on)
    run(k, a, out, level="lane")
    assert (out == a[:, 2:6]).all()


def block_message_kernel(*, same):
    """A's 64 numbers by four neighbours a lane, written in turn, read in neighbours, and the same the other way round."""
    k = Kernel({"A": F32, "R": F32})
    _, matrix = shared_matrix(k, None, (2, 64), F32)
    mine, on, zero, one = k.mul(k.build(gpu.LaneId), k.const(4)), k.const(True, I1), k.const(0), k.const(1)
    row = k.build(xegpu.Load, k.flat("A"), mine, on, value=VectorType((4,), F32))
    k.build(xegpu.StoreMatrix, row, matrix, (one, zero), subgroup_block_io=UNIT)
    k.build(xegpu.StoreMatrix, k.build(xegpu.LoadMatrix, matrix, (one, mine), value=VectorType((4,), F32)), matrix, (zero, mine))
    at = (zero, zero if same else mine)
    v = k.build(xegpu.LoadMatrix, matrix, at, value=VectorType((4,), F32), subgroup_block_io=UNIT)
    k.build(xegpu.Store, k.build(arith.MulF, v, row), k.flat("R"), mine, on)
    return k


def test_a_block_message_deals_elements_to_the_lanes_in_turn():
    """LLVM 22, subgroup_block_io: the same coordinates in all lanes."""
    a, out = np.arange(64, dtype=np.float32).reshape(16, 4), np.zeros((16, 4), np.float32)
    run(block_message_kernel(same=True), a, out, level="lane")
    assert (out == a * a).all()
    with pytest.raises(LaunchError, match="differ between lanes"):
        run(block_message_kernel(same=False), a, out, level="lane")


def test_convert_layout_changes_nothing_but_has_no_meaning_for_lanes():
    rows, columns = Layout(lane_layout=(16, 1), lane_data=(1, 1)), Layout(lane_layout=(1, 16), lane_data=(1, 1))
    a, out = np.arange(256, dtype=np.float32).reshape(16, 16), np.zeros((16, 16), np.float32)

    def kernel(shape):
        k = Kernel({"A": F32, "R": F32})
        v = k.build(xegpu.LoadNd, k.desc("A", (16, 16)), at_zero(k), value=VectorType(shape, F32))
        k.build(
            xegpu.StoreNd,
            k.build(xegpu.ConvertLayout, v, input_layout=rows, target_layout=columns),
            k.desc("R", (16, 16)),
            at_zero(k),
        )
        return k

    run(kernel((16, 16)), a, out)
    assert (out == a).all()
    with pytest.raises(LaunchError, match="lane level"):
        run(kernel((16,)), a, out, level="lane", valid=False)


def test_integers_as_addresses_are_refused():
    from xetile.dialects.types import I64

    k = Kernel({"R": F32}, [I64])
    size = k.const(16)
    k.build(xegpu.CreateNdTdesc, k.scalars[0], (), (size, size), (size, size), result=xegpu.TensorDescType((8, 16), F32))
    with pytest.raises(LaunchError, match="follows addresses only to arrays"):
        interpret(k.done(), (1,), [*passed(np.zeros((16, 16), np.float32)), 0])
