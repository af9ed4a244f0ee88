"""Scattered access with chunks, through blocking and the lowering: each lane's neighbours go by one message (seed 000, chunk_size).

In XeTile the ops are xegpu's own: an offset and a mask for each row of the value, columns without their last dimension, as upstream's
verifier wants it.
"""

from __future__ import annotations

from xetile.dialects import vector, xegpu
from xetile.dialects.types import ScalarType, VectorType, shape_of
from xetile.ir.core import Attributes, Op, Value, type_of
from xetile.ir.dispatch import Table
from xetile.layout import Layout
from xetile.passes.block.blocking import Blocking
from xetile.passes.block.lowering import Lowering, aligned
from xetile.passes.block.matrices import Matrix, matrix, reblock
from xetile.target import Target

BLOCK = Table()
LOWER = Table()


def takes_chunks(target: Target, shape: tuple[int, ...], element: ScalarType) -> bool:
    """Whether messages of the target move a value of `shape` by rows: whole subgroups of lanes, a legal chunk for each."""
    rows, chunk = shape
    return rows % target.subgroup_size == 0 and chunk in target.legal_chunks(max(1, element.bits // 8))


def _attributes(op: Op) -> Attributes:
    return {name: v for name, v in op.attributes.items() if name == "chunk_size" or name.endswith("_hint")}


@BLOCK(vector.ShapeCast)
def _block_lines(op: vector.ShapeCast, c: Blocking) -> Value:
    """A column without its last dimension, as blocks of one number for each lane."""
    column = c.want(op.source, (c.target.subgroup_size, 1))
    return c.build(vector.ShapeCast, column, result=type_of(column, VectorType).with_shape(*shape_of(column.type)[:-1]))


@LOWER(vector.ShapeCast)
def _lower_lines(op: vector.ShapeCast, c: Lowering) -> Matrix:
    """Lanes have the same numbers in both shapes."""
    return c.matrix(op.source)


@BLOCK(xegpu.Load)
def _block_load(op: xegpu.Load, c: Blocking) -> Value:
    rows, chunk = op.value.type.shape
    kind = op.value.type.with_shape(rows // c.target.subgroup_size, 1, c.target.subgroup_size, chunk)
    operands = c.one(op.source), c.one(op.offsets), c.one(op.mask)
    return c.build(xegpu.Load, *operands, value=kind, **_attributes(op))


@BLOCK(xegpu.Store)
def _block_store(op: xegpu.Store, c: Blocking) -> None:
    value = c.want(op.value, (c.target.subgroup_size, op.value.type.shape[1]))
    c.build.op(xegpu.Store, value, c.one(op.dest), c.one(op.offsets), c.one(op.mask), **_attributes(op))


def _by_rows(c: Lowering) -> Layout:
    """Each lane has a row: what a message with chunks gives (seed 000, rules for loads with chunk_size)."""
    return Layout(lane_layout=(c.target.subgroup_size, 1), lane_data=(1, 1))


def _column(value: Value, c: Lowering) -> list[Value]:
    """A column as vectors over the lanes, one for each subgroup of its rows."""
    layout, block = _by_rows(c), (c.target.subgroup_size, 1)
    held = aligned(reblock(c.build, c.matrix(value), block), layout, c)
    return [c.access.part(v, 0, 0, block, layout) for v in held.grid().values()]


@LOWER(xegpu.Load)
def _lower_load(op: xegpu.Load, c: Lowering) -> Matrix:
    layout, base = _by_rows(c), c.one(op.source)
    groups, _, lanes, chunk = op.value.type.shape
    kind = op.value.type.with_shape(lanes, chunk)
    values = [
        c.build(xegpu.Load, base, where, mask, value=kind, layout_result_0=layout, **_attributes(op))
        for where, mask in zip(_column(op.offsets, c), _column(op.mask, c), strict=True)
    ]
    return matrix((groups * lanes, chunk), (lanes, chunk), values, layout)


@LOWER(xegpu.Store)
def _lower_store(op: xegpu.Store, c: Lowering) -> None:
    source = c.matrix(op.value)
    block = (c.target.subgroup_size, source.shape[1])
    rows = aligned(reblock(c.build, source, block), _by_rows(c), c).grid().values()
    for value, where, mask in zip(rows, _column(op.offsets, c), _column(op.mask, c), strict=True):
        c.build.op(xegpu.Store, value, c.one(op.dest), where, mask, **_attributes(op))
