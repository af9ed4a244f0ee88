"""Strength reduction of what loops carry, by how it recurs.

A sum (the next is this one and an amount) is a function of the loop's own counter, so that one add per iteration moves all tiles
(DESIGN, targets). What alternates (the next is an amount less this one), as phases of double buffers do, is no such function: what is
computed of it is carried in its place, so that a place in a buffer costs one op per iteration and not one for each of its summands.
Nor is one of two sums that is selected by what the loop does not change: where both begin and by how much they grow is selected before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Protocol

from xetile.dialects import arith, scf
from xetile.dialects.affine import affine_of
from xetile.dialects.gpu import GpuFunc
from xetile.dialects.types import ScalarType
from xetile.ir.builder import Builder
from xetile.ir.core import Block, Op, Value, of_kind
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.recurrences import alternation_of, growth_of, is_invariant
from xetile.passes.common.carry import carry, give, in_first_iteration


class Rewriting(Protocol):
    """What the walk knows: `level` of values, in the order of blocks around them."""

    level: dict[Value, int]

    def now(self, value: Value) -> Value:
        """What stands for a value by now."""

    def replace(self, old: Value, new: Value) -> None:
        """Let another value stand for this one."""

    def op(self, op: Op) -> None:
        """Rewrite an op and put it where the walk is."""


def closed_forms(loop: scf.For, s: Rewriting) -> Sequence[Op]:
    """Replace carried values of a loop that never change, or that grow by a constant per step; the ops that compute them.

    A value that starts at `init` and grows by `c`, a multiple of the step, is `init + (counter - lower) * (c / step)`.
    Results of the loop stay carried (`closed_results`); what nobody uses any more is removed with the dead code.
    """
    ops = Block()
    build = Builder(ops, loop.loc)
    counter = loop.body.args[0]
    started: Value | None = None
    for arg, init, given in zip(loop.body.args[1:], loop.init, loop.body.terminator.operands):
        growth = _growth(given, arg, s)
        if growth == 0:
            s.replace(arg, init)
            s.replace(loop.results[arg.index - 1], init)
            continue
        ratio = _ratio(growth, loop.step) if arg.type == counter.type else None
        if ratio is None:
            continue
        if ratio == 1:
            ahead = _difference(init, loop.lower, s)
            rest = build(arith.SubI, init, loop.lower) if ahead is None else build(arith.Constant, value=ahead, result=arg.type)
            s.replace(arg, build(arith.AddI, counter, rest))
            continue
        if started is None:
            started = counter if arith.constant_of(loop.lower) == 0 else build(arith.SubI, counter, loop.lower)
        grown = build(arith.MulI, started, build(arith.Constant, value=ratio, result=arg.type))
        s.replace(arg, build(arith.AddI, grown, init))
    return ops.take()


def closed_results(loop: scf.For, s: Rewriting) -> Iterator[tuple[Value, Sequence[Op]]]:
    """Results of a loop that grow in it by multiples of its step: each with the ops that compute it behind the loop, the last one all of it.

    A loop that counts from 0 ends at the next multiple of its step, so that a result is `init + end * (c / step)`; of others the
    difference to where they begin might not fit the numbers. As `split_loops` writes where the rest of a loop begins: both are one op.
    """
    step = arith.constant_of(loop.step)
    if arith.constant_of(loop.lower) != 0 or not isinstance(step, int) or step <= 0:
        return
    counter = loop.body.args[0]
    for arg, init, given, result in zip(loop.body.args[1:], loop.init, loop.body.terminator.operands, loop.results):
        if arg.type is not counter.type or not result.users:
            continue
        ratio = _ratio(_growth(given, arg, s), loop.step)
        if not ratio:
            continue
        ops = Block()
        build = Builder(ops, loop.loc)
        trips = build(arith.CeilDivSI, build(arith.MaxSI, loop.upper, loop.lower), loop.step)
        end = build(arith.MulI, trips, loop.step)
        grown = end if ratio == 1 else build(arith.MulI, end, build(arith.Constant, value=ratio, result=arg.type))
        build(arith.AddI, grown, init)
        yield result, ops.take()


def _growth(given: Value, arg: Value, s: Rewriting) -> int | Value | None:
    """By what a carried value grows per iteration: a constant, a value from outside of the loop, or None."""
    if not isinstance(arg.type, ScalarType):
        return 0 if s.now(given) is arg else None
    found = affine_of(given, lambda v: v is not arg and v in s.level, s.now)
    others = dict(found.coefficients)
    if others.pop(arg, 0) != 1 or len(others) > 1 or (others and found.constant):
        return None
    # A run-time step: known only as the value itself.
    return next((v if n == 1 and v in s.level else None for v, n in others.items()), found.constant)


def _difference(one: Value, other: Value, s: Rewriting) -> int | None:
    """What one number is more than another, where that is known."""
    found = affine_of(one, now=s.now).plus(affine_of(other, now=s.now), -1)
    return None if found.coefficients else found.constant


def _ratio(growth: int | Value | None, step: Value) -> int | None:
    if growth is None:
        return None
    if isinstance(growth, Value):
        return 1 if growth is step else None
    by = arith.constant_of(step)
    return growth // by if by and growth % by == 0 else None


def carry_alternating(kernel: GpuFunc) -> bool:
    """Carry sums and products of alternating values by themselves, where a loop would compute them again in each iteration.

    Where the next `v` is `c - v`, those of `v + d` and `v * f` are so too, for a `d` that the loop does not change and a constant `f`.
    Each costs the one op that it cost before, and addresses made of it are sums of two.  Returns whether there was any.
    """
    # With a map for each carried value, a loop is not yet distributed: one more would need one.
    loops = [op for op in kernel.find(scf.For) if "wg_maps" not in op.attributes]
    return sum(_Alternating(loop).run() for loop in loops if any(alternation_of(loop, arg) for arg in loop.body.args[1:])) > 0


class _Alternating:
    """One loop."""

    def __init__(self, loop: scf.For) -> None:
        self.loop = loop
        self.rewrite = Rewriter()
        self.inside: set[Value] = set(loop.body.args)
        for op in loop.body.walk():
            self.inside.update(op.results, *(block.args for block in op.regions))

    def run(self) -> bool:
        """Whether anything was carried."""
        open_ = [arg for arg in self.loop.body.args[1:] if self._total(arg) is not None]
        found = False
        while open_:
            arg = open_.pop()
            for op in list(arg.users):
                if self._follows(op, arg):
                    open_.append(self._carry(op, arg))
                    found = True
        return found

    def _total(self, arg: Value) -> Value | None:
        total = alternation_of(self.loop, arg)
        return None if total is None or total in self.inside else total

    def _follows(self, op: Op, arg: Value) -> bool:
        """Whether an op's result alternates with `arg`. Constants stay apart from sums: they tell messages apart."""
        if not isinstance(op, (arith.AddI, arith.MulI)) or op.parent is not self.loop.body:
            return False
        (other,) = [v for v in op.operands if v is not arg] or [arg]
        known = arith.constant_of(other) is not None
        return other not in self.inside and known == isinstance(op, arith.MulI)

    def _carry(self, op: Op, arg: Value) -> Value:
        loop = self.loop
        (other,) = [v for v in op.operands if v is not arg]
        build, total = self.rewrite, self._total(arg)
        with build.before(loop), build.located(op.loc):
            for value in [other, other] if isinstance(op, arith.AddI) else [other]:
                total = build(type(op), total, value)
            init = build(type(op), loop.init[arg.index - 1], other)
        carried = carry(loop, init, arg.name)
        with build.before(loop.body.terminator), build.located(op.loc):
            give(loop, build(arith.SubI, total, carried))
        build.replace(op, carried)
        self.inside.add(carried)
        return carried


