"""What of a product is stored: a tile reaches beyond the arrays that it goes to, where nobody sees what it holds.

Elements there are not computed. A program at the edge of an array takes its share of the time then, so that tiles need not fit the sizes.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from xetile.dialects import xetile
from xetile.dialects.types import VectorType
from xetile.ir.core import Elementwise, Op, Value
from xetile.ir.reach import reached
from xetile.ir.variables import variables
from xetile.passes.vectors.numbers import Number
from xetile.passes.vectors.state import Lowering


class _OtherUseError(Exception):
    """A use that may see every element."""


def needed(op: Op, lower: Lowering) -> tuple[Number, Number]:
    """How many rows and columns of an op's result are needed, from the first ones on, at most all."""
    rows, columns = op.results[0].type.shape  # type: ignore[attr-defined]
    try:
        tiles = _tiles(op.results[0], lower)
    except _OtherUseError:
        return rows, columns
    n = lower.numbers
    found = []
    for dim, size in ((-2, rows), (-1, columns)):
        parts = [n.subtract(_known(tile.shape[dim], lower), _known(tile.offsets[dim], lower)) for tile in tiles]
        found.append(n.smaller(reduce(n.larger, parts), size))
    return found[0], found[1]


def _tiles(value: Value, lower: Lowering) -> list[xetile.InitTile]:
    """The tiles that a value is stored to, by way of what is computed of its elements one by one; known where the op stands."""
    given = variables(lower.module).given
    tiles: list[xetile.InitTile] = []

    def beyond(held: Value) -> Iterable[Value]:
        for user, position in held.uses:
            variable = given.get((user, position))
            if variable is not None:
                yield from variable.holders
            elif isinstance(user, xetile.StoreTile) and position == 0 and not user.origin:
                tiles.append(_made(user.tile, lower))
            elif (isinstance(user, xetile.TileMma) and position > 1) or _is_one_by_one(user, value):
                yield user.results[0]
            else:
                raise _OtherUseError

    for _ in reached([value], beyond):
        pass
    if not tiles:
        raise _OtherUseError
    return tiles


def _is_one_by_one(user: Op, value: Value) -> bool:
    made = user.results[0].type if len(user.results) == 1 else None
    return isinstance(user, Elementwise) and isinstance(made, VectorType) and made.shape == value.type.shape  # type: ignore[attr-defined]


def _made(tile: Value, lower: Lowering) -> xetile.InitTile:
    made = tile.op
    if not isinstance(made, xetile.InitTile) or made.result.type.scatter or len(made.shape) < 2:
        raise _OtherUseError
    for dim in (-2, -1):
        _known(made.shape[dim], lower), _known(made.offsets[dim], lower)
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
