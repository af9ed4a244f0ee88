"""A builder that does not make the same number twice in a block.

Exchanges between lanes, and accesses by lanes, ask for the same few numbers for each element or row that they move: left to cleaning,
more than half of all ops would be made to be dropped.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from xetile.dialects import arith, gpu, vector, xegpu
from xetile.ir.builder import Builder
from xetile.ir.core import Block, Op, Value

_ARITHMETIC = frozenset((arith.AddI, arith.SubI, arith.MulI, arith.DivUI, arith.RemUI, arith.AndI, arith.ShRUI, arith.IndexCast,
                         arith.CmpI))  # fmt: skip
OF_LANES: Set[type[Op]] = _ARITHMETIC | {arith.Constant, gpu.LaneId}
OF_ACCESSES: Set[type[Op]] = _ARITHMETIC | {arith.Constant, arith.Select, vector.Step, vector.Broadcast, vector.ShapeCast,
                                            xegpu.CreateNdTdesc}  # fmt: skip


class SharingBuilder(Builder):
    """Appends to blocks, and to nothing else.

    kinds: pure ops of one result that are shared, which are given several values for a field as a tuple; of constants whole numbers
    alone. alone: only what is computed of shared ones.
    """

    __slots__ = ("_alone", "_kinds", "_known", "_shared")

    def __init__(self, block: Block, kinds: Set[type[Op]], *, alone: bool) -> None:
        super().__init__(block)
        self._kinds, self._alone = kinds, alone
        self._shared: set[Value] = set()
        self._known: dict[Any, Value] = {}

    def __call__(self, kind: type[Op], /, *operands: Any, **parts: Any) -> Value:
        """As any builder, where an op is not shared."""
        if kind not in self._kinds or parts.get("value", 0).__class__ is not int:
            return super().__call__(kind, *operands, **parts)
        if self._alone and not self._shared.issuperset(operands):
            return super().__call__(kind, *operands, **parts)
        key = (self.block, kind, operands, *parts.items())
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = super().__call__(kind, *operands, **parts)
            self._shared.add(found)
        return found
