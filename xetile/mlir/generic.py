"""MLIR's generic form as a tree: names, and the text of types and attributes, which only the reader of each op understands.

The form:

    %1:2 = "dialect.op"(%a, %b) <{property = ...}> ({ regions }) {attribute = ...} : (types) -> types loc(...)
"""

from __future__ import annotations

import re
from dataclasses import field

from xetile.errors import Location, MlirTextError
from xetile.mlir.limits import MOST_ALIASES, MOST_EXPANDED, MOST_REGIONS, MOST_RESULTS
from xetile.mlir.scan import Scanner, unquoted, whole
from xetile.records import dataclass

_VALUE = re.compile(r"%[\w$.-]+(?:#\d+)?")
_RESULT = re.compile(r"(%[\w$.-]+)(?::(\d+))?")
_KEY = re.compile(r'"(?:[^"\\]|\\.)*"|[\w$.]+')
_TYPE = re.compile(r"!?[\w$.]+")
_LABEL = re.compile(r"\^[\w$.-]+")
_ALIAS = re.compile(r"([#!][\w$.-]+)\s*=\s*(?!=)")
_PLACE = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):(\d+)')
_NAME = re.compile(r"[#!][\w$.-]+")
_LAST = 1 << 30  # of lines and columns
_REFERENCE = re.compile(r"#[\w$.-]+")


@dataclass
class RawBlock:
    """Arguments as (name, type, place), and ops."""

    arguments: list[tuple[str, str, Location]] = field(default_factory=list)
    ops: list[RawOp] = field(default_factory=list)


@dataclass
class RawOp:
    """An op as it is written; `attributes` holds properties too, `discardable` the names of those that are none."""

    name: str
    results: list[str]
    operands: list[str]
    attributes: dict[str, str]
    regions: list[RawBlock]
    operand_types: list[str]
    result_types: list[str]
    loc: Location
    discardable: frozenset[str] = frozenset()


def is_generic(text: str) -> bool:
    """Whether a text starts with an op in the generic form (definitions of aliases may come first)."""
    scanner = Scanner(text)
    while scanner.match(_ALIAS):
        scanner.piece("\n")
    return scanner.peek('"')


def parse_generic(text: str, file: str) -> list[RawOp]:
    """All ops of a text in the generic form; raises MlirTextError at the place of what is something else."""
    return GenericParser(text, file).top()


