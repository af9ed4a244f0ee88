"""Tiles: made of arrays and moved; what loads and stores ask of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xetile import dtypes
from xetile.dialects import xetile
from xetile.errors import CompileError, ConstexprError, DtypeError, TileShapeError
from xetile.ir.core import Value as IRValue
from xetile.language.arrays import Array, Tile
from xetile.language.axes import Axis, Size, is_unit
from xetile.language.casts import cast, convert
from xetile.language.context import current, in_a_kernel
from xetile.language.create import iota
from xetile.language.division import cdiv
from xetile.language.elementwise import as_value, broadcast_to, constant, plain, spelled
from xetile.language.extents import counts_from_the_end, is_never_negative
from xetile.language.maps import check_map
from xetile.language.offsets import note_offsets
from xetile.language.promote import STORAGE_ONLY
from xetile.language.values import (
    HOST_ARRAY,
    NUMBERS,
    Number,
    Shape,
    Value,
    Weak,
    check_shape,
    constant_hint,
    describe,
    hint_to_load,
    how_to_cut,
    shape2d,
)
from xetile.layout import Layout
from xetile.target.block_rules import LINE_PITCH

if TYPE_CHECKING:
    from xetile.dtypes import DType

SLM = 3  # memory space of shared local memory (MLIR, gpu.address_space<workgroup>)


def as_index(x: Size, what: str) -> IRValue:
    """An offset or size as an index; raises DtypeError for what is no integer scalar."""
    x = plain(x)
    if isinstance(x, int) and not isinstance(x, bool):
        return constant(x, dtypes.index).ir
    if isinstance(x, Value) and not x.shape and x.dtype.kind in "iun":
        return cast(x, dtypes.index).ir if x.dtype is not dtypes.index else x.ir
    floats = isinstance(x, float) or (isinstance(x, Value) and x.dtype.is_float)
    hint = "whole numbers are divided by //, which keeps them whole" if floats else None
    raise DtypeError(f"{what} is {describe(x)}, not an integer", hint=hint)


def _no_array(base: Any) -> CompileError:
    """The error for a tile of what is no array of a kernel."""
    hint = "give the array, and offsets and a shape: xt.init_tile(A, (m, 0), (64, 32))"
    if isinstance(base, Value):
        hint = "values are computed with as they are; to read memory, pass an array to the kernel in this place"
    elif hasattr(base, "shape") and hasattr(base, "tobytes"):
        hint = HOST_ARRAY
    return in_a_kernel(CompileError(f"init_tile: the base is {describe(base)}, not an array", hint=hint))


def init_tile(base: Array, offsets: Any, shape: Any = None, *, order: tuple[int, int] | None = None, wg_map: Layout | None = None,
              base_shape: tuple[Size, ...] | None = None, base_strides: tuple[Size, ...] | None = None) -> Tile:  # fmt: skip
    """A tile: the part of `base` with this shape at these offsets (elements; RFC, init_tile). It may reach outside of the array.

    base      an array parameter, a view of one (`A[i]`, `A.T`), or shared local memory; of rank 2 after leading axes are dropped,
              or of rank 1, whose tiles are rows (N,) or (1, N), or columns (N, 1).
    offsets   one integer for each axis of `base`. A row or 2-D value of integers makes a scattered tile instead: element i lies
              `offsets[i]` elements behind the base's first in memory; no `shape` is given then.
    shape     constants: (M, N), or (N,) for rank 1.
    order     (1, 0) or (0, 1), which must agree with the memory: it states what the kernel relies on.
    base_shape, base_strides   run-time or constant sizes and strides in place of the array's own.
    wg_map    how the tile is distributed to subgroups; inferred where absent.

    Raises TileShapeError, DtypeError, LayoutError.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty((2, 3), X.dtype)}, grid=(1,))
        def example(X, Y):
            part = xt.init_tile(X, (1, 2), (2, 3))      # X[1:3, 2:5]
            xt.store_tile(xt.load_tile(part), xt.init_tile(Y, (0, 0), (2, 3)))

        print(example(np.arange(20, dtype=np.int32).reshape(4, 5)))

    Prints:
        [[ 7  8  9]
         [12 13 14]]
    """
    if not isinstance(base, Array):
        raise _no_array(base)
    layout = check_map(wg_map, "init_tile")
    if isinstance(offsets, Value) and offsets.shape:
        note_offsets(base, offsets)
        return _scattered_tile(base, offsets, shape, layout)
    base = _with_sizes(base, base_shape, base_strides)
    place = tuple(offsets) if isinstance(offsets, (tuple, list)) else (offsets,)
    if len(place) == 1 and _is_column(shape) and (column := base.as_column) is not None:
        base, place = column, (*place, 0)
    if any(isinstance(offset, Value) and offset.shape for offset in place):
        raise TileShapeError(f"init_tile: an offset is {describe(next(o for o in place if getattr(o, 'shape', ())))}, not one number",
                             hint=_scattered_hint(base))  # fmt: skip
    if len(place) != base.ndim or base.ndim > 2:
        raise TileShapeError(f"init_tile: {len(place)} offsets for {base.described}", hint=_offsets_hint(base))
    if shape is None:
        raise TileShapeError("init_tile needs the shape of the tile", hint="xt.init_tile(A, (row, column), (64, 32))")
    extent = check_shape(shape, "init_tile")
    placed = _Placed(base, place) if base.ndim == 2 else _placed_row(base, place, extent)
    if base.ndim == 2 and len(extent) != 2:
        raise TileShapeError(f"init_tile: shape {extent} for {base.described}", hint="give two sizes, such as (64, 32)")
    if order is not None and tuple(order) != placed.order:
        raise TileShapeError(f"init_tile: order {tuple(order)} contradicts the memory of {base.described}, which is {placed.order}",
                             hint="leave `order` out to follow the array; A.T is the column-major view of a row-major array")  # fmt: skip
    return placed.tile(extent, layout)


def _is_column(shape: Any) -> bool:
    """Whether a shape has two sizes, the second of them 1."""
    return isinstance(shape, (tuple, list)) and len(shape) == 2 and isinstance(plain(shape[1]), int) and plain(shape[1]) == 1


class _Placed:
    """Offsets, sizes and strides of a tile over all axes of the base memory."""

    def __init__(self, base: Array, place: tuple[Size, ...]) -> None:
        self.base = base
        self.begins = False
        for axis, offset in zip(base.axes, place):
            self._check_axis(axis, offset)
        self.order = base.order
        self.offsets = base.full_offsets(place)
        self.shape = base.full_shape
        self.strides = base.full_strides
        self.chosen: tuple[int, ...] = base.full_chosen
        if not any(map(is_unit, self.strides[-min(2, base.ndim) :])):
            raise TileShapeError(
                f"init_tile: neighbours in {base.described} do not lie side by side in memory along any axis of the tile",
                hint="a column is a tile of width 1, xt.init_tile(A, (row, column), (64, 1)), or a part of constant size, "
                "xt.load_tile(A[i : i + 64, column]); others are gathered by xt.load_gather",
            )

    def _check_axis(self, axis: Axis, offset: Size) -> None:
        """A part of an array has an end, where tiles end too, and a beginning, before which they must not come."""
        if axis.step != 1:
            raise TileShapeError(
                f"init_tile: {self.base.described} takes one element in {axis.step}",
                hint=f"slice where the tile lies, and load or store that: xt.load_tile(A[i : i + {64 * axis.step} : {axis.step}])",
            )
        at_start = isinstance(axis.start, int) and axis.start == 0
        if at_start and not axis.may_be_empty:
            return
        self.begins = True
        if not is_never_negative(plain(offset)):
            raise CompileError(
                f"init_tile: the offset into this part of {self.base.name} may be negative: "
                + ("the part may be empty, as its end is computed" if at_start else "there lie elements before the part"),
                hint="count from 0 upwards, or take xt.maximum(offset, 0)",
            )

    def stand_up(self) -> None:
        """Make a column of a row: exchange the two last axes, of which memory of rank 1 has but one."""
        self.order = (0, 1)
        if len(self.offsets) == 1:
            # The pitch of the only line is never used to reach another one; block messages take any that is aligned.
            pitch = cdiv(self.shape[0], LINE_PITCH) * LINE_PITCH
            self.offsets, self.shape, self.strides = (0, *self.offsets), (1, *self.shape), (pitch, *self.strides)
            self.chosen = (-1, *self.chosen)
        for name in ("offsets", "shape", "strides", "chosen"):
            values = getattr(self, name)
            setattr(self, name, (*values[:-2], *reversed(values[-2:])))

    def tile(self, extent: Shape, layout: Layout | None) -> Tile:
        base = self.base
        kind = xetile.TileType(shape2d(extent), base.dtype.ir, layout, self.order, space=base.space)
        offsets = [as_index(x, "init_tile: an offset") for x in self.offsets]
        shape, strides = ([as_index(x, "init_tile: a size") for x in values] for values in (self.shape, self.strides))
        indexed = self.chosen if current().debug and max(self.chosen) >= 0 else None
        ir = current().build(xetile.InitTile, base.base, offsets, shape, strides, indexed=indexed, result=kind)
        return Tile(ir, base.dtype, extent, base.name, self.begins)


def _placed_row(base: Array, place: tuple[Size, ...], extent: Shape) -> _Placed:
    """Rank 1: a row, or a column, whose one memory axis is the tile's first (order (0, 1))."""
    placed = _Placed(base, place)
    if len(extent) == 2 and 1 not in extent:
        raise TileShapeError(
            f"init_tile: shape {extent} for {base.described}", hint="tiles of rank 1 arrays are (N,), (1, N) or (N, 1)"
        )
    if len(extent) == 2 and extent[1] == 1 and extent[0] != 1:
        placed.stand_up()
    return placed


