"""Layer normalisation over rows of any length."""

import xetile as xt


@xt.jit(
    out={"Y": lambda X: xt.empty(X.shape, xt.f32)},
    grid=lambda Y, BM: (xt.cdiv(Y.shape[0], BM),),
    num_subgroups=8,
)
def layer_norm(X, weight, bias, Y, eps: xt.constexpr = 1e-5, BM: xt.constexpr = 32, BN: xt.constexpr = 256):
    """Y[M, N] = (X - mean) / sqrt(variance + eps) * weight[N] + bias[N] by rows, computed in f32."""
    m, columns = xt.program_id(0) * BM, X.shape[1]
    total = xt.zeros((BM, 1), xt.f32)
    for n in range(0, columns, BN):
        total += xt.sum(xt.load_tile(xt.init_tile(X, (m, n), (BM, BN))).to(xt.f32), axis=1)
    mean = total / columns
    squares = xt.zeros((BM, 1), xt.f32)
    for n in range(0, columns, BN):
        value = xt.load_tile(xt.init_tile(X, (m, n), (BM, BN))).to(xt.f32) - mean
        inside = n + xt.arange(BN)[None, :] < columns
        squares += xt.sum(xt.where(inside, value * value, 0), axis=1)
    scale = xt.rsqrt(squares / columns + eps)
    for n in range(0, columns, BN):
        value = xt.load_tile(xt.init_tile(X, (m, n), (BM, BN))).to(xt.f32)
        w = xt.load_tile(xt.init_tile(weight, n, (BN,))).to(xt.f32)
        b = xt.load_tile(xt.init_tile(bias, n, (BN,))).to(xt.f32)
        xt.store_tile(((value - mean) * scale * w + b).to(Y.dtype), xt.init_tile(Y, (m, n), (BM, BN)))
