"""Exchanges through shared memory that the language wrote, and that a pass has made needless."""

from __future__ import annotations

from xetile.dialects import gpu, xetile
from xetile.dialects.gpu import GpuModule
from xetile.ir.core import Op
from xetile.ir.rewriter import Rewriter
from xetile.passes.common.unused import erase_unused


def drop_exchanges(module: GpuModule, rewrite: Rewriter) -> None:
    """Remove shared memory that nothing reads any more, and the barriers of these exchanges where nothing else is shared."""
    barriers = set[Op]()
    shared = module.find(gpu.Alloca)
    for memory in reversed(shared):  # what one exchange takes may come from one before
        erase_unused([value for tile in memory.result.users for load in tile.results[0].users for value in load.results], rewrite)
        stores = [store for tile in memory.result.users for store in tile.results[0].users]
        if not all(isinstance(store, xetile.StoreTile) for store in stores):
            continue
        barriers.update(barrier for store in stores for barrier in _around(store))
        for store in stores:
            rewrite.erase(store)
        erase_unused([memory.result, *(tile.results[0] for tile in memory.result.users)], rewrite)
    if not module.has(gpu.Alloca):
        for barrier in barriers:
            rewrite.erase(barrier)


def _around(store: Op) -> list[Op]:
    """The barriers of the exchange that a store is part of: the two next ones, of the same expression of the source."""
    assert store.parent is not None
    ops = store.parent.ops
    barriers = [op for op in ops[ops.index(store) :] if isinstance(op, gpu.Barrier)]
    return [barrier for barrier in barriers[:2] if barrier.loc == store.loc]
