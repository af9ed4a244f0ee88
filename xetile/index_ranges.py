"""How large the numbers of a kernel's index arithmetic can become at a launch: checked at each launch, so without the compiler.

`xetile.passes.analysis.index_ranges` reads them off a kernel: a straight line of steps, each an interval made of earlier ones, that begins
with what is known at a launch (the grid, sizes, strides and scalar arguments); and checks, numbers that must fit so many bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from xetile import schema
from xetile.errors import Location
from xetile.records import dataclass
from xetile.schema import SchemaError
from xetile.target.block_rules import LINE_PITCH

Interval = tuple[int, int]
Step = tuple[Any, ...]
"""("name", *operands): operands are numbers of earlier steps; those of "const" and of what a launch knows are values."""

UNBOUNDED = 1 << 1024
"""Larger than any number that counts: how often a loop runs about which nothing is known."""
UNKNOWN = 1 << 768
"""No product of a launch's numbers comes so far: something is in it about which nothing is known."""
ANY: Interval = (-UNBOUNDED, UNBOUNDED)
KNOWN = ("grid", "dim", "stride", "scalar")
"""Steps that a launch gives: ("grid", axis), ("dim", parameter, axis), ("stride", parameter, axis), ("scalar", parameter)."""


@dataclass(frozen=True)
class Check:
    """The numbers of `step` must fit `bits`. `index`: more bits help, for they are an index's; else the user chose the type.

    Of places and counters an index of 32 bits holds the sum that wraps: 33 bits. A remainder that must be 0 fits one bit.
    """

    step: int
    bits: int
    index: bool
    at: Location | None = None

    def holds(self, value: Interval) -> bool:
        """Whether an interval fits; one about which too little is known fits but an index of 32 bits, which can be a wider one."""
        if -(1 << (self.bits - 1)) <= value[0] and value[1] < 1 << (self.bits - 1):
            return True
        return not (self.index and self.bits < 64) and max(-value[0], value[1]) >= UNKNOWN

    @property
    def is_assumed(self) -> bool:
        """Whether the kernel was compiled for it: it is a remainder or a difference that must be 0."""
        return self.bits == 1

    def moved(self, step: int) -> Check:
        """The same check of a step that has another number now."""
        return replace(self, step=step)


@dataclass(frozen=True)
class Budget:
    """Launches that all checks are known to hold for: program counts up to `grid`, scalars within their intervals."""

    grid: tuple[int, int, int]
    scalars: Mapping[str, Interval]


