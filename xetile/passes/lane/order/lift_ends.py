"""Multiples of products are added to what a loop carries right behind the products.

`acc += (a @ b) * s` holds a product beside the sums. Some rows at a time, it takes the registers of these rows alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xetile.dialects import xegpu
from xetile.dialects.gpu import GpuModule
from xetile.ir.core import Block, Op
from xetile.ir.interfaces import passes_reads
from xetile.ir.reach import reached
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.products import passes_by
from xetile.target import Target


def lift_ends(module: GpuModule, target: Target) -> GpuModule:
    """Move what adds a product to a value that its loop carries up to the product, so that the product's registers are free again.

    Before and after: xegpu at lane level.
    """
    if target.block2d is None:
        return module
    for block in {op.parent for op in module.find(xegpu.Dpas)}:
        assert block is not None
        ends: dict[Op, Op] = {op: next(iter(op.result.users)) for op in block.ops if isinstance(op, xegpu.Dpas) and passes_by(op)}
        if ends:
            Rewriter().set_block(block, _ordered(block, ends))
    return module


def _ordered(block: Block, ends: Mapping[Op, Op]) -> Sequence[Op]:
    """What else an end takes comes before the first product; each end right behind its product. As it was where that reads what is
    written.
    """

    def needed_by(op: Op) -> Iterator[Op]:
        return (made for v in op.operands if (made := v.op) is not None and made.parent is block and made not in ends)

    needed = set(reached((made for end in ends.values() for made in needed_by(end)), needed_by))
    early = [op for op in block.ops if op in needed]
    if not all(op.pure for op in early) and not all(passes_reads(op) or op.terminator for op in block.ops):
        return block.ops
    late, ops = set(ends.values()), list(early)
    for op in block.ops:
        if op not in needed and op not in late:
            ops.append(op)
        if op in ends:
            ops.append(ends[op])
    return ops
