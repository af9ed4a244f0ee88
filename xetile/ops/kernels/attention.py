"""Fused attention, forward: softmax(Q @ K.T * scale) @ V without the scores ever in memory.

A softmax may subtract any number near a row's largest score, so long as it is one number for the whole row.  These kernels choose it
before they begin, from a sample of the keys: then nothing is rescaled on the way, and DPAS subtracts it for nothing (it starts
each sum of products with it).  A score far above the sample (2**16 times its weight in f16) makes the sum of weights infinite; only then
does the workgroup begin again, with the largest of all scores.
"""

import xetile as xt

LOG2_E = 1.4426950408889634
SAMPLE = 16
"""One step of so many is looked at for the first guess."""


@xt.jit
def scores_of(q, K, n, start, scale):
    """Scores of the keys from n on, to base 2, plus `start`: q holds scaled values, or tiles to load and the scale is still to come."""
    keys, width = start.shape[1], q[0].shape[1]
    sums = start if scale is None else xt.zeros(start.shape, xt.f32)
    for d in xt.static_range(len(q)):
        k = xt.load_tile(xt.init_tile(K.T, (d * width, n), (width, keys)))
        sums = xt.tile_mma(q[d] if scale is None else xt.load_tile(q[d]), k, sums)
    return sums if scale is None else xt.fma(sums, scale, start)


@xt.jit
def add_values(accs, weights, V, n):
    """Adds the values from n on, weighted, to each part of the accumulator."""
    width = accs[0].shape[1]
    sums = ()
    for i in xt.static_range(len(accs)):
        v = xt.load_tile(xt.init_tile(V, (n, i * width), (weights.shape[1], width)))
        sums += (xt.tile_mma(weights, v, accs[i]),)
    return sums


@xt.jit
def visible(m, n, end, shape, causal):
    """Which of the keys from n on, before `end`, the queries from m on see."""
    keys = n + xt.arange(shape[1])[None, :]
    return (keys < end) & (keys <= (m + xt.arange(shape[0]))[:, None]) if causal else keys < end


@xt.jit
def largest_of(q, k, m, end, stride, block, factor, causal):
    """The largest score of each query among the keys of every block `stride` keys apart, in each column of a tile."""
    found = xt.full(block, float("-inf"), xt.f32)
    for n in range(0, end, stride):
        scores = scores_of(q, k, n, xt.zeros(block, xt.f32), factor)
        found = xt.fmax(found, xt.where(visible(m, n, end, block, causal), scores, float("-inf")))
    return xt.fmax(found, xt.tile_reduce("maxnum", found, 1))


@xt.jit
def add_weights(total, weights, SUMS):
    """Adds up rows: SUMS equal sums of each.  DPAS does it faster than lanes can, by a product with ones; a CPU's vectors by themselves."""
    if SUMS == 1:
        return total + xt.tile_reduce("add", weights.to(xt.f32), 1)
    return xt.tile_mma(weights, xt.full((weights.shape[1], SUMS), 1, weights.dtype), total)


@xt.jit
def attend(q, k, v, m, whole, end, down, accs, BN, STEP, SUMS, factor, causal):
    """Sums of weighted values and of weights, where scores are `down` lower.  Keys before `whole` are seen by all queries."""
    block, total = down.shape, xt.zeros((down.shape[0], SUMS), xt.f32)
    for n in range(0, whole, BN) if BN else ():
        steps = ()
        for j in xt.static_range(0, BN, STEP):
            steps += (xt.exp2(scores_of(q, k, n + j, down, factor)).to(v.dtype),)
            total = add_weights(total, steps[-1], SUMS)
        for i in xt.static_range(len(steps)):
            accs = add_values(accs, steps[i], v, n + i * STEP)
    for n in range(whole, end, STEP):
        weights = xt.exp2(scores_of(q, k, n, down, factor))
        weights = xt.where(visible(m, n, end, block, causal), weights, 0.0).to(v.dtype)
        total = add_weights(total, weights, SUMS)
        accs = add_values(accs, weights, v, n)
    return accs, total


def subgroups_of(D, target):
    """16 queries for each subgroup, and 8 of heads wider than 64: their accumulator takes as many registers.  On DG2, where subgroups share
    what they load by shared memory, as many as the tiles suggest; of heads of 128 columns 32: all numbers spill, and these loops are short.
    """
    if target == "dg2":
        return 32 if 96 < D <= 128 else None
    return 8 if D <= 64 else 16


