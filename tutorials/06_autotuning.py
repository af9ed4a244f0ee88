"""Autotuning: let measurements choose tile sizes, once, and keep what was found.

    python tutorials/06_autotuning.py

`@xt.autotune` above `@xt.jit` lists configurations: values of constants, and `num_subgroups`. The first call with arrays of a new key
compiles each one, runs it on copies of the arguments in a process of its own, checks what it computed, and times it; a configuration
that does not build, crashes, hangs or is wrong is left out, with the reason. Later calls, and later runs of the program, measure
nothing: results are kept on disk under device, driver, kernel and key, so adding a configuration measures that one alone.

On numpy times would mean nothing: the first configuration is used there.
"""

from time import perf_counter

import numpy as np

import xetile as xt

# All combinations of the choices for which `where` is true; the first is the default.
SPACE = xt.autotune_space(BM=(32, 64), BN=(64, 128), num_subgroups=(4,), where=lambda BM, BN, num_subgroups: BM * BN >= 4096)


@xt.autotune(
    configs=[*SPACE, xt.Config(BM=24, BN=72, num_subgroups=4)],
    key=["A", "B"],  # other shapes of A or B are tuned for themselves; dtypes and the device always are
    samples=5,  # of each configuration, the median counts
    timeout=60,  # seconds for one configuration before it is killed
    budget=120,  # seconds after which no further one is started
)
@xt.jit(
    out={"C": lambda A, B: xt.empty((A.shape[0], B.shape[1]), xt.f32)},
    grid=lambda C, BM, BN: (xt.cdiv(C.shape[1], BN), xt.cdiv(C.shape[0], BM)),
)
def matmul(A: xt.Array, B: xt.Array, C: xt.Array, BM: xt.constexpr, BN: xt.constexpr, BK: xt.constexpr = 32) -> None:
    """C[M, N] f32 = A[M, K] @ B[K, N]."""
    assert A.shape[1] == B.shape[0], "the columns of A are the rows of B"
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    a, b = xt.init_tile(A, (m, 0), (BM, BK)), xt.init_tile(B, (0, n), (BK, BN))
    acc = xt.zeros((BM, BN), xt.f32)
    for _ in range(0, A.shape[1], BK):
        acc = xt.tile_mma(xt.load_tile(a), xt.load_tile(b), acc)
        a, b = xt.update_tile_offset(a, (0, BK)), xt.update_tile_offset(b, (BK, 0))
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


def main() -> None:
    """Tune, look at what was found, and call."""
    rng = np.random.default_rng(0)
    a = rng.standard_normal((192, 128), dtype=np.float32).astype(np.float16)
    b = rng.standard_normal((128, 256), dtype=np.float32).astype(np.float16)

    start = perf_counter()
    c = matmul(a, b)  # measures; a call that gives BM, BN or num_subgroups itself does not
    print(f"the first call took {perf_counter() - start:.1f} s; configurations, best first:\n{matmul.table() or 'not measured'}")
    print(f"to paste, where nothing is to be measured: configs=[{matmul.best_config(a, b)!r}]")

    start = perf_counter()
    c = matmul(a, b)
    print(f"the second call took {(perf_counter() - start) * 1e3:.2f} ms")
    error = np.abs(c - a.astype(np.float64) @ b.astype(np.float64)).max()
    if not error < 1e-4:
        raise SystemExit("the result is wrong")


if __name__ == "__main__":
    main()
