"""Named barriers.

Where all subgroups take part, outside of branches, and wait before they arrive again, the hardware's split barrier does it
(SPV_INTEL_split_barrier: the workgroup has one, and a subgroup that arrives twice would count as two).  A subgroup that is alone
waits for nobody.  Elsewhere subgroups count arrivals in shared local memory and spin: this driver has no instruction for the
hardware's named barriers, and does the same for SPIR-V's.  That needs subgroups which go on independently of each other, as a
GPU's do: `Emitted.spins`.
"""

from __future__ import annotations

from xetile.dialects import scf, xegpu
from xetile.dialects.arith import constant_of
from xetile.dialects.types import I32
from xetile.ir.core import Block
from xetile.ir.interfaces import enclosing
from xetile.records import dataclass
from xetile.runtime.artifact import SPINS

from ..module.encode import Id
from .cast import extend
from .emitter import Counters, Emitter
from .flow import branch
from .table import emits
from .values import Fragment

_HALVES = (xegpu.NbarrierArrive, xegpu.NbarrierWait)


@dataclass(frozen=True)
class Named:
    """A named barrier: its number and how many subgroups meet, as i32."""

    number: Id
    participants: Id


@emits(xegpu.AllocNbarrier)
def emit_alloc(e: Emitter, op: xegpu.AllocNbarrier) -> None:
    """Counters, if any barrier needs them, set to zero before anyone goes on."""
    barriers = [o for o in e.kernel.walk() if isinstance(o, _HALVES)]
    if e.num_subgroups == 1 or (all(_is_split(e, barrier) for barrier in barriers) and _by_turns(e.kernel.body, ()) == ()):
        return
    count = op.nbarrier_num
    kind = e.type.array(e.i32, count)
    e.slm_bytes += 4 * count
    e.spins = True
    e.module.processed(SPINS)
    e.counters = Counters(e.function.workgroup_variable(kind, "arrived"), e.function.variable(kind, "waited"))
    item = e.emit("OpUConvert", e.i32, e.function.builtin("LocalInvocationIndex"))
    for number in range(count):
        e.emit("OpStore", _element(e, "Function", e.counters.waited, e.number(number)), e.number(0))
    with branch(e, e.emit("OpULessThan", e.bool, item, e.number(count))):
        e.emit("OpStore", _element(e, "Workgroup", e.counters.arrived, item), e.number(0))
    e.block.control_barrier("Workgroup", "Workgroup", "AcquireRelease|WorkgroupMemory")


def _element(e: Emitter, storage: str, array: Id, number: Id) -> Id:
    return e.emit("OpInBoundsAccessChain", e.pointer(storage, e.i32), array, number)


@emits(xegpu.InitNbarrier)
def emit_init(e: Emitter, op: xegpu.InitNbarrier) -> Named:
    """A handle."""
    number, participants = (_as_i32(e, v) for v in (e[op.nbarrier_id], e[op.participant_thread_num]))
    return Named(number, participants)


def _as_i32(e: Emitter, value: Fragment) -> Id:
    return extend(e, value, I32, signed=False).scalar(e)


def _is_split(e: Emitter, op: xegpu.NbarrierArrive | xegpu.NbarrierWait) -> bool:
    """Whether all subgroups come to this very op."""
    return (
        isinstance(op.nbarrier.op, xegpu.InitNbarrier)
        and constant_of(op.nbarrier.op.participant_thread_num) == e.num_subgroups
        and not any(isinstance(outer, (scf.If, scf.While)) for outer in enclosing(op))
    )


def _by_turns(block: Block, waiting: tuple[object, ...]) -> tuple[object, ...] | None:
    """The barrier, if any, that subgroups have arrived at and not waited for, behind a block; None where they arrive or wait out of turn."""
    for op in block.ops:
        if isinstance(op, xegpu.NbarrierArrive) and not waiting:
            waiting = (_which(op),)
        elif isinstance(op, xegpu.NbarrierWait) and waiting == (_which(op),):
            waiting = ()
        elif isinstance(op, _HALVES) or any(_by_turns(region, waiting) != waiting for region in op.regions):
            return None
    return waiting


def _which(op: xegpu.NbarrierArrive | xegpu.NbarrierWait) -> object:
    made = op.nbarrier.op
    number = made.nbarrier_id if isinstance(made, xegpu.InitNbarrier) else op.nbarrier
    known = constant_of(number)
    return number if known is None else known


@emits(xegpu.NbarrierArrive)
def emit_arrive(e: Emitter, op: xegpu.NbarrierArrive) -> None:
    """One lane counts; what was written before is seen by those that wait."""
    if e.counters is None:
        return _fence(e, "Release") if e.num_subgroups == 1 else _half(e, "Arrive", "Release")
    barrier: Named = e[op.nbarrier]
    _fence(e, "Release")
    lane = e.lane
    with branch(e, e.emit("OpIEqual", e.bool, lane, e.number(0))):
        arrived = _element(e, "Workgroup", e.counters.arrived, barrier.number)
        e.emit("OpAtomicIAdd", e.i32, arrived, e.module.scope("Workgroup"), e.number(0), e.number(1))
    return None


@emits(xegpu.NbarrierWait)
def emit_wait(e: Emitter, op: xegpu.NbarrierWait) -> None:
    """One's n-th wait ends after n times as many arrivals as there are participants."""
    if e.counters is None:
        return _fence(e, "Acquire") if e.num_subgroups == 1 else _half(e, "Wait", "Acquire")
    barrier: Named = e[op.nbarrier]
    mine = _element(e, "Function", e.counters.waited, barrier.number)
    phase = e.add(e.i32, e.load_here(e.i32, mine), e.number(1))
    e.emit("OpStore", mine, phase)
    needed = e.emit("OpIMul", e.i32, phase, barrier.participants)
    _spin(e, _element(e, "Workgroup", e.counters.arrived, barrier.number), needed)
    return _fence(e, "Acquire")


def _spin(e: Emitter, counter: Id, needed: Id) -> None:
    header, test, again, done = (e.function.block(name) for name in ("spin", "look", "again", "opened"))
    e.block.branch(header)
    e.enter(header)
    header.loop_merge(done, again, "DontUnroll")
    header.branch(test)
    e.enter(test)
    seen = e.emit("OpAtomicLoad", e.i32, counter, e.module.scope("Workgroup"), e.number(0))
    test.branch_if(e.emit("OpULessThan", e.bool, seen, needed), again, done)
    e.enter(again)
    again.branch(header)
    e.enter(done)


def _half(e: Emitter, half: str, order: str) -> None:
    semantics = e.module.semantics(f"{order}|WorkgroupMemory|CrossWorkgroupMemory")
    e.emit(f"OpControlBarrier{half}INTEL", e.module.scope("Workgroup"), e.module.scope("Workgroup"), semantics)


def _fence(e: Emitter, order: str) -> None:
    e.emit("OpMemoryBarrier", e.module.scope("Workgroup"), e.module.semantics(f"{order}|WorkgroupMemory|CrossWorkgroupMemory"))
