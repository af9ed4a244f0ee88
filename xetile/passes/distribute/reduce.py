"""Reductions and scans. Over a dimension that is split between subgroups, only what each has reduced alone is exchanged."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from xetile.dialects import arith, vector, xetile
from xetile.dialects.types import INDEX, VectorType, element_of, shape_of
from xetile.ir.core import Op, Value, type_of
from xetile.ir.dispatch import Table
from xetile.passes.analysis.owners import ALONE, Share
from xetile.passes.common.reductions import combiner, identity, zeros_alike
from xetile.passes.distribute.distributor import Distributor, Pieces, rounds
from xetile.passes.distribute.exchange import load_pieces, store_all, stored_element

DISTRIBUTE = Table()

Parts = tuple[Share, ...]


@DISTRIBUTE(xetile.TileReduce)
def _reduce(op: xetile.TileReduce, c: Distributor) -> Pieces:
    pieces, parts = c.pieces(op.source), c.shares(op.source)
    for dim in op.dims:
        pieces, parts = _reduced(op, c, pieces, parts, dim)
    return pieces


def _reduced(
    op: xetile.TileReduce | xetile.TileScan, c: Distributor, pieces: Pieces, parts: Parts, dim: int
) -> tuple[Pieces, Parts]:
    """Pieces reduced along one dimension, over all subgroups that hold part of it; and how the result is distributed."""
    partial = _along(parts, dim, ALONE)
    # Pieces are combined element by element first: the reduction proper, which moves data between lanes, runs once.
    local = tuple(_reduce_one(c, op.kind, piece, dim) for piece in _combined(c, op.kind, pieces, parts, dim))
    split = parts[dim]
    if split.distinct > 1:
        # Rows that fill the lanes are combined as they come; all at once they would lie in as many registers as there are subgroups.
        by_rows = dim == 0 and parts[1].size >= c.target.subgroup_size
        each = Share(1, 1, 0, split.distinct, 1) if by_rows else replace(ALONE, size=split.distinct)
        every = _every_piece(op, c, local, partial, dim, replace(split, size=1, rounds=1, step=0), each)
        combined = _combined(c, op.kind, every, _along(partial, dim, each), dim)
        local = tuple(_reduce_one(c, op.kind, piece, dim) for piece in combined)
    return local, partial


def _combined(c: Distributor, kind: str, pieces: Pieces, parts: Parts, dim: int) -> list[Value]:
    """A subgroup's pieces along a dimension, combined element by element."""
    groups: dict[tuple[int, ...], list[Value]] = {}
    for in_rounds, piece in zip(rounds(parts), pieces):
        groups.setdefault(tuple(0 if d == dim else in_round for d, in_round in enumerate(in_rounds)), []).append(piece)
    return [reduce(lambda x, y: _combine(c, kind, x, y), groups[at]) for at in rounds(_along(parts, dim, ALONE))]


def _every_piece(op: Op, c: Distributor, totals: Pieces, parts: Parts, dim: int, split: Share, each: Share) -> Pieces:
    """The totals of all pieces along a dimension, distributed as `each` says, in every subgroup that holds one of them."""
    element = element_of(totals[0].type)
    shape = tuple(split.extent if d == dim else part.extent for d, part in enumerate(parts))
    buffer = c.buffers.get((shape[0], shape[1]), stored_element(element, c), op)
    store_all(op, c, buffer, totals, _along(parts, dim, split))
    return load_pieces(c, buffer, _along(parts, dim, each), element)


@DISTRIBUTE(xetile.TileScan)
def _scan(op: xetile.TileScan, c: Distributor) -> Pieces:
    """Each piece by itself, then what comes before it is added."""
    parts, pieces = c.shares(op.source), c.pieces(op.source)
    scanned = [c.build(xetile.TileScan, piece, kind=op.kind, dim=op.dim) for piece in pieces]
    if parts[op.dim].extent == parts[op.dim].size:
        return tuple(scanned)
    totals = tuple(_reduce_one(c, op.kind, piece, op.dim) for piece in pieces)
    before = _sums_before(op, c, totals, parts) if parts[op.dim].distinct > 1 else _running(op, c, totals, parts)
    return tuple(_plus(op, c, piece, start) for piece, start in zip(scanned, before))


def _plus(op: xetile.TileScan, c: Distributor, piece: Value, start: Value | None) -> Value:
    if start is None:
        return piece
    stretched = c.build(xetile.TileBroadcast, start, dims=(op.dim,), result=piece.type)
    return _combine(c, op.kind, stretched, piece)


def _running(op: xetile.TileScan, c: Distributor, totals: Pieces, parts: Parts) -> list[Value | None]:
    """What comes before each piece where one subgroup has them all."""
    so_far: dict[int, Value] = {}
    before: list[Value | None] = []
    for in_rounds, total in zip(rounds(parts), totals):
        other = in_rounds[1 - op.dim]
        start = so_far.get(other)
        before.append(start)
        so_far[other] = total if start is None else _combine(c, op.kind, start, total)
    return before


def _sums_before(op: xetile.TileScan, c: Distributor, totals: Pieces, parts: Parts) -> list[Value | None]:
    """What comes before each piece: the totals of all pieces are exchanged, and those before it are reduced."""
    split = replace(parts[op.dim], size=1, step=parts[op.dim].distinct)
    kept = _along(parts, op.dim, ALONE)
    every = dict(zip(rounds(kept), _every_piece(op, c, totals, parts, op.dim, split, replace(ALONE, size=split.extent))))
    before: list[Value | None] = []
    for in_rounds in rounds(parts):
        others = every[tuple(0 if d == op.dim else in_round for d, in_round in enumerate(in_rounds))]
        place = c.place(c.constant(0), split, in_rounds[op.dim])
        before.append(_reduce_one(c, op.kind, _up_to(op, c, others, place), op.dim))
    return before


def _up_to(op: xetile.TileScan, c: Distributor, totals: Value, place: Value) -> Value:
    """The totals of pieces before `place`; what changes nothing in place of the others."""
    vector_type = type_of(totals, VectorType)
    number = c.build(xetile.TileIota, dim=op.dim, result=VectorType(vector_type.shape, INDEX))
    limit = c.build(vector.Broadcast, place, result=number.type)
    neutral = c.build(arith.Constant, value=identity(op.kind, vector_type.element, c.index_bits), result=vector_type)
    chosen: Value = c.build(arith.Select, c.build(arith.CmpI, number, limit, predicate="ult"), totals, neutral)
    return chosen


def _reduce_one(c: Distributor, kind: str, piece: Value, dim: int) -> Value:
    """One piece reduced; nothing where it has one element along the dimension."""
    if shape_of(piece.type)[dim] == 1:
        return piece
    result: Value = c.build(xetile.TileReduce, piece, kind=kind, dims=(dim,))
    return result


def _combine(c: Distributor, kind: str, x: Value, y: Value) -> Value:
    result: Value = c.build(combiner(kind, element_of(x.type).is_float), x, y, **zeros_alike(kind))
    return result


def _along(parts: Parts, dim: int, share: Share) -> Parts:
    """The shares with another one along a dimension."""
    return tuple(share if d == dim else part for d, part in enumerate(parts))
