"""XeTile's ops in workgroup-level xegpu kernels: each as the xegpu or vector op that means the same for a workgroup."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from xetile.dialects import arith, gpu, vector, xegpu, xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import I1, INDEX, MemRefType, VectorType
from xetile.errors import CompileError, LayoutError
from xetile.ir import analyses
from xetile.ir.core import Attributes, Elementwise, Op, Value, type_of
from xetile.ir.dispatch import Table
from xetile.layout import Layout
from xetile.passes.analysis.alias_classes import AliasClasses
from xetile.passes.cleanup.dead_code import remove_dead_code
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
    result = _Mixer(MIX, module).convert_function(module)
    assert isinstance(result, GpuModule)
    remove_dead_code(result.kernel)  # sizes and coordinates that nothing asks for: no layout would reach them
    check_descriptors(result)  # tiles may differ in sizes and strides where control flow joins them, descriptors may not
    return result


@dataclass(frozen=True)
class _Placed:
    """A tile whose place in its array is asked for, beside its descriptor: what lies outside is padded, or not updated.

    `offsets`, `sizes` and `strides` are the tile's, with all dimensions of the array.
    """

    base: Value
    desc: Value
    offsets: tuple[Value, ...]
    sizes: tuple[Value, ...]
    strides: tuple[Value, ...]

    def carried(self) -> Sequence[Value]:
        """Sizes and strides too: where a branch made them they are known in it alone."""
        return self.desc, *self.offsets, *self.sizes, *self.strides

    def with_carried(self, values: Sequence[Value]) -> _Placed:
        """The tile elsewhere. Its memory is the same: `check_descriptors` holds that of the descriptors."""
        desc, *rest = values
        count = len(self.offsets)
        return _Placed(self.base, desc, tuple(rest[:count]), tuple(rest[count : 2 * count]), tuple(rest[2 * count :]))


@dataclass(frozen=True)
class _Elements:
    """A scattered tile: elements at `offsets` of a flat view of `array`; `layout`: what its map says."""

    array: Value
    base: Value
    offsets: Value
    layout: Layout | None

    def carried(self) -> Sequence[Value]:
        """Only the offsets change."""
        return (self.offsets,)

    def with_carried(self, values: Sequence[Value]) -> _Elements:
        """The elements elsewhere."""
        return replace(self, offsets=values[0])


class _Mixer(Converter):
    """`placed`: the tiles whose place must be known, by the one that stands for their alias class."""

    def __init__(self, table: Table, module: GpuModule) -> None:
        super().__init__(table)
        self.classes = analyses.get(AliasClasses, module)
        self.placed = set(map(self.classes.root, _tiles_to_place(module)))

    def desc(self, tile: Value) -> Value:
        """The descriptor that a tile became."""
        lowered = self[tile]
        return lowered.desc if isinstance(lowered, _Placed) else self.one(tile)

    def coerce(self, lowered: Any, template: Any) -> Any:
        """Raises CompileError for scattered tiles of other arrays: only their offsets go on."""
        if isinstance(lowered, _Elements) and lowered.array is not template.array:
            raise CompileError(
                "a loop or branch replaces this scattered tile by one of another array",
                hint="load in each branch and let the values go on",
            )
        return lowered

    def clone(self, op: Op, **changes: Any) -> Lowered:
        if op.opname.startswith("xetile."):
            raise LayoutError(
                f"{op.opname.split('.')[1]} does not mix with xegpu's ops at workgroup level",
                hint="use ops of xt.xegpu",
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


def _tiles_to_place(module: GpuModule) -> Iterator[Value]:
    for op in module.walk():
        padded = isinstance(op, xetile.LoadTile) and op.padding != 0
        if padded or (isinstance(op, xetile.AtomicRmwTile) and not op.tile.type.scatter):
            yield op.tile  # type: ignore[attr-defined]


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
def _init_tile(op: xetile.InitTile, c: _Mixer) -> Lowered:
    tile = op.result.type
    if tile.scatter:
        return _elements(c, c.one(op.base), c.one(op.offsets[0]), tile.wg_map)
    if tile.space or (op.base.type.rank == 1 and tile.order == (0, 1)):
        raise LayoutError(
            "init_tile: a tile in shared local memory or a column of an array of rank 1 does not mix with xegpu's ops at workgroup level",
            hint="use xegpu.create_mem_desc or xegpu.create_nd_tdesc",
            at=op.loc,
        )
    offsets, sizes, strides = ([c.one(v) for v in part] for part in (op.offsets, op.shape, op.strides))
    parts = (_in_memory(tile, part) for part in (offsets, sizes, strides))
    base = c.one(op.base)
    desc = c.build(xegpu.CreateNdTdesc, base, *parts, result=_desc(tile, len(op.offsets)))
    if c.classes.root(op.result) not in c.placed:
        return desc
    return _Placed(base, desc, tuple(offsets), tuple(sizes), tuple(strides))


def _elements(c: _Mixer, array: Value, offsets: Value, layout: Layout | None) -> _Elements:
    """Offsets count elements from the beginning of an array of any rank."""
    base, memory = array, type_of(array, MemRefType)
    if memory.rank > 1:
        base = c.build(gpu.ElementCast, array, result=MemRefType((None,), memory.element, None, memory.space))
    return _Elements(array, base, offsets, layout)


@MIX(xetile.UpdateTileOffset)
def _update(op: xetile.UpdateTileOffset, c: _Mixer) -> Lowered:
    lowered, moves = c[op.tile], [c.one(v) for v in op.offsets]
    if isinstance(lowered, _Elements):
        return replace(lowered, offsets=c.build(arith.AddI, lowered.offsets, moves[0]))
    desc = c.desc(op.tile)
    moved = c.build(xegpu.UpdateNdOffset, desc, _in_memory(op.tile.type, moves)[-_rank(desc) :])
    if not isinstance(lowered, _Placed):
        return moved
    kept = max(0, len(lowered.offsets) - 2)
    last = lowered.offsets[kept:]
    sums = [c.build(arith.AddI, *pair) for pair in zip(last, moves[-len(last) :])]
    return _Placed(lowered.base, moved, (*lowered.offsets[:kept], *sums), lowered.sizes, lowered.strides)


@MIX(xetile.LoadTile)
def _load(op: xetile.LoadTile, c: _Mixer) -> Value:
    desc = c.desc(op.tile)
    kind: Any = desc.type
    loaded: Value = c.build(xegpu.LoadNd, desc, (), value=VectorType(kind.shape, kind.element), **_hints(op))
    if op.tile.type.order == (0, 1):
        loaded = c.build(vector.Transpose, loaded, permutation=(1, 0))
    loaded = c.shaped(loaded, op.tile.type.shape)
    return loaded if op.padding == 0 else c.chosen(_inside(c, op.tile), loaded, op.padding)


def _places(c: _Mixer, tile: Value) -> dict[int, Value]:
    """Where each element stands along the array's dimensions: by the dimension, counted from the last."""
    placed: _Placed = c[tile]
    shape, found = tile.type.shape, {}  # type: ignore[attr-defined]
    for number, at in enumerate(placed.offsets, -len(placed.offsets)):
        start = c.everywhere(at, shape)
        found[number] = c.build(arith.AddI, c.coordinates(shape, 2 + number), start) if number >= -2 else start
    return found


