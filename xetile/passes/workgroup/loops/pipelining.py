"""Software pipelining of a loop: what its iterations need is brought before they begin, while earlier ones still run.

Passes say which tiles run ahead (`Stream`) and in which order the parts of an iteration stand (`Schedule`); prologue, steady state,
epilogue and buffer phases are made here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from typing import Any, Literal, Protocol

from xetile.dialects import arith, gpu, scf
from xetile.dialects.types import ScalarType, VectorType
from xetile.ir.builder import Builder
from xetile.ir.core import Block, Op, Value
from xetile.ir.interfaces import enclosing, op_of_block, runs_again
from xetile.ir.rewriter import Rewriter
from xetile.passes.common.numbers import index
from xetile.passes.common.unused import erase_unused
from xetile.records import dataclass

Part = Literal["fetch", "wait", "use", "store"]
PHASES = 2
"""Buffers have two halves: what an iteration reads was stored before its barrier, and is stored to again behind the next one."""


class Iteration:
    """What values of a loop's body are in one iteration: made again where they are asked for, of its arguments and what lies outside.

    known   what is there already; before: the iteration before, from which arguments follow that are not.
    """

    def __init__(self, loop: scf.For, known: dict[Value, Value], before: Iteration | None = None) -> None:
        self.loop = loop
        self.body = loop.body
        self.known = known
        self.before = before
        self._last: Iteration | None = None

    def or_last(self, more: Value | None, build: Builder) -> Iteration:
        """This iteration, or where there are no `more` the one before once more: its arguments are chosen, from which the rest follows."""
        if more is None or self.before is None:
            return self
        if self._last is None:
            chosen = dict[Value, Value]()
            for arg in self.body.args:
                if isinstance(arg.type, ScalarType):
                    chosen[arg] = build(arith.Select, more, self.get(arg, build), self.before.get(arg, build))
            self._last = Iteration(self.loop, chosen)
        return self._last

    def get(self, value: Value, build: Builder) -> Value:
        """A value in this iteration."""
        if value in self.known:
            return self.known[value]
        if value.owner is self.body and self.before is not None:
            given = self.body.terminator.operands[value.index - 1]
            found = self.before.get(given, build)
        elif value.op is not None and value.op.parent is self.body:
            found = build.clone(value.op, [self.get(v, build) for v in value.op.operands]).results[value.index]
        else:
            return value
        self.known[value] = found
        return found


class Stream(Protocol):
    """What a loop accesses in each iteration: a tile, of which it may work an operand out.

    value  what `read` gives in its place; None where nothing is replaced.
    made   what the loop works out for `store` alone.
    """

    @property
    def value(self) -> Any:
        """See above."""

    @property
    def made(self) -> Sequence[Value]:
        """See above."""

    def first(self, build: Builder, iteration: Iteration) -> Any:
        """Where the first iteration's is, before the loop."""

    def next(self, build: Builder, tile: Any) -> Any:
        """Where the next iteration's is, if it is carried by itself."""

    def following(self, build: Builder, iteration: Iteration, more: Value | None) -> Any:
        """Where the next iteration's is, if that follows from what the loop carries; the same again where a condition says that there are no
        `more`, or what is beyond all.
        """

    def own(self, build: Builder, iteration: Iteration) -> Any:
        """Where this iteration's is."""

    def fetch(self, build: Builder, tile: Any) -> Any:
        """Bring it closer: to the caches, or to registers, of which `store` then is told."""

    def store(self, build: Builder, fetched: Any, phase: Value, at: Mapping[Value, Value]) -> None:
        """Keep what was fetched in the half of the buffer that has this phase, 0 or 1.

        at: what the loop's arguments are in the iteration that uses it.
        """

    def read(self, build: Builder, phase: Value) -> Value:
        """What was stored there."""


@dataclass(frozen=True)
class Schedule:
    """How iterations overlap.

    order     the parts of one: "fetch"; "wait", a barrier; "use", the loop's own ops; "store". Where others may still read from the half
              that is stored to, as from a buffer of one half, another barrier stands before that.
    distance  iterations from the one that fetches to the one that uses.
    carried   tiles that run ahead are carried by themselves; else they follow from the loop's own, and its last iteration
              fetches its tiles again: they never reach beyond those of the loop.
    unroll    iterations of one body; as many as there are phases make these constants.
    loads     whether storing loads more, by the counter of the iteration that uses it, and must not reach beyond the loop's either.
    count     gives how many iterations take part, a multiple of `unroll`; None for all.
    epilogue  the schedule of the others.
    """

    streams: Sequence[Stream]
    order: tuple[Part, ...]
    distance: int = 1
    carried: bool = True
    unroll: int = 1
    loads: bool = False
    count: Callable[[Builder], Value] | None = None
    epilogue: Schedule | None = field(default=None)

    def __post_init__(self) -> None:
        if self.buffered and self.distance >= PHASES:
            raise ValueError(f"fetches {self.distance} iterations ahead do not fit the two halves of a buffer")

    @property
    def buffered(self) -> bool:
        """Whether what is fetched is kept in buffers."""
        return "store" in self.order

    @property
    def carried_phases(self) -> int:
        """Phases that are carried: of the half that is read, and of the one that is stored to where they differ."""
        return min(1 + self.distance, PHASES) if self.buffered and self.unroll == 1 else 0


