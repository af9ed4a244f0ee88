"""The order of the code where its values do not fit the registers as it is written."""

from __future__ import annotations

from xetile.dialects import xegpu
from xetile.dialects.gpu import GpuModule
from xetile.estimate import saving_orders
from xetile.ir.rewriter import Rewriter
from xetile.target import Target


def order_for_registers(module: GpuModule, target: Target) -> GpuModule:
    """Let ops stand in the order that needs fewest registers, in blocks that need much of the smallest register mode.

    Before and after: xegpu at lane level. IGC orders ops again, from the order that it finds. Blocks with DPAS keep theirs, which is chosen
    for how long each takes, unless the largest register file does not hold it and does hold another: IGC orders nothing across DPAS (f32
    as three products of bf16 on pvc: 2,432 bytes spilled). On devices whose lanes load what products take, IGC orders that itself.
    """
    for block, ops in saving_orders(module.kernel, target).items():
        if ops is not block.ops and (target.block2d is not None or not any(isinstance(op, xegpu.Dpas) for op in ops)):
            Rewriter().set_block(block, list(ops))
    return module
