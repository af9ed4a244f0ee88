"""Choices between words and a number by bytes that are zero or not, as masks of bool are: by assembly on two registers at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from xetile.dialects import arith, vector, xegpu
from xetile.dialects.arith import constant_of
from xetile.dialects.types import F32, I8, I32, VectorType, element_of
from xetile.ir.core import Value

from ..assembly.byte_masks import ByteMaskCall
from ..facts.uses import count_of
from .emitter import Emitter
from .values import Chunk, Fragment, Piece
from .wide import on_whole_registers

AT_ONCE = 8


def chosen_by_bytes(e: Emitter, op: arith.Select) -> Fragment | None:
    """The choice by bytes; None where it is none between words and one number, or nothing that is loaded decides, or not beside products."""
    kind: Any = op.result.type
    element, count = element_of(kind), count_of(kind)
    if element not in (F32, I32) or count % AT_ONCE or e.kernel.crowded or not on_whole_registers(e) or e.diverges(op):
        return None
    found = _bytes_of(op.condition)
    ways = [op.true_value, op.false_value]
    numbers = [constant_of(way) for way in ways]
    at = next((i for i, number in enumerate(numbers) if isinstance(number, (int, float))), None)
    if found is None or at is None or numbers[1 - at] is not None or not e.with_products:
        return None
    bytes, first, zeros = found
    words = ways[1 - at]
    if e.may_be_alike(words) or e.may_be_alike(bytes):
        return None
    bits = int(np.array(numbers[at], np.float32 if element is F32 else np.int32).view(np.uint32))
    call, form = ByteMaskCall(AT_ONCE, bits, zeros ^ (at == 0), element is F32), e.form(element)
    given: Fragment = e[words]
    mask: Fragment = e[bytes]
    made = [
        e.call_assembly(
            call, e.vector(form, AT_ONCE),
            [given.get(e, form, row, AT_ONCE), mask.get(e, e.integer(8), first + row, AT_ONCE)],
        )
        for row in range(0, count, AT_ONCE)
    ]  # fmt: skip
    chunks = [Chunk(e, form, AT_ONCE, x) for x in made]
    return Fragment(element, count, [Piece(chunk, 0, chunk.bits) for chunk in chunks])


def _bytes_of(condition: Value) -> tuple[Value, int, bool] | None:
    """Bytes of a block message that decide, where they begin, and whether what is zero is kept."""
    first = 0
    while isinstance(condition.op, vector.ExtractStridedSlice):
        first += condition.op.offsets[0]
        condition = condition.op.source
    made = condition.op
    if not isinstance(made, arith.CmpI) or made.predicate not in ("ne", "eq") or constant_of(made.rhs) != 0:
        return None
    if not isinstance(made.lhs.type, VectorType) or element_of(made.lhs.type) is not I8:
        return None
    loaded = made.lhs
    while isinstance(loaded.op, vector.ExtractStridedSlice):
        loaded = loaded.op.source
    return (made.lhs, first, made.predicate == "eq") if isinstance(loaded.op, xegpu.LoadNd) else None


__all__ = ["chosen_by_bytes"]
