"""Messages of the old data port that IGC still writes for Xe-HPG: the arguments' block read, and scratch memory."""

from __future__ import annotations

import numpy as np

from .errors import UnsupportedError
from .isa import Instruction
from .messages import field
from .operands import mask_of
from .state import Layout, Step, Threads

STATELESS = (0xFD, 0xFF)
OWORDS = {0: 16, 1: 16, 2: 32, 3: 64, 4: 128}
SCRATCH_UNIT = 32


def block_read(layout: Layout, inst: Instruction) -> Step:
    """An aligned block of memory: the header has the offset in its third dword."""
    if field(inst.desc, 0, 8) not in STATELESS or field(inst.desc, 14, 5) not in (0, 1):
        raise UnsupportedError("this message of the old data port")
    size = OWORDS[field(inst.desc, 8, 3)]
    dst, header = inst.operands[0].reg, inst.operands[1].reg

    def step(t: Threads) -> None:
        offset = t.views["ud"][header, :, 2].astype(np.int64) + t.world.low_base
        t.world.memory.check(offset, size, store=False)
        got = t.world.memory.gather(offset[:, None] + np.arange(size), 1)
        whole = -(-size // layout.grf_bytes)
        raw = t.registers(dst, whole).copy()
        raw[:, :size] = got
        t.set_registers(dst, raw)

    return step


def scratch_block(layout: Layout, inst: Instruction) -> Step:
    """Whole registers to and from a thread's scratch memory; the offset counts 32 bytes on every device."""
    size, offset = SCRATCH_UNIT << field(inst.desc, 12, 2), field(inst.desc, 0, 12) * SCRATCH_UNIT
    store = bool(field(inst.desc, 17, 1))
    first = inst.operands[2].reg if store else inst.operands[0].reg
    count, mask = -(-size // layout.grf_bytes), mask_of(inst)

    def step(t: Threads) -> None:
        where, end = mask(t), offset + size
        scratch = t.scratch_of(end)
        registers = t.registers(first, count)
        source = registers if store else scratch[:, offset:end]
        if where is not None:
            # A dword for each channel, over and over.
            enabled = np.repeat(where, 4, axis=1)
            enabled = np.tile(enabled, (1, -(-size // enabled.shape[1])))[:, :size]
            source = np.where(enabled, source, scratch[:, offset:end] if store else registers)
        if store:
            scratch[:, offset:end] = source
        else:
            t.set_registers(first, source)

    return step
