"""Values: an op on a workgroup's vector becomes the same op on each piece; reductions over several subgroups meet in memory."""

from __future__ import annotations

from functools import partial, reduce
from itertools import product
from math import prod
from typing import Any

from xetile.dialects import arith, gpu, scf, vector, xegpu, xetile
from xetile.dialects.types import INDEX, VectorType, shape_of
from xetile.errors import LayoutError
from xetile.ir.core import Block, Elementwise, Op, Value
from xetile.ir.dispatch import Table
from xetile.ir.interfaces import enclosing
from xetile.passes.analysis.owners import ALONE, Share, own_rows, plain_shape, rounds_of, shares
from xetile.passes.common.converter import Lowered
from xetile.passes.common.reductions import combiner, identity, is_identity
from xetile.passes.common.tables import is_large, part_of, place_of, table
from xetile.passes.distribute.distributor import Distributor, Pieces, inner, made_once
from xetile.passes.distribute.exchange import buffer_tile, exchange, from_memory, places, reshaped, stored_element, to_memory
from xetile.passes.distribute.rows import exchange_rows, load_rows, store_rows

DISTRIBUTE = Table()


@DISTRIBUTE(Elementwise, vector.Bitcast)
def _elementwise(op: Op, c: Distributor) -> Lowered:
    return c.by_piece(op) if isinstance(op.results[0].type, VectorType) else c.clone(op)


@DISTRIBUTE(arith.Constant)
def _constant(op: arith.Constant, c: Distributor) -> Lowered:
    """Splats; and tables, of which each subgroup has the part that starts at its origin."""
    value = op.result
    if not isinstance(value.type, VectorType):
        return c.clone(op)
    kind, count = c.piece_type(value), len(c.rounds(value))
    if not isinstance(op.value, tuple):
        return (c.make(op, [], kind),) * count
    if kind.shape == value.type.shape:
        return (c.make(op, [], kind),)
    shape = value.type.shape
    if is_large(op.value, shape, kind):
        return tuple(_chosen_by_subgroup(op, c, kind, in_rounds) for in_rounds in c.rounds(value))
    return tuple(
        table(c.build, op.value, shape, partial(_coordinate, c, value, in_rounds), kind) for in_rounds in c.rounds(value)
    )


def _chosen_by_subgroup(op: arith.Constant, c: Distributor, kind: VectorType, in_rounds: tuple[int, ...]) -> Value:
    """The subgroup's part, by a branch for each of them: what elements by their places took would be the same work for all."""
    parts, shape, made = c.shares(op.result), shape_of(op.result.type), None
    for owner in product(*(range(share.distinct) for share in parts)):
        start = tuple(at * share.size + in_round * share.step for at, share, in_round in zip(owner, parts, in_rounds))
        values = part_of(op.value, shape, start, kind.shape)
        if made is None:
            made = c.build(arith.Constant, value=values, result=kind)
            continue
        tests = [c.build(arith.CmpI, c.coordinate(share), c.constant(at), predicate="eq")
                 for at, share in zip(owner, parts) if share.distinct > 1]  # fmt: skip
        then, otherwise = Block(), Block()
        with c.build.at(then):
            c.build(scf.Yield, [c.build(arith.Constant, value=values, result=kind)])
        with c.build.at(otherwise):
            c.build(scf.Yield, [made])
        here = reduce(lambda a, b: c.build(arith.AndI, a, b), tests)
        made = c.build.op(scf.If, here, regions=[then, otherwise], values=[kind]).results[0]
    assert made is not None
    return made


def _coordinate(c: Distributor, value: Value, in_rounds: tuple[int, ...], dim: int) -> Value:
    """Where along a dimension each element of a subgroup's piece stands."""
    kind, share = c.piece_type(value).with_element(INDEX), c.shares(value)[dim]
    line = VectorType((share.size,), INDEX)
    origin = c.build(vector.Broadcast, c.place(c.constant(0), share, in_rounds[dim]), result=line)
    places: Value = c.build(arith.AddI, c.build(vector.Step, result=line), origin)
    if kind.rank == 1:
        return places
    ones = tuple(n if d == dim else 1 for d, n in enumerate(kind.shape))
    return c.build(vector.Broadcast, c.build(vector.ShapeCast, places, result=kind.with_shape(*ones)), result=kind)


