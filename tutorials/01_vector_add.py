"""Vector addition: programs, tiles, and arrays of any length.

    python tutorials/01_vector_add.py

A kernel is written for one program (one workgroup), which works on one tile. A grid of programs covers the array: here as many as
there are tiles of N elements. The last tile may reach past the end of the array; what lies outside is read as zero and never
written, so no length needs a case of its own.
"""

import numpy as np

import xetile as xt


# `out` says how the result is allocated when a call leaves it out, `grid` how many programs run.
@xt.jit(out={"C": lambda A: xt.empty(A.shape, xt.f32)}, grid=lambda A, N: (xt.cdiv(A.shape[0], N),))
def add(A: xt.Array, B: xt.Array, C: xt.Array, N: xt.constexpr = 1024) -> None:
    """C[i] = A[i] + B[i]; arrays of f32, of any one length. N, the tile's size, is a constant of the compiled kernel."""
    assert A.shape[0] == B.shape[0]  # decided at each call, before anything runs
    start = xt.program_id(0) * N
    a = xt.load_tile(xt.init_tile(A, start, (N,)))
    b = xt.load_tile(xt.init_tile(B, start, (N,)))
    xt.store_tile(a + b, xt.init_tile(C, start, (N,)))


def main() -> None:
    """Add vectors of a length that no tile divides: by the rules above, and with output and grid given."""
    a, b = np.arange(5000, dtype=np.float32), np.full(5000, 0.5, np.float32)

    c = add(a, b)

    mine = np.empty_like(a)
    add[(10,)](a, b, mine, N=512)  # 10 programs of 512 elements; the kernel is compiled again for another N

    if not ((c == a + b).all() and (mine == c).all()):
        raise SystemExit("the result is wrong")
    print(f"{len(c)} sums are right, the last one is {c[-1]}")


if __name__ == "__main__":
    main()
