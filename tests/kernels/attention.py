"""Fused attention, forward: softmax(Q @ K.T * scale) @ V without the scores ever in memory."""

import xetile as xt

LOG2_E = 1.4426950408889634


@xt.jit
def attend(q, k, v, scores_mask, acc, total, largest):
    """One block of keys: new accumulator, sum of weights and maximum of scores (to base 2) for each query."""
    scores = q @ k
    if scores_mask is not None:
        scores = xt.where(scores_mask, scores, float("-inf"))
    new = xt.maximum(largest, xt.max(scores, axis=1))
    weights = xt.exp2(scores - new)
    faded = xt.exp2(largest - new)
    total = total * faded + xt.sum(weights, axis=1)
    acc = xt.tile_mma(weights.to(v.dtype), v, acc * faded)
    return acc, total, new


@xt.jit(
    out={"Out": lambda Q: xt.empty(Q.shape, xt.f32)},
    grid=lambda Q, BM: (xt.cdiv(Q.shape[1], BM), Q.shape[0]),
    num_subgroups=8,
)
def attention(Q, K, V, Out, scale: xt.constexpr = 0.125, causal: xt.constexpr = False,
              D: xt.constexpr = 64, BM: xt.constexpr = 128, BN: xt.constexpr = 32):  # fmt: skip
    """Out[Z, N, D] of Q, K, V[Z, N, D] (Z: batch times heads); with `causal`, a query sees keys up to its own place only."""
    m, z = xt.program_id(0) * BM, xt.program_id(1)
    n_keys = K.shape[1]
    q = xt.load_tile(xt.init_tile(Q[z], (m, 0), (BM, D)))
    q = (q.to(xt.f32) * (scale * LOG2_E)).to(q.dtype)
    acc, total = xt.zeros((BM, D), xt.f32), xt.zeros((BM, 1), xt.f32)
    largest = xt.full((BM, 1), float("-inf"), xt.f32)
    rows = (m + xt.arange(BM))[:, None]

    # Blocks that every query of this program sees whole need no mask.
    whole = (min(m, n_keys) if causal else n_keys) // BN * BN
    for n in range(0, whole, BN):
        k = xt.load_tile(xt.init_tile(K[z].T, (0, n), (D, BN)))
        v = xt.load_tile(xt.init_tile(V[z], (n, 0), (BN, D)))
        acc, total, largest = attend(q, k, v, None, acc, total, largest)
    for n in range(whole, min(m + BM, n_keys) if causal else n_keys, BN):
        k = xt.load_tile(xt.init_tile(K[z].T, (0, n), (D, BN)))
        v = xt.load_tile(xt.init_tile(V[z], (n, 0), (BN, D)))
        columns = n + xt.arange(BN)[None, :]
        mask = (columns < n_keys) & (columns <= rows) if causal else columns < n_keys
        acc, total, largest = attend(q, k, v, mask, acc, total, largest)
    xt.store_tile((acc / total).to(Out.dtype), xt.init_tile(Out[z], (m, 0), (BM, D)))
