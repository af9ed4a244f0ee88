"""Scalars that are equal since the same is worked out of the same: of each several the first one, where the others know it."""

from __future__ import annotations

from collections.abc import Hashable

from xetile.dialects.gpu import GpuFunc
from xetile.dialects.types import ScalarType
from xetile.ir.core import Block, Op, Value
from xetile.ir.interfaces import enclosing


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


def _plain(value: Value) -> Hashable:
    """A value, or the constant that it is."""
    op: Op | None = value.op
    return (op.attributes["value"], value.type) if op is not None and op.constant_like and "value" in op.attributes else value


def _block_of(value: Value) -> Block | None:
    return None if value.op is None else value.op.parent


__all__ = ["equal_scalars"]
