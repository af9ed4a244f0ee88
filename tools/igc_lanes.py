"""Numbers of other lanes that IGC reads where lanes are apart, from registers to which some of those may have written something else.

A branch of lanes is written way after way, and a lane that waits keeps its registers. What no way to an instruction needs has none: IGC
gives them to values of the other way, for the lanes that take it. An instruction that reads another lane's number finds that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from igc_flags import Block, parted

BYTES = {"b": 1, "ub": 1, "w": 2, "uw": 2, "hf": 2, "bf": 2, "d": 4, "ud": 4, "f": 4, "q": 8, "uq": 8, "df": 8}
BLOCK = re.compile(r"^// B(\d+):(.*?)Preds:\{(.*?)\},\s*Succs:\{(.*?)\}")
INSTRUCTION = re.compile(
    r"^(?:\((W?)[^)]*\)\s*)?([a-z]\w*)\S*(?:\s+\([^|)]*\)(?=\s+\())?\s+\((\d+)\|M\d+\)\s+(?:\(\w\w\)f\d\.\d\s+)?(.*)$"
)
OPERAND = re.compile(r"(?<![\w\[])r(\d+)\.(\d+)<([\d;,]+)>:(\w+)")
LOADED = re.compile(r"^r(\d+):(\d+)\b")
Bytes = tuple[int, int]
"""From a byte of the register file to another."""


@dataclass(frozen=True)
class Apart:
    """An instruction that reads what another one, on another way of the lanes, may have written over."""

    text: str
    over: str

    def __str__(self) -> str:
        return f"{self.text}  (what lanes of another way write over: {self.over})"


@dataclass
class Line:
    """An instruction: whether all lanes run it, what it writes, and what it reads that is not each lane's own."""

    text: str
    whole: bool
    writes: list[Bytes] = field(default_factory=list)
    reads: list[Bytes] = field(default_factory=list)


@dataclass
class Way:
    """A block of instructions, in the order of the text; `parted`: the branches of lanes on whose ways it lies."""

    place: int
    apart: bool
    before: list[int]
    behind: list[int]
    lines: list[Line] = field(default_factory=list)
    parted: set[int] = field(default_factory=set)


def apart(code: str, register: int) -> list[Apart]:
    """The instructions of a *.asm that do so.  register: bytes of one."""
    ways = _ways(code, register)
    reached = {number: _reached(ways, number) for number in ways}
    found: list[Apart] = []
    for number, way in ways.items():
        for at, line in enumerate(way.lines if way.parted else ()):
            for read in line.reads:
                if _last(way.lines[:at], read) is None:
                    over = _over(ways, reached, number, read)
                    found += [Apart(line.text, over.text)] if over is not None else []
    return found


def _over(ways: Mapping[int, Way], reached: Mapping[int, set[int]], number: int, read: Bytes) -> Line | None:
    """An instruction on a way that does not lead to where bytes are read, written between those and what gives them."""
    given = dict(_given(ways, number, read))
    if all(line.whole for line in given.values()):
        return None
    here, first = ways[number].place, min(ways[other].place for other in given)
    loops = [
        (ways[to].place, way.place) for way in ways.values() for to in way.behind if to in ways and ways[to].place <= way.place
    ]
    for other, way in ways.items():
        between = first < way.place < here or any(
            begin <= min(here, way.place) and max(here, way.place) <= end for begin, end in loops
        )
        if way.parted & ways[number].parted and other != number and number not in reached[other] and between:
            for line in way.lines:
                if not line.whole and any(_meet(written, read) for written in line.writes):
                    return line
    return None


def _given(ways: Mapping[int, Way], number: int, read: Bytes) -> Iterator[tuple[int, Line]]:
    """The instructions, with their blocks, that give what a block reads before it writes there."""
    ahead, seen = [*ways[number].before], set[int]()
    while ahead:
        other = ahead.pop()
        if other in seen or other not in ways:
            continue
        seen.add(other)
        if (line := _last(ways[other].lines, read)) is not None:
            yield other, line
        else:
            ahead += ways[other].before


def _last(lines: list[Line], read: Bytes) -> Line | None:
    return next((line for line in reversed(lines) if any(_meet(written, read) for written in line.writes)), None)


def _meet(one: Bytes, other: Bytes) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _reached(ways: Mapping[int, Way], number: int) -> set[int]:
    ahead, seen = [*ways[number].behind], set[int]()
    while ahead:
        other = ahead.pop()
        if other in ways and other not in seen:
            seen.add(other)
            ahead += ways[other].behind
    return seen


def _ways(code: str, register: int) -> dict[int, Way]:
    ways: dict[int, Way] = {}
    blocks: dict[int, Block] = {}
    way: Way | None = None
    for text in code.splitlines():
        if block := BLOCK.match(text):
            before, behind = ([int(name.strip()[1:]) for name in block[n].split(",") if name.strip()] for n in (3, 4))
            way = ways[int(block[1])] = Way(len(ways), "inDivergent" in block[2], before, behind)
            branch = blocks[int(block[1])] = Block(before, behind)
        elif way is not None and (found := INSTRUCTION.match(words := text.partition("//")[0].strip())):
            branch.add(words)
            way.lines.append(_line(text, found, register))
    for number, starts in parted(blocks).items():
        ways[number].parted = starts if ways[number].apart else set()
    return ways


def _line(text: str, found: re.Match[str], register: int) -> Line:
    made = Line(" ".join(text.partition("//")[0].split()), found[1] == "W")
    operation, width, operands = found[2], int(found[3]), found[4]
    if operation == "mov" and operands.startswith("null"):  # waits for what writes there
        return made
    if loaded := LOADED.match(operands):
        if not operation.startswith("store"):
            made.writes.append((int(loaded[1]) * register, (int(loaded[1]) + int(loaded[2])) * register))
        return made
    for at, (row, column, region, kind) in enumerate(OPERAND.findall(operands)):
        if kind not in BYTES:
            continue
        size, steps = BYTES[kind], [int(step) for step in re.split("[;,]", region)]
        begin = int(row) * register + int(column) * size
        if len(steps) == 1 and at == 0:
            made.writes.append((begin, begin + ((width - 1) * steps[0] + 1) * size))
        elif steps[0] == 0 and steps[1:] in ([1, 0], [0]):
            made.reads.append((begin, begin + size))
        elif made.whole and not operands.startswith("acc"):  # the rest of what it begins (mul for mach) is each lane's
            made.reads.append((begin, begin + width * size * max(steps[-1], 1)))
    return made