def carry_selected(loop: scf.For, s: Rewriting) -> None:
    """Carry one of two sums that is selected in each iteration by a condition that the loop does not change.

    `select(c, x, y)` of values that grow by f and g becomes a carried value that begins with the selected one of their first values, and
    grows by `select(c, f, g)`: one add in place of two and a select. The walk is through the loop's body, and not yet behind the loop.
    """
    if "wg_maps" not in loop.attributes:  # with a map for each carried value, it is not yet distributed: one more would need one
        for op in of_kind(loop.body.ops, arith.Select):
            _carry_selected(op, loop, s)


def _carry_selected(op: arith.Select, loop: scf.For, s: Rewriting) -> None:
    condition, *sums = op.operands
    kind = op.result.type
    if not isinstance(kind, ScalarType) or kind.is_float or not is_invariant(condition, loop):
        return
    growths = list(takewhile(lambda growth: growth is not None, (growth_of(v, loop) for v in sums)))
    if len(growths) < len(sums) or not any(growths):
        return
    ops = Block()
    build = Builder(ops, op.loc)
    init = build(arith.Select, condition, *(in_first_iteration(v, loop, build) for v in sums))
    steps = [build(arith.Constant, value=n, result=op.result.type) for n in growths if n is not None]
    step = build(arith.Select, condition, *steps)
    for made in ops.take():
        s.op(made)
    carried = carry(loop, s.now(init), op.result.name)
    rewrite = Rewriter()
    with rewrite.before(loop.body.terminator), rewrite.located(op.loc):
        give(loop, rewrite(arith.AddI, carried, s.now(step)))
    rewrite.replace(op, carried)
