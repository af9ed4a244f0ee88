"""Ids, barriers and shared local memory, exchange between lanes, printing."""

from __future__ import annotations

from math import prod

import ml_dtypes
import numpy as np
import pytest
from xetile.backends.spirv.emit.emitter import emit

from tests.emit.kernels import LANES, Kernel
from tests.spirv.device import Device
from tests.tools import ocloc_compile
from xetile.dialects import arith, gpu, scf, vector, xegpu
from xetile.dialects.types import F32, I1, I8, I32, INDEX, MemRefType, VectorType
from xetile.dtypes import from_numpy
from xetile.ir.core import UNIT, Block


def test_every_work_item_knows_its_place(cpu: Device) -> None:
    """Linear number from the ids of block, subgroup and lane."""
    kernel = Kernel([I32, I32], subgroups=4)
    build = kernel.build
    x, y = build(gpu.BlockId, dimension="x"), build(gpu.BlockId, dimension="y")
    block = build(arith.AddI, build(arith.MulI, y, build(gpu.GridDim, dimension="x")), x)
    place = build(arith.AddI, kernel.times(block, 64), kernel.item)
    value = build(arith.IndexCast, place, result=I32)
    build(xegpu.Store, value, kernel.args[0], place, kernel.always)
    got = kernel.run(cpu, np.zeros(6 * 64, np.int32), np.zeros(1, np.int32), groups=(3, 2, 1))[0]
    assert (got == np.arange(6 * 64)).all()


@pytest.mark.covering
@pytest.mark.every(2, 1)
@pytest.mark.parametrize("mode", ["xor", "idx", "up", "down"])
@pytest.mark.parametrize("kind", [np.int8, np.float16, np.int32, np.float32, np.int64])
def test_lanes_exchange_vectors(cpu: Device, mode: str, kind: type) -> None:
    element = from_numpy(np.dtype(kind)).ir
    kernel = Kernel([element, element, I32])
    amount, width = kernel.constant(3, I32), kernel.constant(LANES, I32)
    value, valid = kernel.build(gpu.Shuffle, kernel.load(0, 5), amount, width, mode=mode)
    kernel.store(value, 1)
    kernel.store(kernel.build(arith.ExtUI, valid, result=I32), 2)
    a = np.arange(LANES * 5).astype(kind)
    got = kernel.run(cpu, a, np.zeros_like(a), np.zeros(LANES, np.int32))
    lane = np.arange(LANES)
    source = {"xor": lane ^ 3, "idx": lane * 0 + 3, "up": lane - 3, "down": lane + 3}[mode]
    inside = (source >= 0) & (source < LANES)
    assert (got[1].reshape(LANES, 5)[inside] == a.reshape(LANES, 5)[source[inside]]).all()
    assert (got[2] == inside).all()


REDUCE = {"add": np.sum, "mul": np.prod, "minsi": np.min, "maxsi": np.max, "and": np.bitwise_and.reduce,
          "or": np.bitwise_or.reduce, "xor": np.bitwise_xor.reduce}  # fmt: skip
REDUCE_FLOAT = {"add": np.sum, "mul": np.prod, "minnumf": np.nanmin, "maxnumf": np.nanmax, "minimumf": np.min, "maximumf": np.max}


def reduce_kernel(kernel: Kernel, kind: str, size: int | None, stride: int | None, count: int) -> None:
    kernel.store(kernel.build(gpu.SubgroupReduce, kernel.load(0, count), kind=kind, cluster_size=size, cluster_stride=stride), 1)


