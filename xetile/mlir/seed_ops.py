"""Ops that LLVM 22 does not have (the RFCs' own, all of xetile and of joint_matrix), rewritten so that its tool lets them through.

Each becomes an op of the unregistered dialect `seed` in the generic form, on its own lines, so that places stay right:

    %v = xegpu.mem_desc_subview %m[%i, 8] : T -> U
    %v = "seed.xegpu.mem_desc_subview"(%m, %i) {const_offsets = array<i64: ..., 8>, ...} : (T, index) -> U
"""

from __future__ import annotations

import re
from dataclasses import field

from xetile.ir.core import OPS
from xetile.mlir.formats import read_format
from xetile.mlir.generic import GenericParser
from xetile.mlir.ops import unknown_op
from xetile.mlir.scan import Scanner, whole
from xetile.records import dataclass

PREFIX = "seed."
DYNAMIC = -(2**63)
_OURS = re.compile(r"(?<![\w.\"#!])((?:xetile|joint_matrix)\.\w+|xegpu\.(?:mem_desc_subview|load_nd|dpas))(?=\s+[%<\d\"[:{])")
_VALUE = re.compile(r"%[\w$.-]+(?:#\d+)?")
_INTEGER = re.compile(r"-?\d+")
_CUBE = re.compile(r"vector<\d+x\d+x\d+x")


def as_unregistered(text: str, file: str) -> str:
    """The text with these ops in the generic form; everything else stays as it is."""
    parts, done = [], 0
    for found in _OURS.finditer(text):
        line = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
        if found.start() < done or "//" in line:
            continue
        said = _generic(text, file, found.end(), found[1])
        if said is None:
            continue
        generic, end = said
        parts += [text[done : found.start()], generic, "\n" * text.count("\n", found.start(), end)]
        done = end
    return "".join([*parts, text[done:]])


def _generic(text: str, file: str, position: int, name: str) -> tuple[str, int] | None:
    """An op behind its name in the generic form, and where it ends; None for one that LLVM 22 has in this form."""
    if not name.startswith("xegpu."):
        if name not in OPS:
            raise unknown_op(name).located(Scanner(text, file).place(position - len(name)))
        return read_format(text, file, position, OPS[name], PREFIX)
    op = _Parser(text, file, position, name).seed_op()
    return None if op is None else (op.text(), op.end)


@dataclass
class _Op:
    """What one custom form says."""

    name: str
    end: int = 0
    operands: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    groups: list[tuple[list[str], list[int]]] = field(default_factory=list)
    attributes: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)

    def text(self) -> str:
        """The generic form."""
        names = [*self.operands, *(v for values, _ in self.groups for v in values)]
        listed = len(self.operands)
        types = [*self.types, *["index"] * (len(names) - len(self.types))]
        attributes = [*self.attributes]
        if names:
            attributes.append(f"operandSegmentSizes = array<i32: {', '.join(map(str, self._segments(listed)))}>")
        if self.groups:
            attributes.append(f"const_offsets = array<i64: {', '.join(map(str, self.groups[0][1]))}>")
        results = self.results[0] if len(self.results) == 1 else f"({', '.join(self.results)})"
        return f'"{PREFIX}{self.name}"({", ".join(names)}) {{{", ".join(attributes)}}} : ({", ".join(types)}) -> {results}'

    def _segments(self, listed: int) -> list[int]:
        return [*[1] * listed, *(len(values) for values, _ in self.groups)]


class _Parser(GenericParser):
    """Reads one op of xegpu in the form that `xetile.ir.printer` and the seeds write."""

    def __init__(self, text: str, file: str, position: int, name: str) -> None:
        super().__init__(text, file)
        self.position = self.last = position
        self.name = name

    def type(self) -> str:
        """A type; what follows it on the line is no part of the op."""
        found = super().type()
        self.last = self.position
        return found

    def seed_op(self) -> _Op | None:
        """The op; None for one that LLVM 22 has in this form."""
        op = _Op(self.name)
        self._operands(op)
        written = self._dictionaries(op)
        self.expect(":")
        op.types = self._types()
        self._results(op)
        op.end = self.last
        if self.name == "xegpu.load_nd" and "transpose_bit_width" not in written:
            return None
        if self.name == "xegpu.dpas" and not _CUBE.match(op.types[0]):
            return None
        return op

    def _operands(self, op: _Op) -> None:
        while not self.peek(":") and not self.peek("{") and not self.peek("<{"):
            if found := self.match(_VALUE):
                op.operands.append(found[0])
            elif self.peek("["):
                self._group(op)
            else:
                raise self.error(f"{self.name}: expected an operand")
            self.accept(",")

    def _group(self, op: _Op) -> None:
        """`[%i, 8]` among the operands."""
        self.expect("[")
        items = [item.strip() for item in self.piece("]").split(",") if item.strip()]
        self.expect("]")
        if not all(item.startswith("%") or _INTEGER.fullmatch(item) for item in items):
            raise self.error(f"{self.name}: expected values and whole numbers before")
        op.groups.append(([item for item in items if item.startswith("%")],
                          [DYNAMIC if item.startswith("%") else whole(item) for item in items]))  # fmt: skip

    def _dictionaries(self, op: _Op) -> dict[str, str]:
        found = self.dictionary("<{", "}>") if self.peek("<{") else {}
        if self.peek("{"):
            found |= self.dictionary("{", "}")
        op.attributes += [f"{key} = {value}" if value else key for key, value in found.items()]
        return found

    def _types(self) -> list[str]:
        found = [self.type()]
        while self.accept(","):
            found.append(self.type())
        return found

    def _results(self, op: _Op) -> None:
        if self.accept("->"):
            op.results = [self.type()]
