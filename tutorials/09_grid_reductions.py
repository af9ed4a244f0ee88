"""Reductions over the whole grid: partial results, atomics, and programs that wait for nobody.

    python tutorials/09_grid_reductions.py

Programs run in any order, some after others have ended, so none may wait for one that has not begun. Three ways to add up an array:

1. `partial_sums`: each program stores its sum, the host (or a second kernel) adds them: no atomics, the same result every time.
2. `atomic_sum`: each program adds to one number. One kernel, but floats are added in any order.
3. `last_sums`: each program stores its sum and counts itself; the last one adds the sums up, in order. One kernel, the same result
   every time. The fences say that the sums are seen before the count is.

`extremes` does the same for a maximum and where it is: both in one 64-bit number, so that one atomic moves them together.
"""

import numpy as np

import xetile as xt


def grid(X: xt.Array, N: int) -> tuple[object]:
    """A program for N elements."""
    return (xt.cdiv(X.shape[0], N),)


@xt.jit(out={"P": lambda X, N: xt.empty((xt.cdiv(X.shape[0], N),), xt.f32)}, grid=grid)
def partial_sums(X: xt.Array, P: xt.Array, N: xt.constexpr = 512) -> None:
    """P[i] = the sum of the i-th N elements of X."""
    i = xt.program_id(0)
    x = xt.load_tile(xt.init_tile(X, i * N, (N,)))
    xt.store_tile(xt.full((1,), xt.sum(x)), xt.init_tile(P, i, (1,)))


@xt.jit(out={"Total": lambda X: xt.zeros(1, xt.f32)}, grid=grid)
def atomic_sum(X: xt.Array, Total: xt.Array, N: xt.constexpr = 512) -> None:
    """Total[0] = the sum of X. The output begins as zeros: programs only add."""
    x = xt.load_tile(xt.init_tile(X, xt.program_id(0) * N, (N,)))
    xt.atomic_rmw_tile("add", xt.full((1,), xt.sum(x)), xt.init_tile(Total, 0, (1,)))


@xt.jit(out={"P": lambda X, N: xt.empty((xt.cdiv(X.shape[0], N),), xt.f32), "Done": lambda X: xt.zeros(1, xt.i32),
             "Total": lambda X: xt.empty((1,), xt.f32)}, grid=grid)  # fmt: skip
def last_sums(
    X: xt.Array, P: xt.Array, Done: xt.Array, Total: xt.Array, N: xt.constexpr = 512, PARTS: xt.constexpr = 256
) -> None:
    """Total[0] = the sum of X, added in the same order each time, for up to PARTS programs."""
    assert P.shape[0] <= PARTS, "one tile holds all partial sums"
    i = xt.program_id(0)
    x = xt.load_tile(xt.init_tile(X, i * N, (N,)))
    xt.store_tile(xt.full((1,), xt.sum(x)), xt.init_tile(P, i, (1,)))
    xt.fence("global", "gpu")
    before = xt.atomic_rmw_tile("add", 1, xt.init_tile(Done, 0, (1,))).item()
    if before == P.shape[0] - 1:
        xt.fence("global", "gpu")
        xt.store_tile(xt.full((1,), xt.sum(xt.load_tile(xt.init_tile(P, 0, (PARTS,))))), xt.init_tile(Total, 0, (1,)))


@xt.jit(out={"Best": lambda X: xt.full(1, -(2**63), xt.i64)}, grid=grid)
def extremes(X: xt.Array, Best: xt.Array, N: xt.constexpr = 512) -> None:
    """Best[0] >> 32 is the largest of X[i32], its low half the first place where it is, counted from the end of the range."""
    start = xt.program_id(0) * N
    place = start + xt.arange(N)
    x = xt.where(place < X.shape[0], xt.load_tile(xt.init_tile(X, start, (N,))), -(2**31))
    key = (x.to(xt.i64) << 32) | (2**31 - 1 - place).to(xt.i64)
    xt.atomic_rmw_tile("max", xt.full((1,), xt.max(key)), xt.init_tile(Best, 0, (1,)))


def main() -> None:
    """Add up, three ways; find the largest."""
    rng = np.random.default_rng(0)
    x = rng.integers(-100, 100, 50_000).astype(np.float32)  # whole numbers: every order gives the same
    total = x.sum(dtype=np.float64)
    results = {"partial sums": partial_sums(x).sum(), "atomics": atomic_sum(x)[0], "the last program": last_sums(x)[2][0]}
    for name, result in results.items():
        print(f"{name}: {result:.0f}")
        if result != total:
            raise SystemExit("the result is wrong")

    y = rng.integers(-(10**6), 10**6, 50_000).astype(np.int32)
    best = int(extremes(y)[0])
    value, place = best >> 32, 2**31 - 1 - (best & 0xFFFFFFFF)
    print(f"the largest is {value} at {place}")
    if value != y.max() or place != y.argmax():
        raise SystemExit("the result is wrong")


if __name__ == "__main__":
    main()
