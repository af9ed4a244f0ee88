"""Vector ops of a subgroup as XeTile's ops on values of two dimensions."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product
from math import prod
from typing import Any

from xetile.dialects import arith, vector, xegpu, xetile
from xetile.dialects.types import I1, INDEX, VectorType
from xetile.errors import LayoutError
from xetile.ir.core import Elementwise, Op, Value
from xetile.ir.dispatch import Table
from xetile.passes.analysis.products import signed
from xetile.passes.common.converter import Lowered
from xetile.passes.common.reductions import combiner, is_identity
from xetile.passes.common.tables import is_large, part_of, place_of, table
from xetile.passes.xegpu.flat import Flat, arranged, natural
from xetile.passes.xegpu.raiser import Raiser

RAISE = Table()
LINE = 16
"""Elements of a table's line that are chosen together: a register holds as many."""


@RAISE(Elementwise)
def _elementwise(op: Op, c: Raiser) -> Lowered:
    result = op.results[0].type
    if not isinstance(result, VectorType):
        return c.plain_clone(op)
    flats = [c.flat(v) if isinstance(v.type, VectorType) else c.one(v) for v in op.operands]
    first = next(f for f in flats if isinstance(f, Flat))
    if op.results[0] in c.columns:
        first = arranged(c.build, first, c.held_as(op.results[0]))
    name = op.result_fields[0].name
    aligned = [arranged(c.build, f, first.block, first.packing).values if isinstance(f, Flat) else (f,) * len(first.values)
               for f in flats]  # fmt: skip
    attributes = {k: v for k, v in op.attributes.items() if not k.startswith("layout_result_")}
    kind = VectorType(first.block, result.element)
    made = (c.build(type(op), *operands, **{**attributes, name: kind}) for operands in zip(*aligned, strict=True))
    return Flat(result.shape, tuple(made), first.packing)


@RAISE(arith.Constant)
def _constant(op: arith.Constant, c: Raiser) -> Lowered:
    if not isinstance(op.result.type, VectorType):
        return c.plain_clone(op)
    shape, element = op.result.type.shape, op.result.type.element
    count, block = natural(shape)
    kind = VectorType(block, element)
    if not isinstance(op.value, tuple):
        return Flat(shape, (c.build(arith.Constant, value=op.value, result=kind.with_shape(*c.held_as(op.result))),) * count)
    size = block[0] * block[1]
    return Flat(shape, tuple(_table(c, op.value[i * size : (i + 1) * size], kind) for i in range(count)))


def _table(c: Raiser, values: tuple[Any, ...], kind: VectorType) -> Value:
    """A value of elements that differ; where they do at many places, line by line, each of which has few."""
    shape = kind.shape
    if not is_large(values, shape, kind):
        return table(c.build, values, shape, _coordinates(c, kind), kind)
    whole: Value = c.build(arith.Constant, value=0, result=kind)
    known: dict[VectorType, Callable[[int], Value]] = {}
    for at in product(range(shape[0]), range(0, shape[1], LINE)):
        line = kind.with_shape(1, min(LINE, shape[1] - at[1]))
        if line not in known:
            known[line] = _coordinates(c, line)
        part = table(c.build, part_of(values, shape, at, line.shape), line.shape, known[line], line)
        whole = _inserted(c, part, whole, at)
    return whole


def _coordinates(c: Raiser, kind: VectorType) -> Callable[[int], Value]:
    """What gives the place of each element along a dimension, made once."""
    return cache(lambda dim: c.build(xetile.TileIota, dim=dim, result=kind.with_element(INDEX)))


@RAISE(vector.Step)
def _step(op: vector.Step, c: Raiser) -> Flat:
    shape = op.result.type.shape
    return Flat(shape, (c.build(xetile.TileIota, dim=1, result=VectorType((1, *shape), INDEX)),))


@RAISE(vector.Broadcast)
def _broadcast(op: vector.Broadcast, c: Raiser) -> Flat:
    result = op.result.type
    count, block = natural(result.shape)
    kind = VectorType(block, result.element)
    if not isinstance(op.source.type, VectorType):
        made = c.build(vector.Broadcast, c.one(op.source), result=kind.with_shape(*c.held_as(op.result)))
        return Flat(result.shape, (made,) * count)
    _, rows = natural(op.source.type.shape)
    source = arranged(c.build, c.flat(op.source), rows)
    dims = tuple(d for d in range(2) if rows[d] != block[d])
    stretched = [c.build(xetile.TileBroadcast, v, dims=dims, result=kind) if dims else v for v in source.values]
    leading = op.source.type.shape[:-2]
    leading = (*(1,) * (len(result.shape) - 2 - len(leading)), *leading)
    places = product(*(range(n) for n in result.shape[:-2]))
    return Flat(
        result.shape, tuple(stretched[place_of(leading, [0 if n == 1 else i for i, n in zip(at, leading)])] for at in places)
    )


