"""Lanes exchange index elements as integers: gpu.shuffle and gpu.subgroup_reduce take none of type index (LLVM 22)."""

from __future__ import annotations

from xetile.dialects import arith, gpu
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import I32, I64, INDEX, ScalarType
from xetile.ir.core import Op
from xetile.ir.rewriter import Rewriter
from xetile.target import Target


def shuffle_integers(module: GpuModule, target: Target) -> GpuModule:
    """Put a cast to the kernel's index width before each exchange of index elements, and one back after it.

    Before and after: xegpu at lane level.
    """
    wide = I64 if module.kernel.index_bits == I64.bits else I32
    for op in [op for op in module.find((gpu.Shuffle, gpu.SubgroupReduce)) if op.operands[0].type is INDEX]:
        _rewrite(op, wide)
    return module


def _rewrite(op: Op, wide: ScalarType) -> None:
    """The same exchange of integers in place of one of index elements."""
    rewrite = Rewriter()
    with rewrite.before(op):
        first = rewrite(arith.IndexCast, op.operands[0], result=wide)
        made, *others = rewrite.clone(op, [first, *op.operands[1:]], [wide, *(r.type for r in op.results[1:])]).results
        made.name = op.results[0].name
        rewrite.replace(op, rewrite(arith.IndexCast, made, result=INDEX), *others)
