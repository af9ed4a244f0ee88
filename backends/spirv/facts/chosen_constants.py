"""Values that a compiler may find to be constants once it knows a choice: in some branch, in some iterations, at places outside of arrays."""

from __future__ import annotations

from collections.abc import Sequence

from xetile.dialects import arith, gpu, vector
from xetile.ir.core import Elementwise, Value
from xetile.ir.reach import reached


def chosen_as_constant(value: Value) -> bool:
    """Whether some choice that a compiler may know leaves a constant in elements of a value: it, or what is computed of such alone."""
    choices = (v.op for v in reached([value], _computed_of) if isinstance(v.op, arith.Select))
    constant = (op for op in choices if any(isinstance(way.op, arith.Constant) for way in (op.true_value, op.false_value)))
    return any(_is_foreseen(op.condition) for op in constant)


def _computed_of(value: Value) -> Sequence[Value]:
    """What elements of a value are chosen from, placed from, or computed of alone."""
    match value.op:
        case arith.Select(true_value=one, false_value=other):
            return one, other
        case vector.Insert(value=part, dest=whole) | vector.InsertStridedSlice(value=part, dest=whole):
            return part, whole
        case vector.Broadcast(source=source) | vector.Extract(source=source) | vector.ExtractStridedSlice(source=source):
            return (source,)
        case Elementwise() as op:
            unknown = [v for v in op.operands if not isinstance(v.op, arith.Constant)]
            return unknown if len(unknown) == 1 else ()
    return ()


def _is_foreseen(condition: Value) -> bool:
    """Whether nothing that is loaded, nor what lanes exchange, is part of a condition."""
    parts = reached([condition], lambda v: () if v.op is None else v.op.operands)
    made = (v.op for v in parts if v.op is not None)  # others are of the kernel, or of a loop
    return all(op.pure and not isinstance(op, (gpu.Shuffle, gpu.SubgroupReduce)) for op in made)