def _scattered_hint(base: Array) -> str:
    if base.ndim < 2:
        return f"several numbers make a scattered tile, without a tuple around them: xt.init_tile({base.name}, offsets), for xt.load_gather"
    return (f"several numbers make a scattered tile, of offsets from the first element: "
            f"xt.init_tile({base.name}, rows[:, None] * {base.name}.stride(0) + xt.arange(32)[None, :]), for xt.load_gather")  # fmt: skip


def _offsets_hint(base: Array) -> str:
    if base.ndim > 2:
        return "drop leading axes with A[i]: tiles have two axes"
    return f"give {base.ndim}, one for each axis" if base.ndim else f"{base.name}[()] = value stores to its one element"


def _with_sizes(base: Array, shape: tuple[Size, ...] | None, strides: tuple[Size, ...] | None) -> Array:
    if shape is None and strides is None:
        return base
    for name, given in (("base_shape", shape), ("base_strides", strides)):
        if given is not None and len(given) != base.ndim:
            raise TileShapeError(
                f"init_tile: {name} has {len(given)} entries for {base.described}",
                hint=f"{base.ndim}, one for each axis; to see elements in another shape, load them and xt.reshape(x, (4, -1)), or pass the "
                "array in that shape",
            )
    return base.with_sizes(shape, strides)


