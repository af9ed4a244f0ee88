"""Many lines reduced over the lanes at once, one result for each lane.

Lines are halved while lanes are: in each step a lane keeps the half of the lines that its number's bit names and gives the other half
to its neighbour. 16 lines of 16 lanes take 15 combinations instead of 64.
"""

from __future__ import annotations

from xetile.dialects import arith, vector
from xetile.dialects.types import I1, I32, I64, INDEX, VectorType, element_of, shape_of
from xetile.ir.builder import Builder
from xetile.ir.core import Value, type_of
from xetile.passes.common.reductions import combiner, zeros_alike
from xetile.passes.lane.lower.moves import gather_slots
from xetile.passes.lane.lower.swaps import from_neighbour, has_bit


def reduce_lines_to_lanes(build: Builder, kind: str, value: Value, lanes: int) -> Value:
    """`value`: in each lane one element of each of n lines (n a power of two up to the lanes). Lane l gets line l mod n, whole.

    The result has one element.
    """
    combine = combiner(kind, element_of(value.type).is_float)
    lines = shape_of(value.type)[0]
    distance = lines // 2
    while distance:
        low = gather_slots(build, value, list(range(distance)))
        high = gather_slots(build, value, list(range(distance, 2 * distance)))
        upper = _mask(build, has_bit(build, distance), distance)
        mine, other = build(arith.Select, upper, high, low), build(arith.Select, upper, low, high)
        value = build(combine, mine, from_neighbour(build, other, distance, lanes), **zeros_alike(kind))
        distance //= 2
    distance = lines
    while distance < lanes:
        value = _in_halves(build, kind, value, from_neighbour(build, value, distance, lanes))
        distance *= 2
    return value


BITWISE = frozenset({"and", "or", "xor"})


def _in_halves(build: Builder, kind: str, a: Value, b: Value) -> Value:
    """Both combined; bits of 64-bit integers in halves of 32, and of indices as of such, whatever their width.

    IGC 2.40 makes one instruction sequence of such exchanges, and that loses the result of 64-bit `and`, `or` and `xor`.
    """
    type = type_of(a, VectorType)
    combine = combiner(kind, type.element.is_float)
    if kind in BITWISE and type.element is INDEX:
        wide = [build(arith.IndexCast, x, result=type.with_element(I64)) for x in (a, b)]
        return build(arith.IndexCast, _in_halves(build, kind, *wide), result=type)
    if kind not in BITWISE or type.element.bits != 64:
        return build(combine, a, b, **zeros_alike(kind))
    halves = VectorType((*type.shape[:-1], 2 * type.shape[-1]), I32)
    parts = [build(vector.Bitcast, x, result=halves) for x in (a, b)]
    return build(vector.Bitcast, build(combine, *parts), result=type)


def _mask(build: Builder, condition: Value, count: int) -> Value:
    return build(vector.Broadcast, condition, result=VectorType((count,), I1))
