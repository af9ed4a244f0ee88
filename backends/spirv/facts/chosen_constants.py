"""Values that a compiler may find to be constants once it knows a choice: in some branch, in some iterations, at places outside of arrays."""

from __future__ import annotations

from xetile.dialects import arith, gpu, vector
from xetile.ir.core import Elementwise, Value


def chosen_as_constant(value: Value) -> bool:
    """Whether some choice that a compiler may know leaves a constant in elements of a value: it, or what is computed of such alone."""
    ahead, seen = [value], {value}
    while ahead:
        op = ahead.pop().op
        if isinstance(op, arith.Select):
            constant = any(isinstance(way.op, arith.Constant) for way in (op.true_value, op.false_value))
            if constant and _is_foreseen(op.condition):
                return True
            behind = [op.true_value, op.false_value]
        elif isinstance(op, (vector.Insert, vector.InsertStridedSlice)):
            behind = [op.value, op.dest]
        elif isinstance(op, (vector.Broadcast, vector.Extract, vector.ExtractStridedSlice)):
            behind = [op.source]
        elif isinstance(op, Elementwise):
            behind = [v for v in op.operands if not isinstance(v.op, arith.Constant)]
            behind = behind if len(behind) == 1 else []
        else:
            continue
        ahead += [v for v in behind if v not in seen]
        seen.update(behind)
    return False


def _is_foreseen(condition: Value) -> bool:
    """Whether nothing that is loaded, nor what lanes exchange, is part of a condition."""
    ahead, seen = [condition], {condition}
    while ahead:
        op = ahead.pop().op
        if op is None:  # of the kernel, or of a loop
            continue
        if not op.pure or isinstance(op, (gpu.Shuffle, gpu.SubgroupReduce)):
            return False
        ahead += [v for v in op.operands if v not in seen]
        seen.update(op.operands)
    return True