@RAISE(vector.ShapeCast)
def _shape_cast(op: vector.ShapeCast, c: Raiser) -> Flat:
    """Nothing moves; what asks for other rows than there are says so."""
    return c.flat(op.source).with_shape(op.result.type.shape)


@RAISE(vector.Transpose)
def _transpose(op: vector.Transpose, c: Raiser) -> Flat:
    """Rows go to other places whole; where the last dimension moves, the one that takes its place is brought beside it first."""
    source, perm = c.flat(op.source), tuple(op.permutation)
    rank = len(perm)
    if perm == tuple(range(rank)):
        return source
    if perm[-1] == rank - 1:
        return _rows_permuted(c, source, perm)
    last = perm[-1]
    first = (*(d for d in range(rank - 1) if d != last), last, rank - 1)
    beside = _rows_permuted(c, source, first)
    transposed = tuple(c.build(xetile.TileTranspose, v) for v in arranged(c.build, beside, natural(beside.shape)[1]).values)
    swapped = (*first[:-2], rank - 1, last)
    flat = Flat(tuple(op.source.type.shape[d] for d in swapped), transposed)
    return _rows_permuted(c, flat, tuple(swapped.index(d) for d in perm))


def _rows_permuted(c: Raiser, source: Flat, perm: tuple[int, ...]) -> Flat:
    """A permutation that leaves the last dimension where it is."""
    if perm == tuple(range(len(perm))):
        return source
    shape = tuple(source.shape[d] for d in perm)
    if perm[-2:] == tuple(range(len(perm)))[-2:]:
        source = arranged(c.build, source, natural(source.shape)[1])
        return Flat(shape, tuple(source.values[i] for i in _permuted(source.shape[:-2], perm[:-2])))
    lines = arranged(c.build, source, (1, source.shape[-1]))
    moved = Flat(shape, tuple(lines.values[i] for i in _permuted(source.shape[:-1], perm[:-1])))
    return arranged(c.build, moved, natural(shape)[1])


def _permuted(shape: tuple[int, ...], perm: tuple[int, ...]) -> list[int]:
    """For each place of the permuted shape, row-major, the place in the old one."""
    found = []
    for at in product(*(range(shape[p]) for p in perm)):
        old = dict(zip(perm, at))
        place = 0
        for d, extent in enumerate(shape):
            place = place * extent + old[d]
        found.append(place)
    return found


@RAISE(vector.Bitcast)
def _bitcast(op: vector.Bitcast, c: Raiser) -> Flat:
    source, element = c.flat(op.source), op.result.type.element
    old = op.source.type.element
    if element.bits == old.bits:
        kind = VectorType(source.block, element)
        values = tuple(c.build(arith.Bitcast, v, result=kind) for v in source.values)
        return Flat(op.result.type.shape, values, source.packing)
    if I1 in (element, old):
        raise LayoutError(
            f"{op.opname}: {op.source.type} as {op.result.type}: registers hold an i1 in a lane's flag, not in one bit of a number",
            hint="make a number of each with arith.extui",
            at=op.loc,
        )
    source = arranged(c.build, source, natural(op.source.type.shape)[1])
    kind = VectorType(natural(op.result.type.shape)[1], element)
    return Flat(op.result.type.shape, tuple(c.build(vector.Bitcast, v, result=kind) for v in source.values))


@RAISE(vector.MultiReduction)
def _multi_reduction(op: vector.MultiReduction, c: Raiser) -> Lowered:
    """Over leading dimensions value by value, over rows and columns by tile_reduce."""
    shape, element = op.source.type.shape, op.source.type.element
    combine = combiner(op.kind, element.is_float)
    _count, block = natural(shape)
    source = arranged(c.build, c.flat(op.source), block)
    outer = len(shape) - 2 if len(shape) >= 2 else 0
    inner = [d - outer for d in op.dims if d >= outer] if len(shape) >= 2 else [1] * bool(op.dims)
    values = _over_leading(c, source.values, shape[:outer], [d for d in op.dims if d < outer], combine)
    for dim in inner:
        values = [c.build(xetile.TileReduce, v, kind=op.kind, dims=(dim,)) for v in values]
    if not isinstance(op.result.type, VectorType):
        total = c.build(vector.Extract, values[0], position=(0, 0), result=element)
        return total if _is_identity(op, c) else c.build(combine, c.one(op.acc), total)
    flat = Flat(op.result.type.shape, tuple(values))
    if _is_identity(op, c):
        return flat
    acc = arranged(c.build, c.flat(op.acc), flat.block)
    return flat.with_carried([c.build(combine, *pair) for pair in zip(acc.values, flat.values, strict=True)])


