"""A piece that gives each lane what another, known lane holds: strided moves of several numbers at once.

A number of 16 bits goes to the lower half of a word: no instruction takes halves that lie far apart and puts them side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple

from xetile.records import dataclass

from .call import Call, declared

WORD_BITS = 32  # bits of a lane in a register


@dataclass(frozen=True)
class Move:
    """`count` lanes from `lane` on take numbers of one operand, from the one `at`: `width` of them `across` apart, so many again `down`
    further on, and so on. That is what an instruction reads of a register file.
    """

    lane: int
    count: int
    operand: int
    at: int
    down: int = 0
    width: int = 1
    across: int = 0

    def number(self, n: int) -> int:
        """Where the number of a lane lies, by how many the lane is behind the first one."""
        return self.at + n // self.width * self.down + n % self.width * self.across


@dataclass(frozen=True)
class Gather(Call, name="places"):
    """`width`: bits of a number; `operands`: of each, how many words of how many bits a lane has; `moves`: what is taken; `twice`:
    bytes that one move takes for all lanes, in both halves of a word, `signed` ones with their sign.
    """

    lanes: int
    width: int
    operands: tuple[tuple[int, int], ...]
    moves: tuple[Move, ...]
    twice: bool = False
    signed: bool = False

    def lines(self, lanes: int) -> list[str]:
        """The assembly."""
        kind = _KINDS[self.width][self.signed :]
        unit = self.lanes * WORD_BITS // self.width
        sizes = [unit, *(count * bits * self.lanes // self.width for count, bits in self.operands)]
        lines = [declared(f"X{at}", size, at, kind) for at, size in enumerate(sizes)]
        if self.twice:
            (m,) = self.moves
            lines.append(declared("W", 2 * self.lanes, 0, _KINDS[2 * self.width][self.signed :]))
            source = f"X{m.operand + 1}({m.at // unit},{m.at % unit})<{m.down};2,0>"
            return [*lines, f"mov (M1_NM, {2 * self.lanes}) W(0,0)<1> {source}"]
        apart = WORD_BITS // self.width
        for m in self.moves:
            source = f"X{m.operand + 1}({m.at // unit},{m.at % unit})<{m.down};{m.width},{m.across}>"
            lines.append(f"mov (M1_NM, {m.count}) X0(0,{m.lane * apart})<{apart}> {source}")
        return lines

    def to_words(self) -> list[str]:
        """Its numbers, and those of its operands and moves with commas between."""
        moves = (":".join(map(str, astuple(m))) for m in self.moves)
        operands = ",".join(f"{n}x{bits}" for n, bits in self.operands)
        return [str(self.lanes), str(self.width), operands, ",".join(moves), str(self.twice + self.signed)]

    @classmethod
    def of_words(cls, words: Sequence[str]) -> Gather:
        """The piece of these."""
        lanes, width, operands, moves, twice = words
        sizes = [tuple(map(int, each.split("x"))) for each in operands.split(",")]
        made = [Move(*map(int, each.split(":"))) for each in moves.split(",")]
        return cls(int(lanes), int(width), tuple((n, bits) for n, bits in sizes), tuple(made), twice != "0", twice == "2")

    def function(self) -> str:
        """That function in OpenCL C: every lane is handed each number, and keeps its own."""
        names = [f"{_TYPES[bits]}{count if count > 1 else ''} x{at}" for at, (count, bits) in enumerate(self.operands)]
        lines, made = ["uint lane = get_sub_group_local_id(), found = 0;"], "found"
        if self.twice:
            made = "(ushort)(char)found * 0x10001u" if self.signed else "found * 0x10001u"
        for m in self.moves:
            for n in range(m.count):
                lines.append(
                    f"{{ uint one = {self._number(m.operand, m.number(n))}; found = lane == {m.lane + n} ? one : found; }}"
                )
        return f"uint {self.symbol}({', '.join(names)}) {{ {' '.join(lines)} return {made}; }}"

    def _number(self, operand: int, at: int) -> str:
        """One number of an operand, the same in all lanes."""
        count, bits = self.operands[operand]
        word, half = divmod(at, bits // self.width)
        component, lane = divmod(word, self.lanes)
        part = f"x{operand}.s{component:x}" if count > 1 else f"x{operand}"
        whole = f"sub_group_shuffle((uint){part}, {lane}u)"
        return f"(({whole} >> {half * self.width}) & {(1 << self.width) - 1:#x}u)" if self.width < bits else whole


_KINDS = {8: "ub", 16: "uw", 32: "ud"}
_TYPES = {8: "uchar", 16: "ushort", 32: "uint"}
