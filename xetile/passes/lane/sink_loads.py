"""Loads stand right before their first use, so that a tile larger than the registers passes through them piece by piece."""

from __future__ import annotations

from xetile.dialects import vector, xegpu
from xetile.dialects.gpu import GpuModule
from xetile.ir.core import Block, Op, Value
from xetile.ir.interfaces import passes_reads
from xetile.ir.rewriter import Rewriter
from xetile.target import Target

_LOADS = (xegpu.LoadNd, xegpu.LoadMatrix)


def sink_loads(module: GpuModule, target: Target) -> GpuModule:
    """Move loads down to their first use in the same block; where matrix products are block loads only.

    Before and after: xegpu at lane level. A load passes only ops that neither write memory nor wait.
    """
    for kinds in ((vector.Bitcast,), _LOADS):  # a load's words seen as elements: the load follows its use
        _sink(module.kernel.body, kinds)
    return module


def _sink(block: Block, kinds: tuple[type[Op], ...]) -> None:
    first_use: dict[Value, int] = {}
    barriers: list[int] = []
    for position, op in enumerate(block.ops):
        for inner in op.walk():
            for value in inner.operands:
                first_use.setdefault(value, position)
        for region in op.regions:
            _sink(region, kinds)
        if not passes_reads(op):
            barriers.append(position)
    if kinds is _LOADS and not any(isinstance(op, xegpu.Dpas) for op in block.ops):
        kinds = (*kinds, xegpu.Load)  # among products these come early on purpose: they take long
    _place(block, first_use, barriers, kinds)


def _place(block: Block, first_use: dict[Value, int], barriers: list[int], kinds: tuple[type[Op], ...]) -> None:
    """Rebuild the list of ops with each load before the op at its place."""
    end = len(block.ops)
    before: dict[int, list[Op]] = {}
    moved: set[int] = set()
    for position, op in enumerate(block.ops):
        if isinstance(op, kinds):
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
    Rewriter().set_block(block, ops)
