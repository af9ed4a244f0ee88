"""Numbers as arguments: exact at their limits, and refused beyond, by a first call as by a warm one."""

import decimal
import enum
import fractions

import numpy as np
import pytest

import xetile as xt
from xetile.errors import ArgumentError, DtypeError

pytestmark = [pytest.mark.device, pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")]


@xt.jit(grid=(1,))
def stored(Y, n):
    """Y is n, in the type of Y."""
    xt.store_tile(xt.full((16,), 0, Y.dtype) + n.to(Y.dtype), xt.init_tile(Y, (0,), (16,)))


@xt.jit(grid=(1,))
def scaled(X, Y, n):
    xt.store_tile(xt.load_tile(xt.init_tile(X, (0,), (16,))) * n, xt.init_tile(Y, (0,), (16,)))


class Kind(enum.IntEnum):
    ONE = 1
    LARGE = 2**40


INTEGERS = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]
LIMITS = [t(n) for t in INTEGERS for n in (np.iinfo(t).min, np.iinfo(t).max)]
TAKEN = [*LIMITS, True, False, np.bool_(True), np.bool_(False), 0, -1, 2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 2**63 - 1, -(2**63),
         Kind.ONE, Kind.LARGE]  # fmt: skip
FLOATS = [0.1, -0.0, 3.4028234663852886e38, float("inf"), -float("inf"), float("nan"), 1e-45, np.float32(0.1), np.float16(65504),
          np.float32(np.inf)]  # fmt: skip
REFUSED = [2**63, 2**64 + 5, -(2**63) - 1, 10**30, 10**400, 1e300, -1e39, 3.4028235677973366e38, np.float64(1e300),
           1j, "3", decimal.Decimal(3), fractions.Fraction(1, 3), np.complex64(1), np.longdouble(1), [1], b"1"]  # fmt: skip


def as_i64(n):
    return np.int64(np.uint64(int(n) % 2**64).astype(np.int64))


@pytest.mark.every(2, 1)
@pytest.mark.parametrize("warm", [False, True])
def test_whole_numbers_arrive_as_they_are(device, warm):
    y = np.zeros(16, np.int64)
    with xt.device(device):
        if warm:
            for n in TAKEN:
                stored(y, type(n)(1) if not isinstance(n, Kind) else Kind.ONE)
        for n in TAKEN:
            stored(y, n)
            assert (y == as_i64(n)).all(), repr(n)


@pytest.mark.every(4)
@pytest.mark.parametrize("warm", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_floats_are_exact(device, warm, dtype):
    x, y = np.full(16, 3, dtype), np.zeros(16, dtype)
    numbers = FLOATS + [1e300, np.float64(0.1), 1e-300] * (dtype is np.float64)
    with xt.device(device):
        for n in numbers if warm else ():
            scaled(x, y, type(n)(1))
        for n in numbers:
            scaled(x, y, n)
            with np.errstate(over="ignore"):
                assert np.array_equal(y, x * dtype(n), equal_nan=True), repr(n)
                assert np.array_equal(np.signbit(y), np.signbit(x * dtype(n))) or np.isnan(n)


@pytest.mark.every(2)
@pytest.mark.parametrize("warm", [False, True])
@pytest.mark.parametrize(
    "n", REFUSED, ids=lambda n: f"{type(n).__name__} {str(n)[:12] if not isinstance(n, int) else n.bit_length()}"
)
def test_what_does_not_fit_is_refused(device, warm, n):
    x, y = np.full(16, 3, np.float32), np.zeros(16, np.float32)
    with xt.device(device):
        if warm:
            for good in (1, 2**40, 1.0, np.float64(1)):
                scaled(x, y, good)
        y[:] = -1
        with pytest.raises((ArgumentError, DtypeError)):
            scaled(x, y, n)
        with pytest.raises((ArgumentError, DtypeError)):
            scaled.bind(x, y, n)
    assert (y == -1).all()


def test_mixed_arrays_take_a_float_as_a_literal(device):
    @xt.jit(grid=(1,))
    def kernel(X, Z, Y, a):
        x, z = xt.load_tile(xt.init_tile(X, (0,), (16,))), xt.load_tile(xt.init_tile(Z, (0,), (16,)))
        xt.store_tile(x * a, xt.init_tile(X, (0,), (16,)))
        xt.store_tile(z * a, xt.init_tile(Y, (0,), (16,)))

    x, z, y = np.full(16, 3, np.float32), np.full(16, 3, np.float64), np.zeros(16, np.float64)
    with xt.device(device):
        kernel(x, z, y, 0.1)
    assert (x == np.float32(3) * np.float32(0.1)).all() and (y == 3 * 0.1).all()


@pytest.mark.every(4)
@pytest.mark.parametrize("name", ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "f32", "f64", "bool"])
def test_saved_kernels_take_what_fits_their_type(tmp_path, name):
    @xt.jit(grid=(1,))
    def kernel(Y, n):
        xt.store_tile(xt.full((16,), 0, Y.dtype) + n.to(Y.dtype), xt.init_tile(Y, (0,), (16,)))

    kernel.compile("f64[?]", name).save(tmp_path / "saved")
    y = np.zeros(16)
    with xt.device("cpu"):
        saved = xt.load(tmp_path / "saved", grid=(1,))
        for n in (1, True, np.bool_(True), np.int64(1)):
            saved(y, n)
            assert (y == 1).all()
        dtype = xt.dtypes.dtype(name)
        beyond = [2**dtype.bits, -(2**dtype.bits), 1.5] if dtype.kind in "iu" else [70000, 1e39, 10**400] if name == "f16" else []
        for n in [*beyond, "1", None, 1j] + ([2] if name == "bool" else []):
            with pytest.raises((ArgumentError, DtypeError)):
                saved(y, n)


