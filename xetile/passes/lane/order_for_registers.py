"""The order of the code where its values do not fit the registers as it is written."""

from __future__ import annotations

from xetile.dialects import xegpu
from xetile.dialects.gpu import GpuModule
from xetile.estimate import saving_orders
from xetile.ir.rewriter import Rewriter
from xetile.target import Target


def order_for_registers(module: GpuModule, target: Target) -> GpuModule:
    """Let ops stand in the order that needs fewest registers, in blocks that need much of the smallest register mode.

    Before and after: xegpu at lane level. IGC orders ops again, from the order that it finds; blocks with DPAS
    keep theirs, which is chosen for how long each takes.
    """
    for block, ops in saving_orders(module.kernel, target).items():
        if ops is not block.ops and not any(isinstance(op, xegpu.Dpas) for op in ops):
            Rewriter().set_block(block, list(ops))
    return module
