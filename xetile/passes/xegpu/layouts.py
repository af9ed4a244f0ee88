"""What layout an op's operands have when its result has one, and the other way round (seed 000, propagation rules; seed 003).

`wanted(op, of)` goes from results to operands, `following(op, of)` from operands to results. Both give nothing where the rules
say nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from xetile.dialects import vector, xegpu, xetile
from xetile.dialects.types import VectorType, shape_of
from xetile.errors import LayoutError
from xetile.ir.core import Elementwise, Op, Value
from xetile.layout import Layout, Slice, derive_mma, derive_reduce, derive_transpose
from xetile.passes.analysis.owners import AnyLayout, of_lanes, plain_shape, shares
from xetile.passes.workgroup.layouts.rules import operand_layouts, result_layout
from xetile.passes.xegpu.layout_arithmetic import cast_layout, rescaled, resized, unsplit, whole_along
from xetile.passes.xegpu.stated_layouts import used_as

TILE_OPS = (
    xetile.InitTile, xetile.UpdateTileOffset, xetile.LoadTile, xetile.StoreTile, xetile.LoadGather, xetile.StoreScatter,
    xetile.AtomicRmwTile,
)  # fmt: skip
Known = Mapping[Value, AnyLayout]
Wants = Iterator[tuple[int, AnyLayout]]
Shape = tuple[int, ...]


def anchor(op: Op) -> AnyLayout | None:
    """The layout that an op itself gives its result."""
    given = op.attributes.get("layout_result_0")
    given = given or op.attributes.get("wg_map") or next((m for v in (*op.results, *op.operands) if (m := _of_tile(v))), None)
    if given is None and isinstance(op, Elementwise):
        given = next((layout for _, layout in used_as(op)), None)
    if given is not None:
        return given
    if isinstance(op, xegpu.LoadNd):
        layout = op.desc.type.layout
        if op.layout is not None or layout is None:
            return op.layout  # type: ignore[no-any-return]
        if not op.transposed:
            return layout
        if isinstance(layout, Slice):
            raise op.fail(
                "a load that transposes has a descriptor with a slice as its layout", hint="give the load a layout of its own"
            )
        return layout.transpose(op.transpose)  # type: ignore[arg-type]
    if isinstance(op, (xegpu.Load, xegpu.AtomicRmw)):
        desc = (op.desc if isinstance(op, xegpu.AtomicRmw) else op.source).type
        return op.layout or getattr(desc, "layout", None)
    if isinstance(op, xegpu.LoadMatrix):
        return op.layout  # type: ignore[no-any-return]
    if isinstance(op, xegpu.Dpas):
        return op.layout_cd  # type: ignore[no-any-return]
    return op.target_layout if isinstance(op, xegpu.ConvertLayout) else None


def _of_tile(value: Value) -> Layout | None:
    return value.type.wg_map if isinstance(value.type, xetile.TileType) else None


# From results to operands.

_WANTED: dict[type[Op], Callable[[Any, Known], Wants]] = {}
_FOLLOWING: dict[type[Op], Callable[[Any, Known], AnyLayout | None]] = {}


def wanted(op: Op, of: Known) -> list[tuple[int, AnyLayout]]:
    """(operand, layout) for each vector operand whose layout follows."""
    for kind in type(op).__mro__:
        rule = _WANTED.get(kind)
        if rule is not None:
            try:
                return list(rule(op, of))
            except LayoutError:
                return []
    return []


def following(op: Op, of: Known) -> AnyLayout | None:
    """The layout of the only result, from the operands'."""
    for kind in type(op).__mro__:
        rule = _FOLLOWING.get(kind)
        if rule is not None:
            try:
                return rule(op, of)
            except LayoutError:
                return None
    return None


def _wants(*kinds: type[Op]) -> Callable[[Callable[[Any, Known], Wants]], Callable[[Any, Known], Wants]]:
    def register(rule: Callable[[Any, Known], Wants]) -> Callable[[Any, Known], Wants]:
        _WANTED.update(dict.fromkeys(kinds, rule))
        return rule

    return register


Following = Callable[[Any, Known], "AnyLayout | None"]