def _scattered_tile(base: Array, offsets: Value, shape: Any, layout: Layout | None) -> Tile:
    if shape is not None and check_shape(shape, "init_tile") != offsets.shape:
        raise TileShapeError(
            f"init_tile: {describe(offsets)} offsets for a scattered tile of shape {shape}", hint="leave the shape out"
        )
    if offsets.dtype.kind not in "iun":
        raise DtypeError(f"init_tile: the offsets are {describe(offsets)}, not integers")
    where = offsets.to(dtypes.index)
    for offset, stride in base.fixed_strides:
        where = where + offset * stride
    kind = xetile.TileType(shape2d(offsets.shape), base.dtype.ir, layout, scatter=True, space=base.space)
    ir = current().build(xetile.InitTile, base.base, [where.ir], (), (), result=kind)
    return Tile(ir, base.dtype, offsets.shape, base.name)


def tile_of(part: Array, op: str) -> tuple[Tile, Value | None]:
    """The tile that a part of an array of constant size is; of elements that do not lie side by side a scattered one, and a mask of
    those inside of the array, before which a part may begin. Raises ConstexprError where a size is not known.
    """
    extent = tuple(n for n in part.shape if isinstance(n, int))
    if len(extent) != part.ndim or part.ndim > 2:
        why = "it has more than two axes" if part.ndim > 2 else "a size is not constant"
        usual = how_to_cut(part)
        if any(isinstance(axis.end, int) and counts_from_the_end(axis.start, axis.size) for axis in part.axes):
            usual = "a negative bound counts from the end; in front of an array begins xt.init_tile(A, (-1, 0), (64, 32))"
        own = constant_hint(next((axis.extent for axis in part.axes if isinstance(axis.extent, Value)), None), "")
        error = CompileError if part.is_whole or part.ndim > 2 else ConstexprError
        raise error(f"{op}: {part.described} is no tile: {why}", hint=f"{own}; or {usual}" if own else usual)
    if all(axis.step == 1 for axis in part.axes) and any(map(is_unit, part.full_strides[-part.ndim :])):
        return init_tile(part.unlimited, (0,) * part.ndim, extent), None
    counts = [iota(extent, dim=number + 2 - part.ndim) for number in range(part.ndim)]
    where: Any = 0
    inside: Any = None
    for axis, count in zip(part.axes, counts):
        where = where + count * axis.step * axis.stride
        last = plain(axis.start + (axis.length - 1) * axis.step)
        if not isinstance(last, int) or not isinstance(axis.size, int) or last >= axis.size:
            within = count * axis.step + axis.start < axis.size
            inside = within if inside is None else inside & within
        if not is_never_negative(plain(axis.start)):
            within = count * axis.step + axis.start >= 0
            inside = within if inside is None else inside & within
    return _scattered_tile(part, where, None, None), inside


