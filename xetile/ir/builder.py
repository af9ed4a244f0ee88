"""Making ops: `build(xegpu.Dpas, a, b, acc)` puts one at the insertion point and gives its result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, repeat
from typing import Any

from xetile.errors import Location
from xetile.ir.core import Block, Field, Op, OpT, Type, Value


def create(kind: type[OpT], /, *operands: Any, loc: Location | None = None, **parts: Any) -> OpT:
    """An op that stands nowhere yet.

    Operands come in the declared order: a Value, None for an absent optional one, a sequence for a variadic one. Keywords are
    attributes (None leaves one out), result types, by the result's name where they cannot be inferred, and `regions`.
    """
    return _made(kind, operands, parts, loc)


def _made(kind: type[OpT], operands: Sequence[Any], parts: dict[str, Any], loc: Location | None) -> OpT:
    """The same of a tuple and a dict, which it may keep: nearly every op of a compilation is made here."""
    segments: tuple[int, ...] | None = None
    if len(operands) != kind.takes:
        operands, segments = operands_of(kind, operands)
    field, type, blocks = kind.only_result, None, ()
    if field is None:
        return _made_with_several(kind, operands, segments, parts, loc)
    if parts:
        type = parts.pop(field.name, None)
        if "regions" in parts:
            blocks = parts.pop("regions")
        if parts:
            parts = _given(parts)
    op = kind(operands, segments, parts, (), [*blocks], loc)
    if type is None:
        type = field.infer(op) if field.infer is not None else _result_type(op, field)
    op.results = [Value(type, op, 0)]
    return op


def _made_with_several(kind: type[OpT], operands: Sequence[Any], segments: tuple[int, ...] | None, parts: dict[str, Any],
                       loc: Location | None) -> OpT:  # fmt: skip
    """An op with another number of results than one."""
    fields = kind.result_fields
    blocks, types = parts.pop("regions", ()), [parts.pop(field.name, None) for field in fields] if fields else ()
    op = kind(operands, segments, _given(parts), (), [*blocks], loc)
    if fields:
        op.results = [Value(type, op, i) for i, type in enumerate(_result_types(op, fields, types))]
    return op


def _given(parts: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in parts.items() if value is not None} if parts else parts


def operands_of(kind: type[Op], operands: Sequence[Any]) -> tuple[Sequence[Value], tuple[int, ...] | None]:
    """Operands as they are given to `create`, one after the other, and how many of them each declared field has."""
    if not kind.segmented:
        if len(operands) != len(kind.operand_fields):
            raise TypeError(f"{kind.opname} takes {len(kind.operand_fields)} operands, not {len(operands)}")
        return operands, None
    fields = kind.operand_fields
    if len(operands) > len(fields):
        raise TypeError(f"{kind.opname} takes at most {len(fields)} operands, not {len(operands)}")
    parts = [(value,) if value.__class__ is Value else () if value is None else value for value in operands]
    counts = (*map(len, parts), *repeat(0, len(fields) - len(operands)))
    if 0 in counts:
        for field, count in zip(fields, counts):
            if not count and not field.optional and not field.variadic:
                raise TypeError(f"{kind.opname} needs operand {field.name}")
    return [*chain.from_iterable(parts)], counts


def _result_types(op: Op, fields: tuple[Field, ...], given: Sequence[Any]) -> Sequence[Type]:
    types: list[Type] = []
    for field, type in zip(fields, given):
        if field.variadic:
            types += type or ()
        else:
            types.append(_result_type(op, field) if type is None else type)
    return types


def _result_type(op: Op, field: Field) -> Type:
    if field.infer is None:
        raise TypeError(f"{op.opname}: the type of result {field.name} must be given")
    type: Type = field.infer(op)
    return type


class Builder:
    """Puts ops into a block: before the op `anchor`, or at the end. `loc` is given to each op that is made."""

    __slots__ = ("_position", "anchor", "block", "loc")

    def __init__(self, block: Block, loc: Location | None = None, anchor: Op | None = None) -> None:
        self.block = block
        self.loc = loc
        self.anchor = anchor
        self._position = 0

    def place(self, op: Op) -> None:
        """Put an op that stands nowhere at the insertion point."""
        if self.anchor is None:
            self.block.append(op)
        else:
            ops, position = self.block.ops, self._position
            if position >= len(ops) or ops[position] is not self.anchor:  # several ops go before one
                position = self.block.place_of(self.anchor)
            self.block.insert(position, [op])
            self._position = position + 1

    def op(self, kind: type[OpT], /, *operands: Any, **parts: Any) -> OpT:
        """Make an op of this kind and give the op itself."""
        op = _made(kind, operands, parts, self.loc)
        if self.anchor is None:
            self.block.append(op)
        else:
            self.place(op)
        return op

    def __call__(self, kind: type[Op], /, *operands: Any, **parts: Any) -> Value:
        """Make an op of one result and give that. Of an op without results nothing is to be taken; `op` serves those with several."""
        op = _made(kind, operands, parts, self.loc)
        if self.anchor is None:
            self.block.append(op)
        else:
            self.place(op)
        if len(op.results) == 1:
            return op.results[0]
        return tuple(op.results) or op  # type: ignore[return-value]

    def clone(self, op: Op, operands: Sequence[Value], types: Sequence[Type] | None = None,
              attributes: dict[str, Any] | None = None) -> Op:  # fmt: skip
        """The same op without its regions, with other operands, and with other result types and attributes where they are given."""
        made = type(op)(operands, op.segments, dict(op.attributes) if attributes is None else attributes,
                        [r.type for r in op.results] if types is None else types, [], op.loc)  # fmt: skip
        if self.anchor is None:
            self.block.append(made)
        else:
            self.place(made)
        return made

    def copy(self, op: Op, became: dict[Value, Value]) -> Op:
        """The same op with all in it, on what its operands became; `became` then tells of its results and of all values in it."""
        made = self.clone(op, [became.get(v, v) for v in op.operands])
        for old, new in zip(op.results, made.results):
            new.name = old.name
        became.update(zip(op.results, made.results))
        for block in op.regions:
            inner = Block([a.type for a in block.args], [a.name for a in block.args])
            inner.parent = made
            made.regions.append(inner)
            became.update(zip(block.args, inner.args))
            with self.at(inner):
                for contained in block.ops:
                    self.copy(contained, became)
        return made

    @contextmanager
    def at(self, block: Block) -> Iterator[Block]:
        """Insert at the end of another block for a while."""
        saved = self.block, self.anchor
        self.block, self.anchor = block, None
        try:
            yield block
        finally:
            self.block, self.anchor = saved

    @contextmanager
    def located(self, loc: Location | None) -> Iterator[None]:
        """Give this place to the ops made for a while."""
        saved, self.loc = self.loc, loc
        try:
            yield
        finally:
            self.loc = saved
