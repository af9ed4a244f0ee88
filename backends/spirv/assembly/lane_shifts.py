"""Shifts of lanes: each lane takes what the lane `distance` further on holds, the last lanes take from another value (`facts/lane_shifts`).

That reads rows of registers, and the next ones, from their middle on. One move takes all numbers that lie in a register from there on,
whichever rows they belong to; one more takes what the other value gives to each row. For the instruction of SPV_INTEL_subgroups IGC
copies both beside each other.
"""

from __future__ import annotations

from collections.abc import Iterator

from xetile.records import dataclass

from .call import Call, chosen, declared
from .gather import WORD_BITS

_MOST_AT_ONCE = 32
"""Numbers that one instruction moves."""
_KINDS = {8: "ub", 16: "uw", 32: "ud"}
_TYPES = {8: "uchar", 16: "ushort", 32: "uint"}


@dataclass(frozen=True)
class Shift(Call, name="shift"):
    """Of `rows` numbers in each lane, each of so many `bits`: those of the lane `distance` further on."""

    lanes: int
    bits: int
    rows: int
    distance: int
    register: int

    def lines(self, lanes: int) -> list[str]:
        """The assembly: A holds the rows, B those that follow."""
        total, kind = self.lanes * self.rows, _KINDS[self.bits]
        # Names of their own for each type: in IGC's virtual code declarations of all pieces stand side by side.
        lines = [declared(f"{name}{self.bits}", total, at, kind) for at, name in enumerate("OAB")]
        for to, start, count in (*self._together(), *self._followers()):
            source = f"{'A' if start < total else 'B'}{self.bits}{self._place(start % total)}"
            lines.append(f"mov (M1_NM, {count}) O{self.bits}{self._place(to)}<1> {source}<{'1;1,0' if count > 1 else '0;1,0'}>")
        return lines

    def _place(self, number: int) -> str:
        return "({},{})".format(*divmod(number, self.register * 8 // self.bits))

    def _together(self) -> Iterator[tuple[int, int, int]]:
        """(to, from, how many): rows as they lie in registers, without the last row's last numbers."""
        total, most = self.lanes * self.rows, min(_MOST_AT_ONCE, self.register * 8 // self.bits)
        whole = (total - self.distance) // most * most
        yield from ((at, at + self.distance, most) for at in range(0, whole, most))
        left = total - self.distance - whole
        if left:
            part = 1 << left.bit_length() - 1
            yield whole, whole + self.distance, part
            if part < left:  # some of them twice
                yield whole + left - part, total - part, part

    def _followers(self) -> Iterator[tuple[int, int, int]]:
        """(to, from, how many): what the last lanes take, counted on through both operands."""
        total, done = self.lanes * self.rows, 0
        for part in (1 << bit for bit in reversed(range(self.distance.bit_length())) if self.distance >> bit & 1):
            for row in range(0, total, self.lanes):
                yield row + self.lanes - self.distance + done, total + row + done, part
            done += part

    def function(self) -> str:
        """That function in OpenCL C."""
        kind = _vector_of(self.bits, self.rows)
        lines = [f"const uint at = get_sub_group_local_id() + {self.distance}u, from = at % {self.lanes}u; {kind} o;"]
        for row in range(self.rows):
            part = f".s{row:x}" if self.rows > 1 else ""
            pair = [f"sub_group_shuffle((uint){x}{part}, from)" for x in "ab"]
            lines.append(f"{{ const uint x = {pair[0]}, y = {pair[1]}; o{part} = at < {self.lanes}u ? x : y; }}")
        return f"{kind} {self.symbol}({kind} a, {kind} b) {{ {' '.join(lines)} return o; }}"


@dataclass(frozen=True)
class Choice(Call, name="choice"):
    """One of two values of so many `words` in each lane, or parts of `bits` that make as many: A where a mask K is all ones, B where it
    is 0, whole registers at a time.
    """

    lanes: int
    bits: int
    rows: int
    register: int

    def lines(self, lanes: int) -> list[str]:
        """The assembly."""
        total, register = self.lanes * self.rows * self.bits // WORD_BITS, self.register * 8 // WORD_BITS
        lines = [declared(f"{name}C", total, at, "ud") for at, name in enumerate("OAB")] + [declared("KC", 1, 3, "ud")]
        return lines + chosen(("OC", "AC", "BC"), "KC", range(-(-total // register)), min(total, register))

    def function(self) -> str:
        """That function in OpenCL C."""
        kind = _vector_of(self.bits, self.rows)
        return f"{kind} {self.symbol}({kind} a, {kind} b, uint k) {{ return k ? a : b; }}"


def _vector_of(bits: int, count: int) -> str:
    """The type in OpenCL C."""
    return _TYPES[bits] + (str(count) if count > 1 else "")
