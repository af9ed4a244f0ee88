"""Vectors of which several elements may be one number, as branches give them.

IGC's vectorizer (2.40.14, PVC and Xe2) makes vectors of what stores and products take, back through phis. Where the numbers that a phi is
given are all one, it takes the first vector that it has made of that number, of whatever length: of six rows in a message of four and one
of two the second phi then has two registers, to which four are written.
"""

from __future__ import annotations

from collections.abc import Sequence

from xetile.dialects import arith, gpu, vector, xegpu
from xetile.dialects.types import I1, VectorType, element_of
from xetile.ir.core import Elementwise, Value
from xetile.ir.reach import evaluate

from .uses import moves

_REPEATING = (vector.Broadcast, xegpu.Load, gpu.Shuffle)
"""What may give one number to several elements: rows that are gathered may be the same."""
_LOADED = (xegpu.LoadNd, xegpu.LoadMatrix, xegpu.Dpas)
_SEEN = (arith.Bitcast, vector.Bitcast)


def may_repeat(value: Value) -> bool:
    """Whether several elements of a vector may be one number, by what it is computed of. Constants count as different: phis take vectors
    of them as they are.
    """
    known: dict[Value, bool] = {}

    def find(value: Value) -> bool:
        if isinstance(value.op, _REPEATING):
            return True
        parts = _parts_of(value)
        return bool(parts) and (all if isinstance(value.op, Elementwise) else any)(known[v] for v in parts)

    return evaluate(value, known, _parts_of, find)


def _parts_of(value: Value) -> Sequence[Value]:
    """The vectors that a value is computed of or put together of, but for constants; none where it is made in another way."""
    op = value.op
    if op is None or isinstance(op, _REPEATING) or not (isinstance(op, (*_SEEN, Elementwise)) or moves(op)):
        return ()
    return [v for v in op.operands if isinstance(v.type, VectorType) and not isinstance(v.op, arith.Constant)]


def may_be_reduced_to_one(value: Value, known: dict[Value, tuple[bool, bool]]) -> bool:
    """Whether a value may be one number in all lanes because lanes exchange numbers to reduce them, all of them the same.
    known: of values whether they may be one number, and whether lanes have reduced them.

    By exchanges with each other lane IGC sees a reduction of the whole subgroup, also where each lane gives away half of what it has: where
    the halves are one number.
    """
    ahead = [value]
    while ahead:
        asked = ahead[-1]
        op = asked.op
        reduces = (isinstance(op, gpu.SubgroupReduce) and op.cluster_size is not None) or (
            isinstance(op, gpu.Shuffle) and op.mode == "xor"
        )
        if asked in known:
            pass
        elif op is None or (isinstance(op, (arith.Constant, *_REPEATING)) and not reduces):
            known[asked] = True, False
        elif not (reduces or isinstance(op, (*_SEEN, Elementwise)) or moves(op)):
            known[asked] = op.pure and not isinstance(op, _LOADED), False
        elif open_ := [v for v in op.operands if v not in known]:
            ahead += open_
            continue
        else:
            ones, reduced = zip(*(known[v] for v in op.operands), strict=True)
            known[asked] = all(ones), reduces or any(reduced)
        ahead.pop()
    return all(known[value])


def is_sum(value: Value) -> bool:
    """Whether a value is what a matrix instruction gives: all of its vectors are as long, and IGC gives what adds up one register; numbers
    told apart on another way to the same phi then got that of another phi.
    """
    while value.op is not None and moves(value.op):
        value = value.op.operands[0]
    return isinstance(value.op, xegpu.Dpas)


def repeats(value: Value, count: int) -> bool:
    """Whether a value that goes through control flow is such a vector."""
    return count > 1 and element_of(value.type) is not I1 and may_repeat(value)
