"""Kernels that walk rows of a matrix and are bound by memory: softmax, layer norm, sums, transposition, addition."""

import xetile as xt

# A core of a CPU reads fastest what lies in one row.
BY_ROWS = {"cpu": {"BM": 1, "BN": 1024}}


def rows_grid(Y, BM):
    return (xt.cdiv(Y.shape[0], BM),)


@xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.f32)}, grid=rows_grid, num_subgroups=8, fast_math=True, defaults=BY_ROWS)
def softmax(X, Y, BM: xt.constexpr = 8, BN: xt.constexpr = 512):
    """Y[M, N] = exp(X - max) / sum by rows, in f32, in two passes: maximum and sum together, then the quotients."""
    m, columns = xt.program_id(0) * BM, X.shape[1]
    x, y = xt.init_tile(X, (m, 0), (BM, BN)), xt.init_tile(Y, (m, 0), (BM, BN))
    largest = xt.full((BM, 1), float("-inf"), xt.f32)
    total = xt.zeros((BM, 1), xt.f32)
    for n in range(0, columns, BN):
        value = xt.where(n + xt.arange(BN)[None, :] < columns, xt.load_tile(x).to(xt.f32), float("-inf"))
        new = xt.maximum(largest, xt.max(value, axis=1))
        total = total * xt.exp(largest - new) + xt.sum(xt.exp(value - new), axis=1)
        largest = new
        x = xt.update_tile_offset(x, (0, BN))
    x, scale = xt.init_tile(X, (m, 0), (BM, BN)), 1.0 / total
    for _ in range(0, columns, BN):
        value = xt.exp(xt.load_tile(x).to(xt.f32) - largest) * scale
        xt.store_tile(value.to(Y.dtype), y)
        x, y = xt.update_tile_offset(x, (0, BN)), xt.update_tile_offset(y, (0, BN))


@xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.f32)}, grid=rows_grid, num_subgroups=8, fast_math=True, defaults=BY_ROWS)
def layer_norm(X, weight, bias, Y, eps: xt.constexpr = 1e-5, BM: xt.constexpr = 8, BN: xt.constexpr = 512):
    """Y[M, N] = (X - mean) / sqrt(variance + eps) * weight[N] + bias[N] by rows, in f32."""
    m, columns = xt.program_id(0) * BM, X.shape[1]
    total = xt.zeros((BM, 1), xt.f32)
    for n in range(0, columns, BN):
        total += xt.sum(xt.load_tile(xt.init_tile(X, (m, n), (BM, BN))).to(xt.f32), axis=1)
    mean = total / columns
    squares = xt.zeros((BM, 1), xt.f32)
    for n in range(0, columns, BN):
        value = xt.load_tile(xt.init_tile(X, (m, n), (BM, BN))).to(xt.f32) - mean
        squares += xt.sum(xt.where(n + xt.arange(BN)[None, :] < columns, value * value, 0), axis=1)
    scale = xt.rsqrt(squares / columns + eps)
    for n in range(0, columns, BN):
        value = (xt.load_tile(xt.init_tile(X, (m, n), (BM, BN))).to(xt.f32) - mean) * scale
        value = value * xt.load_tile(xt.init_tile(weight, n, (BN,))).to(xt.f32)
        value = value + xt.load_tile(xt.init_tile(bias, n, (BN,))).to(xt.f32)
        xt.store_tile(value.to(Y.dtype), xt.init_tile(Y, (m, n), (BM, BN)))


@xt.jit(out={"Y": lambda X: xt.empty((X.shape[0], 1), xt.f32)}, grid=rows_grid, num_subgroups=8, defaults=BY_ROWS)
def row_sum(X, Y, BM: xt.constexpr = 8, BN: xt.constexpr = 512):
    """Y[M, 1] f32: the sum of each row of X[M, N]."""
    m = xt.program_id(0) * BM
    total = xt.zeros((BM, 1), xt.f32)
    for n in range(0, X.shape[1], BN):
        total += xt.sum(xt.load_tile(xt.init_tile(X, (m, n), (BM, BN))).to(xt.f32), axis=1)
    xt.store_tile(total, xt.init_tile(Y, (m, 0), (BM, 1)))


@xt.jit(
    out={"Y": lambda X: xt.empty((X.shape[1], X.shape[0]), xt.f32)},
    grid=lambda Y, BM, BN: (xt.cdiv(Y.shape[0], BN), xt.cdiv(Y.shape[1], BM)),
    num_subgroups=8,
)
def transpose(X, Y, BM: xt.constexpr = 64, BN: xt.constexpr = 64):
    """Y[N, M] = X[M, N].T, f32."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    value = xt.load_tile(xt.init_tile(X, (m, n), (BM, BN)))
    xt.store_tile(xt.tile_transpose(value), xt.init_tile(Y, (n, m), (BN, BM)))


@xt.jit(
    out={"Z": lambda X: xt.empty(X.shape, xt.f32)},
    grid=lambda Z, BM, BN: (xt.cdiv(Z.shape[1], BN), xt.cdiv(Z.shape[0], BM)),
    num_subgroups=8,
    defaults=BY_ROWS,
)
def vector_add(X, Y, Z, BM: xt.constexpr = 32, BN: xt.constexpr = 128):
    """Z = X + Y, f32, elementwise over [M, N]."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    x = xt.load_tile(xt.init_tile(X, (m, n), (BM, BN)))
    y = xt.load_tile(xt.init_tile(Y, (m, n), (BM, BN)))
    xt.store_tile(x + y, xt.init_tile(Z, (m, n), (BM, BN)))
