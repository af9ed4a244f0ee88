"""xetile: tiles of memory, and ops on 2-D values (blocked ones are 4-D: rows of blocks, columns of blocks, rows, columns)."""

# numpy's type information gives Any for most results.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from xetile.dialects import xetile
from xetile.dialects.rows import LoadRows, StoreRows
from xetile.dialects.types import VectorType
from xetile.layout import Layout
from xetile.records import dataclass

from .access import gather, load, scatter, store
from .checks import check_indices
from .machine import Machine, executes
from .memory import Dim, Memory, Region
from .owners import apart, converted, gathered, held_elements, owned
from .product import multiply, rounded_operand
from .reduce import accumulate, reduce
from .values import BATCH, LANE, Array, force, scalar, uniform, with_rank


@dataclass(frozen=True, eq=False)
class Scattered:
    """Elements that each have an offset of their own from the start of a memory."""

    memory: Memory
    offsets: Array

    def pick(self: ScatteredT, condition: Array, other: Scattered) -> ScatteredT:
        """This one where the condition holds."""
        return replace(self, offsets=np.where(with_rank(condition, self.offsets.ndim - BATCH), self.offsets, other.offsets))


ScatteredT = TypeVar("ScatteredT", bound=Scattered)


class ScatteredTile(Scattered):
    """A tile of such elements."""

    def addresses(self, m: Machine, mask: Array | None = None) -> tuple[Array, Array | None]:
        """Address of each element, and which are accessed: inside the memory, and where the mask is true."""
        return flat_addresses(m, self.memory, self.offsets, mask)


def flat_addresses(m: Machine, memory: Memory, offsets: Array, mask: Array | None) -> tuple[Array, Array | None]:
    """Addresses of elements at `offsets` (batch axes, and any more) from a memory's start, before which elements lie where an array has
    negative strides; which are inside, and in the mask.
    """
    rank = offsets.ndim - BATCH
    holds = (offsets >= -memory.base) & (offsets < memory.count - memory.base)
    inside = None if holds.all() else holds
    if m.monitor is not None:
        m.monitor.bounds(m, memory, offsets, inside, mask)
    start = sum((with_rank(d.offset, rank) * d.stride for d in memory.lead), np.int64(memory.base))
    return offsets + start, both(inside, mask)


def both(one: Array | None, other: Array | None) -> Array | None:
    """Where both hold; None is everywhere."""
    return other if one is None else one if other is None else one & other


@executes(xetile.InitTile)
def init_tile(m: Machine, op: xetile.InitTile, base: Memory, offsets: Sequence[Array], shape: Any, strides: Any) -> Any:
    """A rank-1 base is one row. Strides say how elements lie in memory, for any `order`."""
    tile = op.result.type
    if tile.scatter:
        return ScatteredTile(base, offsets[0])
    sizes = (1,) * (len(offsets) - 2) + tile.shape[-len(offsets) :]
    chosen = op.indexed or (-1,) * len(offsets)
    dims = [Dim(o, number(n), number(s), size, axis=axis) for o, n, s, size, axis in zip(offsets, shape, strides, sizes, chosen)]
    if len(dims) == 1:
        dims.insert(0, Dim(scalar(0), 1, 0, tile.shape[0]))
    return Region(base, tuple(dims), 2)


def number(value: Array) -> Any:
    """A size or stride as an int where it is the same in all programs."""
    found = uniform(value)
    return value if found is None else found


@executes(xetile.UpdateTileOffset)
def update_tile_offset(m: Machine, op: xetile.UpdateTileOffset, tile: Any, offsets: Sequence[Array]) -> Any:
    """Offsets add up."""
    if isinstance(tile, ScatteredTile):
        return replace(tile, offsets=tile.offsets + offsets[0])
    return tile.moved(offsets[-len(tile.dims) :])


@executes(xetile.LoadTile)
def load_tile(m: Machine, op: xetile.LoadTile, tile: Any) -> Array:
    """The elements, padded; in blocks where the tile is blocked."""
    if isinstance(tile, ScatteredTile):
        return gather(m, tile.memory, *tile.addresses(m), op.padding)
    check_indices(m, tile)
    return blocked(load(m, tile, op.padding, held_elements(m, op.tile.type.wg_map, tile.shape)), op.value.type)


