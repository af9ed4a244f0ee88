"""Masks of places: one comparison for two limits, and 32 bits where indices have 64; the same elements whatever the numbers are."""

import numpy as np
import pytest

import xetile as xt
from xetile.dialects import arith
from xetile.dialects.types import I32, VectorType
from xetile.ir.core import of_kind
from xetile.passes import pipeline
from xetile.runtime.compiler import trace
from xetile.target import get_target

MASKS = {
    "two ends": lambda keys, rows, end, other: (keys <= rows) & (keys < end),
    "flipped": lambda keys, rows, end, other: (rows >= keys) & (end > keys),
    "or": lambda keys, rows, end, other: (keys < rows) | (keys <= end),
    "prefix": lambda keys, rows, end, other: ((keys <= rows) | (keys < other)) & (keys < end),
    "from": lambda keys, rows, end, other: (keys > rows) & (keys >= other),
    "from or": lambda keys, rows, end, other: (keys >= rows) | (keys > other),
    "window": lambda keys, rows, end, other: (keys <= rows) & (keys > rows - 9) & (keys < end),
    "scalars": lambda keys, rows, end, other: (keys < end) & (keys <= other),
    "distance": lambda keys, rows, end, other: (rows - keys < 7) & (rows >= keys),
    "same": lambda keys, rows, end, other: keys == rows,
    "others": lambda keys, rows, end, other: keys != rows + other,
    "below both": lambda keys, rows, end, other: (keys + 1 < xt.minimum(rows, end)) | (keys == end),
}
JOINED = {"two ends": 1, "flipped": 1, "or": 1, "prefix": 1, "from": 1, "from or": 1, "window": 2, "distance": 2, "same": 1}
ENDS = (17, 0, -1, 40, 2**31 - 1, -(2**31), 2**31 - 30, 63)


@xt.jit(num_subgroups=2)
def masked(A, B, At, Out, MASK: xt.constexpr):
    """Out[p] = A @ B of the elements of A that a mask of their places lets through, others as -1; At[p]: beginnings and ends."""
    p = xt.program_id(0)
    first, start, end, other = At[p, 0], At[p, 1], At[p, 2], At[p, 3]
    Out[p, 0:16, 0:16] = product(A, B, first, start, end, other, MASK)


@xt.jit(num_subgroups=2, grid=(1,))
def of_arguments(A, B, first, start, end, other, Out, MASK: xt.constexpr):
    """The same of numbers that the launch sees: indices have 32 bits where these are small."""
    Out[0:16, 0:16] = product(A, B, first, start, end, other, MASK)


@xt.jit
def product(A, B, first, start, end, other, MASK):
    acc = xt.zeros((16, 16), xt.f32)
    for n in range(first, first + 64, 32):
        a, b = xt.load_tile(A[0:16, n - first : n - first + 32]), xt.load_tile(B[n - first : n - first + 32, 0:16])
        seen = MASK(n + xt.arange(32)[None, :], (start + xt.arange(16))[:, None], end, other)
        acc = xt.tile_mma(xt.where(seen, a, -1), b, acc)
    return acc


def cases() -> np.ndarray:
    """Beginnings of keys and rows, and two ends."""
    rng = np.random.default_rng(0)
    found = [(*rng.integers(-40, 40, 2), *rng.choice(ENDS, 2)) for _ in range(30)]
    found += [
        (2**31 - 80, 2**31 - 60, 2**31 - 50, 2**31 - 1),
        (-(2**31), -(2**31) + 20, -(2**31) + 30, 5),
        (5, 2**31 - 20, 30, 20),
    ]
    return np.array(found, np.int32)


def arrays() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    a, b, at = rng.integers(-2, 3, (16, 64)).astype(np.float16), rng.integers(-2, 3, (64, 16)).astype(np.float16), cases()
    return a, b, at, np.zeros((len(at), 16, 16), np.float32)


def expected(mask) -> np.ndarray:
    a, b, at, out = arrays()
    for p, (first, start, end, other) in enumerate(at.astype(np.int64)):
        keys, rows = first + np.arange(64)[None, :], (start + np.arange(16))[:, None]
        seen = np.broadcast_to(mask(keys, rows, end, other), a.shape)
        out[p] = np.where(seen, a, -1).astype(np.float32) @ b.astype(np.float32)
    return out


def numpys(mask):
    """The same function of numpy arrays."""
    return lambda keys, rows, end, other: mask(keys, rows, end, other) if mask is not MASKS["below both"] else (
        (keys + 1 < np.minimum(rows, end)) | (keys == end)
    )  # fmt: skip


@pytest.mark.covering
@pytest.mark.every(4)
@pytest.mark.parametrize("name", MASKS)
def test_same_elements(name, device):
    a, b, at, out = arrays()
    with xt.device(device):
        masked[len(at),](a, b, at, out, MASKS[name])
    np.testing.assert_array_equal(out, expected(numpys(MASKS[name])))


@pytest.mark.covering
@pytest.mark.every(4)
@pytest.mark.parametrize("name", MASKS)
def test_same_elements_of_arguments(name, device):
    a, b, at, out = arrays()
    with xt.device(device):
        for each, numbers in list(zip(out, at.tolist()))[::6]:
            of_arguments(a, b, *numbers, each, MASKS[name])
    np.testing.assert_array_equal(out[::6], expected(numpys(MASKS[name]))[::6])


def comparisons(name: str, *types: str, kernel=masked) -> list[arith.CmpI]:
    """Of the laid-out kernel's masks."""
    request = kernel.compile("f16[?,?]", "f16[?,?]", *types, MASK=MASKS[name], target="bmg").request
    module = next(m for level, m in pipeline.lower(trace(request), get_target("bmg")) if level == "layout")
    return [op for op in of_kind(module.walk(), arith.CmpI) if isinstance(op.lhs.type, VectorType)]


@pytest.mark.parametrize("name", JOINED)
def test_two_limits_are_one(name):
    assert len(comparisons(name, "i32", "i32", "i32", "i32", "f32[?,?]", kernel=of_arguments)) == JOINED[name]


@pytest.mark.parametrize("name", MASKS)
def test_places_are_compared_in_32_bits(name):
    assert {op.lhs.type.element for op in comparisons(name, "i32[?,?]", "f32[?,?,?]")} == {I32}
