"""One op each on one tile of any size, at the first element of its arrays."""

from __future__ import annotations

import xetile as xt


@xt.jit
def scaled(A, Out, SHAPE: xt.constexpr):
    """Out = A * 3 + 1"""
    x = xt.load_tile(xt.init_tile(A, (0, 0), SHAPE))
    xt.store_tile(x * 3 + 1, xt.init_tile(Out, (0, 0), SHAPE))


@xt.jit
def added(A, B, Out, SHAPE: xt.constexpr):
    """Out = A + B"""
    x, y = xt.load_tile(xt.init_tile(A, (0, 0), SHAPE)), xt.load_tile(xt.init_tile(B, (0, 0), SHAPE))
    xt.store_tile(x + y, xt.init_tile(Out, (0, 0), SHAPE))


@xt.jit
def row_sums(A, Out, SHAPE: xt.constexpr):
    """Out[:, 0] = A.sum(1)"""
    x = xt.load_tile(xt.init_tile(A, (0, 0), SHAPE))
    xt.store_tile(xt.sum(x, 1), xt.init_tile(Out, (0, 0), (SHAPE[0], 1)))


@xt.jit
def column_sums(A, Out, SHAPE: xt.constexpr):
    """Out[0] = A.sum(0)"""
    x = xt.load_tile(xt.init_tile(A, (0, 0), SHAPE))
    xt.store_tile(xt.sum(x, 0), xt.init_tile(Out, (0, 0), (1, SHAPE[1])))


@xt.jit
def transposed(A, Out, SHAPE: xt.constexpr):
    """Out = A.T"""
    x = xt.load_tile(xt.init_tile(A, (0, 0), SHAPE))
    xt.store_tile(x.T, xt.init_tile(Out, (0, 0), (SHAPE[1], SHAPE[0])))


@xt.jit
def softmax(A, Out, SHAPE: xt.constexpr):
    """Softmax of each row, in f32"""
    x = xt.load_tile(xt.init_tile(A, (0, 0), SHAPE)).to(xt.f32)
    e = xt.exp(x - xt.max(x, 1))
    xt.store_tile((e / xt.sum(e, 1)).to(A.dtype), xt.init_tile(Out, (0, 0), SHAPE))


@xt.jit
def cumulated(A, Out, SHAPE: xt.constexpr):
    """Out = A.cumsum(1)"""
    x = xt.load_tile(xt.init_tile(A, (0, 0), SHAPE))
    xt.store_tile(xt.cumsum(x, 1), xt.init_tile(Out, (0, 0), SHAPE))


@xt.jit
def multiplied(A, B, Out, SHAPE: xt.constexpr):
    """Out = A @ B, of A[M, K] and 32 columns of B"""
    a = xt.load_tile(xt.init_tile(A, (0, 0), SHAPE))
    b = xt.load_tile(xt.init_tile(B, (0, 0), (SHAPE[1], 32)))
    xt.store_tile(a @ b, xt.init_tile(Out, (0, 0), (SHAPE[0], 32)))
