"""Loop-carried sums as functions of the loop's own counter, so that one add per iteration moves all tiles (DESIGN, targets)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from xetile.dialects import arith, scf
from xetile.dialects.affine import affine_of
from xetile.dialects.types import ScalarType
from xetile.ir.builder import Builder
from xetile.ir.core import Block, Op, Value


class Rewriting(Protocol):
    """What the walk knows: `level` of values, in the order of blocks around them."""

    level: dict[Value, int]

    def now(self, value: Value) -> Value:
        """What stands for a value by now."""

    def replace(self, old: Value, new: Value) -> None:
        """Let another value stand for this one."""


def closed_forms(loop: scf.For, s: Rewriting) -> Sequence[Op]:
    """Replace carried values of a loop that never change, or that grow by a constant per step; the ops that compute them.

    A value that starts at `init` and grows by `c`, a multiple of the step, is `init + (counter - lower) * (c / step)`.
    Results of the loop stay carried; what nobody uses any more is removed with the dead code.
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
        if started is None:
            started = counter if arith.constant_of(loop.lower) == 0 else build(arith.SubI, counter, loop.lower)
        grown = started if ratio == 1 else build(arith.MulI, started, build(arith.Constant, value=ratio, result=arg.type))
        s.replace(arg, build(arith.AddI, grown, init))
    return ops.take()


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


def _ratio(growth: int | Value | None, step: Value) -> int | None:
    if growth is None:
        return None
    if isinstance(growth, Value):
        return 1 if growth is step else None
    by = arith.constant_of(step)
    return growth // by if by and growth % by == 0 else None
