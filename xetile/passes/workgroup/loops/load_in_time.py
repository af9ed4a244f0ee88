"""Operands that a loop loads an iteration or more before it multiplies them are loaded in the iteration that does.

Programs that load the next step's tiles while they multiply this one's keep two steps or more in registers, of which a product's
accumulator leaves few: a 64 x 64 tile of C spilled 2560 bytes on pvc, with 365 instructions for 32 DPAS. Prefetches
bring the tiles to the cache ahead of time in any case (`insert_prefetches`), and those take no registers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from xetile.dialects import arith, scf, xetile
from xetile.dialects.affine import Affine, affine_of
from xetile.dialects.effects import written_arguments
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import VectorType
from xetile.ir.core import Elementwise, Op, Value
from xetile.ir.reach import reached
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.recurrences import growth_of, is_invariant
from xetile.passes.common.carry import carry, drop, give
from xetile.passes.common.numbers import index
from xetile.passes.common.unused import erase_unused
from xetile.records import dataclass
from xetile.target import Target

_ACC = 2
_FOLLOWED = (xetile.TileTranspose, xetile.TileBroadcast)
"""What is made again of loads, beside elementwise ops."""


def load_in_time(module: GpuModule, target: Target | None = None) -> GpuModule:
    """Load what a loop carries to a product of a later iteration in that iteration.

    Before and after: xetile at workgroup level. Of a carried value `x`, first `f(load_tile(t))`, then `f(load_tile(u))`, where `u` is
    in each iteration one step from where it was before, and `t` one step before the first of them, the loop loads `x` itself; behind the
    loop it is loaded once more. The kernel must not write the array, and what is loaded ahead must have no other use.
    """
    for loop in module.find(scf.For):
        while any(_load(loop, position, module) for position in range(len(loop.init))):
            _drop_tiles(loop)
    return module


def _load(loop: scf.For, position: int, module: GpuModule) -> bool:
    """Load one carried value where it is used; whether it could be."""
    value, given, end = loop.body.args[position + 1], loop.body.terminator.operands[position], loop.body.terminator
    if (guarded := _guarded(loop, position)) is not None:
        given, end = guarded
    ahead = _Ahead(loop, end)
    if not isinstance(value.type, VectorType) or not ahead.follows(loop.init[position], given) or not ahead.loads:
        return False
    if not ahead.is_used_once(given) or not _is_multiplied(value, loop) or ahead.arrays & written_arguments(module):
        return False
    behind = loop.results[position]
    again = ahead.make(given, behind if behind.users else None)
    again.name = value.name
    Rewriter().replace_uses(value, again)
    _drop(loop, position)
    return True


def _drop(loop: scf.For, position: int) -> None:
    """Let a loop carry a value no more that nobody reads, and make it no more."""
    first, given = loop.init[position], loop.body.terminator.operands[position]
    drop(loop, position)
    erase_unused((given, first), Rewriter())


def _drop_tiles(loop: scf.For) -> None:
    """Carry tiles no more that are only moved."""
    for position in reversed(range(len(loop.init))):
        tile = loop.body.args[position + 1]
        if isinstance(tile.type, xetile.TileType) and not loop.results[position].users:
            given = loop.body.terminator.operands[position]
            chain = [given]
            while isinstance(chain[-1].op, xetile.UpdateTileOffset):
                chain.append(chain[-1].op.tile)
            if chain[-1] is tile and all(len(list(moved.uses)) == 1 for moved in chain):
                _drop(loop, position)


def _guarded(loop: scf.For, position: int) -> tuple[Value, Op] | None:
    """What is given where another iteration follows, `x` of `x if k + step < end else old`, and the op that ends its branch."""
    given = loop.body.terminator.operands[position]
    branch = given.op
    if not isinstance(branch, scf.If) or branch.parent is not loop.body or loop.results[position].users or given.index is None:
        return None
    condition = branch.condition.op
    step = arith.constant_of(loop.step)
    if not isinstance(condition, arith.CmpI) or condition.predicate != "slt" or not isinstance(step, int) or step < 1:
        return None
    following = affine_of(condition.operands[0]).plus(Affine({}, step), -1)
    to_end = affine_of(condition.operands[1]).plus(affine_of(loop.upper), -1)
    then, otherwise = (region.terminator for region in branch.regions)
    is_next = following.less(loop.body.args[0]) == 0 and not to_end.coefficients and to_end.constant == 0
    kept = otherwise.operands[given.index] is loop.body.args[position + 1]
    return (then.operands[given.index], then) if is_next and kept and list(given.users) == [loop.body.terminator] else None


def _is_multiplied(value: Value, loop: scf.For) -> bool:
    """Whether an operand of the loop's own products is worked out from a value, in this iteration or a later one."""

    def made_of(value: Value) -> Iterator[Value]:
        for op, position in value.uses:
            if op is loop.body.terminator:
                yield loop.body.args[position + 1]
            elif isinstance(op, (Elementwise, *_FOLLOWED)) and op.parent is loop.body:
                yield from op.results

    uses = (use for v in reached([value], made_of) for use in v.uses)
    return any(isinstance(op, xetile.TileMma) and position < _ACC and op.parent is loop.body for op, position in uses)


