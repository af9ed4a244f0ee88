"""Matrix products: plain, with a fused epilogue, and prefetching."""

import xetile as xt

AHEAD = 3  # K steps that the prefetching variant runs ahead


@xt.jit(
    out={"C": lambda A, B: xt.empty((A.shape[0], B.shape[1]), xt.f32)},
    grid=lambda C, BM, BN: (xt.cdiv(C.shape[1], BN), xt.cdiv(C.shape[0], BM)),
)
def matmul(A, B, C, BM: xt.constexpr = 256, BN: xt.constexpr = 256, BK: xt.constexpr = 32):
    """C[M, N] f32 = A[M, K] @ B[K, N]; any M, N, K: edges are padded on load and clipped on store."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    a = xt.init_tile(A, (m, 0), (BM, BK))
    b = xt.init_tile(B, (0, n), (BK, BN))
    acc = xt.zeros((BM, BN), xt.f32)
    for _ in range(0, A.shape[1], BK):
        acc = xt.tile_mma(xt.load_tile(a), xt.load_tile(b), acc)
        a = xt.update_tile_offset(a, (0, BK))
        b = xt.update_tile_offset(b, (BK, 0))
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(
    out={"C": lambda A, B: xt.empty((A.shape[0], B.shape[1]), xt.f32)},
    grid=lambda C, BM, BN: (xt.cdiv(C.shape[1], BN), xt.cdiv(C.shape[0], BM)),
)
def matmul_bias_relu(A, B, bias, C, BM: xt.constexpr = 256, BN: xt.constexpr = 256, BK: xt.constexpr = 32):
    """C[M, N] f32 = relu(A[M, K] @ B[K, N] + bias[N]), bias f32."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    a = xt.init_tile(A, (m, 0), (BM, BK))
    b = xt.init_tile(B, (0, n), (BK, BN))
    acc = xt.zeros((BM, BN), xt.f32)
    for _ in range(0, A.shape[1], BK):
        acc = xt.tile_mma(xt.load_tile(a), xt.load_tile(b), acc)
        a = xt.update_tile_offset(a, (0, BK))
        b = xt.update_tile_offset(b, (BK, 0))
    row = xt.load_tile(xt.init_tile(bias, n, (BN,)))
    xt.store_tile(xt.maximum(acc + row, 0.0), xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(
    out={"C": lambda A, B: xt.empty((A.shape[0], B.shape[1]), xt.f32)},
    grid=lambda C, BM, BN: (xt.cdiv(C.shape[1], BN), xt.cdiv(C.shape[0], BM)),
)
def matmul_prefetch(A, B, C, BM: xt.constexpr = 256, BN: xt.constexpr = 256, BK: xt.constexpr = 32):
    """As `matmul`, bringing the tiles of three K steps ahead to the caches."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    a = xt.init_tile(A, (m, 0), (BM, BK))
    b = xt.init_tile(B, (0, n), (BK, BN))
    for i in xt.static_range(AHEAD):
        xt.prefetch_tile(xt.init_tile(A, (m, i * BK), (BM, BK)))
        xt.prefetch_tile(xt.init_tile(B, (i * BK, n), (BK, BN)))
    a_ahead = xt.init_tile(A, (m, AHEAD * BK), (BM, BK))
    b_ahead = xt.init_tile(B, (AHEAD * BK, n), (BK, BN))
    acc = xt.zeros((BM, BN), xt.f32)
    for _ in range(0, A.shape[1], BK):
        a_value, b_value = xt.load_tile(a), xt.load_tile(b)
        xt.prefetch_tile(a_ahead)
        xt.prefetch_tile(b_ahead)
        acc = xt.tile_mma(a_value, b_value, acc)
        a = xt.update_tile_offset(a, (0, BK))
        b = xt.update_tile_offset(b, (BK, 0))
        a_ahead = xt.update_tile_offset(a_ahead, (0, BK))
        b_ahead = xt.update_tile_offset(b_ahead, (BK, 0))
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=(1,))
def powers(A, B):
    """A[:, 32:64] = A[:, :32] @ B, and so on: each step loads what the one before has stored."""
    a, b = xt.init_tile(A, (0, 0), (32, 32)), xt.init_tile(B, (0, 0), (32, 32))
    for _ in range(32, A.shape[1], 32):
        product = xt.tile_mma(xt.load_tile(a), xt.load_tile(b))
        a = xt.update_tile_offset(a, (0, 32))
        xt.store_tile(product.to(A.dtype), a)
        xt.barrier()


@xt.jit(grid=(1,))
def matmul_by_one(A, B, C):
    """One workgroup works out all of C: the loop runs again and again, with few and odd steps."""
    for m in range(0, C.shape[0], 64):
        a = xt.init_tile(A, (m, 0), (64, 32))
        b = xt.init_tile(B, (0, 0), (32, 64))
        acc = xt.zeros((64, 64), xt.f32)
        for _ in range(0, A.shape[1], 32):
            acc = xt.tile_mma(xt.load_tile(a), xt.load_tile(b), acc)
            a = xt.update_tile_offset(a, (0, 32))
            b = xt.update_tile_offset(b, (32, 0))
        xt.store_tile(acc, xt.init_tile(C, (m, 0), (64, 64)))
