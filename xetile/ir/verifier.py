"""Rules that hold in every module: values are defined before use and know their uses, blocks end in a terminator, op parts are as
declared.
"""

from __future__ import annotations

from typing import NamedTuple

from xetile.errors import VerifyError
from xetile.ir.core import UNIT, Block, Field, Op, Value, regions_of


def verify(op: Op) -> None:
    """Check an op and all in it; raises VerifyError at the first broken rule."""
    _verify_op(op, set())
    _verify_uses(op)


def _verify_uses(root: Op) -> None:
    """Each value knows the ops that take it, how often, and no op that has left the module."""
    every, taken = list(root.walk()), 0
    for op in every:
        operands = op.operands
        taken += len(operands)
        once = len(operands) < 2 or len(set(operands)) == len(operands)
        for value in operands:
            if value.users.get(op) != (1 if once else operands.count(value)):
                raise op.fail(f"takes {value!r}, which has a wrong list of uses: {value.users}")
    values = [value for op in every for value in op.results]
    values += [arg for op in filter(regions_of, every) for block in op.regions for arg in block.args]
    if sum([sum(value.users.values()) for value in values]) != taken:
        inside = set(every)
        value = next(value for value in values if not inside.issuperset(value.users))
        raise (value.op or root).fail(f"{value!r} has a wrong list of uses: {[op for op in value.users if op not in inside]}")


def _verify_op(op: Op, visible: set[Value]) -> None:
    if not visible.issuperset(op.operands):
        undefined = next(value for value in op.operands if value not in visible)
        raise op.fail(f"uses {undefined!r} where it is not defined")
    _verify_fields(op)
    if op.regions:
        for block in op.regions:
            _verify_block(op, block, visible)
    op.verify()


def _verify_block(op: Op, block: Block, visible: set[Value]) -> None:
    if block.parent is not op:
        raise op.fail("holds a block that belongs to another op")
    inside = visible.union(block.args)
    for inner in block.ops:
        if inner.parent is not block:
            raise inner.fail("stands in a block that it does not know")
        if inner.terminator and inner is not block.ops[-1]:
            raise inner.fail("ends a block that goes on")
        _verify_op(inner, inside)
        inside.update(inner.results)


class _Rules(NamedTuple):
    """What a class of ops declares that can be broken: parts of certain types, by their position, and attributes."""

    operands: tuple[tuple[int, Field], ...]
    results: tuple[tuple[int, Field], ...]
    needed: tuple[str, ...]
    units: tuple[str, ...]


_known: dict[type[Op], _Rules] = {}


def _rules(kind: type[Op]) -> _Rules:
    found = _known.get(kind)
    if found is None:
        found = _known[kind] = _read_rules(kind)
    return found


def _read_rules(kind: type[Op]) -> _Rules:
    return _Rules(
        tuple((i, f) for i, f in enumerate(kind.operand_fields) if f.constraint is not None),
        tuple((i, f) for i, f in enumerate(kind.result_fields) if f.constraint is not None),
        tuple(f.name for f in kind.attribute_fields if not f.optional),
        tuple(f.name for f in kind.attribute_fields if f.constraint == "unit"),
    )


def _verify_fields(op: Op) -> None:
    rules, operands, attributes = _rules(type(op)), op.operands, op.attributes
    if op.segments is not None:
        _verify_segments(op, op.segments)
    else:
        for position, field in rules.operands:
            if position < len(operands) and not isinstance(operands[position].type, field.constraint):
                raise _wrong_operand(op, field, operands[position])
    for position, field in rules.results:
        if position < len(op.results) and not isinstance(op.results[position].type, field.constraint):
            raise op.fail(f"result {field.name} is {op.results[position].type}, not {_names(field.constraint)}")
    for name in rules.needed:
        if attributes.get(name) is None:
            raise op.fail(f"needs attribute {name}")
    for name in rules.units if attributes else ():
        if attributes.get(name) not in (None, UNIT):
            raise op.fail(f"attribute {name} says something by being there; it has no value")


def _verify_segments(op: Op, segments: tuple[int, ...]) -> None:
    start = 0
    for field, count in zip(op.operand_fields, segments):
        if count != 1 and not field.variadic and not (field.optional and count == 0):
            raise op.fail(f"needs operand {field.name}")
        if field.constraint is not None:
            for value in op.operands[start : start + count]:
                if not isinstance(value.type, field.constraint):
                    raise _wrong_operand(op, field, value)
        start += count


def _wrong_operand(op: Op, field: Field, value: Value) -> VerifyError:
    return op.fail(f"operand {field.name} is {value.type}, not {_names(field.constraint)}")


def _names(constraint: object) -> str:
    kinds = constraint if isinstance(constraint, tuple) else (constraint,)
    return " or ".join(k.__name__ for k in kinds)


__all__ = ["VerifyError", "verify"]
