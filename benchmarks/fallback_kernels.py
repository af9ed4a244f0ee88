"""The kernels of the fallback benchmark, and the plain numpy expressions that they compute."""

from __future__ import annotations

from typing import Any

import numpy as np

import xetile as xt

Array = np.ndarray[Any, np.dtype[Any]]


@xt.jit(
    out={"C": lambda A, B: xt.empty((A.shape[0], B.shape[1]), xt.f32)},
    grid=lambda C, BM, BN: (xt.cdiv(C.shape[1], BN), xt.cdiv(C.shape[0], BM)),
)
def matmul(A, B, C, BM: xt.constexpr = 64, BN: xt.constexpr = 64, BK: xt.constexpr = 32) -> None:  # noqa: ANN001
    """C[M, N] f32 = A[M, K] @ B[K, N]."""
    assert A.shape[1] == B.shape[0], "the columns of A are the rows of B"
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    a, b = xt.init_tile(A, (m, 0), (BM, BK)), xt.init_tile(B, (0, n), (BK, BN))
    acc = xt.zeros((BM, BN), xt.f32)
    for _ in range(0, A.shape[1], BK):
        acc = xt.tile_mma(xt.load_tile(a), xt.load_tile(b), acc)
        a, b = xt.update_tile_offset(a, (0, BK)), xt.update_tile_offset(b, (BK, 0))
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.f32)}, grid=lambda X, BM: (xt.cdiv(X.shape[0], BM),))
def softmax(X, Y, BM: xt.constexpr = 8, N: xt.constexpr = 1024) -> None:  # noqa: ANN001
    """Y = softmax(X) by rows of N elements."""
    at = (xt.program_id(0) * BM, 0)
    x = xt.load_tile(xt.init_tile(X, at, (BM, N)))
    e = xt.exp(x - xt.max(x, axis=1))
    xt.store_tile(e / xt.sum(e, axis=1), xt.init_tile(Y, at, (BM, N)))


@xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.f32)}, grid=lambda X, BM: (xt.cdiv(X.shape[0], BM),))
def layer_norm(X, W, B, Y, BM: xt.constexpr = 8, N: xt.constexpr = 1024) -> None:  # noqa: ANN001
    """Y = (X - mean) / sqrt(variance + 1e-5) * W + B by rows of N elements."""
    at = (xt.program_id(0) * BM, 0)
    x = xt.load_tile(xt.init_tile(X, at, (BM, N)))
    d = x - xt.sum(x, axis=1) / N
    scale = xt.rsqrt(xt.sum(d * d, axis=1) / N + 1e-5)
    weight, bias = xt.load_tile(xt.init_tile(W, 0, (N,))), xt.load_tile(xt.init_tile(B, 0, (N,)))
    xt.store_tile(d * scale * weight + bias, xt.init_tile(Y, at, (BM, N)))


@xt.jit(out={"C": lambda A: xt.empty(A.shape, xt.f32)}, grid=lambda A, N: (xt.cdiv(A.shape[0], N),))
def add(A, B, C, N: xt.constexpr = 1024) -> None:  # noqa: ANN001
    """C = A + B."""
    assert A.shape[0] == B.shape[0]
    at = xt.program_id(0) * N
    a, b = xt.load_tile(xt.init_tile(A, at, (N,))), xt.load_tile(xt.init_tile(B, at, (N,)))
    xt.store_tile(a + b, xt.init_tile(C, at, (N,)))


def numpy_softmax(x: Array) -> Array:
    """The plain expression."""
    e = np.exp(x - x.max(1, keepdims=True))
    return np.asarray(e / e.sum(1, keepdims=True))


def numpy_layer_norm(x: Array, weight: Array, bias: Array) -> Array:
    """The plain expression."""
    d = x - x.mean(1, keepdims=True)
    return np.asarray(d / np.sqrt((d * d).mean(1, keepdims=True) + 1e-5) * weight + bias)
