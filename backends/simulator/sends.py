"""Sends: which unit gets what."""

from __future__ import annotations

from .atomics import ATOMICS, atomic
from .block2d import block
from .dataport import block_read, scratch_block
from .errors import UnsupportedError, ViolationError
from .isa import Instruction
from .lsc import transfer
from .messages import DATA_UNITS, FENCE, LOAD, LOAD_2D, STORE, STORE_2D, field
from .operands import mask_of
from .state import Layout, Step, Threads


def message(layout: Layout, inst: Instruction) -> Step:
    """What a send does, as a function.  Raises UnsupportedError."""
    unit, operation = inst.suffix, inst.desc & 63
    if unit == "gtwy":
        return gateway(inst)
    if unit == "dc0":
        return scratch_block(layout, inst) if field(inst.desc, 18, 1) else block_read(layout, inst)
    if unit not in DATA_UNITS:
        raise UnsupportedError(f"messages to {unit}")
    if operation == FENCE:
        return lambda t: None
    if operation in (LOAD_2D, STORE_2D):
        return block(layout, inst, store=operation == STORE_2D)
    if operation in (LOAD, STORE):
        return transfer(layout, inst, store=operation == STORE)
    if operation in ATOMICS:
        return atomic(layout, inst)
    raise UnsupportedError(f"operation {operation} of the data port")


def is_atomic(inst: Instruction) -> bool:
    """Whether a message reads and changes memory at once."""
    return inst.suffix in DATA_UNITS and inst.desc & 63 in ATOMICS


def changes_memory(inst: Instruction) -> bool:
    """Whether a message may change memory."""
    return inst.suffix != "gtwy" and (is_atomic(inst) or inst.operands[2].file == "r")


def gateway(inst: Instruction) -> Step:
    """The end of a thread, which the flow sees to, or a thread's arrival at its workgroup's barrier."""
    if inst.ends_thread:
        return lambda t: None
    if inst.desc & 7 != 4:
        raise UnsupportedError(f"gateway message {inst.desc & 7}")
    mask = mask_of(inst)

    def step(t: Threads) -> None:
        where = mask(t)
        if where is not None and not where.all():
            raise ViolationError("only some channels signal the barrier")
        t.world.signal(t.number)

    return step
