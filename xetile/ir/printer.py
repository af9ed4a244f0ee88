"""IR as MLIR text. Ops print by their `format` (see `ir.formats`), or by a method `print`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from xetile.ir.core import UNIT, Attribute, Block, Op, Type, Value
from xetile.ir.formats import GLUE, Token, joined, mentioned, tokens_of

ATTRIBUTE_TEXT: dict[str, Callable[[Any], str]] = {}
"""Spellings of attributes by key, registered by dialects."""

_INDENT = "  "


def print_op(op: Op) -> str:
    """The text of an op and all in it."""
    return Printer().op(op)


class Printer:
    """Keeps names unique while printing one op."""

    def __init__(self) -> None:
        self._names: dict[Value, str] = {}
        self._used: set[str] = set()
        self._next = 0
        self._depth = 0

    def op(self, op: Op) -> str:
        """One op with its results."""
        results = ", ".join(self._define(r, _hint(op)) for r in op.results)
        custom = getattr(op, "print", None)
        text = custom(self) if custom is not None else self._by_format(op)
        return f"{results} = {text}" if results else text

    def name(self, value: Value) -> str:
        """The name of a value."""
        return self._names.get(value) or self._define(value, value.name)

    def block(self, block: Block, *, drop_empty_yield: bool = False, header: bool = False) -> str:
        """`{ ... }` of a region; with `header` its arguments are printed as a block label."""
        pad = _INDENT * (self._depth + 1)
        lines = []
        if header and block.args:
            lines.append(f"{pad[:-2]}^bb0({', '.join(f'{self.name(a)}: {a.type}' for a in block.args)}):")
        self._depth += 1
        for op in block.ops:
            if not (drop_empty_yield and op.terminator and not op.operands and op.opname == "scf.yield"):
                lines.append(pad + self.op(op))
        self._depth -= 1
        return "{\n" + "".join(line + "\n" for line in lines) + _INDENT * self._depth + "}"

    def constant(self, value: Any, type: Type) -> str:
        """`0 : index`, `true`, `dense<0.0> : vector<8xf32>`."""
        element = getattr(type, "element", type)
        if element is type and str(element) == "i1":
            return "true" if value else "false"
        if element is type:
            return f"{_number(value, element)} : {type}"
        if isinstance(value, tuple) and len(value) == 1:  # as it is read: MLIR has no other splat of one element
            value = value[0]
        return f"dense<{_dense(value, type.shape, element)}> : {type}"  # type: ignore[attr-defined]

    def string(self, text: str) -> str:
        """A quoted string."""
        escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\0A").replace("\t", "\\09")
        return f'"{escaped}"'

    def attr_dict(self, op: Op, exclude: Collection[str], *, before: str = "", prefix: str = "") -> str:
        """`{key = value, ...}` of all attributes but `exclude`; nothing where none is left."""
        kinds = {f.name: f.constraint for f in op.attribute_fields}
        items = [
            prefix + self.attribute(key, value, kinds.get(key))
            for key, value in sorted(op.attributes.items())
            if key not in exclude
        ]
        return f"{before}{{{', '.join(items)}}}" if items else ""

    def properties(self, op: Op) -> str:
        """` <{...}>` of the declared attributes that are set (MLIR's prop-dict)."""
        items = [
            self.attribute(f.name, op.attributes[f.name], f.constraint) for f in op.attribute_fields if f.name in op.attributes
        ]
        return f" <{{{', '.join(items)}}}>" if items else ""

    def discardable(self, op: Op) -> str:
        """` {...}` of the attributes that the op does not declare."""
        return self.attr_dict(op, {f.name for f in op.attribute_fields}, before=" ")

    def attribute(self, key: str, value: Any, kind: Any = None) -> str:
        """`key = value`, or the key alone for a unit attribute."""
        if value is UNIT:
            return key
        if key in ATTRIBUTE_TEXT:
            return f"{key} = {ATTRIBUTE_TEXT[key](value)}"
        return f"{key} = {self._attribute_value(value, kind)}"

    def _attribute_value(self, value: Any, kind: Any) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, int):
            return f"{value} : {kind if kind in ('i32', 'i8') else 'i64'}"
        if isinstance(value, float):
            return f"{_number(value, None)} : {kind if kind in ('f16', 'f64') else 'f32'}"
        if isinstance(value, str):
            return self.string(value)
        if isinstance(value, tuple) and all(isinstance(v, int) for v in value):
            items = ", ".join(map(str, value))
            return f"array<i64: {items}>" if kind == "array" else f"[{items}]"
        if isinstance(value, (tuple, list, frozenset)):
            return f"[{', '.join(self._attribute_value(v, None) for v in (sorted(value) if isinstance(value, frozenset) else value))}]"
        if value is None:
            return "unit"
        assert isinstance(value, (Attribute, Type)) or hasattr(value, "__str__")
        return str(value)

    def _define(self, value: Value, hint: str) -> str:
        if value in self._names:
            return self._names[value]
        base = value.name if value.name.isascii() else hint  # MLIR's identifiers are ASCII
        base = base or hint
        if base:
            name, n = base, 0
            while name in self._used:
                name, n = f"{base}_{n}", n + 1
        else:
            name, self._next = str(self._next), self._next + 1
        self._used.add(name)
        self._names[value] = "%" + name
        return self._names[value]

    def _by_format(self, op: Op) -> str:
        return joined([op.opname, *self._parts(op, tokens_of(op.format))])

    def _parts(self, op: Op, tokens: Sequence[Token]) -> Iterable[str]:
        for token in tokens:
            if token.kind == "literal":
                yield token.text or GLUE
            elif token.kind == "attr-dict":
                yield self.attr_dict(op, _written_before(op))
            elif token.kind == "prop-dict":
                yield self.properties(op).strip()
            elif token.kind == "name":
                yield self._mention(op, token.text)
            elif token.kind != "group":
                yield ", ".join(_types(op, token))
            elif _present(op, token.parts[token.anchor]):
                yield from self._parts(op, token.parts)

    def _mention(self, op: Op, name: str) -> str:
        field = next((f for f in op.attribute_fields if f.name == name), None)
        if field is None:
            return ", ".join(map(self.name, _values(op, name)))
        value = op.attributes.get(name, field.default)
        return str(value) if field.constraint == "keyword" else self._attribute_value(value, field.constraint)