@RAISE(vector.Scan)
def _scan(op: vector.Scan, c: Raiser) -> tuple[Flat, Flat]:
    """By tile_scan, which begins with nothing. Raises LayoutError for scans along leading dimensions, and for other initial values."""
    shape, element = op.source.type.shape, op.source.type.element
    dim = op.reduction_dim - len(shape) + 2
    initial = arith.constant_of(op.initial)
    if not op.inclusive or dim < 0 or initial is None or not is_identity(initial, op.kind, element, c.index_bits):
        raise LayoutError(
            f"{op.opname} at subgroup level must be inclusive, along one of the last two dimensions, and begin with the identity of {op.kind}",
            hint="combine the result with the initial value by an op of its own",
            at=op.loc,
        )
    source = arranged(c.build, c.flat(op.source), natural(shape)[1])
    scanned = tuple(c.build(xetile.TileScan, v, kind=op.kind, dim=dim) for v in source.values)
    totals = tuple(c.build(xetile.TileReduce, v, kind=op.kind, dims=(dim,)) for v in source.values)
    return Flat(shape, scanned), Flat(op.accumulated.type.shape, totals)


def _is_identity(op: vector.MultiReduction, c: Raiser) -> bool:
    return is_identity(arith.constant_of(op.acc), op.kind, op.source.type.element, c.index_bits)


def _over_leading(
    c: Raiser, values: tuple[Value, ...], shape: tuple[int, ...], dims: list[int], combine: type[Op]
) -> list[Value]:
    """Values that differ along `dims` only, combined."""
    totals: dict[tuple[int, ...], Value] = {}
    for number, value in enumerate(values):
        place: list[int] = []
        rest = number
        for extent in reversed(shape):
            place.insert(0, rest % extent)
            rest //= extent
        key = tuple(p for d, p in enumerate(place) if d not in dims)
        totals[key] = c.build(combine, totals[key], value) if key in totals else value
    return list(totals.values())


@RAISE(vector.Extract)
def _extract(op: vector.Extract, c: Raiser) -> Lowered:
    shape, position = op.source.type.shape, tuple(op.position)
    _count, block = natural(shape)
    source = c.flat(op.source)
    if isinstance(op.result.type, VectorType) and len(position) <= max(0, len(shape) - 2):
        packed = source.packing > 1 and len(position) < len(shape) - 2  # a group of rows is no block of its own
        source = source if packed else arranged(c.build, source, block)
        chunk = len(source.values) // prod(shape[: len(position)])
        start = place_of(shape, position) * chunk
        values = source.values[start : start + chunk]
        return Flat(op.result.type.shape, values, source.packing if packed else 1)
    source = arranged(c.build, source, block)
    if isinstance(op.result.type, VectorType):  # one row of a matrix
        value = source.values[place_of(shape[:-2], position[:-1])]
        row = c.build(vector.ExtractStridedSlice, value, offsets=(position[-1], 0), sizes=(1, block[1]), strides=(1, 1))
        return Flat(op.result.type.shape, (row,))
    at = (0, position[-1]) if len(shape) == 1 else position[-2:]
    value = source.values[place_of(shape[:-2], position[:-2])]
    one = c.build(vector.ExtractStridedSlice, value, offsets=at, sizes=(1, 1), strides=(1, 1)) if block != (1, 1) else value
    return c.build(vector.Extract, one, position=(0, 0), result=op.result.type)


@RAISE(vector.Insert)
def _insert(op: vector.Insert, c: Raiser) -> Flat:
    shape, position = op.dest.type.shape, tuple(op.position)
    _, block = natural(shape)
    dest = arranged(c.build, c.flat(op.dest), block)
    values = list(dest.values)
    if isinstance(op.value.type, VectorType) and len(position) <= len(shape) - 2:
        part = arranged(c.build, c.flat(op.value), block).values
        start = place_of(shape, position) * len(part)
        values[start : start + len(part)] = part
        return dest.with_carried(values)
    if isinstance(op.value.type, VectorType):
        at: tuple[int, ...] = (position[-1], 0)
        number = place_of(shape[:-2], position[:-1])
        part_value = arranged(c.build, c.flat(op.value), (1, block[1])).values[0]
    else:
        at, number = ((0, position[-1]) if len(shape) == 1 else position[-2:]), place_of(shape[:-2], position[:-2])
        values[number] = c.build(vector.Insert, c.one(op.value), values[number], position=at)
        return dest.with_carried(values)
    values[number] = _inserted(c, part_value, values[number], at)
    return dest.with_carried(values)


def _inserted(c: Raiser, part: Value, whole: Value, at: tuple[int, ...]) -> Value:
    if part.type == whole.type:
        return part
    return c.build(vector.InsertStridedSlice, part, whole, offsets=at, strides=(1, 1), result=whole.type)