def _inside(c: _Mixer, tile: Value) -> Value:
    """Which elements of a tile are inside its array: xegpu's loads pad with zero alone."""
    placed: _Placed = c[tile]
    shape = tile.type.shape  # type: ignore[attr-defined]
    inside: Value | None = None
    for number, where in _places(c, tile).items():
        if number >= -2:  # what lies before wraps
            part: Value = c.build(arith.CmpI, where, c.everywhere(placed.sizes[number], shape), predicate="ult")
            inside = part if inside is None else c.build(arith.AndI, inside, part)
    assert inside is not None
    return inside


@MIX(xetile.LoadGather)
def _gather(op: xetile.LoadGather, c: _Mixer) -> Value:
    tile, mask = c[op.tile], c.one(op.mask)
    loaded = c.build(xegpu.Load, tile.base, tile.offsets, mask, value=op.value.type, layout=tile.layout, **_hints(op))
    return loaded if op.padding == 0 else c.chosen(mask, loaded, op.padding)


@MIX(xetile.StoreScatter)
def _scatter(op: xetile.StoreScatter, c: _Mixer) -> None:
    tile, value = c[op.tile], c.one(op.value)
    c.build.op(xegpu.Store, value, tile.base, tile.offsets, c.one(op.mask), layout=tile.layout, **_hints(op))


@MIX(xetile.AtomicRmwTile)
def _atomic(op: xetile.AtomicRmwTile, c: _Mixer) -> Value:
    if op.tile.type.scatter:
        whole = VectorType(op.value.type.shape, I1)
        mask = c.one(op.mask) if op.mask is not None else c.build(arith.Constant, value=True, result=whole)
        return _updated(op, c, c[op.tile], mask)
    placed: _Placed = c[op.tile]
    total: Value | None = None
    for number, where in _places(c, op.tile).items():
        term = c.build(arith.MulI, where, c.everywhere(placed.strides[number], op.value.type.shape))
        total = term if total is None else c.build(arith.AddI, total, term)
    assert total is not None
    return _updated(op, c, _elements(c, placed.base, total, op.tile.type.wg_map), _inside(c, op.tile))


def _updated(op: xetile.AtomicRmwTile, c: _Mixer, tile: _Elements, mask: Value) -> Value:
    memory = type_of(tile.base, MemRefType)
    encoding = xegpu.ScatterAttr(memory_space="slm") if memory.space else xegpu.ScatterAttr()
    kind = xegpu.TensorDescType(op.value.type.shape, memory.element, encoding, tile.layout)
    desc = c.build(xegpu.CreateTdesc, tile.base, tile.offsets, result=kind)
    return c.build(xegpu.AtomicRmw, desc, mask, c.one(op.value), kind=op.kind)


def _hints(op: Op) -> Attributes:
    return {n: xegpu.CacheHint(op.attributes[n]) for n in _HINTS if n in op.attributes}


@MIX(xetile.StoreTile)
def _store(op: xetile.StoreTile, c: _Mixer) -> None:
    value = c.one(op.value)
    if op.tile.type.order == (0, 1):
        value = c.build(vector.Transpose, value, permutation=(1, 0))
    desc = c.desc(op.tile)
    c.build.op(xegpu.StoreNd, c.shaped(value, type_of(desc, xegpu.TensorDescType).shape), desc, (), **_hints(op))


@MIX(xetile.PrefetchTile)
def _prefetch(op: xetile.PrefetchTile, c: _Mixer) -> None:
    c.build.op(xegpu.PrefetchNd, c.desc(op.tile), (), **_hints(op))


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


@MIX(xetile.TileScan)
def _scan(op: xetile.TileScan, c: _Mixer) -> Value:
    source, element = c.one(op.source), op.source.type.element
    lines = op.source.type.with_shape(op.source.type.shape[1 - op.dim])
    neutral = c.build(arith.Constant, value=identity(op.kind, element), result=lines)
    scanned = c.build.op(vector.Scan, source, neutral, kind=op.kind, inclusive=True, reduction_dim=op.dim)
    return c.shaped(scanned.dest, op.result.type.shape, _map(op))


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
