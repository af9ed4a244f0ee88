"""What the XeGPU generator writes, in MLIR's generic form: so that its modules are read where mlir-opt is not installed.

A line of the one becomes a line of the other, which keeps places. This knows the ops of the generator and their forms as it writes them,
nothing else; that mlir-opt reads the same from them is a test of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from xetile.mlir.generic import GenericParser

DYNAMIC = -(2**63)
PREDICATES = {"eq": 0, "ne": 1, "slt": 2, "ult": 6, "olt": 4}
WORDS = ("to", "from", "into", "->")
_LINE = re.compile(r"\s*(?:(%[\w:, %]+?) = )?([a-z_0-9]+\.[a-z_0-9]+)")
_WORD = re.compile(r"[\w.]+|-?\d+")
_VALUE = re.compile(r"%[\w$.-]+(?:#\d+)?")
_ARGUMENT = re.compile(r"(%\w+): (memref<[^>]*>)")
_ELEMENT = re.compile(r"(^|x)(?:[if]\d+|index)(>?)$")
_PAIR = re.compile(r"(%\w+) = (%[\w#]+)")
_FUNCTION = re.compile(r"gpu\.func @(\w+)\((.*)\) kernel(?: attributes \{(.*)\})? \{")


@dataclass
class Line:
    """An op as its parts: `groups` are lists in brackets; `given` the types before the word, `made` those behind it."""

    name: str
    results: str = ""
    values: list[str] = field(default_factory=list)
    groups: list[list[str]] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    properties: list[str] = field(default_factory=list)
    attributes: str = ""
    given: list[str] = field(default_factory=list)
    made: list[str] = field(default_factory=list)

    def text(self) -> str:
        results = f"{self.results} = " if self.results else ""
        properties = f" <{{{', '.join(self.properties)}}}>" if self.properties else ""
        types = f"({', '.join(self.given)}) -> {listed(self.made)}"
        return f'{results}"{self.name}"({", ".join(self.values)}){properties}{self.attributes} : {types}'


def listed(types: list[str]) -> str:
    return types[0] if len(types) == 1 else f"({', '.join(types)})"


class _Reader(GenericParser):
    """Takes a line apart."""

    def line(self, results: str, name: str, position: int) -> Line:
        self.position = position
        op = Line(name, results)
        while self.rest() and not self.accept(":"):
            self._part(op)
        while self.rest() and not any(self.accept(word) for word in WORDS):
            op.given.append(self.type())
            self.accept(",")
        while self.rest():
            op.made.append(self.type())
            self.accept(",")
        return op

    def _part(self, op: Line) -> None:
        if found := self.match(_VALUE):
            op.values.append(found[0])
        elif self.accept("["):
            op.groups.append([item.strip() for item in self.piece("]").split(",")])
            self.expect("]")
        elif self.accept("<{"):
            op.properties.append(self.piece("}"))
            self.expect("}>")
        elif self.accept("{"):
            op.attributes = f" {{{self.piece('}')}}}"
            self.expect("}")
        elif self.accept("<"):
            op.words.append(self.piece(">"))
            self.expect(">")
        elif self.peek("dense"):
            op.words.append(self.piece(":").strip())
        else:
            op.words += [found[0]] if (found := self.match(_WORD)) else []
            if not found and not self.accept(",") and not self.accept("()"):
                raise self.error("expected a part of an op")


# What the forms of the ops leave out.


def _same(op: Line) -> None:
    op.given *= len(op.values)
    op.made = op.given[:1]


def _constant(op: Line) -> None:
    op.properties = [f"value = {op.words[0]} : {op.given[0]}"]
    op.given, op.made = [], op.given


def _result(op: Line) -> None:
    op.given, op.made = [], op.given


def _block_id(op: Line) -> None:
    op.properties, op.made = [f"dimension = #gpu<dim {op.words[0]}>"], ["index"]


def _lane_id(op: Line) -> None:
    op.made = ["index"]


def _alloca(op: Line) -> None:
    op.properties = ["operandSegmentSizes = array<i32: 0, 0>"]
    _result(op)


def _mask(op: Line) -> None:
    op.properties = [f"mask_dim_sizes = array<i64: {', '.join(op.groups[0])}>"]
    _result(op)


def _compare(op: Line) -> None:
    op.properties = [f"predicate = {PREDICATES[op.words[0]]} : i64"]
    op.made = [_ELEMENT.sub(r"\1i1\2", op.given[0])]
    op.given *= 2


def _select(op: Line) -> None:
    op.made = op.given[1:]
    op.given += op.made


def _transpose(op: Line) -> None:
    op.properties = [f"permutation = array<i64: {', '.join(op.groups[0])}>"]


def _shuffle(op: Line) -> None:
    """A mask as long as its operands."""
    op.properties, op.made = [f"mask = array<i64: {', '.join(op.groups[0])}>"], op.given[:1]


def _reduction(op: Line) -> None:
    op.properties = [f"kind = #vector.kind<{op.words[0]}>", f"reduction_dims = array<i64: {', '.join(op.groups[0])}>"]
    op.given += op.made


def _extract(op: Line) -> None:
    op.properties = [f"static_position = array<i64: {op.groups[0][0]}>"]
    op.given, op.made = op.made, op.given


def _insert(op: Line) -> None:
    op.properties = [f"static_position = array<i64: {op.groups[0][0]}>"]
    op.given += op.made


def _slice(op: Line) -> None:
    """Where a part lies is no attribute that anybody may drop."""
    op.properties, op.attributes = [op.attributes.strip(" {}")], ""
    if op.name == "vector.insert_strided_slice":
        op.given += op.made


def _offsets(op: Line) -> None:
    """Places of a block: values are operands of their own, numbers stand in `const_offsets`."""
    for group in op.groups:
        values = [item for item in group if item.startswith("%")]
        constants = [str(DYNAMIC) if item.startswith("%") else item for item in group]
        op.values += values
        op.given += ["index"] * len(values)
        op.properties.append(f"const_offsets = array<i64: {', '.join(constants)}>")


def _create(op: Line) -> None:
    _offsets(op)
    op.properties.append(f"operandSegmentSizes = array<i32: 1, {len(op.values) - 1}, 0, 0>")


def _moved(op: Line) -> None:
    op.made = op.given[:1]
    _offsets(op)


def _scattered(op: Line) -> None:
    """`%array[%offsets]`: the offsets are an operand between the array and the mask, and have a type in the list."""
    if op.groups:
        op.values.insert(-1, op.groups[0][0])


def _as_written(op: Line) -> None:
    pass


_RULES: dict[str, Callable[[Line], None]] = {
    "arith.constant": _constant, "arith.cmpi": _compare, "arith.cmpf": _compare, "arith.select": _select,
    **dict.fromkeys(("arith.extf", "arith.truncf", "arith.fptosi", "arith.sitofp", "vector.broadcast", "vector.shape_cast"), _as_written),
    **dict.fromkeys([f"arith.{name}{kind}" for name in ("add", "sub", "mul") for kind in "if"], _same),
    "arith.maximumf": _same, "arith.maxsi": _same,
    "gpu.block_id": _block_id, "gpu.lane_id": _lane_id, "gpu.subgroup_id": _result, "gpu.barrier": _as_written, "gpu.return": _as_written,
    "memref.alloca": _alloca, "scf.yield": _as_written, "vector.step": _result, "vector.constant_mask": _mask,
    "vector.shuffle": _shuffle,
    "vector.transpose": _transpose, "vector.multi_reduction": _reduction, "vector.extract": _extract, "vector.insert": _insert,
    "vector.extract_strided_slice": _slice, "vector.insert_strided_slice": _slice,
    "xegpu.create_nd_tdesc": _create, "xegpu.update_nd_offset": _moved, "xegpu.convert_layout": _same,
    **dict.fromkeys([f"xegpu.{name}" for name in ("load_nd", "store_nd", "load_matrix", "store_matrix")], _offsets),
    **dict.fromkeys([f"xegpu.{name}" for name in ("load", "store")], _scattered),
    **dict.fromkeys([f"xegpu.{name}" for name in ("dpas", "create_tdesc", "create_mem_desc")], _as_written),
}  # fmt: skip


class _Text:
    """Translates line by line; `open`: what ends the op of each region that is open."""

    def __init__(self) -> None:
        self.open: list[str] = []

    def line(self, text: str) -> str:
        stripped = text.strip()
        if stripped.startswith("gpu.module"):
            self.open.append(") : () -> ()")
            return '"gpu.module"() <{sym_name = "m"}> ({'
        if stripped.startswith("gpu.func"):
            return self._function(stripped)
        if stripped == "} else {":
            return "}, {"
        if stripped.startswith("}"):
            return f"}}{self._end(stripped[1:].strip())}"
        found = _LINE.match(text)
        if not found:
            return text
        if found[2] == "scf.if":
            return self._branch(text, found)
        if found[2] == "scf.for":
            return self._loop(text, found)
        op = _Reader(text, "<text>").line(found[1] or "", found[2], found.end())
        _RULES[op.name](op)
        return op.text()

    def _end(self, attributes: str) -> str:
        return self.open.pop().replace(")", f") {attributes}", 1) if attributes else self.open.pop()

    def _function(self, text: str) -> str:
        found = _FUNCTION.match(text)
        assert found is not None, text
        arguments = _ARGUMENT.findall(found[2])
        types = ", ".join(type for _, type in arguments)
        given = f"{found[3]}, " if found[3] else ""
        self.open.append(f') {{gpu.kernel, {given}sym_name = "{found[1]}", workgroup_attributions = 0 : i64}} : () -> ()')
        return f'"gpu.func"() <{{function_type = ({types}) -> ()}}> ({{ ^bb0({found[2]}):'

    def _branch(self, text: str, found: re.Match[str]) -> str:
        reader = _Reader(text, "<text>")
        reader.position = found.end()
        condition = reader.need(_VALUE, "a condition")[0]
        reader.expect("->")
        self.open.append(f") : (i1) -> {listed(reader.types())}")
        return f'{found[1]} = "scf.if"({condition}) ({{'

    def _loop(self, text: str, found: re.Match[str]) -> str:
        reader = _Reader(text, "<text>")
        head, _, _ = text.partition(" -> (")
        reader.position = len(head) + len(" -> ")
        carried = reader.types()
        counter, low, high, step, *_ = _VALUE.findall(head, found.end())
        pairs = _PAIR.findall(head, head.index("iter_args("))
        values = ", ".join([low, high, step, *(start for _, start in pairs)])
        own = ", ".join([f"{counter}: index", *(f"{name}: {type}" for (name, _), type in zip(pairs, carried, strict=True))])
        self.open.append(f") : ({', '.join([*['index'] * 3, *carried])}) -> {listed(carried)}")
        return f'{found[1]} = "scf.for"({values}) ({{ ^bb0({own}):'


def generic(text: str) -> str:
    """A module of the generator in the generic form."""
    lines = _Text()
    return "\n".join(lines.line(line) for line in text.splitlines()) + "\n"
