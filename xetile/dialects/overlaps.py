"""Stores of neighbouring programs that meet: what an element holds then is chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xetile.dialects.affine import sum_of
from xetile.dialects.arith import constant_of
from xetile.dialects.gpu import BlockId
from xetile.dialects.xetile import InitTile, StoreTile
from xetile.ir.core import Op, Value
from xetile.ir.interfaces import enclosing
from xetile.ir.reach import reached
from xetile.records import dataclass

if TYPE_CHECKING:
    from xetile.errors import Location


@dataclass(frozen=True)
class Overlap:
    """A store whose tiles begin closer than they are long.

    base    the memory that it stores to.
    axis    of the grid along which programs are neighbours: "x", "y" or "z".
    step    elements between where two of them begin; `size`: elements of a tile in that direction.
    """

    base: Value
    axis: str
    step: int
    size: int
    at: Location


def overlapping_stores(module: Op) -> list[Overlap]:
    """Stores that neighbouring programs surely make to the same elements: whole tiles that each program stores, at a constant distance.

    Not those in branches, and not those to one place from all programs: which of them stores may depend on anything.
    """
    stores = (op for op in module.walk() if isinstance(op, StoreTile) and op.loc is not None)
    return [found for op in stores if all(holder.repeats for holder in enclosing(op)[:-1]) for found in _overlaps(op)]


def _overlaps(store: StoreTile) -> list[Overlap]:
    tile = store.tile.op
    if not isinstance(tile, InitTile) or tile.result.type.scatter or not all(map(_is_plain, tile.strides)):
        return []
    assert store.loc is not None
    shape = tile.result.type.shape[-len(tile.offsets) :]
    shape = (1,) * (len(tile.offsets) - len(shape)) + tuple(shape)
    found = []
    for axis in "xyz":
        steps = [_step(offset, axis) for offset in tile.offsets]
        if None in steps or _depends(tile.base, axis):
            continue
        apart = [(abs(step or 0), size) for step, size in zip(steps, shape)]
        if any(step for step, _ in apart) and all(step < size for step, size in apart):
            step, size = max(apart, key=lambda each: each[0])
            found.append(Overlap(tile.base, axis, step, size, store.loc))
    return found


def _is_plain(stride: Value) -> bool:
    """Whether a stride is the array's own: slices with a step leave out elements, which another program may store."""
    return stride.op is None or constant_of(stride) == 1


def _step(offset: Value, axis: str) -> int | None:
    """By how much an offset grows from one program of an axis to the next; None where that is not the same for all."""
    step = 0
    for term in sum_of(offset).terms:
        if isinstance(term.symbol.op, BlockId):
            step += term.coefficient * (term.symbol.op.dimension == axis)
        elif _depends(term.symbol, axis):
            return None
    return step


def _depends(value: Value, axis: str) -> bool:
    """Whether a value is computed of the number of a program along an axis; of what loops carry and memory holds it may be."""
    ops = (each.op for each in reached((value,), lambda each: each.op.operands if each.op is not None else ()))
    return any(op is not None and (op.reads or op.regions or (isinstance(op, BlockId) and op.dimension == axis)) for op in ops)
