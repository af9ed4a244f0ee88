"""How much memory the values of one program take at a time: what the grid is cut into chunks by."""

from __future__ import annotations

from math import prod

from xetile.dialects import gpu
from xetile.dialects.types import MemRefType, ScalarType, VectorType
from xetile.ir.core import Block, Op, Type, Value


def bytes_per_program(func: gpu.GpuFunc) -> int:
    """The most that is alive at once, counted as if nothing were factored, with room for each op's temporary."""
    lanes = 1
    kinds = {type(op) for op in func.walk()}
    if gpu.SubgroupId in kinds or gpu.LaneId in kinds:
        lanes *= func.num_subgroups or 1
    if gpu.LaneId in kinds:
        lanes *= func.subgroup_size or 1
    return _peak(func.body) * lanes + sum(_size(op.result.type) for op in func.walk() if isinstance(op, gpu.Alloca))


def _peak(block: Block) -> int:
    last: dict[Value, Op] = {}
    for op in block.ops:
        for inner in op.walk():
            last.update(dict.fromkeys(inner.operands, op))
    alive, peak = sum(_size(a.type) for a in block.args), 0
    for op in block.ops:
        made = sum(_size(r.type) for r in op.results)
        temporary = max((_peak(inner) for inner in op.regions), default=made)
        alive += made
        peak = max(peak, alive + temporary)
        ended = {v for v in (*op.operands, *op.results) if last.get(v, op) is op and _local(v, block)}
        alive -= sum(_size(v.type) for v in ended)
    return peak


def _local(value: Value, block: Block) -> bool:
    owner = value.owner
    return owner is block or (isinstance(owner, Op) and owner.parent is block)


def _size(type: Type) -> int:
    if isinstance(type, VectorType):
        return type.count * max(1, type.element.bits // 8)
    if isinstance(type, MemRefType) and type.space:
        return prod(n or 1 for n in type.shape) * max(1, type.element.bits // 8)
    return 8 if isinstance(type, ScalarType) else 0
