"""What is known of the arrays that kernels are called on."""

import ml_dtypes
import numpy as np
import pytest

from xetile.errors import ArgumentError, DtypeError
from xetile.runtime.arrays import (
    BLOCK_ALIGNMENT,
    TransferStats,
    as_host_array,
    byte_bounds,
    check_no_overlap,
    describe,
    is_array,
    overlap,
    padded_copy,
)


class Interface:
    """Speaks `__array_interface__` alone."""

    def __init__(self, array):
        self.array = array
        self.__array_interface__ = array.__array_interface__


class DLPack:
    """Speaks DLPack alone."""

    def __init__(self, array, kind=1):
        self.array, self.kind = array, kind

    def __dlpack__(self, **how):
        return self.array.__dlpack__(**how)

    def __dlpack_device__(self):
        return (self.kind, 0)


@pytest.mark.parametrize("dtype,name", [
    (np.float16, "f16"), (ml_dtypes.bfloat16, "bf16"), (np.float32, "f32"), (np.int8, "i8"), (np.uint64, "u64"),
    (np.bool_, "bool"),
])  # fmt: skip
def test_dtypes_shapes_and_strides(dtype, name):
    base = np.zeros((4, 6, 8), dtype)
    info = describe(base[1:, ::2, :5])
    assert (info.dtype, info.shape, info.strides) == (name, (3, 3, 5), (48, 16, 1))
    assert (info.place, info.writable, info.alignment) == ("host", True, BLOCK_ALIGNMENT)


def test_read_only_arrays_are_known():
    array = np.zeros(3, np.float32)
    array.flags.writeable = False
    assert not describe(array).writable


@pytest.mark.parametrize("wrap", [Interface, DLPack])
def test_protocols_share_memory(wrap):
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    shared = as_host_array(wrap(array))
    assert np.shares_memory(shared, array)
    assert describe(wrap(array)).shape == (2, 3)


@pytest.mark.parametrize("value,error,message", [
    ([1, 2], ArgumentError, "A: list is not an array"), (np.zeros(2, complex), DtypeError, "A: "), (np.zeros(2, ">f4"),
    DtypeError, "A: "),
    (np.zeros(2, "f4,i1")["f0"], ArgumentError, "not multiples of its 4-byte elements"), (np.ma.zeros(3),
    ArgumentError, "its mask"),
    (DLPack(np.zeros(3), kind=2), ArgumentError, "A: DLPack lies in memory of a device of kind CUDA"),
])  # fmt: skip
def test_what_is_refused_is_named(value, error, message):
    with pytest.raises(error, match=message):
        describe(value, "A")


@pytest.mark.parametrize("value,expected", [
    (np.zeros(3), True), (Interface(np.zeros(3)), True), (DLPack(np.zeros(3)), True), (3, False), (2.5, False),
    (np.float32(2), False),
    (True, False), ([1], False), (None, False),
])  # fmt: skip
def test_arrays_are_told_from_scalars(value, expected):
    assert is_array(value) is expected


@pytest.mark.parametrize("make", [
    lambda a: a, lambda a: a[::-1], lambda a: a[:, ::-2], lambda a: a.T, lambda a: a[3:3],
    lambda a: np.broadcast_to(a[0], (9, 8)),
])  # fmt: skip
def test_bounds_hold_exactly_the_elements(make):
    view = make(np.zeros((6, 8), np.int16))
    low, high = byte_bounds(view)
    addresses = [view[i : i + 1, j : j + 1].__array_interface__["data"][0] for i, j in np.ndindex(view.shape)]
    assert (low, high) == ((min(addresses), max(addresses) + 2) if addresses else (low, low))


def test_padded_copies_have_aligned_rows():
    view = np.arange(60, dtype=np.float16).reshape(4, 15)[::-1, :7]
    copy = padded_copy(view)
    np.testing.assert_array_equal(copy, view)
    assert copy.strides == (128, 2)
    columns = np.zeros((2, 9, 40), np.float32)[::-1, :, :30].swapaxes(1, 2)
    assert padded_copy(columns).strides == (9 * 128, 4, 128)
    vector = np.arange(5)[::-1]
    np.testing.assert_array_equal(padded_copy(vector), vector)
    assert padded_copy(vector).strides == (8,)


def test_overlap_of_interleaved_views():
    base = np.zeros((8, 8))
    assert overlap(base[:, :5], base[:, 4:])
    assert not overlap(base[:, :4], base[:, 4:])
    assert not overlap(base, np.zeros((8, 8)))


def test_a_written_array_may_share_with_no_other():
    base = np.zeros((8, 8))
    check_no_overlap({"A": base, "B": base[2:], "C": np.zeros(3)}, frozenset({"C"}))
    with pytest.raises(ArgumentError, match="C is written by the kernel and shares memory with A"):
        check_no_overlap({"A": base, "C": base[2:]}, frozenset({"C"}))


def test_transfers_are_counted():
    stats = TransferStats()
    stats.count("to_device", 10)
    stats.count("to_device", 5)
    stats.count("on_device", 1)
    assert (stats.to_device, stats.to_device_bytes, stats.on_device, stats.from_device) == (2, 15, 1, 0)
    stats.reset()
    assert not any(stats.as_dict().values())