def software_pipeline(loop: scf.For, schedule: Schedule, *, waits: bool = False) -> None:
    """Let iterations of a loop overlap as a schedule says: prologue, steady state, epilogue in its place.

    waits: whether what came before may still read from the buffers.
    """
    build = Rewriter()
    with build.before(loop):
        lower, upper, step = loop.lower, loop.upper, loop.step
        count = schedule.count(build) if schedule.count is not None else None
        if schedule.buffered and (waits or runs_again(loop)):
            build.op(gpu.Barrier)
        first = dict(zip(loop.body.args, [lower, *loop.init]))
        ahead = _prologue(loop, schedule, count, first, build)
        end = upper if count is None else build(arith.AddI, lower, build(arith.MulI, count, step))
        results = _Steady(loop, schedule, build).emit((lower, end, step), list(loop.init), ahead)
        if schedule.epilogue is not None:
            results = _Steady(loop, schedule.epilogue, build).emit((end, upper, step), results, [])
    build.replace(loop, *results)


def _prologue(loop: scf.For, schedule: Schedule, count: Value | None, first: dict[Value, Value], build: Builder) -> list[Value]:
    """What the first iterations use; gives the tiles that are fetched next. `first`: what the loop's arguments are in the first one."""
    with _if_any(count, build):
        streams = schedule.streams
        tiles = [stream.first(build, Iteration(loop, first)) for stream in streams]
        for phase in range(schedule.distance):
            for stream, tile in zip(streams, tiles):
                fetched = stream.fetch(build, tile)
                if schedule.buffered:
                    stream.store(build, fetched, index(build, phase), first)
            tiles = [stream.next(build, tile) for stream, tile in zip(streams, tiles)] if schedule.carried else tiles
    return tiles if schedule.carried else []


@contextmanager
def _if_any(count: Value | None, build: Builder) -> Iterator[None]:
    """What is built is run where some iterations take part."""
    if count is None:
        yield
        return
    then, otherwise = Block(), Block()
    with build.at(then):
        yield
        build.op(scf.Yield, [])
    with build.at(otherwise):
        build.op(scf.Yield, [])
    some = build(arith.CmpI, count, index(build, 0), predicate="sgt")
    build.op(scf.If, some, regions=[then, otherwise], values=[])