@dataclass(frozen=True)
class IndexRanges:
    """The steps and checks of one kernel."""

    steps: tuple[Step, ...] = ()
    checks: tuple[Check, ...] = ()

    def failing(self, grid: Sequence[int], values: Mapping[str, Any]) -> Check | None:
        """The first check that a launch can break: over a grid, with arrays and numbers by name."""
        return self.first(lambda *what: launched(grid, values, *what)) if self.checks else None

    def assumed(self, check: Check) -> str:
        """What a kernel was compiled for where a check is of that."""
        name, *operands = self.steps[check.step]
        if name == "mod":
            return f"{self._named(operands[0])} is a multiple of {self.steps[operands[1]][1]}"
        rule, *numbers = self.steps[operands[0]]
        return " is ".join(map(self._named, numbers)) if rule == "sub" else "no gather or scatter reaches beyond its array"

    def _named(self, step: int) -> str:
        kind, param, *axis = self.steps[step]
        return {"dim": "{}.shape[{}]", "stride": "{}.stride({})"}.get(kind, "{}").format(param, *axis)

    def first(self, known: Callable[..., Interval]) -> Check | None:
        """The first check that can be broken where `known("dim", "A", 0)` and the like are what a launch gives."""
        found = self.evaluate(known)
        return next((check for check in self.checks if not check.holds(found[check.step])), None)

    def evaluate(self, known: Callable[..., Interval]) -> list[Interval]:
        """All steps."""
        found: list[Interval] = []
        for name, *operands in self.steps:
            if name == "const":
                found.append((operands[0], operands[1]))
            elif name in KNOWN:
                found.append(known(name, *operands))
            else:
                found.append(RULES[name](*(found[i] for i in operands)))
        return found

    @cached_property
    def _modest(self) -> list[Interval]:
        """All steps at a launch that nobody would call large."""
        return self.evaluate(lambda kind, *which: (0 if kind == "scalar" else _MODEST, _MODEST))

    def is_unbounded(self, check: Check) -> bool:
        """Whether even a modest launch can break a check: too little is known of the number."""
        return not check.holds(self._modest[check.step])

    def is_known(self, step: int) -> bool:
        """Whether anything is known of a number at a modest launch."""
        low, high = self._modest[step]
        return max(-low, high) < UNKNOWN

    @property
    def never_hold(self) -> bool:
        """Whether hardly a launch is small enough for an index of these bits."""
        return any(check.index and not check.is_assumed and self.is_unbounded(check) for check in self.checks)

    def budget(self, grid: Sequence[int], values: Mapping[str, Any]) -> Budget | None:
        """Around a launch that breaks no check, others on arrays of these sizes that break none; None where any launch is one."""
        scalars = {step[1]: values[step[1]] for step in self.steps if step[0] == "scalar"}
        if not self.checks or not (scalars or any(step[0] == "grid" for step in self.steps)):
            return None
        exact = {name: (int(n), int(n)) for name, n in scalars.items()}
        budgets = [Budget(_at_least(grid, 1 << power), exact) for power in _POWERS]
        for power in _POWERS if scalars else ():
            wide = {name: (min(n[0], -(1 << power)), max(n[1], 1 << power)) for name, n in exact.items()}
            budgets += [Budget(_at_least(grid, 1 << other), wide) for other in (power, 0)]
        budgets.sort(key=lambda budget: sum(high - low for low, high in budget.scalars.values()), reverse=True)
        return next((budget for budget in budgets if self._holds(budget, values)), Budget(_at_least(grid, 0), exact))

    def _holds(self, budget: Budget, values: Mapping[str, Any]) -> bool:
        def known(kind: str, *which: Any) -> Interval:
            if kind == "grid":
                return 0, budget.grid[which[0]]
            return budget.scalars[which[0]] if kind == "scalar" else launched(budget.grid, values, kind, *which)

        return self.first(known) is None

    # As plain JSON values.

    def to_json(self) -> dict[str, Any]:
        """What `RANGES` reads."""
        return {"steps": [list(step) for step in self.steps], "checks": [_check_to_json(check) for check in self.checks]}


_MODEST = 2
_POWERS = (23, 20, 16, 12, 8)
"""Sizes of budgets that are tried, as powers of two."""


def _at_least(grid: Sequence[int], size: int) -> tuple[int, int, int]:
    x, y, z = grid
    return max(x, size), max(y, size), max(z, size)


def launched(grid: Sequence[int], values: Mapping[str, Any], kind: str, *which: Any) -> Interval:
    """What one launch gives."""
    if kind == "grid":
        number = grid[which[0]] if which[0] < len(grid) else 1
    elif kind == "scalar":
        number = int(values[which[0]])
    elif kind == "dim":
        number = values[which[0]].shape[which[1]]
    else:
        number = stride_of(values[which[0]], which[1])
    return number, number


