"""Vectors of which IGC writes the first element alone, and instructions that it makes the same although LLVM's are not.

IGC's vectorizer makes one instruction of LLVM of several elements; what chooses virtual code then goes by patterns, not all of which know
vectors: of `x < y ? y : x` whose elements are the same in all lanes it writes one maximum, of the first element. Of a vector of booleans it
takes no single bits: each that is asked for is the first. And a pattern may forget which lane's number it was to read.

IGC writes LLVM's IR with the number of the first virtual instruction that each was made into (*.visa.ll), and virtual code with these
numbers (*.visaasm).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

MADE = re.compile(r"^  (?:(%[\w.$-]+) = )?([a-z][^\t]*?)(?:, ![\w.]+ !\d+)*(?:\t+; visa id: (\d+))?$")
VIRTUAL = re.compile(r"^\s*((?:\([^)]*\) )?[a-z][\w.]*) \((M\d+(?:_NM)?), (\d+)\) (.*?)\s*/// \$(\d+)$")
ALIAS = re.compile(r"^\.decl (\w+) .* alias=<(\w+), (\d+)>")
VARIABLE = re.compile(r"\b([VP]\d+)\b")
ELEMENTWISE = re.compile(
    r"(?:f(?:add|sub|mul|div|rem|neg|cmp|ptrunc|pext|pto[su]i)|add|sub|mul|[su]div|shl|[al]shr|and|or|xor|icmp|select|trunc|[sz]ext"
    r"|[su]itofp) "
)
OF_VECTORS = re.compile(r"<(\d+) x \w+>")
ASSEMBLY = re.compile(r"\basm (?:\w+ )*\"(.*?)\"")
PIECE = re.compile(r"^\s*(?:\([^)]*\)\s*)?[a-z][\w.]*\s*\(M\d")
BIT = re.compile(r"extractelement <\d+ x i1> %[\w.$-]+, i\d+ [1-9]")
PART = re.compile(r"%[\w.$-]+|(?<![\w.<])-?\d[\w.+-]*")
"""A value or a constant."""
MOST = 64
"""Constants of an expression; of larger ones nothing is said."""
COMPARED = ("fcmp ", "icmp ")
"""Parts of what asks for them, even where they have code of their own."""
MESSAGES = ("lsc_", "raw_send", "dpas", "gather", "scatter", "atomic", "call", "mov")
"""Of these the text does not say all, or it says so little that many are the same."""


@dataclass(frozen=True)
class Lost:
    """An instruction of LLVM's, and what IGC made of it."""

    text: str
    why: str

    def __str__(self) -> str:
        return f"{self.text}  ({self.why})"


@dataclass(frozen=True)
class Virtual:
    """A virtual instruction: `reads`: its text without what it writes, and how often each of its variables was written before."""

    text: str
    to: str
    lanes: int
    whole: bool
    reads: str


@dataclass(frozen=True)
class Made:
    """An instruction of LLVM with its virtual code; it has none where it is part of another's."""

    name: str
    text: str
    code: tuple[Virtual, ...]

    @cached_property
    def elements(self) -> int:
        """Of the vector that an instruction computes element by element; else 0."""
        kinds = OF_VECTORS.findall(self.text.partition("(")[0]) if ELEMENTWISE.match(self.text) else ()
        return int(kinds[-1]) if kinds else 0


BOOLEAN = re.compile(r"bfn\.\((.*?)\) \(\d+\|.*?\$(\d+)")
ASKED = re.compile(r"bfn\.x([0-9a-fA-F]{2}) .*/// \$(\d+)$", re.MULTILINE)


def other_functions(code: str, assembly: str) -> list[Lost]:
    """Boolean functions of three operands in an *.asm that are not those of the virtual instructions that they were made of.

    IGC makes several instructions of one whose operand begins inside of a register, and forgets which function it was.
    """
    asked = {int(number): int(function, 16) for function, number in ASKED.findall(code)}
    found = []
    for text, number in BOOLEAN.findall(assembly):
        wanted = asked.get(int(number))
        if wanted is not None and _function(text) != wanted:
            found.append(Lost(f"bfn.x{wanted:02x}", f"made into bfn.({text})"))
    return found


def _function(text: str) -> int:
    """The table of a boolean function as assembly writes it, such as `s0&s2|s1&~s2`."""
    if text in ("zeros", "ones"):
        return 0xFF * (text == "ones")
    return int(eval(text, {}, {"s0": 0xAA, "s1": 0xCC, "s2": 0xF0})) & 0xFF  # noqa: S307 (the compiler's own output)


