"""Scalars that are equal: since the same is worked out of the same, or since the kernel states that sizes of its arrays are."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from xetile.dialects import arith
from xetile.dialects.gpu import GpuFunc
from xetile.dialects.types import INDEX, ScalarType
from xetile.ir.classes import Classes
from xetile.ir.core import Op, Value
from xetile.ir.interfaces import block_of, enclosing
from xetile.requirements import NONE, Requirements


def equal_scalars(kernel: GpuFunc) -> dict[Value, Value]:
    """For scalars that pure ops work out again, in a block of the first one's or inside of it: that one."""
    first: dict[Value, Value] = {}
    known: dict[Hashable, list[Value]] = {}
    for op in kernel.walk():
        if (
            not op.pure
            or op.regions
            or op.constant_like
            or len(op.results) != 1
            or not isinstance(op.results[0].type, ScalarType)
        ):
            continue
        operands = tuple(first.get(v, _plain(v)) for v in op.operands)
        key = (type(op), operands, tuple(sorted(op.attributes.items(), key=lambda item: item[0])), op.results[0].type)
        around = {op.parent, *(holder.parent for holder in enclosing(op))}
        found = next((v for v in known.setdefault(key, []) if block_of(v) in around), None)
        if found is None:
            known[key].append(op.results[0])
        else:
            first[op.results[0]] = found
    return first


Name = tuple[str | int, ...]
"""("dim", parameter, axis), ("stride", parameter, axis), ("scalar", parameter) or ("number", what it is)."""
_LENGTHS = {"scalar": 2, "number": 2}


def named_scalars(kernel: GpuFunc) -> dict[Name, Value]:
    """The indices that are arguments of a kernel: sizes and strides of arrays, then numbers, of others than indices what is made of them."""
    args = kernel.specs.items()
    found: dict[Name, Value] = {(spec.kind, spec.param, spec.axis): arg for arg, spec in args if spec.kind in ("dim", "stride")}
    for arg, spec in args:
        if spec.kind == "scalar":
            made = (
                arg if arg.type is INDEX else next((op.results[0] for op in arg.users if isinstance(op, arith.IndexCast)), None)
            )
            found |= {} if made is None else {("scalar", spec.param): made}
    return found


def equal_arguments(kernel: GpuFunc) -> dict[Value, Value]:
    """For `named_scalars` that are others, as each launch makes sure (`assert X.shape == Y.shape`, `GpuFunc.same`): the first of them."""
    named, equal = named_scalars(kernel), Classes[Value]()
    for one, other in (*_asserted(kernel.requires), *map(parted, kernel.same)):
        if one in named and other in named:
            equal.unite(named[one], named[other])
    first: dict[Value, Value] = {}
    for value in named.values():
        first.setdefault(equal.root(value), value)
    return {value: found for value in named.values() if (found := first[equal.root(value)]) is not value}


def known_arguments(kernel: GpuFunc) -> dict[Value, int]:
    """The `named_scalars` that are a number at each launch, as it makes sure (`GpuFunc.same`)."""
    named = named_scalars(kernel)
    pairs = map(parted, kernel.same)
    return {named[one]: int(other[1]) for one, other in pairs if other[0] == "number" and one in named}


def parted(text: str) -> tuple[Name, Name]:
    """The two scalars that an entry of `GpuFunc.same` names."""
    words = [int(word) if word.isdecimal() else word for word in text.split()]
    length = _LENGTHS.get(str(words[0]), 3)
    return tuple(words[:length]), tuple(words[length:])


def _asserted(text: str | None) -> Iterator[tuple[Name, Name]]:
    """The sizes that a kernel states to be the same."""
    stated = NONE if text is None else Requirements.parse(text)
    ahead = [one.step for one in stated.asserted]
    while ahead:
        name, *operands = stated.steps[ahead.pop()]
        if name == "and":
            ahead += operands
        elif name == "eq" and all(stated.steps[i][0] == "dim" for i in operands):
            one, other = (stated.steps[i] for i in operands)
            yield tuple(one), tuple(other)


def _plain(value: Value) -> Hashable:
    """A value, or the constant that it is."""
    op: Op | None = value.op
    return (op.attributes["value"], value.type) if op is not None and op.constant_like and "value" in op.attributes else value


__all__ = ["Name", "equal_arguments", "equal_scalars", "known_arguments", "named_scalars", "parted"]
