"""Coordinates against the end of a loop: what the loop changes goes to the side that all lanes share.

`n + lane + 16 < end`, for `n` that counts up to `end`, is `lane < end - n - 16`: the lanes' coordinates take no registers of their own.
What else must hold, and the loop does not change, is part of the end: it is 0 where that does not hold.
"""

from __future__ import annotations

from xetile.dialects import arith, scf, vector
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import INDEX, ScalarType
from xetile.ir.builder import Builder
from xetile.ir.core import Op, Value, of_kind
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.recurrences import is_fixed
from xetile.target import Target


def compare_with_rest(module: GpuModule, target: Target) -> GpuModule:
    """Rewrite comparisons of a loop's counter plus something, in all elements, with the loop's end; join those with what stays.

    Before and after: xegpu at lane level. The counter lies between 0 and the end, so that the rest does not overflow. Coordinates that
    something else takes stay as they are: they are computed in any case.
    """
    for loop in module.find(scf.For):
        if _counts_up(loop) and loop.body.args[0].type is INDEX:
            _rewrite(loop)
        for op in of_kind(loop.body.ops, arith.AndI):
            _join(op, loop)
    return module


def _join(op: arith.Binary, loop: scf.For) -> None:
    """`i < n and c`, of what the loop does not change but i, as `i < (n where c, 0 elsewhere)`, which is chosen before the loop."""
    if not isinstance(op.result.type, ScalarType) or not all(v.has_one_use for v in op.operands):
        return
    for one, other in (op.operands, op.operands[::-1]):
        below = one.op
        if not isinstance(below, arith.CmpI) or below.predicate != "ult" or is_fixed(one, loop) or not is_fixed(other, loop):
            continue
        if not is_fixed(below.rhs, loop):
            continue
        rewrite = Rewriter()
        with rewrite.before(op), rewrite.located(op.loc):
            none = rewrite(arith.Constant, value=0, result=below.rhs.type)
            end = rewrite(arith.Select, other, below.rhs, none)
            rewrite.replace(op, rewrite(arith.CmpI, below.lhs, end, predicate="ult"))
        return


def _counts_up(loop: scf.For) -> bool:
    start = arith.constant_of(loop.lower)
    return start is not None and start >= 0


def _rewrite(loop: scf.For) -> None:
    counter, rewrite = loop.body.args[0], Rewriter()
    rest: Value | None = None
    for op in of_kind(loop.body.ops, arith.CmpI):
        added = _added(op, counter, loop.upper)
        if added is not None:
            with rewrite.before(op):
                rest = rest or rewrite(arith.SubI, loop.upper, counter)
                rewrite.set_operands(op, *_apart(rewrite, added, rest))


def _apart(build: Builder, added: Value, rest: Value) -> tuple[Value, Value]:
    """What differs between lanes of a sum, and the rest without its constants."""
    limit: Value = build(vector.Broadcast, rest, result=added.type)
    while isinstance(added.op, arith.AddI):
        left, right = added.op.operands
        if arith.constant_of(right) is None:
            left, right = right, left
        if arith.constant_of(right) is None:
            break
        added, limit = left, build(arith.SubI, limit, right)
    return added, limit


def _added(op: arith.CmpI, counter: Value, end: Value) -> Value | None:
    """What is added to the counter in `counter + x < end`; None for other ops."""
    if op.predicate != "slt" or _all(op.operands[1]) is not end:
        return None
    total = op.operands[0].op
    if not isinstance(total, arith.AddI) or not _goes_to(total.result, arith.CmpI):
        return None
    first, second = total.operands
    added = second if _all(first) is counter else first if _all(second) is counter else None
    return added if added is not None and _goes_to(added, arith.AddI) else None


def _goes_to(value: Value, kind: type[Op]) -> bool:
    """Whether only ops of a kind take a value: what others need lies in registers anyway."""
    return all(isinstance(user, kind) for user in value.users)


def _all(value: Value) -> Value | None:
    """The scalar that a vector holds everywhere, None where it is not known to be one."""
    return value.op.source if isinstance(value.op, vector.Broadcast) else None