@xt.jit(grid=(1,))
def hashed(X, Y, seed: xt.u32, scale: "xt.f32" = 1):
    """A step of a generator of random numbers: products and sums wrap at 32 bits."""
    x = (xt.load_tile(X[0:16]) ^ seed) * 2654435761 + (seed + 4000000000)
    xt.store_tile(x.to(xt.f32) * scale, Y[0:16])


@pytest.mark.parametrize("warm", [False, True])
def test_a_number_has_the_dtype_that_its_annotation_says(device, warm):
    x, y = np.arange(16, dtype=np.uint32), np.zeros(16, np.float32)
    with xt.device(device):
        if warm:
            hashed(x, y, 1)
        hashed(x, y, 4000000007)
        seed = np.uint32(4000000007)
        assert (y == ((x ^ seed) * np.uint32(2654435761) + np.uint32((4000000007 + 4000000000) % 2**32)).astype(np.float32)).all()
        hashed(x, y, np.int64(3), scale=2)
        assert (y == (((x ^ np.uint32(3)) * np.uint32(2654435761) + np.uint32(4000000003)).astype(np.float32) * 2)).all()


@pytest.mark.parametrize("given", [True, np.bool_(True), np.uint8(1), np.int64(1)], ids=lambda n: type(n).__name__)
@pytest.mark.parametrize("where", ["numpy", "cpu", pytest.param("sim:bmg", marks=pytest.mark.simulated)])
def test_what_a_comparison_gives_is_taken_for_an_integer(where, given):
    """numpy's bool, which is no index of Python's."""
    x, y = np.arange(16, dtype=np.uint32), np.zeros(16, np.float32)
    with xt.device(where):
        for seed in (given, 1):
            hashed(x, y, seed)
            assert (y == ((x ^ np.uint32(1)) * np.uint32(2654435761) + np.uint32(4000000001)).astype(np.float32)).all()


@pytest.mark.parametrize("warm", [False, True])
@pytest.mark.parametrize("seed,scale,message", [
    (-1, 1, "seed is -1: it does not fit u32"),
    (2**32, 1, "seed is 4294967296: it does not fit u32"),
    (1.5, 1, "seed is 1.5: it is a float, not a whole number for u32"),
    (1, 10**60, "it does not fit f32"),
])  # fmt: skip
def test_a_number_that_its_annotation_does_not_hold_is_refused(device, warm, seed, scale, message):
    x, y = np.arange(16, dtype=np.uint32), np.zeros(16, np.float32)
    with xt.device(device):
        if warm:
            hashed(x, y, type(seed)(2), type(scale)(2)) if isinstance(seed, int) else hashed(x, y, 2)
        with pytest.raises(ArgumentError, match=message):
            hashed(x, y, seed, scale)


@xt.jit(grid=(1,))
def doubled(X, Y, factor: xt.f64):
    xt.store_tile(xt.load_tile(X[0:16]) * factor, Y[0:16])


def test_an_annotated_f64_is_no_python_number(device):
    y = np.zeros(16, np.float64)
    with xt.device(device):
        doubled(np.full(16, 3, np.float32), y, 0.1)
    assert (y == 3 * 0.1).all()


def test_signatures_agree_with_annotations():
    hashed.compile("u32[?]", "f32[?]", "u32", "f32")
    with pytest.raises(ArgumentError, match="seed is i32, and its annotation says u32"):
        hashed.compile("u32[?]", "f32[?]", "i32", "f32")


@xt.jit
def of_examples(X, n, rate, flag, seed: xt.u32):
    X[0] = (n + rate + seed).to(X.dtype)


def test_numbers_are_examples_of_their_types():
    def types(*given):
        return [str(kind) for _, kind in of_examples.compile(*given).request.signature.items()][1:]

    x = np.zeros(4, np.float32)
    assert types(x, 3, 0.5, True, 7) == ["i32", "f32", "bool", "u32"]
    assert types("f64[?]", 2**40, 0.5, False, 7) == ["i64", "f64", "bool", "u32"]
    assert types(x, np.int16(3), np.float32(1), np.bool_(0), np.int64(7)) == ["i16", "f32", "bool", "u32"]
    with pytest.raises(ArgumentError, match="seed is -1"):
        of_examples.compile(x, 3, 0.5, True, -1)
