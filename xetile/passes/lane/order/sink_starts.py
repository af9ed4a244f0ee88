"""Sums that a loop carries are scaled right before the products that add to them."""

from __future__ import annotations

from xetile.dialects import scf, xegpu
from xetile.dialects.gpu import GpuModule
from xetile.estimate import fullness
from xetile.ir.core import UNIT, Elementwise, Op, Value
from xetile.ir.rewriter import Rewriter
from xetile.passes.lane.order.sink_chains import ordered
from xetile.target import Target


def sink_starts(module: GpuModule, target: Target) -> GpuModule:
    """Move what products begin with, where it is computed of carried sums, down to the first of these products.

    Before and after: xegpu at lane level. Scaled all together (`acc * fade`), new sums lie in registers beside the old ones, which
    keep theirs for the products' results; one after the other, they share the registers of one. By assembly: of what products begin with
    IGC's vectorizer (2.40.14) makes vector instructions that stand right behind the last operand in their block, which would be the
    beginning of the loop. Other ops may take the old sums before. Targets without block messages have no assembly for it, and IGC puts what
    it knows in order by itself. Kernels with fast math whose products do not fit the registers as they are written are `crowded`
    (`GpuFunc`).
    """
    if target.block2d is None:
        return module
    blocks = {op.parent for op in module.find(xegpu.Dpas) if op.parent is not None}
    if module.kernel.fast_math:
        full = fullness(module.kernel, target)
        if any(full.get(block, 0) > 1 for block in blocks):
            # IGC's own order is what makes it fit, and it orders nothing across assembly.
            module.kernel.attributes["crowded"] = UNIT
    for block in blocks:
        starts = set(filter(is_start, block.ops))
        if starts:
            Rewriter().set_block(block, ordered(block, starts))
    return module


def is_start(op: Op) -> bool:
    """Whether an op computes of a value that its loop carries what one product of the same block adds to."""
    if not isinstance(op, Elementwise) or len(op.results) != 1 or not op.results[0].has_one_use:
        return False
    (user,) = op.results[0].users
    adds = isinstance(user, xegpu.Dpas) and user.acc is op.results[0] and user.parent is op.parent
    return adds and any(scf.taken_once(value, op.parent) or _ends_there(value, op, user) for value in op.operands)


def _ends_there(value: Value, op: Op, product: Op) -> bool:
    """Whether a loop carries a value into a block, and all else that takes it stands before a product in that block."""
    block = op.parent
    if value.op is not None or block is None or not any(value is each for each in scf.carried_into(block)):
        return False
    others = {user for user in value.users if user is not op}
    return (
        bool(others) and others.isdisjoint(block.ops[block.ops.index(product) :]) and all(user.parent is block for user in others)
    )
