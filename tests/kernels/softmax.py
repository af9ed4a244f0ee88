"""Softmax over rows of any length."""

import xetile as xt


@xt.jit(
    out={"Y": lambda X: xt.empty(X.shape, xt.f32)},
    grid=lambda Y, BM: (xt.cdiv(Y.shape[0], BM),),
    num_subgroups=8,
)
def softmax(X, Y, BM: xt.constexpr = 32, BN: xt.constexpr = 256):
    """Y[M, N] = exp(X - max) / sum over each row, computed in f32: one pass for maximum and sum together, one to write."""
    m = xt.program_id(0) * BM
    x = xt.init_tile(X, (m, 0), (BM, BN))
    largest = xt.full((BM, 1), float("-inf"), xt.f32)
    total = xt.zeros((BM, 1), xt.f32)
    for _ in range(0, X.shape[1], BN):
        value = xt.load_tile(x, padding=float("-inf")).to(xt.f32)
        new = xt.maximum(largest, xt.max(value, axis=1))
        total = total * xt.exp(largest - new) + xt.sum(xt.exp(value - new), axis=1)
        largest = new
        x = xt.update_tile_offset(x, (0, BN))
    for n in range(0, X.shape[1], BN):
        value = xt.load_tile(xt.init_tile(X, (m, n), (BM, BN))).to(xt.f32)
        xt.store_tile((xt.exp(value - largest) / total).to(Y.dtype), xt.init_tile(Y, (m, n), (BM, BN)))
