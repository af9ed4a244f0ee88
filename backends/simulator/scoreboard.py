"""The software scoreboard, checked along the path of a thread: does each instruction wait for what it needs?

Sends and dpas (and math on Xe-HPG) finish out of order: they set a token `$n`; until `$n.dst` is waited for nobody may touch what they
write, until `$n.src` nobody may overwrite what they read.  Other instructions go in order through pipes (I: integer, F: float, L: 64
bits, M: math); a reader soon behind must wait by distance (`F@2`).  Flags, accumulators and address registers are left to the hardware.

How long results of a pipe take is not published: IN_FLIGHT is what distances can express.  That a unit reads the registers of its
instructions in their order, and how a dpas macro counts, is inferred from IGC's code.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from functools import cache, lru_cache
from typing import NamedTuple

from xetile.records import dataclass

from .errors import ViolationError
from .isa import BRANCHES, SENDS, XE_HPG, Instruction, Operand
from .matrix import dimensions
from .messages import LOAD_2D, STORE_2D, answer_registers
from .messages import field as bits_of
from .operands import region
from .state import Layout
from .written import BLOCK_PAYLOAD, spoils

IN_FLIGHT = 7
"""In-order results this many instructions of their pipe back are taken to be there (distances cannot say more)."""
PIPES = "IFLM"
TOKENS = 32
ALL = -1
"""Channels, as bits: all of them."""
TOKEN = re.compile(r"^\$(\d+)(?:\.(src|dst))?$")
DISTANCE = re.compile(r"^([AFILM])?@(\d)$")


class Use(NamedTuple):
    """What an instruction does with registers, and how it runs.

    reads, writes  registers, as bits of a number (`bytes_of` says which of their bytes).  pipe: "I", "F", "L", "M", or "" for out of order.
    token          that it sets; waits: tokens and for what; distances: pipes and how far back.
    macro          another dpas of the same macro follows.
    """

    reads: int
    writes: int
    pipe: str
    unit: str
    token: int | None
    waits: tuple[tuple[int, str], ...]
    distances: tuple[tuple[str, int], ...]
    macro: bool


Occupied = tuple[int, int, str, str]
"""Registers that are read and written, pipe and unit: what does not follow from the words in an instruction's braces."""


def occupied(layout: Layout, inst: Instruction) -> Occupied:
    """What an instruction occupies."""
    unit = f"send.{inst.suffix}" if inst.opcode in SENDS else inst.opcode
    return *_registers(layout, inst, layout.grf_bytes), _pipe(layout, inst), unit


def use_of(layout: Layout, inst: Instruction, known: Occupied | None = None) -> Use:
    """Registers, pipe, and what is waited for.  `known`: what it occupies."""
    token, waits, distances = _named(inst.swsb)
    if inst.opcode == "sync" and inst.suffix in ("allwr", "allrd"):
        numbers = re.findall(r"\$(\d+)", inst.sync) or range(TOKENS)
        waits += tuple((int(n), "dst" if inst.suffix == "allwr" else "src") for n in numbers)
    return Use(*(known or occupied(layout, inst)), token, waits, distances, "Atomic" in inst.swsb)


def bytes_of(layout: Layout, inst: Instruction, active: int = ALL) -> tuple[int, int]:
    """Bytes of the register file that an instruction reads and writes with some active channels, as bits of numbers."""
    return _registers(layout, inst, 1, ALL if inst.nomask else active >> inst.channel)


@lru_cache(maxsize=4096)
def _named(swsb: tuple[str, ...]) -> tuple[int | None, tuple[tuple[int, str], ...], tuple[tuple[str, int], ...]]:
    """Of the items in an instruction's braces: the token that it sets, tokens that it waits for, and distances."""
    token, waits, distances = None, [], []
    for item in swsb:
        if found := TOKEN.match(item):
            if found[2]:
                waits.append((int(found[1]), found[2]))
            else:
                token = int(found[1])
        elif found := DISTANCE.match(item):
            distances.append((found[1] or "A", int(found[2])))
    return token, tuple(waits), tuple(distances)


def _pipe(layout: Layout, inst: Instruction) -> str:
    if inst.opcode in BRANCHES:  # IGC counts jumps that are not taken
        return "I"
    if inst.opcode in SENDS or inst.opcode in ("dpas", "sync", "nop", "illegal") or not inst.operands:
        return ""
    if inst.opcode == "math":
        return "" if layout.target in XE_HPG else "M"
    types = [o.type for o in inst.operands if o.type]
    dst = inst.operands[0].type or (types[0] if types else "ud")
    # The destination decides, as IGC's distances behind conversions show.
    return {"df": "L", "f": "F", "hf": "F", "bf": "F", "tf32": "F"}.get(dst, "I")


def _bits(start: int, size: int) -> int:
    return ((1 << size) - 1) << start


