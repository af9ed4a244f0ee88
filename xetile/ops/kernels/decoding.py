"""Attention of one new query a sequence to keys and values that lie in pages."""

import xetile as xt
from xetile.ops.kernels.attention import LOG2_E


@xt.jit(grid=lambda Q, Keys: (Keys.shape[2], Q.shape[0]), num_subgroups=1, fast_math=True)
def paged_decoding(Q, Keys, Values, Pages, Lengths, Out, scale: xt.constexpr, GROUP: xt.constexpr = 1, PAGE: xt.constexpr = 16,
                   ROWS: xt.constexpr = 8, D: xt.constexpr = 64):  # fmt: skip
    """Out[B, H, D] of Q[B, H, D]: sequence b's keys lie in pages Keys[Pages[b, i], PAGE, H / GROUP, D], Lengths[b] of them in all.

    A program does the GROUP queries of one head of keys at once, as ROWS (GROUP or more) rows of one tile.
    """
    h, b = xt.program_id(0), xt.program_id(1)
    q = xt.load_tile(xt.init_tile(Q[b, h * GROUP : (h + 1) * GROUP], (0, 0), (ROWS, D)))
    length = Lengths[b]
    largest, total = xt.full((ROWS, 1), float("-inf"), xt.f32), xt.zeros((ROWS, 1), xt.f32)
    acc = xt.zeros((ROWS, D), xt.f32)
    for i in range(xt.cdiv(length, PAGE)):
        page = Pages[b, i]
        k = xt.load_tile(xt.init_tile(Keys[page, :, h].T, (0, 0), (D, PAGE)))
        scores = xt.tile_mma(q, k, xt.zeros((ROWS, PAGE), xt.f32)) * (scale * LOG2_E)
        there = i * PAGE + xt.arange(PAGE)[None, :] < length
        scores = xt.where(there, scores, float("-inf"))
        new = xt.maximum(largest, xt.max(scores, axis=1))
        weights, kept = xt.exp2(scores - new), xt.exp2(largest - new)
        # What lies behind the last key of a page was never written, and may be NaN.
        inside = (i * PAGE + xt.arange(PAGE))[:, None] < length
        v = xt.where(inside, xt.load_tile(xt.init_tile(Values[page, :, h], (0, 0), (PAGE, D))), 0.0)
        acc = xt.tile_mma(weights.to(v.dtype), v, acc * kept)
        total, largest = total * kept + xt.sum(weights, axis=1), new
    out = Out[b, h * GROUP : (h + 1) * GROUP]
    xt.store_tile(xt.where(total > 0, acc / total, 0.0).to(Out.dtype), xt.init_tile(out, (0, 0), (ROWS, D)))
