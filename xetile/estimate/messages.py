"""Products message by message: all that take parts of a long message stand before those that take the next one, which is loaded then."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import inf

from xetile.dialects import gpu, xegpu
from xetile.estimate.orders import pulled
from xetile.estimate.parts import Atom
from xetile.estimate.pressure import LONG, Peak, Walk
from xetile.estimate.storage import Storage, storage_of
from xetile.ir.core import Block, Op, of_kind
from xetile.target import Target

SAVES = LONG / 2
"""Registers that it is to save at least: DPAS that follow each other write the same sums sooner."""


def by_messages(block: Block, storage: Storage, outer: Iterable[Atom] = ()) -> Sequence[Op]:
    """The ops of a block in that order; each sum is added up in the order in which it was."""
    place = {op: i for i, op in enumerate(block.ops)}
    takers = [sorted(_products(op, place, storage)) for op in of_kind(block.ops, xegpu.LoadNd) if _is_long(op, storage)]
    first = {found[0]: found for found in takers if found}
    return pulled(block, storage, [i for op in range(len(place)) for i in (*first.get(op, ()), op)]) if first else block.ops


def orders_by_messages(kernel: gpu.GpuFunc, target: Target) -> dict[Block, Sequence[Op]]:
    """That order of the blocks with products that have no room for one more long message, where it saves registers."""
    storage, capacity = storage_of(kernel, target), (target.most_registers - target.grf_overhead) * target.grf_bytes
    written = _needs(kernel, storage, None)
    found = {}
    for block in storage.with_products:
        if written.get(block, 0) + LONG * storage.grf_bytes > capacity:
            order = by_messages(block, storage)
            if order is not block.ops and _needs(kernel, storage, block)[block] <= written[block] - SAVES * storage.grf_bytes:
                found[block] = order
    return found


def _needs(kernel: gpu.GpuFunc, storage: Storage, block: Block | None) -> dict[Block, float]:
    """Bytes that blocks need as they are written, but one of them message by message."""
    walk = _Walk(storage, block)
    walk.block(kernel.body, frozenset(), 0)
    return walk.needs


class _Walk(Walk):
    def __init__(self, storage: Storage, chosen: Block | None) -> None:
        super().__init__(storage, inf, eager=False)
        self.by_messages = chosen

    def block(self, block: Block, outer: frozenset[Atom], around: float) -> Peak:
        if block is not self.by_messages:
            return super().block(block, outer, around)
        found = self._peak(block, by_messages, outer, around)
        self.needs[block] = around + found.bytes
        return found


def _is_long(op: Op, storage: Storage) -> bool:
    return sum(atom.bytes for atom in storage.makes[op]) >= LONG * storage.grf_bytes


def _products(op: Op, place: dict[Op, int], storage: Storage) -> Iterator[int]:
    """The places of the products of a block that take parts of what a message brings."""
    seen, ahead = {op}, [op]
    while ahead:
        for user in {user for value in ahead.pop().results for user in value.users if user in place}.difference(seen):
            seen.add(user)
            if isinstance(user, xegpu.Dpas):
                yield place[user]
            elif user.pure and not user.regions and set(storage.makes[user]).issubset(storage.needs[user]):
                ahead.append(user)


__all__ = ["by_messages", "orders_by_messages"]
