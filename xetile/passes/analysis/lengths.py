"""How long rows are: those of arrays of which launches have seen that they keep rules, and up to the nearest end of several."""

from __future__ import annotations

from collections.abc import Iterable

from xetile.dialects import arith
from xetile.dialects.gpu import GpuFunc
from xetile.dialects.types import MemRefType
from xetile.ir.core import Value
from xetile.passes.analysis.block_sizes import element_bytes


class Lengths:
    """Sizes of a kernel's arrays, but for those that are named: they break the rules."""

    def __init__(self, kernel: GpuFunc, unfit: Iterable[str]) -> None:
        args, broken = kernel.specs.items(), frozenset(unfit)
        kinds = {spec.param: arg.type for arg, spec in args if isinstance(arg.type, MemRefType) and spec.param not in broken}
        self._rows: dict[Value, int] = {}
        self._present: set[Value] = set()
        for arg, spec in args:
            kind = kinds.get(spec.param)
            if kind is None or spec.kind != "dim":
                continue
            if spec.axis >= kind.rank - 2:
                self._present.add(arg)
            if (kind.strides or (None,) * (kind.rank - 1) + (1,))[spec.axis] == 1:
                self._rows[arg] = element_bytes(kind.element)

    def is_row(self, value: Value, size: int) -> bool:
        """Whether a number of elements of a size is as long as rows that keep the rules: a row of no larger ones, or the shortest of such."""
        return all(self._rows.get(v, size + 1) <= size for v in least_of(value))

    def is_present(self, value: Value) -> bool:
        """Whether it is how many rows or columns some array has, which are one at least."""
        return value in self._present


def least_of(value: Value) -> list[Value]:
    """The numbers of which a value is the least."""
    op = value.op
    return [least for v in op.operands for least in least_of(v)] if isinstance(op, arith.MinSI) else [value]


__all__ = ["Lengths", "least_of"]
