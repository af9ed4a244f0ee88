"""Orders of a block's ops that the estimate tries: as they stand, for fewest registers, and as IGC schedules for speed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from xetile.dialects import xegpu
from xetile.estimate.asking import Asking, next_of
from xetile.estimate.balance import making, relieved
from xetile.estimate.storage import Atom, Storage
from xetile.ir.core import Block, Op
from xetile.records import dataclass

Order = Callable[[Block, Storage, Iterable[Atom]], Sequence[Op]]

# May change places with each other; everything else that is not pure keeps its place.
_LOADS = (xegpu.LoadNd, xegpu.Load)


def cheapest(block: Block, storage: Storage, outer: Iterable[Atom] = ()) -> Sequence[Op]:
    """As `schedule`, but where no op frees as much as it asks for, the one is taken that asks for least.

    Where all loads must stand before the first store, following a store to its load would keep all that is loaded.
    """
    return schedule(block, storage, outer, least=True)


def balanced(block: Block, storage: Storage, outer: Iterable[Atom] = ()) -> Sequence[Op]:
    """As `schedule`, but of the operands of an op the one whose making needs most comes first, and what frees registers stands early.

    Each term of a long sum is made right before it is added: the sum so far needs more than any term.
    """
    order = schedule(block, storage, outer, balance=True)
    return relieved(block.ops, storage, storage.dependences(block)[0], order, set(outer)) if order is not block.ops else order


def products_early(block: Block, storage: Storage, outer: Iterable[Atom] = ()) -> Sequence[Op]:
    """The ops of a block as they stand, but with products, and what frees registers, as early as their operands are there."""
    return relieved(block.ops, storage, storage.dependences(block)[0], block.ops, set(outer), products=True)


def in_sequence(block: Block, storage: Storage, outer: Iterable[Atom] = ()) -> Sequence[Op]:
    """As `schedule`, with matrix products in the order in which they stand."""
    return schedule(block, storage, outer, products=True)


def chain_by_chain(block: Block, storage: Storage, outer: Iterable[Atom] = ()) -> Sequence[Op]:
    """As `in_sequence`, but what is worked out for a product stands between it and the product before, not in front of several."""
    return schedule(block, storage, outer, products=True, chains=True)


def schedule(block: Block, storage: Storage, outer: Iterable[Atom] = (), *, least: bool = False,
             products: bool = False, balance: bool = False, chains: bool = False) -> Sequence[Op]:  # fmt: skip
    """The ops of a block in an order that saves registers, from the last to the first.

    Taken next is, of the ops whose users stand already, one that frees at least as much as it asks for, else the one that became
    free most recently: chains are followed to their loads before the next chain begins.  Effects keep their order.
    """
    ops = block.ops
    if len(ops) < 3:
        return ops
    before, counts = storage.dependences(block, products)
    need = making(ops, storage, before) if balance else None
    waiting = list(counts)
    ready = [i for i, users in enumerate(counts[:-1]) if not users]
    order = [ops[-1]]
    asked = Asking(block, storage, set(outer) | set(storage.atoms(ops[-1].operands)))
    while ready:
        take = next_of(ready, asked, least)
        order.append(ops[take])
        asked.place(take)
        found: Iterable[int] = before[take]
        if need:
            found = sorted(found, key=need.__getitem__, reverse=True)
        elif chains:  # what is found last is followed first
            found = sorted(found, key=lambda i: (not isinstance(ops[i], xegpu.Dpas), i))
        for i in found:
            waiting[i] -= 1
            if not waiting[i]:
                ready.append(i)
    order.reverse()
    return order


def as_written(block: Block, storage: Storage, outer: Iterable[Atom] = ()) -> Sequence[Op]:
    """The ops of a block as they stand."""
    return block.ops


def by_effects(block: Block, storage: Storage, outer: Iterable[Atom] = ()) -> Sequence[Op]:
    """The ops of a block with all that only one write to memory needs right before that write."""
    writes = [i for i, op in enumerate(block.ops) if op.writes]
    return pulled(block, storage, [*writes, *range(len(block.ops))]) if writes else block.ops


def eagerly(block: Block, storage: Storage, outer: Iterable[Atom] = ()) -> Sequence[Op]:
    """The ops of a block with its loads, and what they need, before all else that they may pass."""
    loads = loads_of(block)
    return pulled(block, storage, [*loads, *range(len(block.ops))]) if loads else block.ops


def gathers_early(block: Block, storage: Storage, outer: Iterable[Atom] = ()) -> Sequence[Op]:
    """The same of loads of lanes by themselves alone, which are one message each."""
    loads = [i for i, op in enumerate(block.ops) if isinstance(op, xegpu.Load)]
    return pulled(block, storage, [*loads, *range(len(block.ops))]) if loads else block.ops


@dataclass(frozen=True)
class Ahead:
    """The ops of a block with each load where one stood that comes so many loads before it: these are under way while that one is worked
    on.
    """

    distance: int

    def __call__(self, block: Block, storage: Storage, outer: Iterable[Atom], /) -> Sequence[Op]:
        """The order of a block."""
        loads = loads_of(block)
        following = {take: [after] for take, after in zip(loads, loads[self.distance :])}
        if following:
            following[loads[0]] = loads[1 : self.distance + 1]
        wanted = [take for i in range(len(block.ops)) for take in (i, *following.get(i, ()))]
        return pulled(block, storage, wanted) if following else block.ops


one_ahead = Ahead(1)


def loads_of(block: Block) -> list[int]:
    """The places of the loads of a block."""
    return [i for i, op in enumerate(block.ops) if isinstance(op, _LOADS)]


def pulled(block: Block, storage: Storage, wanted: Iterable[int]) -> Sequence[Op]:
    """The ops of a block in the order asked for, each after those that it needs; what nobody asks for stands where it is needed."""
    before, _ = storage.dependences(block)
    ops = block.ops
    order: list[Op] = []
    done: set[int] = set()
    for first in wanted:
        if first in done:
            continue
        if before[first] <= done:
            done.add(first)
            order.append(ops[first])
            continue
        stack, taken = [first], set[int]()
        while stack:
            op = stack.pop()
            if op not in done and op not in taken:
                taken.add(op)
                stack.extend(before[op])
        done |= taken
        order += [ops[i] for i in sorted(taken)]
    return order