@xt.jit
def attention_of(Q, K, V, Out, Lse, m, scale, causal, D, BM, BN, STEP, PART, SUMS):
    """BM rows of attention from query m on, of arrays of two axes; to Lse[N, 1], where it is not None, log2 of the sum of all weights.

    BN keys in one round, STEP of them at a time through the softmax: few on GPUs, since their scores lie in registers beside the
    accumulator.  Keys that not all queries see come STEP by STEP behind them, behind a mask.  With a BN of 0 all do, as in f32 on GPUs:
    products are no DPAS there, but code so long that a mask costs nothing beside it, and a second loop much to compile.
    Queries stay in registers, scaled and rounded to their dtype; those of heads wider than 128, for which registers do not suffice, are
    fetched again in each round, and their scores are scaled in f32.  PART: elements of a head in one product.
    BN, STEP, PART and SUMS that are None are what a GPU's registers hold beside an accumulator of D columns, of as many subgroups as
    `subgroups_of` says.
    """
    n_keys = K.shape[0]
    single = K.dtype == xt.f32  # products of these are no DPAS
    BN = (0 if single else 32) if BN is None else BN
    STEP = (16 if D <= 64 else 32) if STEP is None else STEP
    PART = (32 if D <= 128 else 64 if D <= 192 else D) if PART is None else PART
    SUMS = (1 if single or D > 192 else 16) if SUMS is None else SUMS
    keep = D <= 128
    step = min(D, PART)
    width = max(step, min(D, 64)) if D <= 64 or (keep and D % 64 == 0) else step  # of the values in one product
    q, nothing = (), ()
    for d in xt.static_range(0, D, step):
        part = xt.init_tile(Q, (m, d), (BM, step))
        q += ((xt.load_tile(part).to(xt.f32) * (scale * LOG2_E)).to(Q.dtype) if keep else part,)
    for _ in xt.static_range(0, D, width):
        nothing += (xt.zeros((BM, width), xt.f32),)
    factor = None if keep else scale * LOG2_E
    # Blocks that every query of this program sees whole need no mask.
    whole = xt.maximum((min(m, n_keys) if causal else n_keys) // BN * BN, 0) if BN else 0
    end = min(m + BM, n_keys) if causal else n_keys

    accs, total, shift = nothing, xt.zeros((BM, SUMS), xt.f32), xt.zeros((BM, STEP), xt.f32)
    stride = SAMPLE * STEP
    while stride > 0:
        down = -largest_of(q, K, m, end, max(stride, STEP), (BM, STEP), factor, causal)
        accs, total = attend(q, K, V, m, whole, end, down, nothing, BN, STEP, SUMS, factor, causal)
        again = (stride > STEP) & xt.any(total == float("inf"))
        stride = STEP if again else 0
        if Lse is not None:
            shift = down

    sums = xt.tile_reduce("maxnum", total, 1)
    for i in xt.static_range(len(accs)):
        xt.store_tile((accs[i] / sums).to(Out.dtype), xt.init_tile(Out, (m, i * width), (BM, width)))
    if Lse is not None:
        xt.store_tile(xt.log2(sums) - xt.tile_reduce("maxnum", shift, 1), xt.init_tile(Lse, (m, 0), (BM, 1)))


# One core of a CPU keeps more scores at hand than a GPU's registers, and whole heads: each product is code of its own.
# DG2's registers are half as large, and what it loads goes through shared memory in whole heads.
DEFAULTS = {
    "cpu": {"BN": 64, "STEP": 64, "PART": 256, "SUMS": 1},
    "amx": {"BN": 64, "STEP": 64, "PART": 128, "SUMS": 1},
    "dg2": {"BM": 64, "STEP": 32, "PART": 256, "SUMS": 1},
}


@xt.jit(
    out={"Out": lambda Q: xt.empty(Q.shape, xt.f32)},
    grid=lambda Q, BM: (xt.cdiv(Q.shape[1], BM), Q.shape[0]),
    num_subgroups=subgroups_of,
    fast_math=True,
    defaults=DEFAULTS,
)
def attention(Q, K, V, Out, scale: xt.constexpr = 0.125, causal: xt.constexpr = False,
              D: xt.constexpr = 64, BM: xt.constexpr = 128, BN: xt.constexpr = None, STEP: xt.constexpr = None,
              PART: xt.constexpr = None, SUMS: xt.constexpr = None):  # fmt: skip
    """Out[Z, N, D] of Q, K, V[Z, N, D] (Z: batch times heads); with `causal`, a query sees keys up to its own place only."""
    z = xt.program_id(1)
    attention_of(Q[z], K[z], V[z], Out[z], None, xt.program_id(0) * BM, scale, causal, D, BM, BN, STEP, PART, SUMS)


@xt.jit(
    grid=lambda Q, BM: (xt.cdiv(Q.shape[2], BM), Q.shape[1], Q.shape[0]),
    num_subgroups=subgroups_of,
    fast_math=True,
    defaults=DEFAULTS,
)
def attention_heads(Q, K, V, Out, Lse, scale: xt.constexpr = 0.125, causal: xt.constexpr = False, GROUP: xt.constexpr = 1,
                    D: xt.constexpr = 64, BM: xt.constexpr = 128, BN: xt.constexpr = None, STEP: xt.constexpr = None,
              PART: xt.constexpr = None, SUMS: xt.constexpr = None):  # fmt: skip
    """Out[B, H, N, D] of Q[B, H, N, D] and K, V[B, H / GROUP, M, D]; to Lse[B, H, N, 1], if any, log2 of sums of weights."""
    h, b = xt.program_id(1), xt.program_id(2)
    there = h if GROUP == 1 else h // GROUP
    lse = Lse[b, h] if Lse is not None else None
    attention_of(
        Q[b, h], K[b, there], V[b, there], Out[b, h], lse, xt.program_id(0) * BM, scale, causal, D, BM, BN, STEP, PART, SUMS
    )


# Many queries that see all keys: on a CPU, keys and values that are packed for a product serve for more of them at a time.
MANY_QUERIES = 512
WHOLE = {**DEFAULTS, "cpu": {**DEFAULTS["cpu"], "BM": 256}, "amx": {**DEFAULTS["amx"], "BM": 256}}
attention_whole = xt.jit(
    out={"Out": lambda Q: xt.empty(Q.shape, xt.f32)}, grid=lambda Q, BM: (xt.cdiv(Q.shape[1], BM), Q.shape[0]),
    num_subgroups=subgroups_of, fast_math=True, defaults=WHOLE,
)(attention.fn)  # fmt: skip
attention_heads_whole = xt.jit(
    grid=lambda Q, BM: (xt.cdiv(Q.shape[2], BM), Q.shape[1], Q.shape[0]),
    num_subgroups=subgroups_of,
    fast_math=True,
    defaults=WHOLE,
)(attention_heads.fn)


@xt.jit(
    grid=lambda Q, QEnds, LONGEST, BM: (xt.cdiv(LONGEST, BM), Q.shape[1], QEnds.shape[0] - 1),
    num_subgroups=subgroups_of,
    fast_math=True,
    defaults=DEFAULTS,
)
def attention_ragged(Q, K, V, QEnds, KEnds, Out, LONGEST, scale: xt.constexpr = 0.125, causal: xt.constexpr = False,
                     GROUP: xt.constexpr = 1, D: xt.constexpr = 64, BM: xt.constexpr = 128, BN: xt.constexpr = None,
                     STEP: xt.constexpr = None, PART: xt.constexpr = None, SUMS: xt.constexpr = None):  # fmt: skip
    """Out[T, H, D] of Q[T, H, D] and K, V[S, H / GROUP, D]: sequences lie one after the other, the i-th from QEnds[i] to
    QEnds[i + 1] in queries and by KEnds in keys; none has more than LONGEST queries.
    """
    h, i, m = xt.program_id(1), xt.program_id(2), xt.program_id(0) * BM
    there = h if GROUP == 1 else h // GROUP
    begin, end, first, last = QEnds[i], QEnds[i + 1], KEnds[i], KEnds[i + 1]
    if m < end - begin:
        q, out = Q[begin:end, h], Out[begin:end, h]
        attention_of(q, K[first:last, there], V[first:last, there], out, None, m, scale, causal, D, BM, BN, STEP, PART, SUMS)
