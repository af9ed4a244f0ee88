"""Coordinates of messages in kernels whose indices have 64 bits: those that launches bound are no longer clamped, others are."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from backends.spirv.module.binary import Binary

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


def a_word(A, At):
    return At[1]


def the_least(A, At):
    return xt.minimum(At[1].to(xt.index), A.stride(0) * At[0].to(xt.i64))


def a_number(A, At):
    """64, of which nothing is known."""
    return At[1].to(xt.i64) * A.stride(0) // A.stride(0)


def clamps(ends):
    module = to_the_end.compile(*TYPES, target="bmg", num_subgroups=1, ENDS=ends).spirv
    return sum(i.name == "OpExtInst" and i.args[1] in CLAMPS for i in Binary(module).instructions)


@pytest.mark.parametrize("ends", [a_size, half_of_it, a_word])
def test_counters_that_end_with_an_array_or_a_word_are_small(ends):
    assert clamps(ends) < clamps(a_number)


@pytest.mark.every(2)
@pytest.mark.parametrize("ends", [a_size, half_of_it, a_word, the_least, a_number])
def test_same_answers(device, ends):
    rng = np.random.default_rng(0)
    a, b = rng.integers(-4, 5, (40, 96)).astype(np.float16), rng.integers(-4, 5, (96, 32)).astype(np.float16)
    at, c = np.array([37, 64], np.int32), np.zeros((16, 32), np.float32)
    with xt.device(device):
        to_the_end[1,](a, b, at, c, ends)
    end = {a_size: 96, half_of_it: 48, a_word: 64, the_least: 64, a_number: 64}[ends]
    np.testing.assert_array_equal(c, a[:16, :end].astype(np.float32) @ b[:end].astype(np.float32) + a[37, :32].astype(np.float32))


@xt.jit
def from_a_word(A, At, C):
    """C[p] = 32 columns of A from a number from memory on, once from two tiles, and rows of A from anywhere."""
    p = xt.program_id(0)
    first = At[p]
    found = xt.zeros((16, 32), xt.f32)
    for k in range(first, first + 16, 16):
        found += xt.load_tile(xt.init_tile(A, (0, k), (16, 32))).to(xt.f32) + xt.load_tile(
            xt.init_tile(A, (k + 16, 0), (16, 32))
        ).to(xt.f32)
    places = xt.minimum(At[0], 0) * A.shape[1] + xt.arange(32)[None, :]
    C[p, 0:16, 0:32] = found + xt.load_gather(xt.init_tile(A, places)).to(xt.f32)


@pytest.mark.every(2)
def test_words_far_outside_stay_outside(device):
    a = np.random.default_rng(0).integers(-4, 5, (40, 96)).astype(np.float16)
    at = np.array([3, -20, 70, 96, 2**31 - 1, 2**31 - 16, 2**31 - 40, -(2**31), -(2**31) + 9, 2**30], np.int32)
    c = np.zeros((len(at), 16, 32), np.float32)
    with xt.device(device):
        from_a_word[len(at),](a, at, c)
    wide = np.pad(a.astype(np.float32), 200)
    for first, found in zip(at.tolist(), c):
        expected = np.broadcast_to(a[0, :32].astype(np.float32), (16, 32)).copy()
        if abs(first) < 150:
            expected += wide[200:216, 200 + first : 232 + first] + wide[216 + first : 232 + first, 200:232]
        np.testing.assert_array_equal(found, expected, err_msg=str(first))