@dataclass(frozen=True)
class _Place:
    """Where a tile is: what it was made by, and rows and columns."""

    start: xetile.InitTile
    rows: Affine
    columns: Affine

    def moved(self, by: tuple[Affine, Affine]) -> _Place:
        return _Place(self.start, self.rows.plus(by[0]), self.columns.plus(by[1]))

    def step_from(self, other: _Place) -> tuple[int, int] | None:
        """How far it is from another place of the same array, where that is a number."""
        dy, dx = self.rows.plus(other.rows, -1), self.columns.plus(other.columns, -1)
        alike = len(self._array) == len(other._array) and all(map(_same, self._array, other._array))
        return (dy.constant, dx.constant) if alike and not dy.coefficients and not dx.coefficients else None

    @property
    def _array(self) -> tuple[Value, ...]:
        made = self.start
        return (made.base, *made.offsets[:-2], *made.shape, *made.strides)


class _Ahead:
    """What a loop loads ahead for one carried value.

    loads   with the tile of iteration 0 of each, and how far it moves.  arrays: of which they are.
    ops     the loads, and what is made of them, in the loop's body or the branch that `end` ends.
    """

    def __init__(self, loop: scf.For, end: Op) -> None:
        self.loop = loop
        self.end = end
        self.blocks = {loop.body, end.parent}
        self.loads: dict[Op, tuple[Value, tuple[int, int]]] = {}
        self.arrays: set[Value] = set()
        self.ops: set[Op] = set()

    def follows(self, first: Value, given: Value) -> bool:
        """Whether `given` is in each iteration the next of what `first` is before the loop."""
        if first is given or _same(first, given):
            return is_invariant(given, self.loop)
        one, other = first.op, given.op
        if type(one) is not type(other) or one is None or other is None or other.parent not in self.blocks:
            return False
        if one.attributes != other.attributes or first.type != given.type:
            return False
        self.ops.add(other)
        if isinstance(one, xetile.LoadTile) and isinstance(other, xetile.LoadTile):
            return self._follows_load(one, other)
        if not isinstance(one, (Elementwise, *_FOLLOWED)) or len(one.operands) != len(other.operands):
            return False
        return all(map(self.follows, one.operands, other.operands))

    def _follows_load(self, one: xetile.LoadTile, other: xetile.LoadTile) -> bool:
        type_ = other.tile.type
        if not type_.is_block or type_ != one.tile.type:
            return False
        found, before = self._growing(other.tile), _place(one.tile)
        if found is None or before is None:
            return False
        first, step = found
        self.loads[other] = (one.tile, step)
        self.arrays.add(before.start.base)
        return step != (0, 0) and first.step_from(before) == step

    def _growing(self, tile: Value) -> tuple[_Place, tuple[int, int]] | None:
        """Where a tile of the loop is in the first iteration, and how far it moves from each to the next."""
        tile, by = _unmoved(tile)
        if not all(is_invariant(symbol, self.loop) for amount in by for symbol in amount.coefficients):
            return None
        if tile.owner is self.loop.body:
            last, step = _unmoved(self.loop.body.terminator.operands[tile.index - 1])
            before = _place(self.loop.init[tile.index - 1])
            if last is not tile or before is None or any(amount.coefficients for amount in step):
                return None
            return before.moved(by), (step[0].constant, step[1].constant)
        if not isinstance(tile.op, xetile.InitTile) or tile.op.parent not in self.blocks or len(tile.op.offsets) < 2:
            return None
        growths = [growth_of(v, self.loop) for v in tile.op.offsets[-2:]]
        starts = [self._first(v) for v in tile.op.offsets[-2:]]
        if None in growths or None in starts:
            return None
        place: Any = _Place(tile.op, *starts)  # type: ignore[arg-type]
        return place.moved(by), tuple(growths)  # type: ignore[return-value]

    def _first(self, value: Value) -> Affine | None:
        """A number of the loop in the first iteration."""
        found = affine_of(value, lambda v: is_invariant(v, self.loop))
        total = Affine({}, found.constant)
        for symbol, times in found.coefficients.items():
            if symbol.owner is self.loop.body:
                symbol = self.loop.lower if symbol.index == 0 else self.loop.init[symbol.index - 1]
            elif not is_invariant(symbol, self.loop):
                return None
            total = total.plus(affine_of(symbol), times)
        return total

    def is_used_once(self, given: Value) -> bool:
        """Whether nothing but the next iteration, once, uses what is loaded ahead."""
        users = [user for op in self.ops for user in op.results[0].users if user not in self.ops]
        return len(users) == 1 and users[0] is self.end and list(given.users) == users

    def make(self, given: Value, behind: Value | None) -> Value:
        """The value of this iteration, loaded where it begins; `behind`: the loop's result, which is loaded after it."""
        build = Rewriter()
        tiles = {load: carry(self.loop, tile, tile.name) for load, (tile, _) in self.loads.items()}
        last = dict(zip(tiles, self.loop.results[-len(tiles) :]))
        with build.before(self.loop.body.terminator):
            for load, (_, step) in self.loads.items():
                with build.located(load.loc):
                    give(self.loop, build(xetile.UpdateTileOffset, tiles[load], [index(build, n) for n in step]))
        if behind is not None:
            with build.after(self.loop.results[0]):
                build.replace_uses(behind, self._again(given, last, build))
        with build.before(next(iter(self.loop.body.ops))):
            return self._again(given, tiles, build)

    def _again(self, value: Value, tiles: dict[Op, Value], build: Rewriter) -> Value:
        op = value.op
        if op not in self.ops or op is None:
            return value
        operands = [tiles[op]] if op in tiles else [self._again(v, tiles, build) for v in op.operands]
        return build.clone(op, operands).results[0]


def _place(tile: Value) -> _Place | None:
    start, by = _unmoved(tile)
    made = start.op
    if not isinstance(made, xetile.InitTile) or len(made.offsets) < 2:
        return None
    rows, columns = map(affine_of, made.offsets[-2:])
    return _Place(made, rows, columns).moved(by)


def _unmoved(tile: Value) -> tuple[Value, tuple[Affine, Affine]]:
    """What a tile is moved from, and by how much."""
    rows, columns = Affine({}), Affine({})
    while isinstance(tile.op, xetile.UpdateTileOffset):
        dy, dx = map(affine_of, tile.op.offsets)
        rows, columns, tile = rows.plus(dy), columns.plus(dx), tile.op.tile
    return tile, (rows, columns)


def _same(one: Value, other: Value) -> bool:
    """Whether two values are one, or the same constant."""
    if one is other:
        return True
    a, b = one.op, other.op
    return (
        isinstance(a, arith.Constant)
        and isinstance(b, arith.Constant)
        and a.attributes == b.attributes
        and one.type == other.type
    )


__all__ = ["load_in_time"]
