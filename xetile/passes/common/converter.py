"""Making a new module from an old one: `Converter` walks the old ops and calls a table of functions, one for each kind of op.

A value of the old module stands for whatever the pass makes of it (`Lowered`): one value, several (a tuple), or an object of the
pass with the two methods of `Carried`, whose changing parts go through loops. Loops and branches are converted here, once for all
passes, by what they say of their flow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

from xetile.dialects.gpu import GpuModule
from xetile.errors import XetileError
from xetile.ir.builder import Builder, create
from xetile.ir.core import Attributes, Block, Op, Value
from xetile.ir.dispatch import Table
from xetile.passes.common.numbers import index


@runtime_checkable
class Carried(Protocol):
    """What an old value became, where that is more than values."""

    def carried(self) -> Sequence[Value]:
        """The values that change from one iteration to the next."""

    def with_carried(self, values: Sequence[Value]) -> Carried:
        """The same with other changing values."""


_VALUES = frozenset((Value,))
Lowered: TypeAlias = "Value | Carried | tuple[Lowered, ...]"
"""What an old value became."""


class Converter:
    """Copies ops into a new place; `self.build` appends, `self[value]` is what an old value became; indices have `index_bits`."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.build: Builder = Builder(Block())
        self.index_bits = 32
        self._lowered: dict[Value, Any] = {}
        self._regions: list[Regions] = []

    def __getitem__(self, value: Value) -> Any:
        """What an old value became."""
        return self._lowered[value]

    def __setitem__(self, value: Value, lowered: Any) -> None:
        self._lowered[value] = lowered

    def convert_function(self, module: GpuModule, attributes: Attributes | None = None) -> GpuModule:
        """A new module with the kernel converted; arguments stay as they are; `attributes` are added to the kernel."""
        old = module.kernel
        body = Block([a.type for a in old.body.args], [a.name for a in old.body.args])
        func = create(type(old), regions=[body], loc=old.loc, **{**old.attributes, **(attributes or {})})
        result = create(type(module), regions=[Block()], loc=module.loc, **module.attributes)
        result.regions[0].append(func)
        for before, after in zip(old.body.args, body.args):
            self._lowered[before] = after
        self.build = Builder(body)
        self.index_bits = old.index_bits
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
        handler, build = self.table.find(op.__class__), self.build
        around, build.loc = build.loc, op.loc
        try:
            if handler is not None:
                lowered = handler(op, self)
            elif op.regions or (op.terminator and self._regions):
                lowered = self.structure(op)
            else:
                lowered = self.clone(op)
        except XetileError as error:
            raise error.located(op.loc) from error.__cause__
        finally:
            build.loc = around
        if len(op.results) == 1:
            self[op.results[0]] = lowered
        elif op.results:
            assert isinstance(lowered, (tuple, list))
            for value, part in zip(op.results, lowered):
                self[value] = part

    def structure(self, op: Op) -> Lowered:
        """Convert a loop, a branch or a terminator in one, by its flow, as every pass does."""
        if op.regions:
            return self._convert_regions(op)
        self.build.op(type(op), *self._regions[-1].operands(op), **op.attributes)
        return ()

    def _convert_regions(self, op: Op) -> Lowered:
        regions = Regions(op, self)
        self._regions.append(regions)
        operands = regions.operands(op)
        blocks = [regions.region(block) for block in op.regions]
        passed = regions.passed()
        self._regions.pop()
        types = {field.name: [v.type for values in passed for v in values] for field in op.result_fields}
        return regions.results(self.build.op(type(op), *operands, regions=blocks, **types, **self.kept(op, passed)))

    def clone(self, op: Op, **changes: Any) -> Lowered:
        """Copy an op whose operands each became one value."""
        copy = self.build.clone(op, self.ones(op.operands), attributes={**op.attributes, **changes})
        for old, new in zip(op.results, copy.results):
            new.name = old.name
        return copy.results[0] if len(copy.results) == 1 else tuple(copy.results)

    def one(self, value: Value) -> Value:
        """What an old value became, where that must be one value."""
        lowered = self._lowered[value]
        if lowered.__class__ is Value:  # as nearly always
            return lowered
        if isinstance(lowered, tuple) and len(lowered) == 1:
            lowered = lowered[0]
        assert isinstance(lowered, Value), f"{value!r} became {lowered!r}, one value is needed"
        return lowered

    def ones(self, values: Sequence[Value]) -> Sequence[Value]:
        """The same of several."""
        lowered = [*map(self._lowered.__getitem__, values)]
        return lowered if _VALUES.issuperset(map(type, lowered)) else [self.one(value) for value in values]

    def constant(self, value: int) -> Value:
        """A constant index."""
        return index(self.build, value)

    # What goes through loops and branches.

    def kept(self, op: Op, passed: Sequence[Sequence[Value]]) -> Attributes:
        """Hook: the attributes of a loop or branch whose results are given these values."""
        return {key: value for key, value in op.attributes.items() if not key.startswith("wg_map")}

    def carry(self, op: Op, position: int, template: Lowered | None) -> list[Value]:
        """Hook: the values that an operand of a loop, a branch or a terminator sends on.

        `template`: what another operand became that gives the same variable its value, where one is converted already.
        """
        lowered = self._lowered[op.operands[position]]
        return carried_values(lowered if template is None else self.coerce(lowered, template))

    def arrive(self, old: Value, template: Lowered, values: Sequence[Value]) -> None:
        """Hook: bind an argument or a result to the values that it is given, of the structure of `template`."""
        self._lowered[old] = with_carried(template, values)

    def coerce(self, lowered: Lowered, template: Lowered) -> Lowered:
        """Hook: bring a lowered value to the structure of another one that stands for the same carried value."""
        return lowered


