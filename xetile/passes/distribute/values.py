"""Values: every op on a workgroup's value becomes the same op on each piece."""

from __future__ import annotations

from xetile.dialects import arith, gpu, scf, xetile
from xetile.ir.core import Block, Value
from xetile.ir.dispatch import Table
from xetile.ir.interfaces import enclosing
from xetile.passes.common.pieces import made_once
from xetile.passes.distribute.distributor import Distributor, Pieces, inner, rounds
from xetile.passes.distribute.exchange import exchange
from xetile.passes.distribute.vectors import shifted

DISTRIBUTE = Table()


@DISTRIBUTE(xetile.TileIota)
def _iota(op: xetile.TileIota, c: Distributor) -> Pieces:
    """Coordinates start at the piece's origin."""
    parts, type = c.shares(op.result), c.piece_type(op.result)
    local: Value = c.build(xetile.TileIota, dim=op.dim, result=type)
    pieces: dict[int, Value] = {}
    for in_rounds in rounds(parts):
        in_round = in_rounds[op.dim]
        if in_round not in pieces:
            pieces[in_round] = shifted(c, local, c.place(c.constant(0), parts[op.dim], in_round))
    return tuple(pieces[in_rounds[op.dim]] for in_rounds in rounds(parts))


@DISTRIBUTE(xetile.TileBroadcast)
def _broadcast(op: xetile.TileBroadcast, c: Distributor) -> Pieces:
    source = dict(zip(rounds(c.shares(op.source)), c.pieces(op.source)))
    type = c.piece_type(op.result)
    stretched = (
        tuple(0 if d in op.dims else in_round for d, in_round in enumerate(in_rounds))
        for in_rounds in rounds(c.shares(op.result))
    )
    return made_once((source[at] for at in stretched), lambda piece: c.make(op, [piece], type))


@DISTRIBUTE(xetile.TileMma)
def _mma(op: xetile.TileMma, c: Distributor) -> Pieces:
    """Each piece of the result sums over the pieces of K."""
    a, b = (dict(zip(rounds(c.shares(v)), c.pieces(v))) for v in (op.a, op.b))
    acc = c.pieces(op.acc) if op.acc is not None else None
    attributes = inner(op.attributes)
    pieces = []
    for i, (row, column) in enumerate(rounds(c.shares(op.result))):
        value = acc[i] if acc is not None else None
        for depth in range(c.shares(op.a)[1].rounds):
            value = c.build(xetile.TileMma, a[row, depth], b[depth, column], value, result=c.piece_type(op.result), **attributes)
        assert value is not None
        pieces.append(value)
    return tuple(pieces)


@DISTRIBUTE(xetile.TileTranspose)
def _transpose(op: xetile.TileTranspose, c: Distributor) -> Pieces:
    """In registers where each subgroup's piece is its own transpose (seed 001, appendix 2.3), else through shared memory."""
    source, result = c.shares(op.source), c.shares(op.result)
    if source != result[::-1]:
        return exchange(op, c, c.pieces(op.source), source, result, transposed=True)
    pieces = dict(zip(rounds(source), c.pieces(op.source)))
    return tuple(c.make(op, [pieces[column, row]], c.piece_type(op.result)) for row, column in rounds(result))


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
