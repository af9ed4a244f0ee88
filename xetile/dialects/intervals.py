"""The least and the largest number that integers of a kernel can be, whatever its launch.

What `xetile.index_ranges` checks at each launch holds here: no index wraps. Other integers wrap as their types do. A counter ends before
the end of its loop; any other number that a loop moves ends at zero, or nowhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xetile.dialects import arith, gpu, scf
from xetile.dialects.gpu import GpuFunc
from xetile.dialects.types import I1, INDEX, ScalarType
from xetile.index_ranges import ANY, RULES, UNBOUNDED, Interval
from xetile.ir.core import Op, Value
from xetile.ir.dataflow import Forward

NATURAL: Interval = (0, UNBOUNDED)
_WHO = (gpu.BlockId, gpu.SubgroupId, gpu.LaneId, gpu.GridDim)
_SIZES = ("dim", "stride")
_UNSIGNED = (arith.ExtUI, arith.IndexCastUI)


class Intervals(Forward[Interval]):
    """Intervals of integer scalars.

    lanes: how many a subgroup has; 0 where that does not matter. limits: what is known beforehand of arguments.
    """

    def __init__(self, kernel: GpuFunc, lanes: int = 0, limits: Mapping[Value, Interval] | None = None) -> None:
        super().__init__(kernel)
        subgroups = kernel.num_subgroups or 0
        self.counts = {gpu.SubgroupId: subgroups, gpu.LaneId: lanes}
        for value, spec in kernel.specs.items():
            self.facts[value] = NATURAL if spec.kind in _SIZES else _of_type(value)
        self.facts.update(limits or {})

    def of(self, value: Value) -> Interval:
        """The ends of the interval, which belong to it."""
        self.ask(value)
        return self._known(value)

    def _known(self, value: Value) -> Interval:
        return self.facts.get(value) or _of_type(value)

    def join(self, one: Interval, other: Interval) -> Interval:
        """What holds both; an end that moves goes as far as it can, so that loops come to an end."""
        low = one[0] if other[0] >= one[0] else 0 if other[0] >= 0 else -UNBOUNDED
        return low, one[1] if other[1] <= one[1] else UNBOUNDED

    def transfer(self, op: Op) -> Iterable[tuple[Value, Interval]]:
        """Of integer scalars."""
        return [(result, self._result(op, result)) for result in op.results if _is_integer(result)]

    def enter(self, op: Op) -> Iterable[tuple[Value, Interval]]:
        """A counter goes up from the lower bound, and does not reach the upper one."""
        if isinstance(op, scf.For):
            yield op.body.args[0], RULES["iteration"](*map(self._known, (op.lower, op.upper, op.step)))

    def depends(self, op: Op) -> Iterable[Value]:
        """Of a counter, all bounds."""
        return (op.lower, op.upper, op.step) if isinstance(op, scf.For) else super().depends(op)

    def _result(self, op: Op, result: Value) -> Interval:
        if isinstance(op, _WHO):
            count = self.counts.get(type(op), 0)
            return (0, count - 1) if count else NATURAL
        if isinstance(op, arith.Constant):
            return int(op.value), int(op.value)
        if isinstance(op, arith.CmpI):
            return (1, 1) if self._holds(op) else (0, 0) if self._never_holds(op) else (0, 1)
        if isinstance(op, arith.Select):
            low, high = self._known(op.condition)
            if low == high:
                return self._known(op.true_value if low else op.false_value)
            return RULES["hull"](self._known(op.true_value), self._known(op.false_value))
        if isinstance(op, arith.INTEGER_CASTS):
            found = self._known(op.operands[0])
            return _within(_without_sign(op.operands[0]) if found[0] < 0 and isinstance(op, _UNSIGNED) else found, result)
        name = op.function if isinstance(op, arith.Binary) else ""
        rule = RULES.get("or" if name == "xor" else name)
        return _within(rule(*map(self._known, op.operands)), result) if rule is not None else _of_type(result)

    def _holds(self, op: arith.CmpI) -> bool:
        """Whether `i < n` always holds."""
        low, high = self._known(op.lhs)
        return high < self._known(op.rhs)[0] and (op.predicate == "slt" or (op.predicate == "ult" and low >= 0))

    def _never_holds(self, op: arith.CmpI) -> bool:
        """Whether `i < n` never holds."""
        least, end = self._known(op.rhs)
        return self._known(op.lhs)[0] >= end and (op.predicate == "slt" or (op.predicate == "ult" and least >= 0))


def _is_integer(value: Value) -> bool:
    return isinstance(value.type, ScalarType) and not value.type.is_float


def _of_type(value: Value) -> Interval:
    """What an integer's bits hold, as a number with a sign."""
    kind = value.type
    if not isinstance(kind, ScalarType) or kind is INDEX or kind.is_float:
        return ANY
    return (0, 1) if kind is I1 else (-(1 << (kind.bits - 1)), (1 << (kind.bits - 1)) - 1)


def _without_sign(value: Value) -> Interval:
    """What the same bits hold as a number without a sign."""
    low, high = _of_type(value)
    return 0, high - low


def _within(found: Interval, result: Value) -> Interval:
    """An interval of numbers that wrap where their type has fewer bits."""
    low, high = _of_type(result)
    return found if low <= found[0] and found[1] <= high else (low, high)
