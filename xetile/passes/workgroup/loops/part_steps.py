"""Loops of products whose operands do not fit shared memory take them in steps of a part of the depth, which do.

Tiles of 256x64 and 64x64 in f16 take 80 KB in two halves of a buffer, where DG2 has 64: loaded by each lane for itself, a step took 3,900
instructions for 24 DPAS and spilled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xetile.dialects import arith, scf, xetile
from xetile.ir.core import Op, type_of
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.products import mma_types
from xetile.passes.common.numbers import index
from xetile.passes.common.slm import bytes_of
from xetile.passes.workgroup.loops.staging import StagedOperand
from xetile.target import Target


def part_steps(loop: scf.For, staged: Sequence[StagedOperand], target: Target, most: int) -> bool:
    """Let a loop go through what it went through in shorter steps, so that what it stages takes so many bytes at most; whether it does now.

    Only a loop of nothing but products of what it stages, whose counter nothing takes, does the same in shorter steps.
    """
    products = [op for op in loop.body.ops if isinstance(op, xetile.TileMma)]
    depths = {op.a.type.shape[1] for op in products}
    if len(depths) != 1 or not _only_multiplies(loop, staged, products):
        return False
    (depth,) = depths
    if any(_step_of(tile) != _along(tile, depth) for tile in staged):
        return False
    parts = 2
    while sum(bytes_of(tile.memory) for tile in staged) > parts * most:
        parts *= 2
    if any(depth % (parts * target.get_mma(*mma_types(op)).k) for op in products):
        return False
    _shorten(loop, staged, depth, parts)
    return True


def _only_multiplies(loop: scf.For, staged: Sequence[StagedOperand], products: Sequence[xetile.TileMma]) -> bool:
    """Whether all that a loop does is to move tiles, load them, and sum products of them."""
    loads = {tile.load for tile in staged}
    sums = {op.result for op in products}
    for op in loop.body.ops:
        known = op in loads or op.terminator or isinstance(op, (xetile.TileMma, xetile.UpdateTileOffset, arith.Constant))
        if not known or (isinstance(op, xetile.TileMma) and not loads.issuperset({op.a.op, op.b.op})):
            return False
    carried = zip(loop.body.args[1:], loop.body.terminator.operands)
    others = [(arg, given) for arg, given in carried if not isinstance(arg.type, xetile.TileType)]
    tiles = len(loop.body.args) - 1 - len(others)
    return not loop.body.args[0].users and tiles == len(loads) and all(given in sums or given is arg for arg, given in others)


def _axis(tile: StagedOperand) -> int:
    """The one along which products go through a tile."""
    return 1 if all(isinstance(op, xetile.TileMma) and op.a is tile.load.value for op in tile.load.value.users) else 0


def _along(tile: StagedOperand, length: int) -> tuple[int, int]:
    return (0, length) if _axis(tile) else (length, 0)


def _step_of(tile: StagedOperand) -> tuple[int, ...]:
    """By how much a tile moves along its own rows and columns."""
    return tile.step[::-1] if tile.transposed else tile.step


def _shorten(loop: scf.For, staged: Sequence[StagedOperand], depth: int, parts: int) -> None:
    rewrite = Rewriter()
    for tile in staged:
        axis, length = _axis(tile), depth // parts
        for value in tile.moved:
            type_ = type_of(value, xetile.TileType)
            value.set_type(replace(type_, shape=(length, type_.shape[1]) if axis == 0 else (type_.shape[0], length)))
            move: Op | None = value.op
            if isinstance(move, xetile.UpdateTileOffset):
                with rewrite.before(move):
                    rewrite.set_operands(move, move.tile, [index(rewrite, n) for n in _along(tile, length)])
        tile.load.value.set_type(tile.load.value.type.with_shape(*tile.kind.shape))
    with rewrite.before(loop):
        zero, one = index(rewrite, 0), index(rewrite, 1)
        steps = rewrite(arith.CeilDivUI, rewrite(arith.MaxSI, rewrite(arith.SubI, loop.upper, loop.lower), zero), loop.step)
        for position, value in enumerate((zero, rewrite(arith.MulI, steps, index(rewrite, parts)), one)):
            rewrite.set_operand(loop, position, value)
