"""The same as loops for Numba, which compiles them, spreads rows over cores and may add in any order; imported where it is installed."""

import math
from functools import partial

import numba
import numpy as np
from numba import prange

compiled = numba.njit(parallel=True, fastmath={"reassoc", "contract", "nsz"})
BLOCK = 1024


def _elementwise(function):
    @compiled
    def loop(x, y):
        for i in prange(x.shape[0]):
            for j in range(x.shape[1]):
                y[i, j] = function(x[i, j])

    return loop


@compiled
def _softmax(x, y):
    for i in prange(x.shape[0]):
        most = x[i, 0]
        for j in range(x.shape[1]):
            most = max(most, x[i, j])
        total = np.float32(0)
        for j in range(x.shape[1]):
            y[i, j] = math.exp(x[i, j] - most)
            total += y[i, j]
        for j in range(x.shape[1]):
            y[i, j] /= total


@compiled
def _row_sums(x, y):
    for i in prange(x.shape[0]):
        total = np.float32(0)
        for j in range(x.shape[1]):
            total += x[i, j]
        y[i] = total


@compiled
def _column_sums(x, y):
    for block in prange((x.shape[1] + BLOCK - 1) // BLOCK):
        first, last = block * BLOCK, min((block + 1) * BLOCK, x.shape[1])
        y[first:last] = 0
        for i in range(x.shape[0]):
            for j in range(first, last):
                y[j] += x[i, j]


@compiled
def _vector_add(x, y, z):
    for i in prange(x.shape[0]):
        for j in range(x.shape[1]):
            z[i, j] = x[i, j] + y[i, j]


LOOPS = {
    "softmax": (_softmax, lambda m, n: (m, n)),
    "reduction": (_row_sums, lambda m, n: (m,)),
    "column_sums": (_column_sums, lambda m, n: (n,)),
    "vector_add": (_vector_add, lambda m, n: (m, n)),
    **{name: (_elementwise(getattr(math, name)), lambda m, n: (m, n)) for name in ("exp", "tanh", "erf", "sin")},
}


def peer(name, arrays):
    """The loop of that name, compiled, on arrays and an output of its own."""
    loop, shape = LOOPS[name]
    inputs = list(arrays.values())
    run = partial(loop, *inputs, np.empty(shape(*inputs[0].shape), np.float32))
    run()
    return run
