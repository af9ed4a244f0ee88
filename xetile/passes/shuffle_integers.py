"""Lanes exchange index elements as integers: gpu.shuffle and gpu.subgroup_reduce take none of type index (LLVM 22)."""

from __future__ import annotations

from xetile.dialects import arith, gpu
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import I32, I64, INDEX, ScalarType
from xetile.ir.builder import Builder, create
from xetile.ir.core import Block, Op, Value
from xetile.target import Target


def shuffle_integers(module: GpuModule, target: Target) -> GpuModule:
    """Put a cast to the kernel's index width before each exchange of index elements, and one back after it.

    Before and after: xegpu at lane level.
    """
    wide = I64 if module.kernel.attributes.get("index_bits", 32) == I64.bits else I32
    for block in _blocks(module):
        if any(_exchanges_index(op) for op in block.ops):
            _rewrite(block, wide)
    return module


def _exchanges_index(op: Op) -> bool:
    return isinstance(op, (gpu.Shuffle, gpu.SubgroupReduce)) and op.operands[0].type is INDEX


def _blocks(op: Op) -> list[Block]:
    return [block for inner in op.walk() for block in inner.regions]


def _rewrite(block: Block, wide: ScalarType) -> None:
    ops, block.ops = block.ops, []
    for op in ops:
        if not _exchanges_index(op):
            block.ops.append(op)
            continue
        build = Builder(block, op.loc)
        op.operands[0] = build(arith.IndexCast, op.operands[0], result=wide)
        block.ops.append(op)
        # Whoever used the result goes on with the cast's, which takes its place.
        back = create(arith.IndexCast, op.results[0], loc=op.loc, result=INDEX)
        _take_over(op, back, wide)
        block.append(back)


def _take_over(op: Op, back: Op, wide: ScalarType) -> None:
    """The cast gives the value that the users know; the op gives a new one."""
    known = op.results[0]
    made = Value(wide, op, 0, known.name)
    op.results[0] = made
    back.operands[0] = made
    known.owner, known.index = back, 0
    back.results[0] = known
