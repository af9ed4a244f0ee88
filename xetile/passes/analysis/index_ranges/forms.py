"""What is known of a number while a kernel is read: steps of its interval, and how it follows from what loops carry."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field

from xetile.index_ranges import ANY, KNOWN, RULES, Interval, Step
from xetile.ir.core import Value
from xetile.records import dataclass

Key = tuple[Value, int]
"""Something that a loop carries: an argument of its body, and which of the numbers that it stands for."""


class Steps:
    """The steps of a kernel, each once; those that follow from constants alone are worked out at once."""

    def __init__(self) -> None:
        self.list: list[Step] = []
        self._numbers: dict[Step, int] = {}

    def const(self, low: int, high: int | None = None) -> int:
        """A number, or any between two."""
        return self._add(("const", low, low if high is None else high))

    def known(self, *step: str | int) -> int:
        """What a launch gives."""
        assert step[0] in KNOWN
        return self._add(step)

    def make(self, name: str, *operands: int) -> int:
        """What follows from earlier steps."""
        values = [self.constant(i) for i in operands]
        if None not in values:
            return self.const(*RULES[name](*values))
        same = _UNCHANGED.get((name, values[1] or ANY)) if len(values) == 2 else None
        if same is not None:
            return operands[same]
        if (name, values[0]) in (("add", (0, 0)), ("mul", (1, 1))):
            return operands[1]
        if (name == "hull" and operands[0] == operands[1]) or (name == "grow" and values[1] == (0, 0)):
            return operands[0]
        return self._add((name, *operands))

    def constant(self, step: int) -> Interval | None:
        """The interval of a constant step."""
        name, *operands = self.list[step]
        return (operands[0], operands[1]) if name == "const" else None

    def _add(self, step: Step) -> int:
        if step not in self._numbers:
            self._numbers[step] = len(self.list)
            self.list.append(step)
        return self._numbers[step]


_UNCHANGED = {
    **{(name, (0, 0)): 0 for name in ("add", "sub", "shl", "shr")},
    **{(name, (1, 1)): 0 for name in ("mul", "floordiv", "ceildiv", "div")},
}


@dataclass(frozen=True)
class Form:
    """A number: one in the interval `own`, or what a loop carries (`terms`) moved by an interval, or anything between these.

    data: bits from memory, or of an unsigned type, which wrap as their type says.
    """

    own: int | None = None
    terms: Mapping[Key, int] = field(default_factory=dict)
    data: bool = False

    @property
    def parts(self) -> list[tuple[Key | None, int]]:
        """All that it may be: (None, interval) or (what is carried, how it is moved)."""
        return [*([(None, self.own)] if self.own is not None else []), *self.terms.items()]


class Algebra:
    """Arithmetic on forms."""

    def __init__(self) -> None:
        self.steps = Steps()

    def number(self, low: int, high: int | None = None, *, data: bool = False) -> Form:
        """A constant, or any number between two."""
        return Form(self.steps.const(low, high), data=data)

    def step(self, form: Form) -> int:
        """The interval of a form; while what a loop carries is not known, any number."""
        return self.steps.const(*ANY) if form.terms or form.own is None else form.own

    def apply(self, name: str, *forms: Form) -> Form:
        """A rule of `index_ranges` on forms: as exact as on intervals for sums with what a loop carries."""
        found = self._carried(name, *forms) if any(f.terms for f in forms) else None
        found = found or Form(self.steps.make(name, *map(self.step, forms)))
        data = any(f.data for f in forms)
        return found if found.data is data else Form(found.own, found.terms, data)

    def _carried(self, name: str, first: Form, *rest: Form) -> Form | None:
        if name in ("min", "max", "hull"):
            return self.hull([first, *rest])
        if len(rest) != 1:
            return None
        other = rest[0]
        if name == "add" and first.terms and other.terms:
            return None
        if name == "add":
            return self.shift(first, self.step(other)) if first.terms else self.shift(other, self.step(first))
        if other.terms:
            return None
        if name == "sub":
            return self.shift(first, self.steps.make("sub", self.steps.const(0), self.step(other)))
        known = self.steps.constant(self.step(other))
        if known is not None and known[0] >= {"floordiv": 1, "div": 1, "shr": 0}.get(name, ANY[1]):
            # Between the dividend and zero, or minus one where that is rounded down to.
            return self.hull([first, self.number(-1, 0)])
        return None

    def shift(self, form: Form, by: int) -> Form:
        """A form moved by an interval."""
        return self.each(form, lambda step: self.steps.make("add", step, by))

    def each(self, form: Form, change: Callable[[int], int]) -> Form:
        """A form with each of its intervals changed."""
        own = None if form.own is None else change(form.own)
        return Form(own, {key: change(move) for key, move in form.terms.items()}, form.data)

    def hull(self, forms: Iterable[Form]) -> Form:
        """Anything between what the forms may be."""
        forms = list(forms)
        parts: dict[Key | None, int] = {}
        for key, step in (part for form in forms for part in form.parts):
            parts[key] = self.steps.make("hull", parts[key], step) if key in parts else step
        own = parts.pop(None, None)
        terms = {key: step for key, step in parts.items() if key is not None}
        return Form(own, terms, any(f.data for f in forms))