def _follows(*kinds: type[Op]) -> Callable[[Following], Following]:
    def register(rule: Following) -> Following:
        _FOLLOWING.update(dict.fromkeys(kinds, rule))
        return rule

    return register


def _vectors(op: Op) -> list[int]:
    return [i for i, v in enumerate(op.operands) if isinstance(v.type, VectorType)]


@_wants(Elementwise)
def _(op: Elementwise, of: Known) -> Wants:
    layout = of.get(op.results[0])
    if layout is not None:
        yield from ((i, layout) for i in _vectors(op))


@_follows(Elementwise)
def _(op: Elementwise, of: Known) -> AnyLayout | None:
    return next((of[v] for v in op.operands if v in of), None)


@_wants(xetile.TileMma, xetile.TileReduce, xetile.TileBroadcast, xetile.TileTranspose, xetile.TileConvLayout, xetile.TileScan)
def _(op: Op, of: Known) -> Wants:
    """As XeTile derives it."""
    layout = of.get(op.results[0])
    if isinstance(layout, Layout):
        yield from ((i, given) for i, given in enumerate(operand_layouts(op, layout)) if given is not None)


@_follows(xetile.TileMma, xetile.TileReduce, xetile.TileBroadcast, xetile.TileTranspose, xetile.TileScan)
def _(op: Op, of: Known) -> AnyLayout | None:
    if isinstance(op, xetile.TileScan):
        return of.get(op.source)
    known = ((i, layout) for i, v in enumerate(op.operands) if isinstance(layout := of.get(v), Layout))
    return next((found for i, layout in known if (found := result_layout(op, i, layout)) is not None), None)


@_wants(*TILE_OPS)
def _(op: Op, of: Known) -> Wants:
    """A tile, and what is moved, masked and placed by it, are distributed alike."""
    alike = [v for v in (*op.results, *op.operands) if isinstance(v.type, (VectorType, xetile.TileType))]
    tiles = [v for v in alike if isinstance(v.type, xetile.TileType)]
    layout = next((of[v] for v in (*tiles, *alike) if v in of), None)
    if isinstance(layout, Layout):
        yield from ((i, layout) for i, v in enumerate(op.operands) if v in alike)


@_follows(xetile.LoadTile, xetile.LoadGather, xetile.AtomicRmwTile, xetile.UpdateTileOffset)
def _(op: Any, of: Known) -> AnyLayout | None:
    return of.get(op.tile)


@_wants(xegpu.StoreNd)
def _(op: xegpu.StoreNd, of: Known) -> Wants:
    layout = op.layout or op.desc.type.layout
    if layout is not None:
        yield 0, layout


@_wants(xegpu.StoreMatrix)
def _(op: xegpu.StoreMatrix, of: Known) -> Wants:
    if op.layout is not None:
        yield 0, op.layout


@_wants(xegpu.Load, xegpu.Store, xegpu.AtomicRmw, xegpu.Prefetch, xegpu.CreateTdesc, xegpu.UpdateOffset)
def _(op: Any, of: Known) -> Wants:
    """The value as the op or its descriptor says, offsets and masks as the value."""
    value = op.attributes.get("layout") or next((d for v in (*op.operands, *op.results) if (d := _of_desc(v))), None)
    if value is None and isinstance(op, (xegpu.Load, xegpu.AtomicRmw)):
        value = of.get(op.results[0])
    if value is None and isinstance(op, xegpu.Store):
        value = of.get(op.value)
    if value is None and isinstance(op, xegpu.CreateTdesc):
        value = next((of[v] for user in _atomics(op) for v in (user.result, user.value) if v in of), None)
    if value is not None:
        yield from ((i, of_lanes(value, op.operands[i].type.rank)) for i in _vectors(op))


def _atomics(op: xegpu.CreateTdesc) -> list[xegpu.AtomicRmw]:
    return [user for user, _ in op.result.uses if isinstance(user, xegpu.AtomicRmw)]


@_follows(xegpu.Load)
def _(op: xegpu.Load, of: Known) -> AnyLayout | None:
    """As its offsets, where there are no chunks."""
    alike = op.offsets is not None and shape_of(op.offsets.type) == shape_of(op.value.type)
    return of.get(op.offsets) if alike else None


