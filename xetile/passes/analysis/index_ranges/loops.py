"""What loops carry: how far a number can come that each iteration moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from xetile.dialects import arith
from xetile.dialects.types import VectorType
from xetile.index_ranges import UNBOUNDED
from xetile.ir.core import Value
from xetile.passes.analysis.index_ranges.forms import Algebra, Form, Key

Limits = dict[Key, list[tuple[str, Form]]]
"""Of numbers that a loop's condition compares: ("below" or "above", another number)."""

_LIMITS = {"slt": (("below", 0), ("above", 0)), "sle": (("below", 1), ("above", -1)),
           "sgt": (("above", 0), ("below", 0)), "sge": (("above", -1), ("below", 1))}  # fmt: skip
"""What a comparison that holds says of its left and right side: below (above) the other one, moved by a number."""


def limits(condition: Value, reader: Any) -> list[tuple[Value, str, Form]]:
    """What holds where a condition does: (number, "below" or "above", the other one)."""
    op = condition.op
    if isinstance(op, arith.AndI):
        return [limit for side in op.operands for limit in limits(side, reader)]
    if not isinstance(op, arith.CmpI) or op.predicate not in _LIMITS or isinstance(op.lhs.type, VectorType):
        return []
    found = []
    for (name, by), value, other in zip(_LIMITS[op.predicate], (op.lhs, op.rhs), (op.rhs, op.lhs)):
        form = reader.one(other)
        found.append((value, name, Form(reader.steps.make("add", reader.step(form), reader.steps.const(by)), data=form.data)))
    return found


def solve(algebra: Algebra, keys: Sequence[Key], inits: Sequence[Form], ends: Sequence[Form], iterations: Form | None,
          limits: Limits) -> list[Form]:  # fmt: skip
    """What a loop carries at any iteration: `inits` before, `ends` after an iteration, as forms of `keys`.

    iterations   how many there are; None for any number.

    Numbers that each iteration passes round among them, moved, lie between all that they begin with, moved by all iterations.
    """
    if iterations is None:
        iterations = algebra.number(0, UNBOUNDED)
    groups = _groups(keys, ends)
    solved: dict[Key, Form] = {}
    for group in groups:
        begins, moves = [inits[i] for i in group], algebra.steps.const(0)
        members = {keys[i] for i in group}
        for end in (ends[i] for i in group):
            rest = {key: move for key, move in end.terms.items() if key not in members}
            begins.append(Form(end.own, rest, end.data))
            for key in members & end.terms.keys():
                moves = algebra.steps.make("hull", moves, end.terms[key])
        start = algebra.hull(begins)
        grown = _grown(algebra, start, moves, iterations)
        if len(group) == 1 and not start.terms and start.own is not None:
            grown = _limited(algebra, start.own, grown, moves, limits.get(keys[group[0]], []))
        solved.update(dict.fromkeys(members, grown))
    return [solved[key] for key in keys]


def _grown(algebra: Algebra, start: Form, moves: int, iterations: Form) -> Form:
    often = algebra.step(iterations)
    grown = algebra.each(start, lambda step: algebra.steps.make("grow", step, moves, often))
    return replace(grown, data=start.data or (iterations.data and algebra.steps.constant(moves) != (0, 0)))


def _limited(algebra: Algebra, start: int, grown: Form, moves: int, given: Sequence[tuple[str, Form]]) -> Form:
    """Who goes on is within the limit, and then moved once."""
    make, one = algebra.steps.make, algebra.steps.const(1)
    step = algebra.step(grown)
    for name, limit in given:
        outside = make("add" if name == "below" else "sub", start, one)
        step = make(name, step, make("hull", outside, make("add", algebra.step(limit), moves)))
    return Form(step, data=grown.data or any(limit.data for _, limit in given))


def _groups(keys: Sequence[Key], ends: Sequence[Form]) -> list[list[int]]:
    """Which numbers follow from each other."""
    group = list(range(len(keys)))
    place = {key: i for i, key in enumerate(keys)}
    for i, end in enumerate(ends):
        for key in end.terms.keys() & place.keys():
            old, new = group[place[key]], group[i]
            group = [new if g == old else g for g in group]
    return [[i for i, g in enumerate(group) if g == wanted] for wanted in dict.fromkeys(group)]
