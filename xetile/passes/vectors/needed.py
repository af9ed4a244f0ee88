"""What of a product is stored, and what of its operands is read: tiles reach beyond their arrays.

Nobody sees elements beyond the arrays that a result goes to, so that they are not computed: a program at the edge of an array takes its share
of the time then, and tiles need not fit the sizes. Where both operands are padding their products add nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from xetile.dialects import xetile
from xetile.dialects.joint_matrix import Mad
from xetile.dialects.types import VectorType
from xetile.ir.core import Block, Elementwise, Op, Value
from xetile.ir.interfaces import block_of, enclosing
from xetile.ir.reach import reached
from xetile.ir.variables import variables
from xetile.passes.vectors.numbers import Number
from xetile.passes.vectors.places import Place
from xetile.passes.vectors.state import Lowering
from xetile.passes.vectors.tails import tail_of


class _OtherUseError(Exception):
    """A use that may see every element."""


def needed(op: Op, lower: Lowering) -> tuple[Number, Number]:
    """How many rows and columns of an op's result are needed, from the first ones on, at most all."""
    return needed_along(op.results[0], 0, lower), needed_along(op.results[0], 1, lower)


def needed_along(value: Value, dim: int, lower: Lowering) -> Number:
    """How many rows, or columns, of an op's result are needed."""
    size: int = value.type.shape[dim]  # type: ignore[attr-defined]
    try:
        return lower.numbers.smaller(reduce(lower.numbers.larger, _ends(value, dim, lower)), size)
    except _OtherUseError:
        return size


def _ends(value: Value, dim: int, lower: Lowering) -> list[Number]:
    """From where on nobody sees a value, for all who take it, by way of what is computed of its rows or columns one by one."""
    given, n, op = variables(lower.module).given, lower.numbers, value.op
    assert op is not None
    tiles: list[xetile.InitTile] = []
    ends: list[Number] = []
    later: set[Op] = set()  # loops whose next iterations have it too, which may store it to other places

    def beyond(held: Value) -> Iterable[Value]:
        for user, position in held.uses:
            variable = given.get((user, position))
            if variable is not None:
                later.update(around for holder in variable.holders if (around := _repeated(holder)) is not None)
                yield from variable.holders
            elif isinstance(user, xetile.StoreTile) and position == 0 and not user.origin:
                tiles.append(_made(user.tile, dim, lower))
            elif isinstance(user, xetile.TileReduce) and user.dims == (dim,):
                tail = tail_of(user, lower)
                if tail is None:
                    raise _OtherUseError
                ends.append(tail.begin)
            elif _is_one_by_one(user, position, value, dim):
                yield user.results[0]
            else:
                raise _OtherUseError

    for _ in reached([value], beyond):
        pass
    at = dim - 2
    if (later and ends) or not all(_is_same(v, op, later) for tile in tiles for v in (tile.shape[at], tile.offsets[at])):
        raise _OtherUseError
    ends += [n.subtract(_known(tile.shape[at], lower), _known(tile.offsets[at], lower)) for tile in tiles]
    if not ends:
        raise _OtherUseError
    return ends


def _repeated(holder: Value) -> Op | None:
    """The loop whose next iteration has a value as this argument."""
    loop = holder.owner.parent if isinstance(holder.owner, Block) else None
    return loop if loop is not None and loop.repeats else None


def _is_same(value: Value, op: Op, later: set[Op]) -> bool:
    """Whether a size or an offset is known where an op stands, and the same in all iterations that have its result."""
    around, at = enclosing(op), block_of(value)
    blocks = [op.parent, *(outer.parent for outer in around)]
    return at in blocks and later.isdisjoint(around[blocks.index(at) :])


def _is_one_by_one(user: Op, position: int, value: Value, dim: int) -> bool:
    """Whether each row, or column, of a result is of that one of an operand alone."""
    made = user.results[0].type if len(user.results) == 1 else None
    if not isinstance(made, VectorType) or made.shape[dim : dim + 1] != value.type.shape[dim : dim + 1]:  # type: ignore[attr-defined]
        return False
    if isinstance(user, xetile.TileMma):
        return position > 1
    return isinstance(user, (Elementwise, xetile.TileReduce, xetile.TileBroadcast)) and made.rank == 2


def _made(tile: Value, dim: int, lower: Lowering) -> xetile.InitTile:
    made = tile.op
    if not isinstance(made, xetile.InitTile) or made.result.type.scatter or len(made.shape) < 2:
        raise _OtherUseError
    _known(made.shape[dim - 2], lower), _known(made.offsets[dim - 2], lower)
    return made


def _known(value: Value, lower: Lowering) -> Number:
    """A size or an offset, where the walk over the ops has come by it."""
    held = lower.numbers.known(value)
    if isinstance(held, int):
        return held
    made = lower.env.get(value)
    if not isinstance(made, Value):
        raise _OtherUseError
    return lower.numbers.known(made)


def filled(op: xetile.TileMma | Mad, lower: Lowering) -> Number:
    """The depth from which on both operands are padding: products of zeros add nothing to a sum (but to the sign of a zero)."""
    n, depth = lower.numbers, op.a.type.shape[1]
    ends: list[Number] = []
    for value in (op.a, op.b):
        load, place = value.op, None
        if isinstance(load, xetile.LoadTile) and not load.padding:
            place = lower.env.get(load.tile)
        if not isinstance(place, Place):
            return depth
        line = place.columns if value is op.a else place.rows
        ends.append(n.subtract(line.extent, line.offset))
    return n.larger(n.smaller(n.larger(*ends), depth), 0)


def read_of(load: xetile.LoadTile, lower: Lowering) -> Number | None:
    """The depth to which products read what is loaded, their operand, where they alone take it and stand in its block; else None."""
    at = {position for _, position in load.value.uses}
    users = [user for user, _ in load.value.uses]
    if len(at) != 1 or not all(isinstance(user, xetile.TileMma) and user.parent is load.parent for user in users):
        return None
    return reduce(lower.numbers.larger, (filled(user, lower) for user in users))  # type: ignore[arg-type]


def copied_width(lower: Lowering, depth: int) -> int:
    """Elements of a left operand's row that are copied at a time: where fewer are read, all of the row must be there."""
    return min(lower.lanes, 1 << depth.bit_length() - 1)
