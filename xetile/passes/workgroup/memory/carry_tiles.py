"""Tiles that a matrix loop rematerializes in each iteration become tiles that it carries and moves, which later passes follow."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xetile.dialects import arith, scf, xetile
from xetile.dialects.gpu import GpuModule
from xetile.ir.core import Op, Value
from xetile.ir.interfaces import loop_around
from xetile.ir.reach import reached
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.passes.analysis.products import is_worked_on, mma_uses
from xetile.passes.analysis.recurrences import growth_of, is_fixed, is_invariant
from xetile.passes.common.carry import carry, give, in_first_iteration
from xetile.target import Target


def carry_tiles(module: GpuModule, target: Target | None = None) -> GpuModule:
    """Let loops that add products up carry the tiles they load whose offsets grow by the same amount in each iteration.

    Before and after: xetile at workgroup level. `init_tile(A, (m, k), ...)` for `k in range(0, K, 32)` becomes a tile at (m, 0)
    before the loop and an update by (0, 32) at the end of each iteration. Scattered tiles, and those that are stored through, stay.

    So do small tiles of loops that go on working with what a product gives, as attention does: each prefetch, whose payload IGC
    rematerializes in every iteration, costs more than a DPAS (attention D=64: 144 instructions on bmg, 118 without). It is worth that
    where it is a whole message and there is one for each of several subgroups. For targets without block messages it is where all operands
    that are loaded can be staged; there offsets like `k // 2` grow, too.
    """
    for loop in module.find(scf.For):
        inside = list(loop.body.walk())
        products = [op for op in inside if isinstance(op, xetile.TileMma) and _is_own(op, loop)]
        busy = any(is_worked_on(op.results[0]) for op in products)
        staged = target is not None and target.block2d is None and _have_one_role(inside)
        for op in inside if products else ():
            if not isinstance(op, xetile.InitTile) or (staged and _places_tiles(op.result)):
                continue
            if not busy or staged or _is_large(op.result.type, target):
                _carry(loop, op, is_fixed if busy or staged else is_invariant, shifted=staged)
    return module


def _is_large(tile: xetile.TileType, target: Target | None) -> bool:
    """Whether several whole messages bring a tile to the caches: more, were it twice as high."""
    if target is None or target.block2d is None:
        return False
    rows, columns = tile.shape if tile.order == (1, 0) else tile.shape[::-1]
    once, twice = (target.block2d.plan("prefetch", element_bytes(tile.element), n * rows, columns) for n in (1, 2))
    return once is not None and twice is not None and 1 < len(once) < len(twice)


def _have_one_role(inside: Sequence[Op]) -> bool:
    """Whether what is loaded for products is one operand of theirs, and nothing else."""
    loads = [mma_uses(op.value) for op in inside if isinstance(op, xetile.LoadTile)]
    return all(len(roles) == 1 for roles in loads)


def _places_tiles(number: Value) -> bool:
    """Whether a tile is one number, of which follows where other tiles lie, and no lines alone: these are made an iteration ahead of time
    (`stage_operands`), of what the loop counts.
    """

    def made_of(value: Value) -> list[Value]:
        return [result for user in value.users if not user.regions for result in user.results]

    tiles = [v.type for v in reached([number], made_of) if isinstance(v.op, xetile.InitTile) and v is not number]
    return number.type.shape == (1, 1) and any(1 not in tile.shape for tile in tiles)  # type: ignore[attr-defined]


def _is_own(op: Op, loop: scf.For) -> bool:
    """Whether this is the innermost loop around an op."""
    return loop_around(op) is loop


def _carry(loop: scf.For, made: xetile.InitTile, is_same: Callable[[Value, scf.For], bool], *, shifted: bool) -> None:
    """shifted: also where an offset is another one divided by a power of two that divides what that grows by, and along arrays of one axis."""
    tile = made.result
    loaded = all(isinstance(user, (xetile.LoadTile, xetile.PrefetchTile)) for user in tile.users)
    if not tile.type.is_block or not loaded:
        return
    fixed = (made.base, *made.offsets[:-2], *made.shape, *made.strides)
    steps = [
        growth if growth is not None or not shifted else _shifted_growth(value, loop, is_same)
        for value in made.offsets[-2:]
        for growth in [growth_of(value, loop, is_same)]
    ]
    if len(steps) == 1 and shifted and tile.type.order == (1, 0):
        steps = [0, *steps]  # an array of one axis is one row
    if len(steps) < 2 or not all(is_same(v, loop) for v in fixed) or None in steps or steps == [0, 0]:
        return
    rewrite = Rewriter()
    with rewrite.before(loop), rewrite.located(made.loc):
        operands = [in_first_iteration(value, loop, rewrite) for value in made.operands]
        first = rewrite.clone(made, operands).result
        amounts = [rewrite(arith.Constant, value=step, result=made.offsets[0].type) for step in steps if step is not None]
    inner = carry(loop, first, tile.name)
    rewrite.replace(made, inner)
    with rewrite.before(loop.body.terminator), rewrite.located(made.loc):
        give(loop, rewrite(xetile.UpdateTileOffset, inner, amounts))


def _shifted_growth(value: Value, loop: scf.For, is_same: Callable[[Value, scf.For], bool]) -> int | None:
    """By what `x >> n` grows where x grows by a multiple of 1 << n, wherever x begins: what is rounded off stays the same."""
    op = value.op
    by = arith.constant_of(op.operands[1]) if isinstance(op, arith.ShRSI) else None
    growth = growth_of(op.operands[0], loop, is_same) if op is not None and isinstance(by, int) else None
    return None if growth is None or growth % (1 << by) else growth >> by  # type: ignore[operator]
