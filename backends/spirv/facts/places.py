"""Selects, by the lane's number, between what known lanes hold: from which lane each lane gets its value.

Computed as it is written, every lane is handed each value that some lane takes, and keeps one: fifteen selects for sixteen lanes.
Registers hold the values of all lanes side by side, so that one strided move takes several of them at once (`emit/places`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping

from xetile.dialects import arith, gpu, vector
from xetile.dialects.arith import constant_of
from xetile.dialects.types import ScalarType
from xetile.ir.core import Op, Value
from xetile.ir.reach import reached
from xetile.records import dataclass

from ..assembly.gather import Move
from .uses import origin

Numbers = tuple[int, ...]
Place = tuple[Value, int, int]
"""A vector, an element of it, and the lane that holds that."""

_OF_NUMBERS: dict[type[Op], Callable[[int, int], int]] = {
    arith.AddI: operator.add, arith.SubI: operator.sub, arith.MulI: operator.mul, arith.AndI: operator.and_, arith.OrI: operator.or_,
    arith.XOrI: operator.xor, arith.DivUI: operator.floordiv, arith.RemUI: operator.mod, arith.ShRUI: operator.rshift,
}  # fmt: skip
_COMPARED: dict[str, Callable[[int, int], bool]] = {
    "eq": operator.eq, "ne": operator.ne, "ult": operator.lt, "ule": operator.le, "ugt": operator.gt, "uge": operator.ge,
}  # fmt: skip
_WIDTHS = (8, 16, 32)
"""Of numbers that moves with a stride take."""


@dataclass(frozen=True)
class Taken:
    """Where each lane's value comes from, and the ops that would select it: the last one gives the value."""

    places: tuple[Place, ...]
    ops: tuple[Op, ...]


class Places:
    """`taken`: by the last select of each chain; `skipped`: ops that nothing else needs."""

    def __init__(self, kernel: gpu.GpuFunc, lanes: int) -> None:
        self._lanes = range(lanes)
        self._numbers: dict[Value, Numbers | None] = {}
        self._places: dict[Value, tuple[Place, ...]] = {}
        chosen = [op for op in kernel.find(arith.Select) if self._choose(op)]
        within = self._within(kernel)
        order = {op: place for place, op in enumerate(kernel.walk())} if chosen else {}
        self.taken = {op: self._taken(op, within, order) for op in chosen if op not in within}
        self.skipped = {each for taken in self.taken.values() for each in taken.ops[:-1]}

    def _within(self, kernel: gpu.GpuFunc) -> set[Op]:
        """Choices and exchanges that only choices of the same block take."""
        found: set[Op] = set()
        for op in kernel.find((arith.Select, gpu.Shuffle)):
            if op.results[0] in self._places:
                users = [user for result in op.results for user in result.users]
                if users and all(
                    isinstance(u, arith.Select) and u.result in self._places and u.parent is op.parent for u in users
                ):
                    found.add(op)
        return found

    def _taken(self, last: arith.Select, within: set[Op], order: Mapping[Op, int]) -> Taken:
        ops: Iterator[Op] = reached([last], lambda op: (v.op for v in op.operands if v.op in within))
        return Taken(self._places[last.result], tuple(sorted(ops, key=order.__getitem__)))

    def _choose(self, op: arith.Select) -> bool:
        """Whether it is known what each lane takes; notes that."""
        kind = op.result.type
        if not isinstance(kind, ScalarType) or kind.bits not in _WIDTHS or (which := self._number(op.condition)) is None:
            return False
        one, other = (self._place(v) for v in op.operands[1:])
        if one is None or other is None:
            return False
        self._places[op.result] = tuple((one if which[lane] else other)[lane] for lane in self._lanes)
        return True

    def _place(self, value: Value) -> tuple[Place, ...] | None:
        """Where each lane's number lies."""
        found = self._places.get(value)
        if found is not None:
            return found
        op = value.op
        if isinstance(op, vector.Extract):
            source, at = origin((value, 0))
            inner = self._place(source) if isinstance(source.type, ScalarType) else None
            found = inner or tuple((source, at, lane) for lane in self._lanes)
        if isinstance(op, gpu.Shuffle) and op.mode == "idx" and value is op.results[0]:
            held, lane = self._place(op.value), self._number(op.offset)
            if held is not None and lane is not None and all(each in self._lanes for each in lane):
                found = tuple(held[each] for each in lane)
        if found is not None:
            self._places[value] = found
        return found

    def _number(self, value: Value) -> Numbers | None:
        """An integer in each lane, where it is computed of the lane's number and constants."""
        if value not in self._numbers:
            self._numbers[value] = self._computed(value)
        return self._numbers[value]

    def _computed(self, value: Value) -> Numbers | None:
        op, known = value.op, constant_of(value)
        if isinstance(known, int):
            return (int(known),) * len(self._lanes)
        if isinstance(op, gpu.LaneId):
            return tuple(self._lanes)
        if isinstance(op, arith.IndexCast):
            return self._number(op.operands[0])
        calculate = _COMPARED.get(op.predicate) if isinstance(op, arith.CmpI) else _OF_NUMBERS.get(type(op)) if op else None
        if op is None or calculate is None:
            return None
        a, b = (self._number(v) for v in op.operands)
        if a is None or b is None or min(*a, *b) < 0 or (0 in b and isinstance(op, (arith.DivUI, arith.RemUI))):
            return None
        made = tuple(int(calculate(x, y)) for x, y in zip(a, b))
        return made if min(made) >= 0 else None


def moves_of(found: list[tuple[int, int]], unit: int) -> Iterator[Move]:
    """The fewest aligned moves for what each lane takes, as (operand, number); `unit`: numbers to a register, of which a move reads two."""
    lane = 0
    while lane < len(found):
        count, move = len(found), None
        while move is None:
            move = _move(lane, found[lane : lane + count], unit) if lane % count == 0 and lane + count <= len(found) else None
            count //= 2
        yield move
        lane += move.count


_DOWN, _ACROSS, _WIDTH = (0, 1, 2, 4, 8, 16, 32), (0, 1, 2, 4), 16


def _move(lane: int, part: list[tuple[int, int]], unit: int) -> Move | None:
    """The move that takes these, if one does."""
    (operand, at), count, numbers = part[0], len(part), [number for _, number in part]
    if any(each != operand for each, _ in part) or max(numbers) // unit - min(numbers) // unit > 1:
        return None
    width = 1
    while width <= min(count, _WIDTH):
        across, down = numbers[1] - at if width > 1 else 0, numbers[width] - at if width < count else 0
        move = Move(lane, count, operand, at, down, width, across)
        if across in _ACROSS and down in _DOWN and all(move.number(n) == number for n, number in enumerate(numbers)):
            return move
        width *= 2
    return None