_APART, _ROWS = 4, 8
"""Columns of which one is loaded at most with the others between them, and rows of such tiles at least."""


def with_others(part: Array) -> tuple[Tile, int] | None:
    """(a tile of whole rows, n) of which every n-th column is a part of an array of constant size, where that takes fewer messages.

    Blocks bring whole lines, elements by themselves one for each lane.
    """
    extent = tuple(n for n in part.shape if isinstance(n, int))
    if len(extent) != 2 or part.ndim != 2 or extent[0] < _ROWS:
        return None
    rows, columns = part.axes
    if rows.step != 1 or not 1 < columns.step <= _APART or not is_unit(part.full_strides[-1]):
        return None
    return init_tile(part.unlimited.side_by_side, (0, 0), (extent[0], extent[1] * columns.step)), columns.step


_IN_ORDER = {
    name: f"the value comes first, then the tile: {usage}; xt.init_tile(A, offsets, shape) makes one"
    for name, usage in (
        ("store_tile", "xt.store_tile(value, tile)"),
        ("store_scatter", "xt.store_scatter(value, tile)"),
        ("atomic_rmw_tile", 'xt.atomic_rmw_tile("add", value, tile)'),
    )
}


def check_tile(tile: Any, op: str, *, scattered: bool | None = False) -> Tile:
    """A tile of the kind that an op takes; a part of an array of constant size is one.  Raises CompileError."""
    if isinstance(tile, Array) and scattered:
        hint = f"xt.init_tile({tile.name}, index) is one, with index a row of places in the array"
        raise CompileError(f"{op} takes a scattered tile, not {tile.described}", hint=hint)
    if isinstance(tile, Array):
        tile, mask = tile_of(tile, op)
        if mask is not None or tile.type.scatter:
            raise CompileError(f"{op} does not take every other element", hint="xt.load_tile and xt.store_tile do")
    if not isinstance(tile, Tile):
        raise in_a_kernel(
            CompileError(
                f"{op} takes a tile, not {describe(tile)}", hint=_IN_ORDER.get(op, "make one: xt.init_tile(A, offsets, shape)")
            )
        )
    if scattered is not None and tile.type.scatter != scattered:
        other = {"load_tile": "load_gather", "store_tile": "store_scatter"}.get(op, "load_gather and store_scatter")
        hint = f"use xt.{other}" if tile.type.scatter else "scattered tiles come from init_tile with a row of offsets"
        raise CompileError(f"{op} does not take {'a scattered' if tile.type.scatter else 'an ordinary'} tile", hint=hint)
    return tile


def loaded(tile: Tile, ir: IRValue) -> Value:
    """What a load gives: f8 elements arrive as f16, which holds them exactly."""
    value = Value(ir, tile.dtype, tile.shape)
    return value.to(dtypes.f16) if tile.dtype in STORAGE_ONLY else value


def check_padding(padding: Any, tile: Tile, op: str) -> Number:
    """A padding value that the tile's dtype holds; raises CompileError."""
    padding = plain(padding)
    if not isinstance(padding, NUMBERS):
        raise CompileError(f"{op}: the padding is {describe(padding)}", hint="padding is a constant number")
    try:
        return spelled(padding, tile.dtype)
    except DtypeError as error:
        hint = f"the tile is {tile.dtype}"
        if tile.dtype in STORAGE_ONLY:  # what it gives holds more
            hint += ", and gives f16: choose there, such as xt.where(column < A.shape[1], x, padding)"
        raise DtypeError(f"{op}: padding {error.message}", hint=hint) from None


def _hint_to_store(held: Any) -> str | None:
    """What to write where something is stored that is no value."""
    from xetile.language.texts import Template  # for those who err only

    if held is None:
        return "a function without return gives None, and so do xt.barrier and others that only do something"
    if isinstance(held, (str, Template)):
        return "text is for xt.device_print"
    if isinstance(held, tuple):
        return "elements are stored one by one: A[i, 0] = a; xt.where chooses among them"
    return hint_to_load(held)


