"""Loops whose condition compares a counter become counted loops, which later passes follow."""

from __future__ import annotations

from typing import NamedTuple

from xetile.dialects import arith, scf
from xetile.dialects.affine import affine_of
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import INDEX
from xetile.ir.core import Block, Value
from xetile.ir.rewriter import Rewriter
from xetile.passes.common.numbers import index
from xetile.target import Target

_MIRRORED = {"slt": "sgt", "sgt": "slt"}  # others are none of ours


class Counter(NamedTuple):
    """Which carried value counts, what it stays below, and how much is added to it."""

    position: int
    bound: Value
    amount: int


def count_loops(module: GpuModule, target: Target | None = None) -> GpuModule:
    """Make `while k < bound: ...; k += 32` the loop `for k in range(k, bound, 32)`.

    Before and after: xetile at workgroup level. The bound must not change in the loop, the amount is a positive constant, and nothing
    else decides whether the loop goes on.
    """
    for loop in module.find(scf.While):
        counter = _counter(loop)
        if counter is not None:
            _count(loop, counter)
    return module


def _counter(loop: scf.While) -> Counter | None:
    condition = loop.before.terminator
    compared, *passed = condition.operands
    if not loop.before.ops[:-1]:
        return None  # what the loop carries is the condition: `while go`
    *others, last = loop.before.ops[:-1]
    if last is not compared.op or not isinstance(last, arith.CmpI) or passed != list(loop.before.args):
        return None
    if not all(op.pure and not any(v in loop.before.args for v in op.operands) for op in others):
        return None  # they do not change, and are worked out before the loop
    counted, bound = last.operands
    predicate = last.predicate
    if bound.owner is loop.before:
        counted, bound, predicate = bound, counted, _MIRRORED.get(predicate, predicate)
    if predicate != "slt" or counted.owner is not loop.before or bound.owner is loop.before or counted.type is not INDEX:
        return None
    amount = affine_of(loop.after.terminator.operands[counted.index]).less(loop.after.args[counted.index])
    return Counter(counted.index, bound, amount) if amount is not None and amount > 0 else None


def _count(loop: scf.While, counter: Counter) -> None:
    """The loop as a counted one; who reads the counter behind it gets a carried copy of it."""
    rewrite = Rewriter()
    position, bound, amount = counter
    names = [arg.name for arg in loop.after.args]
    body = Block([INDEX, *(v.type for v in loop.init)], [names[position], *names])
    for op in loop.before.ops[:-2]:
        rewrite.move_before(op, loop)
    with rewrite.before(loop):
        step = index(rewrite, amount)
        types = [v.type for v in loop.init]
        counted = rewrite.op(scf.For, loop.init[position], bound, step, loop.init, regions=[body], values=types)
    for old, new, result in zip(loop.after.args, body.args[1:], counted.results):
        rewrite.replace_uses(old, body.args[0] if old.index == position else new)
        result.name = loop.results[old.index].name
    grown = loop.after.terminator
    rewrite.set_block(body, loop.after.take())
    with rewrite.before(grown):
        # The carried copy grows by itself: the counter is no result of a counted loop.
        copy = rewrite(arith.AddI, body.args[1 + position], step)
    rewrite.set_operand(grown, position, copy)
    rewrite.replace(loop, *counted.results)
