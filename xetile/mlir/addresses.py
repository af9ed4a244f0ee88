"""Addresses of arrays: memref.extract_aligned_pointer_as_index, and sums of them with bytes, which descriptors and lanes start at.

Where an array lies is known to the device alone, and who may touch what is told by arrays, so an address is no number here: it is an
array and the bytes behind its first element. Each use of it is a use of the array.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from xetile.dialects import arith, gpu, xegpu
from xetile.dialects.affine import Affine, affine_of
from xetile.dialects.types import I64, INDEX, WORDS, MemRefType, ScalarType
from xetile.errors import MlirTextError
from xetile.ir.builder import Builder
from xetile.ir.core import Op, Type, Value
from xetile.mlir.views import LONGEST, Place, View, as_value, extents_of, on_parts, steps_of
from xetile.records import dataclass

POINTER = "memref.extract_aligned_pointer_as_index"
METADATA = "memref.extract_strided_metadata"
_CASTS = ("arith.index_cast", "arith.index_castui", "index.casts", "index.castu")
_SUMS = ("arith.addi", "index.add")
_ONLY = "an address of an array is cast between index and i64, added to bytes, and given to ops of xegpu"


@dataclass(frozen=True)
class Term:
    """`value` times `bytes`."""

    value: Value
    bytes: int


@dataclass(frozen=True)
class Address:
    """So many bytes behind the first element of the array `root`."""

    root: Value
    type: Type = INDEX
    terms: tuple[Term, ...] = ()
    bytes: int = 0


def pointer(source: Value | View) -> Address:
    """The address that an array begins at; of a part it is that of the whole array."""
    return Address(source.root if isinstance(source, View) else source)


def metadata(build: Builder, source: Value | View) -> list[Any]:
    """The array, where a part of it starts in elements, sizes and strides. Raises MlirTextError for those of a run."""
    known: Any = source.type
    numbers = [n for n in (*extents_of(source), *steps_of(source)) if n is not None]
    if len(numbers) != 2 * known.rank:
        raise MlirTextError(f"{known} has sizes or strides that are known only at run time", hint="pass them as arguments")
    start: Value = build(arith.Constant, value=0, result=INDEX)
    for place in source.places if isinstance(source, View) else ():
        step = build(arith.MulI, place.offset, build(arith.Constant, value=place.stride, result=INDEX))
        start = build(arith.AddI, start, step)
    root = source.root if isinstance(source, View) else source
    return [root, start, *(as_value(build, n) for n in numbers)]


def computed(name: str, operands: Sequence[Any], results: Sequence[Type]) -> Address:
    """What arithmetic makes of an address. Raises MlirTextError for all but casts to 64 bits and sums with bytes."""
    addresses = [item for item in operands if isinstance(item, Address)]
    address = addresses[0]
    if name in _CASTS and list(results) in ([INDEX], [I64]):
        return replace(address, type=results[0])
    if name not in _SUMS or len(addresses) > 1:
        raise MlirTextError(f"{name} of the address of an array: only the device knows that number", hint=_ONLY)
    (other,) = (item for item in operands if item is not address)
    added = _linear(other)
    terms = (Term(symbol, times) for symbol, times in added.coefficients.items())
    return replace(address, terms=(*address.terms, *terms), bytes=address.bytes + added.constant)


def _linear(value: Value) -> Affine:
    """A number as a sum of products with constants, through casts between integers of 64 bits; narrower sums wrap."""
    return affine_of(value, lambda v: v.type not in (I64, INDEX) or isinstance(v.op, arith.SubI), _uncast)


def _uncast(value: Value) -> Value:
    while isinstance(value.op, arith.INDEX_CASTS) and {value.type, value.op.operands[0].type} <= {I64, INDEX}:
        value = value.op.operands[0]
    return value


def on_addresses(build: Builder, kind: type[Op], groups: list[Any], values: dict[str, Any], results: Sequence[Type]) -> list[Any]:
    """The operands, by declared field, of an op that takes memory, with arrays in the place of addresses.

    Raises MlirTextError for ops that take no address.
    """
    at = next((i for i, group in enumerate(groups) if isinstance(group, Address)), None)
    if at is None:
        return groups
    of = _ELEMENTS.get(kind)
    element = of(kind, groups, values, results) if of is not None else None
    if not isinstance(element, ScalarType):
        raise MlirTextError(f"{kind.opname} takes no address of an array", hint=_ONLY)
    groups[at] = _view(build, groups[at], element)
    return on_parts(build, kind, groups)


def refuse_places(name: str, operands: Sequence[Any]) -> None:
    """Raise MlirTextError where an op is given what is no value: an address, a part of an array or of shared memory."""
    if any(isinstance(item, Address) for item in operands):
        raise MlirTextError(f"{name} takes no address of an array", hint=_ONLY)
    if not all(isinstance(item, Value) for item in operands):
        raise MlirTextError(f"{name} takes no part of an array", hint="pass its offsets on, and take the part where it is used")


class Joins:
    """Addresses that a loop or branch passes on: of each only the bytes change, so a number goes through, of the same array."""

    def __init__(self, given: Sequence[Any]) -> None:
        self.addresses = {i: item for i, item in enumerate(given) if isinstance(item, Address)}

    def yielded(self, build: Builder, operands: Sequence[Any]) -> list[Any]:
        """What a region gives, with numbers in the place of addresses. Raises MlirTextError where they are of several arrays."""
        for i, item in enumerate(operands):
            known = self.addresses.setdefault(i, item) if isinstance(item, Address) else self.addresses.get(i)
            if known is not None and (not isinstance(item, Address) or item.root is not known.root):
                raise MlirTextError(
                    "a loop or branch joins addresses of several arrays, or an address and a number",
                    hint="access each array in a branch of its own, and let the values go on",
                )
        return [number_of(build, item) if isinstance(item, Address) else item for item in operands]

    def arrived(self, values: Sequence[Value]) -> list[Any]:
        """What a region is given, or gives: addresses where they were."""
        return [
            replace(self.addresses[i], type=v.type, terms=(Term(v, 1),), bytes=0) if i in self.addresses else v
            for i, v in enumerate(values)
        ]


def number_of(build: Builder, address: Address) -> Value:
    """The bytes behind the array's first element."""
    total: Value = build(arith.Constant, value=address.bytes, result=INDEX)
    for term in address.terms:
        step = _index(build, term.value)
        if term.bytes != 1:
            step = build(arith.MulI, step, build(arith.Constant, value=term.bytes, result=INDEX))
        total = build(arith.AddI, total, step)
    return total if address.type is INDEX else build(arith.IndexCast, total, result=address.type)


