"""Debugging: print, look at values, and let the interpreter find what hardware hides.

    python tutorials/05_debugging.py

A GPU does not say that a kernel reads past an array, that two programs write one element, or that a barrier is missing: results are
wrong, sometimes. In debug mode kernels run on numpy, every access is checked, and the first mistake is an error that names the
program and shows the source line (for races both lines):

    with xt.debug():                  # for a block of code
    XETILE_DEBUG=1 python ...         # for a process

Debug mode is slow; without it the same numpy device is fast enough to work with. Both give the kernel's exact arithmetic: values
round to f16, bf16 or f8 where the kernel says so, and integers wrap around.
"""

from typing import Any

import numpy as np

import xetile as xt
from xetile.errors import KernelAssertionError, LaunchError

# 1. Look at values. `breakpoint()` stops each program that comes there, with the kernel's variables as numpy arrays: in pdb, or in the
#    function that xt.debug is given. Outside of debug mode it does nothing, on any device.


@xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.f32)}, grid=lambda X, BM: (xt.cdiv(X.shape[0], BM),))
def normalized(X: xt.Array, Y: xt.Array, BM: xt.constexpr = 4, BN: xt.constexpr = 32) -> None:
    """Y = X / sum by rows of BN elements."""
    at = (xt.program_id(0) * BM, 0)
    x = xt.load_tile(xt.init_tile(X, at, (BM, BN)))
    total = xt.sum(x, axis=1)
    if xt.program_id(0) == 1:
        breakpoint()
    xt.store_tile(x / total, xt.init_tile(Y, at, (BM, BN)))


def look(program: tuple[int, int, int], variables: dict[str, Any]) -> None:
    """What happens at the breakpoint; without it, pdb starts, and `p total`, `p x.max()` and so on work as in any function."""
    print(f"program {program}: x is {variables['x'].shape}, the sums of its rows are {variables['total'].ravel()}")


# 2. Print. `device_print` takes scalars, on every device, and on numpy whole tiles; programs print in the order in which they run.


@xt.jit(grid=(3,))
def printing(X: xt.Array, BN: xt.constexpr = 32) -> None:
    """Print the largest element of three tiles."""
    x = xt.load_tile(xt.init_tile(X, (xt.program_id(0), 0), (1, BN)))
    xt.device_print("row", xt.program_id(0), "has maximum", xt.max(x))


# 3. Mistakes, each with what debug mode says.


@xt.jit(grid=(2,))
def shifted(X: xt.Array, Y: xt.Array, BN: xt.constexpr = 64) -> None:
    """Y[i] = X[i + 1]: the last element has no successor. Loads of tiles pad; gathers go where they are told."""
    i = xt.program_id(0) * BN + xt.arange(BN)
    xt.store_tile(xt.load_gather(xt.init_tile(X, i + 1)), xt.init_tile(Y, xt.program_id(0) * BN, (BN,)))


@xt.jit(grid=(4,))
def histogram(X: xt.Array, Counts: xt.Array, BN: xt.constexpr = 32) -> None:
    """Counts += 1 where X says: without atomics programs overwrite each other's counts."""
    x = xt.load_tile(xt.init_tile(X, xt.program_id(0) * BN, (BN,)))
    bins = xt.init_tile(Counts, x.to(xt.index))
    xt.store_scatter(xt.load_gather(bins) + 1, bins)


@xt.jit(grid=(1,), num_subgroups=4)
def transposed(X: xt.Array, Y: xt.Array, S: xt.constexpr = 32) -> None:
    """Y = X.T through shared local memory: what a subgroup reads, others have written, and nothing makes it wait for them."""
    shared = xt.alloc_slm((S, S), xt.f32)
    xt.store_tile(xt.load_tile(xt.init_tile(X, (0, 0), (S, S))), xt.init_tile(shared, (0, 0), (S, S)))
    xt.store_tile(xt.load_tile(xt.init_tile(shared.T, (0, 0), (S, S))), xt.init_tile(Y, (0, 0), (S, S)))


@xt.jit(out={"Total": lambda X: xt.empty((1,), xt.f32)}, grid=(4,))
def summed(X: xt.Array, Total: xt.Array, BN: xt.constexpr = 32) -> None:
    """Total = sum of X, added up in an output that nobody has set to zero."""
    x = xt.load_tile(xt.init_tile(X, xt.program_id(0) * BN, (BN,)))
    xt.atomic_rmw_tile("add", xt.full((1,), 1.0, xt.f32) * xt.sum(x), xt.init_tile(Total, 0, (1,)))


@xt.jit(grid=(4,))
def checked(X: xt.Array, BN: xt.constexpr = 32) -> None:
    """`device_assert` states what a kernel relies on; on every device, debug mode or not."""
    x = xt.load_tile(xt.init_tile(X, xt.program_id(0) * BN, (BN,)))
    xt.device_assert(x < 100, "X holds small numbers only")


def report(kernel: Any, *arrays: Any) -> None:
    """Run a kernel in debug mode and print the mistake that it finds."""
    try:
        with xt.debug():
            kernel(*arrays)
    except (LaunchError, KernelAssertionError) as error:
        print(f"\n{kernel.__name__}: {type(error).__name__}: {error}")
        return
    raise SystemExit(f"{kernel.__name__}: debug mode found nothing")


def main() -> None:
    """Look at values, print, and find five mistakes."""
    rows, line = np.arange(256, dtype=np.float32).reshape(8, 32), np.arange(128, dtype=np.float32)

    with xt.debug(at=look):
        normalized(rows)
    with xt.device("numpy"):
        printing(rows)

    report(shifted, line, np.zeros(128, np.float32))
    report(histogram, np.zeros(128, np.int32), np.zeros(10, np.int32))
    report(transposed, np.eye(32, dtype=np.float32), np.zeros((32, 32), np.float32))
    report(summed, line)
    report(checked, line)


if __name__ == "__main__":
    main()
