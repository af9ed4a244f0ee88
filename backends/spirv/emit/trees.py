"""Selects by an element's place in a tile, and such places as f32: by assembly on two registers at a time (`assembly/trees`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field

from xetile.dialects import arith, vector
from xetile.dialects.arith import constant_of
from xetile.dialects.types import F32, I1, I32, INDEX, VectorType, element_of
from xetile.ir.core import Elementwise, Value
from xetile.records import dataclass

from ..assembly.call import bits_of
from ..assembly.trees import REGISTERS, TreeCall
from ..facts.lane_broadcasts import lane_of
from ..facts.uniform_scalars import is_uniform
from ..facts.uses import count_of
from ..module.encode import Id
from .emitter import Emitter
from .hidden import of_lanes
from .values import Fragment
from .wide import at_a_time, in_pairs, joined, on_whole_registers

_COMPARED = {"eq": "eq", "ne": "ne", "slt": "lt", "sle": "le", "sgt": "gt", "sge": "ge"}
_MOST = 24
"""Words of an expression: larger ones hold more registers than a choice saves."""


def chosen_by_places(e: Emitter, op: arith.Select) -> Fragment | None:
    """A choice between f32 by places; None where it is none, or its condition is the same for all elements of a lane."""
    if element_of(op.result.type) is not F32 or not _fits(e, op.result) or not _compares_rows(op.condition):
        return None

    def words(tree: _Tree, at: int) -> list[str]:
        return ["sel", *tree.decision(op.condition, at), *(tree.float(v, at) for v in (op.true_value, op.false_value))]

    if not (in_pairs(e, op.true_value) and in_pairs(e, op.false_value)):
        return None
    return _computed(e, op.result, words)


def places_as_floats(e: Emitter, op: arith.Cast) -> Fragment | None:
    """Places as f32; None where they are none."""
    value = op.operands[0]
    if element_of(op.results[0].type) is not F32 or not _fits(e, op.results[0]) or not _is_number(value) or not _is_place(value):
        return None
    return _computed(e, op.results[0], lambda tree, at: ["float", *tree.number(value, at)])


def _fits(e: Emitter, result: Value) -> bool:
    """Whether this device has such instructions for a result, and the registers for it."""
    op, kind = result.op, result.type
    assert op is not None
    pairs = isinstance(kind, VectorType) and count_of(kind) % REGISTERS == 0
    return pairs and on_whole_registers(e) and not e.kernel.crowded and e.index == e.i32 and not e.diverges(op)


def _computed(e: Emitter, result: Value, words: Callable[[_Tree, int], list[str]]) -> Fragment | None:
    """What some words say, in whole blocks where they go on together."""
    count, parts = count_of(result.type), []
    step = at_a_time(result, count)
    try:
        for at in range(0, count, step):
            tree = _Tree(e, step)
            call = TreeCall(step, tuple(words(tree, at)))
            if len(call.words) > _MOST:
                return None
            constraints = ["rw.u" if word[0] == "u" else "rw" for word in call.operands]
            parts.append(e.call_assembly(call, e.vector(e.f32, step), tree.operands, constraints))
    except _NoTreeError:
        return None
    return joined(e, parts, step)


def _compares_rows(condition: Value) -> bool:
    """Whether a condition differs between the elements of a lane by a comparison of integers."""
    op = condition.op
    if isinstance(op, (arith.AndI, arith.OrI)):
        return any(map(_compares_rows, op.operands))
    if isinstance(op, vector.ExtractStridedSlice):
        return _compares_rows(op.source)
    compared = isinstance(op, arith.CmpI) and op.predicate in _COMPARED and all(map(_is_number, op.operands))
    return compared and any(map(_is_place, op.operands)) and not all(map(_is_known, op.operands))  # type: ignore[union-attr]


def _is_known(value: Value) -> bool:
    """Whether the compiler knows all elements."""
    op = value.op
    plain = isinstance(op, (Elementwise, vector.ExtractStridedSlice, vector.Broadcast))
    return constant_of(value) is not None or (plain and all(map(_is_known, op.operands)))  # type: ignore[union-attr]


def _is_number(value: Value) -> bool:
    return element_of(value.type) in (I32, INDEX)


def _is_place(value: Value) -> bool:
    """Whether an integer is made of one that another lane holds for each row."""
    op = value.op
    if isinstance(op, (arith.AddI, arith.SubI, arith.MaxSI)):
        return any(map(_is_place, op.operands))
    if isinstance(op, (*arith.INDEX_CASTS, vector.ExtractStridedSlice)):
        return _is_place(op.operands[0])
    numbers = constant_of(value)
    return isinstance(numbers, tuple) or (isinstance(op, vector.Insert) and lane_of(value, op.position[0]) is not None)


class _NoTreeError(Exception):
    """A value is made in another way."""


@dataclass
class _Tree:
    """Expressions of one piece for some rows, and the operands that they name."""

    e: Emitter
    count: int
    operands: list[Id] = field(default_factory=list)
    _named: dict[tuple[str, Id], str] = field(default_factory=dict)

    def decision(self, value: Value, at: int) -> Iterator[str]:
        """The words of a condition, for rows from `at` on."""
        op, known = value.op, constant_of(value)
        if isinstance(op, vector.ExtractStridedSlice) and op.source.type.rank == 1:
            yield from self.decision(op.source, at + op.offsets[0])
        elif isinstance(op, (arith.AndI, arith.OrI)):
            yield "and" if isinstance(op, arith.AndI) else "or"
            for operand in op.operands:
                yield from self.decision(operand, at)
        elif isinstance(op, arith.CmpI) and op.predicate in _COMPARED and all(map(_is_number, op.operands)):
            yield _COMPARED[op.predicate]
            for operand in op.operands:
                yield from self.number(operand, at)
        elif isinstance(op, vector.Broadcast) and known is None and element_of(value.type) is I1:
            e, one = self.e, self.e.scalar(op.source)
            held = e.once(("held", one), lambda: e.emit("OpSelect", e.i32, one, e.number(1), e.number(0)))
            yield self._name("b", held, op.source)
        else:
            raise _NoTreeError

    def number(self, value: Value, at: int) -> list[str]:
        """The words of an integer."""
        known = constant_of(value)
        if isinstance(known, int):
            return [f"c{known}"]
        if isinstance(known, tuple):
            return [self._progression(known[at : at + self.count])]
        op = value.op
        if _is_flat(value):
            return [self._flat(value)]
        if isinstance(op, vector.ExtractStridedSlice) and op.source.type.rank == 1:
            return self.number(op.source, at + op.offsets[0])
        if isinstance(op, arith.INDEX_CASTS) and _is_number(op.operands[0]):
            return self.number(op.operands[0], at)
        if isinstance(op, (arith.AddI, arith.SubI)):
            return self._sum(op, at)
        inner = _absolute(value)
        if inner is not None:
            return ["abs", *self.number(inner, at)]
        return [self._rows(value, at)]

    def float(self, value: Value, at: int) -> str:
        """The word of f32."""
        known = constant_of(value)
        if isinstance(known, (int, float)):
            return f"z{bits_of(float(known))}"
        return self._name("f", self.e[value].get(self.e, self.e.f32, at, self.count), None)

    def _sum(self, op: arith.Binary, at: int) -> list[str]:
        first, second = (self.number(v, at) for v in op.operands)
        if isinstance(op, arith.AddI):
            return ["add", *first, *second] if first[0] != "abs" else ["add", *second, *first]
        if second[0] == "abs":
            raise _NoTreeError
        if second[0][0] == "c":
            return ["add", *first, f"c{-int(second[0][1:])}"]
        return ["sub", *first, *second]

    def _flat(self, value: Value) -> str:
        """A number of each lane."""
        e = self.e
        if isinstance(value.op, vector.Broadcast) and is_uniform(value.op.source):
            return self._name("u", e.scalar(value.op.source), None)
        return self._name("o", e[value].get(e, e.i32, 0, 1), value)

    def _rows(self, value: Value, at: int) -> str:
        """Numbers that neighbouring lanes hold."""
        found = [lane_of(value, at + row) for row in range(self.count)]
        if found[0] is None:
            raise _NoTreeError
        scalar, first = found[0]
        if found != [(scalar, first + row) for row in range(self.count)]:
            raise _NoTreeError
        return f"{self._name('r', self.e.scalar(scalar), scalar)}.{first}"

    def _progression(self, numbers: tuple[int, ...]) -> str:
        """Known numbers at equal distances."""
        e, step, lanes = self.e, numbers[1] - numbers[0], self.e.subgroup_size
        if any(n != numbers[0] + step * row for row, n in enumerate(numbers)) or len(numbers) > lanes:
            raise _NoTreeError
        first = numbers[0] // step if step and numbers[0] % step == 0 else 0
        first = first if 0 <= first <= lanes - len(numbers) else 0
        start = numbers[0] - first * step

        def make() -> Id:
            lane = e.lane
            return e.add(e.i32, e.multiply(e.i32, lane, step), e.number(start))

        return f"{self._name('r', e.at_entry(('progression', start, step), make), None)}.{first}"

    def _name(self, letter: str, x: Id, value: Value | None) -> str:
        """The word of an operand. What all lanes may have alike is brought to all of them once."""
        e = self.e
        if value is not None and e.may_be_alike(value):
            one = x
            x = e.once(("differing", one), lambda: of_lanes(e, e.i32, one, 1))
        if (letter, x) not in self._named:
            self._named[letter, x] = f"{letter}{len(self.operands)}"
            self.operands.append(x)
        return self._named[letter, x]


def _is_flat(value: Value) -> bool:
    """Whether all elements of a vector are the same."""
    if isinstance(constant_of(value), int) or isinstance(value.op, vector.Broadcast):
        return True
    op = value.op
    return isinstance(op, (Elementwise, vector.ExtractStridedSlice)) and all(map(_is_flat, op.operands))


def _absolute(value: Value) -> Value | None:
    """x where a value is the larger of x and 0 - x."""
    if isinstance(value.op, arith.MaxSI):
        for one, other in (value.op.operands, value.op.operands[::-1]):
            if isinstance(other.op, arith.SubI) and constant_of(other.op.lhs) == 0 and other.op.rhs is one:
                return one
    return None


__all__ = ["chosen_by_places", "places_as_floats"]
