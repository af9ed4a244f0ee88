"""Comparisons of f32, hidden from IGC's vectorizer where all lanes may compare the same.

Of f32 vectors whose elements are the same in all lanes that vectorizer makes one instruction of several elements.  Comparisons do not
survive it: a choice between the two numbers compared (`x < y ? y : x`, in whatever words) is written for the first element alone, and
drops NaN; other choices take the first element's bit of the mask for each.  So one of the numbers gets a zero that IGC cannot know
and that is another for each lane, unless the lanes surely differ.
"""

from __future__ import annotations

from collections.abc import Iterable

from xetile.dialects import gpu, vector, xegpu
from xetile.ir.core import Op, Value
from xetile.ir.dataflow import Forward

from .emit_code import Code
from .encode import Id
from .wraps import hidden_zero

COMPARISONS = frozenset(f"OpF{kind}{name}" for kind in ("Ord", "Unord") for name in ("Equal", "NotEqual", "LessThan", "GreaterThan",
                        "LessThanEqual", "GreaterThanEqual")) | {"OpOrdered", "OpUnordered"}  # fmt: skip
_JOINS = (vector.Insert, vector.InsertStridedSlice, vector.Shuffle)
"""Ops whose result has elements of one operand beside those of another."""


class Lanes(Forward[bool]):
    """Values each element of which IGC takes to differ between lanes; of others it may find that they do not."""

    def __init__(self, kernel: Op) -> None:
        super().__init__(kernel)
        self.solve()

    def join(self, one: bool, other: bool) -> bool:
        """There is one fact: that lanes differ."""
        return True

    def transfer(self, op: Op) -> Iterable[tuple[Value, bool]]:
        """What is computed of different numbers differs; what lanes are told by one of them, or by all, does not."""
        return [(result, True) for result in op.results] if self._differs(op) else ()

    def _differs(self, op: Op) -> bool:
        if isinstance(op, (gpu.LaneId, xegpu.Dpas, xegpu.AtomicRmw)):
            return True
        if isinstance(op, xegpu.LoadNd):
            return op.desc.type.rank == 2
        if isinstance(op, gpu.Shuffle):
            return (op.offset if op.mode == "idx" else op.value) in self.facts
        if isinstance(op, gpu.SubgroupReduce):
            return op.cluster_size is not None and op.value in self.facts
        if isinstance(op, _JOINS):
            return all(value in self.facts for value in op.operands)
        return self.meet_in(op)

    def meet_in(self, op: Op) -> bool:
        """Whether an op takes in values that differ."""
        return any(value in self.facts for value in op.operands)


def hidden_operand(e: Code, x: Id) -> Id:
    """The same number or numbers, which IGC takes to differ between lanes where they are f32: or'ed with a zero of each lane's own."""
    form = e.module.type_of(x)
    count = e.components(e.f32, form)
    if not count:
        return x
    lane = e.at_entry("Lane32", lambda: e.function.builtin("SubgroupLocalInvocationId"))
    zero = e.at_entry("hidden zero of a lane", lambda: e.emit("OpBitwiseAnd", e.i32, lane, hidden_zero(e, e.i32)))
    words = e.vector(e.i32, count)
    bits = e.emit("OpBitwiseOr", words, e.emit("OpBitcast", words, x), e.splat(e.i32, zero, count))
    return e.emit("OpBitcast", form, bits)