@_follows(xegpu.AtomicRmw)
def _(op: xegpu.AtomicRmw, of: Known) -> AnyLayout | None:
    return of.get(op.value)


def _of_desc(value: Value) -> AnyLayout | None:
    return value.type.layout if isinstance(value.type, xegpu.TensorDescType) else None


@_wants(xegpu.Dpas)
def _(op: xegpu.Dpas, of: Known) -> Wants:
    result = of.get(op.result)
    derived: tuple[AnyLayout | None, AnyLayout | None] = (None, None)
    if isinstance(result, Layout):
        (m, n), k = op.result.type.shape, plain_shape(op.lhs)[1]
        derived = derive_mma(result, m, n, k)
    for i, stated in enumerate((op.layout_a, op.layout_b)):
        fits = stated is not None and (result is None or derived[i] is None or multiplies(op, i, stated, result))
        layout = stated if fits else derived[i]
        if layout is not None:
            yield i, layout
    if result is not None and op.acc is not None:
        yield 2, result


def multiplies(op: xegpu.Dpas, position: int, have: AnyLayout, result: AnyLayout) -> bool:
    """Whether an operand is distributed for a product: along the result's dimension as the result, along k not at all.

    How k is cut into pieces is free (seed 003), as long as A and B do it alike, which distribution checks.
    """
    mine, its = shares(have, plain_shape(op.operands[position])), shares(result, op.result.type.shape)
    return mine[position] == its[position] and mine[1 - position].distinct == 1


@_follows(xegpu.Dpas)
def _(op: xegpu.Dpas, of: Known) -> AnyLayout | None:
    """Rows of A's owners, columns of B's."""
    if op.acc is not None and op.acc in of:
        return of[op.acc]
    a, b = (op.layout_a or of.get(op.lhs)), (op.layout_b or of.get(op.rhs))
    if not isinstance(a, Layout) or not isinstance(b, Layout):
        return None
    rows, columns = a.sg_spread(plain_shape(op.lhs))[0].size, b.sg_spread(plain_shape(op.rhs))[1].size
    return Layout(a.sg_layout, (rows, columns), order=a.order)


@_wants(xegpu.ConvertLayout)
def _(op: xegpu.ConvertLayout, of: Known) -> Wants:
    yield 0, op.input_layout


@_wants(vector.MultiReduction)
def _(op: vector.MultiReduction, of: Known) -> Wants:
    result = of.get(op.result) if isinstance(op.result.type, VectorType) else None
    if result is None:
        return
    if isinstance(op.acc.type, VectorType):
        yield 1, result
    if isinstance(result, Slice) and result.root.rank == op.source.type.rank and result.flat().dims == tuple(op.dims):
        yield 0, _shared_evenly(result.root, op.source.type.shape, op.dims)
    elif isinstance(result, Layout):
        yield 0, derive_reduce(result, op.dims, op.source.type.shape)