class Regions:
    """One loop or branch that is being converted; its flow says what goes where.

    `first`: of each of its variables, as soon as one of its sources is converted, what that became, and the values that it sends.
    """

    def __init__(self, op: Op, c: Converter) -> None:
        self.op = op
        self.c = c
        variables = list(op.flow())
        self._variable = {end: i for i, v in enumerate(variables) for end in (*v.holders, *v.sources)}
        self.first: dict[int, tuple[Lowered, list[Value]]] = {}

    def sent(self, op: Op, position: int) -> list[Value]:
        """What an operand, of the op or of a terminator in it, becomes: the values of a variable, or one value."""
        variable = self._variable.get((op, position))
        if variable is None:
            return [self.c.one(op.operands[position])]
        known = self.first.get(variable)
        values = self.c.carry(op, position, known[0] if known is not None else None)
        if known is None:
            self.first[variable] = self.c[op.operands[position]], values
        return values

    def operands(self, op: Op) -> list[Any]:
        """All operands of the op or of a terminator, as `create` takes them."""
        found: list[Any] = []
        for i, field in enumerate(op.operand_fields):
            values = [v for position in range(*op.operand_range(i)) for v in self.sent(op, position)]
            found.append(values if field.variadic else values[0])
        return found

    def region(self, old: Block) -> Block:
        """A region converted."""
        carried = [self._first(arg) for arg in old.args]
        parts = [(arg, v.type) for arg, first in zip(old.args, carried) for v in (first[1] if first is not None else (arg,))]
        new = Block([type for _, type in parts], [arg.name for arg, _ in parts])
        with self.c.build.at(new):
            self._arrive(old.args, new.args)
            self.c.block(old)
        return new

    def results(self, made: Op) -> Lowered:
        """What the results became."""
        self._arrive(self.op.results, made.results)
        lowered = tuple(self.c[r] for r in self.op.results)
        return lowered[0] if len(lowered) == 1 else lowered

    def passed(self) -> list[list[Value]]:
        """The values of each result."""
        return [first[1] for r in self.op.results if (first := self._first(r)) is not None]

    def _first(self, holder: Value) -> tuple[Lowered, list[Value]] | None:
        """What a variable was first given; None for what is none, as counters are."""
        variable = self._variable.get(holder)
        return None if variable is None else self.first[variable]

    def _arrive(self, olds: Sequence[Value], news: Sequence[Value]) -> None:
        start = 0
        for old in olds:
            first = self._first(old)
            count = len(first[1]) if first is not None else 1
            values = news[start : start + count]
            start += count
            if first is None:
                self.c[old] = values[0]
            else:
                self.c.arrive(old, first[0], values)


def carried_values(lowered: Lowered) -> list[Value]:
    """The values that a lowered value sends through a loop."""
    if isinstance(lowered, Value):
        return [lowered]
    if isinstance(lowered, tuple):
        return [v for part in lowered for v in carried_values(part)]
    return list(lowered.carried())


def with_carried(lowered: Lowered, values: Sequence[Value]) -> Lowered:
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
