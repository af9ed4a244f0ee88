"""Python's own functions as arguments of others: they mean on values what they mean where a kernel calls them."""

import functools

import numpy as np

import xetile as xt

X = np.random.default_rng(0).standard_normal((8, 16)).astype(np.float32)


@xt.jit(out={"Y": lambda X: xt.empty((4, 8, 16), xt.f32)}, grid=1)
def passed_on(X, Y):
    x = xt.load_tile(X[0:8, 0:16])
    Y[0, 0:8, 0:16] = xt.associative_scan(max, x, axis=1)
    Y[1, 0:8, 0:16] = xt.associative_scan(min, x, axis=0, reverse=True)
    Y[2, 0:8, 0:16] = functools.reduce(max, [x, x * 2, -x])
    lows = list(map(min, [x, x], [x * 3, 0 * x]))
    Y[3, 0:8, 0:16] = lows[0] + lows[1]


def test_max_and_min_combine_values():
    with xt.device("numpy"):
        scanned, back, most, least = passed_on(X)
    np.testing.assert_array_equal(scanned, np.maximum.accumulate(X, 1))
    np.testing.assert_array_equal(back, np.minimum.accumulate(X[::-1], 0)[::-1])
    np.testing.assert_array_equal(most, np.maximum(np.maximum(X, X * 2), -X))
    np.testing.assert_array_equal(least, np.minimum(X, X * 3) + np.minimum(X, 0 * X))