def clusters(a: np.ndarray, size: int | None, stride: int | None) -> list[list[int]]:
    size, stride = size or LANES, stride or 1
    key = [(lane // (size * stride), lane % stride) for lane in range(LANES)]
    return [[other for other in range(LANES) if key[other] == key[lane]] for lane in range(LANES)]


@pytest.mark.every(2)
@pytest.mark.covering
@pytest.mark.parametrize(("size", "stride"), [(None, None), (4, None), (4, 4), (2, 8)])
@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64])
@pytest.mark.parametrize("kind", REDUCE)
def test_integers_reduced_over_lanes(cpu: Device, kind: str, dtype: type, size: int | None, stride: int | None) -> None:
    element = from_numpy(np.dtype(dtype)).ir
    kernel = Kernel([element, element])
    reduce_kernel(kernel, kind, size, stride, 3)
    a = np.random.default_rng(0).integers(-3, 7, LANES * 3).astype(dtype)
    got = kernel.run(cpu, a, np.zeros_like(a))[1].reshape(LANES, 3)
    with np.errstate(over="ignore"):
        expected = [REDUCE[kind](a.reshape(LANES, 3)[group], axis=0).astype(dtype) for group in clusters(a, size, stride)]
    assert (got == expected).all()


@pytest.mark.every(2)
@pytest.mark.covering
@pytest.mark.parametrize(("size", "stride"), [(None, None), (8, None), (4, 4)])
@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
@pytest.mark.parametrize("kind", REDUCE_FLOAT)
def test_floats_reduced_over_lanes(cpu: Device, kind: str, dtype: type, size: int | None, stride: int | None) -> None:
    element = from_numpy(np.dtype(dtype)).ir
    kernel = Kernel([element, element])
    reduce_kernel(kernel, kind, size, stride, 2)
    a = np.random.default_rng(0).uniform(0.8, 1.4, LANES * 2).astype(dtype)
    if "m" in kind[:1]:
        a[4] = np.nan
    got = kernel.run(cpu, a, np.zeros_like(a))[1].reshape(LANES, 2).astype(np.float64)
    wide = a.astype(np.float64).reshape(LANES, 2)
    expected = [REDUCE_FLOAT[kind](wide[group], axis=0) for group in clusters(a, size, stride)]
    rtol = {"float16": 2e-3, "bfloat16": 1e-2, "float32": 1e-5, "float64": 1e-12}[np.dtype(dtype).name]
    np.testing.assert_allclose(got, expected, rtol=rtol)


def slm(kernel: Kernel, elements: int, element=I8):
    return kernel.build(gpu.Alloca, result=MemRefType((elements,), element, None, 3))


def matrix(kernel: Kernel, shape, element, stride=(), block=()):
    size = element.bits // 8
    layout = xegpu.MemLayoutAttr(stride, block) if stride or block else None
    return kernel.build(xegpu.CreateMemDesc, slm(kernel, prod(shape) * size), result=xegpu.MemDescType(shape, element, layout))


def test_subgroups_meet_in_shared_memory(cpu: Device) -> None:
    """Each subgroup writes its rows of a matrix and reads the next one's."""
    kernel = Kernel([F32, F32], subgroups=4)
    build = kernel.build
    desc = matrix(kernel, (4, 64), F32)
    column = kernel.times(kernel.lane, 4)
    build(xegpu.StoreMatrix, kernel.load(0, 4), desc, (kernel.subgroup, column))
    build(gpu.Barrier)
    other = build(arith.RemUI, kernel.add(kernel.subgroup, 1), kernel.index(4))
    kernel.store(build(xegpu.LoadMatrix, desc, (other, column), value=VectorType((4,), F32)), 1)
    a = np.arange(4 * 64, dtype=np.float32)
    got = kernel.run(cpu, a, np.zeros_like(a))[1]
    assert (got == np.roll(a.reshape(4, 64), -1, axis=0).ravel()).all()
    assert emit(kernel.module, kernel.target).slm_bytes == 4 * 64 * 4


