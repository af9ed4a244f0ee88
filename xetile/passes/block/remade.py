"""Blocks in another layout without an exchange between lanes: made again of what lanes hold in any layout alike.

A block of constants, of one number, or of a repeated row or column costs nothing in another layout, or the exchange of that line; so do
arithmetic ops of such blocks, where an exchange of their result would take several instructions for each element.
"""

from __future__ import annotations

from typing import Any

from xetile.dialects import arith, math, vector
from xetile.dialects.types import VectorType
from xetile.dialects.vector import LAYOUT
from xetile.ir.builder import Builder
from xetile.ir.core import Elementwise, Value
from xetile.layout import Layout

MOST = 8
"""Ops made again in place of one exchange: as many instructions as that takes for each register (8 lanes of DG2)."""


def is_remade(value: Value) -> bool:
    """Whether a block can be made in any layout."""
    return _ops_of(value, MOST) is not None


def _ops_of(value: Value, most: int) -> int | None:
    """How many arithmetic ops a block is made of; None where these are more than allowed, or it comes from elsewhere."""
    op = value.op
    if isinstance(op, arith.Constant):
        return None if isinstance(op.value, tuple) else 0
    if isinstance(op, vector.Broadcast):
        return 0
    if not most or not isinstance(op, Elementwise) or not op.pure or isinstance(op, _LONG):
        return None
    count = 1
    for operand in op.operands:
        if isinstance(operand.type, VectorType):
            found = _ops_of(operand, most - count)
            if found is None:
                return None
            count += found
    return count


_LONG = (arith.DivF, arith.DivSI, arith.DivUI, arith.RemSI, arith.RemUI, math.Function, math.Rounding, math.PowF)
"""What takes the hardware longer than an exchange."""


class Remade:
    """Blocks that were made again, each once in a block of ops."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, Value, Layout], Value] = {}

    def get(self, build: Builder, value: Value, layout: Layout) -> Value:
        """A block for which `is_remade`, in a layout."""
        key = (build.block, value, layout)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._made(build, value, layout)
        return found

    def _made(self, build: Builder, value: Value, layout: Layout) -> Value:
        op = value.op
        assert op is not None
        operands = [
            self.get(build, v, layout) if isinstance(op, Elementwise) and isinstance(v.type, VectorType) else v
            for v in op.operands
        ]
        return build.clone(op, operands, [value.type], {**op.attributes, LAYOUT: layout}).results[0]