def _registers(layout: Layout, inst: Instruction, unit: int, active: int = ALL) -> tuple[int, int]:
    """What is read and written, in pieces of `unit` bytes: registers, or bytes, of some channels alone."""
    if inst.opcode in SENDS:
        return _sent(layout.grf_bytes, inst, unit)
    if inst.opcode == "dpas":
        return _multiplied(layout, inst, unit)
    if not inst.operands:
        return 0, 0
    reads, first = 0, inst.operands[0]
    # A move to null only waits.
    if not (inst.opcode == "mov" and first.file == "null"):
        for operand in inst.operands[1:]:
            reads |= _touched(layout, operand, inst.width, unit, active)
    return reads, _touched(layout, first, inst.width, unit, active)


def _sent(grf: int, inst: Instruction, unit: int) -> tuple[int, int]:
    dst, address, data = inst.operands
    reads = writes = 0
    size = bits_of(inst.desc, 25, 4) * grf
    if inst.suffix == "ugm" and inst.desc & 63 in (LOAD_2D, STORE_2D):
        size = min(size, BLOCK_PAYLOAD)
    if dst.file == "r":
        writes = _span(dst.reg * grf, answer_registers(inst) * grf, unit)
    if address.file == "r":
        reads = _span(address.reg * grf, size, unit)
    if data.file == "r":
        reads |= _span(data.reg * grf, (data.length or 0) * grf, unit)
    return reads, writes


def _multiplied(layout: Layout, inst: Instruction, unit: int) -> tuple[int, int]:
    if spoils(inst):
        return 0, 0
    src0, count = inst.operands[1], dimensions(inst)[1] * inst.width
    (left, right), writes = _factors(layout, inst, unit)
    old = _span(layout.place(src0), count * src0.dtype.itemsize, unit) if src0.file == "r" else 0
    return left | right | old, writes


def registers_of_product(layout: Layout, inst: Instruction) -> tuple[tuple[int, int], int]:
    """Registers of src2 and of src1 of a `dpas`, and those that it writes, one that spoils its destination too."""
    return _factors(layout, inst, layout.grf_bytes)


def _factors(layout: Layout, inst: Instruction, unit: int) -> tuple[tuple[int, int], int]:
    dst, _, src1, src2 = inst.operands
    depth, repeat = dimensions(inst)
    left, right = _span(layout.place(src2), repeat * depth * 4, unit), _span(layout.place(src1), depth * inst.width * 4, unit)
    return (left, right), _span(layout.place(dst), repeat * inst.width * dst.dtype.itemsize, unit)


