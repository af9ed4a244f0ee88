"""Weights of four-bit floats on each device: all codes, all exponents, zeros beside scales that are too large for f16."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import xetile as xt
from backends.spirv.assembly.byte_powers import PowersCall
from backends.spirv.assembly.call import call_of
from backends.spirv.assembly.float_codes import FloatCodesCall, FloatFormat, float_format
from backends.spirv.module.binary import Binary
from tests.kernels.plain_floats import NUMBERS, by_powers, by_shifts, mxfp4, mxfp4_behind


@pytest.mark.every(4)
@pytest.mark.parametrize("decode", [by_powers, by_shifts])
@pytest.mark.parametrize("kind", [np.float16, ml_dtypes.bfloat16])
def test_all_codes_and_exponents(device, kind, decode):
    rng, rows, columns = np.random.default_rng(0), 64, 256
    codes = rng.permutation(np.arange(2 * rows * columns) % 256 // 16).astype(np.uint8).reshape(2 * rows, columns)
    exponents = np.resize(np.arange(255), (2 * rows // 32, columns)).astype(np.uint8)
    scales = np.repeat(2.0 ** (exponents.astype(np.float64) - 127), 32, 0).astype(np.float32)
    with np.errstate(over="ignore"):
        b = (NUMBERS[codes].astype(np.float32) * scales).astype(kind)
    # In columns that are too large for the type all codes are zeros: infinity times the zeros of x would be NaN.
    codes[:, ~np.isfinite(b.astype(np.float32)).all(0)] &= 8
    b = (NUMBERS[codes].astype(np.float32) * scales).astype(kind).astype(np.float32)
    x, c = np.zeros((128, 2 * rows), kind), np.zeros((128, columns), np.float32)
    x[np.arange(128), rng.permutation(128)] = 1
    with xt.device(device):
        mxfp4[2, 1](x, codes[:rows] | codes[rows:] << 4, exponents, c, decode)
    np.testing.assert_array_equal(c, x.astype(np.float32) @ b)


@xt.jit
def scaled(X, W, E, C, SCALE: xt.constexpr, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """C = X @ (codes of W * SCALE(E)): a row of exponents for all rows."""
    n, half = xt.program_id(0) * BN, W.shape[0]
    scale = SCALE(xt.load_tile(xt.init_tile(E, (0, n), (1, BN))))
    acc = xt.zeros((32, BN), xt.f32)
    for k in range(0, half, BK):
        w = xt.load_tile(xt.init_tile(W, (k, n), (BK, BN)))
        for high in xt.static_range(2):
            b = by_shifts(w >> 4 if high else w & 15) * scale
            acc += xt.load_tile(xt.init_tile(X, (0, k + high * half), (32, BK))) @ b.to(X.dtype)
    xt.store_tile(acc, xt.init_tile(C, (0, n), (32, BN)))


SCALES = {
    "powers": lambda e: xt.exp2(e.to(xt.f32) - 127.0),
    "bits": lambda e: xt.bitcast(e.to(xt.i32) << 23, xt.f32),
    "smaller powers": lambda e: xt.exp2((e & 63).to(xt.f32) - 60.0),
    "signed powers": lambda e: xt.exp2(xt.bitcast(e, xt.i8).to(xt.f32)),
}
BY_BYTES = {"powers", "bits", "smaller powers"}
"""Scales whose factors are made of the bytes, not of the powers."""


@pytest.mark.every(3)
@pytest.mark.parametrize("name", SCALES)
def test_each_code_with_each_exponent(device, name):
    """The largest too: infinite scales, by which zeros are no numbers, and finite ones that only f16 does not hold."""
    codes, exponents = (x.reshape(1, -1).astype(np.uint8) for x in np.divmod(np.arange(16 * 256), 256))
    x, c = np.ones((32, 64), np.float16), np.zeros((32, codes.size), np.float32)
    with xt.device(device):
        scaled[codes.size // 128,](x, np.repeat(codes | codes << 4, 32, 0), exponents, c, SCALES[name])
    with np.errstate(all="ignore"):
        least = np.float32(0 if name == "bits" else 2.0**-127)
        scales = np.where(exponents == 0, least, np.exp2(exponents.astype(np.float64) - 127).astype(np.float32))
        if name == "smaller powers":
            scales = np.exp2((exponents & 63).astype(np.float64) - 60).astype(np.float32)
        if name == "signed powers":
            scales = np.exp2(exponents.view(np.int8).astype(np.float64)).astype(np.float32)
        b = (NUMBERS[codes].astype(np.float32) * scales).astype(np.float16).astype(np.float32)
        np.testing.assert_array_equal(c, np.repeat(b * 64, 32, 0))


@xt.jit
def scaled_by_one(X, W, E, C, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """C = X @ (codes of W * 2 ** (E[k, 0] - 127)): an exponent for BK rows of all columns."""
    acc, half = xt.zeros((32, BN), xt.f32), W.shape[0]
    for k in range(0, half, BK):
        w = xt.load_tile(xt.init_tile(W, (k, 0), (BK, BN)))
        scale = xt.exp2(xt.load_tile(xt.init_tile(E, (k // BK, 0), (1, 1))).to(xt.f32) - 127.0)
        acc += xt.load_tile(xt.init_tile(X, (0, k), (32, BK))) @ (by_shifts(w & 15) * scale).to(X.dtype)
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (32, BN)))


@pytest.mark.every(2)
def test_one_exponent_for_all_lanes(device):
    rng = np.random.default_rng(0)
    codes, exponents = rng.integers(0, 16, (64, 128)).astype(np.uint8), np.array([[130], [140]], np.uint8)
    x, c = rng.integers(-4, 5, (32, 64)).astype(np.float16), np.zeros((32, 128), np.float32)
    with xt.device(device):
        scaled_by_one[1,](x, codes, exponents, c)
    b = NUMBERS[codes] * np.repeat(2.0 ** (exponents.astype(np.float64) - 127), 32, 0)
    np.testing.assert_array_equal(c, x.astype(np.float64) @ b)


@pytest.mark.every(2)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize("name", SCALES)
def test_codes_times_powers_of_two_never_become_f32(name, target):
    module = scaled.compile("f16[?,?]", "u8[?,?]", "u8[?,?]", "f32[?,?]", target=target, SCALE=SCALES[name]).spirv
    texts = [str(x.value) for i in Binary(module).instructions if i.name == "OpAsmINTEL" for x in i.operands() if x.kind == "S"]
    assert any("xetile floats" in text for text in texts)
    assert any("xetile powers" in text for text in texts) == (name in BY_BYTES)
    assert not any("xetile singles" in text for text in texts)


@pytest.mark.every(2)
def test_codes_by_turns(device):
    rng = np.random.default_rng(0)
    codes = rng.permutation(np.arange(64 * 128) % 16).astype(np.uint8).reshape(64, 128)
    exponents = rng.integers(100, 150, (2, 128)).astype(np.uint8)
    x, c = np.eye(128, 64, dtype=np.float16), np.zeros((128, 128), np.float32)
    with xt.device(device):
        mxfp4_behind[1, 1](x, codes[::2] | codes[1::2] << 4, exponents, c, by_powers)
    b = NUMBERS[codes] * np.repeat(2.0 ** (exponents.astype(np.float64) - 127), 32, 0)
    np.testing.assert_array_equal(c, x.astype(np.float64) @ b)


def test_formats_of_floats():
    def found(numbers):
        return float_format(tuple(map(int, np.array(numbers, np.float16).view(np.uint16))))

    assert found(NUMBERS) == FloatFormat(9, 0x8E00, 14)
    assert found(NUMBERS * 0.25) == FloatFormat(9, 0x8E00, 12)
    assert found(np.abs(NUMBERS)) == FloatFormat(9, 0x0E00, 14)
    assert found(np.arange(16) - 8) is None
    assert found(NUMBERS[:8]) is None
    assert found(np.arange(16)) is None, "as the smallest f16 they would have to be multiplied by more than f16 has"


@xt.jit(grid=lambda C, BN: (C.shape[1] // BN,), num_subgroups=8)
def whole_numbers(A, B, C, BN: xt.constexpr = 32):
    """C = A @ the lower halves of the bytes B, in more steps than a table of them takes."""
    acc, n = xt.zeros((32, BN), xt.f32), xt.program_id(0) * BN
    for k in range(0, A.shape[1], 32):
        low = xt.load_tile(xt.init_tile(B, (k, n), (32, BN))) & 15
        b = low.to(xt.f16).to(xt.f32).to(xt.f16)
        acc += xt.load_tile(xt.init_tile(A, (0, k), (32, 32))) @ xt.minimum(b, low.to(xt.f16).to(xt.f32).to(xt.f16))
    xt.store_tile(acc, xt.init_tile(C, (0, n), (32, BN)))


def test_whole_numbers_are_no_floats_of_few_digits(device):
    codes = np.random.default_rng(0).integers(-128, 128, (64, 64)).astype(np.int8)
    a, c = np.eye(16, 64, dtype=np.float16), np.zeros((16, 64), np.float32)
    with xt.device(device):
        whole_numbers(a, codes, c)
    np.testing.assert_array_equal(c, codes[:16] & 15)


def test_assembly_of_floats_says_what_it_is():
    call = FloatCodesCall(4, 8, 9, 0x8E00)
    assert call_of(call.text(16)) == call
    assert call_of("vdpbf16ps $3, $2, $0") is None


@pytest.mark.parametrize("bias", [-127, -140, -60])
@pytest.mark.parametrize("exponent", [0, 12, 14])
def test_factors_of_bytes_are_powers_of_two_as_far_as_f16_reaches(bias, exponent):
    byte = np.arange(min(255, 127 - bias) + 1)
    first, second = (part.astype(np.uint16).view(np.float16) for part in PowersCall.of(bias, exponent, doubled=False).parts(byte))
    power = byte + bias + exponent
    exact = (power >= -14) & (power <= 30)
    wanted = np.ldexp(1.0, power[exact])
    np.testing.assert_array_equal((first.astype(np.float64) * second)[exact], wanted)
    assert (np.where(power < -14, first, 0) == 0).all()
    assert (first[power > 30] > 2.0**15).all() and np.isfinite(second).all()
    assert (np.isinf(first) == (byte + bias == 128)).all()


@pytest.mark.parametrize("doubled", [False, True])
def test_assembly_of_powers_says_what_it_is(doubled):
    call = PowersCall.of(-127, 14, doubled=doubled)
    assert call_of(call.text(16)) == call
    assert call_of("vdpbf16ps $3, $2, $0") is None
