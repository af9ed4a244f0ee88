"""What a loop only rearranges between lanes, of values from before it, is rearranged before it."""

from __future__ import annotations

from collections.abc import Iterable

from xetile.dialects import scf, xegpu
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import VectorType
from xetile.ir.core import Op, Value, type_of
from xetile.ir.interfaces import enclosing
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.recurrences import is_invariant
from xetile.target import Target


def lift_conversions(module: GpuModule, target: Target) -> GpuModule:
    """Move conversions of layouts, and what they are made of, out of loops that change nothing of that and take it for nothing else.

    Before and after: xegpu at subgroup level. Queries that a loop multiplies with all keys change lanes once, and take as many registers
    as before. IGC moves what precedes an exchange between lanes out of a loop, but not the exchange: it then holds all of it in between.
    """
    for loop in reversed(list(module.find(scf.For))):  # inner loops first: what leaves one may leave the next
        moved = {op: None for end in loop.find(xegpu.ConvertLayout) for op in _leaving(end, loop)}
        rewriter = Rewriter()
        for op in moved if _frees_as_much(moved, loop) else ():
            rewriter.move_before(op, loop)
    return module


def _leaving(op: Op, loop: scf.For) -> list[Op]:
    """An op of a loop, and of branches in it, and what it needs of there, operands first; nothing where some of that changes in the loop."""
    found: dict[Op, None] = {}
    for value in op.operands:
        made = value.op
        if is_invariant(value, loop) and (made is None or loop not in enclosing(made)):
            continue
        before = _leaving(made, loop) if made is not None and made.pure else []
        if not before:
            return []
        found.update(dict.fromkeys(before))
    return [*found, op]


def _frees_as_much(moved: dict[Op, None], loop: scf.For) -> bool:
    """Whether values from before a loop that it takes for nothing else are as large as what it takes in their place."""
    inside = set(loop.walk())
    given = dict.fromkeys(v for op in moved for v in op.operands if v.op not in moved and isinstance(v.type, VectorType))
    freed = [v for v in given if all(user in moved or user not in inside for user in v.users)]
    same = _alike(moved)
    made = dict.fromkeys(
        same[v] for op in moved if not op.constant_like for v in op.results if any(user not in moved for user in v.users)
    )
    return sum(map(_bits, freed)) >= sum(map(_bits, made))


def _alike(ops: Iterable[Op]) -> dict[Value, Value]:
    """For each result of some pure ops that of the first one that computes the same: branches have their own."""
    first: dict[object, Op] = {}
    same: dict[Value, Value] = {}
    for op in ops:
        operands = tuple(same.get(value, value) for value in op.operands)
        key = (type(op), operands, *(value.type for value in op.results), *map(str, sorted(op.attributes.items())))
        found = first.setdefault(key, op)
        same.update(zip(op.results, found.results))
    return same


def _bits(value: Value) -> int:
    kind = type_of(value, VectorType)
    return kind.count * kind.element.bits
