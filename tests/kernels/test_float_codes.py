"""Weights of four-bit floats on each device: all codes, all exponents, zeros beside scales that are too large for f16."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import xetile as xt
from backends.spirv.float_codes import FloatCodesCall, FloatFormat, float_call_of, float_format
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


def test_assembly_of_floats_says_what_it_is():
    call = FloatCodesCall(4, 8, 9, 0x8E00)
    assert float_call_of(call.text(16)) == call
    assert float_call_of("vdpbf16ps $3, $2, $0") is None