def lost(ir: str, code: str) -> list[Lost]:
    """What became of the instructions of a *.visa.ll in its *.visaasm, where that is not all of them."""
    found: list[Lost] = []
    for function in re.split(r"^define ", ir, flags=re.MULTILINE)[1:2]:
        made = list(_made(function, _virtual(code)))
        found += [Lost(one.text, "a bit of a vector: the first is taken") for one in made if BIT.match(one.text)]
        found += [Lost(one.text, f"made into {one.code[-1].text}") for one in made if _short(one)]
        found += _alike(made)
    return found


def _short(one: Made) -> bool:
    """Whether fewer elements are written than there are: of one that all lanes share as many as lanes write, else one in each lane."""
    if not one.elements or not one.code:
        return False
    last = [virtual for virtual in one.code if virtual.to == one.code[-1].to]
    whole = all(virtual.whole for virtual in last)
    return sum(virtual.lanes if whole else 1 for virtual in last) < one.elements


def _alike(made: Sequence[Made]) -> Iterator[Lost]:
    """Instructions that are the same virtual one although constants in what they compute differ, such as lanes and places in vectors."""
    constants: dict[str, tuple[str, ...]] = {}
    every: dict[str, tuple[str, ...]] = {}  # with those of what has code of its own
    seen: dict[str, tuple[Made, tuple[str, ...]]] = {}
    for one in made:
        # A sum of three takes a sum's parts, which may have code, for others: of (a + b) + 8 and a + (b + 8) it is the same.
        own = _constants(one, every if one.code and one.code[0].text.startswith("add3") else constants)
        every[one.name] = _constants(one, every)
        if one.name and not one.text.startswith("phi ") and (not one.code or one.text.startswith(COMPARED)):
            constants[one.name] = own
        if len(one.code) == 1 and not one.code[0].text.startswith(MESSAGES):
            first, others = seen.setdefault(one.code[0].reads, (one, own))
            if others != own and max(len(others), len(own)) < MOST:
                yield Lost(one.text, f"made into {one.code[0].text}, as was: {first.text}")


def _constants(one: Made, within: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Those of what an instruction computes, with what has no code of its own, in order."""
    text = re.sub(r"^sub (.*, )(\d+)$", r"add \1-\2", one.text)
    parts = (within.get(part, (part,) * (part[0] != "%")) for part in PART.findall(text))
    return tuple(constant for part in parts for constant in part)[:MOST]


def _virtual(code: str) -> dict[int, Virtual]:
    """Virtual instructions by their numbers."""
    roots: dict[str, str] = {}
    written: defaultdict[str, int] = defaultdict(int)
    found: dict[int, Virtual] = {}
    for line in code.splitlines():
        if alias := ALIAS.match(line):
            roots[alias[1]] = roots.get(alias[2], alias[2])
        elif virtual := VIRTUAL.match(line):
            name, mask, lanes, operands, number = virtual.groups()
            to, _, rest = operands.partition(" ")
            asked = f"{name} {lanes} {rest}"
            counts = [f"{root}:{written[root]}" for root in (roots.get(v, v) for v in VARIABLE.findall(asked))]
            text = f"{name} ({mask}, {lanes}) {operands}"
            found[int(number)] = Virtual(text, to.partition("(")[0], int(lanes), mask.endswith("_NM"), f"{mask} {asked} {counts}")
            for variable in VARIABLE.findall(to):
                written[roots.get(variable, variable)] += 1
    return found


def _made(function: str, code: Mapping[int, Virtual]) -> Iterator[Made]:
    """The instructions of a function. Pieces of assembly are numbered in the code alone."""
    lines = [line for line in map(MADE.match, function.splitlines()) if line]
    ahead = [int(line[3]) for line in lines if line[3]] + [1 + max(code, default=0)]
    place = more = 0
    for line in lines:
        first = ahead[place] + more
        if assembly := ASSEMBLY.search(line[2]):
            more += sum(1 for piece in assembly[1].split("\\0A") if PIECE.match(piece))
        if line[3]:
            place += 1
        numbers = range(first, ahead[place] + more) if line[3] else ()
        yield Made(line[1] or "", line[2], () if assembly else tuple(code[n] for n in numbers if n in code))
