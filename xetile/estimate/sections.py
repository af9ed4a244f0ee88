"""The order in which IGC (2.40.14) saves registers before it gives them out: that of Sethi and Ullman, between products and barriers.

`G4_Sched.cpp` of IGC: instructions are placed from the last to the first, next the one whose operands need least beside its result, and what
takes no more registers than it frees at once. Nothing moves over a product, a barrier, or an op with regions of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import accumulate, chain, pairwise
from math import inf
from operator import add

from xetile.dialects import gpu, xegpu
from xetile.estimate.orders import as_written
from xetile.estimate.parts import Atom
from xetile.estimate.pressure import Peak, Walk
from xetile.estimate.storage import Storage
from xetile.ir.core import Block, Op

BENEFIT = 0.95
"""The share of what a block needs as it is written that the other order is to need at most (`PRESSURE_REDUCTION_MIN_BENEFIT`)."""
_FENCES = (xegpu.Dpas, gpu.Barrier, gpu.BarrierArrive, gpu.BarrierWait)


def saved(block: Block, storage: Storage, most: float) -> Peak:
    """What a block and all inside it need, where IGC puts blocks that need more than `most` into its other order if that saves."""
    return _Saving(storage, most).block(block, frozenset(), 0)


class _Saving(Walk):
    def __init__(self, storage: Storage, most: float) -> None:
        super().__init__(storage, inf, eager=False)
        self.most = most

    def block(self, block: Block, outer: frozenset[Atom], around: float) -> Peak:
        written = self._peak(block, as_written, outer, around)
        if around + written.bytes <= self.most:
            return written
        other = self._peak(block, in_sections, outer, around)
        return other if around + other.bytes <= BENEFIT * (around + written.bytes) else written


def in_sections(block: Block, storage: Storage, outer: Iterable[Atom] = ()) -> Sequence[Op]:
    """The ops of a block, between each two over which nothing moves in IGC's order that saves registers."""
    ops = block.ops
    before, _ = storage.dependences(block)
    ends = [i for i, op in enumerate(ops) if op.regions or op.terminator or isinstance(op, _FENCES)]
    return [op for start, end in pairwise([-1, *ends]) for op in _Section(ops, storage, before, range(start + 1, end + 1)).run()]


class _Section:
    """The ops of a block from behind one over which nothing moves up to the next."""

    def __init__(self, ops: Sequence[Op], storage: Storage, before: Sequence[set[int]], span: range) -> None:
        self.ops, self.span, self.storage = ops, span, storage
        self.needs: Mapping[Op, tuple[Atom, ...]] = storage.needs
        # Ops that only place elements are no instructions: who waits for them waits for what they are made of.
        self.real = [i for i in span if storage.makes[ops[i]] or not ops[i].pure or i == span[-1]]
        self.before = self._between(before)
        self.size: dict[int, float] = {}
        self.flow: dict[int, dict[int, None]] = {}
        """The ops before each that make what it takes."""
        self._link()
        self.beside = self._beside()

    def _link(self) -> None:
        ops, needs, makes = self.ops, self.needs, self.storage.makes
        makers: dict[Atom, list[int]] = {}
        for i in self.real:
            self.flow[i] = dict.fromkeys(chain.from_iterable([makers[atom] for atom in needs[ops[i]] if atom in makers]))
            size = 0.0
            for atom in makes[ops[i]]:
                size += atom.bytes
                makers.setdefault(atom, []).append(i)
            self.size[i] = size

    def _between(self, before: Sequence[set[int]]) -> dict[int, set[int]]:
        found: dict[int, set[int]] = {}
        real = set(self.real)
        for i in self.span[:-1]:
            own = before[i] & real
            if len(own) < len(before[i]):
                own.update(*[found[j] for j in before[i] - own if j in found])
            found[i] = own
        found[self.span[-1]] = real - {self.span[-1]}
        return {i: found[i] for i in self.real}

    def _beside(self) -> dict[int, float]:
        """What the operands of each op, and all that they are made of here, need beside its result."""
        found: dict[int, float] = {}
        beside: dict[int, float] = {}
        size_of, needed_by = self.size.__getitem__, found.__getitem__
        size = self.size
        for i in self.real:
            most, flow = 0.0, self.flow[i]
            if len(flow) == 1:  # as most
                (j,) = flow
                most = max(size[j], found[j])
            elif len(flow) == 2:
                j, k = flow
                j, k = (k, j) if beside[j] < beside[k] else (j, k)
                most = max(size[j] + size[k], found[j], found[k] + size[j])
            elif flow:
                last_first = sorted(flow, key=beside.__getitem__)[::-1]
                behind = [0.0, *accumulate(map(size_of, last_first))]  # what those that come behind each leave
                most = max(behind[-1], *map(add, map(needed_by, last_first), behind))
            found[i] = most
            beside[i] = most - size[i]
        return beside

    def run(self) -> Iterator[Op]:
        """The ops in their new order."""
        order = [*reversed([*self._from_the_end()])]
        real = set(order)
        rest = [i for i in self.span if i not in real]
        return (self.ops[i] for i in self._with(order, rest))

    def _from_the_end(self) -> Iterator[int]:
        waiting = Counter(chain.from_iterable(self.before.values()))
        live: set[int] = set()
        ready = [(0.0, -self.span[-1])]
        while ready:
            ahead = [-heappop(ready)[1]]
            while ahead:
                i = ahead.pop()
                yield i
                live.discard(i)
                live.update(self.flow[i])
                for j in sorted(self.before[i], reverse=True):
                    waiting[j] -= 1
                    if not waiting[j] and self._frees(j, live):
                        ahead.append(j)
                    elif not waiting[j]:
                        heappush(ready, (self.beside[j], -j))

    def _frees(self, i: int, live: set[int]) -> bool:
        flow, size = self.flow[i], self.size
        left = size[i] if i in live else 0
        for j in flow:
            if j not in live:
                left -= size[j]
                if left < 0:
                    return False
        return True

    def _with(self, order: Sequence[int], rest: Sequence[int]) -> Iterator[int]:
        """An order with the ops that are no instructions, each as soon as it can stand."""
        before, _ = self.storage.dependences(self.ops[self.span[0]].parent)  # type: ignore[arg-type]
        missing = {i: len([j for j in before[i] if j in self.span]) for i in rest}
        after: dict[int, list[int]] = {}
        for i in rest:
            for j in before[i]:
                after.setdefault(j, []).append(i)
        yield from self._free([i for i in rest if not missing[i]], missing, after)
        for i in order:
            yield i
            if i in after:
                yield from self._free(self._following(i, missing, after), missing, after)

    def _following(self, i: int, missing: dict[int, int], after: Mapping[int, Sequence[int]]) -> list[int]:
        for j in after.get(i, ()):
            missing[j] -= 1
        return [j for j in after.get(i, ()) if not missing[j]]

    def _free(self, ahead: list[int], missing: dict[int, int], after: Mapping[int, Sequence[int]]) -> Iterator[int]:
        while ahead:
            i = ahead.pop(0)
            yield i
            ahead += self._following(i, missing, after)
