"""Subgroup-level xetile to blocks of hardware size: `blocking` and the files beside it say what becomes of each op."""

from __future__ import annotations

from xetile.dialects.gpu import GpuModule
from xetile.ir.dispatch import Table
from xetile.passes.analysis.lane_runs import lane_runs_fit
from xetile.passes.block import bitcasts, blocking, chunks, loaded_rows, scattered, slices
from xetile.passes.block.blocking import Blocking
from xetile.target import Target

BLOCK = Table(blocking.BLOCK, bitcasts.BLOCK, chunks.BLOCK, loaded_rows.BLOCK, scattered.BLOCK, slices.BLOCK)


def block_to_hardware(module: GpuModule, target: Target) -> GpuModule:
    """Split values into blocks of one hardware instruction.

    Before: subgroup-level xetile on 2-D values. After: all values are 4-D; every tile_mma has blocks that DPAS of the target
    takes, or is left to fused multiply-adds where it has none for these dtypes.
    """
    attributes = {"level": "blocked", "lane_runs": lane_runs_fit(module, target) or None}
    module.kernel.attributes.update({name: value for name, value in attributes.items() if value is not None})
    result = Blocking(BLOCK, module, target).convert_function(module)
    return result
