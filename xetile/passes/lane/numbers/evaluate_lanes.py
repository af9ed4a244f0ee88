"""What a known lane has of its number alone: rows and columns of `arange` that other lanes take are constants."""

from __future__ import annotations

from xetile.dialects import arith, gpu, vector
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import I1
from xetile.ir.core import Elementwise, Value
from xetile.ir.rewriter import Rewriter
from xetile.target import Target

_REARRANGE = (vector.Broadcast, vector.Extract, vector.Insert, vector.ExtractStridedSlice, vector.Shuffle)


def evaluate_lanes(module: GpuModule, target: Target) -> GpuModule:
    """Compute what a lane of known number gives to others, where it follows from the lane's number, in place of fetching it.

    Before and after: xegpu at lane level. What is computed are ops on constants, which fold. IGC does not know what a shuffle brings, so
    shifts, comparisons and choices by such numbers would take an instruction each, and the numbers registers through loops.
    """
    shuffles = [op for op in module.find((gpu.Shuffle,)) if isinstance(op, gpu.Shuffle) and op.mode == "idx"]
    known: dict[Value, bool] = {}
    # A constant that comes from a lane lies in one register for all products; IGC makes one that it knows anew for each of them.
    numbered = (op for op in shuffles if isinstance(arith.constant_of(op.offset), int) and arith.constant_of(op.value) is None)
    found = [op for op in numbered if _follows(op.value, known)]
    if not found:
        return module
    rewrite = Rewriter()
    made: dict[tuple[Value, int], Value] = {}
    with rewrite.before(module.kernel.body.ops[0]):
        valid = rewrite(arith.Constant, value=True, result=I1)
        for op in found:
            lane = arith.constant_of(op.offset)
            if 0 <= lane < target.subgroup_size:
                rewrite.replace(op, _in_lane(op.value, lane, made, rewrite), valid)
    return module


def _follows(value: Value, known: dict[Value, bool]) -> bool:
    """Whether a value follows from the number of its lane."""
    if value not in known:
        op = value.op
        if isinstance(op, (gpu.LaneId, arith.Constant)):
            known[value] = True
        elif isinstance(op, (Elementwise, *_REARRANGE)):
            known[value] = op.pure and all(_follows(operand, known) for operand in op.operands)
        else:
            known[value] = False
    return known[value]


def _in_lane(value: Value, lane: int, made: dict[tuple[Value, int], Value], rewrite: Rewriter) -> Value:
    """The value as that lane has it."""
    op = value.op
    assert op is not None  # an argument follows from no lane's number
    key = (value, 0 if isinstance(op, arith.Constant) else lane)
    if key not in made:
        if isinstance(op, gpu.LaneId):
            made[key] = rewrite(arith.Constant, value=lane, result=value.type)
        else:
            made[key] = rewrite.clone(op, [_in_lane(operand, lane, made, rewrite) for operand in op.operands]).results[0]
    return made[key]


__all__ = ["evaluate_lanes"]
