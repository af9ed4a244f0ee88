"""Ops by themselves: tiles of memory, shared memory, waiting, elements, transposes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from xetile.dialects import gpu, vector, xegpu, xetile
from xetile.dialects.types import INDEX, MemRefType, ScalarType
from xetile.errors import UncoveredError
from xetile.ir.core import Op, Value
from xetile.ir.dispatch import Table
from xetile.passes.vectors.elementwise import resized
from xetile.passes.vectors.places import Line, Place, Scattered
from xetile.passes.vectors.state import Lowering, shape2
from xetile.passes.vectors.storage import Form, Splat, Stored, TileValue
from xetile.passes.vectors.transposes import StridedRows, copy_transposed

LOWER = Table()


@LOWER(xetile.InitTile)
def _init_tile(op: xetile.InitTile, lower: Lowering) -> Any:
    """A place from a base, offsets, sizes and strides; a base of rank 1 is one row."""
    base = lower.env[op.base]
    tile = op.result.type
    flat = lower.buffers.flat(base)
    if tile.scatter:
        return Scattered(flat, tile.element, op.offsets[0])
    known = lower.numbers.known
    lines = [Line(*(known(lower.scalar(v)) for v in parts)) for parts in zip(op.offsets, op.shape, op.strides)]
    if len(lines) == 1:
        lines.insert(0, Line(0, 1, 0))
    *lead, rows, columns = lines
    return Place(flat, tile.element, tile.shape, rows, columns, tuple(lead), op.base not in lower.read)


@LOWER(xetile.UpdateTileOffset)
def _update_tile_offset(op: xetile.UpdateTileOffset, lower: Lowering) -> Any:
    """The place moved."""
    place: Place = lower.env[op.tile]
    n = lower.numbers
    row, column = (n.value(lower.scalar(v)) for v in op.offsets[-2:])
    rows = Line(n.add(place.rows.offset, row), place.rows.extent, place.rows.stride)
    columns = Line(n.add(place.columns.offset, column), place.columns.extent, place.columns.stride)
    return replace(place, rows=rows, columns=columns)


@LOWER(gpu.Alloca)
def _alloca(op: gpu.Alloca, lower: Lowering) -> Value:
    """Shared local memory: a workgroup is one work-item, so that nobody shares it."""
    type: MemRefType = op.result.type
    count = 1
    for size in type.shape:
        assert size is not None
        count *= size
    return lower.buffers.allocate((1, count), type.element).memory


@LOWER(gpu.Barrier, gpu.BarrierArrive, gpu.BarrierWait, xetile.PrefetchTile)
def _nothing(op: Op, lower: Lowering) -> tuple[()]:
    """Work that one work-item need not do: waiting for itself, fetching ahead of the caches' own guesses."""
    return ()


@LOWER(xetile.TileTranspose)
def _transpose(op: xetile.TileTranspose, lower: Lowering) -> TileValue:
    """Blocks transposed in registers; a row is the column that it becomes."""
    held: TileValue = lower.env[op.source]
    shape = shape2(op.result.type)
    if isinstance(held, Splat):
        return Splat(shape, held.scalar)
    held = lower.materialize(op.source)
    out = lower.new(shape, Form(held.form.element), op.result)
    if 1 in shape:
        lower.copy(Stored(shape, held.form, held.buffer), out)
    else:
        rows, columns = held.shape
        source, target = StridedRows(held.memory, 0, columns), StridedRows(out.memory, 0, rows)
        copy_transposed(lower.edges, source, target, rows, columns, held.form.element)
    return out


@LOWER(xetile.TileConvLayout)
def _conv_layout(op: xetile.TileConvLayout, lower: Lowering) -> TileValue:
    """The value itself: one work-item holds all of it."""
    held: TileValue = lower.env[op.source]
    if isinstance(held, Stored):
        held.buffer.values.append(op.result)
    return held


@LOWER(xegpu.Fence)
def _fence(op: Op, lower: Lowering) -> tuple[()]:
    """Other workgroups see memory too."""
    lower.build(xegpu.Fence, **op.attributes)
    return ()


@LOWER(gpu.SubgroupId)
def _subgroup_id(op: Op, lower: Lowering) -> Value:
    """The only one."""
    if lower.old.num_subgroups != 1:
        raise UncoveredError("subgroups that diverge", at=op.loc)
    return lower.numbers.value(0)


@LOWER(vector.Extract)
def _extract(op: vector.Extract, lower: Lowering) -> Value:
    """An element of a tile value."""
    held: TileValue = lower.env[op.source]
    if not isinstance(op.result.type, ScalarType):
        raise UncoveredError(f"a part {op.result.type} of a value", at=op.loc)
    if isinstance(held, Splat):
        found = held.scalar
    else:
        row, column = op.position
        found = lower.access.load_one(held.memory, row * held.shape[1] + column, held.form.element)
    return resized(lower.build, found, INDEX, signed=True) if op.result.type is INDEX and found.type is not INDEX else found


@LOWER(gpu.Return)
def _return(op: Op, lower: Lowering) -> tuple[()]:
    lower.build(gpu.Return)
    return ()
