"""What rows allow of columns lies in one register: each lane has it of a row of its own, and gives it to all.

`column < (m + r < rows ? columns : 0)`, of each row r that a subgroup pads, is a number for each row. IGC would compute it once for all lanes;
but where there are several it makes one comparison of them, and takes its first bit for each choice, so that the SPIR-V writer lets each lane
compare and choose: of sixteen rows sixteen registers (attention with a padded bias on pvc: 1.2 KB spilled).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from xetile.dialects import arith, gpu
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import I32, I64, INDEX, ScalarType
from xetile.estimate.chosen import FEWEST
from xetile.ir.core import Op, Value
from xetile.ir.rewriter import Rewriter
from xetile.target import Target


def share_limits(module: GpuModule, target: Target) -> GpuModule:
    """Let lanes choose between a size and 0 by rows of their own, where a subgroup does so by several rows that follow each other.

    Before and after: xegpu at lane level. Only what comparisons take alone, and on devices with block messages: elsewhere IGC makes masks.
    """
    if target.block2d is None:
        return module
    found: dict[tuple[Value, Hashable], dict[int, list[arith.Select]]] = {}
    for op in module.find(arith.Select):
        if _is_limit(op):
            made: arith.CmpI = op.condition.op  # type: ignore[assignment]
            base, row = _apart(made.lhs)
            alike = op.parent, made.predicate, made.rhs, op.true_value
            found.setdefault((base, alike), {}).setdefault(row, []).append(op)
    wide = I64 if module.kernel.index_bits == I64.bits else I32
    for (base, _), by_row in found.items():
        rows = sorted(by_row)
        while rows:
            taken = [row for row in rows if row - rows[0] < target.subgroup_size]
            if len(taken) >= FEWEST:
                limits = [(row - taken[0], op) for row in taken for op in by_row[row]]
                _share(base, taken[0], limits, target.subgroup_size, wide)
            rows = rows[len(taken) :]
    return module


def _is_limit(op: arith.Select) -> bool:
    """Whether an op chooses a size where a row lies below an end, else 0."""
    made = op.condition.op
    if op.result.type is not INDEX or arith.constant_of(op.false_value) != 0 or not isinstance(made, arith.CmpI):
        return False
    return made.predicate in ("ult", "slt") and bool(op.result.users) and all(_limits(user, op) for user in op.result.users)


def _limits(user: Op, op: arith.Select) -> bool:
    """Whether a comparison takes a choice as what lanes' columns are to lie below."""
    return isinstance(user, arith.CmpI) and user.rhs is op.result and user.lhs is not op.result


def _apart(value: Value) -> tuple[Value, int]:
    """A sum without its constant, and that."""
    if isinstance(value.op, arith.AddI):
        for one, other in (value.op.operands, value.op.operands[::-1]):
            constant = arith.constant_of(other)
            if isinstance(constant, int):
                return one, constant
    return value, 0


def _share(base: Value, start: int, limits: Sequence[tuple[int, arith.Select]], lanes: int, wide: ScalarType) -> None:
    """One choice for all, by the rows of lanes from `base` and `start` on, each of which gives its own."""
    position = {op: at for at, op in enumerate(limits[0][1].parent.ops)}  # type: ignore[union-attr]
    first = min((op for _, op in limits), key=position.__getitem__)
    made: arith.CmpI = first.condition.op  # type: ignore[assignment]
    rewrite = Rewriter()
    with rewrite.before(first), rewrite.located(first.loc):
        row = rewrite(arith.AddI, base, rewrite(arith.Constant, value=start, result=INDEX)) if start else base
        below = rewrite(arith.CmpI, rewrite(arith.AddI, row, rewrite(gpu.LaneId)), made.rhs, predicate=made.predicate)
        chosen = rewrite(arith.Select, below, first.true_value, first.false_value)
        number = rewrite(arith.IndexCast, chosen, result=wide)
        given = []
        for lane, _ in limits:
            at, count = (rewrite(arith.Constant, value=n, result=I32) for n in (lane, lanes))
            shuffled: Value = rewrite.op(gpu.Shuffle, number, at, count, mode="idx").results[0]
            given.append(rewrite(arith.IndexCast, shuffled, result=INDEX))
    for (_, op), value in zip(limits, given):
        rewrite.replace(op, value)


__all__ = ["share_limits"]
