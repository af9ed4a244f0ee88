"""Loops and branches. Tile values that go through them have a buffer each, into which what comes next is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xetile.dialects import scf
from xetile.errors import UncoveredError
from xetile.ir.core import Block, Op, Value
from xetile.ir.dispatch import Table
from xetile.passes.common.converter import Carried
from xetile.passes.vectors.places import Place
from xetile.passes.vectors.state import HELD, Lowering, shape2
from xetile.passes.vectors.storage import Buffer, Form, Stored

LOWER = Table()


class IterArgs:
    """Values that go through a region: scalars one by one, tiles by their offsets, tile values by a buffer."""

    def __init__(self, lower: Lowering, olds: Sequence[Value]) -> None:
        self.lower = lower
        self.olds = olds
        self.held = [lower.env.get(v) for v in olds]
        self.buffers: list[Stored | None] = [None for _ in olds]

    def scalars(self) -> list[Value]:
        """What goes through as values."""
        return [v for held, old in zip(self.held, self.olds) for v in self.flat(held, old)]

    def flat(self, held: Any, old: Value) -> list[Value]:
        """The values of one iter_arg."""
        if isinstance(old.type, HELD):
            return []
        if isinstance(held, Value):
            return [held]
        if isinstance(held, Carried):
            return [self.lower.numbers.value(n) for n in held.carried()]
        raise UncoveredError(f"a {old.type} that goes through a loop or branch")

    def place(self, i: int, buffer: Stored) -> None:
        """The buffer of a iter_arg."""
        self.buffers[i] = buffer
        buffer.buffer.fixed = True

    def bind(self, values: Sequence[Value], given: Sequence[Value]) -> None:
        """Old values of a region (or of the op) stand for new scalars, and for the buffers."""
        at = 0
        for i, (value, held, old) in enumerate(zip(values, self.held, self.olds)):
            stored = self.buffers[i]
            if stored is not None:
                self.lower.env[value] = stored
                stored.buffer.values[:] = [value]
                continue
            count = len(self.flat(held, old))
            part = list(given[at : at + count])
            self.lower.env[value] = held.with_carried(part) if isinstance(held, Carried) else part[0]
            at += count

    def expect(self, values: Sequence[Value], block: Block) -> None:
        """What a block gives may be written to its iter_arg at once."""
        for value, stored in zip(values, self.buffers):
            owner = value.op
            if stored is not None and owner is not None and owner.parent is block and value not in self.lower.destinations:
                self.lower.destinations[value] = (stored.buffer, None)

    def give(self, values: Sequence[Value]) -> list[Value]:
        """Bring values to the iter_args; gives the scalars."""
        self.lower.flush()
        mine = {s.buffer: i for i, s in enumerate(self.buffers) if s is not None}
        moves: list[tuple[Any, Stored]] = []
        scalars: list[Value] = []
        for i, value in enumerate(values):
            held, stored = self.lower.env[value], self.buffers[i]
            if stored is None:
                self._agree(i, held)
                scalars += self.flat(held, value)
            elif not (isinstance(held, Stored) and held.buffer is stored.buffer):
                if isinstance(held, Stored) and held.buffer in mine:  # two iter_args change places
                    held = self._aside(held)
                moves.append((held, stored))
        for held, stored in moves:
            self.lower.copy(held, stored)
        return scalars

    def _agree(self, i: int, held: Any) -> None:
        """Tiles that replace each other differ in offsets alone; the first one tells what the iter_arg holds."""
        known = self.held[i]
        if known is None:
            if isinstance(held, Place) and not all(map(self._is_argument, held.fixed()[1:])):
                raise UncoveredError("a tile that is made in a branch")
            self.held[i] = held
        elif isinstance(known, Place) and known.fixed() != held.fixed():
            raise UncoveredError("tiles of one array with different sizes that replace each other")

    def _is_argument(self, number: Any) -> bool:
        return isinstance(number, int) or number.owner is self.lower.home

    def _aside(self, held: Stored) -> Stored:
        made = self.lower.new(held.shape, held.form)
        self.lower.copy(held, made)
        return made

    def abandon(self) -> None:
        """After the op: buffers may serve again, unless other iter_args hold results in them."""
        for stored in self.buffers:
            if stored is not None:
                stored.buffer.fixed = False
                stored.buffer.values[:] = []
                if stored.buffer not in self.lower.active:
                    self.lower.active.append(stored.buffer)

    def leave(self, values: Sequence[Value]) -> None:
        """After the op: buffers hold its results and may serve again after the last use."""
        for value, stored in zip(values, self.buffers):
            if stored is not None:
                stored.buffer.fixed = False
                stored.buffer.values[:] = [value]
                if stored.buffer not in self.lower.active:
                    self.lower.active.append(stored.buffer)


def _buffer(lower: Lowering, value: Value) -> Stored:
    return lower.new(shape2(value.type), Form(lower.element(value.type.element)))  # type: ignore[attr-defined]


def _adopted(lower: Lowering, op: Op, value: Value) -> Stored:
    """A buffer that holds the initial value: its own where nobody else needs it."""
    held = lower.env[value]
    if isinstance(held, Stored) and not held.form.panel and value.has_one_use:
        same = held.form.element is lower.element(value.type.element)  # type: ignore[attr-defined]
        if same and _alone(lower, held.buffer, op, value):
            return held
    made = _buffer(lower, value)
    lower.copy(held, made)
    return made


def _alone(lower: Lowering, buffer: Buffer, op: Op, value: Value) -> bool:
    same_block = value.op is not None and value.op.parent is op.parent
    return same_block and not buffer.fixed and all(v is value or lower.is_dead(v) for v in buffer.values)


def _enter(lower: Lowering, op: Op, values: Sequence[Value]) -> IterArgs:
    iter_args = IterArgs(lower, values)
    for i, value in enumerate(values):
        if isinstance(value.type, HELD):
            iter_args.place(i, _adopted(lower, op, value))
    return iter_args


@LOWER(scf.For)
def _for(op: scf.For, lower: Lowering) -> Any:
    iter_args = _enter(lower, op, op.init)
    start = iter_args.scalars()
    body = Block([op.body.args[0].type, *(v.type for v in start)], [op.body.args[0].name])
    lower.env[op.body.args[0]] = body.args[0]
    iter_args.bind(op.body.args[1:], body.args[1:])
    iter_args.expect(op.body.terminator.operands, op.body)
    _region(lower, op.body, body, iter_args)
    kept = {name: op.attributes[name] for name in (scf.WITHOUT_SIGN,) if name in op.attributes}
    loop = lower.build.op(scf.For, *(lower.scalar(v) for v in (op.lower, op.upper, op.step)), start, regions=[body],
                          values=[v.type for v in start], **kept)  # fmt: skip
    return _results(op, iter_args, loop, lower)


def _results(op: Op, iter_args: IterArgs, made: Op, lower: Lowering) -> Any:
    iter_args.bind(op.results, made.results)
    iter_args.leave(op.results)
    found = [lower.env[r] for r in op.results]
    return found[0] if len(found) == 1 else found


@LOWER(scf.Yield)
def _yield(op: scf.Yield, lower: Lowering) -> tuple[()]:
    assert op.parent is not None
    lower.build(scf.Yield, lower.iter_args[op.parent].give(op.operands))
    return ()


def _outgoing(lower: Lowering, results: Sequence[Value]) -> IterArgs:
    """IterArgs for results whose values are not known yet."""
    iter_args = IterArgs(lower, results)
    for i, value in enumerate(results):
        if isinstance(value.type, HELD):
            iter_args.place(i, _buffer(lower, value))
    return iter_args


def _region(lower: Lowering, old: Block, new: Block, iter_args: IterArgs) -> None:
    lower.iter_args[old] = iter_args
    with lower.build.at(new):
        lower.block(old)


@LOWER(scf.If)
def _if(op: scf.If, lower: Lowering) -> Any:
    iter_args = _outgoing(lower, op.results)
    blocks = [Block(), Block()]
    for old, new in zip(op.regions, blocks):
        if old.ops:
            iter_args.expect(old.terminator.operands, old)
            _region(lower, old, new, iter_args)
    types = [v.type for v in blocks[0].terminator.operands]
    made = lower.build.op(scf.If, lower.scalar(op.condition), regions=blocks, values=types)
    return _results(op, iter_args, made, lower)


@LOWER(scf.While)
def _while(op: scf.While, lower: Lowering) -> Any:
    iter_args = _enter(lower, op, op.init)
    start = iter_args.scalars()
    before = Block([v.type for v in start])
    iter_args.bind(op.before.args, before.args)
    passed = op.before.terminator.operands[1:]
    out = IterArgs(lower, op.results)
    for i, value in enumerate(passed):
        if isinstance(value.type, HELD):
            carried = iter_args.buffers[value.index] if value.owner is op.before and value not in passed[:i] else None
            out.place(i, carried or _buffer(lower, value))
    _region(lower, op.before, before, out)
    types = [v.type for v in before.terminator.operands[1:]]
    after = Block(types)
    out.bind(op.after.args, after.args)
    _region(lower, op.after, after, iter_args)
    made = lower.build.op(scf.While, start, regions=[before, after], values=types)
    iter_args.abandon()
    return _results(op, out, made, lower)


@LOWER(scf.Condition)
def _condition(op: scf.Condition, lower: Lowering) -> tuple[()]:
    lower.flush()
    assert op.parent is not None
    given = lower.iter_args[op.parent].give(op.values)
    lower.build(scf.Condition, lower.scalar(op.condition), given)
    return ()
