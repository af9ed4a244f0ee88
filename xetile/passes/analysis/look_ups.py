"""Gathers that look elements up in an array, each by an index that is worked out."""

from __future__ import annotations

from xetile.dialects import vector, xetile
from xetile.ir.core import Op, Value


def indices_of(op: Op | None, *, masked: bool = False) -> Value | None:
    """The indices by which a gather from an array takes elements; None of any other op.

    masked: also where a mask leaves some out.
    """
    if not isinstance(op, xetile.LoadGather) or not isinstance(op.tile.op, xetile.InitTile):
        return None
    if not masked and not vector.is_true(op.mask):
        return None
    made = op.tile.op
    return made.offsets[0] if made.result.type.scatter and not made.result.type.space and len(made.offsets) == 1 else None


def looked_up(user: Op) -> xetile.LoadGather | None:
    """The gather for which alone an op makes a tile of indices."""
    (taker, *others) = user.results[0].users if isinstance(user, xetile.InitTile) and user.results[0].users else (None,)
    return taker if isinstance(taker, xetile.LoadGather) and not others and indices_of(taker) is not None else None


__all__ = ["indices_of", "looked_up"]