class _Steady:
    """The loop that stands for some iterations of the old one."""

    def __init__(self, old: scf.For, schedule: Schedule, build: Rewriter) -> None:
        self.old = old
        self.schedule = schedule
        self.build = build
        self.unused: list[Value] = []  # what buffers stand in for was worked out of

    def emit(self, bounds: tuple[Value, Value, Value], init: list[Value], ahead: list[Value]) -> list[Value]:
        """Build it; gives the values of the old loop's results."""
        old, schedule, build = self.old, self.schedule, self.build
        lower, upper, step = bounds
        carried = [*init, *ahead, *(index(build, phase) for phase in range(schedule.carried_phases))]
        names = [*(a.name for a in old.body.args), *("ahead" for _ in ahead), *("read", "write")[: schedule.carried_phases]]
        body = Block([old.body.args[0].type, *(v.type for v in carried)], names)
        with build.at(body):
            own, others = body.args[: len(init) + 1], body.args[len(init) + 1 :]
            build.op(scf.Yield, self._iterations(own, others[: len(ahead)], others[len(ahead) :], upper))
        for _ in range(1, schedule.unroll):
            step = build(arith.AddI, step, bounds[2])
        loop = build.op(scf.For, lower, upper, step, carried, regions=[body], values=[v.type for v in carried], **old.attributes)
        erase_unused(self.unused, build)
        results = loop.results[: len(init)]
        for before, after in zip(old.results, results):
            after.name = before.name
        return results

    def _iterations(self, own: Sequence[Value], ahead: Sequence[Value], phases: Sequence[Value], upper: Value) -> list[Value]:
        """All iterations of a body; gives what it carries on."""
        build, unroll = self.build, self.schedule.unroll
        counter, *values = own
        for number in range(unroll):
            became = dict(zip(self.old.body.args, [counter, *values]))
            halves = phases or [index(build, (number + i) % PHASES) for i in range(PHASES if self.schedule.buffered else 0)]
            counter = self._iteration(became, ahead, halves, upper if number == unroll - 1 else None)
            values = [became.get(v, v) for v in self.old.body.terminator.operands]
            if self.schedule.carried:
                ahead = [s.next(build, tile) for s, tile in zip(self.schedule.streams, ahead)]
        return [*values, *ahead, *(build(arith.SubI, index(build, PHASES - 1), phase) for phase in phases)]

    def _iteration(
        self, became: dict[Value, Value], ahead: Sequence[Value], phases: Sequence[Value], upper: Value | None
    ) -> Value:
        """One iteration, the parts in their order; `upper` where it may be the last one. Gives the next one's counter."""
        build, streams = self.build, self.schedule.streams
        fetched: list[Any] = []
        more: Value | None = None
        counter, now = became[self.old.body.args[0]], Iteration(self.old, became)
        for part in self.schedule.order:
            if part == "wait":
                build.op(gpu.Barrier)
            elif part == "use":
                self._use(became, phases)
            elif part == "store":
                ahead_by = self.schedule.distance
                at = self._next_arguments(became, more if self.schedule.loads else None) if ahead_by else became
                for stream, value in zip(streams, fetched):
                    stream.store(build, value, phases[ahead_by], at)
            elif self.schedule.carried:
                fetched = [stream.fetch(build, tile) for stream, tile in zip(streams, ahead)]
            elif not self.schedule.distance:
                fetched = [stream.fetch(build, stream.own(build, now)) for stream in streams]
            else:
                counter = build(arith.AddI, counter, self.old.step)
                more = None if upper is None else build(arith.CmpI, counter, upper, predicate="slt")
                following = Iteration(self.old, {self.old.body.args[0]: counter}, now)
                fetched = [stream.fetch(build, stream.following(build, following, more)) for stream in streams]
        return counter

    def _next_arguments(self, became: Mapping[Value, Value], more: Value | None) -> dict[Value, Value]:
        """What the loop's arguments are in the iteration after one that is built; where there are no `more`, its counter is the same again."""
        counter, *values = self.old.body.args
        given = [became.get(v, v) for v in self.old.body.terminator.operands]
        ahead: Value = self.build(arith.AddI, became[counter], self.old.step)
        if more is not None:
            ahead = self.build(arith.Select, more, ahead, became[counter])
        return {counter: ahead, **dict(zip(values, given))}

    def _use(self, became: dict[Value, Value], phases: Sequence[Value]) -> None:
        """The old loop's ops, with what buffers hold in place of loads."""
        read: dict[Op, Value] = {}  # in an order that is the same each time: what is read is moved in it
        for stream in self.schedule.streams:
            if stream.value is not None:
                became[stream.value] = read[stream.value.op] = stream.read(self.build, phases[0])
        for op in self.old.body.ops[:-1]:
            if op not in read:
                self.build.copy(op, became)
        for op, value in read.items():
            _to_first_use(value)
            self.unused += [became.get(v, v) for v in op.operands]
        self.unused += [became[v] for stream in self.schedule.streams for v in stream.made]


def _to_first_use(read: Value) -> None:
    """What is read stands right before what takes it first, in a branch where that alone takes it: it takes no registers elsewhere."""
    block = read.op.parent if read.op is not None else None
    while block is not None and read.op is not None and read.users:
        takers = {op_of_block(user, block) for user in read.users}
        first = next(op for op in block.ops if op in takers)
        if first.parent is not read.op.parent or any(
            map(_computes, block.ops[block.ops.index(read.op) + 1 : block.ops.index(first)])
        ):
            Rewriter().move_before(read.op, first)
        regions = {_region(user, first) for user in read.users}
        block = regions.pop() if len(regions) == 1 and isinstance(first, scf.If) else None


def _computes(op: Op) -> bool:
    """Whether more than loads and scalars stand there, beside which what is read would take registers."""
    return bool(op.regions) or (not op.reads and any(isinstance(result.type, VectorType) for result in op.results))


def _region(op: Op, branch: Op) -> Block | None:
    """The region of a branch that holds an op; None where none does."""
    return next((outer.parent for outer in (op, *enclosing(op)) if outer.parent in branch.regions), None)