class GenericParser(Scanner):
    """Reads the generic form; its pieces serve other forms too."""

    def __init__(self, text: str, file: str) -> None:
        super().__init__(text, file)
        # Aliases may be used before they are defined; mlir-opt writes each on a line of its own.
        self.aliases = {m[1]: m[2].strip() for m in re.finditer(r"^([#!][\w$.-]+) = (.*)$", text, re.M)}
        self.meanings: dict[str, str] = {}
        self.expanded = 0
        self.depth = 0

    def top(self) -> list[RawOp]:
        ops: list[RawOp] = []
        while True:
            self.skip_definitions()
            if not self.rest():
                return ops
            ops.append(self.op())

    def skip_definitions(self) -> None:
        while self.match(_ALIAS):
            self.piece("\n")

    def op(self) -> RawOp:
        results = self.results()
        self.skip()
        start = self.place()
        name = self.string()
        operands = self.values()
        jumps = self.accept("[")
        if jumps:
            self.piece("]")
            self.expect("]")
        attributes = self.dictionary("<{", "}>") if self.peek("<{") else {}
        regions = self.regions()
        properties = attributes.keys()
        discardable = self.dictionary("{", "}") if self.peek("{") else {}
        self.expect(":")
        operand_types = self.types()
        self.expect("->")
        result_types = self.types() if self.peek("(") else [self.type()]
        loc = self.location(start)
        if jumps:
            raise MlirTextError(f"{name} jumps between blocks, and control flow here is structured",
                                hint="use scf.for, scf.while and scf.if", at=loc)  # fmt: skip
        loose = frozenset(discardable.keys() - properties)
        return RawOp(name, results, operands, discardable | attributes, regions, operand_types, result_types, loc, loose)

    def results(self) -> list[str]:
        names: list[str] = []
        if not self.peek("%"):
            return names
        while True:
            found = self.need(_RESULT, "the name of a result")
            count = self.count(found[2]) if found[2] else 0
            names += [f"{found[1]}#{i}" for i in range(count)] if found[2] else [found[1]]
            if not self.accept(","):
                self.expect("=")
                return names

    def count(self, digits: str) -> int:
        """How many results an op has."""
        if len(digits) > len(str(MOST_RESULTS)) or int(digits) > MOST_RESULTS:
            raise self.error(f"expected at most {MOST_RESULTS} results")
        return int(digits)

    def values(self) -> list[str]:
        names: list[str] = []
        self.expect("(")
        while not self.accept(")"):
            names.append(self.need(_VALUE, "the name of a value")[0])
            if not self.peek(")"):
                self.expect(",")
        return names

    def dictionary(self, opening: str, closing: str) -> dict[str, str]:
        """`{key = value, unit}`; the value of a unit attribute is empty."""
        found: dict[str, str] = {}
        self.expect(opening)
        while not self.accept(closing):
            key = self.need(_KEY, "the name of an attribute")[0]
            value = self.piece(",}") if self.accept("=") else ""
            found[unquoted(key) if key.startswith('"') else key] = self.expand(value)
            if not self.peek(closing):
                self.expect(",")
        return found

    def regions(self) -> list[RawBlock]:
        blocks: list[RawBlock] = []
        if not self.accept("("):
            return blocks
        while not self.accept(")"):
            blocks.append(self.region())
            self.accept(",")
        return blocks

    def region(self) -> RawBlock:
        self.expect("{")
        self.depth += 1
        if self.depth > MOST_REGIONS:
            raise self.error(f"expected at most {MOST_REGIONS} regions in each other")
        block = RawBlock()
        if self.match(_LABEL):
            block.arguments = self.arguments() if self.peek("(") else []
            self.expect(":")
        while not self.accept("}"):
            if self.peek("^"):
                why = "several blocks in one region, and control flow here is structured"
                raise MlirTextError(f"cannot read MLIR text: {why}", hint="use scf.for, scf.while and scf.if", at=self.place())
            block.ops.append(self.op())
        self.depth -= 1
        return block

    def arguments(self) -> list[tuple[str, str, Location]]:
        found: list[tuple[str, str, Location]] = []
        self.expect("(")
        while not self.accept(")"):
            self.skip()
            start = self.place()
            name = self.need(_VALUE, "the name of an argument")[0]
            self.expect(":")
            type = self.type()
            found.append((name, type, self.location(start)))
            if not self.peek(")"):
                self.expect(",")
        return found

    def types(self) -> list[str]:
        found: list[str] = []
        self.expect("(")
        while not self.accept(")"):
            found.append(self.type())
            if not self.peek(")"):
                self.expect(",")
        return found

    def type(self) -> str:
        self.skip()
        start = self.position
        if self.accept("("):
            self.piece(")")
            self.expect(")")
            self.expect("->")
            self.type()
        else:
            self.need(_TYPE, "a type")
            if self.text.startswith("<", self.position):
                self.position += 1
                self.piece(">")
                self.expect(">")
        return self.expand(self.text[start : self.position])

    def expand(self, text: str) -> str:
        """With the aliases in it replaced by what they stand for."""
        return self._expanded(text, ()) if self.aliases else text

    def _expanded(self, text: str, within: tuple[str, ...]) -> str:
        return _NAME.sub(lambda name: self._meaning(name[0], within) if name[0] in self.aliases else name[0], text)

    def _meaning(self, name: str, within: tuple[str, ...]) -> str:
        """What an alias stands for; raises MlirTextError for one that stands for itself, and for too much."""
        if name not in self.meanings:
            if name in within:
                raise self.error(f"the alias {name} stands for itself: {' -> '.join((*within, name))}")
            if len(within) >= MOST_ALIASES:
                raise self.error(f"more than {MOST_ALIASES} aliases stand for each other")
            self.meanings[name] = self._expanded(self.aliases[name], (*within, name))
        self.expanded += len(self.meanings[name])
        if self.expanded > MOST_EXPANDED:
            raise self.error(f"the aliases stand for more than {MOST_EXPANDED} characters")
        return self.meanings[name]

    def location(self, start: Location) -> Location:
        """The place that `loc(...)` names, if it names one; else that of the text itself."""
        if not self.accept("loc("):
            return start
        text = self.piece(")")
        self.expect(")")
        for _ in range(MOST_ALIASES):
            found = _PLACE.search(text)
            if found:
                line, column = (min(whole(digits), _LAST) for digits in found.groups()[1:])
                return Location(unquoted(f'"{found[1]}"'), line, max(0, column - 1))
            alias = _REFERENCE.search(text)
            if not alias or alias[0] not in self.aliases:
                break
            text = self.aliases[alias[0]]
        return start
