"""What goes element by element: atomic updates."""

from __future__ import annotations

from xetile.dialects import memory, scf, xetile
from xetile.dialects.types import I1, INDEX
from xetile.ir.core import Block
from xetile.ir.dispatch import Table
from xetile.passes.vectors.elementwise import resized
from xetile.passes.vectors.numbers import Number
from xetile.passes.vectors.places import Scattered
from xetile.passes.vectors.state import Lowering, shape2
from xetile.passes.vectors.storage import Stored

LOWER = Table()


@LOWER(xetile.AtomicRmwTile)
def _atomic(op: xetile.AtomicRmwTile, lower: Lowering) -> Stored:
    """Element after element; 0 where nothing is changed."""
    place = lower.env[op.tile]
    rows, columns = shape2(op.value.type)
    value, out = lower.materialize(op.value), lower.output(op.result)
    mask = None if op.mask is None else lower.materialize(op.mask)
    offsets = lower.materialize(place.offsets) if isinstance(place, Scattered) else None
    n, access, element = lower.numbers, lower.access, op.value.type.element

    def one(row: Number, column: Number) -> None:
        at = n.add(n.multiply(row, columns), column)
        if offsets is not None:
            found = access.load_one(offsets.memory, at, offsets.form.element)
            index, there = resized(lower.build, found, INDEX, signed=True), True
        else:
            index, there = lower.edges.element(place, row, column)
        if mask is not None:
            there = n.both(there, access.load_one(mask.memory, at, I1))
        change = Block()
        with lower.build.at(change):
            given = access.load_one(value.memory, at, element)
            old = lower.build(memory.AtomicRmw, given, place.memory, n.value(index), kind=op.kind)
            access.store(old, out.memory, at)
            lower.build(scf.Yield, ())
        otherwise = Block()
        with lower.build.at(otherwise):
            access.store(access.constant(0, element), out.memory, at)
            lower.build(scf.Yield, ())
        lower.build.op(scf.If, n.truth(there), regions=[change, otherwise], values=())

    lower.edges.loop(0, rows, 1, lambda r: lower.edges.loop(0, columns, 1, lambda c: one(r, c)))
    return out
