"""Shared local memory and barriers: what subgroups tell each other, and how not to read too early.

    python tutorials/08_shared_memory.py

Most kernels never name shared memory: where two ops want different layouts, the compiler uses it. `xt.alloc_slm` is for data that the
program itself wants to keep on the chip. Three rules:

1. What a subgroup stores, others may read after a barrier that both have passed.
2. A buffer may be written again only after a barrier behind the last read.
3. A barrier must be reached by all subgroups, or by none.

The compiler refuses what breaks rule 3; debug mode tells which of the others is broken, and where. A GPU does not: the result is
right until it is not.
"""

from collections.abc import Callable

import numpy as np

import xetile as xt
from xetile.errors import XetileError


@xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.f32)}, grid=lambda X, N: (xt.cdiv(X.shape[1], N),), num_subgroups=4)
def smoothed(X: xt.Array, Y: xt.Array, BARRIERS: xt.constexpr = 2, M: xt.constexpr = 32, N: xt.constexpr = 32) -> None:
    """Y[i] = X[i-1] + X[i] + X[i+1] by rows of X[32, N], rows outside being zero: neighbours come from shared memory.

    BARRIERS: 2 is right; 1 leaves out the one before the buffer is used again, 0 both.
    """
    assert X.shape[0] == M, "32 rows"
    n = xt.program_id(0) * N
    shared = xt.alloc_slm((M + 2, N), xt.f32)
    xt.store_tile(xt.zeros((1, N)), xt.init_tile(shared, (0, 0), (1, N)))
    xt.store_tile(xt.zeros((1, N)), xt.init_tile(shared, (M + 1, 0), (1, N)))
    x = xt.load_tile(xt.init_tile(X, (0, n), (M, N)))
    xt.store_tile(x, xt.init_tile(shared, (1, 0), (M, N)))
    if BARRIERS >= 1:
        xt.barrier()  # rule 1: the rows above and below are other subgroups'
    y = x + xt.load_tile(xt.init_tile(shared, (0, 0), (M, N))) + xt.load_tile(xt.init_tile(shared, (2, 0), (M, N)))
    if BARRIERS >= 2:
        xt.barrier()  # rule 2: the buffer is used again
    xt.store_tile(y, xt.init_tile(shared, (1, 0), (M, N)))
    xt.barrier()
    xt.store_tile(xt.load_tile(xt.init_tile(shared, (1, 0), (M, N))), xt.init_tile(Y, (0, n), (M, N)))


@xt.jit(grid=(1,), num_subgroups=4)
def halfway(X: xt.Array) -> None:
    """Rule 3 broken: only a part of the workgroup comes to the barrier."""
    if xt.subgroup_id() < 2:
        xt.barrier()
    xt.store_tile(xt.load_tile(xt.init_tile(X, (0, 0), (8, 16))), xt.init_tile(X, (0, 0), (8, 16)))


def main() -> None:
    """The right kernel on the device; the wrong ones in debug mode."""
    x = np.random.default_rng(0).integers(-9, 9, (32, 100)).astype(np.float32)
    expected = x.copy()
    expected[1:] += x[:-1]
    expected[:-1] += x[1:]
    if not (smoothed(x) == expected).all():
        raise SystemExit("the result is wrong")
    print("with both barriers: right")

    mistakes: dict[str, Callable[[], object]] = {
        "no barrier": lambda: smoothed(x, BARRIERS=0),
        "the buffer is used again too early": lambda: smoothed(x, BARRIERS=1),
        "a barrier for some": lambda: halfway(x),
    }
    for name, call in mistakes.items():
        try:
            with xt.debug():
                call()
        except XetileError as error:
            print(f"{name}: {type(error).__name__}: {error.message.splitlines()[0]}")
        else:
            raise SystemExit(f"{name}: nothing was said")


if __name__ == "__main__":
    main()
