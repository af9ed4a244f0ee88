"""What a compiled kernel asks of the hardware, counted in the compiler: registers, messages, matrix products.

`estimate(kernel, target)` reads the kernel at lane level.  storage.py says where values lie, pressure.py how many live at once,
work.py what each loop does, expressions.py what addresses and trip counts are made of; record.py is the result.
"""

from __future__ import annotations

from math import inf

from xetile.dialects.gpu import Alloca, GpuFunc
from xetile.estimate.expressions import constant
from xetile.estimate.pressure import needs, peak
from xetile.estimate.record import Estimate, Held
from xetile.estimate.registers import (
    EARLY,
    emitted_bytes,
    fullness,
    gathers_memory,
    held,
    least,
    least_bytes,
    needed,
    ordered_bytes,
    saving_orders,
    scheduled,
)
from xetile.estimate.starts import early_loops
from xetile.estimate.storage import REORDERS_WITHIN, storage_of
from xetile.estimate.work import Message, Section, work_of
from xetile.target import Target


def estimate(kernel: GpuFunc, target: Target, *, whole: bool = True) -> Estimate:
    """The estimate of a kernel at lane level, in the register mode that it was given.  Changes nothing.

    whole: with messages, arithmetic and the registers that IGC takes of those that are there; who asks what spills needs none of that.
    """
    registers = kernel.grf or max((mode.registers for mode in target.grf_modes), default=0)
    size = target.grf_bytes
    work = work_of(kernel, target) if whole else Section("kernel", constant(1))
    slm, ops = sum(_bytes(op) for op in kernel.find(Alloca)), sum(1 for _ in kernel.walk())
    if not size:
        return Estimate(kernel.sym_name, target.name, registers, size, 0, 0, 0, slm, ops, (), work)
    lowest, storage = least(kernel, target), storage_of(kernel, target)
    some = needed(kernel, target, storage, lowest.bytes)
    need = scheduled(kernel, target, registers, some)
    spilled = target.spilled_bytes(round(need), registers)
    room = target.grf_capacity(registers) - target.grf_overhead * size
    taken = ordered_bytes(kernel, target, registers, ahead=room) if whole else need
    if spilled:
        taken = max(taken, (registers - target.grf_overhead) * size)
    elif need < some:  # IGC puts off what makes a block too full until it fits: it ends between the two
        taken = (need + (registers - REORDERS_WITHIN) * size) / 2
    elif taken > some:
        taken = max(some + (taken - some) * EARLY, min(taken, emitted_bytes(kernel, target, registers)))
    return Estimate(
        kernel.sym_name, target.name, registers, size, _registers(taken, target),
        _registers(need if spilled else min(some, need, taken), target), spilled, slm, ops, held(lowest, kernel, storage), work,
    )  # fmt: skip


def least_registers(kernel: GpuFunc, target: Target) -> int:
    """`Estimate.least` alone; 0 where registers are the matter of the target's compiler."""
    return estimate(kernel, target, whole=False).least


def taken_bytes(kernel: GpuFunc, target: Target, registers: int, most: float, *, assembly: bool = False) -> float:
    """Bytes that a kernel takes in a mode of so many registers, as it is written and as IGC orders it, whichever is less.

    Up to `most` it may be more than that.  `assembly`: see `pressure.peak`.
    """
    beside = target.grf_overhead * target.grf_bytes
    if gathers_memory(kernel, target):  # IGC packs what lanes load by themselves
        return 0
    storage = storage_of(kernel, target)
    if assembly:
        written = peak(kernel.body, storage, inf, assembly=True).bytes + beside
    else:
        written = max(needs(kernel.body, storage).values(), default=0) + beside
    return written if written <= most else min(written, ordered_bytes(kernel, target, registers, assembly=assembly) + beside)


def _registers(size: float, target: Target) -> int:
    return round(size / target.grf_bytes) + target.grf_overhead


def _bytes(op: Alloca) -> int:
    kind = op.result.type
    return kind.count * kind.element.bits // 8


__all__ = [
    "Estimate", "Held", "Message", "Section", "early_loops", "estimate", "fullness", "least_bytes", "least_registers",
    "saving_orders", "scheduled", "taken_bytes",
]  # fmt: skip
