"""How many loads of a loop have message headers of their own.

Where messages take no constants that are added to coordinates, IGC (2.40.14) keeps one header for the loads of one array in blocks of one
shape. For each of them but the first it copies that header, changes the copy, and waits until the message has read it: five to eight
instructions in each iteration. A header that stays takes a register and one or two moves.

IGC moves a message ahead of the products that are computed before it only with a header that it copies, so those with their own are
written so.
"""

from __future__ import annotations

from xetile.dialects import scf, xegpu, xetile
from xetile.dialects.gpu import Barrier, GpuFunc, GpuModule
from xetile.dialects.types import F32, element_of
from xetile.estimate import fullness
from xetile.estimate.pressure import LATENCY_SHARE, eagerly, one_ahead
from xetile.estimate.registers import fullest
from xetile.estimate.storage import storage_of
from xetile.ir.core import Block, Op
from xetile.ir.rewriter import Rewriter
from xetile.target import Target

SHARE = 1 / 3
"""The part of the registers left that headers take: IGC may need as many more than are counted."""
LEAST = 8
"""The registers left from which on headers take any: as many as a message brings, which IGC has on the way besides."""
FULL = 0.9
"""The share of the registers that values take at most where messages are ahead."""
SPARE = 0.15
"""The share of the registers that IGC leaves, at least, in kernels where they are: it fills them by its own order of other loops."""


def keep_headers(module: GpuModule, target: Target) -> GpuModule:
    """Set `scf.HEADERS` of innermost loops with matrix products: others go around a few times only, and headers are made before them.

    Before and after: xegpu at lane level, with the register mode. A descriptor that is made in the loop has a header made there too.
    Loads of these loops stand where the load before them stood, where that leaves registers. Where it does not, and IGC has registers to move
    some of them ahead by itself, loops stay as they are; so they do where `part_headers` has found registers for more of them.
    """
    kernel = module.kernel
    if target.block2d is None or target.block_offsets:
        return module
    for loop in [op for op in kernel.walk() if op.repeats]:
        further = _further_loads(loop)
        if not further:
            continue
        block = loop.regions[-1]
        order, left = tuple(block.ops), _registers_left(kernel, target)
        if left >= SPARE * kernel.attributes["grf"] and _move_ahead(block, kernel, target):
            left = _registers_left(kernel, target)
        elif fullness(kernel, target)[block] <= LATENCY_SHARE:
            continue
        own = min(round(left * SHARE), further) if left >= LEAST else 0
        parted = [op for region in loop.regions for op in region.walk() if xegpu.HEADER in op.attributes]
        if own > 0 and own >= len(parted):
            loop.attributes[scf.HEADERS] = own
            for op in parted:
                del op.attributes[xegpu.HEADER]
        else:
            Rewriter().set_block(block, order)
    return module


def _further_loads(loop: Op) -> int:
    """How many loads share a surface with others in the loop; 0 for loops that are none of these."""
    inside = [op for region in loop.regions for op in region.walk()]
    if any(op.repeats or _looks_up_wide(op) for op in inside) or not any(isinstance(op, xegpu.Dpas) for op in inside):
        return 0
    return sum(1 for _ in xegpu.further_loads(loop))


def _looks_up_wide(op: Op) -> bool:
    """Whether an op takes f32 of a table: IGC gives the numbers on their way to an operand more registers than are counted."""
    return isinstance(op, xetile.LookUp) and element_of(op.result.type) is F32


def _move_ahead(block: Block, kernel: GpuFunc, target: Target) -> bool:
    """Let all loads of a block stand first, or each where the load before it stood; False where none moves, or registers do not hold that.

    Beside barriers they stay where they are: all subgroups wait for the slowest.
    """
    if any(isinstance(op, Barrier) for op in block.ops):
        return False
    before, rewrite, storage = tuple(block.ops), Rewriter(), storage_of(kernel, target)
    for after in [tuple(order(block, storage)) for order in (eagerly, one_ahead)]:
        rewrite.set_block(block, after)
        if fullness(kernel, target)[block] <= FULL:
            return after != before
    rewrite.set_block(block, before)
    return False


def _registers_left(kernel: GpuFunc, target: Target) -> float:
    """What IGC leaves of the register mode, as it orders the code."""
    registers: int = kernel.attributes["grf"]
    taken, *_ = fullest(kernel, target, registers)
    return registers - target.grf_overhead - taken / target.grf_bytes
