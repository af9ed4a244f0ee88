"""Small kernels for tests of the runtime, in a module that worker processes can import."""

import xetile as xt

SHIFT = 0.0


@xt.jit
def shifted(x):
    return x + SHIFT


@xt.jit(
    out={"Y": lambda X: xt.empty(X.shape, xt.f32)},
    grid=lambda Y, BM, BN: (xt.cdiv(Y.shape[1], BN), xt.cdiv(Y.shape[0], BM)),
    num_subgroups=1,
)
def scale(X, Y, alpha, BM: xt.constexpr = 16, BN: xt.constexpr = 16):
    """Y[M, N] = X[M, N] * alpha."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    x = xt.load_tile(xt.init_tile(X, (m, n), (BM, BN)))
    xt.store_tile(shifted(x * alpha), xt.init_tile(Y, (m, n), (BM, BN)))


@xt.jit(grid=lambda C, BM, BN: (xt.cdiv(C.shape[1], BN), xt.cdiv(C.shape[0], BM)))
def matmul(A, B, C, BM: xt.constexpr = 32, BN: xt.constexpr = 32, BK: xt.constexpr = 16):
    """C[M, N] f32 = A[M, K] @ B[K, N]."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    a = xt.init_tile(A, (m, 0), (BM, BK))
    b = xt.init_tile(B, (0, n), (BK, BN))
    acc = xt.zeros((BM, BN), xt.f32)
    for _ in range(0, A.shape[1], BK):
        acc = xt.tile_mma(xt.load_tile(a), xt.load_tile(b), acc)
        a = xt.update_tile_offset(a, (0, BK))
        b = xt.update_tile_offset(b, (BK, 0))
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=lambda X, BM: (xt.cdiv(X.shape[1], BM), X.shape[0]))
def row_sums(X, Sums, BM: xt.constexpr = 16, BN: xt.constexpr = 16) -> None:
    """Sums[i, j] = X[i, j].sum(), rank 3 to rank 2."""
    z, m = xt.program_id(1), xt.program_id(0) * BM
    total = xt.zeros((BM,), xt.f32)
    for n in range(0, X.shape[2], BN):
        total += xt.sum(xt.load_tile(xt.init_tile(X[z], (m, n), (BM, BN))), axis=1, keepdims=False)
    xt.store_tile(total, xt.init_tile(Sums[z], m, (BM,)))
