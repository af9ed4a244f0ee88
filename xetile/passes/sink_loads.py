"""Loads stand right before their first use, so that a tile larger than the registers passes through them piece by piece."""

from __future__ import annotations

from xetile.dialects import gpu, xegpu
from xetile.dialects.gpu import GpuModule
from xetile.ir.core import Block, Op, Value
from xetile.target import Target

_LOADS = (xegpu.LoadNd,)
# What loads may pass: everything else may write memory or wait for others that do.
_READERS = (xegpu.LoadNd, xegpu.Load, xegpu.PrefetchNd, xegpu.Prefetch, xegpu.LoadMatrix, gpu.SubgroupReduce)


def sink_loads(module: GpuModule, target: Target) -> GpuModule:
    """Move block loads down to their first use in the same block.

    Before and after: xegpu at lane level. A load passes only ops that neither write memory nor wait.
    """
    _sink(module.kernel.body)
    return module


def _sink(block: Block) -> None:
    first_use: dict[Value, int] = {}
    barriers: list[int] = []
    for position, op in enumerate(block.ops):
        for inner in op.walk():
            for value in inner.operands:
                first_use.setdefault(value, position)
        for region in op.regions:
            _sink(region)
        if op.regions or not (op.pure or isinstance(op, _READERS)):
            barriers.append(position)
    _place(block, first_use, barriers)


def _place(block: Block, first_use: dict[Value, int], barriers: list[int]) -> None:
    """Rebuild the list of ops with each load before the op at its place."""
    end = len(block.ops)
    before: dict[int, list[Op]] = {}
    moved: set[int] = set()
    for position, op in enumerate(block.ops):
        if isinstance(op, _LOADS):
            limit = next((b for b in barriers if b > position), end)
            place = min(first_use.get(op.results[0], position), limit)
            if place > position + 1:
                before.setdefault(place, []).append(op)
                moved.add(position)
    ops: list[Op] = []
    for position, op in enumerate(block.ops):
        ops += before.get(position, ())
        if position not in moved:
            ops.append(op)
    block.ops = ops
