"""Making a new module from an old one: `Converter` walks the old ops and calls a table of functions, one for each kind of op.

A value of the old module stands for whatever the pass makes of it (`Lowered`): one value, several (a tuple), or an object of the
pass with the two methods of `Carried`, whose changing parts go through loops. Control flow is converted here, once for all passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from xetile.dialects import scf
from xetile.errors import XetileError
from xetile.ir.builder import Builder, create
from xetile.ir.core import Block, Op, Value
from xetile.ir.dispatch import Table


@runtime_checkable
class Carried(Protocol):
    """What an old value became, where that is more than values."""

    def carried(self) -> Sequence[Value]:
        """The values that change from one iteration to the next."""

    def with_carried(self, values: Sequence[Value]) -> Any:
        """The same with other changing values."""


class Converter:
    """Copies ops into a new place; `self.build` appends, `self[value]` is what an old value became."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.build: Builder = Builder(Block())
        self._lowered: dict[Value, Any] = {}
        self._expected: list[Sequence[Any] | None] = []

    def __getitem__(self, value: Value) -> Any:
        """What an old value became."""
        return self._lowered[value]

    def __setitem__(self, value: Value, lowered: Any) -> None:
        self._lowered[value] = lowered

    def convert_function(self, module: Op, attributes: dict[str, Any] | None = None) -> Op:
        """A new module with the kernel converted; arguments stay as they are; `attributes` are added to the kernel."""
        old = module.kernel  # type: ignore[attr-defined]
        body = Block([a.type for a in old.body.args], [a.name for a in old.body.args])
        func = create(type(old), regions=[body], loc=old.loc, **{**old.attributes, **(attributes or {})})
        result = create(type(module), regions=[Block()], loc=module.loc, **module.attributes)
        result.regions[0].append(func)
        for before, after in zip(old.body.args, body.args):
            self._lowered[before] = after
        self.build = Builder(body)
        self.begin(func)
        self.block(old.body)
        return result

    def begin(self, func: Op) -> None:
        """Hook: emit what belongs at the head of the kernel."""

    def block(self, block: Block) -> None:
        """Convert the ops of a block at the insertion point."""
        for op in block.ops:
            self.op(op)

    def op(self, op: Op) -> None:
        """Convert one op."""
        handler = self.table.find(type(op)) or _STRUCTURE.find(type(op))
        try:
            with self.build.located(op.loc):
                lowered = handler(op, self) if handler is not None else self.clone(op)
        except XetileError as error:
            raise error.located(op.loc) from error.__cause__
        if len(op.results) == 1:
            self._lowered[op.results[0]] = lowered
        elif op.results:
            for value, part in zip(op.results, lowered):
                self._lowered[value] = part

    def structure(self, op: Op) -> Any:
        """Convert a loop, a branch or a terminator as every pass does."""
        handler = _STRUCTURE.find(type(op))
        assert handler is not None
        return handler(op, self)

    def clone(self, op: Op, **changes: Any) -> Any:
        """Copy an op whose operands each became one value."""
        copy = self.build.clone(op, [self.one(v) for v in op.operands], attributes={**op.attributes, **changes})
        for old, new in zip(op.results, copy.results):
            new.name = old.name
        return copy.results[0] if len(copy.results) == 1 else tuple(copy.results)

    def one(self, value: Value) -> Value:
        """What an old value became, where that must be one value."""
        lowered = self._lowered[value]
        if isinstance(lowered, tuple) and len(lowered) == 1:
            lowered = lowered[0]
        assert isinstance(lowered, Value), f"{value!r} became {lowered!r}, one value is needed"
        return lowered

    def inner(self, old: Block, args: Sequence[Any], new: Block, expected: Sequence[Any] | None = None) -> None:
        """Convert a region: its arguments stand for `args`, its ops go to `new`.

        What its terminator gives is brought to the structure of `expected` (see `coerce`).
        """
        for value, lowered in zip(old.args, args):
            self._lowered[value] = lowered
        self._expected.append(expected)
        with self.build.at(new):
            self.block(old)
        self._expected.pop()

    def given(self, values: Sequence[Value]) -> list[Any]:
        """What a terminator's operands became, in the structure that the op around it expects."""
        expected = self._expected[-1]
        lowered = [self._lowered[v] for v in values]
        if expected is None:
            return lowered
        return [self.coerce(value, template) for value, template in zip(lowered, expected)]

    def kept(self, op: Op) -> dict[str, Any]:
        """Hook: the attributes that a loop or branch keeps."""
        return {key: value for key, value in op.attributes.items() if not key.startswith("wg_map")}

    def coerce(self, lowered: Any, template: Any) -> Any:
        """Hook: bring a lowered value to the structure of another one that stands for the same carried value."""
        return lowered


