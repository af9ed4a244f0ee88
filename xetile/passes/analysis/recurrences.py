"""Add-recurrences of tiles: which tiles of a loop move by the same amount in each iteration, from where, and by how much."""

from __future__ import annotations

from collections.abc import Callable

from xetile.dialects import arith, scf, xetile
from xetile.dialects.affine import affine_of
from xetile.dialects.types import ScalarType
from xetile.ir.core import Elementwise, Value
from xetile.ir.interfaces import block_of
from xetile.records import dataclass

Step = tuple[Value | int, ...]


@dataclass(frozen=True)
class Recurrence:
    """In iteration i of `loop` the tile is the one of iteration 0, moved by i times `step`.

    start   the init_tile that says where its memory is.
    first   the tile before the loop; None where each iteration makes its own, at offsets that grow with the counter.
    step    for rows and columns, in the order of the tile's offsets: numbers, or values that the loop does not change.
    moved   the op that moves a carried tile, None for others.
    """

    loop: scf.For
    start: xetile.InitTile
    first: Value | None
    step: Step
    moved: xetile.UpdateTileOffset | None

    @property
    def is_direct(self) -> bool:
        """Whether iteration 0 is where the init_tile is, not moved from there."""
        return self.first is None or self.first is self.start.result

    @property
    def constant_step(self) -> tuple[int, int] | None:
        """By how many rows and columns it moves, where that is known."""
        if len(self.step) != 2:
            return None
        dy, dx = self.step
        return (dy, dx) if isinstance(dy, int) and isinstance(dx, int) else None


def recurrence_of(loop: scf.For, tile: Value) -> Recurrence | None:
    """How a tile of a loop moves; None where that is no sum of the same amount in each iteration."""
    if tile.owner is loop.body:
        return _carried(loop, tile)
    if tile.op is not None and tile.op.parent is loop.body and isinstance(tile.op, xetile.InitTile):
        return _made_inside(loop, tile.op)
    return None


def is_invariant(value: Value, loop: scf.For) -> bool:
    """Whether a loop leaves a value as it is; constants may stand inside of it."""
    if value.op is not None and value.op.constant_like:
        return True
    block = block_of(value)
    while block is not None and block is not loop.body:
        block = block.parent.parent if block.parent is not None else None
    return block is None


def is_fixed(value: Value, loop: scf.For) -> bool:
    """Whether a value is the same in all iterations, which may compute it each for itself."""
    return is_invariant(value, loop) or (
        isinstance(value.op, Elementwise) and value.op.parent is loop.body and all(is_fixed(v, loop) for v in value.op.operands)
    )


def is_hoistable(value: Value, loop: scf.For) -> bool:
    """Whether a value is the same in all iterations, and can be worked out before them."""
    op = value.op
    return is_invariant(value, loop) or (
        op is not None and op.pure and not op.regions and all(is_hoistable(v, loop) for v in op.operands)
    )


def _carried(loop: scf.For, tile: Value) -> Recurrence | None:
    """A tile that the loop carries, and moves once at the end of each iteration."""
    if tile.index == 0 or not isinstance(tile.type, xetile.TileType):
        return None
    first, moved = loop.init[tile.index - 1], loop.body.terminator.operands[tile.index - 1].op
    if not isinstance(moved, xetile.UpdateTileOffset) or moved.tile is not tile:
        return None
    start = first.op
    while isinstance(start, xetile.UpdateTileOffset):
        start = start.tile.op
    if not isinstance(start, xetile.InitTile) or not all(is_invariant(v, loop) for v in moved.offsets):
        return None
    return Recurrence(loop, start, first, tuple(map(_known, moved.offsets)), moved)


def _made_inside(loop: scf.For, start: xetile.InitTile) -> Recurrence | None:
    """A tile rematerialized in each iteration, at offsets that grow with the counter."""
    *leading, y, x = start.offsets
    if any(growth_of(v, loop) != 0 for v in (start.base, *leading, *start.shape, *start.strides)):
        return None
    dy, dx = growth_of(y, loop), growth_of(x, loop)
    return Recurrence(loop, start, None, (dy, dx), None) if isinstance(dy, int) and isinstance(dx, int) else None


def along_axes(step: tuple[int, int], rank: int) -> tuple[int, ...]:
    """By how much a tile that moves so many rows and columns moves along its array's axes: rows and columns both lie along a single one."""
    return step if rank > 1 else (sum(step),)


def growth_of(value: Value, loop: scf.For, is_same: Callable[[Value, scf.For], bool] = is_invariant) -> int | None:
    """By what a value grows from one iteration to the next; None where that is not known. `is_same`: what has no growth."""
    total = 0
    for symbol, times in affine_of(value, lambda v: is_invariant(v, loop)).coefficients.items():
        growth = 0 if is_same(symbol, loop) else _growth(symbol, loop)
        if growth is None:
            return None
        total += growth * times
    return total


def _growth(symbol: Value, loop: scf.For) -> int | None:
    if is_invariant(symbol, loop):
        return 0
    if symbol.owner is not loop.body:
        return None
    if symbol.index == 0:
        return _number(loop.step)
    return affine_of(loop.body.terminator.operands[symbol.index - 1]).less(symbol)


def alternation_of(loop: scf.For, arg: Value) -> Value | None:
    """The sum of the two numbers between which a carried value alternates: the next is that less this one. None where it does not."""
    given = loop.body.terminator.operands[arg.index - 1].op
    if not isinstance(given, arith.SubI) or given.operands[1] is not arg or not isinstance(arg.type, ScalarType):
        return None
    return given.operands[0]


def _number(value: Value) -> int | None:
    known = arith.constant_of(value)
    return known if isinstance(known, int) else None


def _known(value: Value) -> Value | int:
    number = _number(value)
    return value if number is None else number