def stored(value: Any, tile: Tile, op: str) -> IRValue:
    """A value ready for a tile; raises DtypeError and TileShapeError where it does not fit."""
    value = plain(value)
    if isinstance(value, NUMBERS):
        return constant(value, tile.dtype, tile.shape).ir
    if not isinstance(value, Value):
        raise CompileError(f"{op}: {describe(value)} is not a value", hint=_hint_to_store(value))
    if _is_stored_as(value, tile.dtype):
        return stored(convert(value, tile.dtype), tile, op)
    if value.dtype is not tile.dtype:
        raise DtypeError(
            f"{op}: the value is {describe(value)}, the tile is {tile.dtype}[{','.join(map(str, tile.shape))}] of {tile.array}",
            hint=f"convert the value: .to(xt.{tile.dtype}){_what_is_lost(value.dtype, tile)}",
        )
    if not value.shape:
        return broadcast_to(value, tile.shape).ir
    if shape2d(value.shape) != shape2d(tile.shape):
        raise TileShapeError(
            f"{op}: the value is {describe(value)}, the tile is {tile.dtype}[{','.join(map(str, tile.shape))}] of {tile.array}",
            hint=_shape_hint(value.shape, tile.shape),
        )
    return value.ir


_INDEX_BITS = 32
"""Of the narrowest integers that sizes, ids and coordinates of usual arrays fit."""


def _is_stored_as(value: Value, dtype: DType) -> bool:
    """Whether a store converts: what stands for a Python number, as that would, and an index to integers of 32 bits and more."""
    if isinstance(value, Weak):
        return dtype.is_float or not value.dtype.is_float
    return value.dtype is dtypes.index and dtype.kind in "iu" and dtype.bits >= _INDEX_BITS


def _what_is_lost(given: DType, tile: Tile) -> str:
    """What a conversion to a tile's integers does to numbers that they do not hold, and how to keep those."""
    if tile.dtype.kind not in "iu" or given.kind == "b" or (given.kind != "f" and given.bits <= tile.dtype.bits):
        return ""
    loss = "cuts off fractions" if given.kind == "f" else f"wraps numbers that {tile.dtype} does not hold"
    return f", which {loss}; or make {tile.array} of {dtypes.i32 if given is dtypes.index else given}"


def _shape_hint(value: Shape, tile: Shape) -> str:
    """What makes a value of the one shape fit a tile of the other."""
    if value == (*tile, 1):
        return "a reduction keeps its axis: value[:, 0], or keepdims=False, drops it"
    if (*value, 1) == tile:
        return "a column of it: value[:, None]"
    if len(value) == len(tile) == 2 and value[::-1] == tile:
        return "transposed it fits: value.T"
    if len(value) <= len(tile) and all(mine in (1, its) for mine, its in zip(reversed(value), reversed(tile))):
        return f"stretch it: xt.tile_broadcast(value, {tile})"
    return "shapes must be the same; a part of constant size is value[0:n, 0:m]"


def update_tile_offset(tile: Tile, offsets: Any) -> Tile:
    """The tile moved by `offsets` elements: (rows, columns), one number for rank 1, or a value for scattered tiles (RFC).

    Raises TileShapeError for a wrong number of offsets.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty((4,), xt.f32)}, grid=(1,))
        def example(X, Y):
            x, total = xt.init_tile(X, 0, (4,)), xt.zeros((4,))
            for _ in range(0, X.shape[0], 4):
                total += xt.load_tile(x)
                x = xt.update_tile_offset(x, 4)         # a new tile: the old one stays where it is
            xt.store_tile(total, xt.init_tile(Y, 0, (4,)))

        print(example(np.arange(12, dtype=np.float32)))

    Prints:
        [12. 15. 18. 21.]
    """
    tile = check_tile(tile, "update_tile_offset", scattered=None)
    if tile.type.scatter:
        moved = broadcast_to(as_value(offsets).to(dtypes.index), tile.shape)
        return tile.with_ir(current().build(xetile.UpdateTileOffset, tile.ir, [moved.ir]))
    deltas = tuple(offsets) if isinstance(offsets, (tuple, list)) else (offsets,)
    if len(deltas) != len(tile.shape):
        raise TileShapeError(
            f"update_tile_offset: {len(deltas)} offsets for a {tile.described}", hint=f"give {len(tile.shape)}, one for each axis"
        )
    if tile.begins and not all(is_never_negative(plain(d)) for d in deltas):
        raise CompileError(
            "update_tile_offset: this tile of a part of an array may come before its beginning", hint="move it forward only"
        )
    pair = deltas if len(deltas) == 2 else (0, *deltas)
    ir = [as_index(d, "update_tile_offset: an offset") for d in pair]
    return tile.with_ir(current().build(xetile.UpdateTileOffset, tile.ir, ir))
