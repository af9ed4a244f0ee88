"""XeTile's ops in workgroup-level xegpu kernels: each as the xegpu or vector op that means the same for a workgroup."""

from __future__ import annotations

from typing import Any

from xetile.dialects import arith, vector, xegpu, xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import INDEX, VectorType
from xetile.errors import LayoutError
from xetile.ir.core import Attributes, Elementwise, Op, Value, type_of
from xetile.ir.dispatch import Table
from xetile.layout import Layout
from xetile.passes.common.converter import Converter, Lowered
from xetile.passes.common.reductions import identity
from xetile.passes.xegpu.check_descriptors import check_descriptors
from xetile.target import Target

MIX = Table()
_HINTS = ("l1_hint", "l3_hint")


def mix_in_xetile(module: GpuModule, target: Target) -> GpuModule:
    """Replace XeTile's tiles by block descriptors and its value ops by vector ops; maps become layouts.

    Before: workgroup-level xegpu, mixed with XeTile. After: no op of XeTile is left. Raises LayoutError for those that have no
    counterpart, CompileError for tiles of other memory that control flow joins.
    """
    if not any(op.opname.startswith("xetile.") for op in module.walk()):
        return module
    result = _Mixer(MIX).convert_function(module)
    assert isinstance(result, GpuModule)
    check_descriptors(result)  # tiles may differ in sizes and strides where control flow joins them, descriptors may not
    return result


class _Mixer(Converter):
    def clone(self, op: Op, **changes: Any) -> Lowered:
        if op.opname.startswith("xetile."):
            raise LayoutError(
                f"{op.opname.split('.')[1]} does not mix with xegpu's ops at workgroup level",
                hint="use the op of xt.xegpu: xegpu.load and xegpu.store for scattered elements, xegpu.atomic_rmw",
                at=op.loc,
            )
        return super().clone(op, **changes)

    def shaped(self, value: Value, shape: tuple[int, ...], layout: Layout | None = None) -> Value:
        """The value in another shape, and where a map says so in another layout."""
        kind = type_of(value, VectorType)
        if kind.shape == shape and layout is None:
            return value
        return self.build(vector.ShapeCast, value, result=kind.with_shape(*shape), layout_result_0=layout)

    def coordinates(self, shape: tuple[int, ...], dim: int, layout: Layout | None = None) -> Value:
        """Each element's place along a dimension."""
        steps = self.build(vector.Step, result=VectorType((shape[dim],), INDEX))
        line = self.shaped(steps, tuple(n if d == dim else 1 for d, n in enumerate(shape)))
        kind = VectorType(shape, INDEX)
        return line if line.type == kind else self.build(vector.Broadcast, line, result=kind, layout_result_0=layout)

    def everywhere(self, value: Value, shape: tuple[int, ...]) -> Value:
        """A number for each element."""
        return self.build(vector.Broadcast, value, result=VectorType(shape, value.type))  # type: ignore[arg-type]

    def chosen(self, mask: Value, value: Value, padding: float) -> Value:
        """`value` where the mask is true, `padding` elsewhere."""
        return self.build(arith.Select, mask, value, self.build(arith.Constant, value=padding, result=value.type))


def _map(op: Op) -> Layout | None:
    return op.attributes.get("wg_map")


# Tiles.


def _desc(tile: xetile.TileType, rank: int) -> xegpu.TensorDescType:
    """The descriptor of a tile's memory: of the transposed one where the tile is column-major, of a row of an array of rank 1."""
    if rank == 1:
        return xegpu.TensorDescType(tile.shape[1:], tile.element)
    if tile.order == (1, 0):
        return xegpu.TensorDescType(tile.shape, tile.element, None, tile.wg_map)
    layout = tile.wg_map.transpose((1, 0)) if tile.wg_map is not None else None
    return xegpu.TensorDescType(tile.shape[::-1], tile.element, None, layout)


def _rank(desc: Value) -> int:
    return type_of(desc, xegpu.TensorDescType).rank


def _in_memory(tile: Any, values: list[Value]) -> list[Value]:
    return values if tile.order == (1, 0) else [*values[:-2], values[-1], values[-2]]


@MIX(xetile.InitTile)
def _init_tile(op: xetile.InitTile, c: _Mixer) -> Value:
    tile = op.result.type
    if tile.scatter or tile.space or (op.base.type.rank == 1 and tile.order == (0, 1)):
        raise LayoutError(
            "init_tile: a tile that is scattered, in shared local memory or a column of an array of rank 1 does not mix with xegpu's ops"
            " at workgroup level",
            hint="use xegpu.create_tdesc, xegpu.create_mem_desc or xegpu.create_nd_tdesc",
            at=op.loc,
        )
    parts = (_in_memory(tile, [c.one(v) for v in part]) for part in (op.offsets, op.shape, op.strides))
    return c.build(xegpu.CreateNdTdesc, c.one(op.base), *parts, result=_desc(tile, len(op.offsets)))


