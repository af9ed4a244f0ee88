"""Fused attention: two matrix products with a softmax between, and no matrix of scores in memory.

    python tutorials/04_attention.py

Attention is softmax(Q @ K.T * scale) @ V: every query (a row of Q) weighs all values (rows of V) by how well their keys (rows of K)
fit it. The scores are a matrix of queries times keys, too large to keep. A program holds BM queries and walks over the keys in
steps of BN. The scores of a step stay on chip; maximum and sum of the softmax are brought up to date in each step, as in
02_softmax.py, and the products summed so far are scaled along with the sum.

It also shows views (`K.T`, `Q[z]`), conversions (`.to`), a kernel used by another kernel, and loops whose bounds differ by program.
`xetile/ops/kernels/attention.py` is the same made fast for GPUs: it rescales nothing on the way.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

import xetile as xt

State = tuple[xt.Value, xt.Value, xt.Value]
LOG2_E = 1.4426950408889634  # exp2 is what the hardware has


@xt.jit
def step(q: xt.Value, K: xt.Array, V: xt.Array, n: int, mask: xt.Value | None, state: State, BN: int, D: int) -> State:
    """One step of BN keys from number n on: the new sum of weighted values, sum of weights, and largest score, for each query."""
    acc, total, largest = state
    scores = q @ xt.load_tile(xt.init_tile(K.T, (0, n), (D, BN)))
    if mask is not None:  # known when the kernel is compiled: no branch is left in it
        scores = xt.where(mask, scores, float("-inf"))
    new = xt.maximum(largest, xt.max(scores, axis=1))
    weights, fading = xt.exp2(scores - new), xt.exp2(largest - new)
    v = xt.load_tile(xt.init_tile(V, (n, 0), (BN, D)))
    acc = xt.tile_mma(weights.to(v.dtype), v, acc * fading)
    return acc, total * fading + xt.sum(weights, axis=1), new


@xt.jit(
    out={"Out": lambda Q: xt.empty(Q.shape, xt.f32)},
    grid=lambda Q, BM: (xt.cdiv(Q.shape[1], BM), Q.shape[0]),
    num_subgroups=4,
)
def attention(Q: xt.Array, K: xt.Array, V: xt.Array, Out: xt.Array, scale: xt.constexpr = 0.125, causal: xt.constexpr = False,
              D: xt.constexpr = 64, BM: xt.constexpr = 64, BN: xt.constexpr = 32) -> None:  # fmt: skip
    """Out[Z, N, D] f32 of Q, K, V[Z, N, D] f16 or bf16, Z being batch times heads; with `causal` no query sees a later key."""
    assert Q.shape[0] == K.shape[0] == V.shape[0] and K.shape[1] == V.shape[1], "as many heads, and a value for each key"
    assert Q.shape[2] == D and K.shape[2] == D and V.shape[2] == D, "rows of D elements"
    m, z, keys = xt.program_id(0) * BM, xt.program_id(1), K.shape[1]
    q = xt.load_tile(xt.init_tile(Q[z], (m, 0), (BM, D)))
    q = (q.to(xt.f32) * (scale * LOG2_E)).to(q.dtype)
    acc, total = xt.zeros((BM, D), xt.f32), xt.zeros((BM, 1), xt.f32)
    largest = xt.full((BM, 1), float("-inf"), xt.f32)

    # Steps whose keys all queries of this program see need no mask; then those at the diagonal, or at the end.
    unmasked = (min(m, keys) if causal else keys) // BN * BN
    for n in range(0, unmasked, BN):
        acc, total, largest = step(q, K[z], V[z], n, None, (acc, total, largest), BN, D)
    for n in range(unmasked, min(m + BM, keys) if causal else keys, BN):
        key, query = n + xt.arange(BN)[None, :], m + xt.arange(BM)[:, None]
        mask = (key < keys) & (key <= query) if causal else key < keys
        acc, total, largest = step(q, K[z], V[z], n, mask, (acc, total, largest), BN, D)
    xt.store_tile(acc / total, xt.init_tile(Out[z], (m, 0), (BM, D)))


def expected(q: NDArray[Any], k: NDArray[Any], v: NDArray[Any], scale: float, causal: bool) -> Any:
    """The same in numpy, in double precision."""
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    scores = q @ k.transpose(0, 2, 1) * scale
    if causal:
        scores = np.where(np.tri(*scores.shape[1:]) == 1, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True) @ v


def main() -> None:
    """Attention of two heads over 150 keys, with and without a causal mask."""
    rng = np.random.default_rng(0)
    q, k, v = rng.standard_normal((3, 2, 150, 64)).astype(np.float16)
    for causal in (False, True):
        error = np.abs(attention(q, k, v, causal=causal) - expected(q, k, v, 0.125, causal)).max()
        print(f"{'causal attention' if causal else 'attention'}: largest error {error:.1e}")
        if not error < 5e-3:  # weights are rounded to f16 before they meet V
            raise SystemExit("the result is wrong")


if __name__ == "__main__":
    main()