@RAISE(vector.ExtractStridedSlice)
def _extract_slice(op: vector.ExtractStridedSlice, c: Raiser) -> Flat:
    shape, result = op.source.type.shape, op.result.type.shape
    offsets = (*op.offsets, *(0,) * (len(shape) - len(op.offsets)))
    _, block = natural(shape)
    source = arranged(c.build, c.flat(op.source), block)
    at, size = _inner(offsets, result)
    picked = [source.values[place_of(shape[:-2], p)] for p in _places(offsets[:-2], result[:-2])]
    if size != block:
        picked = [c.build(vector.ExtractStridedSlice, v, offsets=at, sizes=size, strides=(1, 1)) for v in picked]
    return Flat(result, tuple(picked))


@RAISE(vector.InsertStridedSlice)
def _insert_slice(op: vector.InsertStridedSlice, c: Raiser) -> Flat:
    shape, part = op.dest.type.shape, op.value.type.shape
    rank = len(shape)
    offsets = tuple(op.offsets)
    part = (*(1,) * (rank - len(part)), *part)
    _, block = natural(shape)
    dest = arranged(c.build, c.flat(op.dest), block)
    at, size = _inner(offsets, part)
    inner = arranged(c.build, c.flat(op.value), size)
    values = list(dest.values)
    for place, value in zip(_places(offsets[:-2], part[:-2]), inner.values, strict=True):
        number = place_of(shape[:-2], place)
        values[number] = _inserted(c, value, values[number], at)
    return dest.with_carried(values)


def _inner(offsets: tuple[int, ...], shape: tuple[int, ...]) -> tuple[tuple[int, int], tuple[int, int]]:
    if len(shape) == 1:
        return (0, offsets[0]), (1, shape[0])
    return (offsets[-2], offsets[-1]), (shape[-2], shape[-1])


def _places(offsets: tuple[int, ...], sizes: tuple[int, ...]) -> list[tuple[int, ...]]:
    return list(product(*(range(o, o + n) for o, n in zip(offsets, sizes))))


@RAISE(xegpu.ConvertLayout)
def _convert_layout(op: xegpu.ConvertLayout, c: Raiser) -> Lowered:
    """Lanes hold what the target asks for; here the value is the same, unless other subgroups are to have it."""
    flat, by = c.flat(op.source), c.map_of(op)
    if by is None:
        return flat
    flat = arranged(c.build, flat, natural(op.result.type.shape)[1])
    return flat.with_carried([c.build(xetile.TileConvLayout, v, wg_map=by) for v in flat.values])


@RAISE(xegpu.Dpas)
def _dpas(op: xegpu.Dpas, c: Raiser) -> Flat:
    """On plain matrices: how B is packed follows from the target."""
    (m, n), element = op.result.type.shape, op.result.type.element
    k = op.lhs.type.count // m
    a, b = arranged(c.build, c.flat(op.lhs), (m, k)), _unpacked(c, c.flat(op.rhs), (k, n))
    if a.packing != 1 or a.block != (m, k) or b.block != (k, n):
        raise LayoutError(f"{op.opname}: {op.lhs.type} by {op.rhs.type} is no product of plain or packed matrices", at=op.loc)
    _check_blocks(op, m, n, k, c)
    acc = arranged(c.build, c.flat(op.acc), (m, n)).values[0] if op.acc is not None else None
    flags = {name: v for name, v in op.attributes.items() if name in ("lhs_unsigned", "rhs_unsigned")}
    total = c.build(
        xetile.TileMma, a.values[0], b.values[0], acc, result=VectorType((m, n), element), wg_map=c.map_of(op), **flags
    )
    return Flat((m, n), (total,))


def _unpacked(c: Raiser, b: Flat, shape: tuple[int, int]) -> Flat:
    """A packed matrix (k / p, n, p) as a plain one, whether a load made it or not."""
    if len(b.shape) != 3:
        return b
    packed = arranged(c.build, b, shape, b.shape[2])
    return Flat(shape, packed.values)


def _check_blocks(op: xegpu.Dpas, m: int, n: int, k: int, c: Raiser) -> None:
    """A subgroup's part of a product is whole products of DPAS, where it has one for these types."""
    names = (signed(op.lhs.type.element, op.lhs_unsigned), signed(op.rhs.type.element, op.rhs_unsigned))
    mma = c.target.find_mma(*names, op.result.type.element.name)
    if mma is not None and (n % mma.n or k % mma.k):
        raise LayoutError(
            f"{op.opname}: a subgroup's part is {m}x{n}x{k}; DPAS of {c.target.name} takes {names[0]} in steps of"
            f" n = {mma.n}, k = {mma.k}",
            hint="give each subgroup more columns, or more of k (sg_data)",
            at=op.loc,
        )
