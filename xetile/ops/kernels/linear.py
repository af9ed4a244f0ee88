"""Matrix products with what precedes and follows them: scales, int4 and f8 weights, bias, activation, residual; products by groups."""

import xetile as xt
from xetile.ops.kernels.matmul import DEFAULTS, activated, grid, product
from xetile.ops.kernels.planes import plane


@xt.jit
def finished(acc, m, n, bias, row_scales, column_scales, residual, ACTIVATION, ACC):
    """activation(acc * scales + bias) + residual for the block at row m and column n; what is None is left out."""
    shape = acc.shape
    if row_scales is not None or column_scales is not None:
        acc = acc.to(ACC)
    if row_scales is not None:
        acc = acc * xt.load_tile(xt.init_tile(row_scales, (m, 0), (shape[0], 1))).to(ACC)
    if column_scales is not None:
        acc = acc * xt.load_tile(xt.init_tile(column_scales, n, (shape[1],))).to(ACC)
    if bias is not None:
        acc = acc.to(ACC) + xt.load_tile(xt.init_tile(bias, n, (shape[1],))).to(ACC)
    acc = activated(acc, ACTIVATION)
    if residual is not None:
        acc = acc.to(ACC) + xt.load_tile(xt.init_tile(residual, (m, n), shape)).to(ACC)
    return acc


@xt.jit(grid=grid, fast_math=True, defaults=DEFAULTS)
def linear(A, B, bias, row_scales, column_scales, residual, C, ACTIVATION: xt.constexpr = "none", BM: xt.constexpr = 256,
           BN: xt.constexpr = 256, BK: xt.constexpr = 32, SUM: xt.constexpr = xt.f32, ACC: xt.constexpr = xt.f32):  # fmt: skip
    """C = activation((A[M, K] @ B[K, N]) * row_scales[M, 1] * column_scales[N] + bias[N]) + residual[M, N], for each plane of C.

    The product is summed in SUM, the rest is done in ACC. bias, scales and residual may be None; those have no planes but residual.
    """
    z, m, n = xt.program_id(2), xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = product(plane(A, z), plane(B, z), m, n, BM, BN, BK, SUM)
    rest = plane(residual, z) if residual is not None else None
    acc = finished(acc, m, n, bias, row_scales, column_scales, rest, ACTIVATION, ACC)
    xt.store_tile(acc.to(C.dtype), xt.init_tile(plane(C, z), (m, n), (BM, BN)))


@xt.jit(grid=grid, fast_math=True, defaults={"cpu": {"BM": 64, "BN": 512, "BK": 256}})
def wide_weights(A, B, column_scales, bias, C, ACTIVATION: xt.constexpr = "none", BM: xt.constexpr = 128,
                 BN: xt.constexpr = 128, BK: xt.constexpr = 32, ACC: xt.constexpr = xt.f32):  # fmt: skip
    """C[M, N] = activation(A[M, K] @ B[K, N] * column_scales[N] + bias[N]), B of f8 or integers, which take A's dtype when loaded."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), ACC)
    for k in range(0, A.shape[1], BK):
        a = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK)))
        b = xt.load_tile(xt.init_tile(B, (k, n), (BK, BN))).to(A.dtype)
        acc = xt.tile_mma(a, b, acc)
    acc = finished(acc, m, n, bias, None, column_scales, None, ACTIVATION, ACC)
    xt.store_tile(acc.to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit
def nibbles(packed, high):
    """The signed 4-bit numbers in the low or the high halves of bytes."""
    shifted = packed if high else packed << 4
    return shifted >> 4  # of signed bytes: the sign comes along


@xt.jit(grid=grid, defaults={"cpu": {"BM": 64, "BN": 512}})
def matmul_int4(A, Packed, Scales, C, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32,
                ACC: xt.constexpr = xt.f32, GROUP: xt.constexpr = 0):  # fmt: skip
    """C[M, N] = A[M, K] @ B[K, N] of 4-bit weights: Packed[K / 2, N] i8 holds row k of B in its low halves and row k + K / 2 in its
    high ones.  Scales[K / group, N]: each number of B is multiplied by that of its group of rows; groups, and K / 2, are multiples of BK.
    GROUP: rows of a group, a power of two, where they are known.
    """
    m, n, half = xt.program_id(1) * BM, xt.program_id(0) * BN, Packed.shape[0] // BK * BK
    group = 2 * half // Scales.shape[0]
    acc = xt.zeros((BM, BN), ACC)
    # A division by what is not known takes more instructions than to count: the groups of both rows, and where the next ones begin.
    low, high = 0, half // group
    low_end, high_end = group, (high + 1) * group - half
    for k in range(0, half, BK):
        packed = xt.load_tile(xt.init_tile(Packed, (k, n), (BK, BN)))
        for upper in xt.static_range(2):
            row, number = (k + half, high) if upper else (k, low)
            if GROUP:
                number = row // GROUP
            scale = xt.load_tile(xt.init_tile(Scales, (number, n), (1, BN))).to(xt.f32)
            b = (nibbles(packed, upper == 1).to(xt.f32) * scale).to(A.dtype)
            acc = xt.tile_mma(xt.load_tile(xt.init_tile(A, (m, row), (BM, BK))), b, acc)
        if not GROUP:
            low_ends, high_ends = k + BK >= low_end, k + BK >= high_end
            low, low_end = xt.where(low_ends, low + 1, low), xt.where(low_ends, low_end + group, low_end)
            high, high_end = xt.where(high_ends, high + 1, high), xt.where(high_ends, high_end + group, high_end)
    xt.store_tile(acc.to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(
    grid=lambda A, B, Ends, BM, BN: (xt.cdiv(B.shape[2], BN), xt.cdiv(A.shape[0], BM), Ends.shape[0] - 1),
    defaults={"cpu": {"BM": 64, "BN": 512, "BK": 256}, "dg2": {"BN": 64}},
    num_subgroups=16,
)
def grouped_matmul(A, B, Ends, C, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32,
                   ACC: xt.constexpr = xt.f32):  # fmt: skip
    """C[M, N]: rows Ends[g] to Ends[g + 1] are those of A[M, K] times B[g] of B[G, K, N]."""
    g, m, n = xt.program_id(2), xt.program_id(1) * BM, xt.program_id(0) * BN
    begin, end = Ends[g], Ends[g + 1]
    if m < end - begin:
        acc = product(A[begin:end], B[g], m, n, BM, BN, BK, ACC)
        xt.store_tile(acc.to(C.dtype), xt.init_tile(C[begin:end], (m, n), (BM, BN)))