@DISTRIBUTE(vector.Step, xetile.TileIota)
def _steps(op: vector.Step | xetile.TileIota, c: Distributor) -> Pieces:
    """Coordinates start at the piece's origin."""
    dim = op.dim if isinstance(op, xetile.TileIota) else 0
    local: Value = c.make(op, [], c.piece_type(op.result))

    def from_round(in_round: int) -> Value:
        start = c.place(c.constant(0), c.shares(op.result)[dim], in_round)
        at_start = arith.constant_of(start) == 0
        return local if at_start else c.build(arith.AddI, local, c.build(vector.Broadcast, start, result=local.type))

    return made_once((in_rounds[dim] for in_rounds in c.rounds(op.result)), from_round)


@DISTRIBUTE(vector.Broadcast, xetile.TileBroadcast)
def _broadcast(op: vector.Broadcast | xetile.TileBroadcast, c: Distributor) -> Pieces:
    kind, in_rounds = c.piece_type(op.result), c.rounds(op.result)
    if not isinstance(op.source.type, VectorType):
        return (c.make(op, [c.one(op.source)], kind),) * len(in_rounds)
    source, parts = c.by_round(op.source), c.shares(op.source)
    missing = op.result.type.rank - op.source.type.rank
    stretched = (tuple(r if part.rounds > 1 else 0 for r, part in zip(in_round[missing:], parts)) for in_round in in_rounds)
    return made_once((source[at] for at in stretched), lambda piece: c.make(op, [piece], kind))


@DISTRIBUTE(vector.ShapeCast)
def _shape_cast(op: vector.ShapeCast, c: Distributor) -> Pieces:
    """Piece by piece, where pieces start at the same elements; else matrix by matrix, and where others have those through memory."""
    have, want = ([_linear(c, v, sg) for sg in range(c.subgroups)] for v in (op.source, op.result))
    kind, from_kind = c.piece_type(op.result), c.piece_type(op.source)
    if have == want:
        return tuple(c.make(op, [piece], kind) for piece in c.pieces(op.source))
    before, after = ([_matrices(c, v, sg) for sg in range(c.subgroups)] for v in (op.source, op.result))
    order = [before[0].index(at) for at in after[0] if at in before[0]]
    alike = kind.shape[-2:] == from_kind.shape[-2:] and op.source.type.shape[-1] == op.result.type.shape[-1]
    if not alike or any(new != [old[i] for i in order] or len(new) != len(old) for old, new in zip(before, after, strict=True)):
        return exchange_rows(op, c, c.pieces(op.source), c.shares(op.source), c.shares(op.result), op.result.type.shape)
    return _regrouped(c, c.pieces(op.source), order, from_kind, kind)


def _linear(c: Distributor, value: Any, sg: int) -> list[int]:
    """Where each piece starts, counted row-major."""
    return [place_of(value.type.shape, origin) for origin in c.layout(value).pieces(value.type.shape, sg)]


def _matrices(c: Distributor, value: Any, sg: int) -> list[int]:
    """Where each matrix (the two last dimensions) of each piece starts."""
    shape, piece = value.type.shape, c.piece_type(value).shape
    inner = list(product(*(range(n) for n in piece[:-2])))
    return [
        place_of(shape, [*(o + i for o, i in zip(origin, at)), *origin[len(at) :]])
        for origin in c.layout(value).pieces(shape, sg)
        for at in inner
    ]


def _regrouped(c: Distributor, pieces: Pieces, order: list[int], source: VectorType, kind: VectorType) -> Pieces:
    """Matrices taken out of the old pieces and put into the new ones."""
    positions = list(product(*(range(n) for n in source.shape[:-2])))
    matrices = [c.build(vector.Extract, piece, position=at) if at else piece for piece in pieces for at in positions]
    picked = [matrices[i] for i in order]
    places = list(product(*(range(n) for n in kind.shape[:-2])))
    if places == [()]:
        return tuple(picked)
    made = []
    for start in range(0, len(picked), len(places)):
        whole: Value = c.build(arith.Constant, value=0, result=kind)
        for value, at in zip(picked[start : start + len(places)], places):
            whole = c.build(vector.Insert, value, whole, position=at)
        made.append(whole)
    return tuple(made)


@DISTRIBUTE(vector.Transpose, xetile.TileTranspose)
def _transpose(op: vector.Transpose | xetile.TileTranspose, c: Distributor) -> Pieces:
    """In registers where each subgroup's piece is its own transpose (seed 001, appendix 2.3), else through shared memory."""
    permutation = tuple(op.permutation) if isinstance(op, vector.Transpose) else (1, 0)
    source, result, pieces = c.shares(op.source), c.shares(op.result), c.by_round(op.source)
    if tuple(source[d] for d in permutation) != result:
        if len(source) == 2:
            return exchange(op, c, c.pieces(op.source), source, result, transposed=permutation == (1, 0))
        held = tuple(result[permutation.index(d)] for d in range(len(permutation)))
        pieces = dict(zip(rounds_of(held), exchange_rows(op, c, c.pieces(op.source), source, held)))
    before = ([in_rounds[permutation.index(d)] for d in range(len(permutation))] for in_rounds in c.rounds(op.result))
    return tuple(c.make(op, [pieces[tuple(at)]], c.piece_type(op.result)) for at in before)


