"""Which branches of IGC's code all lanes of a subgroup take alike. IGC writes those of DG2, too, as it writes branches of lanes.

A branch asks a flag. Lanes have it alike where what wrote it compares numbers that all lanes read alike, or copies, joins or keeps such
flags; where that is not known, lanes may differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

LINE = re.compile(
    r"^(?:\((W?)&?~?(f\d\.\d)?[^)]*\)\s*)?([a-z]\w*)\S*(?:\s+\([^|)]*\)(?=\s+\())?\s+\((\d+)\|M\d+\)\s+(?:\(\w\w\)(f\d\.\d)\s+)?(.*)$"
)
FLAG = re.compile(r"^~?f(\d)\.(\d)<[\d;,]+>:(\w+)$")
WORD = re.compile(r"^r(\d+)\.(\d+)<(?:1|0;1,0)>:u?w$")
REGION = re.compile(r"<([\d;,]+)>")
BRANCHES = ("goto", "while", "break", "if")
CHOICES = ("sel", "csel")
"""Their conditions write no flag."""
COPIES = ("mov", "and", "or", "xor", "not")
Place = str
"""A flag, "f0.1", or a word of a register, "r2.9", to which flags are spilled."""


@dataclass(frozen=True)
class Write:
    """What an instruction leaves in places: alike where `alike`, and where these other places are."""

    places: tuple[Place, ...]
    alike: bool
    of: tuple[Place, ...] = ()


@dataclass
class Block:
    """A block's writes in order, and the flag that its branch asks."""

    before: list[int]
    behind: list[int]
    writes: list[Write] = field(default_factory=list)
    asked: Place | None = None

    def add(self, text: str) -> None:
        """The next instruction."""
        if (found := LINE.match(text)) is None:
            return
        predicate, operation, condition, operands = found[2], found[3], found[5], found[6].split()
        if operation in BRANCHES:
            self.asked = predicate
        elif condition is not None and operation not in CHOICES:
            kept = () if predicate is None else (predicate, condition)
            self.writes.append(Write((condition,), all(map(_is_one, operands[1:])), kept))
        elif operands and (places := _places(operands[0])):
            sources = [s for s in operands[1:] if not s.startswith("{")]
            of = [place for source in sources for place in _places(source)]
            known = operation in COPIES and predicate is None and all(_places(s) or not REGION.search(s) for s in sources)
            self.writes.append(Write(places, known, tuple(of)))


def _is_one(operand: str) -> bool:
    """Whether all lanes read one number."""
    region = REGION.search(operand)
    return region is None or region[1].split(";")[0] == "0"


def _places(operand: str) -> tuple[Place, ...]:
    if flag := FLAG.match(operand):
        return (f"f{flag[1]}.{flag[2]}",) if flag[3] in ("uw", "w") else (f"f{flag[1]}.0", f"f{flag[1]}.1")
    word = WORD.match(operand)
    return (f"r{word[1]}.{word[2]}",) if word else ()


def parting(blocks: Mapping[int, Block]) -> Iterator[int]:
    """The blocks whose branches lanes may take in different ways."""
    for number, block in blocks.items():
        if block.asked is not None and not _alike(blocks, number, block.asked):
            yield number


def _alike(blocks: Mapping[int, Block], number: int, place: Place) -> bool:
    """Whether lanes have a place alike at the end of a block."""
    ahead = [(number, len(blocks[number].writes), place)]
    seen = set(ahead)
    while ahead:
        number, end, place = ahead.pop()
        block = blocks[number]
        at = next((n for n in reversed(range(end)) if place in block.writes[n].places), None)
        if at is not None and not block.writes[at].alike:
            return False
        before = [n for n in block.before if n in blocks]
        if at is None and not before:
            return False
        asked = (
            [(n, len(blocks[n].writes), place) for n in before]
            if at is None
            else [(number, at, of) for of in block.writes[at].of]
        )
        ahead += [each for each in asked if each not in seen]
        seen.update(asked)
    return True


def parted(blocks: Mapping[int, Block]) -> dict[int, set[int]]:
    """For each block the blocks with branches on whose ways, which some lanes alone may run, it lies."""
    behind = _always_behind(blocks)
    found: dict[int, set[int]] = {number: set() for number in blocks}
    for start in parting(blocks):
        ahead, seen = [*blocks[start].behind], set[int]()
        while ahead:
            number = ahead.pop()
            if number in blocks and number not in seen and number not in behind[start]:
                seen.add(number)
                found[number].add(start)
                ahead += blocks[number].behind
    return found


def _always_behind(blocks: Mapping[int, Block]) -> dict[int, set[int]]:
    """For each block those that all ways from it come to (its post-dominators), without itself."""
    places = {number: 1 << place for place, number in enumerate(blocks)}
    every = (1 << len(blocks)) - 1
    found = {number: every if any(n in blocks for n in block.behind) else places[number] for number, block in blocks.items()}
    changed = True
    while changed:
        changed = False
        for number in reversed(blocks):
            common = every
            for n in blocks[number].behind:
                common &= found.get(n, every)
            new = found[number] & (common | places[number])
            changed |= new != found[number]
            found[number] = new
    return {number: {n for n, place in places.items() if found[number] & place and n != number} for number in blocks}
