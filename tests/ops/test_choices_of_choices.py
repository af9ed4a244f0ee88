"""The larger or smaller of a number and a constant, twice, in all words: each says what becomes of NaN and of zeros.

LLVM takes `max(max(x, c), c)` for `max(x, c)` though one of them keeps NaN and the other does not.
"""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt

WAYS = {
    "c < x, x": lambda x, c: xt.where(c < x, x, c),
    "c > x, c": lambda x, c: xt.where(c > x, c, x),
    "c <= x, x": lambda x, c: xt.where(c <= x, x, c),
    "c >= x, c": lambda x, c: xt.where(c >= x, c, x),
    "not c < x, c": lambda x, c: xt.where(~(c < x), c, x),
    "not c > x, x": lambda x, c: xt.where(~(c > x), x, c),
    "not c <= x, c": lambda x, c: xt.where(~(c <= x), c, x),
    "not c >= x, x": lambda x, c: xt.where(~(c >= x), x, c),
    "maximum": lambda x, c: xt.maximum(x, c),
    "fmax": lambda x, c: xt.fmax(x, c),
    "c < x, c": lambda x, c: xt.where(c < x, c, x),
    "c > x, x": lambda x, c: xt.where(c > x, x, c),
    "not c < x, x": lambda x, c: xt.where(~(c < x), x, c),
    "not c > x, c": lambda x, c: xt.where(~(c > x), c, x),
    "minimum": lambda x, c: xt.minimum(x, c),
    "fmin": lambda x, c: xt.fmin(x, c),
}
NAMES = tuple(WAYS)


@xt.jit(grid=(1,))
def chosen(X, Y, C: xt.constexpr, FIRST: xt.constexpr, SECOND: xt.constexpr):
    """Every second choice of one first choice, of tiles of 16 by 16."""
    x = xt.load_tile(X[0:16, 0:16])
    c = xt.cast(C, X.dtype)
    first = FIRST(x, c)
    for i in xt.static_range(len(SECOND)):
        xt.store_tile(SECOND[i](first, c), Y[16 * i : 16 * i + 16, 0:16])


@xt.jit(grid=(1,))
def chosen_numbers(X, Y, C: xt.constexpr):
    """Numbers that branches choose."""
    for i in range(X.shape[1]):
        x = X[0, i]
        if x < C:
            x = xt.cast(C, xt.f32)
        kept = x
        if not x > C:
            x = xt.cast(C, xt.f32)
        Y[0, i], Y[1, i] = kept, x


def numbers(dtype: type) -> np.ndarray:
    x = np.random.default_rng(5).choice(np.array([np.nan, 0.0, -0.0, 1.5, -1.5, 0.25, np.inf, -np.inf, 3.0]), (16, 16))
    return x.astype(dtype)


def alike(found: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """NaN where NaN is, and the same number elsewhere, with the same sign if it is zero."""
    equal = (found == expected) & (np.signbit(found) == np.signbit(expected))
    return equal | (np.isnan(found) & np.isnan(expected))


@pytest.mark.covering
@pytest.mark.every(864, 1)
@pytest.mark.parametrize("first", NAMES)
@pytest.mark.parametrize("c", [0.0, 1.5])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.float64])
def test_each_choice_of_each_choice(device, dtype, c, first):
    x = numbers(dtype)
    found, expected = (np.zeros((16 * len(NAMES), 16), dtype) for _ in range(2))
    given = {"C": c, "FIRST": WAYS[first], "SECOND": tuple(WAYS.values())}
    with xt.device("numpy"):
        chosen(x, expected, **given)
    with xt.device(device):
        chosen(x, found, **given)
    wrong = ~alike(found, expected).all(1).reshape(len(NAMES), 16).all(1)
    assert not wrong.any(), [name for name, is_wrong in zip(NAMES, wrong) if is_wrong]


@pytest.mark.parametrize("c", [0.0, 1.5])
def test_numbers_that_branches_choose(device, c):
    x = numbers(np.float32)[:1]
    found = np.zeros((2, 16), np.float32)
    kept = np.where(c > x[0], np.float32(c), x[0])
    expected = np.stack([kept, np.where(c < kept, kept, np.float32(c))])
    with xt.device(device):
        chosen_numbers(x, found, C=c)
    assert alike(found, expected).all()
