"""Kernels that walk along rows and are bound by memory: softmax, norms, running sums, transposition, addition."""

import xetile as xt
from xetile.ops.kernels.planes import BY_ROWS, PADDED_ROWS, filled, plane, planes, rows_grid


@xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.f32)}, grid=rows_grid, num_subgroups=8, fast_math=True, defaults=PADDED_ROWS)
def softmax(X, Y, BM: xt.constexpr = 8, BN: xt.constexpr = 512, ACC: xt.constexpr = xt.f32, PADDED: xt.constexpr = False,
            LOG: xt.constexpr = False):  # fmt: skip
    """Y[M, N] = exp(X - max) / sum by rows, in ACC, in two passes: maximum and sum together, then the quotients. LOG: their logarithms."""
    x, y, m = plane(X, xt.program_id(1)), plane(Y, xt.program_id(1)), xt.program_id(0) * BM
    columns = x.shape[1]
    largest, total = xt.full((BM, 1), float("-inf"), ACC), xt.zeros((BM, 1), ACC)
    for n in range(0, columns, BN):
        value = filled(xt.init_tile(x, (m, n), (BM, BN)), n, columns, float("-inf"), ACC, PADDED)
        new = xt.maximum(largest, xt.max(value, axis=1))
        # Nothing but -inf so far: no difference of infinities.
        down = xt.where(new == float("-inf"), 0.0, new)
        total = total * xt.exp(largest - down) + xt.sum(xt.exp(value - down), axis=1)
        largest = new
    if LOG:
        largest += xt.log(total)
    else:
        scale = 1.0 / total
    for n in range(0, columns, BN):
        value = xt.load_tile(xt.init_tile(x, (m, n), (BM, BN))).to(ACC) - largest
        value = value if LOG else xt.exp(value) * scale
        xt.store_tile(value.to(Y.dtype), xt.init_tile(y, (m, n), (BM, BN)))


@xt.jit(
    grid=lambda Y, BM: (xt.cdiv(Y.shape[-2], BM), planes(Y)), num_subgroups=8, fast_math=True, defaults=BY_ROWS,
)  # fmt: skip
def softmax_backward(Y, dY, dX, BM: xt.constexpr = 8, BN: xt.constexpr = 512, ACC: xt.constexpr = xt.f32):
    """dX[M, N] = Y * (dY - sum(Y * dY)) by rows: the gradient of a softmax, of its result Y and the gradient dY of that."""
    z, m = xt.program_id(1), xt.program_id(0) * BM
    y, dy, dx = plane(Y, z), plane(dY, z), plane(dX, z)
    total = xt.zeros((BM, 1), ACC)
    for n in range(0, y.shape[1], BN):
        value, slope = xt.init_tile(y, (m, n), (BM, BN)), xt.init_tile(dy, (m, n), (BM, BN))
        total += xt.sum(xt.load_tile(value).to(ACC) * xt.load_tile(slope).to(ACC), axis=1)
    for n in range(0, y.shape[1], BN):
        value, slope = xt.init_tile(y, (m, n), (BM, BN)), xt.init_tile(dy, (m, n), (BM, BN))
        result = xt.load_tile(value).to(ACC) * (xt.load_tile(slope).to(ACC) - total)
        xt.store_tile(result.to(dX.dtype), xt.init_tile(dx, (m, n), (BM, BN)))


@xt.jit(
    out={"Y": lambda X: xt.empty((X.shape[0], 1), xt.f32)}, grid=rows_grid, num_subgroups=8, defaults=BY_ROWS,
)  # fmt: skip
def row_sum(X, Y, BM: xt.constexpr = 8, BN: xt.constexpr = 512):
    """Y[M, 1] f32: the sum of each row of X[M, N]."""
    m = xt.program_id(0) * BM
    total = xt.zeros((BM, 1), xt.f32)
    for n in range(0, X.shape[1], BN):
        total += xt.sum(xt.load_tile(xt.init_tile(X, (m, n), (BM, BN))).to(xt.f32), axis=1)
    xt.store_tile(total, xt.init_tile(Y, (m, 0), (BM, 1)))


@xt.jit(
    out={"Y": lambda X: xt.empty((X.shape[1], X.shape[0]), X.dtype)},
    grid=lambda Y, BM, BN: (xt.cdiv(Y.shape[-2], BN), xt.cdiv(Y.shape[-1], BM), planes(Y)),
    num_subgroups=8,
)
def transpose(X, Y, BM: xt.constexpr = 64, BN: xt.constexpr = 64):
    """Y[N, M] = X[M, N].T."""
    x, y = plane(X, xt.program_id(2)), plane(Y, xt.program_id(2))
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    value = xt.load_tile(xt.init_tile(x, (m, n), (BM, BN)))
    xt.store_tile(xt.tile_transpose(value), xt.init_tile(y, (n, m), (BN, BM)))


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


@xt.jit(grid=rows_grid, num_subgroups=8, defaults=BY_ROWS)
def cumsum(X, Y, BM: xt.constexpr = 8, BN: xt.constexpr = 256, ACC: xt.constexpr = xt.f32):
    """Y[M, N]: the running sums of each row of X[M, N], in ACC."""
    x, y, m = plane(X, xt.program_id(1)), plane(Y, xt.program_id(1)), xt.program_id(0) * BM
    before = xt.zeros((BM, 1), ACC)
    for n in range(0, x.shape[1], BN):
        value = xt.load_tile(xt.init_tile(x, (m, n), (BM, BN))).to(ACC)
        xt.store_tile((xt.cumsum(value, axis=1) + before).to(Y.dtype), xt.init_tile(y, (m, n), (BM, BN)))
        before += xt.sum(value, axis=1)
