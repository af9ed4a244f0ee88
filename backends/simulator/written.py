"""Registers that are read before anything wrote them: watched in each execution of an instruction, for the channels it works on.

A move of bits hands on what is unknown (IGC moves whole registers of which parts are used), and so does arithmetic of all channels,
active or not (IGC works out by it what one channel, or the active ones, need); anything else that reads it is an error.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .block2d import stored_bytes
from .errors import ViolationError
from .isa import SENDS, Array, Instruction, Operand
from .matrix import dimensions
from .messages import ADDRESSES, DATA, FENCE, LOAD, LOAD_2D, SS, STORE, STORE_2D, VECTORS, answer_registers, field, lane_registers
from .operands import indirect_places, mask_of, region
from .state import Layout, Mask, Step, Threads

BLOCK_PAYLOAD = 32
CARRY = 4  # bytes of an accumulator's channel that `addc` and `subb` write


class Bytes:
    """Bytes of an operand: rows of the file and columns, channels by bytes."""

    def __init__(self, rows: Array, columns: Array) -> None:
        self.rows, self.columns = rows, columns

    def known(self, t: Threads) -> Array:
        """Which channels' bytes have all been written, threads by channels."""
        assert t.written is not None
        made: Array = t.written[self.rows, :, self.columns].all(1).T
        return made

    def known_bytes(self, t: Threads) -> Array:
        """Which bytes have been written: channels, bytes, threads."""
        assert t.written is not None
        made: Array = t.written[self.rows, :, self.columns]
        return made

    def note(self, t: Threads, where: Mask, known: Array | bool = True) -> None:
        """These have been written now, where the mask holds: all, or those known (of channels, bytes and threads)."""
        assert t.written is not None
        if where is None and known is True:
            t.written[self.rows, :, self.columns] = True
            return
        mask = True if where is None else where.T[:, None, :]
        t.written[self.rows, :, self.columns] = np.where(mask, known, self.known_bytes(t))

    def first_unknown(self, bad: Array, t: Threads) -> str:
        """The first register that nobody wrote, in words."""
        thread, channel = (int(i[0]) for i in np.nonzero(bad))
        byte = int(np.argmin(self.known_bytes(t)[channel, :, thread]))
        return (
            f"thread {int(t.number[thread])}, channel {channel}: r{self.rows[channel, byte]}, byte {self.columns[channel, byte]}"
        )


class BlockBytes(Bytes):
    """What a 2D block store takes of its registers: short rows leave some of them."""

    def __init__(self, layout: Layout, inst: Instruction) -> None:
        self.taken, self.layout, self.first = stored_bytes(layout, inst), layout, inst.operands[2].reg
        super().__init__(np.zeros((1, 1), int), np.zeros((1, 1), int))

    def known(self, t: Threads) -> Array:
        """Whether all bytes have been written, for each thread."""
        flat = self.first * self.layout.grf_bytes + self.taken(t)[None, :]
        self.rows, self.columns = flat // self.layout.grf_bytes, flat % self.layout.grf_bytes
        return super().known(t)


class IndirectBytes(Bytes):
    """Bytes where an address register says."""

    def __init__(self, layout: Layout, operand: Operand, width: int) -> None:
        self.places, self.size = indirect_places(layout, operand, width), operand.dtype.itemsize
        super().__init__(np.zeros((width, 1), int), np.zeros((width, 1), int))

    def known(self, t: Threads) -> Array:
        """Which channels' bytes have all been written, threads by channels."""
        assert t.written is not None
        rows, columns = self.places(t)
        at = columns[..., None] * self.size + np.arange(self.size)
        made: Array = np.asarray(t.written[rows[..., None], np.arange(t.count)[:, None, None], at].all(2))
        return made

    def first_unknown(self, bad: Array, t: Threads) -> str:
        """The first register that nobody wrote, in words."""
        thread, channel = (int(i[0]) for i in np.nonzero(bad))
        return f"thread {int(t.number[thread])}, channel {channel}: r{int(self.places(t)[0][thread, channel])}, by an address register"


def _operand(layout: Layout, operand: Operand, width: int) -> Bytes | None:
    if operand.indirect is not None:
        return IndirectBytes(layout, operand, width)
    if operand.file not in ("r", "acc") or not operand.type:
        return None
    found, size = region(layout, operand, width), operand.dtype.itemsize
    rows = np.repeat((found.shape.rows + found.row)[:, None], size, axis=1)
    return Bytes(rows, found.shape.columns[:, None] * size + np.arange(size))


