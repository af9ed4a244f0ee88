"""Our own ops read by the format that they are printed by (`ir.formats`); types that a format leaves out are inferred as for a new op."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from xetile.errors import Location, XetileError
from xetile.ir.builder import create
from xetile.ir.core import Block, Field, Op, Value
from xetile.ir.formats import Token, tokens_of
from xetile.mlir.attributes import read_attribute
from xetile.mlir.generic import GenericParser, RawOp
from xetile.mlir.ops import attributes_of
from xetile.mlir.types import read_type

_VALUE = re.compile(r"%[\w$.-]+(?:#\d+)?")
_KEYWORD = re.compile(r"-?[\w$.]+")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_DIGITS = re.compile(r"-?\d+")


class FormatReader:
    """Reads one op behind its name. `names` and `types`: of operands by field; `attributes`: their texts; `end`: behind the op.

    known: types of values by name, of operands whose types the format leaves out; others are index values.
    """

    def __init__(self, scanner: GenericParser, kind: type[Op], known: Mapping[str, str] | None = None) -> None:
        self.scanner = scanner
        self.kind = kind
        self.known = known or {}
        self.end = scanner.position
        self.operands = {field.name: field for field in kind.operand_fields}
        self.declared = {field.name: field for field in kind.attribute_fields}
        self.names: dict[str, list[str]] = {}
        self.types: dict[str, list[str]] = {}
        self.results: dict[str, list[str]] = {}
        self.attributes: dict[str, str] = {}

    def generic(self, prefix: str) -> str:
        """The op in the generic form, with a prefix before its name; raises MlirTextError where the text is something else."""
        raw = self.raw([], Location("", 0))
        attributes = [f"{key} = {text}" if text else key for key, text in raw.attributes.items()]
        given = f"({', '.join(raw.result_types)})" if len(raw.result_types) != 1 else raw.result_types[0]
        types = ", ".join(raw.operand_types)
        return f'"{prefix}{raw.name}"({", ".join(raw.operands)}) {{{", ".join(attributes)}}} : ({types}) -> {given}'

    def raw(self, results: list[str], at: Location) -> RawOp:
        """The op, with names of its results; raises MlirTextError where the text is something else."""
        self._read(tokens_of(self.kind.format))
        fields = self.kind.operand_fields
        names = [name for field in fields for name in self.names.get(field.name, ())]
        types = [text for field in fields for text in self._types(field)]
        given = [text for field in self.kind.result_fields for text in self.results.get(field.name) or [self._inferred(field)]]
        attributes = dict(self.attributes)
        if names:
            counts = ", ".join(str(len(self.names.get(field.name, ()))) for field in fields)
            attributes["operandSegmentSizes"] = f"array<i32: {counts}>"
        return RawOp(self.kind.opname, results, names, attributes, [], types, given, at)

    def _read(self, tokens: Sequence[Token]) -> None:
        for token in tokens:
            if token.kind == "group":
                if self._is_there(token):
                    self._read(token.parts)
                continue
            if token.kind == "literal":
                self.scanner.expect(token.text)
            elif token.kind in ("attr-dict", "prop-dict"):
                opening, closing = ("{", "}") if token.kind == "attr-dict" else ("<{", "}>")
                if not self.scanner.peek(opening):
                    continue
                self.attributes |= self.scanner.dictionary(opening, closing)
            elif token.kind == "name":
                self._named(token.text)
            else:
                self._typed(token)
            self.end = self.scanner.position

    def _is_there(self, group: Token) -> bool:
        """Whether an optional group is: types are, where their operands have been."""
        anchor, first = group.parts[group.anchor], next(part for part in group.parts if part.text)
        if anchor.kind == "type" and anchor.text in self.operands:
            return bool(self.names.get(anchor.text))
        return self.scanner.peek(first.text if first.kind == "literal" else "%")

    def _named(self, name: str) -> None:
        field = self.operands.get(name)
        if field is None:
            self.attributes[name] = self._attribute(self.declared[name])
            return
        found = self.names.setdefault(name, [])
        while True:
            found.append(self.scanner.need(_VALUE, "the name of a value")[0])
            if not field.variadic or not self.scanner.accept(","):
                return

    def _attribute(self, field: Field) -> str:
        if self.scanner.peek("["):
            self.scanner.expect("[")
            inner = self.scanner.piece("]")
            self.scanner.expect("]")
            return f"array<i64: {inner}>" if inner else "array<i64>"
        if self.scanner.peek("array<"):
            self.scanner.expect("array<")
            inner = self.scanner.piece(">")
            self.scanner.expect(">")
            return f"array<{inner}>"
        if self.scanner.peek('"'):
            return self.scanner.need(_STRING, "a string")[0]
        text = self.scanner.need(_KEYWORD, f"the attribute {field.name}")[0]
        return f"{text} : i64" if _DIGITS.fullmatch(text) else f'"{text}"'

    def _typed(self, token: Token) -> None:
        name = token.text
        if name not in self.operands:
            self.results[name] = [self.scanner.type()]
            return
        count = len(self.names.get(name, ()))
        found = [self.scanner.type()]
        while len(found) < count and self.scanner.accept(","):
            found.append(self.scanner.type())
        self.types[name] = found

    def _types(self, field: Field) -> list[str]:
        """The types of an operand's values; those that no format spells are known."""
        return self.types.get(field.name) or [self.known.get(name, "index") for name in self.names.get(field.name, ())]

    def _inferred(self, field: Field) -> str:
        """The type of a result that the text leaves out, from the operands' types and the attributes."""
        groups: list[Value | list[Value] | None] = []
        for operand in self.kind.operand_fields:
            values = [Value(read_type(text), Block(), 0) for text in self._types(operand)]
            for value in values:
                if operand.constraint is not None and not isinstance(value.type, operand.constraint):
                    raise self.scanner.error(f"{self.kind.opname} takes no {value.type} as its {operand.name}")
            groups.append(values if operand.variadic else values[0] if values else None)
        values_ = {key: read_attribute(text) for key, text in self.attributes.items()}
        try:
            op = create(self.kind, *groups, **attributes_of(self.kind, self.kind.opname, values_))
        except TypeError:
            raise self.scanner.error(f"{self.kind.opname} needs the type of its result") from None
        return str(getattr(op, field.name).type)


def read_format(text: str, file: str, position: int, kind: type[Op], prefix: str) -> tuple[str, int]:
    """An op behind its name at a position, as text in the generic form, and where it ends."""
    scanner = GenericParser(text, file)
    scanner.position = position
    reader = FormatReader(scanner, kind)
    try:
        return reader.generic(prefix), reader.end
    except XetileError as error:
        raise error.located(scanner.place(position)) from None
