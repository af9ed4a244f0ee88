"""What goes element by element: atomic updates, running sums."""

from __future__ import annotations

from xetile.dialects import memory, scf, xetile
from xetile.dialects.types import I1, INDEX
from xetile.ir.core import Block
from xetile.ir.dispatch import Table
from xetile.passes.common.reductions import combiner
from xetile.passes.vectors.elementwise import resized
from xetile.passes.vectors.loops import spans
from xetile.passes.vectors.numbers import Number
from xetile.passes.vectors.places import Scattered
from xetile.passes.vectors.state import Lowering, shape2
from xetile.passes.vectors.storage import Splat, Stored

LOWER = Table()


@LOWER(xetile.TileScan)
def _scan(op: xetile.TileScan, lower: Lowering) -> Stored:
    source = lower.env[op.source]
    if isinstance(source, Splat):
        source = lower.materialize(op.source)
    rows, columns = source.shape
    out = lower.output(op.result)
    element, access, n = source.form.element, lower.access, lower.numbers
    combine = combiner(op.kind, element.is_float)

    def line(first: Number, step: int, count: int, width: int) -> None:
        """Combine `count` vectors of `width` elements, `step` apart, one after the other."""
        start = access.load(source.memory, first, width, element)
        access.store(start, out.memory, first)
        block = Block([INDEX, start.type])
        with lower.build.at(block):
            at = n.add(first, n.multiply(block.args[0], step))
            total = lower.build(combine, block.args[1], access.load(source.memory, at, width, element))
            access.store(total, out.memory, at)
            lower.build(scf.Yield, [total])
        lower.build.op(scf.For, n.value(1), n.value(count), n.value(1), [start], regions=[block], values=[start.type])

    if op.dim == 1:
        lower.edges.loop(0, rows, 1, lambda r: line(n.multiply(r, columns), 1, columns, 1))
        return out
    for (first, last), width in spans(columns, lower.lanes):
        lower.edges.loop(first, last, width, lambda c, w=width: line(c, columns, rows, w))  # type: ignore[misc]
    return out


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
