"""Matrix products: plain, with what often follows in registers, batched, and with K split over programs.

Operands may be given transposed (Fortran order): the compiler sees it in the array's strides, the kernels do not change.
"""

import xetile as xt

SQRT_2_OVER_PI = 0.7978845608028654


def accumulator(dtype):
    """What products of a type are summed in."""
    return xt.i32 if str(dtype) in ("int8", "uint8", "i8", "u8") else xt.f32


def result(A, B):
    """C[..., M, N] for A[..., M, K] and B[..., K, N]."""
    return xt.empty((*A.shape[:-1], B.shape[-1]), accumulator(A.dtype))


def grid(C, BM, BN):
    """A program for each BM x BN block of each plane of C."""
    return xt.cdiv(C.shape[-1], BN), xt.cdiv(C.shape[-2], BM), C.shape[0] if len(C.shape) == 3 else 1


# One core of a CPU has more memory near it than a GPU's subgroups have registers: what is packed for a product should serve for long.
DEFAULTS = {"cpu": {"BM": 256, "BN": 512, "BK": 256}, "amx": {"BM": 256, "BN": 256, "BK": 512}}


@xt.jit
def product(A, B, m, n, BM, BN, BK, ACC):
    """The BM x BN block of A @ B at row m and column n, in registers."""
    a = xt.init_tile(A, (m, 0), (BM, BK))
    b = xt.init_tile(B, (0, n), (BK, BN))
    acc = xt.zeros((BM, BN), ACC)
    for _ in range(0, A.shape[1], BK):
        acc = xt.tile_mma(xt.load_tile(a), xt.load_tile(b), acc)
        a = xt.update_tile_offset(a, (0, BK))
        b = xt.update_tile_offset(b, (BK, 0))
    return acc


@xt.jit
def gelu(x):
    """The tanh form of x times the normal distribution's integral."""
    return 0.5 * x * (1.0 + xt.tanh(SQRT_2_OVER_PI * (x + 0.044715 * x * x * x)))


@xt.jit
def activated(x, ACTIVATION):
    """What follows a product: "none", "relu", "gelu" or "silu"."""
    if ACTIVATION == "relu":
        x = xt.maximum(x, 0.0)
    if ACTIVATION == "gelu":
        x = gelu(x)
    if ACTIVATION == "silu":
        x = x * xt.sigmoid(x)
    return x


@xt.jit(out={"C": result}, grid=grid, defaults=DEFAULTS)
def matmul(A, B, C, BM: xt.constexpr = 256, BN: xt.constexpr = 256, BK: xt.constexpr = 32, ACC: xt.constexpr = xt.f32):
    """C[M, N] = A[M, K] @ B[K, N], summed in ACC and stored in C's type."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = product(A, B, m, n, BM, BN, BK, ACC)
    xt.store_tile(acc.to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(out={"C": result}, grid=grid, fast_math=True, defaults=DEFAULTS)
def matmul_bias(A, B, bias, C, ACTIVATION: xt.constexpr = "none",
                BM: xt.constexpr = 256, BN: xt.constexpr = 256, BK: xt.constexpr = 32):  # fmt: skip
    """C[M, N] = activation(A[M, K] @ B[K, N] + bias[N]); ACTIVATION as in `activated`."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = product(A, B, m, n, BM, BN, BK, xt.f32)
    acc = acc + xt.load_tile(xt.init_tile(bias, n, (BN,))).to(xt.f32)
    xt.store_tile(activated(acc, ACTIVATION).to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(out={"C": result}, grid=grid, defaults=DEFAULTS)
def matmul_residual(A, B, residual, C, BM: xt.constexpr = 256, BN: xt.constexpr = 256, BK: xt.constexpr = 32):
    """C[M, N] = A[M, K] @ B[K, N] + residual[M, N]."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = product(A, B, m, n, BM, BN, BK, xt.f32)
    acc = acc + xt.load_tile(xt.init_tile(residual, (m, n), (BM, BN))).to(xt.f32)
    xt.store_tile(acc.to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(out={"C": result}, grid=grid, defaults=DEFAULTS)
def matmul_batched(A, B, C, BM: xt.constexpr = 256, BN: xt.constexpr = 256, BK: xt.constexpr = 32, ACC: xt.constexpr = xt.f32):
    """C[Z, M, N] = A[Z, M, K] @ B[Z, K, N]."""
    m, n, z = xt.program_id(1) * BM, xt.program_id(0) * BN, xt.program_id(2)
    acc = product(A[z], B[z], m, n, BM, BN, BK, ACC)
    xt.store_tile(acc.to(C.dtype), xt.init_tile(C[z], (m, n), (BM, BN)))


@xt.jit(
    out={"P": lambda A, B, SPLIT: xt.empty((SPLIT, A.shape[0], B.shape[1]), xt.f32)},
    grid=lambda P, BM, BN: (xt.cdiv(P.shape[2], BN), xt.cdiv(P.shape[1], BM), P.shape[0]),
    defaults={"cpu": {"BM": 256, "BN": 256, "BK": 256}},
)
def matmul_split_k(A, B, P, SPLIT: xt.constexpr = 4, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """P[SPLIT, M, N]: sums over one of SPLIT parts of K each; `sum_slices` adds them up."""
    m, n, z = xt.program_id(1) * BM, xt.program_id(0) * BN, xt.program_id(2)
    steps = xt.cdiv(xt.cdiv(A.shape[1], BK), SPLIT)
    first = z * steps * BK
    a = xt.init_tile(A, (m, first), (BM, BK))
    b = xt.init_tile(B, (first, n), (BK, BN))
    acc = xt.zeros((BM, BN), xt.f32)
    for _ in range(steps):
        acc = xt.tile_mma(xt.load_tile(a), xt.load_tile(b), acc)
        a = xt.update_tile_offset(a, (0, BK))
        b = xt.update_tile_offset(b, (BK, 0))
    xt.store_tile(acc, xt.init_tile(P[z], (m, n), (BM, BN)))


@xt.jit(
    out={"C": lambda P: xt.empty(P.shape[1:], xt.f32)},
    grid=lambda C, BM, BN: (xt.cdiv(C.shape[1], BN), xt.cdiv(C.shape[0], BM)),
    num_subgroups=8,
)
def sum_slices(P, C, BM: xt.constexpr = 32, BN: xt.constexpr = 64):
    """C[M, N]: the sum of P[S, M, N] over its first axis."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    total = xt.zeros((BM, BN), xt.f32)
    for z in range(P.shape[0]):
        total += xt.load_tile(xt.init_tile(P[z], (m, n), (BM, BN)))
    xt.store_tile(total, xt.init_tile(C, (m, n), (BM, BN)))
