"""Products of converted operands: against float64 numpy, on each device, with sizes that tiles do not divide."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import xetile as xt
from tests.kernels.converted import TYPES
from xetile.dtypes import dtype as get_dtype

M, N, K = 40, 48, 96
SMALL = {"BM": 32, "BN": 32, "BK": 32}


def array(text: str, shape: tuple[int, ...], seed: int) -> np.ndarray:
    """Numbers that every type here holds exactly, all codes of 8-bit floats that are numbers among them."""
    element = get_dtype(text.split("[")[0])
    rng = np.random.default_rng(seed)
    if element.name.startswith("f8"):
        codes = rng.integers(0, 256, shape).astype(np.uint8).view(element.numpy)
        return np.where(np.isfinite(codes.astype(np.float32)), codes, codes.dtype.type(1))
    low = 0 if element.name.startswith("u") else -8
    return rng.integers(low, 9, shape).astype(element.numpy)


def case(name: str) -> tuple[list[np.ndarray], np.ndarray]:
    """Arguments, and what C must be."""
    a_type, b_type, *vectors, _ = TYPES[name][1]
    a, b = array(a_type, (M, K), 1), array(b_type, (K, N), 2)
    wide = b.astype(np.float64)
    others = [array(v, (N,), 3 + i) for i, v in enumerate(vectors)]
    if name.startswith("int8"):
        others[0] = array(vectors[0], (M,), 3)
    elif "zero" in name:
        wide = wide - others[0]
    expected = a.astype(np.float64) @ wide
    if others:
        expected = expected * others[-1]
    if name.startswith("int8"):
        expected = expected * others[0][:, None]
    return [a, b, *others, np.zeros((M, N), np.float32)], expected


@pytest.mark.every(16)
@pytest.mark.parametrize("name", TYPES)
def test_against_float64(device, name):
    arguments, expected = case(name)
    with xt.device(device):
        TYPES[name][0][2, 2](*arguments, **SMALL)
    np.testing.assert_allclose(arguments[-1], expected, rtol=1e-5, atol=1e-3 * np.abs(expected).max() * 1e-2)


@pytest.mark.every(4, 1)
@pytest.mark.parametrize("name", ["weights i8", "weights f8e5m2"])
def test_rows_that_pass_by(device, name):
    """Tiles whose subgroups hold as many rows as there are: what they load passes through the registers while they multiply."""
    a_type, b_type, s_type, _ = TYPES[name][1]
    rng = np.random.default_rng(5)
    a, b = (
        rng.integers(-4, 5, shape).astype(get_dtype(t.split("[")[0]).numpy)
        for t, shape in ((a_type, (150, 64)), (b_type, (64, 144)))
    )
    s, c = np.ones(144, get_dtype(s_type.split("[")[0]).numpy), np.zeros((150, 144), np.float32)
    with xt.device(device):
        TYPES[name][0][2, 2](a, b, s, c)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


@pytest.mark.every(8)
@pytest.mark.parametrize("wide", [np.float16, ml_dtypes.bfloat16], ids=["f16", "bf16"])
@pytest.mark.parametrize("narrow", [ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2], ids=["f8e4m3", "f8e5m2"])
def test_every_code(device, narrow, wide):
    """One code to a column of B, zeros beside it: each number, infinity and NaN is widened exactly."""
    rows, codes = np.random.default_rng(1).integers(0, 64, 256), np.arange(256)
    bits = np.zeros((64, 256), np.uint8)
    bits[rows, codes] = codes
    a, b = np.random.default_rng(2).integers(1, 5, (32, 64)).astype(wide), bits.view(narrow)
    c = np.zeros((32, 256), np.float32)
    with xt.device(device):
        TYPES["weights f8e4m3"][0][8, 1](a, b, np.ones(256, np.float32), c, **SMALL)
    np.testing.assert_array_equal(c, a[:, rows].astype(np.float32) * b[rows, codes].astype(np.float32))


def ties(kind) -> np.ndarray:
    """f32 close to halfway between numbers of a narrower type, on both sides, and as far as that rounds to the next power of two."""
    dropped = {xt.tf32: 13, xt.bf16: 16}[kind]
    rng = np.random.default_rng(7)
    bits = rng.integers(0x3F000000, 0x42000000, (32, 32), dtype=np.uint32) >> dropped << dropped
    bits[:, 1::3] |= 0x7FFFFF >> dropped << dropped
    bits += (1 << (dropped - 1)) + rng.integers(-1, 2, bits.shape).astype(np.uint32)
    return (bits | rng.integers(0, 2, bits.shape, dtype=np.uint32) << 31).view(np.float32)


@pytest.mark.every(64, 12)
@pytest.mark.parametrize("kind", [xt.tf32, xt.bf16])
@pytest.mark.parametrize("side", [0, 1])
def test_operands_are_rounded_to_even(device, kind, side):
    x, one, c = ties(kind), np.eye(32, dtype=np.float32), np.zeros((32, 32), np.float32)
    with xt.device(device):
        TYPES["f32 as bf16"][0][1, 1](*((x, one) if side == 0 else (one, x)), c, kind, **SMALL)
    expected = x.astype(ml_dtypes.bfloat16).astype(np.float32)
    if kind is xt.tf32:
        bits = x.view(np.uint32)
        expected = ((bits + 0xFFF + (bits >> 13 & 1)) & 0xFFFFE000).view(np.float32)
    np.testing.assert_array_equal(c, expected)