@executes(xetile.StoreTile)
def store_tile(m: Machine, op: xetile.StoreTile, value: Array, tile: Any, origin: Sequence[Array]) -> None:
    """The elements that are inside, and whose owners are active."""
    layout = op.tile.type.wg_map
    if isinstance(tile, Region):
        check_indices(m, tile)
    if op.valid is not None:
        tile = _ending(tile, op.valid, origin)
    if isinstance(tile, ScatteredTile):
        scatter_owned(m, tile.memory, tile.addresses(m), value, layout)
    elif layout is not None and apart(m, value, *(d.offset for d in tile.dims)):
        scatter_owned(m, tile.memory, tile.addresses(), value, layout)
    else:
        store(m, tile, unblocked(value))


def _ending(tile: Region, valid: Sequence[int], origin: Sequence[Array]) -> Region:
    """A region of an array that ends where the part of a tile ends that is written."""
    starts = origin or (scalar(0), scalar(0))
    ends = (
        number(np.minimum(d.offset - start + n, d.extent)) if n >= 0 else d.extent
        for d, start, n in zip(tile.dims[-2:], starts, valid)
    )
    last = (Dim(d.offset, end, d.stride, d.size) for d, end in zip(tile.dims[-2:], ends))
    return replace(tile, dims=(*tile.dims[:-2], *last))


Addresses = tuple[Array, Array | None]
"""Where elements are, and which are inside."""


def scatter_owned(m: Machine, memory: Memory, where: Addresses, value: Array, layout: Layout | None) -> None:
    """Write elements one by one where inside and their owners are active."""
    address, inside, value, mask = owned(m, *where, value, layout)
    if mask is None:
        scatter(m, memory, address, inside, value)
        return
    with m.unmasked():
        scatter(m, memory, address, both(inside, mask), value)


@executes(xetile.PrefetchTile)
def prefetch_tile(m: Machine, op: xetile.PrefetchTile, tile: Any) -> None:
    """Nothing that can be seen."""


@executes(xetile.PrefetchTiles)
def prefetch_tiles(m: Machine, op: xetile.PrefetchTiles, tiles: Any, which: Any) -> None:
    """Nothing that can be seen."""


@executes(xetile.LoadGather)
def load_gather(m: Machine, op: xetile.LoadGather, tile: ScatteredTile, mask: Array) -> Array:
    """Padding where the mask is false."""
    return gather(m, tile.memory, *tile.addresses(m, mask), op.padding)


@executes(LoadRows)
def load_rows(m: Machine, op: LoadRows, base: Memory, *where: Any) -> Array:
    """A gather of the columns of each row."""
    return blocked(gather(m, base, *_of_rows(m, op, base, *where), 0), op.value.type)


@executes(StoreRows)
def store_rows(m: Machine, op: StoreRows, value: Array, base: Memory, *where: Any) -> None:
    """Only the columns in front of the end, of the rows that are there."""
    scatter_owned(m, base, _of_rows(m, op, base, *where), unblocked(value), op.wg_map)


