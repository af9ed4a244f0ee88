"""Blocked xetile to xegpu at subgroup level: `lowering` and the files beside it say what becomes of each op."""

from __future__ import annotations

from xetile.dialects.gpu import GpuModule
from xetile.ir.dispatch import Table
from xetile.passes.block import bitcasts, chunks, lowering, scattered, slices
from xetile.passes.block.lowering import Lowering
from xetile.target import Target

LOWER = Table(lowering.LOWER, bitcasts.LOWER, chunks.LOWER, scattered.LOWER, slices.LOWER)


def lower_xetile_to_xegpu(module: GpuModule, target: Target) -> GpuModule:
    """Replace tiles and blocked values by descriptors, messages and vectors of one block.

    Before: blocked xetile. After: xegpu at subgroup level; each vector op says in `layout_result_0` how lanes hold its result.
    """
    result = Lowering(LOWER, module, target).convert_function(module, {"level": "xegpu"})
    assert isinstance(result, GpuModule)
    return result
