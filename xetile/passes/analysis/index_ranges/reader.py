"""Walks a kernel: the interval of each index, and of each integer that becomes one; `rules` has the ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xetile.dialects import scf, xegpu, xetile
from xetile.dialects.scf import WITHOUT_SIGN
from xetile.dialects.types import I1, INDEX, ScalarType, VectorType, element_of
from xetile.errors import Location
from xetile.index_ranges import ANY, Check
from xetile.ir.core import Block, Op, Type, Value
from xetile.ir.dispatch import Table
from xetile.passes.analysis.index_ranges.forms import Algebra, Form
from xetile.passes.analysis.index_ranges.loops import Limits, limits, solve

Forms = tuple[Form, ...]
_WRAPS = 33
"""Bits of numbers of which an index of 32 bits holds enough."""
_REMAINS = 1
"""Bits of what must be 0."""
_PLACES = (xetile.TileType, xegpu.TensorDescType)


def width(type: Type) -> int:
    """How many numbers are known of a value: one of an index or integer, and of vectors of index; a tile's two last offsets."""
    if isinstance(type, _PLACES):
        return 1 if getattr(type, "scatter", False) else 2
    if isinstance(type, ScalarType):
        return int(type.is_int and type is not I1)
    return int(isinstance(type, VectorType) and type.element is INDEX)


class Reader(Algebra):
    """The state of the walk.

    index_bits   of an index.
    wanted       integers of which an index is made.
    places       indices that are read as places in arrays alone: those from memory may wrap as `must_lie` says.
    """

    def __init__(self, table: Table, index_bits: int, wanted: set[Value], places: set[Value]) -> None:
        super().__init__()
        self._table = table
        self.index_bits = index_bits
        self.wanted = wanted
        self.places = places
        self.counters: dict[scf.For, tuple[Form, Form]] = {}
        """Of each loop what it begins with, and the number that is compared last."""
        self.checks: dict[tuple[int, int, bool], Check] = {}
        self._forms: dict[Value, Forms] = {}
        self.recording = True

    # Values.

    def __getitem__(self, value: Value) -> Forms:
        found = self._forms.get(value)
        return self.unknown(value.type) if found is None else found

    def __setitem__(self, value: Value, forms: Forms) -> None:
        self._forms[value] = forms

    def one(self, value: Value) -> Form:
        """The number of a scalar, or any element of a vector; bits of an integer are read with a sign."""
        form = self.moved(value)
        return self._any(element_of(value.type)) if form.terms and self.may_wrap(form, value) else form

    def moved(self, value: Value) -> Form:
        """The same for sums: of an integer that a loop carries as far as it is known, whether it wraps or not."""
        form = self[value][0]
        return self.wrapped(form, value.type) if self._without_sign(form) else form

    def unsigned(self, value: Value) -> Form:
        """The number of an integer; its bits are read without a sign."""
        form = self[value][0]
        return form if self._without_sign(form) else self._narrowed("unwrap", self.one(value), value.type)

    def _without_sign(self, form: Form) -> bool:
        """Whether this is an argument of an unsigned type: its interval is that of its value."""
        return form.data and form.own is not None and not form.terms and self.steps.list[form.own][0] == "scalar"

    def may_wrap(self, form: Form, value: Value) -> bool:
        """Whether a number wraps as its type does, or must not: what memory gave, or what no index is made of."""
        type = value.type
        return isinstance(type, ScalarType) and type is not INDEX and (form.data or value not in self.wanted)

    def wrapped(self, form: Form, type: Type) -> Form:
        """An integer that may have wrapped; one that a loop carries once that is known (`settle`)."""
        return form if form.terms else self._narrowed("wrap", form, type)

    def _narrowed(self, rule: str, form: Form, type: Type) -> Form:
        return self.apply(rule, form, self.number(element_of(type).bits))

    def unknown(self, type: Type) -> Forms:
        """Of numbers from elsewhere: what their type holds; indices beyond that."""
        if not width(type):
            return ()
        return (self._any(INDEX if isinstance(type, _PLACES) else element_of(type)),) * width(type)

    def _any(self, element: ScalarType) -> Form:
        if element is INDEX or element.bits == 64:
            # Of both alike: that a number from memory comes near what 64 bits hold says nothing.
            return self.number(*ANY, data=True)
        return self.number(-(1 << (element.bits - 1)), (1 << (element.bits - 1)) - 1, data=True)

    def must_fit(self, form: Form, type: Type, at: Location | None) -> None:
        """A result that must not wrap: an index, or an integer of which one is made."""
        if not self.recording:
            return
        element = element_of(type)
        self._check(self.step(form), self.index_bits if element is INDEX else element.bits, element is INDEX, at)

    def must_lie(self, form: Form, size: int, limit: Form, at: Location | None) -> None:
        """A place of a part of an array, of so many elements along an axis of which the array has no more than `limit`.

        That is fewer than what an index of 32 bits holds. So what wraps there comes to lie in front of the array where it lay
        behind it, as long as the part lies below what 32 bits without a sign hold; and behind it where it lay in front of it, as
        long as it is as far from there.
        """
        if self.index_bits > 32:
            self.must_fit(form, INDEX, at)
        elif self.recording:
            make, step = self.steps.make, self.step(form)
            self._check(make("add", step, self.steps.const(0, size)), _WRAPS, True, at)
            self._check(make("sub", make("min", step, self.steps.const(0)), self.step(limit)), _WRAPS, True, at)

    def must_be_multiple(self, size: int, of: int) -> None:
        """What a kernel is compiled for (`multiples`)."""
        self._check(self.steps.make("mod", size, self.steps.const(of)), _REMAINS, True, None)

    def must_be_same(self, size: int, other: int) -> None:
        """The same (`same`): twice a difference fits one bit where there is none."""
        twice = self.steps.make("mul", self.steps.make("sub", size, other), self.steps.const(2))
        self._check(twice, _REMAINS, True, None)

    def must_be_natural(self, number: int) -> None:
        """What is zero or more (`assumed_begins`, `assumed_ends`): twice what is below fits one bit where nothing is."""
        below = self.steps.make("min", number, self.steps.const(0))
        self._check(self.steps.make("mul", below, self.steps.const(2)), _REMAINS, True, None)

    def counts(self, loop: scf.For, lower: Form, last: Form) -> None:
        """What a loop compares at its end: a number of 32 bits without a sign where it says so."""
        if self.recording:
            self.counters[loop] = (lower, last)
            bits = _WRAPS if WITHOUT_SIGN in loop.attributes and self.index_bits == 32 else self.index_bits
            self._check(self.step(last), bits, True, loop.loc)

    def _check(self, step: int, bits: int, index: bool, at: Location | None) -> None:
        self.checks.setdefault((step, bits, index), Check(step, bits, index, at))

    # Code.

    def block(self, block: Block) -> list[Forms]:
        """Read a block; gives what its terminator sends on."""
        for op in block.ops:
            if op.terminator:
                return [self[v] for v in op.operands]
            if op.regions:
                _LOOPS.get(type(op), _read_branches)(self, op)
            elif (rule := self._table.find(type(op))) is not None:
                self[op.results[0]] = rule(op, self)
        return []

    def silently(self, block: Block) -> list[Forms]:
        """Read a block while not all of what it is given is known."""
        saved, self.recording = self.recording, False
        try:
            return self.block(block)
        finally:
            self.recording = saved

    def ends(self, args: Sequence[Value], init: Sequence[Forms], read: Callable[[], list[Forms]]) -> list[Forms]:
        """What an iteration leaves of what a loop carries, each of its numbers standing for itself."""
        data = [any(f.data for f in forms) for forms in init]
        while True:
            for arg, flag in zip(args, data):
                self[arg] = tuple(Form(terms={(arg, i): self.steps.const(0)}, data=flag) for i in range(width(arg.type)))
            ends = read()
            found = [flag or any(f.data for f in forms) for flag, forms in zip(data, ends)]
            if found == data:
                return ends
            data = found

    def settle(self, args: Sequence[Value], init: Sequence[Forms], ends: Sequence[Forms], iterations: Form | None,
               limits: Limits, into: Sequence[Value]) -> None:  # fmt: skip
        """Let `into` be what a loop's arguments are after any of these iterations."""
        keys = [(arg, i) for arg in args for i in range(width(arg.type))]
        found = iter(solve(self, keys, _flat(init), _flat(ends), iterations, limits))
        for value in into:
            forms = [next(found) for _ in range(width(value.type))]
            self[value] = tuple(self.wrapped(form, value.type) if self.may_wrap(form, value) else form for form in forms)


