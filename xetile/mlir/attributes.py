"""Attributes from their MLIR text: plain Python values, xegpu's attributes, and `Opaque` for what only some op understands."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from dataclasses import fields
from functools import lru_cache
from typing import Any

from xetile.dialects.types import SCALARS, ScalarType
from xetile.dialects.xegpu import CACHE_HINTS, BlockAttr, CacheHint, MemLayoutAttr, RangeAttr, ScatterAttr
from xetile.dialects.xegpu.types import MEMORY_SPACES
from xetile.dtypes import DTYPES
from xetile.errors import LayoutError, MlirTextError
from xetile.ir.core import UNIT
from xetile.layout import parse as parse_layout
from xetile.mlir.limits import shortened
from xetile.mlir.scan import Scanner, whole
from xetile.records import dataclass

_NUMBER = re.compile(r"-?(?:0x[0-9A-Fa-f]+|\d+\.\d*(?:[eE][-+]?\d+)?|\d+)")
_KEY = re.compile(r"[\w.]+")
_NAME = re.compile(r"#[\w$.-]+")
_KEYWORD = re.compile(r"(?:#[\w.]+)?<(?:[\w.]+ )?\s*([\w|]+)>")
# Exponent and fraction bits of the formats whose bits may be written in hexadecimal.
_FRACTION = {"f16": 10, "bf16": 7, "f32": 23, "tf32": 10, "f64": 52, "f8E4M3FN": 3, "f8E5M2": 2}


@dataclass(frozen=True)
class Opaque:
    """The text of an attribute that has no value of its own here."""

    text: str

    @property
    def keyword(self) -> str | None:
        """`x` of `#gpu<dim x>` or `#vector.kind<x>`."""
        found = _KEYWORD.fullmatch(self.text)
        return found[1] if found else None

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Dense:
    """`dense<...> : type`: one number for all elements, or one for each in row-major order."""

    value: Any
    type: str


@lru_cache(maxsize=4096)
def read_attribute(text: str) -> Any:
    """The value of an attribute; raises MlirTextError (without a place)."""
    if not text:
        return UNIT
    scanner = Scanner(text)
    value = _value(scanner)
    if not scanner.rest() or isinstance(value, Opaque):
        return value
    return Opaque(text)


def _value(scanner: Scanner) -> Any:
    for start, reader in _BY_START:
        if scanner.peek(start):
            return reader(scanner)
    if scanner.match(re.compile(r"true\b")):
        return True
    if scanner.match(re.compile(r"false\b")):
        return False
    if scanner.match(re.compile(r"unit\b")):
        return UNIT
    if scanner.peek("#"):
        return _dialect_attribute(scanner)
    found = scanner.match(_NUMBER)
    return _typed(found[0], scanner) if found else Opaque(scanner.piece(",]}>"))


FLOATS = {dtype.ir_name: dtype for dtype in DTYPES.values() if dtype.is_float}


def _typed(digits: str, scanner: Scanner) -> Any:
    """A number, as the type behind it says."""
    kind = scanner.piece(",]}>") if scanner.accept(":") else ""
    return number(digits, SCALARS.get(kind))


def number(digits: str, element: ScalarType | None) -> Any:
    """A number of an element type; floats may be written by their bits (MLIR, "hexadecimal float literal")."""
    is_float = element.is_float if element is not None else "." in digits
    if "0x" not in digits and is_float:
        return _float(digits) if element is None else FLOATS[element.name].rounded(_float(digits))
    if "0x" not in digits:
        return whole(digits)
    bits = whole(digits, 16)
    return from_bits(bits, element) if is_float and element is not None else bits


def _float(digits: str) -> float:
    try:
        return float(digits)
    except ValueError:
        raise MlirTextError(f"{shortened(digits)!r} is no number") from None


def from_bits(bits: int, element: ScalarType) -> float:
    """The float that has these bits."""
    fraction = _FRACTION[element.name]
    width = 19 if element.name == "tf32" else element.bits
    exponent_bits = width - 1 - fraction
    sign = -1.0 if bits >> (width - 1) else 1.0
    exponent, rest = bits >> fraction & (1 << exponent_bits) - 1, bits & (1 << fraction) - 1
    bias = (1 << (exponent_bits - 1)) - 1
    if exponent == (1 << exponent_bits) - 1 and element.name != "f8E4M3FN":
        return float("nan") if rest else sign * float("inf")
    if exponent == 0:
        return sign * rest * 2.0 ** (1 - bias - fraction)
    return sign * (1 + rest / (1 << fraction)) * 2.0 ** (exponent - bias)


def _list(scanner: Scanner) -> tuple[Any, ...]:
    scanner.expect("[")
    items = []
    while not scanner.accept("]"):
        items.append(_value(scanner))
        if not scanner.peek("]"):
            scanner.expect(",")
    return tuple(items)


def _array(scanner: Scanner) -> tuple[Any, ...]:
    """`array<i64: 1, 2>`; `array<i64>` is empty."""
    scanner.expect("array<")
    element = SCALARS.get(scanner.need(_KEY, "an element type")[0])
    items: list[Any] = []
    if scanner.accept(":"):
        while not scanner.peek(">"):
            digits = scanner.piece(",>")
            items.append(digits == "true" if digits in ("true", "false") else number(digits, element))
            scanner.accept(",")
    scanner.expect(">")
    return tuple(items)


def _dense(scanner: Scanner) -> Dense | Opaque:
    start = scanner.position
    scanner.expect("dense<")
    body = scanner.piece(">")
    scanner.expect(">")
    if not scanner.accept(":"):
        return Opaque(scanner.text[start:])
    type = scanner.rest()
    scanner.position = len(scanner.text)
    found = re.search(r"(?:\d+x)*([\w]+)(?=[,>])", type)
    element = SCALARS.get(found[1]) if found else None
    if body.startswith('"'):
        return Dense(_from_hex(body.strip('"'), element, type), type)
    items = re.findall(r"true|false|-?0x[0-9A-Fa-f]+|-?\d+(?:\.\d*(?:[eE][-+]?\d+)?)?", body)
    values = tuple(v == "true" if v in ("true", "false") else number(v, element) for v in items)
    return Dense(values if "[" in body or not values else values[0], type)


def _from_hex(digits: str, element: ScalarType | None, type: str) -> tuple[Any, ...]:
    """The bytes of all elements, little endian, as MLIR writes large constants."""
    if element is None or element.bits < 8:
        raise MlirTextError(f"cannot read the hexadecimal elements of a constant {shortened(type)}")
    size = element.bits // 8
    try:
        data = bytes.fromhex(digits.removeprefix("0x"))
    except ValueError as error:
        raise MlirTextError(f"cannot read the hexadecimal elements of a constant {shortened(type)}: {error}") from None
    if len(data) % size:
        raise MlirTextError(f"a constant {shortened(type)} ends within an element")
    numbers = struct.unpack(f"<{len(data) // size}{ {1: 'b', 2: 'h', 4: 'i', 8: 'q'}[size] }", data)
    mask = (1 << element.bits) - 1
    return tuple(from_bits(n & mask, element) if element.is_float else n for n in numbers)


def _dialect_attribute(scanner: Scanner) -> Any:
    start = scanner.position
    name = scanner.need(_NAME, "the name of an attribute")[0]
    if scanner.text.startswith("<", scanner.position):
        scanner.position += 1
        scanner.piece(">")
        scanner.expect(">")
    text = scanner.text[start : scanner.position]
    reader = _READERS.get(name)
    return reader(text.removeprefix(name), text) if reader else Opaque(text)


def read_parameters(body: str, text: str) -> dict[str, Any]:
    """`<key = value, ...>` of an attribute; values without quotes are words."""
    scanner = Scanner(body)
    found: dict[str, Any] = {}
    scanner.expect("<")
    while not scanner.accept(">"):
        key = scanner.need(_KEY, f"a parameter of {text}")[0]
        scanner.expect("=")
        piece = scanner.piece(",>")
        value = _layout(piece, f"#xetile.wg_map{piece}") if key == "wg_map" else read_attribute(piece)
        found[key] = value.text if isinstance(value, Opaque) else value
        scanner.accept(",")
    return found


def _layout(body: str, text: str) -> Any:
    # The RFC's wg_map has no order; ours prints it where it is not row-major, as seed 003's does.
    named = text.replace("#xetile.wg_map", "#xegpu.wg_map")
    try:
        return parse_layout(re.sub(r":\s*i\d+", "", named))
    except LayoutError as error:
        raise MlirTextError(error.message, hint=error.hint) from None


def _with_parameters(kind: Callable[..., Any]) -> Callable[[str, str], Any]:
    def read(body: str, text: str) -> Any:
        found = read_parameters(body, text)
        for field in fields(kind):  # type: ignore[arg-type]
            if field.name in found:
                _check_like(found[field.name], field.default, f"{field.name} of {shortened(text)}")
        try:
            return kind(**found)
        except TypeError:
            known = ", ".join(kind.__dataclass_fields__)  # type: ignore[attr-defined]
            raise MlirTextError(f"{text} has a parameter that LLVM 22 does not have", hint=f"it takes {known}") from None

    return read


def _check_like(value: Any, default: Any, what: str) -> None:
    """Raise MlirTextError for a parameter of another kind than it has when nothing is said; words are memory spaces."""
    numbers = not isinstance(default, tuple) or (isinstance(value, tuple) and all(type(item) is int for item in value))
    if type(value) is not type(default) or not numbers or (isinstance(default, str) and value not in MEMORY_SPACES):
        raise MlirTextError(f"{what} cannot be {shortened(str(value))}")


def _cache_hint(body: str, text: str) -> CacheHint:
    value = body.strip("<> ")
    if value not in CACHE_HINTS:
        raise MlirTextError(f"there is no {text}", hint=f"one of {', '.join(CACHE_HINTS)}")
    return CacheHint(value)


def _range(body: str, text: str) -> RangeAttr:
    ends = read_attribute(body.removeprefix("<").removesuffix(">"))
    if not isinstance(ends, tuple) or len(ends) != 2 or not all(type(n) is int for n in ends):
        raise MlirTextError(f"cannot read {shortened(text)}", hint="#xegpu.range<[0, 4]>")
    return RangeAttr(*ends)


_READERS: dict[str, Callable[[str, str], Any]] = {
    "#xegpu.layout": _layout,
    "#xegpu.slice": _layout,
    "#xetile.wg_map": _layout,
    "#xegpu.block_tdesc_attr": _with_parameters(BlockAttr),
    "#xegpu.scatter_tdesc_attr": _with_parameters(ScatterAttr),
    "#xegpu.mem_layout": _with_parameters(MemLayoutAttr),
    "#xegpu.cache_hint": _cache_hint,
    "#xegpu.range": _range,
}
_BY_START: tuple[tuple[str, Callable[[Scanner], Any]], ...] = (
    ('"', Scanner.string),
    ("[", _list),
    ("array<", _array),
    ("dense<", _dense),
)
