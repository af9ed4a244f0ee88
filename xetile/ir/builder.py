"""Making ops: `build(xegpu.Dpas, a, b, acc)` appends one at the insertion point and gives its result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from xetile.errors import Location
from xetile.ir.core import Block, Field, Op, OpT, Type, Value


def create(kind: type[OpT], /, *operands: Any, loc: Location | None = None, regions: Sequence[Block] = (), **parts: Any) -> OpT:
    """An op that stands nowhere yet.

    Operands come in the declared order: a Value, None for an absent optional one, a sequence for a variadic one. Keywords are
    attributes (None leaves one out) and result types, the latter by the result's name where they cannot be inferred.
    """
    flat: list[Value] = []
    segments: tuple[int, ...] | None = None
    if kind.segmented:
        segments = _flatten(kind, operands, flat)
    else:
        flat.extend(operands)
        if len(flat) != len(kind.operand_fields):
            raise TypeError(f"{kind.opname} takes {len(kind.operand_fields)} operands, not {len(flat)}")
    types = [parts.pop(f.name, None) for f in kind.result_fields]
    attributes = {name: value for name, value in parts.items() if value is not None}
    op = kind(flat, segments, attributes, (), list(regions), loc)
    op.results = [Value(t, op, i) for i, t in enumerate(_result_types(op, kind.result_fields, types))]
    return op


def _flatten(kind: type[Op], operands: Sequence[Any], flat: list[Value]) -> tuple[int, ...]:
    counts: list[int] = []
    given = list(operands) + [None] * (len(kind.operand_fields) - len(operands))
    if len(given) > len(kind.operand_fields):
        raise TypeError(f"{kind.opname} takes at most {len(kind.operand_fields)} operands, not {len(operands)}")
    for field, value in zip(kind.operand_fields, given):
        items = () if value is None else (tuple(value) if field.variadic else (value,))
        if not items and not field.optional and not field.variadic:
            raise TypeError(f"{kind.opname} needs operand {field.name}")
        flat.extend(items)
        counts.append(len(items))
    return tuple(counts)


def _result_types(op: Op, fields: tuple[Field, ...], given: list[Any]) -> Iterator[Type]:
    for field, type in zip(fields, given):
        if field.variadic:
            yield from type or ()
        elif type is not None:
            yield type
        elif field.infer is not None:
            yield field.infer(op)
        else:
            raise TypeError(f"{op.opname}: the type of result {field.name} must be given")


class Builder:
    """Appends ops to a block. `loc` is given to each op that is made."""

    __slots__ = ("block", "loc")

    def __init__(self, block: Block, loc: Location | None = None) -> None:
        self.block = block
        self.loc = loc

    def op(self, kind: type[OpT], /, *operands: Any, **parts: Any) -> OpT:
        """Append an op of this kind and give the op itself."""
        op = create(kind, *operands, loc=self.loc, **parts)
        op.parent = self.block
        self.block.ops.append(op)
        return op

    def __call__(self, kind: type[Op], /, *operands: Any, **parts: Any) -> Any:
        """Append an op and give its result: a Value, a tuple of them, or the op where it has none."""
        op = self.op(kind, *operands, **parts)
        if len(op.results) == 1:
            return op.results[0]
        return tuple(op.results) if op.results else op

    @contextmanager
    def at(self, block: Block) -> Iterator[Block]:
        """Insert into another block for a while."""
        saved, self.block = self.block, block
        try:
            yield block
        finally:
            self.block = saved

    @contextmanager
    def located(self, loc: Location | None) -> Iterator[None]:
        """Give this place to the ops made for a while."""
        saved, self.loc = self.loc, loc
        try:
            yield
        finally:
            self.loc = saved
