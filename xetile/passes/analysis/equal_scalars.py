"""Scalars that are equal: since the same is worked out of the same, or since the kernel states that sizes of its arrays are."""

from __future__ import annotations

from collections.abc import Hashable

from xetile.dialects.gpu import GpuFunc
from xetile.dialects.types import ScalarType
from xetile.ir.classes import Classes
from xetile.ir.core import Block, Op, Value
from xetile.ir.interfaces import enclosing
from xetile.requirements import Requirements


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
        found = next((v for v in known.setdefault(key, []) if _block_of(v) in around), None)
        if found is None:
            known[key].append(op.results[0])
        else:
            first[op.results[0]] = found
    return first


def asserted_sizes(kernel: GpuFunc) -> dict[Value, Value]:
    """For sizes of arrays that are those of others, as each launch makes sure (`assert X.shape == Y.shape`): the first of them."""
    text = kernel.requires
    if text is None:
        return {}
    stated = Requirements.parse(text)
    sizes = {("dim", spec.param, spec.axis): arg for arg, spec in zip(kernel.body.args, kernel.args) if spec.kind == "dim"}
    equal, ahead = Classes[Value](), [one.step for one in stated.asserted]
    while ahead:
        name, *operands = stated.steps[ahead.pop()]
        if name == "and":
            ahead += operands
        elif name == "eq":
            one, other = (sizes.get(tuple(stated.steps[i])) for i in operands)
            if one is not None and other is not None:
                equal.unite(one, other)
    first: dict[Value, Value] = {}
    for size in sizes.values():
        first.setdefault(equal.root(size), size)
    return {size: found for size in sizes.values() if (found := first[equal.root(size)]) is not size}


def _plain(value: Value) -> Hashable:
    """A value, or the constant that it is."""
    op: Op | None = value.op
    return (op.attributes["value"], value.type) if op is not None and op.constant_like and "value" in op.attributes else value


def _block_of(value: Value) -> Block | None:
    return None if value.op is None else value.op.parent


__all__ = ["asserted_sizes", "equal_scalars"]
