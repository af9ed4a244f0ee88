"""Debug mode: kernels run on numpy, where every access is checked."""

from __future__ import annotations

from collections.abc import Iterator

from xetile.errors import ArgumentError
from xetile.runtime import devices, settings
from xetile.runtime.backend import AtBreakpoint, DeviceInfo, at_breakpoint
from xetile.runtime.within import within


@within
def debug(at: AtBreakpoint | None = None) -> Iterator[DeviceInfo]:
    """Run kernels in debug mode within a block, for the calling thread or task alone: on numpy, every access checked.

    with xt.debug():
        kernel(A, B)

    Raised at the kernel's source line, with the program's number, all kinds of LaunchError:
    OutOfBoundsError       a gather or scatter, an element `A[i, j]` or a row `A[i]` outside of its array; tiles are padded and clipped.
    UndefinedValueError    reading what nothing has written: shared local memory, outputs that `out=` allocates with `xt.empty` (until
                           then they hold NaN, integers -1); leaving elements of such an output unwritten; a division of integers
                           by zero; an index beyond 32 bits.
    RaceError              programs store different values to one element, or one reads what another one stores, with no atomics
                           and fences to put them in order; subgroups use shared local memory with no barrier between.
    DivergentBarrierError  only a part of a workgroup comes to a barrier.

    PaddingWarning tells of a reduction that gives something else without the elements outside of an array, which a load without
    `padding` gives as 0: a maximum of negative numbers, a sum of exponentials.

    Python's `breakpoint()` in a kernel stops each program that comes there, one after another, with its variables as numpy
    arrays (and `subgroup` where subgroups diverge): in the debugger that `sys.breakpointhook` starts, or in
    `at((x, y, z), variables)`. Outside of debug mode it does nothing.

    Raises ArgumentError for an `at` that is no function.

    XETILE_DEBUG=1 sets debug mode for a process. A `with xt.device(...)` of another device inside the block leaves it.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.f32)}, grid=(1,))
        def shifted(X, Y):
            i = xt.arange(4)
            xt.store_tile(xt.load_gather(xt.init_tile(X, i + 1)), xt.init_tile(Y, 0, (4,)))

        try:
            with xt.debug():
                shifted(np.ones(4, np.float32))
        except errors.LaunchError as error:
            print(type(error).__name__)

    Prints:
        OutOfBoundsError
    """
    if at is not None and not callable(at):
        raise ArgumentError(f"xt.debug({at!r}): it takes a function, which breakpoints call", hint="with xt.debug(): ...")
    token = at_breakpoint.set(at)
    try:
        with settings.override(debug=True), devices.device("numpy") as info:
            yield info
    finally:
        at_breakpoint.reset(token)
