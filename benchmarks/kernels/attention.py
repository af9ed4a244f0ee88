"""Fused attention, forward: softmax(Q @ K.T * scale) @ V without the scores ever in memory."""

import xetile as xt

LOG2_E = 1.4426950408889634


@xt.jit
def attend(q, K, V, n, mask, acc, total, largest, BN, D, SCALE):
    """One block of keys: new accumulator, sums of weights and maximum of scores (to base 2) for each query."""
    scores = xt.load_tile(q) @ xt.load_tile(xt.init_tile(K.T, (0, n), (D, BN)))
    if mask is not None:
        scores = xt.where(mask, scores, float("-inf"))
    new = xt.fmax(largest, xt.tile_reduce("maxnum", scores, 1) * SCALE)
    faded = xt.exp2(largest - new)
    v = xt.load_tile(xt.init_tile(V, (n, 0), (BN, D)))
    weights = xt.exp2(xt.fma(scores, SCALE, -new)).to(v.dtype)
    acc = xt.tile_mma(weights, v, acc * faded)
    # The matrix unit adds up rows faster than lanes can: a product with ones.
    total = xt.tile_mma(weights, xt.full((BN, 16), 1, v.dtype), total * faded)
    return acc, total, new


@xt.jit(
    out={"Out": lambda Q: xt.empty(Q.shape, xt.f32)},
    grid=lambda Q, BM: (xt.cdiv(Q.shape[1], BM), Q.shape[0]),
    num_subgroups=8,
)
def attention(Q, K, V, Out, scale: xt.constexpr = 0.125, causal: xt.constexpr = False,
              D: xt.constexpr = 64, BM: xt.constexpr = 128, BN: xt.constexpr = 64):  # fmt: skip
    """Out[Z, N, D] of Q, K, V[Z, N, D] (Z: batch times heads); with `causal`, a query sees keys up to its own place only."""
    m, z, n_keys = xt.program_id(0) * BM, xt.program_id(1), K.shape[1]
    q = xt.init_tile(Q[z], (m, 0), (BM, D))
    acc, total = xt.zeros((BM, D), xt.f32), xt.zeros((BM, 16), xt.f32)
    largest = xt.full((BM, 1), float("-inf"), xt.f32)
    rows = (m + xt.arange(BM))[:, None]

    # Blocks that every query of this program sees whole need no mask.
    whole = (min(m, n_keys) if causal else n_keys) // BN * BN
    for n in range(0, whole, BN):
        acc, total, largest = attend(q, K[z], V[z], n, None, acc, total, largest, BN, D, scale * LOG2_E)
    for n in range(whole, min(m + BM, n_keys) if causal else n_keys, BN):
        columns = n + xt.arange(BN)[None, :]
        mask = (columns < n_keys) & (columns <= rows) if causal else columns < n_keys
        acc, total, largest = attend(q, K[z], V[z], n, mask, acc, total, largest, BN, D, scale * LOG2_E)
    xt.store_tile((acc / xt.tile_reduce("maxnum", total, 1)).to(Out.dtype), xt.init_tile(Out[z], (m, 0), (BM, D)))
