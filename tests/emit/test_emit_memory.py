"""Access element by element, masked and in runs; atomics."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from xetile.backends.spirv.emit.emitter import emit

from tests.emit.kernels import LANES, Kernel
from tests.spirv.device import Device
from xetile.dialects import arith, vector, xegpu
from xetile.dialects.types import F32, I1, I32, INDEX, VectorType
from xetile.dtypes import from_numpy


@pytest.mark.covering
@pytest.mark.every(2)
@pytest.mark.parametrize("kind", [bool, np.int8, np.int16, np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
@pytest.mark.parametrize("count", [1, 3, 8, 20])
def test_runs_are_copied(cpu: Device, kind: type, count: int) -> None:
    element = from_numpy(np.dtype(kind)).ir
    kernel = Kernel([element, element], subgroups=2)
    kernel.store(kernel.load(0, count), 1)
    a = (np.random.default_rng(0).integers(0, 100, 2 * LANES * count) % (2 if kind is bool else 100)).astype(kind)
    assert (kernel.run(cpu, a, np.zeros_like(a))[1] == a).all()


def lanes_below(kernel: Kernel, limit: int):
    return kernel.build(arith.CmpI, kernel.lane, kernel.index(limit), predicate="slt")


def test_a_masked_load_gives_zero_and_reads_nothing_else(cpu: Device) -> None:
    """The offsets of masked lanes lie far outside."""
    kernel = Kernel([F32, F32])
    mask = lanes_below(kernel, 9)
    offset = kernel.build(arith.Select, mask, kernel.times(kernel.lane, 2), kernel.index(1 << 28))
    value = kernel.build(xegpu.Load, kernel.args[0], offset, mask, chunk_size=2, value=VectorType((2,), F32))
    kernel.store(value, 1)
    a = np.arange(1, 19, dtype=np.float32)
    got = kernel.run(cpu, a, np.full(2 * LANES, 7, np.float32))[1]
    assert (got[:18] == a).all() and (got[18:] == 0).all()


def test_masked_stores_share_a_branch(cpu: Device) -> None:
    kernel = Kernel([I32, I32, I32])
    mask = lanes_below(kernel, 5)
    value = kernel.load(0, 2)
    kernel.build(xegpu.Store, value, kernel.args[1], kernel.times(kernel.lane, 2), mask, chunk_size=2)
    doubled = kernel.build(arith.AddI, value, value)
    kernel.build(xegpu.Store, doubled, kernel.args[2], kernel.times(kernel.lane, 2), mask, chunk_size=2)
    a = np.arange(2 * LANES, dtype=np.int32)
    got = kernel.run(cpu, a, np.full_like(a, -1), np.full_like(a, -1))
    assert (got[1][:10] == a[:10]).all() and (got[1][10:] == -1).all()
    assert (got[2][:10] == 2 * a[:10]).all() and (got[2][10:] == -1).all()
    from xetile.backends.spirv.module.binary import Binary

    names = [i.name for i in Binary(emit(kernel.module, kernel.target).spirv).instructions]
    assert names.count("OpBranchConditional") == 1


def test_one_offset_and_mask_for_each_element(cpu: Device) -> None:
    """Scattered descriptors: every element has an address of its own."""
    kernel = Kernel([F32, F32, INDEX])
    build, many = kernel.build, VectorType((3,), INDEX)
    offsets = build(vector.Broadcast, kernel.lane, result=many)
    spread = kernel.constant((0, 16, 32), many)
    offsets = build(arith.AddI, offsets, spread)
    mask = build(arith.CmpI, offsets, build(vector.Broadcast, kernel.index(40), result=many), predicate="slt")
    type = xegpu.TensorDescType((3,), F32, xegpu.ScatterAttr())
    desc = build(xegpu.CreateTdesc, kernel.args[0], offsets, result=type)
    value = build(xegpu.Load, desc, None, mask, value=VectorType((3,), F32))
    moved = build(
        xegpu.UpdateOffset, build(xegpu.CreateTdesc, kernel.args[1], offsets, result=type), kernel.constant((1, 1, 1), many)
    )
    build(xegpu.Store, value, moved, None, mask)
    a = np.arange(48, dtype=np.float32)
    got = kernel.run(cpu, a, np.full(49, -1, np.float32), np.zeros(1, np.int32))[1]
    assert (got[1:41] == a[:40]).all() and got[0] == -1 and (got[41:] == -1).all()


def test_wide_index_is_64_bits(cpu: Device) -> None:
    kernel = Kernel([F32, F32], [INDEX], index_bits=64)
    at = kernel.add(kernel.lane, kernel.args[2])
    kernel.store(kernel.build(xegpu.Load, kernel.args[0], at, kernel.always, value=F32), 1)
    a = np.arange(40, dtype=np.float32)
    assert (kernel.run(cpu, a, np.zeros(LANES, np.float32), np.int64(20))[1] == a[20:36]).all()


INT_ATOMICS = {"addi": np.add, "andi": np.bitwise_and, "ori": np.bitwise_or, "xori": np.bitwise_xor, "maxs": np.maximum,
               "mins": np.minimum, "muli": np.multiply}  # fmt: skip
FLOAT_ATOMICS = {"addf": np.add, "maximumf": np.maximum, "minimumf": np.minimum, "maxnumf": np.fmax, "minnumf": np.fmin,
                 "mulf": np.multiply}  # fmt: skip


def atomic(kernel: Kernel, kind: str, offsets, mask):
    element = kernel.args[0].type.element
    desc = kernel.build(
        xegpu.CreateTdesc, kernel.args[0], offsets, result=xegpu.TensorDescType((1,), element, xegpu.ScatterAttr())
    )
    return kernel.build(xegpu.AtomicRmw, desc, mask, kernel.load(1), kind=kind)


def check_atomic(cpu: Device, kind: str, dtype: type, function) -> None:
    """Four cells, four lanes to each; the last four lanes are masked."""
    element = from_numpy(np.dtype(dtype)).ir
    kernel = Kernel([element, element, element])
    one = VectorType((1,), INDEX)
    cell = kernel.build(arith.RemUI, kernel.lane, kernel.index(4))
    mask = kernel.build(vector.Broadcast, lanes_below(kernel, 12), result=VectorType((1,), I1))
    kernel.store(atomic(kernel, kind, kernel.build(vector.Broadcast, cell, result=one), mask), 2)
    a, b = np.array([1, 5, 3, 7]).astype(dtype), (np.arange(LANES) % 6 + 1).astype(dtype)
    got = kernel.run(cpu, a, b, np.full(LANES, 9).astype(dtype))
    expected = [function.reduce([a[i], *b[:12][i::4]]) for i in range(4)]
    assert got[0].tolist() == np.array(expected).astype(dtype).tolist()
    assert (got[2][12:] == 0).all() and set(got[2][:4].tolist()) & set(a.tolist())


@pytest.mark.covering
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.int16])
@pytest.mark.parametrize("kind", INT_ATOMICS)
def test_integer_atomics(cpu: Device, kind: str, dtype: type) -> None:
    check_atomic(cpu, kind, dtype, INT_ATOMICS[kind])


@pytest.mark.every(2)
@pytest.mark.covering
@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16, np.float64])
@pytest.mark.parametrize("kind", FLOAT_ATOMICS)
def test_float_atomics(cpu: Device, kind: str, dtype: type) -> None:
    check_atomic(cpu, kind, dtype, FLOAT_ATOMICS[kind])


def test_scalars_come_as_arguments(cpu: Device) -> None:
    kernel = Kernel([F32, F32], [F32, I1])
    scaled = kernel.build(arith.MulF, kernel.load(0, scalar=True), kernel.args[2])
    kernel.store(kernel.build(arith.Select, kernel.args[3], scaled, kernel.load(0, scalar=True)), 1)
    a = np.arange(LANES, dtype=np.float32)
    for flag in (0, 1):
        got = kernel_run(kernel, cpu, a, flag)
        assert (got == (a * 2.5 if flag else a)).all()


def kernel_run(kernel: Kernel, cpu: Device, a: np.ndarray, flag: int) -> np.ndarray:
    if kernel.build.block.ops[-1].opname == "gpu.return":
        kernel.build.block.remove(kernel.build.block.ops[-1])
    return kernel.run(cpu, a, np.zeros_like(a), np.float32(2.5), np.int8(flag))[1]
