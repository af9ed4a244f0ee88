"""Attention with a mask or a bias for each pair of query and key, by online softmax.

A sample of keys, as `attention` takes it, says little of a row's largest score where any of them may be hidden.
"""

import xetile as xt
from xetile.ops.kernels.attention import LOG2_E, add_values, scores_of, visible


@xt.jit
def kept_scores(scores, part, m, n, ROWS, seen):
    """Scores, to base 2, after a mask: of keys that it hides, and of those that are not `seen`, -inf."""
    at = (m, n) if ROWS else (0, n)
    mask = xt.load_tile(xt.init_tile(part, at, (scores.shape[0] if ROWS else 1, scores.shape[1])))
    if part.dtype == xt.bool:
        return xt.where(seen & mask, scores, float("-inf"))
    return xt.where(seen, scores + mask.to(xt.f32) * LOG2_E, float("-inf"))


WIDE = {"BM": 32}
"""Constants for GPUs where accumulators of wide heads, or operands of f32, leave no room in registers beside the scores of more queries."""


def is_wide(D: int, dtype: object) -> bool:
    """Whether `WIDE` is for heads of D elements."""
    return D > 128 or dtype == xt.f32


@xt.jit(
    grid=lambda Q, BM: (xt.cdiv(Q.shape[2], BM), Q.shape[1], Q.shape[0]), num_subgroups=8, fast_math=True,
    defaults={"cpu": {"BN": 64, "PART": 128}, "amx": {"BN": 64, "PART": 128}, "dg2": {"BM": 32, "BN": 16}},
)  # fmt: skip
def attention_masked(Q, K, V, Mask, Out, scale: xt.constexpr = 0.125, causal: xt.constexpr = False, GROUP: xt.constexpr = 1,
                     BATCHES: xt.constexpr = True, HEADS: xt.constexpr = True, ROWS: xt.constexpr = True, D: xt.constexpr = 64,
                     BM: xt.constexpr = 128, BN: xt.constexpr = 32, PART: xt.constexpr = 32):  # fmt: skip
    """Out[B, H, N, D] of Q[B, H, N, D], K, V[B, H / GROUP, M, D] and Mask[B or 1, H or 1, N or 1, M]: which keys a query sees, or what is
    added to its scores; BATCHES, HEADS, ROWS: whether the mask has several of each. Queries that see no key give 0.
    """
    m, h, b = xt.program_id(0) * BM, xt.program_id(1), xt.program_id(2)
    k, v = K[b, h // GROUP], V[b, h // GROUP]
    part = Mask[b if BATCHES else 0, h if HEADS else 0]
    step = min(D, PART)
    q, accs = (), ()
    for d in xt.static_range(0, D, step):
        q += (xt.init_tile(Q[b, h], (m, d), (BM, step)),)
        accs += (xt.zeros((BM, step), xt.f32),)
    largest, total = xt.full((BM, 1), float("-inf"), xt.f32), xt.zeros((BM, 1), xt.f32)
    keys = k.shape[0]
    end = min(m + BM, keys) if causal else keys
    for n in range(0, end, BN):
        scores = scores_of(q, k, n, xt.zeros((BM, BN), xt.f32), scale * LOG2_E)
        scores = kept_scores(scores, part, m, n, ROWS, visible(m, n, end, (BM, BN), causal))
        new = xt.maximum(largest, xt.max(scores, axis=1))
        down = xt.where(new == float("-inf"), 0.0, new)  # nothing seen so far: no difference of infinities
        weights, less = xt.exp2(scores - down), xt.exp2(largest - down)
        total = total * less + xt.sum(weights, axis=1)
        rescaled = ()
        for i in xt.static_range(len(accs)):
            rescaled += (accs[i] * less,)
        accs = add_values(rescaled, weights.to(v.dtype), v, n)
        largest = new
    for i in xt.static_range(len(accs)):
        found = xt.where(total > 0, accs[i] / total, 0.0)
        xt.store_tile(found.to(Out.dtype), xt.init_tile(Out[b, h], (m, i * step), (BM, step)))
