"""Coordinates of messages in kernels whose indices have 64 bits: those that launches bound are no longer clamped, others are."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from backends.spirv.binary import Binary

CLAMPS = (156, 158)
"""s_max and s_min (OpenCL.std)."""
TYPES = ("f16[?,?]", "f16[?,?]", "i32[?]", "f32[?,?]")


@xt.jit
def to_the_end(A, B, At, C, ENDS: xt.constexpr):
    """C = A[:, :n] @ B[:n] + rows of A from anywhere, which take indices of 64 bits; n as ENDS gives it."""
    acc = xt.zeros((16, 32), xt.f32)
    for k in range(0, ENDS(A, At), 16):
        acc += xt.load_tile(xt.init_tile(A, (0, k), (16, 16))) @ xt.load_tile(xt.init_tile(B, (k, 0), (16, 32)))
    places = At[0] * A.shape[1] + xt.arange(32)[None, :]
    xt.store_tile(acc + xt.load_gather(xt.init_tile(A, places)).to(xt.f32), xt.init_tile(C, (0, 0), (16, 32)))


def a_size(A, At):
    return A.shape[1]


def half_of_it(A, At):
    return A.shape[1] // 2


def a_number(A, At):
    return At[1].to(xt.i64)


def clamps(ends):
    module = to_the_end.compile(*TYPES, target="bmg", num_subgroups=1, ENDS=ends).spirv
    return sum(i.name == "OpExtInst" and i.args[1] in CLAMPS for i in Binary(module).instructions)


@pytest.mark.parametrize("ends", [a_size, half_of_it])
def test_counters_that_end_with_an_array_are_small(ends):
    assert clamps(ends) < clamps(a_number)


@pytest.mark.every(2)
@pytest.mark.parametrize("ends", [a_size, half_of_it, a_number])
def test_same_answers(device, ends):
    rng = np.random.default_rng(0)
    a, b = rng.integers(-4, 5, (40, 96)).astype(np.float16), rng.integers(-4, 5, (96, 32)).astype(np.float16)
    at, c = np.array([37, 64], np.int32), np.zeros((16, 32), np.float32)
    with xt.device(device):
        to_the_end[1,](a, b, at, c, ends)
    end = {a_size: 96, half_of_it: 48, a_number: 64}[ends]
    np.testing.assert_array_equal(c, a[:16, :end].astype(np.float32) @ b[:end].astype(np.float32) + a[37, :32].astype(np.float32))
