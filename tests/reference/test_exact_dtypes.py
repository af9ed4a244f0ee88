"""Rounding, wrapping and accumulation are those of a device: the numpy device and the emulated GPU module agree to the bit."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests import tools
from xetile.errors import DeviceError
from xetile.runtime.devices import find_device

pytestmark = pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
ROWS, COLUMNS = 16, 128


@pytest.fixture(autouse=True)
def cpu():
    try:
        find_device("cpu")
    except DeviceError as error:
        tools.missing("a cpu device", str(error))


def on_both(kernel, *arrays, out, grid=(1,), **constants):
    """What a kernel writes to its last argument, on numpy and on the CPU."""
    results = []
    for device in ("numpy", "cpu"):
        result = out.copy()
        with xt.device(device):
            kernel[grid](*arrays, result, **constants)
        results.append(result)
    return results


def assert_same(got, expected):
    """Equal bits; of NaN only that it is one."""
    if got.dtype.kind in "iub":
        np.testing.assert_array_equal(got, expected)
        return
    with np.errstate(invalid="ignore"):  # signalling NaN
        wide, other = got.astype(np.float64), expected.astype(np.float64)
    np.testing.assert_array_equal(wide, other)
    np.testing.assert_array_equal(np.signbit(wide[~np.isnan(wide)]), np.signbit(other[~np.isnan(other)]))


@xt.jit(num_subgroups=1)
def convert(X, Y, VIA: xt.constexpr = None, R: xt.constexpr = ROWS, C: xt.constexpr = COLUMNS):
    at = (xt.program_id(0) * R, 0)
    x = xt.load_tile(xt.init_tile(X, at, (R, C)))
    x = x if VIA is None else x.to(VIA)
    xt.store_tile(x.to(Y.dtype), xt.init_tile(Y, at, (R, C)))


def all_of(dtype):
    """Every number of a dtype of 8 or 16 bits."""
    bits = np.arange(1 << dtype.bits, dtype=f"u{dtype.itemsize}")
    return np.resize(bits.view(dtype.numpy), (max(ROWS, bits.size // COLUMNS), COLUMNS))


def around(dtype):
    """f32 numbers on, just above and just below every number of a narrow dtype and every middle between two; and random bits."""
    values = np.unique(all_of(dtype).astype(np.float32))
    values = values[np.isfinite(values)]
    with np.errstate(over="ignore"):
        ends = np.float32([1.5, 2, 4]) * values[-1]
        points = np.concatenate(
            [values, (values[1:] / 2 + values[:-1] / 2), ends, -ends, np.float32([np.inf, -np.inf, np.nan, -0.0])]
        )
        points = np.concatenate([np.nextafter(points, np.float32(-np.inf)), points, np.nextafter(points, np.float32(np.inf))])
    random = np.random.default_rng(0).integers(0, 1 << 32, 4096, np.uint32).view(np.float32)
    points = np.concatenate([points, random]).astype(np.float32)
    return np.resize(points, (-(-points.size // (ROWS * COLUMNS)) * ROWS, COLUMNS))


def converted(x, dtype, **constants):
    out = np.zeros(x.shape, dtype.numpy)
    return on_both(convert, x, out=out, grid=(x.shape[0] // ROWS,), **constants)


@pytest.mark.every(2)
@pytest.mark.parametrize("dtype", [xt.f16, xt.bf16], ids=str)
def test_f32_rounds_to_nearest_even(dtype):
    x = around(dtype)
    numpy, cpu = converted(x, dtype)
    assert_same(numpy, cpu)
    with np.errstate(over="ignore", invalid="ignore"):
        assert_same(numpy, x.astype(dtype.numpy))


def test_f32_rounds_to_tf32():
    x = np.random.default_rng(1).integers(0, 1 << 32, (32, COLUMNS), np.uint32)
    x[::2] = (x[::2] & ~np.uint32(0x1FFF)) + np.resize(
        np.uint32([0, 0x0FFF, 0x1000, 0x1001]), COLUMNS
    )  # on, and around the middle
    numpy, cpu = converted(x.view(np.float32), xt.f32, VIA=xt.tf32)
    assert_same(numpy, cpu)
    assert not (numpy.view(np.uint32)[~np.isnan(numpy)] & 0x1FFF).any()


@pytest.mark.covering
@pytest.mark.every(15, 12)
@pytest.mark.parametrize("source", [xt.f8e4m3, xt.f8e5m2, xt.f16, xt.bf16], ids=str)
@pytest.mark.parametrize("target", [xt.f16, xt.bf16, xt.f32, xt.f8e4m3, xt.f8e5m2], ids=str)
def test_every_narrow_float_converts_alike(source, target):
    numpy, cpu = converted(all_of(source), target)
    assert_same(numpy, cpu)


@pytest.mark.covering
@pytest.mark.every(144, 2)
@pytest.mark.parametrize("source", [xt.i8, xt.u8, xt.i16, xt.u16], ids=str)
@pytest.mark.parametrize("target", [xt.f16, xt.bf16, xt.f32, xt.i8, xt.u32], ids=str)
def test_every_narrow_integer_converts_alike(source, target):
    numpy, cpu = converted(all_of(source), target)
    assert_same(numpy, cpu)


@xt.jit(num_subgroups=1)
def product(A, B, Acc, R, K: xt.constexpr = 32, VIA: xt.constexpr = None):
    a, b = xt.load_tile(xt.init_tile(A, (0, 0), (8, K))), xt.load_tile(xt.init_tile(B, (0, 0), (K, 16)))
    a, b = (a, b) if VIA is None else (a.to(VIA), b.to(VIA))
    acc = xt.load_tile(xt.init_tile(Acc, (0, 0), (8, 16)))
    xt.store_tile(xt.tile_mma(a, b, acc), xt.init_tile(R, (0, 0), (8, 16)))


@pytest.mark.every(4)
@pytest.mark.parametrize("a,b", [(xt.i8, xt.i8), (xt.u8, xt.u8), (xt.i8, xt.u8), (xt.u8, xt.i8)], ids=str)
def test_sums_of_integers_wrap_around(a, b):
    rng = np.random.default_rng(2)
    x, y = (rng.integers(0, 256, shape).astype(np.uint8).view(d.numpy) for d, shape in ((a, (8, 32)), (b, (32, 16))))
    acc = np.where(rng.integers(0, 2, (8, 16)), np.iinfo(np.int32).max, np.iinfo(np.int32).min).astype(np.int32)
    numpy, cpu = on_both(product, x, y, acc, out=acc)
    assert_same(numpy, cpu)
    exact = x.astype(np.int64) @ y.astype(np.int64) + acc
    assert_same(numpy, exact.astype(np.int32))
    assert (exact != numpy).any()


@pytest.mark.every(2)
@pytest.mark.parametrize("dtype", [xt.f16, xt.bf16], ids=str)
def test_narrow_accumulators_round_once_per_product(dtype):
    """Sums that lie between two numbers of the accumulator's type, on the middle too, and beyond its largest."""
    ulp = 2.0 ** (11 if dtype is xt.f16 else 8)  # from here on the numbers are 2 apart
    a, b = np.zeros((8, 16), dtype.numpy), np.zeros((16, 16), dtype.numpy)
    a[:, 0], b[0] = 1, (np.arange(16) - 8) / 2
    acc = np.repeat(np.float32([ulp, ulp + 2, ulp + 4, -ulp, -ulp - 2, 1, 0, 3])[:, None], 16, axis=1).astype(dtype.numpy)
    numpy, cpu = on_both(product, a, b, acc, out=acc, K=16)
    assert_same(numpy, cpu)
    assert_same(numpy, (acc.astype(np.float64) + b[0].astype(np.float64)).astype(dtype.numpy))