@pytest.mark.covering
@pytest.mark.every(2, 1)
@pytest.mark.parametrize(("stride", "block"), [((), ()), ((1, 32), ()), ((), (8, 16)), ((1, 32), (16, 8))])
@pytest.mark.parametrize("fixed", [True, False])
def test_matrices_lie_as_their_layout_says(cpu: Device, stride, block, fixed: bool) -> None:
    """Written element by element through one view, copied out in the order of memory, and checked with the layout's addresses."""
    from xetile.layout import MemLayout

    shape = (32, 32)
    kernel = Kernel([I32, I32], [INDEX], subgroups=2)
    build = kernel.build
    buffer = slm(kernel, 1024 * 4)
    attribute = xegpu.MemLayoutAttr(stride, block) if stride or block else None
    whole = build(xegpu.CreateMemDesc, buffer, result=xegpu.MemDescType(shape, I32, attribute))
    lower = build(
        xegpu.MemDescSubview, whole, (kernel.index(16), kernel.index(0)), result=xegpu.MemDescType((16, 32), I32, attribute)
    )
    for row in range(16):
        number = kernel.index(row) if fixed else kernel.add(kernel.args[2], row)
        for desc, first in ((whole, 0), (lower, 16)):
            value = build(arith.IndexCast, kernel.add(kernel.item, 32 * (row + first)), result=I32)
            build(xegpu.StoreMatrix, value, desc, (number, kernel.item))
    build(gpu.Barrier)
    flat = build(xegpu.CreateMemDesc, buffer, result=xegpu.MemDescType((1, 1024), I32))
    zero = kernel.index(0)
    for i in range(32):
        at = kernel.add(kernel.item, 32 * i)
        build(xegpu.Store, build(xegpu.LoadMatrix, flat, (zero, at), value=I32), kernel.args[1], at, kernel.always)
    got = kernel.run(cpu, np.zeros(1, np.int32), np.zeros(1024, np.int32), np.int32(0))[1]
    layout = MemLayout(shape, stride, block)
    assert all(got[layout.address((i, j))] == 32 * i + j for i in range(32) for j in range(32))


@pytest.mark.every(3, 2)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int8])
def test_block_messages_in_shared_memory(cpu: Device, dtype: type) -> None:
    """With the same coordinates in all lanes: elements distributed to the lanes in turn."""
    element = from_numpy(np.dtype(dtype)).ir
    count = 64 * 4 // np.dtype(dtype).itemsize
    kernel = Kernel([element, element], subgroups=2)
    build = kernel.build
    desc = matrix(kernel, (2, LANES * count), element)
    here = (kernel.subgroup, kernel.index(0))
    build(xegpu.StoreMatrix, kernel.load(0, count), desc, here, subgroup_block_io=UNIT)
    build(gpu.Barrier)
    kernel.store(build(xegpu.LoadMatrix, desc, here, value=VectorType((count,), element), subgroup_block_io=UNIT), 1)
    a = (np.arange(2 * LANES * count) % 100).astype(dtype)
    assert (kernel.run(cpu, a, np.zeros_like(a))[1] == a).all()


@pytest.mark.every(2)
@pytest.mark.parametrize("dtype", [np.int32, np.float16, np.int8])
def test_elements_of_a_block_message_are_dealt_to_lanes_in_turn(cpu: Device, dtype: type) -> None:
    element = from_numpy(np.dtype(dtype)).ir
    kernel = Kernel([element, element])
    desc = matrix(kernel, (1, 64), element)
    kernel.build(xegpu.StoreMatrix, kernel.load(0, 4), desc, (kernel.index(0), kernel.times(kernel.lane, 4)))
    kernel.build(xegpu.Fence, memory_kind="slm", fence_scope="workgroup")
    kernel.build(gpu.Barrier)
    value = kernel.build(
        xegpu.LoadMatrix, desc, (kernel.index(0), kernel.index(0)), value=VectorType((4,), element), subgroup_block_io=UNIT
    )
    kernel.store(value, 1)
    a = np.arange(64).astype(dtype)
    assert (kernel.run(cpu, a, np.zeros_like(a))[1].reshape(16, 4) == a.reshape(4, 16).T).all()


@pytest.mark.parametrize(("dtype", "count"), [(np.int8, 64), (np.int8, 128), (np.float16, 64)])
def test_long_runs_that_begin_at_words(cpu: Device, dtype: type, count: int) -> None:
    """Narrow elements are read as words, more than a vector holds."""
    element = from_numpy(np.dtype(dtype)).ir
    kernel = Kernel([element, element])
    build = kernel.build
    desc = matrix(kernel, (1, LANES * count), element)
    mine = (kernel.index(0), kernel.times(kernel.lane, count))
    build(xegpu.StoreMatrix, kernel.load(0, count), desc, mine)
    build(gpu.Barrier)
    kernel.store(build(xegpu.LoadMatrix, desc, mine, value=VectorType((count,), element), alignment=4), 1)
    a = (np.arange(LANES * count) % 113).astype(dtype)
    assert (kernel.run(cpu, a, np.zeros_like(a))[1] == a).all()


