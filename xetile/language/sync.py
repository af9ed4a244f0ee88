"""Synchronisation of the subgroups of a workgroup: barriers and fences."""

from __future__ import annotations

from typing import Any

from xetile import dtypes
from xetile.dialects import gpu, xegpu
from xetile.errors import CompileError
from xetile.ir.core import Value as IRValue
from xetile.language.context import current
from xetile.language.elementwise import as_value
from xetile.language.values import Value, describe


def barrier() -> None:
    """All subgroups of the workgroup wait here for each other; what they wrote before to shared local memory is seen after.

    Must be reached by all of them: the conditions and loops around it may not depend on `subgroup_id`.
    """
    current().build(gpu.Barrier)


def barrier_arrive() -> None:
    """First half of a split barrier: say that this subgroup has come so far, and go on. Each arrival needs one `barrier_wait`."""
    current().build(gpu.BarrierArrive)


def barrier_wait() -> None:
    """Second half of a split barrier: wait until all subgroups have arrived."""
    current().build(gpu.BarrierWait)


_KINDS = ("slm", "global")
_SCOPES = ("workgroup", "gpu")


def fence(memory: str = "slm", scope: str = "workgroup") -> None:
    """Order accesses: what was written to `memory` ("slm" or "global") before is seen before what comes after.

    scope   "workgroup" or "gpu": who sees it so. Raises CompileError for other words.
    """
    if memory not in _KINDS or scope not in _SCOPES:
        raise CompileError(f"fence({memory!r}, {scope!r})", hint='memory is "slm" or "global", scope is "workgroup" or "gpu"')
    current().build(xegpu.Fence, memory_kind=memory, fence_scope=scope)


class NamedBarrier:
    """A barrier of a number of subgroups: `arrive()` says that this one has come so far, `wait()` waits for the others."""

    def __init__(self, ir: IRValue) -> None:
        self.ir = ir

    def arrive(self) -> None:
        """Say that this subgroup has come so far, and go on."""
        current().build(xegpu.NbarrierArrive, self.ir)

    def wait(self) -> None:
        """Wait until all participants have arrived."""
        current().build(xegpu.NbarrierWait, self.ir)


def alloc_named_barriers(count: int) -> None:
    """Reserve named barriers for the workgroup; once, at the head of the kernel. Raises CompileError for what is no number."""
    if not isinstance(count, int) or count < 1:
        raise CompileError(f"alloc_named_barriers({describe(count)}): the number must be a positive constant")
    current().build(xegpu.AllocNbarrier, nbarrier_num=count)


def named_barrier(number: Any, participants: Any) -> NamedBarrier:
    """Join the named barrier `number` (0 is the first) of so many participating subgroups.

    Raises CompileError where these are no integers.
    """
    operands = []
    for what, given, dtype in (("number", number, dtypes.i8), ("participants", participants, dtypes.i8)):
        value = as_value(given, dtype)
        if not isinstance(value, Value) or value.shape or value.dtype.kind not in "iun":
            raise CompileError(f"named_barrier: {what} is {describe(given)}, not an integer")
        operands.append(value.to(dtype).ir)
    return NamedBarrier(current().build(xegpu.InitNbarrier, *operands))