@pytest.mark.every(2)
@pytest.mark.parametrize("dtype", [xt.f16, xt.bf16], ids=str)
def test_narrow_accumulators_round_as_often_as_the_matrix_unit(dtype):
    """Whole numbers, whose sums f32 holds: what differs between orders is only where the narrow sum is rounded."""
    rng = np.random.default_rng(5)
    a, b = (rng.integers(-9, 10, shape).astype(dtype.numpy) for shape in ((8, 64), (64, 16)))
    acc = (rng.integers(-9, 10, (8, 16)) * (1000 if dtype is xt.f16 else 100)).astype(dtype.numpy)
    numpy, cpu = on_both(product, a, b, acc, out=acc, K=64)
    assert_same(numpy, cpu)
    once = (a.astype(np.float64) @ b.astype(np.float64) + acc.astype(np.float64)).astype(dtype.numpy)
    assert (numpy != once).any()


def test_tf32_operands_are_rounded_before_they_are_multiplied():
    rng = np.random.default_rng(3)
    a, b = np.zeros((8, 32), np.float32), np.zeros((32, 16), np.float32)
    a[:, 0], b[0] = rng.standard_normal(8), rng.standard_normal(16)
    acc = np.zeros((8, 16), np.float32)
    numpy, cpu = on_both(product, a, b, acc, out=acc, VIA=xt.tf32)
    assert_same(numpy, cpu)
    assert (numpy != a @ b).any() and np.allclose(numpy, a @ b, rtol=2**-9)


@pytest.mark.every(4)
@pytest.mark.parametrize("dtype", [xt.f16, xt.bf16, xt.f32], ids=str)
def test_products_of_random_numbers_agree(dtype):
    """f32 accumulation in another order: as near as float32 sums of 32 products are."""
    rng = np.random.default_rng(4)
    a, b = (rng.standard_normal(shape).astype(dtype.numpy) for shape in ((8, 32), (32, 16)))
    acc = np.zeros((8, 16), np.float32)
    numpy, cpu = on_both(product, a, b, acc, out=acc)
    np.testing.assert_allclose(numpy, cpu, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(numpy, a.astype(np.float64) @ b.astype(np.float64), rtol=1e-5, atol=1e-5)