def test_printing_compiles_and_runs(cpu: Device, capfd: pytest.CaptureFixture[str]) -> None:
    kernel = Kernel([F32])
    first = kernel.build(arith.CmpI, kernel.lane, kernel.index(0), predicate="eq")
    branch = kernel.build.op(scf.If, first, regions=[Block(), Block()], values=[])
    with kernel.build.at(branch.then):
        kernel.build(gpu.Printf, (kernel.load(0, scalar=True), kernel.constant(7, I8)), message="x %f n %d\n")
        kernel.build(scf.Yield)
    below = kernel.build(arith.CmpI, kernel.lane, kernel.index(15), predicate="slt")
    kernel.build(gpu.Assert, below, message="fewer than 100% of the lanes")
    kernel.run(cpu, np.full(LANES, 2.5, np.float32))
    said = capfd.readouterr().out
    assert "x 2.5" in said and "n 7" in said
    assert said.count("assertion failed: fewer than 100% of the lanes") == 1


def neighbours(kernel: Kernel, participants: int) -> None:
    """Each subgroup passes its elements on to the next by shared memory, with a named barrier between."""
    build, barrier = kernel.build, xegpu.NbarrierType()
    build(xegpu.AllocNbarrier, nbarrier_num=2)
    named = build(xegpu.InitNbarrier, kernel.constant(1, I8), kernel.constant(participants, I8), result=barrier)
    buffer = slm(kernel, 64, I32)
    build(xegpu.Store, kernel.load(0, scalar=True), buffer, kernel.item, kernel.always)
    build(xegpu.NbarrierArrive, named)
    build(xegpu.NbarrierWait, named)
    place = build(arith.RemUI, kernel.add(kernel.item, LANES), kernel.index(64))
    kernel.store(build(xegpu.Load, buffer, place, kernel.always, value=I32), 1)


def test_named_barriers_of_all_subgroups_run(cpu: Device) -> None:
    kernel = Kernel([I32, I32], subgroups=4)
    neighbours(kernel, 4)
    a = np.arange(64, dtype=np.int32)
    np.testing.assert_array_equal(kernel.run(cpu, a, np.zeros_like(a))[1], np.roll(a, -LANES))


def test_named_barriers_of_some_subgroups_spin_and_compile() -> None:
    kernel = Kernel([I32, I32], subgroups=4)
    neighbours(kernel, 2)
    emitted = kernel.emit()
    assert emitted.spins
    ocloc_compile(emitted.spirv, "pvc")


def test_atomics_in_shared_memory(cpu: Device) -> None:
    kernel = Kernel([I32, I32], subgroups=2)
    build = kernel.build
    buffer, one = slm(kernel, 4, I32), VectorType((1,), INDEX)
    build(
        xegpu.Store,
        kernel.constant(0, I32),
        buffer,
        kernel.index(0),
        build(arith.CmpI, kernel.item, kernel.index(0), predicate="eq"),
    )
    build(gpu.Barrier)
    at = build(vector.Broadcast, kernel.index(0), result=one)
    desc = build(xegpu.CreateTdesc, buffer, at, result=xegpu.TensorDescType((1,), I32, xegpu.ScatterAttr("slm")))
    everywhere = kernel.constant(True, VectorType((1,), I1))
    build(xegpu.AtomicRmw, desc, everywhere, kernel.load(0), kind="addi")
    build(gpu.Barrier)
    kernel.store(build(xegpu.Load, buffer, kernel.index(0), kernel.always, value=I32), 1)
    a = np.arange(32, dtype=np.int32)
    assert (kernel.run(cpu, a, np.zeros_like(a))[1] == a.sum()).all()
