"""Matrix products that fill the machine: split-K for few tiles, a persistent kernel for many.

    python tutorials/10_split_k.py

A grid with a program for each tile of C suits products whose C has about as many tiles as the GPU has room for. Two cases differ:

- C is small and K is long: a few programs would do all the work. `split_k` gives each tile of C to SPLIT programs, each with a part of
  K; they add their parts into C by atomics. C begins as zeros, which `out=` says.
- C has very many tiles: starting and ending programs costs, and the last ones leave the machine idle. `persistent` starts as many
  programs as there is room for; each walks over tiles. The walk goes down columns of GROUP tiles, so that programs which run together
  read the same parts of A and B while the cache holds them.
"""

import numpy as np

import xetile as xt


@xt.jit
def part(
    A: xt.Array, B: xt.Array, m: xt.Value, n: xt.Value, first: xt.Value | int, last: xt.Value | int, BM: int, BN: int, BK: int
) -> xt.Value:
    """The product of rows m and columns n, for K from `first` to before `last`."""
    a, b = xt.init_tile(A, (m, first), (BM, BK)), xt.init_tile(B, (first, n), (BK, BN))
    acc: xt.Value = xt.zeros((BM, BN), xt.f32)
    for _ in range(first, last, BK):
        acc = xt.tile_mma(xt.load_tile(a), xt.load_tile(b), acc)
        a, b = xt.update_tile_offset(a, (0, BK)), xt.update_tile_offset(b, (BK, 0))
    return acc


@xt.jit(
    out={"C": lambda A, B: xt.zeros((A.shape[0], B.shape[1]), xt.f32)},
    grid=lambda C, BM, BN, SPLIT: (xt.cdiv(C.shape[1], BN), xt.cdiv(C.shape[0], BM), SPLIT),
)
def split_k(
    A: xt.Array,
    B: xt.Array,
    C: xt.Array,
    SPLIT: xt.constexpr = 4,
    BM: xt.constexpr = 64,
    BN: xt.constexpr = 64,
    BK: xt.constexpr = 32,
) -> None:
    """C[M, N] f32 = A[M, K] @ B[K, N], f16: the parts of K in any order."""
    assert A.shape[1] == B.shape[0], "the columns of A are the rows of B"
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    length = xt.cdiv(xt.cdiv(A.shape[1], SPLIT), BK) * BK  # whole steps: only the last part may be shorter
    first = xt.program_id(2) * length
    acc = part(A, B, m, n, first, min(first + length, A.shape[1]), BM, BN, BK)
    xt.atomic_rmw_tile("add", acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(out={"C": lambda A, B: xt.empty((A.shape[0], B.shape[1]), xt.f32)}, grid=lambda PROGRAMS: (PROGRAMS,))
def persistent(A: xt.Array, B: xt.Array, C: xt.Array, PROGRAMS: xt.constexpr = 8, GROUP: xt.constexpr = 4,
               BM: xt.constexpr = 64, BN: xt.constexpr = 64, BK: xt.constexpr = 32) -> None:  # fmt: skip
    """C[M, N] f32 = A[M, K] @ B[K, N], f16, by PROGRAMS programs."""
    assert A.shape[1] == B.shape[0], "the columns of A are the rows of B"
    rows, columns = xt.cdiv(C.shape[0], BM), xt.cdiv(C.shape[1], BN)
    for tile in range(xt.program_id(0), rows * columns, PROGRAMS):
        band = tile // (GROUP * columns) * GROUP  # GROUP rows of tiles, walked column by column; the last band may be lower
        height, inside = min(rows - band, GROUP), tile % (GROUP * columns)
        m, n = (band + inside % height) * BM, inside // height * BN
        acc = part(A, B, m, n, 0, A.shape[1], BM, BN, BK)
        xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


def main() -> None:
    """Both against numpy."""
    rng = np.random.default_rng(0)
    for kernel, (m, k, n) in ((split_k, (40, 1000, 72)), (persistent, (330, 96, 200))):
        a, b = (rng.integers(-3, 4, shape).astype(np.float16) for shape in ((m, k), (k, n)))
        c = kernel(a, b)
        print(f"{kernel.__name__}: {m}x{k} by {k}x{n}, C[0, 0] is {c[0, 0]:.0f}")
        if not (c == a.astype(np.float32) @ b.astype(np.float32)).all():
            raise SystemExit("the result is wrong")


if __name__ == "__main__":
    main()