def _span(start: int, size: int, unit: int) -> int:
    """Pieces of so many bytes from one on."""
    return _bits(start // unit, (start + size - 1) // unit - start // unit + 1) if size else 0


def _touched(layout: Layout, operand: Operand, width: int, unit: int, active: int) -> int:
    """Pieces of an operand."""
    if operand.file != "r" or operand.indirect is not None:
        return 0
    if unit == 1:
        chosen = active & (1 << width) - 1
        return _pattern(operand.region, width, operand.dtype.itemsize, chosen) << layout.place(operand)
    found = region(layout, operand, width)
    return found.shape.touched << found.row


@lru_cache(maxsize=4096)
def _pattern(region: tuple[int, int, int] | None, width: int, size: int, active: int) -> int:
    """Bytes of a region's elements for active channels, from the first one on."""
    out = 0
    for channel, offset in enumerate(Operand("r", region=region).offsets(width)):
        if active >> channel & 1:
            out |= _bits(offset * size, size)
    return out


@dataclass
class _Token:
    """What instructions that run out of order have not read or written yet: registers, and at which positions of the code they are."""

    unit: str = ""
    reads: int = 0
    writes: int = 0
    order: int = 0
    places: tuple[int, ...] = ()


@dataclass
class _Board:
    """What is under way at a point of the path: of `tokens` and `recent` only what has not been waited for."""

    tokens: dict[int, _Token] = field(default_factory=dict)
    issued: dict[str, int] = field(default_factory=lambda: dict.fromkeys(PIPES, 0))
    done: dict[str, int] = field(default_factory=lambda: dict.fromkeys(PIPES, 0))
    recent: dict[str, deque[tuple[int, int, int]]] = field(default_factory=lambda: {p: deque(maxlen=IN_FLIGHT) for p in PIPES})
    macro: _Token = field(default_factory=_Token)
    before_in_macro: int = 0
    order: int = 0
    in_pipes: dict[str, int] = field(default_factory=lambda: dict.fromkeys(PIPES, 0))
    """Registers that instructions of a pipe may still write, and maybe more; writing: that any may; reading: that any may still read."""
    writing: int = 0
    reading: int = 0

    def wait(self, use: Use) -> None:
        """What an instruction waits for before it starts."""
        for number, what in use.waits:
            self._let_go(number, what)
        if use.token is not None:
            # Who sets a token waits until the one before has let go of it.
            self._let_go(use.token, "dst")
        for pipe, distance in use.distances:
            for name in PIPES if pipe == "A" else pipe:
                self.done[name] = max(self.done[name], self.issued[name] - distance + 1)

    def _let_go(self, number: int, what: str) -> None:
        """A token's registers are read, and with `dst` written."""
        waited = self.tokens.get(number)
        if waited is None:
            return
        # A unit takes what it is given one after the other: what came before has read its registers too.
        for token in self.tokens.values():
            if token.order <= waited.order and token.unit == waited.unit:
                token.reads = 0
        if what == "dst" or not waited.writes:
            del self.tokens[number]

    def meets(self, use: Use) -> bool:
        """Whether something under way may write what an instruction touches, or read what it writes."""
        registers = use.reads | use.writes
        if not (self.writing & registers or self.reading & use.writes):
            return False
        self._forget(registers)
        return self.writing & registers != 0 or self.reading & use.writes != 0

    def _forget(self, registers: int) -> None:
        """What is over is no longer under way."""
        reading, writing = 0, self.before_in_macro
        for token in self.tokens.values():
            reading |= token.reads
            writing |= token.writes
        for pipe, busy in self.in_pipes.items():
            writing |= self._written_by(pipe) if busy & registers else busy
        self.reading, self.writing = reading, writing

    def _written_by(self, pipe: str) -> int:
        """Registers that are under way in a pipe."""
        writers, done, busy = self.recent[pipe], max(self.done[pipe], self.issued[pipe] - IN_FLIGHT), 0
        while writers and writers[0][0] <= done:
            writers.popleft()
        for _, written, _ in writers:
            busy |= written
        self.in_pipes[pipe] = busy
        return busy

    def clashes(self, use: Use) -> Iterable[tuple[str, tuple[int, ...], str]]:
        """Where an instruction may meet what is under way, after `meets`: which hazard, positions of the others, and how both touch it.

        `"wr"`: the others write what this one reads.
        """
        for token in self.tokens.values():
            if token.writes & use.reads:
                yield "is read before it is written", token.places, "wr"
            if token.writes & use.writes:
                yield "is overwritten before it is written", token.places, "ww"
            if token.reads & use.writes and token.unit != use.unit:
                yield "is overwritten before it is read", token.places, "rw"
        for pipe, writers in self.recent.items():
            for _, written, writer in writers:
                if written & use.reads:
                    yield "is read too early", (writer,), "wr"
                if written & use.writes and pipe != use.pipe:
                    yield "is overwritten too early", (writer,), "ww"
        if self.macro.places and use.unit == "dpas" and self.before_in_macro & use.reads:
            yield "is read by the next of a dpas macro", self.macro.places[-1:], "wr"

    def start(self, at: int, use: Use) -> None:
        """The instruction is under way."""
        pipe, writes = use.pipe, use.writes
        if pipe:
            self.issued[pipe] = number = self.issued[pipe] + 1
            if writes:
                self.recent[pipe].append((number, writes, at))
                self.in_pipes[pipe] |= writes
                self.writing |= writes
            return
        if not (writes or use.reads):
            return
        self.before_in_macro, self.order, macro = use.writes, self.order + 1, self.macro
        self.macro = _Token(use.unit, macro.reads | use.reads, macro.writes | use.writes, self.order, (*macro.places, at))
        self.writing |= self.macro.writes
        if not use.macro:
            if use.token is not None:
                self.tokens[use.token] = self.macro
                self.reading |= self.macro.reads
            self.macro = _Token()


def check(layout: Layout, instructions: Sequence[Instruction], path: Iterable[int], uses: Callable[[int], Use] | None = None,
          active: Mapping[int, int] | None = None) -> None:  # fmt: skip
    """Raises ViolationError for the first hazard along a path (positions of instructions).  `uses`: `use_of`, where it is kept.

    active: by steps of the path, which channels are active from there on; all of them before.
    """
    uses = uses or cache(lambda at: use_of(layout, instructions[at]))
    touched = cache(lambda at, channels: bytes_of(layout, instructions[at], channels))
    board, before, channels, changes = _Board(), -1, ALL, active or {}
    ran: dict[int, int] = {}
    for step, at in enumerate(path):
        use, channels = uses(at), changes.get(step, channels)
        if at != before + 1:
            board.done.update(board.issued)  # a jump takes longer than the pipes
        before = at
        if use.waits or use.distances or use.token is not None:
            board.wait(use)
        for text, others, how in board.clashes(use) if board.meets(use) else ():
            for other in others:
                # Parts of one register may be of different instructions, or of channels that went different ways.
                common = touched(other, ran[other])["rw".index(how[0])] & touched(at, channels)["rw".index(how[1])]
                if common:
                    register = ((common & -common).bit_length() - 1) // layout.grf_bytes
                    error = ViolationError(f"r{register} {text}: the instruction does not wait for another", instructions[other])
                    error.inst = instructions[at]
                    raise error
        board.start(at, use)
        ran[at] = channels
