"""The interpreter's core: a table from op class to the function that is its meaning, and a loop over planned steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from time import process_time
from typing import Any, Protocol, TypeVar

from xetile.dialects import gpu
from xetile.dialects.types import ScalarType
from xetile.errors import LaunchError, LimitError, XetileError
from xetile.ir.core import Block, Op, Value
from xetile.layout import Layout
from xetile.records import dataclass
from xetile.target import get_target

from .debug import Monitor
from .executors import Executors
from .memory import Memory
from .values import Array, force

Meaning = Callable[..., Any]
MeaningT = TypeVar("MeaningT", bound=Meaning)

MEANINGS: dict[type[Op], Meaning] = {}
"""For each op class `f(machine, op, *operands) -> result | results | None`; a variadic operand is a tuple, an absent one None."""

_TAKES_DEFERRED: set[type[Op]] = set()


def executes(*kinds: type[Op], deferred: bool = False) -> Callable[[MeaningT], MeaningT]:
    """Register a function as the meaning of op classes; with `deferred` it takes unfinished values (`Deferred`) as they are."""

    def register(meaning: MeaningT) -> MeaningT:
        for kind in kinds:
            MEANINGS[kind] = meaning
            if deferred:
                _TAKES_DEFERRED.add(kind)
        return meaning

    return register


@dataclass(frozen=True)
class Step:
    """One op ready to run: its meaning, where its operands stand, and the values that nobody needs after it."""

    op: Op
    meaning: Meaning
    ranges: tuple[tuple[int, int, str], ...]
    takes_deferred: bool
    dead: tuple[Value, ...]


@dataclass
class KernelPlan:
    """All blocks of a kernel as steps, and the constants that were worked out already."""

    steps: dict[int, tuple[Step, ...]] = field(default_factory=dict)
    constants: dict[Op, Array] = field(default_factory=dict)


def plan_kernel(func: gpu.GpuFunc) -> KernelPlan:
    """Look up meanings and lifetimes once.

    Raises LaunchError where an op has no meaning.
    """
    plan = KernelPlan()
    _plan_block(func.body, plan)
    return plan


def _plan_block(block: Block, plan: KernelPlan) -> set[Value]:
    """Plans a block; gives the values that it uses."""
    used: set[Value] = set()
    local = {r for op in block.ops for r in op.results} | set(block.args)
    steps = []
    for op in reversed(block.ops):
        here = set(op.operands).union(*(_plan_block(inner, plan) for inner in op.regions))
        dead = tuple(v for v in (*here, *op.results) if v in local and v not in used)
        used |= here
        steps.append(_step(op, dead if not op.terminator else ()))
    plan.steps[id(block)] = tuple(reversed(steps))
    return used


def _step(op: Op, dead: tuple[Value, ...]) -> Step:
    meaning = MEANINGS.get(type(op))
    if meaning is None and not op.terminator:
        raise LaunchError(f"the reference interpreter has no meaning for {op.opname}", at=op.loc)
    kinds = _KINDS.get(type(op)) or _kinds(op)
    ranges = tuple((*op.operand_range(i), kind) for i, kind in enumerate(kinds))
    return Step(op, meaning or _no_meaning, ranges, type(op) in _TAKES_DEFERRED, dead)


_KINDS: dict[type[Op], tuple[str, ...]] = {}


def _kinds(op: Op) -> tuple[str, ...]:
    """How many values each operand of such an op is: "*" any number, "?" none or one, "1" one."""
    kinds = _KINDS[type(op)] = tuple("*" if f.variadic else "?" if f.optional else "1" for f in op.operand_fields)
    return kinds


def _no_meaning(machine: Machine, op: Op, *operands: Any) -> None:
    raise LaunchError(f"{op.opname} is not executed by itself", at=op.loc)


@dataclass
class Changes:
    """How often a launch has changed memory: who waits for others sees by it whether anything can be new."""

    count: int = 0


class WaitsError(Exception):
    """Programs that take each step together wait for others: they must diverge."""


class Task(Protocol):
    """What a machine knows of the task that it is (`schedule`), where programs or subgroups diverge."""

    def arrive(self, number: int, participants: int) -> None:
        """Signal a barrier."""

    def wait(self, number: int) -> None:
        """Let others run until a barrier has opened."""

    def let_others(self, place: Op, stuck: bool) -> None:
        """Let others run; `stuck`: nothing changes here unless memory does."""


@dataclass(kw_only=True)
class Machine(Executors):
    """Everything that a running kernel sees. One machine runs one chunk of the grid.

    target       whose DPAS it is.
    task         whose turn it is, where programs or subgroups take turns.
    schedule     the same where subgroups do, and so meet at barriers.
    waits        loops that read memory until somebody else changes it (`waiting`).
    monitor      debug mode's.
    layouts      what subgroups hold of values, where they may diverge in a laid-out module.
    unknown      there are descriptors, and nothing says what subgroups hold of their values.
    deadline     when the process's time is up; 0 where it is never.
    """

    plan: KernelPlan
    env: dict[Value, Any] = field(default_factory=dict)
    shared: dict[Op, Memory] = field(default_factory=dict)
    monitor: Monitor | None = None
    task: Task | None = None
    schedule: Task | None = None
    waits: frozenset[Op] = frozenset()
    changes: Changes = field(default_factory=Changes)
    target: str = "pvc"
    layouts: Mapping[Value, Layout] = field(default_factory=dict)
    unknown: bool = False
    deadline: float = 0.0

    def on(self, start: tuple[int, int, int], extent: tuple[int, int, int]) -> Machine:
        """The machine for one chunk of the grid."""
        return replace(self, start=start, extent=extent, env={}, shared={})

    def mma_depth(self, lhs: ScalarType, acc: ScalarType) -> int:
        """K of one product of DPAS into a narrow accumulator; 0 where it has none, and where it need not matter."""
        if acc.bits >= 32:
            return 0
        mma = get_target(self.target).find_mma(str(lhs), acc=str(acc))
        return mma.k if mma is not None else 0

    def run(self, block: Block, args: Sequence[Any] = ()) -> list[Any]:
        """Execute a block; gives the operands of its terminator."""
        if self.deadline and process_time() > self.deadline:
            raise LimitError("the kernel did not end in time", hint="XETILE_SECONDS (xetile run: --seconds) gives it more, 0 all")
        env = self.env
        env.update(zip(block.args, args))
        for step in self.plan.steps[id(block)]:
            op = step.op
            if op.terminator:
                return [env[v] for v in op.operands]
            self.op = op
            try:
                operands = [*_operands(step, env)]
                result = step.meaning(self, op, *operands)
                if self.monitor is not None:
                    self.monitor.made(self, op, operands, result)
            except XetileError as error:
                raise error.located(op.loc) from error.__cause__
            except (ValueError, IndexError) as error:  # shapes of another level: blocks where fragments should be, or the reverse
                raise LaunchError(f"{op.opname} cannot be executed at {self.level} level: {error}",
                                  hint="the kernel's attribute `level` says who executes an op", at=op.loc) from error  # fmt: skip
            if len(op.results) == 1:
                env[op.results[0]] = result
            elif op.results:
                env.update(zip(op.results, result))
            for value in step.dead:
                env.pop(value, None)
        return []

    @contextmanager
    def masked(self, mask: Array) -> Iterator[None]:
        """Only these are active for a while, of those that were."""
        saved, self.mask = self.mask, mask if self.mask is None else mask & self.mask
        try:
            yield
        finally:
            self.mask = saved

    @contextmanager
    def unmasked(self) -> Iterator[None]:
        """All are active for a while: for ops that have a mask of their own."""
        saved, self.mask = self.mask, None
        try:
            yield
        finally:
            self.mask = saved

    def active(self, condition: Array) -> Array:
        """The condition where it counts."""
        return condition if self.mask is None else condition & self.mask


def _operands(step: Step, env: dict[Value, Any]) -> Iterator[Any]:
    values = step.op.operands
    for start, stop, kind in step.ranges:
        if kind == "*":
            yield tuple(_fetch(step, env[v]) for v in values[start:stop])
        elif start == stop:
            yield None
        else:
            yield _fetch(step, env[values[start]])


def _fetch(step: Step, value: Any) -> Any:
    return value if step.takes_deferred else force(value)


def elementwise(table: dict[type[Op], Callable[..., Array]]) -> None:
    """Register functions of arrays alone."""
    for kind, function in table.items():
        MEANINGS[kind] = _of_arrays(function)


def _of_arrays(function: Callable[..., Array]) -> Meaning:
    def meaning(machine: Machine, op: Op, *operands: Array) -> Array:
        return function(*operands)

    meaning.__doc__ = f"numpy's {getattr(function, '__name__', 'function')} of the operands."
    return meaning