def _flat(groups: Sequence[Forms]) -> list[Form]:
    return [form for forms in groups for form in forms]


def _read_for(r: Reader, op: scf.For) -> None:
    bounds = [r.one(v) for v in (op.lower, op.upper, op.step)]
    variable, *args = op.body.args
    r[variable] = (r.apply("iteration", *bounds),)
    # The machine computes the number after the last one too, and compares it.
    last = r.apply("add", r.one(variable), bounds[2])
    if variable.type is INDEX:
        r.counts(op, bounds[0], last)
    else:
        r.must_fit(last, variable.type, op.loc)
    init = [r[v] for v in op.init]
    ends = r.ends(args, init, lambda: r.silently(op.body))
    iterations = r.apply("iterations", *bounds)
    if r.recording:
        r.settle(args, init, ends, r.apply("first", iterations), {}, args)  # in the last iteration, all but one have been made
        r.block(op.body)
    r.settle(args, init, ends, iterations, {}, op.results)


def _read_while(r: Reader, op: scf.While) -> None:
    args, condition = op.before.args, op.before.terminator
    init = [r[v] for v in op.init]

    def iteration() -> list[Forms]:
        _, *passed = r.silently(op.before)
        for arg, forms in zip(op.after.args, passed):
            r[arg] = forms
        return r.silently(op.after)

    ends = r.ends(args, init, iteration)
    by_key: Limits = {}
    for value, name, limit in limits(condition.operands[0], r):
        # The argument itself, passed on as it is.
        if value in args and value in condition.operands[1:]:
            by_key.setdefault((value, 0), []).append((name, limit))
    r.settle(args, init, ends, None, by_key, args)
    _, *passed = r.block(op.before)
    for arg, result, forms in zip(op.after.args, op.results, passed):
        r[arg] = r[result] = forms
    if r.recording:
        for value, name, limit in limits(condition.operands[0], r):
            for arg, given in zip(op.after.args, condition.operands[1:]):
                if given is value:
                    r[arg] = (r.apply(name, Form(r.step(r.one(arg)), data=r.one(arg).data), limit),)
        r.block(op.after)


def _read_branches(r: Reader, op: Op) -> None:
    for block in op.regions:
        r.block(block)
    for variable in op.flow():
        meet = tuple(r.hull(forms) for forms in zip(*(r[v] for v in variable.given)))
        for holder in variable.holders:
            r[holder] = meet


_LOOPS: dict[type[Op], Callable[[Reader, Any], None]] = {scf.For: _read_for, scf.While: _read_while}
