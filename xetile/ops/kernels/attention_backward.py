"""Gradients of attention, of the logarithms that the forward kernel kept: weights are computed again, never stored."""

import xetile as xt
from xetile.ops.kernels.attention import LOG2_E

# Tiles of whole heads: a CPU's core and a GPU's workgroup both hold few keys and queries at a time.
SIZES = {"cpu": {"BM": 64, "BN": 64}}
WIDE = {"cpu": {**SIZES["cpu"], "WIDE": 64}}


@xt.jit
def rows_of(X, m, count, D):
    """`count` rows of X from m on, D wide."""
    return xt.load_tile(xt.init_tile(X, (m, 0), (count, D)))


@xt.jit
def columns_of(X, m, count, D):
    """The same rows as columns."""
    return xt.load_tile(xt.init_tile(X.T, (0, m), (D, count)))


@xt.jit(grid=lambda Q, BM: (xt.cdiv(Q.shape[2], BM), Q.shape[1], Q.shape[0]), fast_math=True, defaults=SIZES)
def query_gradient(Q, K, V, Out, dOut, Lse, dQ, Delta, scale: xt.constexpr, causal: xt.constexpr = False, GROUP: xt.constexpr = 1,
                   D: xt.constexpr = 64, BM: xt.constexpr = 64, BN: xt.constexpr = 16):  # fmt: skip
    """dQ[B, H, N, D], and Delta[B, H, N, 1]: the sum of dOut * Out over each row, which `key_gradient` takes."""
    h, b, m = xt.program_id(1), xt.program_id(2), xt.program_id(0) * BM
    there = h if GROUP == 1 else h // GROUP
    k, v = K[b, there], V[b, there]
    q, slope = rows_of(Q[b, h], m, BM, D), rows_of(dOut[b, h], m, BM, D)
    delta = xt.sum(slope.to(xt.f32) * rows_of(Out[b, h], m, BM, D).to(xt.f32), axis=1)
    lse = xt.load_tile(xt.init_tile(Lse[b, h], (m, 0), (BM, 1)))
    n_keys = k.shape[0]
    end = min(m + BM, n_keys) if causal else n_keys
    dq = xt.zeros((BM, D), xt.f32)
    for n in range(0, end, BN):
        keys = n + xt.arange(BN)[None, :]
        seen = keys < n_keys
        if causal:
            seen = seen & (keys <= (m + xt.arange(BM))[:, None])
        scores = xt.tile_mma(q, columns_of(k, n, BN, D), xt.zeros((BM, BN), xt.f32))
        weights = xt.where(seen, xt.exp2(scores * (scale * LOG2_E) - lse), 0.0)
        slopes = xt.tile_mma(slope, columns_of(v, n, BN, D), xt.zeros((BM, BN), xt.f32))
        dq = xt.tile_mma((weights * (slopes - delta)).to(K.dtype), rows_of(k, n, BN, D), dq)
    xt.store_tile((dq * scale).to(dQ.dtype), xt.init_tile(dQ[b, h], (m, 0), (BM, D)))
    xt.store_tile(delta, xt.init_tile(Delta[b, h], (m, 0), (BM, 1)))


# Without matrix instructions each element of a sum is an instruction: more subgroups share them.
query_gradient_f32 = xt.jit(
    grid=lambda Q, BM: (xt.cdiv(Q.shape[2], BM), Q.shape[1], Q.shape[0]), num_subgroups=16, fast_math=True, defaults=SIZES
)(query_gradient.fn)


@xt.jit(grid=lambda K, BN: (xt.cdiv(K.shape[2], BN), K.shape[1], K.shape[0]), fast_math=True, defaults=WIDE)
def key_gradient(Q, K, V, dOut, Lse, Delta, dK, dV, scale: xt.constexpr, causal: xt.constexpr = False, GROUP: xt.constexpr = 1,
                 D: xt.constexpr = 64, BM: xt.constexpr = 32, BN: xt.constexpr = 64, WIDE: xt.constexpr = 16):  # fmt: skip
    """dK and dV[B, H / GROUP, M, D]: sums over the queries of each head of the group.  Scores stand as columns: nothing is transposed.

    BM queries at a time; of heads wider than 64, which leave fewer registers, WIDE.
    """
    there, b, n = xt.program_id(1), xt.program_id(2), xt.program_id(0) * BN
    k, v = rows_of(K[b, there], n, BN, D), rows_of(V[b, there], n, BN, D)
    dk, dv = xt.zeros((BN, D), xt.f32), xt.zeros((BN, D), xt.f32)
    n_queries, step = Q.shape[2], BM if D <= 64 else WIDE
    for i in range(GROUP):
        h = there * GROUP + i
        q, slope, lse, delta = Q[b, h], dOut[b, h], Lse[b, h], Delta[b, h]
        for m in range(n // step * step if causal else 0, n_queries, step):
            scores = xt.tile_mma(k, columns_of(q, m, step, D), xt.zeros((BN, step), xt.f32)) * (scale * LOG2_E)
            logs = xt.load_tile(xt.init_tile(lse.T, (0, m), (1, step)))
            # Queries behind the last one are zeros, as their gradients and logarithms are: they add nothing.
            weights = xt.exp2(scores - logs)
            if causal:
                weights = xt.where((n + xt.arange(BN))[:, None] <= m + xt.arange(step)[None, :], weights, 0.0)
            dv = xt.tile_mma(weights.to(V.dtype), rows_of(slope, m, step, D), dv)
            slopes = xt.tile_mma(v, columns_of(slope, m, step, D), xt.zeros((BN, step), xt.f32))
            slopes = slopes - xt.load_tile(xt.init_tile(delta.T, (0, m), (1, step)))
            dk = xt.tile_mma((weights * slopes).to(Q.dtype), rows_of(q, m, step, D), dk)
    xt.store_tile((dk * scale).to(dK.dtype), xt.init_tile(dK[b, there], (n, 0), (BN, D)))
    xt.store_tile(dv.to(dV.dtype), xt.init_tile(dV[b, there], (n, 0), (BN, D)))
