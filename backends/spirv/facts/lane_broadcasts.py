"""Vector elements that all lanes read from one known lane (`gpu.shuffle idx`), as a column does that is repeated along its rows."""

from __future__ import annotations

from xetile.dialects import arith, gpu, vector
from xetile.dialects.arith import constant_of
from xetile.dialects.types import I32, INDEX, VectorType, element_of
from xetile.ir.core import Value


def lane_of(value: Value, at: int) -> tuple[Value, int] | None:
    """(a scalar, a lane): the element `at` of a vector is what that lane holds of the scalar; None where it is nothing such."""
    op = value.op
    while not isinstance(op, vector.Broadcast):
        if isinstance(op, vector.ExtractStridedSlice) and op.source.type.rank == 1:
            at, value = at + op.offsets[0], op.source
        elif isinstance(op, vector.Insert) and op.dest.type.rank == 1 and not isinstance(op.value.type, VectorType):
            if op.position[0] == at:
                return shuffled(op.value)
            value = op.dest
        else:
            return None
        op = value.op
    return shuffled(op.source)


def shuffled(value: Value) -> tuple[Value, int] | None:
    """(a scalar, a lane) where all lanes read a value from that lane, which is known; casts between index and i32 change nothing."""
    while isinstance(value.op, arith.INDEX_CASTS) and element_of(value.op.operands[0].type) in (I32, INDEX):
        value = value.op.operands[0]
    op = value.op
    lane = constant_of(op.offset) if isinstance(op, gpu.Shuffle) and op.mode == "idx" and value is op.results[0] else None
    return (op.value, lane) if isinstance(op, gpu.Shuffle) and isinstance(lane, int) else None


def spread_of(value: Value, start: int, count: int) -> tuple[Value, int] | None:
    """(a scalar, the first lane) where `count` elements from `start` on are what consecutive lanes hold of it."""
    found: tuple[Value, int] | None = None
    left = set(range(count))
    while left:  # from what is put into the vector last
        op = value.op
        if isinstance(op, vector.Insert) and op.dest.type.rank == 1 and not isinstance(op.value.type, VectorType):
            made, value, filled = op.value, op.dest, left & {op.position[0] - start}
        elif isinstance(op, vector.ExtractStridedSlice) and op.source.type.rank == 1:
            value, start = op.source, start + op.offsets[0]
            continue
        elif isinstance(op, vector.Broadcast):
            made, filled = op.source, set(left)
        else:
            return None
        for i in filled:
            lane = shuffled(made)
            if lane is None or found not in (None, (lane[0], lane[1] - i)):
                return None
            found = lane[0], lane[1] - i
        left -= filled
    return found
