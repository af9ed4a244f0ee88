"""Matrix multiplication: the whole of xetile in one kernel.

    python tutorials/03_matmul.py

Each program (one workgroup) computes one BM x BN tile of C. It walks along K in steps of BK: load a tile of A and one of B,
multiply them into the accumulator, move both tiles on. How the tiles are split over the workgroup's subgroups, which hardware
messages load them, and how lanes hold them is the compiler's work: look at it with

    python -m xetile compile tutorials/03_matmul.py:matmul --signature "f16[?,?],f16[?,?],f32[?,?]" --emit xegpu
"""

from time import perf_counter

import numpy as np

import xetile as xt


@xt.jit(
    out={"C": lambda A, B: xt.empty((A.shape[0], B.shape[1]), xt.f32)},
    grid=lambda C, BM, BN: (xt.cdiv(C.shape[1], BN), xt.cdiv(C.shape[0], BM)),
    defaults={
        "cpu": {"BN": 512, "BK": 256},
        "amx": {"BK": 1024},
    },  # a core of a CPU has more memory near it than subgroups have registers
)
def matmul(A: xt.Array, B: xt.Array, C: xt.Array, BM: xt.constexpr = 256, BN: xt.constexpr = 256, BK: xt.constexpr = 32) -> None:
    """C[M, N] f32 = A[M, K] @ B[K, N]; any M, N, K: edges are padded on load and clipped on store."""
    assert A.shape[1] == B.shape[0], "the columns of A are the rows of B"
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    a = xt.init_tile(A, (m, 0), (BM, BK))
    b = xt.init_tile(B, (0, n), (BK, BN))
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        acc = xt.tile_mma(xt.load_tile(a), xt.load_tile(b), acc)
        a = xt.update_tile_offset(a, (0, BK))
        b = xt.update_tile_offset(b, (BK, 0))
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


def main() -> None:
    """Multiply two matrices on the default device and compare with numpy."""
    rng = np.random.default_rng(0)
    a = rng.standard_normal((500, 304), dtype=np.float32).astype(np.float16)
    b = rng.standard_normal((304, 400), dtype=np.float32).astype(np.float16)

    c = matmul(a, b)  # the first call compiles
    start = perf_counter()
    c = matmul(a, b)
    elapsed = perf_counter() - start

    expected = a.astype(np.float64) @ b.astype(np.float64)
    error = np.abs(c - expected).max() / np.abs(expected).max()
    device = next(info for info in xt.devices() if info.usable)
    print(f"matmul {a.shape} x {b.shape} on {device.name}: {elapsed * 1e3:.1f} ms, largest relative error {error:.1e}")
    if error > 1e-5:
        raise SystemExit("the result is wrong")


if __name__ == "__main__":
    main()