@MIX(xetile.UpdateTileOffset)
def _update(op: xetile.UpdateTileOffset, c: _Mixer) -> Value:
    desc = c.one(op.tile)
    moved = _in_memory(op.tile.type, [c.one(v) for v in op.offsets])
    return c.build(xegpu.UpdateNdOffset, desc, moved[-_rank(desc) :])


@MIX(xetile.LoadTile)
def _load(op: xetile.LoadTile, c: _Mixer) -> Value:
    desc = c.one(op.tile)
    kind: Any = desc.type
    loaded: Value = c.build(xegpu.LoadNd, desc, (), value=VectorType(kind.shape, kind.element), **_hints(op))
    if op.tile.type.order == (0, 1):
        loaded = c.build(vector.Transpose, loaded, permutation=(1, 0))
    loaded = c.shaped(loaded, op.tile.type.shape)
    return loaded if op.padding == 0 else c.chosen(_inside(op, c), loaded, op.padding)


def _inside(op: xetile.LoadTile, c: _Mixer) -> Value:
    """Which elements of a tile are inside its array: xegpu's loads pad with zero alone."""
    made = op.tile.op
    if not isinstance(made, xetile.InitTile):
        raise LayoutError(
            "load_tile: padding of a tile that moves does not mix with xegpu's ops at workgroup level: their loads pad with zero",
            hint="make the tile where it is loaded, or mask with xt.where",
            at=op.loc,
        )
    shape = op.tile.type.shape
    parts = []
    for dim in range(2 - min(2, len(made.offsets)), 2):
        at, size = c.one(made.offsets[dim - 2]), c.one(made.shape[dim - 2])
        places = c.build(arith.AddI, c.coordinates(shape, dim), c.everywhere(at, shape))
        parts.append(c.build(arith.CmpI, places, c.everywhere(size, shape), predicate="ult"))  # what lies before wraps
    inside: Value = parts[0] if len(parts) == 1 else c.build(arith.AndI, *parts)
    return inside


def _hints(op: Op) -> Attributes:
    return {n: xegpu.CacheHint(op.attributes[n]) for n in _HINTS if n in op.attributes}


@MIX(xetile.StoreTile)
def _store(op: xetile.StoreTile, c: _Mixer) -> None:
    value = c.one(op.value)
    if op.tile.type.order == (0, 1):
        value = c.build(vector.Transpose, value, permutation=(1, 0))
    desc = c.one(op.tile)
    c.build.op(xegpu.StoreNd, c.shaped(value, type_of(desc, xegpu.TensorDescType).shape), desc, (), **_hints(op))


@MIX(xetile.PrefetchTile)
def _prefetch(op: xetile.PrefetchTile, c: _Mixer) -> None:
    c.build.op(xegpu.PrefetchNd, c.one(op.tile), (), **_hints(op))


# Values.


@MIX(xetile.TileMma)
def _mma(op: xetile.TileMma, c: _Mixer) -> Value:
    flags = {n: v for n, v in op.attributes.items() if n in ("lhs_unsigned", "rhs_unsigned")}
    acc = c.one(op.acc) if op.acc is not None else None
    return c.build(xegpu.Dpas, c.one(op.a), c.one(op.b), acc, result=op.result.type, layout_cd=_map(op), **flags)


@MIX(xetile.TileTranspose)
def _transpose(op: xetile.TileTranspose, c: _Mixer) -> Value:
    return c.build(vector.Transpose, c.one(op.source), permutation=(1, 0), layout_result_0=_map(op))


@MIX(xetile.TileReduce)
def _reduce(op: xetile.TileReduce, c: _Mixer) -> Value:
    source, shape = c.one(op.source), op.source.type.shape
    kept = tuple(n for d, n in enumerate(shape) if d not in op.dims)
    kind = VectorType(kept, op.source.type.element)
    neutral = c.build(arith.Constant, value=identity(op.kind, kind.element), result=kind)
    reduced = c.build(vector.MultiReduction, source, neutral, kind=op.kind, dims=op.dims)
    return c.shaped(reduced, op.result.type.shape, _map(op))


@MIX(xetile.TileBroadcast)
def _broadcast(op: xetile.TileBroadcast, c: _Mixer) -> Value:
    return c.build(vector.Broadcast, c.one(op.source), result=op.result.type, layout_result_0=_map(op))


@MIX(xetile.TileIota)
def _iota(op: xetile.TileIota, c: _Mixer) -> Value:
    return c.coordinates(op.result.type.shape, op.dim, _map(op))


@MIX(xetile.TileConvLayout)
def _conv_layout(op: xetile.TileConvLayout, c: _Mixer) -> Value:
    """What the source has is inferred: the conversion stands where the two differ."""
    return c.shaped(c.one(op.source), op.result.type.shape, _map(op))


@MIX(Elementwise)
def _elementwise(op: Op, c: _Mixer) -> Value:
    attributes = {"layout_result_0" if n == "wg_map" else n: v for n, v in op.attributes.items()}
    return c.build.clone(op, [c.one(v) for v in op.operands], attributes=attributes).result
