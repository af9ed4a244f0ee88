"""A loop that runs once around a kernel without loops, whose messages share headers then.

IGC (2.40.14) makes the header of a block message in eight instructions, of each message anew, but for messages of a loop: of these it makes
a header for each array and shape of blocks before the loop, and writes nothing but places in it. On Xe2, whose messages add constants to
places, it writes nothing at all for most of them.
"""

from __future__ import annotations

from collections import Counter

from xetile.dialects import scf, xegpu
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import INDEX
from xetile.estimate import least_bytes
from xetile.ir.builder import Builder
from xetile.ir.core import UNIT, Block
from xetile.ir.rewriter import Rewriter
from xetile.passes.common.numbers import index
from xetile.target import Target

LEAST, LEAST_WITHOUT_OFFSETS = 4, 16
"""The messages, beside the first of each array and shape, from which on it is worth a loop's branch and what stays through it; the second
where messages add no constants to places, so that each place is written.
"""
LEAST_OF_OPS = 1 / 50
"""Their share of all ops: beside much work little is won."""
SHARE = 0.6
"""The part of the registers that values may take in that loop: what is the same in each round LLVM computes before it, and keeps, which is
guessed (k-means: 6 KB spilled where 0.7 were to be taken).
"""
_MESSAGES = (xegpu.LoadNd, xegpu.StoreNd)


def share_headers(module: GpuModule, target: Target) -> GpuModule:
    """Let the body of a kernel without loops run in a loop, once (`scf.ONCE`), where many block messages could share headers.

    Before and after: xegpu at lane level. Not where what such a loop keeps leaves too few registers.
    """
    kernel = module.kernel
    ops = list(kernel.walk())
    least = max(LEAST if target.block_offsets else LEAST_WITHOUT_OFFSETS, LEAST_OF_OPS * len(ops))
    if target.block2d is None or any(op.repeats for op in ops) or _sharing(module) < least:
        return module
    loop = _wrapped(kernel.body)
    modes = [target.grf_capacity(mode.registers) for mode in target.grf_modes]
    if least_bytes(kernel, target) > SHARE * max(modes):
        _unwrap(kernel.body, loop)
    return module


def _sharing(module: GpuModule) -> int:
    """How many messages could have the header of another one."""
    found = Counter((surface, type(op)) for op in module.find(_MESSAGES) if (surface := xegpu.surface_of(op)) is not None)
    return sum(found.values()) - len(found)


def _wrapped(body: Block) -> scf.For:
    """The loop around all ops of a block but its last."""
    *inner, end = body.take()
    build, around = Builder(body), Block([INDEX])
    zero, one = index(build, 0), index(build, 1)
    around.insert(0, inner)
    Builder(around).op(scf.Yield, [])
    loop = build.op(scf.For, zero, one, one, [], regions=[around], values=[], once=UNIT)
    body.append(end)
    return loop


def _unwrap(body: Block, loop: scf.For) -> None:
    """The ops of a block as they were before."""
    *inner, _ = loop.body.take()
    Rewriter().set_block(body, [*inner, body.terminator])


__all__ = ["share_headers"]