def _of_rows(m: Machine, op: LoadRows | StoreRows, base: Memory, starts: Array, column: Array, mask: Array | None, end: Array | None,
             pitch: Array | None, height: Array | None) -> Addresses:  # fmt: skip
    """Address of each element of rows, and which are accessed."""
    rows = unblocked(starts)
    columns = np.arange(op.value.type.count // op.starts.type.count) + with_rank(column, 2)
    inside = None if mask is None else unblocked(mask)
    inside = inside if end is None else both(inside, columns < with_rank(end, 2))
    if pitch is not None and height is not None:
        inside = both(inside, (rows >= 0) & (rows < with_rank(height, 2)))
        rows = rows * with_rank(pitch, 2)
    inside = None if inside is None else np.broadcast_to(inside, np.broadcast_shapes(inside.shape, rows.shape, columns.shape))
    return flat_addresses(m, base, rows + columns, inside)


@executes(xetile.StoreScatter)
def store_scatter(m: Machine, op: xetile.StoreScatter, value: Array, mask: Array, tile: ScatteredTile) -> None:
    """Only where the mask is true."""
    scatter_owned(m, tile.memory, tile.addresses(m, mask), value, op.tile.type.wg_map)


# Values.


def blocked(value: Array, type: VectorType) -> Array:
    """A 2-D value in the blocks of a 4-D type; unchanged for a 2-D type."""
    if type.rank != 4:
        return value
    rows, columns, height, width = type.shape
    return value.reshape(*value.shape[:BATCH], rows, height, columns, width).swapaxes(BATCH + 1, BATCH + 2)


def unblocked(value: Array) -> Array:
    """A 4-D value as 2-D; a 2-D value unchanged."""
    if value.ndim != BATCH + 4:
        return value
    rows, columns, height, width = value.shape[BATCH:]
    return value.swapaxes(BATCH + 1, BATCH + 2).reshape(*value.shape[:BATCH], rows * height, columns * width)


@executes(xetile.TileMma, deferred=True)
def tile_mma(m: Machine, op: xetile.TileMma, a: Any, b: Any, acc: Any) -> Any:
    """`a @ b + acc`, rounded to a narrow accumulator's type as often as DPAS rounds."""
    element = op.result.type.element
    depth = m.mma_depth(op.a.type.element, element)
    a, b = (rounded_operand(unblocked(force(x)), v.type.element) for x, v in ((a, op.a), (b, op.b)))
    signs = op.lhs_unsigned is None, op.rhs_unsigned is None
    if op.result.type.rank == 4:
        acc = None if acc is None else unblocked(force(acc))
        return blocked(force(multiply(a, b, acc, element, signs=signs, depth=depth)), op.result.type)
    return multiply(a, b, acc, element, signs=signs, depth=depth)


@executes(xetile.TileTranspose)
def tile_transpose(m: Machine, op: xetile.TileTranspose, value: Array) -> Array:
    """A view."""
    value = converted(m, value, op.source, op.result, transposed=True)
    return value.transpose(*range(BATCH), *(BATCH + d for d in op.permutation))


@executes(xetile.TileReduce)
def tile_reduce(m: Machine, op: xetile.TileReduce, value: Array) -> Array:
    """Reduced dimensions stay, with size 1."""
    value = gathered(m, value, op.source, op.dims)
    return reduce(op.kind, value, op.dims, op.source.type.element, keep=True)


@executes(xetile.ReduceLines)
def reduce_lines(m: Machine, op: xetile.ReduceLines, value: Array) -> Array:
    """Lane l gets element l of all lanes."""
    value = np.broadcast_to(value, (*value.shape[:LANE], m.subgroup_size, *value.shape[LANE + 1 :]))
    return np.swapaxes(reduce(op.kind, value, (LANE - BATCH,), op.source.type.element, keep=True), LANE, LANE + 1)


@executes(xetile.TileScan)
def tile_scan(m: Machine, op: xetile.TileScan, value: Array) -> Array:
    """Element i holds elements 0 to i combined, over the blocks of a line one after the other."""
    type = op.source.type
    value = gathered(m, value, op.source, (op.dim,))
    return blocked(accumulate(op.kind, unblocked(value), op.dim, type.element), type)


@executes(xetile.TileBroadcast)
def tile_broadcast(m: Machine, op: xetile.TileBroadcast, value: Array) -> Array:
    """A view."""
    return np.broadcast_to(value, (*value.shape[:BATCH], *op.result.type.shape))


@executes(xetile.TileConvLayout)
def tile_conv_layout(m: Machine, op: xetile.TileConvLayout, value: Array) -> Array:
    """A workgroup's value is one array, wherever its parts are held, unless subgroups have values of their own."""
    return converted(m, value, op.source, op.result)


@executes(xetile.TilePack)
def tile_pack(m: Machine, op: xetile.TilePack, value: Array) -> Array:
    """2-D to blocks."""
    return blocked(value, op.result.type)


@executes(xetile.TileUnpack)
def tile_unpack(m: Machine, op: xetile.TileUnpack, value: Array) -> Array:
    """Blocks to 2-D."""
    return unblocked(value)


@executes(xetile.TileIota)
def tile_iota(m: Machine, op: xetile.TileIota) -> Array:
    """Coordinates along one dimension; a blocked value counts blocks first, then inside the block."""
    shape = op.result.type.shape
    split = (op.dim, op.dim + 2) if len(shape) == 4 else (op.dim,)
    sizes = [n if d in split else 1 for d, n in enumerate(shape)]
    return np.broadcast_to(np.arange(np.prod(sizes)).reshape(sizes), (1,) * BATCH + shape)
