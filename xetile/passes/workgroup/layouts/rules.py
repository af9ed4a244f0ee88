"""The derivation rules of the RFC (seed 001, "Workgroup Level XeTile extension"), from results to operands and back.

`operand_layouts(op, layout)` gives for each operand the layout that follows from the result's (None: none does);
`result_layout(op, position, layout)` what follows for the result from one operand. Value ops that have no rule of their own are
elementwise: all their vectors have one layout.
"""

from __future__ import annotations

from xetile.dialects import vector, xetile
from xetile.dialects.rows import LoadRows, StoreRows
from xetile.dialects.types import VectorType
from xetile.ir.core import Op, Value
from xetile.ir.dispatch import Table
from xetile.layout import Layout, derive_broadcast, derive_mma, derive_transpose
from xetile.passes.analysis.owners import own_rows, row_major, shares

BACKWARD = Table()
FORWARD = Table()
Layouts = tuple[Layout | None, ...]


def shape_of(value: Value) -> tuple[int, int]:
    """Rows and columns of a vector or tile."""
    shape: tuple[int, int] = value.type.shape  # type: ignore[attr-defined]
    return shape


def operand_layouts(op: Op, layout: Layout) -> Layouts:
    """Layouts of the operands that follow from the result's."""
    rule = BACKWARD.find(type(op))
    if rule is not None:
        return rule(op, layout)  # type: ignore[no-any-return]
    return tuple(layout if isinstance(v.type, VectorType) else None for v in op.operands)


def result_layout(op: Op, position: int, layout: Layout) -> Layout | None:
    """The layout of the result that follows from operand `position`'s; None where it could be any."""
    rule = FORWARD.find(type(op))
    if rule is not None:
        return rule(op, (position, layout))  # type: ignore[no-any-return]
    return None


@BACKWARD(xetile.TileMma)
def _mma(op: xetile.TileMma, layout: Layout) -> Layouts:
    (m, k), n = shape_of(op.a), shape_of(op.b)[1]
    a, b = derive_mma(layout, m, n, k)
    return (a, b, layout) if op.acc is not None else (a, b)


@FORWARD(xetile.TileMma)
def _mma_forward(op: xetile.TileMma, given: tuple[int, Layout]) -> Layout | None:
    position, layout = given
    if position == 2:
        return layout
    shape = shape_of(op.result)
    part = shares(layout, shape_of(op.operands[position]))
    depth = part[1 - position]
    if depth.distinct > 1 or depth.rounds > 1:
        return None  # some of K is elsewhere: the product needs another layout of this operand
    other = even(shape[1 - position], layout.sg_layout[1 - position])
    kept = part[position].size
    data = (kept, other) if position == 0 else (other, kept)
    return layout.with_sg(layout.sg_layout, data)


@BACKWARD(xetile.TileReduce)
def _reduce(op: xetile.TileReduce, layout: Layout) -> Layouts:
    # Seed 001 gives the source the whole dimension; where more subgroups share the result they share the work instead.
    source = shape_of(op.source)
    sizes = [s.size for s in shares(layout, shape_of(op.result))]
    data = tuple(even(n, layout.sg_layout[d]) if d in op.dims else sizes[d] for d, n in enumerate(source))
    return (layout.with_sg(layout.sg_layout, data),)


@FORWARD(xetile.TileReduce)
def reduced(op: xetile.TileReduce, given: tuple[int, Layout]) -> Layout:
    """The layout of a reduction's result: one element along the reduced dimensions, the same owners."""
    return given[1].unsplit(op.dims)


@BACKWARD(xetile.TileBroadcast)
def _broadcast(op: xetile.TileBroadcast, layout: Layout) -> Layouts:
    return (derive_broadcast(layout, op.dims),)


@FORWARD(xetile.TileBroadcast)
def _broadcast_forward(op: xetile.TileBroadcast, given: tuple[int, Layout]) -> Layout:
    layout = given[1]
    sizes = [s.size for s in shares(layout, shape_of(op.source))]
    data = tuple(even(n, layout.sg_layout[d]) if d in op.dims else sizes[d] for d, n in enumerate(shape_of(op.result)))
    return layout.with_sg(layout.sg_layout, data)


@BACKWARD(LoadRows)
def _load_rows(op: LoadRows, layout: Layout) -> Layouts:
    column = derive_broadcast(layout, (1,))
    return tuple(column if isinstance(v.type, VectorType) else None for v in op.operands)


@BACKWARD(StoreRows)
def _store_rows(op: StoreRows, layout: Layout) -> Layouts:
    column = derive_broadcast(layout, (1,))
    return (layout, *(column if isinstance(v.type, VectorType) else None for v in op.operands[1:]))


@BACKWARD(xetile.TileTranspose)
def _transpose(op: xetile.TileTranspose, layout: Layout) -> Layouts:
    # Seed 001, appendix 2.3: each subgroup's piece is its own transpose, so nothing moves between subgroups.
    return (row_major(derive_transpose(layout, (1, 0)), shape_of(op.source)),)


@FORWARD(xetile.TileTranspose)
def _transpose_forward(op: xetile.TileTranspose, given: tuple[int, Layout]) -> Layout:
    return row_major(given[1].transpose((1, 0)), shape_of(op.result))


@BACKWARD(xetile.TileConvLayout)
def _convert(op: xetile.TileConvLayout, layout: Layout) -> Layouts:
    return (op.input_map,)


@BACKWARD(vector.Shuffle)
def _shuffle(op: vector.Shuffle, layout: Layout) -> Layouts:
    # Any row may be asked for: each subgroup has all of them, in its columns; where it picks of its own part of the rows, that.
    rows, columns = shares(layout, shape_of(op.result))
    parts = rows.distinct if rows.rounds == 1 and own_rows(op, rows.distinct) is not None else 1
    return tuple(layout.with_sg(layout.sg_layout, (shape_of(value)[0] // parts, columns.size)) for value in op.operands)


@BACKWARD(vector.Broadcast)
def _splat(op: vector.Broadcast, layout: Layout) -> Layouts:
    return (None,)


def even(extent: int, count: int) -> int:
    """An even share of `extent` elements; all of them where `count` does not divide it."""
    return extent // count if extent % count == 0 else extent


def words(layout: Layout) -> str:
    """A map as the user writes it."""
    text = f"sg_layout={list(layout.sg_layout)}, sg_data={list(layout.sg_data)}"
    return text if not layout.order else f"{text}, order={list(layout.order)}"
