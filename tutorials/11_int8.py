"""Products of bytes with scales: quantize, multiply in integers, scale at the end.

    python tutorials/11_int8.py

A matrix of floats is stored as bytes and one scale for each row (or column): x is close to q * scale. A product of two such matrices is
the product of the bytes, summed exactly in i32, times both scales. Bytes take half of f16's memory, and DPAS multiplies
twice as many of them in the same time. `quantize` runs on the device as well: one program finds the largest element of its rows, and
rounds.
"""

import numpy as np

import xetile as xt


@xt.jit(
    out={"Q": lambda X: xt.empty(X.shape, xt.i8), "S": lambda X: xt.empty(X.shape[:1], xt.f32)},
    grid=lambda X, BM: (xt.cdiv(X.shape[0], BM),),
)
def quantize(X: xt.Array, Q: xt.Array, S: xt.Array, BM: xt.constexpr = 8, BN: xt.constexpr = 128) -> None:
    """Q[M, K] i8 and S[M] f32 with X[i, :] close to Q[i, :] * S[i], by rows."""
    m = xt.program_id(0) * BM
    largest = xt.full((BM, 1), 1e-30)
    for k in range(0, X.shape[1], BN):
        largest = xt.maximum(largest, xt.max(xt.abs(xt.load_tile(xt.init_tile(X, (m, k), (BM, BN)))), axis=1))
    xt.store_tile(largest / 127, xt.init_tile(S, m, (BM, 1)))
    inverse = 127 / largest  # one division a row: exact ones take many instructions
    for k in range(0, X.shape[1], BN):
        x = xt.load_tile(xt.init_tile(X, (m, k), (BM, BN)))
        xt.store_tile(xt.round(x * inverse).to(xt.i8), xt.init_tile(Q, (m, k), (BM, BN)))


@xt.jit(
    out={"C": lambda A, B: xt.empty((A.shape[0], B.shape[0]), xt.f32)},
    grid=lambda C, BM, BN: (xt.cdiv(C.shape[1], BN), xt.cdiv(C.shape[0], BM)),
)
def matmul(
    A: xt.Array,
    SA: xt.Array,
    B: xt.Array,
    SB: xt.Array,
    C: xt.Array,
    BM: xt.constexpr = 64,
    BN: xt.constexpr = 64,
    BK: xt.constexpr = 64,
) -> None:
    """C[M, N] f32 = (A * SA[:, None]) @ (B * SB[:, None]).T of A[M, K], B[N, K] i8, SA[M], SB[N] f32: weights by rows, as layers keep them."""
    assert A.shape[1] == B.shape[1], "rows of A and B have one length"
    assert SA.shape[0] == A.shape[0] and SB.shape[0] == B.shape[0], "a scale for each row"
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    a, b = xt.init_tile(A, (m, 0), (BM, BK)), xt.init_tile(B.T, (0, n), (BK, BN))
    acc = xt.zeros((BM, BN), xt.i32)
    for _ in range(0, A.shape[1], BK):
        acc = xt.tile_mma(xt.load_tile(a), xt.load_tile(b), acc)
        a, b = xt.update_tile_offset(a, (0, BK)), xt.update_tile_offset(b, (BK, 0))
    # The scales of rows and columns come once, after the sum.
    scale = xt.load_tile(xt.init_tile(SA, m, (BM, 1))) * xt.load_tile(xt.init_tile(SB, n, (1, BN)))
    xt.store_tile(acc.to(xt.f32) * scale, xt.init_tile(C, (m, n), (BM, BN)))


def main() -> None:
    """Quantize two matrices, multiply, and compare: with the same bytes in numpy, and with the product of the floats."""
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((70, 320), dtype=np.float32), rng.standard_normal((96, 320), dtype=np.float32)
    (qa, sa), (qb, sb) = quantize(a), quantize(b)
    if np.abs(qa * sa[:, None] - a).max() > sa.max() * 0.51:
        raise SystemExit("the bytes are wrong")
    c = matmul(qa, sa, qb, sb)
    exact = (qa.astype(np.int64) @ qb.T.astype(np.int64)) * np.outer(sa.astype(np.float64), sb)
    loss = np.abs(c - a.astype(np.float64) @ b.T).max() / np.abs(a @ b.T).max()
    print(f"error by rounding to bytes: {100 * loss:.1f}% of the largest element")
    if np.abs(c - exact).max() > 1e-5 * np.abs(exact).max() or loss > 0.05:
        raise SystemExit("the result is wrong")


if __name__ == "__main__":
    main()
