"""Products of operands in registers: how fast DPAS is when nothing else is asked of the device."""

import xetile as xt


@xt.jit(num_subgroups=32)
def mma_peak(A, B, C, steps, BM: xt.constexpr = 256, BN: xt.constexpr = 256, BK: xt.constexpr = 32, ACC: xt.constexpr = xt.f32):
    """C[BM, BN] = steps * (A[BM, BK] @ B[BK, BN]), by every program alike; C is stored once, at the end."""
    a = xt.load_tile(xt.init_tile(A, (0, 0), (BM, BK)))
    b = xt.load_tile(xt.init_tile(B, (0, 0), (BK, BN)))
    acc = xt.zeros((BM, BN), ACC)
    for _ in range(steps):
        acc = xt.tile_mma(a, b, acc)
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (BM, BN)))
