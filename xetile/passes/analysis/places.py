"""What integers are in each subgroup and lane, where that is known before the launch: places in shared memory, masks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from xetile.dialects import arith, gpu, vector, xetile
from xetile.dialects.types import I1, INDEX, ScalarType, VectorType, element_of
from xetile.ir.core import Op, Value
from xetile.ir.reach import evaluate

Numbers = np.ndarray[Any, np.dtype[np.int64]]
"""A number for each subgroup (first axis), lane and element; an axis of one where they share it."""

_FUNCTIONS: dict[str, Callable[[Numbers, Numbers], Any]] = {
    "arith.addi": lambda a, b: a + b,
    "arith.subi": lambda a, b: a - b,
    "arith.muli": lambda a, b: a * b,
    "arith.divui": lambda a, b: a // np.maximum(b, 1),
    "arith.remui": lambda a, b: a % np.maximum(b, 1),
    "arith.andi": lambda a, b: a & b,
    "arith.ori": lambda a, b: a | b,
    "arith.xori": lambda a, b: a ^ b,
    **dict.fromkeys(("arith.shrsi", "arith.shrui"), lambda a, b: a >> np.minimum(b, 63)),
}
_COMPARISONS: dict[str, Callable[[Numbers, Numbers], Any]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    **dict.fromkeys(("ult", "slt"), lambda a, b: a < b),
    **dict.fromkeys(("ule", "sle"), lambda a, b: a <= b),
    **dict.fromkeys(("ugt", "sgt"), lambda a, b: a > b),
    **dict.fromkeys(("uge", "sge"), lambda a, b: a >= b),
}
"""Of numbers that are not negative."""
_LARGEST = 1 << 20
"""Numbers from 0 to this are the same of each integer type, with a sign or without; those of shared memory are smaller."""
_WIDE = 32
"""Bits of integers that hold such numbers and their sums."""


class Places:
    """What integers are in each subgroup and lane, where that is known before the launch."""

    def __init__(self, subgroups: int, lanes: int) -> None:
        self.subgroups = subgroups
        self.lanes = lanes
        self._known: dict[Value, Numbers | None] = {}
        self._everywhere: dict[Value, Numbers | None] = {}

    def of(self, value: Value) -> Numbers | None:
        """The numbers of a value, none of them negative or large; None where they are not known."""
        return evaluate(value, self._known, _inputs, self._find)

    def everywhere(self, value: Value) -> Numbers | None:
        """Those of a scalar, one for each subgroup and lane."""
        if value not in self._everywhere:
            found = self.of(value)
            spread = None if found is None else np.broadcast_to(found[..., 0], (self.subgroups, self.lanes))
            self._everywhere[value] = spread
        return self._everywhere[value]

    def _find(self, value: Value) -> Numbers | None:
        found = self._made(value)
        return found if found is not None and found.size and found.min() >= 0 and found.max() <= _LARGEST else None

    def _made(self, value: Value) -> Numbers | None:
        op, known = value.op, arith.constant_of(value)
        if known is not None:
            numbers = np.array(known if isinstance(known, tuple) else [known])
            return (
                numbers.astype(np.int64)[None, None, :] if numbers.dtype.kind in "ib" and abs(numbers).max() <= _LARGEST else None
            )
        if isinstance(op, gpu.SubgroupId):
            return np.arange(self.subgroups)[:, None, None]
        if isinstance(op, gpu.LaneId):
            return np.arange(self.lanes)[None, :, None]
        if isinstance(op, xetile.TileIota):
            return _coordinates(op)
        if op is None or not _inputs(value):
            return None
        if type(op) in _MOVES:
            return _MOVES[type(op)](op, self)
        left, right = map(self.of, op.operands)
        return None if left is None or right is None else _function(op)(left, right).astype(np.int64)


def _coordinates(op: xetile.TileIota) -> Numbers:
    found: Numbers = np.indices(op.result.type.shape)[op.dim].reshape(1, 1, -1)
    return found


def _function(op: Op) -> Callable[[Numbers, Numbers], Any]:
    return _COMPARISONS[op.predicate] if isinstance(op, arith.CmpI) else _FUNCTIONS[op.opname]


def _inputs(value: Value) -> tuple[Value, ...]:
    """What the numbers of a value follow from; nothing where they are not followed. Narrow integers wrap."""
    op = value.op
    if op is None or value is not op.results[0]:
        return ()
    if isinstance(op, arith.CmpI):
        return op.operands if op.predicate in _COMPARISONS else ()
    kind = element_of(value.type) if isinstance(value.type, (ScalarType, VectorType)) else None
    wide = kind is INDEX or kind is I1 or (kind is not None and kind.bits >= _WIDE)
    return op.operands if wide and (op.opname in _FUNCTIONS or type(op) in _MOVES) else ()


_MOVES: dict[type[Op], Callable[[Any, Places], Numbers | None]] = {}
"""What ops that compute nothing make of numbers."""


def _moves(kind: type[Op]) -> Callable[[Any], Any]:
    def add(function: Callable[[Any, Places], Numbers | None]) -> Callable[[Any, Places], Numbers | None]:
        _MOVES[kind] = function
        return function

    return add


@_moves(arith.IndexCast)
def _cast(op: Op, places: Places) -> Numbers | None:
    return places.of(op.operands[0])


@_moves(vector.Broadcast)
def _broadcast(op: vector.Broadcast, places: Places) -> Numbers | None:
    found = places.of(op.operands[0])
    return found if found is None or found.shape[2] == 1 else None


@_moves(xetile.TileBroadcast)
def _tile_broadcast(op: xetile.TileBroadcast, places: Places) -> Numbers | None:
    found = places.of(op.source)
    if found is None or found.shape[2] == 1:
        return found
    parts = found.reshape(*found.shape[:2], *op.source.type.shape)
    return np.broadcast_to(parts, (*found.shape[:2], *op.result.type.shape)).reshape(*found.shape[:2], -1)


@_moves(xetile.TileTranspose)
def _tile_transpose(op: xetile.TileTranspose, places: Places) -> Numbers | None:
    found = places.of(op.source)
    if found is None or found.shape[2] == 1:
        return found
    swapped: Numbers = found.reshape(*found.shape[:2], *op.source.type.shape).swapaxes(2, 3).reshape(found.shape)
    return swapped


@_moves(vector.Extract)
def _extract(op: vector.Extract, places: Places) -> Numbers | None:
    found = places.of(op.source)
    if found is None or len(op.position) != 1:
        return None
    return found if found.shape[2] == 1 else found[..., op.position[0], None]


@_moves(vector.ExtractStridedSlice)
def _slice(op: vector.ExtractStridedSlice, places: Places) -> Numbers | None:
    found = places.of(op.source)
    if found is None or len(op.offsets) != 1 or op.strides != (1,):
        return None
    return found if found.shape[2] == 1 else found[..., op.offsets[0] : op.offsets[0] + op.sizes[0]]


@_moves(vector.InsertStridedSlice)
def _insert(op: vector.InsertStridedSlice, places: Places) -> Numbers | None:
    part, whole = places.of(op.value), places.of(op.dest)
    if part is None or whole is None or len(op.offsets) != 1 or op.strides != (1,):
        return None
    wide = np.broadcast_to(part, (*part.shape[:2], op.value.type.count))
    return _replaced(whole, wide, op.offsets[0], op.results[0])


@_moves(gpu.Shuffle)
def _shuffle(op: gpu.Shuffle, places: Places) -> Numbers | None:
    found, lane = places.of(op.value), places.of(op.offset)
    if found is None or lane is None or op.mode != "idx" or lane.max() >= places.lanes:
        return None
    whole = np.broadcast_to(found, (found.shape[0], places.lanes, found.shape[2]))
    return (
        np.take_along_axis(whole, np.broadcast_to(lane, (found.shape[0], *lane.shape[1:])), axis=1)
        if lane.shape[0] == 1
        else None
    )


@_moves(vector.Insert)
def _insert_element(op: vector.Insert, places: Places) -> Numbers | None:
    part, whole = places.of(op.value), places.of(op.dest)
    if part is None or whole is None or len(op.position) != 1 or part.shape[2] != 1:
        return None
    return _replaced(whole, part, op.position[0], op.results[0])


@_moves(arith.Select)
def _select(op: arith.Select, places: Places) -> Numbers | None:
    condition, left, right = (places.of(v) for v in op.operands)
    return None if condition is None or left is None or right is None else np.where(condition != 0, left, right)


def _replaced(whole: Numbers, part: Numbers, start: int, result: Value) -> Numbers:
    kind: Any = result.type
    found: Numbers = np.broadcast_to(whole, (*np.broadcast_shapes(part.shape[:2], whole.shape[:2]), kind.count)).copy()
    found[..., start : start + part.shape[2]] = part
    return found


__all__ = ["Numbers", "Places"]
