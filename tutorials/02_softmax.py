"""Softmax: reductions, broadcasting, and rows that do not fit a tile.

    python tutorials/02_softmax.py

Softmax of a row x is exp(x - max(x)) / sum(exp(x - max(x))). In numpy each step is a pass over memory. Here a program holds BM rows
on chip and goes through memory once: `whole_rows`, for rows that fit a tile. Longer rows are walked in steps of BN, twice: `softmax`
finds each row's maximum and sum together in the first walk (when a larger maximum turns up, the sum so far is scaled to it), and
writes the quotients in the second.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

import xetile as xt


def grid(X: xt.Array, BM: int) -> tuple[int]:
    """One program for BM rows."""
    return (xt.cdiv(X.shape[0], BM),)


@xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.f32)}, grid=grid)
def whole_rows(X: xt.Array, Y: xt.Array, BM: xt.constexpr = 8, N: xt.constexpr = 256) -> None:
    """Y = softmax of the rows of X[M, N] f32, where N is the tile's width."""
    at = (xt.program_id(0) * BM, 0)
    x = xt.load_tile(xt.init_tile(X, at, (BM, N)))
    # A reduction along axis 1 gives (BM, 1): one number for each row, which broadcasts against (BM, N).
    e = xt.exp(x - xt.max(x, axis=1))
    xt.store_tile(e / xt.sum(e, axis=1), xt.init_tile(Y, at, (BM, N)))


@xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.f32)}, grid=grid)
def softmax(X: xt.Array, Y: xt.Array, BM: xt.constexpr = 8, BN: xt.constexpr = 256) -> None:
    """Y = softmax of the rows of X[M, N] f32, any M and N."""
    m, n = xt.program_id(0) * BM, X.shape[1]
    largest, total = xt.full((BM, 1), float("-inf"), xt.f32), xt.zeros((BM, 1), xt.f32)
    for k in range(0, n, BN):
        # What a tile reads beyond the edge is zero; softmax needs minus infinity there.
        inside = k + xt.arange(BN)[None, :] < n
        x = xt.where(inside, xt.load_tile(xt.init_tile(X, (m, k), (BM, BN))), float("-inf"))
        new = xt.maximum(largest, xt.max(x, axis=1))
        total = total * xt.exp(largest - new) + xt.sum(xt.exp(x - new), axis=1)
        largest = new
    for k in range(0, n, BN):
        x = xt.load_tile(xt.init_tile(X, (m, k), (BM, BN)))
        xt.store_tile(xt.exp(x - largest) / total, xt.init_tile(Y, (m, k), (BM, BN)))


def expected(x: NDArray[Any]) -> Any:
    """The same in numpy."""
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def main() -> None:
    """Softmax of short and of long rows."""
    rng = np.random.default_rng(0)
    for kernel, shape in ((whole_rows, (100, 256)), (softmax, (100, 1000))):
        x = rng.standard_normal(shape, dtype=np.float32) * 10
        error = np.abs(kernel(x) - expected(x)).max()
        print(f"{kernel.__name__} of {shape[0]} rows of {shape[1]}: largest error {error:.1e}")
        if not error < 1e-6:
            raise SystemExit("the result is wrong")


if __name__ == "__main__":
    main()
