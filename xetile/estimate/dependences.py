"""Which ops of a block must stand before which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xetile.dialects import xegpu
from xetile.ir.core import Op, Value
from xetile.ir.interfaces import passes_reads


def dependences(ops: Sequence[Op], products: bool = False) -> tuple[list[set[int]], list[int]]:
    """For each op those that must stand before it, and how many wait for it; `products`: these stay in their order."""
    maker = {value: i for i, op in enumerate(ops) for value in op.results}
    before: list[set[int]] = []
    effects: list[int] = []  # the last op with an effect, then the reads since
    product = -1
    for i, op in enumerate(ops):
        found = {maker[v] for v in (_used(op) if op.regions else op.operands) if v in maker}
        if passes_reads(op) and not op.pure:
            found.update(effects[:1])
            effects.append(i) if effects else effects.extend((-1, i))
        elif op.regions or not op.pure:
            found.update(effects)
            effects = [i]
        if products and isinstance(op, xegpu.Dpas):
            found.add(product)
            product = i
        found.discard(i)
        found.discard(-1)
        before.append(found)
    if ops:  # an absent else is an empty block
        before[-1] = set(range(len(ops) - 1))  # all stand before the terminator
    waiting = [0] * len(ops)
    for found in before:
        for i in found:
            waiting[i] += 1
    return before, waiting


def _used(op: Op) -> Iterator[Value]:
    for inner in op.walk():
        yield from inner.operands
