"""Debug mode: kernels run on numpy, where every access is checked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from xetile.runtime import devices, settings
from xetile.runtime.backend import AtBreakpoint, DeviceInfo, at_breakpoint


@contextmanager
def debug(at: AtBreakpoint | None = None) -> Iterator[DeviceInfo]:
    """Run kernels in debug mode within a block, for the calling thread or task alone: on numpy, every access checked.

    with xt.debug():
        kernel(A, B)

    Raised at the kernel's source line, with the program's number: OutOfBoundsError for a gather or scatter outside of its array;
    UndefinedValueError for reading what nothing has written (shared local memory, outputs that `out=` allocates with `xt.empty`;
    both hold NaN, integers -1, until then), for a division by zero, and for an index beyond 32 bits; RaceError where programs
    store different values to one element or read what another one stores, and where subgroups use shared local memory with no
    barrier between; DivergentBarrierError where only a part of a workgroup comes to a barrier. All are kinds of LaunchError.

    Python's `breakpoint()` in a kernel stops each program that comes there, one after another, with its variables as numpy
    arrays (and `subgroup` where subgroups come there apart): in the debugger that `sys.breakpointhook` starts, or in
    `at((x, y, z), variables)`. Outside of debug mode it does
    nothing. XETILE_DEBUG=1 sets debug mode for a process. A `with xt.device(...)` of another device inside the block leaves it.
    """
    token = at_breakpoint.set(at)
    try:
        with settings.override(debug=True), devices.device("numpy") as info:
            yield info
    finally:
        at_breakpoint.reset(token)