@DISTRIBUTE(vector.Extract)
def _extract(op: vector.Extract, c: Distributor) -> Any:
    """The dimensions that go belong to one owner, whose piece may hold several of their elements."""
    parts = c.shares(op.source)[: len(op.position)]
    if not isinstance(op.result.type, VectorType):
        if any(s.distinct > 1 for s in c.shares(op.source)):
            raise LayoutError(f"{op.opname}: other subgroups lack this element", hint="convert the layout first", at=op.loc)
        parts = c.shares(op.source)
    if any(s.distinct > 1 for s in parts):
        raise LayoutError(
            f"{op.opname}: a dimension that it drops is split over subgroups", hint="convert the layout first", at=op.loc
        )
    in_rounds = tuple(at // s.size for at, s in zip(op.position, parts))
    position = tuple(at % s.size for at, s in zip(op.position, parts))
    source = c.by_round(op.source)
    if not isinstance(op.result.type, VectorType):
        return c.make(op, [source[in_rounds]], op.result.type, position=position)
    kind = c.piece_type(op.result)
    return tuple(c.make(op, [source[in_rounds + rest]], kind, position=position) for rest in c.rounds(op.result))


@DISTRIBUTE(vector.Insert)
def _insert(op: vector.Insert, c: Distributor) -> Pieces:
    parts = c.shares(op.dest)[: len(op.position)]
    if any(s.distinct > 1 for s in parts):
        raise LayoutError(f"{op.opname}: a dimension of the position is split over subgroups", at=op.loc)
    in_rounds = tuple(at // s.size for at, s in zip(op.position, parts))
    position = tuple(at % s.size for at, s in zip(op.position, parts))
    inner: dict[tuple[int, ...], Value]
    inner = c.by_round(op.value) if isinstance(op.value.type, VectorType) else {(): c.one(op.value)}
    kind, pieces = c.piece_type(op.result), []
    for at, dest in c.by_round(op.dest).items():
        hit = at[: len(in_rounds)] == in_rounds
        pieces.append(c.make(op, [inner[at[len(in_rounds) :]], dest], kind, position=position) if hit else dest)
    return tuple(pieces)


@DISTRIBUTE(vector.ExtractStridedSlice)
def _extract_slice(op: vector.ExtractStridedSlice, c: Distributor) -> Pieces:
    """Only dimensions that one owner holds whole are cut."""
    before, after = c.shares(op.source), c.shares(op.result)
    offsets, sizes = _cut_offsets(op, op.source.type.shape, op.result.type.shape, before, after)
    kind = c.piece_type(op.result)
    parts = {"offsets": offsets, "sizes": sizes, "strides": (1,) * len(offsets)}
    return tuple(c.make(op, [piece], kind, **parts) for piece in c.pieces(op.source))


def _cut_offsets(op: Any, whole: Any, part: Any, large: Any, small: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    given = (*op.offsets, *(0,) * (len(whole) - len(op.offsets)))
    offsets, sizes = [], []
    for d, offset in enumerate(given):
        if whole[d] != part[d] and (large[d].distinct > 1 or large[d].rounds > 1):
            raise LayoutError(
                f"{op.opname}: dimension {d} is cut and split over subgroups", hint="convert the layout first", at=op.loc
            )
        offsets.append(offset if whole[d] != part[d] else 0)
        sizes.append(small[d].size)
    return tuple(offsets), tuple(sizes)


@DISTRIBUTE(vector.InsertStridedSlice)
def _insert_slice(op: vector.InsertStridedSlice, c: Distributor) -> Pieces:
    large, small = c.shares(op.dest), c.shares(op.value)
    offsets, _ = _cut_offsets(op, op.dest.type.shape, op.value.type.shape, large, small)
    kind = c.piece_type(op.result)
    pairs = zip(c.pieces(op.value), c.pieces(op.dest), strict=True)
    return tuple(c.make(op, pair, kind, offsets=offsets, strides=(1,) * len(offsets)) for pair in pairs)


@DISTRIBUTE(vector.Shuffle)
def _shuffle(op: vector.Shuffle, c: Distributor) -> Pieces:
    """Rows change places in each subgroup's columns, of which it has all rows or all that it picks of."""
    found = [c.shares(value)[0] for value in (op.v1, op.v2, op.result)]
    rows, alike = found[0], len({(share.distinct, share.stride, share.rounds) for share in found}) == 1
    mask = own_rows(op, rows.distinct) if alike and rows.rounds == 1 else None
    if mask is None:
        raise LayoutError(f"{op.opname}: rows that it picks are split over subgroups", hint="convert the layout first", at=op.loc)
    return tuple(c.build(vector.Shuffle, *pair, mask=mask) for pair in zip(c.pieces(op.v1), c.pieces(op.v2), strict=True))


@DISTRIBUTE(xegpu.Dpas, xetile.TileMma)
def _product(op: xegpu.Dpas | xetile.TileMma, c: Distributor) -> Pieces:
    """Pieces along m and n by themselves; along k one product after the other (seed 003)."""
    lhs, rhs = op.operands[:2]
    a, b = c.by_round(lhs), c.by_round(rhs)
    (rows, k), (k2, columns) = c.shares(lhs), c.shares(rhs)
    if k.distinct > 1 or (k.size, k.rounds) != (k2.size, k2.rounds):
        raise LayoutError(
            f"{op.opname}: A has {k.rounds} pieces of {k.size} elements along k, B {k2.rounds} of {k2.size}",
            hint="sg_data of A and B must agree along k, and no subgroup may lack a part of it",
            at=op.loc,
        )
    if (rows, columns) != c.shares(op.result):
        raise LayoutError(
            f"{op.opname}: the layouts of A and B do not give a subgroup the rows and columns of its result", at=op.loc
        )
    acc = c.pieces(op.acc) if op.acc is not None else (None,) * len(c.rounds(op.result))
    kind, pieces = c.piece_type(op.result), []
    for (i, j), total in zip(c.rounds(op.result), acc, strict=True):
        for step in range(k.rounds):
            total = c.build(type(op), a[i, step], b[step, j], total, result=kind, **inner(op.attributes))
        pieces.append(total)
    return tuple(pieces)  # type: ignore[arg-type]


@DISTRIBUTE(xetile.TileConvLayout)
def _convert_tile(op: xetile.TileConvLayout, c: Distributor) -> Pieces:
    source, target = c.shares(op.source), c.shares(op.result)
    return c.pieces(op.source) if source == target else exchange(op, c, c.pieces(op.source), source, target)


@DISTRIBUTE(xegpu.ConvertLayout)
def _convert_layout(op: xegpu.ConvertLayout, c: Distributor) -> Pieces:
    """What is left where no element moves is for instructions and lanes."""
    values, shape = c.pieces(op.source), plain_shape(op.source)
    source, target = shares(op.input_layout, shape), shares(op.target_layout, shape)
    if source != target:
        return (exchange if len(source) < 3 else exchange_rows)(op, c, values, source, target)
    before, after = op.input_layout.drop_sg(), op.target_layout.drop_sg()
    if before is None or after is None or before == after:
        return values
    return tuple(c.build(xegpu.ConvertLayout, v, input_layout=before, target_layout=after, layout_result_0=after) for v in values)


@DISTRIBUTE(gpu.Printf)
def _printf(op: gpu.Printf, c: Distributor) -> None:
    """One line per workgroup, unless what is printed differs between subgroups, or only some of them come here."""
    if c.subgroups == 1 or c.numbers.differ(op.operands) or c.numbers.diverge(enclosing(op)):
        c.clone(op)
        return
    then, otherwise = Block(), Block()
    with c.build.at(then):
        c.clone(op)
        c.build(scf.Yield)
    first = c.build(arith.CmpI, c.subgroup_id, c.constant(0), predicate="eq")
    c.build.op(scf.If, first, regions=[then, otherwise], values=[])


# Reductions.


@DISTRIBUTE(vector.MultiReduction)
def _multi_reduction(op: vector.MultiReduction, c: Distributor) -> Lowered:
    """Each subgroup's own elements first, then those of the subgroups that share the reduced dimensions."""
    parts, scalar = c.shares(op.source), not isinstance(op.result.type, VectorType)
    across = [d for d in op.dims if parts[d].distinct > 1]
    kept = [d for d in range(len(parts)) if d not in op.dims]
    kind = op.result.type if scalar else VectorType(tuple(parts[d].size for d in kept), op.source.type.element)
    neutral = c.build(arith.Constant, value=identity(op.kind, op.source.type.element, c.index_bits), result=kind)
    combine = combiner(op.kind, op.source.type.element.is_float)
    totals: dict[tuple[int, ...], Value] = {}
    for in_rounds, piece in c.by_round(op.source).items():
        key = tuple(in_rounds[d] for d in kept)
        start = totals.get(key, neutral)
        totals[key] = c.build(vector.MultiReduction, piece, start, kind=op.kind, dims=op.dims)
    values: Pieces = tuple(totals[key] for key in sorted(totals))
    if across:
        values = _across(op, c, values, [parts[d] for d in across], [parts[d] for d in kept])
    acc = c.pieces(op.acc) if not scalar else (c.one(op.acc),)
    if not is_identity(arith.constant_of(op.acc), op.kind, op.source.type.element, c.index_bits):
        values = tuple(c.build(combine, *pair) for pair in zip(acc, values, strict=True))
    return values[0] if scalar else values


@DISTRIBUTE(vector.Scan)
def _scan(op: vector.Scan, c: Distributor) -> tuple[Pieces, Pieces]:
    """Lines are whole (propagate_layouts): each piece by itself."""
    lines = c.piece_type(op.accumulated)
    made = [
        c.build.op(vector.Scan, piece, initial, kind=op.kind, inclusive=op.inclusive, reduction_dim=op.reduction_dim)
        for piece, initial in zip(c.pieces(op.source), c.pieces(op.initial), strict=True)
    ]
    assert all(scan.accumulated.type == lines for scan in made)
    return tuple(scan.dest for scan in made), tuple(scan.accumulated for scan in made)


def _across(op: vector.MultiReduction, c: Distributor, values: Pieces, over: list[Share], kept: list[Share]) -> Pieces:
    """Each subgroup stores its part to a row of its own; all of the group read all rows."""
    if len(kept) > 1:
        return _across_of_rows(op, c, values, over, kept)
    count = prod(share.distinct for share in over)
    line = kept[0] if kept else ALONE
    element = op.source.type.element
    buffer = c.buffers.get((count, line.extent), stored_element(element, c), op)
    row, starts = _row_of(c, over), [c.place(c.constant(0), line, in_round) for in_round in range(len(values))]
    for value, start in zip(values, starts):
        part = value if kept else c.build(vector.Broadcast, value, result=VectorType((1,), element))
        part = to_memory(c, reshaped(c, part, (1, line.size)))
        c.build.op(xetile.StoreTile, part, buffer_tile(c, buffer, [row, start], (1, line.size)))
    totals = []
    for value, start in zip(values, starts):
        rows = from_memory(
            c, c.build(xetile.LoadTile, buffer_tile(c, buffer, [c.constant(0), start], (count, line.size))), element
        )
        kind = value.type if kept else VectorType((1,), element)
        neutral = c.build(arith.Constant, value=identity(op.kind, element, c.index_bits), result=kind)
        total = c.build(vector.MultiReduction, rows, neutral, kind=op.kind, dims=(0,))
        totals.append(total if kept else c.build(vector.Extract, total, position=(0,)))
    return tuple(totals)


def _across_of_rows(op: vector.MultiReduction, c: Distributor, values: Pieces, over: list[Share], kept: list[Share]) -> Pieces:
    """The same for parts of two dimensions and more, each below the one before."""
    count, element = prod(share.distinct for share in over), op.source.type.element
    extents = (count, *(share.extent for share in kept))
    buffer = c.buffers.get((prod(extents[:-1]), extents[-1]), stored_element(element, c), op)
    row, starts = _row_of(c, over), places(c, kept)
    for value, start in zip(values, starts, strict=True):
        part = to_memory(c, value)
        store_rows(c, buffer, extents, reshaped(c, part, (1, *shape_of(part.type))), [row, *start])
    combine = combiner(op.kind, element.is_float)
    totals = []
    for value, start in zip(values, starts):
        kind = VectorType((1, *shape_of(value.type)), element)
        parts = [load_rows(c, buffer, extents, kind, [c.constant(at), *start]) for at in range(count)]
        totals.append(reduce(lambda a, b: c.build(combine, a, b), (reshaped(c, part, kind.shape[1:]) for part in parts)))
    return tuple(totals)


def _row_of(c: Distributor, over: list[Share]) -> Value:
    row: Value = c.constant(0)
    for share in over:
        row = c.build(arith.AddI, c.build(arith.MulI, row, c.constant(share.distinct)), c.coordinate(share))
    return row
