"""Fragments cut, joined and seen as other elements."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests.emit.kernels import LANES, Kernel, apply
from tests.spirv.device import Device
from xetile.dialects import arith, vector
from xetile.dialects.types import F16, F32, I1, I8, I16, I32, I64, INDEX, VectorType
from xetile.dtypes import from_numpy

KINDS = (np.int8, np.float16, np.int32, np.int64)


def runs(array: np.ndarray) -> np.ndarray:
    return array.reshape(LANES, -1)


def numbers(kind: type, count: int) -> np.ndarray:
    return (np.arange(LANES * count) % 251).astype(kind)


@pytest.mark.covering
@pytest.mark.every(2)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("count", "start", "size"), [(64, 8, 16), (64, 5, 11), (24, 3, 7), (12, 11, 1), (40, 1, 38), (16, 4, 12)]
)
def test_a_slice_holds_the_elements_from_its_offset(cpu: Device, kind: type, count: int, start: int, size: int) -> None:
    element = from_numpy(np.dtype(kind)).ir
    kernel = Kernel([element, element])
    value = kernel.load(0, count)
    kernel.store(kernel.build(vector.ExtractStridedSlice, value, offsets=(start,), sizes=(size,), strides=(1,)), 1)
    a = numbers(kind, count)
    got = kernel.run(cpu, a, np.zeros(LANES * size, kind))[1]
    assert (runs(got) == runs(a)[:, start : start + size]).all()


@pytest.mark.covering
@pytest.mark.every(2)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("start", "size"), [(0, 8), (8, 8), (3, 5), (30, 2), (0, 32)])
def test_an_inserted_slice_replaces_elements(cpu: Device, kind: type, start: int, size: int) -> None:
    element = from_numpy(np.dtype(kind)).ir
    kernel = Kernel([element, element, element])
    value, dest = kernel.load(0, size), kernel.load(1, 32)
    kernel.store(kernel.build(vector.InsertStridedSlice, value, dest, offsets=(start,), strides=(1,)), 2)
    a, b = numbers(kind, size), numbers(kind, 32)[::-1].copy()
    expected = runs(b).copy()
    expected[:, start : start + size] = runs(a)
    assert (runs(kernel.run(cpu, a, b, np.zeros_like(b))[2]) == expected).all()


def test_one_element_taken_and_put(cpu: Device) -> None:
    def swap(build, x):
        first, last = build(vector.Extract, x, position=(0,)), build(vector.Extract, x, position=(10,))
        return build(vector.Insert, first, build(vector.Insert, last, x, position=(0,)), position=(10,))

    a = np.arange(11, dtype=np.float32)
    got = apply(cpu, swap, [a], np.float32)
    assert got.tolist() == [10, *range(1, 10), 0]


def test_shuffle_picks_from_two_vectors(cpu: Device) -> None:
    mask = (0, 11, 1, 12, 13, 14, 5, 4, 3, 21, 0)
    kernel = Kernel([I16, I16, I16])
    kernel.store(kernel.build(vector.Shuffle, kernel.load(0, 11), kernel.load(1, 11), mask=mask), 2)
    a, b = numbers(np.int16, 11), numbers(np.int16, 11) + 1000
    got = kernel.run(cpu, a, b.astype(np.int16), np.zeros_like(a))[2]
    assert (runs(got) == np.concatenate([runs(a), runs(b)], axis=1)[:, mask]).all()


BITS = [(I8, np.int8, 32, I32, np.int32, 8), (F16, np.float16, 64, I32, np.int32, 32),
        (I32, np.int32, 32, I8, np.int8, 128),
        (I32, np.int32, 6, F16, np.float16, 12), (I64, np.int64, 8, I16, np.int16, 32),
        (I8, np.int8, 24, I64, np.int64, 3)]  # fmt: skip


@pytest.mark.every(2)
@pytest.mark.parametrize(("source", "kind", "count", "target", "wanted", "result"), BITS)
def test_bits_keep_their_order(cpu: Device, source, kind, count, target, wanted, result) -> None:
    kernel = Kernel([source, target])
    kernel.store(kernel.build(vector.Bitcast, kernel.load(0, count), result=VectorType((result,), target)), 1)
    a = np.random.default_rng(1).integers(0, 200, LANES * count).astype(kind)
    got = kernel.run(cpu, a, np.zeros(LANES * result, wanted))[1]
    assert got.tobytes() == a.tobytes()


@pytest.mark.parametrize("first", [1, 3, 5])
def test_bits_of_an_odd_slice(cpu: Device, first: int) -> None:
    """Words of 32 bits from bytes that do not start where the loaded words do."""
    kernel = Kernel([I8, I32])
    part = kernel.build(vector.ExtractStridedSlice, kernel.load(0, 32), offsets=(first,), sizes=(20,), strides=(1,))
    kernel.store(kernel.build(vector.Bitcast, part, result=VectorType((5,), I32)), 1)
    a = np.random.default_rng(1).integers(-100, 100, LANES * 32).astype(np.int8)
    got = kernel.run(cpu, a, np.zeros(LANES * 5, np.int32))[1]
    assert got.tobytes() == np.ascontiguousarray(runs(a)[:, first : first + 20]).tobytes()


@pytest.mark.parametrize(("kind", "element"), [(np.float32, F32), (bool, I1), (np.int8, I8)])
def test_broadcast_and_constants(cpu: Device, kind: type, element) -> None:
    kernel = Kernel([element, element])
    type = VectorType((13,), element)
    value = kernel.build(vector.Broadcast, kernel.load(0, scalar=True), result=type)
    kernel.store(value, 1)
    a = (np.arange(LANES) % 2).astype(kind)
    assert (runs(kernel.run(cpu, a, np.zeros(LANES * 13, kind))[1]) == a[:, None]).all()


def test_constant_vectors_of_each_kind(cpu: Device) -> None:
    values = tuple(float(i) - 3 for i in range(11))
    for kind in (np.float16, ml_dtypes.bfloat16, np.float32, ml_dtypes.float8_e5m2):
        element = from_numpy(np.dtype(kind)).ir
        kernel = Kernel([element])
        kernel.store(kernel.constant(values, VectorType((11,), element)), 0)
        got = kernel.run(cpu, np.zeros(LANES * 11, kind))[0]
        assert (runs(got).astype(float) == values).all()


@pytest.mark.parametrize(("kind", "expected"), [("add", np.sum), ("maximumf", np.max), ("minnumf", np.min), ("mul", np.prod)])
def test_reduction_of_a_fragment(cpu: Device, kind: str, expected) -> None:
    kernel = Kernel([F32, F32])
    acc = kernel.constant(2.0, F32)
    kernel.store(kernel.build(vector.MultiReduction, kernel.load(0, 13), acc, kind=kind, dims=(0,)), 1)
    a = np.random.default_rng(0).uniform(0.5, 1.5, LANES * 13).astype(np.float32)
    got = kernel.run(cpu, a, np.zeros(LANES, np.float32))[1]
    both = np.concatenate([runs(a), np.full((LANES, 1), 2, np.float32)], axis=1)
    np.testing.assert_allclose(got, expected(both, axis=1), rtol=1e-5)


def test_step_counts_elements(cpu: Device) -> None:
    kernel = Kernel([I32])
    steps = kernel.build(vector.Step, result=VectorType((11,), INDEX))
    kernel.store(kernel.build(arith.IndexCast, steps, result=VectorType((11,), I32)), 0)
    assert (runs(kernel.run(cpu, np.zeros(LANES * 11, np.int32))[0]) == np.arange(11)).all()