def carried_values(lowered: Any) -> list[Value]:
    """The values that a lowered value sends through a loop."""
    if isinstance(lowered, Value):
        return [lowered]
    if isinstance(lowered, tuple):  # first: a protocol takes long to check
        return [v for part in lowered for v in carried_values(part)]
    assert isinstance(lowered, Carried)
    return list(lowered.carried())


def with_carried(lowered: Any, values: Sequence[Value]) -> Any:
    """The lowered value with other carried values."""
    if isinstance(lowered, Value):
        (value,) = values
        return value
    if not isinstance(lowered, tuple):
        return lowered.with_carried(values)
    parts, start = [], 0
    for part in lowered:
        count = len(carried_values(part))
        parts.append(with_carried(part, values[start : start + count]))
        start += count
    return tuple(parts)


def split_carried(templates: Sequence[Any], values: Sequence[Value]) -> list[Any]:
    """Flat values distributed over lowered values of the same structure as `templates`."""
    return list(with_carried(tuple(templates), values))


_STRUCTURE = Table()


@_STRUCTURE(scf.Yield, scf.Condition)
def _convert_terminator(op: Op, c: Converter) -> None:
    if isinstance(op, scf.Condition):
        passed = c.given(op.values)
        c.build(scf.Condition, c.one(op.condition), [v for part in passed for v in carried_values(part)])
    else:
        c.build(scf.Yield, [v for part in c.given(op.operands) for v in carried_values(part)])


def _names(templates: Sequence[Any], old: Sequence[Value]) -> list[str]:
    return [value.name for template, value in zip(templates, old) for _ in carried_values(template)]


@_STRUCTURE(scf.For)
def _convert_for(op: scf.For, c: Converter) -> Any:
    templates = [c[v] for v in op.init]
    flat = [v for t in templates for v in carried_values(t)]
    body = Block([op.body.args[0].type, *(v.type for v in flat)], [op.body.args[0].name, *_names(templates, op.body.args[1:])])
    c.inner(op.body, [body.args[0], *split_carried(templates, body.args[1:])], body, templates)
    loop = c.build.op(scf.For, c.one(op.lower), c.one(op.upper), c.one(op.step), flat, regions=[body],
                      values=[v.type for v in flat], **c.kept(op))  # fmt: skip
    lowered = split_carried(templates, loop.results)
    return lowered[0] if len(op.results) == 1 else lowered


@_STRUCTURE(scf.While)
def _convert_while(op: scf.While, c: Converter) -> Any:
    templates = [c[v] for v in op.init]
    flat = [v for t in templates for v in carried_values(t)]
    before = Block([v.type for v in flat], _names(templates, op.before.args))
    c.inner(op.before, split_carried(templates, before.args), before)
    passed = [c[v] for v in op.before.terminator.operands[1:]]
    types = [v.type for p in passed for v in carried_values(p)]
    after = Block(types, _names(passed, op.after.args))
    c.inner(op.after, split_carried(passed, after.args), after, templates)
    loop = c.build.op(scf.While, flat, regions=[before, after], values=types, **c.kept(op))
    lowered = split_carried(passed, loop.results)
    return lowered[0] if len(op.results) == 1 else lowered


@_STRUCTURE(scf.If)
def _convert_if(op: scf.If, c: Converter) -> Any:
    blocks = [Block(), Block()]
    c.inner(op.then, (), blocks[0])
    passed = [c[v] for v in op.then.terminator.operands] if op.results else []
    c.inner(op.otherwise, (), blocks[1], passed)
    types = [v.type for p in passed for v in carried_values(p)]
    branch = c.build.op(scf.If, c.one(op.condition), regions=blocks, values=types, **c.kept(op))
    lowered = split_carried(passed, branch.results)
    return lowered[0] if len(op.results) == 1 else lowered
