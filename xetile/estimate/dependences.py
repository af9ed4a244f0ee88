"""Which ops of a block must stand before which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

from xetile.dialects import xegpu
from xetile.ir.core import Op, Value
from xetile.ir.interfaces import passes_reads


def dependences(ops: Sequence[Op], products: bool = False) -> tuple[list[set[int]], list[int]]:
    """For each op those that must stand before it, and how many wait for it besides the terminator, for which all wait.

    `products`: these stay in their order.
    """
    maker = {value: i for i, op in enumerate(ops) for value in op.results}
    before: list[set[int]] = []
    effects: list[int] = []  # the last op with an effect, -1 where there is none, then the reads since
    product = -1
    for i, op in enumerate(ops):
        found = {maker[v] for v in (_used(op) if op.regions else op.operands) if v in maker}
        if op.regions or not op.pure:
            if passes_reads(op) and not op.pure:
                found.update(effects[:1])
                effects.append(i) if effects else effects.extend((-1, i))
            else:
                found.update(effects)
                effects = [i]
            found.discard(-1)
        if products and isinstance(op, xegpu.Dpas):
            if product >= 0:
                found.add(product)
            product = i
        before.append(found)
    waiting = Counter(chain.from_iterable(before[:-1]))
    if ops:  # an absent else is an empty block
        before[-1] = set(range(len(ops) - 1))  # all stand before the terminator
    return before, [waiting.get(i, 0) for i in range(len(ops))]


def _used(op: Op) -> Iterator[Value]:
    for inner in op.walk():
        yield from inner.operands
