"""Numbers that are computed of the same by the same ops: LLVM sees through the vectors whose elements they are, and computes them once."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from xetile.dialects import arith, vector
from xetile.dialects.types import VectorType
from xetile.ir.core import Value

COMPUTED_ALIKE = (arith.Binary, *arith.INTEGER_CASTS)
"""Ops that make the same number of the same operands."""
DEEPEST = 32
"""Ops behind one another that are looked through."""


class Alike:
    """What tells numbers from others, asked of as many as share ops."""

    def __init__(self) -> None:
        self._known: dict[tuple[Value, int], int] = {}
        self._numbered: dict[Hashable, int] = {}

    def of(self, value: Value | None, at: int = 0, depth: int = 0) -> int:
        """The same for numbers that are computed alike. at: the element of a vector."""
        if value is None:
            return -1
        key = (value, at)
        if key not in self._known:
            made = key if depth > DEEPEST else self._make(value, at, depth + 1)
            self._known[key] = made if isinstance(made, int) else self._numbered.setdefault(made, len(self._numbered))
        return self._known[key]

    def _make(self, value: Value, at: int, depth: int) -> Hashable:
        op: Any = value.op
        if isinstance(op, arith.Constant):
            return value.type if not isinstance(value.type, VectorType) else value.type.element, _element(op.value, at)
        if isinstance(value.type, VectorType) and value.type.rank != 1:
            return value, at
        if isinstance(op, vector.Broadcast):
            return self.of(op.source, 0, depth) if not isinstance(op.source.type, VectorType) else (value, at)
        if isinstance(op, vector.Extract) and op.source.type.rank == 1:
            return self.of(op.source, op.position[0], depth)
        if isinstance(op, vector.ExtractStridedSlice) and op.source.type.rank == 1:
            return self.of(op.source, op.offsets[0] + at, depth)
        if isinstance(op, vector.Insert) and op.dest.type.rank == 1:
            return self.of(op.value, 0, depth) if op.position[0] == at else self.of(op.dest, at, depth)
        if isinstance(op, COMPUTED_ALIKE):
            return (type(op), *[self.of(operand, at, depth) for operand in op.operands])
        return value, at


def _element(value: Any, at: int) -> Hashable:
    found: Hashable = value[at] if isinstance(value, (list, tuple)) else value
    return found
