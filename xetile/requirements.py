"""What kernels state of their arguments with `assert`: evaluated on the host at each launch, so without the compiler.

The frontend writes an assertion on sizes, strides and scalar arguments as a straight line of steps, each made of earlier ones.
Numbers are Python's, so nothing wraps.
"""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

from xetile import schema
from xetile.errors import ArgumentError, Location
from xetile.index_ranges import stride_of, toward_zero
from xetile.records import dataclass
from xetile.schema import SchemaError

Step = tuple[Any, ...]
"""("const", number), ("dim", parameter, axis), ("stride", parameter, axis), ("scalar", parameter), or (op, *earlier steps);
("pitch", parameter, axis) is the stride that a launch passes, which along an axis of one element is not what the array notes."""


@dataclass(frozen=True)
class Requirement:
    """The number of `step` must be true; `shown` are steps and texts of the message, `text` what the source says."""

    step: int
    text: str
    message: tuple[str | int, ...]
    at: Location | None = None


@dataclass(frozen=True)
class Requirements:
    """The steps and assertions of one kernel."""

    steps: tuple[Step, ...] = ()
    asserted: tuple[Requirement, ...] = ()

    @property
    def by_scalars(self) -> bool:
        """Whether something else than sizes and strides decides."""
        return any(step[0] == "scalar" for step in self.steps)

    def check(self, kernel: str, values: Mapping[str, Any]) -> None:
        """Raise ArgumentError for the first assertion that does not hold of a launch with arrays and numbers by name."""
        if not self.asserted:
            return
        found = self._evaluate(values)
        for one in self.asserted:
            if not found[one.step]:
                said = "".join(part if isinstance(part, str) else str(found[part]) for part in one.message)
                shown = ", ".join(dict.fromkeys(self._leaves(one.step, found)))
                raise ArgumentError(f"{kernel}: {said + ': ' if said else ''}`{one.text}` does not hold: {shown}", at=one.at)

    def hold(self, values: Mapping[str, Any]) -> bool:
        """Whether all assertions hold."""
        found = self._evaluate(values)
        return all(found[one.step] for one in self.asserted)

    def _evaluate(self, values: Mapping[str, Any]) -> list[Any]:
        found: list[Any] = []
        for name, *operands in self.steps:
            if name == "const":
                found.append(operands[0])
            elif name == "scalar":
                found.append(_plain(values[operands[0]]))
            elif name == "dim":
                found.append(values[operands[0]].shape[operands[1]])
            elif name == "stride":
                found.append(values[operands[0]].strides[operands[1]] // values[operands[0]].dtype.itemsize)
            elif name == "pitch":
                found.append(stride_of(values[operands[0]], operands[1]))
            else:
                found.append(_applied(RULES[name], [found[i] for i in operands]))
        return found

    def _leaves(self, step: int, found: list[Any]) -> list[str]:
        """Sizes and numbers that an assertion is made of, with their values; each once, for steps may share theirs many times."""
        shown, new, seen = [], [step], set()
        while new:
            at = new.pop()
            if at in seen:
                continue
            seen.add(at)
            name, *operands = self.steps[at]
            if name == "scalar":
                shown.append(f"{operands[0]} is {found[at]}")
            elif name in ("dim", "stride", "pitch"):
                place = f"shape[{operands[1]}]" if name == "dim" else f"stride({operands[1]})"
                shown.append(f"{operands[0]}.{place} is {found[at]}")
            elif name != "const":
                new += reversed(operands)
        return shown

    def to_json(self) -> dict[str, Any]:
        """What `REQUIREMENTS` reads."""
        asserted = [
            {"step": one.step, "text": one.text, "message": list(one.message), "at": None if one.at is None else one.at.to_json()}
            for one in self.asserted
        ]
        return {"steps": [list(step) for step in self.steps], "asserted": asserted}

    @classmethod
    def parse(cls, text: str) -> Requirements:
        """From the text of `to_json`."""
        return REQUIREMENTS(schema.parse_json(text, "requirements"), "requirements")

    def __str__(self) -> str:
        return json.dumps(self.to_json())


NONE = Requirements()
"""Of kernels that state nothing."""


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def _applied(rule: Callable[..., Any], operands: list[Any]) -> Any:
    try:
        return rule(*operands)
    except (ZeroDivisionError, OverflowError, ValueError):
        return 0 if all(isinstance(x, int) for x in operands) else math.nan


def _product(a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int) and a.bit_length() + b.bit_length() > _MOST_BITS:
        raise OverflowError  # text from elsewhere may square a number again and again
    return a * b


_MOST_BITS = 1 << 16

RULES: dict[str, Callable[..., Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": _product, "divide": operator.truediv, "neg": operator.neg,
    "floordiv": operator.floordiv, "ceildiv": lambda a, b: -(-a // b), "div": toward_zero,
    "rem": lambda a, b: a - b * toward_zero(a, b), "and": operator.and_, "or": operator.or_, "xor": operator.xor,
    "min": min, "max": max, "float": float, "select": lambda c, a, b: a if c else b,
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
}  # fmt: skip
"""What each step is of its operands."""

_MOST = 4096
_AXIS = schema.whole(0, 63)
_ARITY = {name: 3 if name == "select" else 1 if name in ("neg", "float") else 2 for name in RULES}


def _number(value: Any, at: str) -> Any:
    if type(value) not in (bool, int, float) or (type(value) is int and abs(value) >= 1 << 128):
        raise schema.refuse(value, at, "a number")
    return value


_SIZED = dict.fromkeys(("dim", "stride", "pitch"), (schema.NAME, _AXIS))
_FORMS = {"const": (_number,), **_SIZED, "scalar": (schema.NAME,)}


def _read_steps(value: Any, at: str) -> tuple[Step, ...]:
    found: list[Step] = []
    for i, step in enumerate(schema.many(lambda item, where: item, _MOST)(value, at)):
        name = step[0] if isinstance(step, list) and step else None
        if isinstance(name, str) and name in _ARITY:
            found.append((name, *schema.row(*[schema.whole(0, i - 1)] * _ARITY[name])(step[1:], f"{at}[{i}]")))
        elif isinstance(name, str) and name in _FORMS:
            found.append((name, *schema.row(*_FORMS[name])(step[1:], f"{at}[{i}]")))
        else:
            raise schema.refuse(step, f"{at}[{i}]", "a step")
    return tuple(found)


def _part(value: Any, at: str) -> str | int:
    return schema.WORDS(value, at) if isinstance(value, str) else schema.whole(0, _MOST)(value, at)


def _made(steps: tuple[Step, ...], asserted: tuple[Requirement, ...]) -> Requirements:
    used = [n for one in asserted for n in (one.step, *(part for part in one.message if isinstance(part, int)))]
    if used and max(used) >= len(steps):
        raise SchemaError(f"requirements speak of step {max(used)} of {len(steps)}")
    return Requirements(steps, asserted)


_REQUIREMENT = schema.record(
    Requirement, step=schema.whole(0, _MOST), text=schema.WORDS, message=schema.many(_part, 64), at=schema.optional(schema.PLACE)
)
REQUIREMENTS: schema.Reader[Requirements] = schema.record(_made, steps=_read_steps, asserted=schema.many(_REQUIREMENT, _MOST))
"""What `Requirements.to_json` writes."""
