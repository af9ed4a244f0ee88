"""Loops and what they carry: one more value in place, or one less, and what a value is in the first iteration."""

from __future__ import annotations

from xetile.dialects import scf
from xetile.ir.builder import Builder
from xetile.ir.core import Value
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.recurrences import is_invariant


def carry(loop: scf.For, init: Value, name: str) -> Value:
    """One more carried value of an scf.for; gives the body's argument. `give` says what it is in the next step."""
    rewrite = Rewriter()
    rewrite.append_operands(loop, [init])
    rewrite.add_result(loop, init.type)
    return loop.body.add_arg(init.type, name)


def give(loop: scf.For, value: Value) -> None:
    """What the value carried last is in the next step."""
    Rewriter().append_operands(loop.body.terminator, [value])


def drop(loop: scf.For, position: int) -> None:
    """Carry a value no more that nobody reads any more."""
    Rewriter().remove_variables([variable for variable in loop.flow() if loop.results[position] in variable.values])


def in_first_iteration(value: Value, loop: scf.For, build: Builder) -> Value:
    """What a value of a loop is in the first iteration, worked out outside of it."""
    if value.owner is loop.body:
        return loop.lower if value.index == 0 else loop.init[value.index - 1]
    if value.op is None or (is_invariant(value, loop) and not value.op.constant_like):
        return value
    return build.clone(value.op, [in_first_iteration(v, loop, build) for v in value.op.operands]).results[0]
