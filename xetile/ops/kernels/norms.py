"""Norms of rows, forward and backward: the mean of layer norm is subtracted with CENTER, RMS norm goes without."""

import xetile as xt
from xetile.ops.kernels.planes import BY_ROWS, rows_grid


@xt.jit
def part(X, m, n, BM, BN, ACC):
    """BM x BN elements of X from row m and column n on, in ACC."""
    return xt.load_tile(xt.init_tile(X, (m, n), (BM, BN))).to(ACC)


@xt.jit
def along(weight, n, BN, ACC):
    """BN numbers of a vector from n on."""
    return xt.load_tile(xt.init_tile(weight, n, (BN,))).to(ACC)


@xt.jit
def moments(X, m, eps, CENTER, BM, BN, ACC):
    """Mean (0 without CENTER) and 1 / sqrt(mean square difference from it + eps) of rows, in two passes: nothing cancels."""
    columns = X.shape[1]
    mean = xt.zeros((BM, 1), ACC)
    if CENTER:
        for n in range(0, columns, BN):
            mean += xt.sum(part(X, m, n, BM, BN, ACC), axis=1)
        mean = mean / columns.to(ACC)
    squares = xt.zeros((BM, 1), ACC)
    for n in range(0, columns, BN):
        value = part(X, m, n, BM, BN, ACC)
        if CENTER:
            value = xt.where(n + xt.arange(BN)[None, :] < columns, value - mean, 0)
        squares += xt.sum(value * value, axis=1)
    return mean, xt.rsqrt(squares / columns.to(ACC) + eps)


@xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.f32)}, grid=rows_grid, num_subgroups=8, fast_math=True, defaults=BY_ROWS)
def layer_norm(X, weight, bias, Y, eps: xt.constexpr = 1e-5, CENTER: xt.constexpr = True, BM: xt.constexpr = 8,
               BN: xt.constexpr = 512, ACC: xt.constexpr = xt.f32):  # fmt: skip
    """Y[M, N] = (X - mean) / sqrt(variance + eps) * weight[N] + bias[N] by rows; weight and bias may be None."""
    m = xt.program_id(0) * BM
    mean, scale = moments(X, m, eps, CENTER, BM, BN, ACC)
    for n in range(0, X.shape[1], BN):
        value = (part(X, m, n, BM, BN, ACC) - mean) * scale if CENTER else part(X, m, n, BM, BN, ACC) * scale
        if weight is not None:
            value = value * along(weight, n, BN, ACC)
        if bias is not None:
            value = value + along(bias, n, BN, ACC)
        xt.store_tile(value.to(Y.dtype), xt.init_tile(Y, (m, n), (BM, BN)))


@xt.jit(grid=lambda dX, BM: xt.cdiv(dX.shape[0], BM), num_subgroups=8, fast_math=True, defaults=BY_ROWS)
def norm_backward(dY, X, weight, dX, Means, Scales, eps: xt.constexpr = 1e-5, CENTER: xt.constexpr = True,
                  BM: xt.constexpr = 8, BN: xt.constexpr = 512, ACC: xt.constexpr = xt.f32):  # fmt: skip
    """dX[M, N] of the gradient dY[M, N] of a norm's result, and of each row the Means[M, 1] and Scales[M, 1] that the norm took.

    With g = dY * weight and the normal rows h:  dX = (g - mean(g) - h * mean(g * h)) * scale, mean(g) with CENTER alone.
    """
    m, columns = xt.program_id(0) * BM, X.shape[1]
    mean, scale = moments(X, m, eps, CENTER, BM, BN, ACC)
    slopes, products = xt.zeros((BM, 1), ACC), xt.zeros((BM, 1), ACC)
    for n in range(0, columns, BN):
        slope = part(dY, m, n, BM, BN, ACC)
        slope = slope if weight is None else slope * along(weight, n, BN, ACC)
        products += xt.sum(slope * ((part(X, m, n, BM, BN, ACC) - mean) * scale), axis=1)
        if CENTER:
            slopes += xt.sum(slope, axis=1)
    slopes, products = slopes / columns.to(ACC), products / columns.to(ACC)
    for n in range(0, columns, BN):
        slope = part(dY, m, n, BM, BN, ACC)
        slope = slope if weight is None else slope * along(weight, n, BN, ACC)
        value = (slope - slopes - (part(X, m, n, BM, BN, ACC) - mean) * scale * products) * scale
        xt.store_tile(value.to(dX.dtype), xt.init_tile(dX, (m, n), (BM, BN)))
    xt.store_tile(mean, xt.init_tile(Means, (m, 0), (BM, 1)))
    xt.store_tile(scale, xt.init_tile(Scales, (m, 0), (BM, 1)))


@xt.jit(
    grid=lambda dWeight, BN: xt.cdiv(dWeight.shape[1], BN), num_subgroups=8, defaults={"cpu": {"BN": 512}},
)  # fmt: skip
def norm_backward_weight(dY, X, Means, Scales, dWeight, dBias, BM: xt.constexpr = 32, BN: xt.constexpr = 128,
                         ACC: xt.constexpr = xt.f32):  # fmt: skip
    """dWeight[1, N] and dBias[1, N] (or None): sums over the rows of dY[M, N] times the normal rows, and of dY."""
    n = xt.program_id(0) * BN
    weights, biases = xt.zeros((1, BN), ACC), xt.zeros((1, BN), ACC)
    for m in range(0, X.shape[0], BM):
        slope = part(dY, m, n, BM, BN, ACC)
        mean, scale = part(Means, m, 0, BM, 1, ACC), part(Scales, m, 0, BM, 1, ACC)
        weights += xt.sum(slope * ((part(X, m, n, BM, BN, ACC) - mean) * scale), axis=0)
        if dBias is not None:
            biases += xt.sum(slope, axis=0)
    xt.store_tile(weights.to(dWeight.dtype), xt.init_tile(dWeight, (0, n), (1, BN)))
    if dBias is not None:
        xt.store_tile(biases.to(dBias.dtype), xt.init_tile(dBias, (0, n), (1, BN)))
