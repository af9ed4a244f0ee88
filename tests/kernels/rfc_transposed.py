"""XeTile RFC, appendix 1: C = A @ B where memory holds BT[N, K]: a column-major view, a column-major tile, a transposed value."""

import xetile as xt


def _grid(C, BM, BN):
    return xt.cdiv(C.shape[1], BN), xt.cdiv(C.shape[0], BM)


@xt.jit(grid=_grid)
def row_major(A, B, C, BM: xt.constexpr = 64, BN: xt.constexpr = 64, BK: xt.constexpr = 32):
    """The first case: C[M, N] = A[M, K] @ B[K, N], all row-major."""
    i, j = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        a = xt.load_tile(xt.init_tile(A, (i, k), (BM, BK)))
        b = xt.load_tile(xt.init_tile(B, (k, j), (BK, BN)))
        acc = xt.tile_mma(a, b, acc)
    xt.store_tile(acc, xt.init_tile(C, (i, j), (BM, BN)))


@xt.jit(grid=_grid)
def column_major(A, BT, C, BM: xt.constexpr = 64, BN: xt.constexpr = 64, BK: xt.constexpr = 32):
    """The second case: BT[N, K] viewed as B[K, N]; tiles of the view have order (0, 1)."""
    i, j = xt.program_id(1) * BM, xt.program_id(0) * BN
    B = BT.T
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        a = xt.load_tile(xt.init_tile(A, (i, k), (BM, BK)))
        b = xt.load_tile(xt.init_tile(B, (k, j), (BK, BN), order=(0, 1)))
        acc = xt.tile_mma(a, b, acc)
    xt.store_tile(acc, xt.init_tile(C, (i, j), (BM, BN)))


@xt.jit(grid=_grid)
def transposed_value(A, BT, C, BM: xt.constexpr = 64, BN: xt.constexpr = 64, BK: xt.constexpr = 32):
    """The third case: tiles of BT[N, K] as they lie in memory, transposed after loading."""
    i, j = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        a = xt.load_tile(xt.init_tile(A, (i, k), (BM, BK)))
        bt = xt.load_tile(xt.init_tile(BT, (j, k), (BN, BK)))
        acc = xt.tile_mma(a, xt.tile_transpose(bt), acc)
    xt.store_tile(acc, xt.init_tile(C, (i, j), (BM, BN)))