def stride_of(array: Any, axis: int) -> int:
    """The elements between neighbours along an axis of an array, as a launch passes them to a kernel.

    Along an axis of one element or none there are no neighbours, and libraries note any stride. Block messages want a pitch even of
    a single row: there it is the other size of the matrix, in steps that keep their rules for every element type.
    """
    if array.shape[axis] > 1:
        return int(array.strides[axis] // array.dtype.itemsize)
    length: int = max(array.shape[-2:])
    return max(1, -(-length // LINE_PITCH)) * LINE_PITCH


def _check_to_json(check: Check) -> dict[str, Any]:
    place = None if check.at is None else check.at.to_json()
    return {"step": check.step, "bits": check.bits, "index": check.index, "at": place}


# What steps are made of.


UNCHECKED = IndexRanges()
"""Of kernels whose index arithmetic always fits."""


def around(numbers: Iterable[int]) -> Interval:
    """The smallest interval that holds some numbers; nothing in it is larger than what counts."""
    found = [max(-UNBOUNDED, min(UNBOUNDED, n)) for n in numbers]
    return min(found), max(found)


def _mul(a: Interval, b: Interval) -> Interval:
    return around(x * y for x in a for y in b)


def _divisors(b: Interval) -> list[int]:
    """The ends of a divisor's range; division by zero is undefined."""
    found = [n for n in b if n != 0]
    found += [1] if b[0] <= 1 <= b[1] else []
    return found + ([-1] if b[0] <= -1 <= b[1] else []) or [1]


def _div(round_: Callable[[int, int], int]) -> Callable[[Interval, Interval], Interval]:
    def rule(a: Interval, b: Interval) -> Interval:
        ends = [round_(x, y) for x in a for y in _divisors(b)]
        return around(ends if a[0] > 0 or a[1] < 0 else [*ends, 0])

    return rule


def _floor(x: int, y: int) -> int:
    return x // y


def _ceil(x: int, y: int) -> int:
    return -(-x // y)


def toward_zero(x: int, y: int) -> int:
    """The quotient without its fraction."""
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def _rem(a: Interval, b: Interval) -> Interval:
    """The sign of the dividend, and below the divisor (arith.remsi)."""
    most = max(abs(b[0]), abs(b[1]), 1) - 1
    return max(-most, min(a[0], 0)), min(most, max(a[1], 0))


def _mod(a: Interval, b: Interval) -> Interval:
    """What is left of a number, exactly where it is one number."""
    return (a[0] % b[0], a[0] % b[0]) if a[0] == a[1] and b[0] == b[1] > 0 else (0, max(b[1] - 1, 0))


def _shl(a: Interval, b: Interval) -> Interval:
    return _mul(a, (1 << max(0, min(b[0], 128)), 1 << max(0, min(b[1], 128))))


def _shr(a: Interval, b: Interval) -> Interval:
    return around(x >> max(0, min(y, 256)) for x in a for y in b)


def _min(a: Interval, b: Interval) -> Interval:
    return min(a[0], b[0]), min(a[1], b[1])


def _max(a: Interval, b: Interval) -> Interval:
    return max(a[0], b[0]), max(a[1], b[1])


def _and(a: Interval, b: Interval) -> Interval:
    if a[0] >= 0 and b[0] >= 0:
        return 0, min(a[1], b[1])
    if a[0] >= 0 or b[0] >= 0:
        return 0, a[1] if a[0] >= 0 else b[1]
    return _or(a, b)


def _or(a: Interval, b: Interval) -> Interval:
    """What as many bits hold."""
    top = 1 << max(n.bit_length() for n in (*a, *b))
    return (0 if a[0] >= 0 and b[0] >= 0 else -top), top - 1


def _wrap(a: Interval, bits: Interval) -> Interval:
    """An integer of so many bits, which wraps; of one of 64 bits that does nothing is known, as of an index."""
    top = 1 << (bits[0] - 1)
    if -top <= a[0] and a[1] < top:
        return a
    return ANY if bits[0] >= 64 else (-top, top - 1)


def _unwrap(a: Interval, bits: Interval) -> Interval:
    """The same bits without a sign."""
    return a if a[0] >= 0 else (0, (1 << bits[0]) - 1 if bits[0] < 64 else UNBOUNDED)


def _unsigned(rule: Callable[[Interval, Interval], Interval]) -> Callable[[Interval, Interval], Interval]:
    """A rule on numbers without a sign: of those below zero nothing is known."""
    return lambda a, b: rule(a, b) if a[0] >= 0 and b[0] >= 0 else ANY


def _iteration(lower: Interval, upper: Interval, step: Interval) -> Interval:
    """The variable of a loop that counts up; from where, and in which steps, may be known."""
    last = upper[1] - 1
    if lower[0] == lower[1] and step[0] == step[1] > 0:
        last -= (last - lower[0]) % step[0]
    return lower[0], max(lower[0], last)


def _iterations(lower: Interval, upper: Interval, step: Interval) -> Interval:
    """How often a loop runs that counts up."""
    return 0, max(0, _ceil(upper[1] - lower[0], max(1, step[0])))


def _grow(start: Interval, move: Interval, iterations: Interval) -> Interval:
    """From a start, after any number of moves."""
    return around((start[0] + iterations[1] * min(0, move[0]), start[1] + iterations[1] * max(0, move[1])))


RULES: dict[str, Callable[..., Interval]] = {
    "add": lambda a, b: around((a[0] + b[0], a[1] + b[1])),
    "sub": lambda a, b: around((a[0] - b[1], a[1] - b[0])),
    "mul": _mul,
    "floordiv": _div(_floor),
    "ceildiv": _div(_ceil),
    "div": _div(toward_zero),
    "rem": _rem,
    "mod": _mod,
    "min": _min,
    "max": _max,
    "and": _and,
    "or": _or,
    "shl": _shl,
    "shr": _shr,
    "udiv": _unsigned(_div(_floor)),
    "uceildiv": _unsigned(_div(_ceil)),
    "urem": _unsigned(_rem),
    "ushr": _unsigned(_shr),
    "umin": _unsigned(_min),
    "umax": _unsigned(_max),
    "wrap": _wrap,
    "unwrap": _unwrap,
    "hull": lambda a, b: (min(a[0], b[0]), max(a[1], b[1])),
    "first": lambda n: (0, max(0, n[1] - 1)),
    "iteration": _iteration,
    "iterations": _iterations,
    "grow": _grow,
    # What a condition leaves: numbers below (above) others. Where that is nothing, the branch is not taken.
    "below": lambda a, b: (a[0], max(a[0], min(a[1], b[1] - 1))),
    "above": lambda a, b: (min(a[1], max(a[0], b[0] + 1)), a[1]),
}
"""How each step follows from earlier ones; all are monotone: wider operands give no narrower result."""


# What a document may hold.

MOST_STEPS = 1 << 17
_AXIS = schema.whole(0, 63)
_END = schema.whole(-UNBOUNDED, UNBOUNDED)
_FORMS: dict[str, tuple[schema.Reader[Any], ...]] = {
    "const": (_END, _END),
    "grid": (schema.whole(0, 2),),
    "dim": (schema.NAME, _AXIS),
    "stride": (schema.NAME, _AXIS),
    "scalar": (schema.NAME,),
}
_ARITY = {name: rule.__code__.co_argcount for name, rule in RULES.items()}
_CHECK = schema.record(
    Check, step=schema.whole(0, MOST_STEPS), bits=schema.whole(1, 128), index=schema.truth, at=schema.optional(schema.PLACE)
)


def _read_steps(value: Any, at: str) -> tuple[Step, ...]:
    return tuple(_read_step(i, step, f"{at}[{i}]") for i, step in enumerate(schema.many(_any, MOST_STEPS)(value, at)))


def _any(value: Any, at: str) -> Any:
    return value


def _read_step(number: int, value: Any, at: str) -> Step:
    if not isinstance(value, list) or not value or not isinstance(value[0], str):
        raise schema.refuse(value, at, "a step")
    name, *operands = value
    if name in _ARITY:  # of earlier steps
        if len(operands) != _ARITY[name] or not all(type(n) is int and 0 <= n < number for n in operands):
            raise schema.refuse(value, at, f"a step {name} of {_ARITY[name]} earlier steps")
        return tuple(value)
    if name not in _FORMS:
        raise schema.refuse(name, f"{at}[0]", f"one of {', '.join([*_FORMS, *RULES])}")
    return name, *schema.row(*_FORMS[name])(operands, at)


def _ranges(steps: tuple[Step, ...], checks: tuple[Check, ...]) -> IndexRanges:
    if wrong := [check.step for check in checks if check.step >= len(steps)]:
        raise SchemaError(f"kernel.ranges checks step {wrong[0]} of {len(steps)}")
    return IndexRanges(steps, checks)


RANGES: schema.Reader[IndexRanges] = schema.record(_ranges, steps=_read_steps, checks=schema.many(_CHECK, MOST_STEPS))
"""What `IndexRanges.to_json` writes."""