def _span(layout: Layout, first: int, lanes: int, size: int, at: int = 0) -> Bytes:
    """`lanes` elements of `size` bytes side by side from a register on."""
    flat = first * layout.grf_bytes + at + np.arange(lanes * size).reshape(lanes, size)
    return Bytes(flat // layout.grf_bytes, flat % layout.grf_bytes)


def watched(layout: Layout, inst: Instruction, step: Step) -> Step:
    """The step, with its reads checked and its writes noted."""
    if inst.opcode in SENDS:
        return _send(layout, inst, step)
    if not inst.operands:
        return step
    dst, sources = inst.operands[0], inst.operands[1:]
    if inst.opcode == "dpas":
        reads, writes = _dpas(layout, inst)
    else:
        reads = [found for s in sources if (found := _operand(layout, s, inst.width)) is not None]
        made = None if dst.indirect is not None else _operand(layout, dst, inst.width)
        writes = [] if made is None else [made]
        if "AccWrEn" in inst.swsb:  # carries and borrows
            writes.append(_span(layout, 0, inst.width, CARRY, layout.place(replace(dst, file="acc", reg=0, sub=0))))
    # Moves to null only wait for registers (IGC's workarounds), whatever is in them.
    if (dst.file == "null" and inst.opcode == "mov") or spoils(inst) or _asks_which_are_active(inst):
        reads = []
    enabled = (lambda t: None) if inst.opcode == "dpas" else mask_of(inst, predicated=inst.opcode != "sel")
    moves = (
        inst.opcode == "mov"
        and dst.file == "r"
        and bool(reads)
        and bool(writes)
        and dst.dtype.itemsize == sources[0].dtype.itemsize
    )

    same_bytes = moves and dst.type == sources[0].type and type(reads[0]) is Bytes
    hands_on = moves or (inst.nomask and inst.opcode != "dpas" and bool(reads) and bool(writes))

    def run(t: Threads) -> None:
        where = enabled(t)
        if hands_on:
            known = reads[0].known_bytes(t) if same_bytes else _all_known(reads, t)
            step(t)
            for made_now in writes:
                made_now.note(t, where, known)
            return
        for found in reads:
            _check(found, t, where)
        step(t)
        for found in writes:
            found.note(t, where)

    return run


def _all_known(reads: list[Bytes], t: Threads) -> Array:
    """Channels of which every operand has been written: channels, bytes, threads."""
    known = [np.broadcast_to(found.known(t), (t.count, found.rows.shape[0])) for found in reads]
    made: Array = np.logical_and.reduce(known).T[:, None, :]
    return made


def _check(found: Bytes, t: Threads, where: Mask) -> None:
    known = found.known(t)
    bad = ~known if where is None else ~known & where
    if bad.any():
        raise ViolationError(f"a register is read that nothing has written: {found.first_unknown(bad, t)}")


def spoils(inst: Instruction) -> bool:
    """IGC's workaround for DG2: a dpas that multiplies some registers by themselves, right before the one that matters."""
    if inst.opcode != "dpas":
        return False
    _, src0, src1, src2 = inst.operands
    return src0.file == "null" and src1.reg == src2.reg and "Atomic" in inst.swsb


def _asks_which_are_active(inst: Instruction) -> bool:
    """A comparison of an integer with itself, whatever it is: IGC's way to a flag of all channels that are active."""
    sources = inst.operands[1:]
    return inst.opcode == "cmp" and sources[0] == sources[1] and sources[0].dtype.kind in "iu"


def _dpas(layout: Layout, inst: Instruction) -> tuple[list[Bytes], list[Bytes]]:
    dst, src0, src1, src2 = inst.operands
    depth, repeat = dimensions(inst)

    def span(operand: Operand, size: int) -> Bytes:
        return _span(layout, 0, 1, size, layout.place(operand))

    count = repeat * inst.width
    reads = [span(src1, depth * inst.width * 4), span(src2, repeat * depth * 4)]
    if src0.file != "null":
        reads.append(span(src0, count * src0.dtype.itemsize))
    return reads, [span(dst, count * dst.dtype.itemsize)]


def _send(layout: Layout, inst: Instruction, step: Step) -> Step:
    """Addresses and data that go out are checked lane by lane; what comes back counts as written."""
    dst, enabled = inst.operands[0], mask_of(inst)
    payload = _payload(layout, inst)
    answer = _span(layout, dst.reg, answer_registers(inst), layout.grf_bytes) if dst.file == "r" else None

    def run(t: Threads) -> None:
        where = enabled(t)
        for found, by_lane in payload:
            _check(found, t, where if where is None or by_lane else np.asarray(where.any(1, keepdims=True)))
        step(t)
        if answer is not None:
            answer.note(
                t, None if where is None else np.broadcast_to(where.any(1, keepdims=True), (t.count, answer.rows.shape[0]))
            )

    return run


def _payload(layout: Layout, inst: Instruction) -> list[tuple[Bytes, bool]]:
    """What a message sends, and whether lane by lane."""
    operation, (_, address, data) = inst.desc & 63, inst.operands
    if inst.suffix not in ("ugm", "ugml", "slm") or operation == FENCE:
        return []
    if operation in (LOAD_2D, STORE_2D):
        found = [(_span(layout, address.reg, 1, BLOCK_PAYLOAD), False)]
        if data.file == "r":
            found.append((BlockBytes(layout, inst), False))
        return found
    transposed = operation in (LOAD, STORE) and bool(field(inst.desc, 15, 1))
    lanes = 1 if transposed else inst.width
    found = [(_span(layout, address.reg, lanes, ADDRESSES[field(inst.desc, 7, 2)].itemsize), not transposed)]
    # Spilled registers of which parts are used; what is filled counts as written.
    spilled = inst.suffix != "slm" and field(inst.desc, 29, 2) == SS
    if data.file != "r" or spilled:
        return found
    wide = DATA[field(inst.desc, 9, 3)][1]
    if transposed:
        return [*found, (_span(layout, data.reg, 1, VECTORS[field(inst.desc, 12, 3)] * wide), False)]
    each = lane_registers(layout, lanes, wide)
    return [*found, *((_span(layout, data.reg + i, lanes, wide), True) for i in range(0, data.length or 0, each))]
