"""The declared parts of an op class, and the accessors that they become."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Field:
    """A declared part of an op class."""

    __slots__ = ("constraint", "default", "infer", "kind", "name", "optional", "variadic")

    def __init__(self, kind: str, constraint: Any = None, *, optional: bool = False, variadic: bool = False,
                 infer: Callable[[Any], Any] | None = None, default: Any = None) -> None:  # fmt: skip
        self.kind = kind
        self.name = ""
        self.constraint = constraint
        self.optional = optional
        self.variadic = variadic
        self.infer = infer
        self.default = default


def operand(constraint: Any = None, *, optional: bool = False, variadic: bool = False) -> Any:
    """Declare an operand; `constraint` is a Type class (or a tuple of them) that the value's type must be an instance of."""
    return Field("operand", constraint, optional=optional, variadic=variadic)


def result(constraint: Any = None, *, infer: Callable[[Any], Any] | None = None, variadic: bool = False) -> Any:
    """Declare a result; `infer(op)` gives its type where it follows from the operands and attributes."""
    return Field("result", constraint, infer=infer, variadic=variadic)


def attribute(constraint: Any = None, *, optional: bool = False, default: Any = None) -> Any:
    """Declare an attribute; with `default` or `optional` it may be left out."""
    return Field("attribute", constraint, optional=optional or default is not None, default=default)


def region() -> Any:
    """Declare a region: one block."""
    return Field("region")


def _operand_accessor(operands: tuple[Field, ...], field: Field, position: int) -> property:
    if not any(f.optional or f.variadic for f in operands[:position]):  # it always begins at the same place
        if field.variadic:
            return property(lambda op: op.operands[position : position + op.segments[position]])
        if field.optional:
            return property(lambda op: op.operands[position] if op.segments[position] else None)
        return property(lambda op: op.operands[position])
    if field.variadic:
        return property(lambda op: op.operands[slice(*op.operand_range(position))])
    if field.optional:

        def get(op: Any) -> Any:
            start, stop = op.operand_range(position)
            return op.operands[start] if stop > start else None

        return property(get)
    return property(lambda op: op.operands[op.operand_range(position)[0]])


def _result_accessor(operands: tuple[Field, ...], field: Field, position: int) -> property:
    if field.variadic:
        return property(lambda op: tuple(op.results[position:]))
    return property(lambda op: op.results[position])


def _attribute_accessor(operands: tuple[Field, ...], field: Field, position: int) -> property:
    name, default = field.name, field.default
    return property(lambda op: op.attributes.get(name, default))


def _region_accessor(operands: tuple[Field, ...], field: Field, position: int) -> property:
    return property(lambda op: op.regions[position])


ACCESSORS: dict[str, Callable[[tuple[Field, ...], Field, int], property]] = {
    "operand": _operand_accessor,
    "result": _result_accessor,
    "attribute": _attribute_accessor,
    "region": _region_accessor,
}
