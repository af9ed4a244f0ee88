"""The order of the code where its values do not fit the registers as it is written."""

from __future__ import annotations

from xetile.dialects import scf, xegpu
from xetile.dialects.gpu import GpuModule
from xetile.estimate import saving_orders
from xetile.estimate.messages import orders_by_messages
from xetile.estimate.registers import ordered_bytes
from xetile.ir.core import UNIT
from xetile.ir.rewriter import Rewriter
from xetile.target import Target

FULL = 0.9
"""The share of the registers from which on products get what they take in another order than it is written in."""


def order_for_registers(module: GpuModule, target: Target) -> GpuModule:
    """Let ops stand in the order that needs fewest registers, in blocks that need much of the smallest register mode.

    Before and after: xegpu at lane level. IGC orders ops again, from the order that it finds. Blocks with DPAS keep theirs, which is chosen
    for how long each takes, unless the largest register file does not hold it, what IGC makes of it takes almost all registers, and another
    order fits: IGC orders nothing across DPAS (f32 as three products of bf16 on pvc: 2,432 bytes spilled). Their loops are `scf.ORDERED`.
    Where one more long message finds no room, all products that take parts of one stand before those of the next.
    """
    if target.block2d is not None:
        for block, ops in orders_by_messages(module.kernel, target).items():
            Rewriter().set_block(block, list(ops))
    saving = {block: ops for block, ops in saving_orders(module.kernel, target).items() if ops is not block.ops}
    products = {block for block, ops in saving.items() if any(isinstance(op, xegpu.Dpas) for op in ops)}
    reordered = saving.keys() - products if products and not is_full(module, target) else saving.keys()
    for block, ops in saving.items():
        if block in reordered:
            Rewriter().set_block(block, list(ops))
            if block in products and isinstance(block.parent, scf.For):
                block.parent.attributes[scf.ORDERED] = UNIT
    return module


def is_full(module: GpuModule, target: Target) -> bool:
    """Whether IGC takes almost all registers. On devices whose lanes load what products take, it orders that itself."""
    largest = target.most_registers
    return target.block2d is not None and ordered_bytes(module.kernel, target, largest) > FULL * target.grf_capacity(largest)