def _of_result(kind: Any, groups: list[Any], values: dict[str, Any], results: Sequence[Type]) -> Any:
    return getattr(results[0], "element", results[0]) if results else None


def _of_value(kind: Any, groups: list[Any], values: dict[str, Any], results: Sequence[Type]) -> Any:
    value = groups[[field.name for field in kind.operand_fields].index("value")]
    return getattr(value.type, "element", value.type)


def _of_words(kind: Any, groups: list[Any], values: dict[str, Any], results: Sequence[Type]) -> Any:
    """Offsets from an address count what they are aligned to (seed 002, offset_align_byte)."""
    return WORDS.get(values.pop("offset_align_byte", None))


_ELEMENTS: dict[type[Op], Callable[..., Any]] = {
    xegpu.CreateNdTdesc: _of_result,
    xegpu.CreateTdesc: _of_result,
    xegpu.Load: _of_result,
    xegpu.Store: _of_value,
    xegpu.Prefetch: _of_words,
}
"""What an op that takes an address counts in."""


def _view(build: Builder, address: Address, element: ScalarType) -> View:
    """The memory behind an address as a line of elements, where nobody but the user knows its end."""
    size, root = max(1, element.bits // 8), address.root
    memory: Any = root.type
    if memory.element is not element:
        root = build(gpu.ElementCast, root, result=MemRefType((None,), element, (1,), memory.space))
    places = []
    for term in address.terms:
        if term.bytes % size == 0:
            places.append(Place(_index(build, term.value), term.bytes // size, LONGEST))
        else:
            whole = build(arith.MulI, _index(build, term.value), build(arith.Constant, value=term.bytes, result=INDEX))
            places.append(Place(build(arith.DivUI, whole, build(arith.Constant, value=size, result=INDEX)), 1, LONGEST))
    if address.bytes % size:
        raise MlirTextError(f"an address {address.bytes} bytes behind the start of an array is none of a {element}")
    if address.bytes:
        places.append(Place(build(arith.Constant, value=1, result=INDEX), address.bytes // size, 2))
    return View(root, MemRefType((None,), element, (1,), memory.space), tuple(places))


def _index(build: Builder, value: Value) -> Value:
    return value if value.type is INDEX else build(arith.IndexCast, value, result=INDEX)