def _written_before(op: Op) -> Collection[str]:
    """The attributes that the dictionary of a format leaves out."""
    declared = {field.name for field in op.attribute_fields} if "prop-dict" in op.format else ()
    return mentioned(op.format).union(declared)


def _values(op: Op, name: str) -> tuple[Value, ...]:
    value = getattr(op, name)
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (value,)


def _types(op: Op, token: Token) -> list[str]:
    """What `type($operand)` and `others($operand)` print."""
    types = [str(v.type) for v in _values(op, token.text)]
    return types if token.kind == "type" else [text for text in types if text != "index"]


def _present(op: Op, anchor: Token) -> bool:
    """Whether the group with this anchor is printed."""
    return bool(_types(op, anchor) if anchor.kind == "others" else _values(op, anchor.text))


def _hint(op: Op) -> str:
    value = op.attributes.get("value")
    if op.opname == "arith.constant" and isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return f"c{value}" + ("" if str(op.results[0].type) == "index" else f"_{_short(op.results[0].type)}")
    return "cst" if op.opname == "arith.constant" else ""


def _short(type: Type) -> str:
    return str(getattr(type, "element", type))


def _number(value: Any, type: Any) -> str:
    if getattr(type, "is_float", isinstance(value, float)):
        number = float(value)
        if number != number or number in (float("inf"), float("-inf")):
            return _special(number, getattr(type, "bits", 32), str(type))
        return repr(number) if "." in repr(number) or "e" not in repr(number) else repr(number).replace("e", ".0e")
    return str(int(value))


def _special(number: float, bits: int, name: str) -> str:
    """Infinities and NaN are spelled as their bits (MLIR, "hexadecimal float literal")."""
    fraction = {"f16": 10, "bf16": 7, "f32": 23, "tf32": 10, "f64": 52}.get(name, 23)
    bits = 19 if name == "tf32" else bits
    pattern = ((1 << (bits - 1 - fraction)) - 1) << fraction
    if number != number:
        pattern |= 1 << (fraction - 1)
    if number == float("-inf"):
        pattern |= 1 << (bits - 1)
    return f"0x{pattern:0{(bits + 3) // 4}X}"


def _dense(value: Any, shape: tuple[int, ...], element: Any) -> str:
    if not isinstance(value, tuple):
        return ("true" if value else "false") if str(element) == "i1" else _number(value, element)
    if len(shape) == 1:
        return f"[{', '.join(_dense(v, (), element) for v in value)}]"
    step = len(value) // shape[0]
    return f"[{', '.join(_dense(value[i * step : (i + 1) * step], shape[1:], element) for i in range(shape[0]))}]"