def _shared_evenly(layout: Layout, shape: Shape, dims: Sequence[int]) -> Layout:
    """What the slice leaves open: along the reduced dimensions its owners have even shares."""
    if not layout.sg_data:
        return layout
    share = [max(1, n // count) for n, count in zip(shape, layout.sg_layout)]
    return replace(layout, sg_data=tuple(share[d] if d in dims else n for d, n in enumerate(layout.sg_data)))


@_follows(vector.MultiReduction)
def _(op: vector.MultiReduction, of: Known) -> AnyLayout | None:
    """Those that share the reduced dimension share the result (seed 002, SliceAttr)."""
    source = of.get(op.source)
    return source.slice(op.dims) if source is not None and isinstance(op.result.type, VectorType) else None


@_wants(vector.Scan)
def _(op: vector.Scan, of: Known) -> Wants:
    """Each line in one subgroup, as the result has it; the initial values as the lines."""
    if op.dest in of:
        yield 0, of[op.dest]
        yield 1, of[op.dest].slice([op.reduction_dim])


@_follows(vector.Scan)
def _(op: vector.Scan, of: Known) -> AnyLayout | None:
    return of.get(op.source)


def settled(value: Value, layout: AnyLayout) -> dict[Value, AnyLayout]:
    """What the results of a value's op have where that one is given a layout: what is scanned has each line whole."""
    op = value.op
    if not isinstance(op, vector.Scan):
        return {value: layout}
    if value is op.accumulated:
        return {}  # as the lines' layout says
    whole = whole_along(layout, op.source.type.shape, op.reduction_dim)
    return {op.dest: whole, op.accumulated: whole.slice([op.reduction_dim])}


@_wants(vector.Broadcast)
def _(op: vector.Broadcast, of: Known) -> Wants:
    result, source = of.get(op.result), op.source.type
    if result is None or not isinstance(source, VectorType):
        return
    shape = op.result.type.shape
    missing = len(shape) - source.rank
    kept = result.slice(range(missing)) if missing else result
    ones = [d for d in range(source.rank) if source.shape[d] == 1 != shape[missing + d]]
    yield 0, unsplit(kept, ones) if ones else kept


@_follows(vector.Broadcast)
def _(op: vector.Broadcast, of: Known) -> AnyLayout | None:
    source, shape = of.get(op.source), op.result.type.shape
    if isinstance(source, Slice) and source.parent.rank == len(shape) and source.dims == tuple(range(len(source.dims))):
        return source.parent
    if isinstance(source, Layout) and source.rank == len(shape):
        return replace(source, sg_data=()) if source.sg_data else source
    return None


@_wants(vector.ShapeCast)
def _(op: vector.ShapeCast, of: Known) -> Wants:
    if op.result in of:
        yield 0, cast_layout(of[op.result], op.result.type.shape, op.source.type.shape)


@_follows(vector.ShapeCast)
def _(op: vector.ShapeCast, of: Known) -> AnyLayout | None:
    return cast_layout(of[op.source], op.source.type.shape, op.result.type.shape) if op.source in of else None


@_wants(vector.Transpose)
def _(op: vector.Transpose, of: Known) -> Wants:
    result = of.get(op.result)
    if isinstance(result, Layout):
        yield 0, derive_transpose(result, op.permutation)


@_follows(vector.Transpose)
def _(op: vector.Transpose, of: Known) -> AnyLayout | None:
    source = of.get(op.source)
    return source.transpose(op.permutation) if isinstance(source, Layout) else None


@_wants(vector.Bitcast)
def _(op: vector.Bitcast, of: Known) -> Wants:
    if op.result in of:
        yield 0, rescaled(of[op.result], op.result.type.element.bits, op.source.type.element.bits)


@_follows(vector.Bitcast)
def _(op: vector.Bitcast, of: Known) -> AnyLayout | None:
    if op.source not in of:
        return None
    return rescaled(of[op.source], op.source.type.element.bits, op.result.type.element.bits)


@_wants(vector.Extract)
def _(op: vector.Extract, of: Known) -> Wants:
    """Seed 000: extract does not modify the map; the dimensions that it drops have one owner."""
    result = of.get(op.result)
    if isinstance(result, Layout):
        for d, extent in enumerate(op.source.type.shape[: len(op.position)]):
            result = result.expand(d, extent)
        yield 0, result


@_follows(vector.Extract)
def _(op: vector.Extract, of: Known) -> AnyLayout | None:
    source = of.get(op.source)
    if source is None or not isinstance(op.result.type, VectorType):
        return None
    return source.slice(range(len(op.position)))


@_wants(vector.Insert)
def _(op: vector.Insert, of: Known) -> Wants:
    result = of.get(op.result)
    if result is not None:
        yield 1, result
        if isinstance(op.value.type, VectorType):
            yield 0, result.slice(range(len(op.position)))


@_wants(vector.ExtractStridedSlice)
def _(op: vector.ExtractStridedSlice, of: Known) -> Wants:
    if op.result in of:
        yield 0, resized(of[op.result], op.result.type.shape, op.source.type.shape)


@_follows(vector.ExtractStridedSlice)
def _(op: vector.ExtractStridedSlice, of: Known) -> AnyLayout | None:
    return resized(of[op.source], op.source.type.shape, op.result.type.shape) if op.source in of else None


@_wants(vector.InsertStridedSlice)
def _(op: vector.InsertStridedSlice, of: Known) -> Wants:
    if op.result in of:
        yield 1, of[op.result]
        yield 0, resized(of[op.result], op.result.type.shape, op.value.type.shape)
