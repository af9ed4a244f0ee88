"""How many registers live at once: in the order that the code is written in, and in the one that needs fewest.

IGC schedules each block again: for speed where everything fits, else to save registers.  So a kernel fits when
an order that saves registers does; `least` looks for one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, compress, count
from math import inf
from operator import add

from xetile.dialects import xegpu
from xetile.estimate.assembly import beside_assembly
from xetile.estimate.counted import is_undercounted
from xetile.estimate.emitted import as_emitted
from xetile.estimate.orders import (
    Ahead,
    Order,
    as_written,
    balanced,
    by_effects,
    chain_by_chain,
    cheapest,
    eagerly,
    gathers_early,
    in_sequence,
    loads_of,
    one_ahead,
    products_early,
    schedule,
)
from xetile.estimate.storage import Atom, Storage, placed
from xetile.ir.core import Block, Elementwise, Op, changes, of_kind, regions_of
from xetile.ir.interfaces import passes_reads
from xetile.records import dataclass

_Asked = tuple[Block, tuple["Atom", ...], frozenset["Atom"], float, "Peak"]
"""A block inside another one, what ends in it, what lives around it with the bytes of the outer block, and what it needs beside that."""
_Known = tuple[Sequence[_Asked], frozenset["Atom"], tuple["Atom", ...], "Peak"]
"""What was asked about the blocks inside one, what lived around it and what ended in it, and what it was found to need."""

LATENCY_SHARE = 104 / 128  # of the registers: while no more live, IGC moves messages ahead of what needs them
KEPT = 0.895
"""The share of the registers up to which IGC keeps products, and what they take, in an order that they are given (products of f8 with scales
of groups take up to 0.893, and spill nothing; of nf4 0.897, and spill 512 bytes)."""
FEWER = 0.8
"""The share of the registers that products take as they are written which another order is to take, where they fit, but not beside one more
message: IGC may spill then, and may not (f32 as tf32 behind a mask: 222 of 256 registers, and 2.1 KB spilled).
"""
EMITTED = 0.97
"""The share of the registers beyond which that order of products is given up for one that takes much less (operands that a branch doubles, in
steps of 64: 768 bytes spilled at 0.98; of int4 chosen by a condition 0.96, and spill nothing).
"""
LONG = 32
"""Registers that the longest block messages fill: shorter ones find room."""
CLEAR = 0.9  # the share of what other orders need that `balanced` ones are to need: small differences IGC makes up for


@dataclass(frozen=True)
class Peak:
    """The fullest place: bytes over all lanes, what lives there, and behind how many ops of its block.

    `beside`: of a place inside of an op, bytes that live around it and that the op does not take: all that other orders could free.
    """

    bytes: float
    atoms: tuple[Atom, ...] = ()
    place: int = 0
    beside: float = inf


def peak(
    block: Block, storage: Storage, limit: float, *, eager: bool = False, only: Container[Block] | None = None,
    assembly: bool = False, ahead: float = 0,
) -> Peak:  # fmt: skip
    """The fullest place of a block and all inside it.

    Blocks that need at most `limit` bytes as they are written stay so; the others take the better of that order and one that
    saves registers.  `limit` 0: the least that is needed.

    `eager`: what IGC takes rather than needs.  Where that fits, loads stand as early as they can; in blocks with
    matrix products one message earlier than they are written.  A block that does not fit as it is written is changed until it does:
    that ends between the least and the limit, the middle is taken.  `only`: in these blocks; the others need their least.

    `assembly`: with what assembly takes beside that, in blocks without products (assembly.py).

    `ahead`: as IGC is expected to order, for who tells that; who chooses by it asks for what surely fits. In kernels without products, where
    loads fit as they are written, but not all of them at the beginning, they stand as many places ahead as need so much. Blocks that IGC
    undercounts it orders to need least (counted.py), though it leaves some as they are.
    """
    return Walk(storage, limit, eager, only=only, assembly=assembly, ahead=ahead).block(block, frozenset(), 0)


def saving_orders(block: Block, storage: Storage, limit: float, capacity: float = inf) -> dict[Block, Sequence[Op]]:
    """For a block and those inside it that need more than `limit` bytes: the order of their ops that needs least, of those tried.

    Where matrix products are computed, only blocks that need more than `capacity`, if that fits it; products stay in their order.
    """
    walk = Walk(storage, limit, eager=False, capacity=capacity)
    walk.block(block, frozenset(), 0)
    return walk.chosen


def needs(block: Block, storage: Storage) -> dict[Block, float]:
    """Bytes that a block and those inside it need as they are written, with what lives around them: once until IR changes."""
    known = storage.known(block)
    when, found = known.get(needs, (None, {}))
    if when != changes():
        walk = Walk(storage, inf, eager=False)
        walk.block(block, frozenset(), 0)
        known[needs] = changes(), walk.needs
        return walk.needs
    return dict(found)


class Walk:
    """What a block and those inside it need, in the order that is best by the rules of `peak`."""

    def __init__(
        self, storage: Storage, limit: float, eager: bool, capacity: float | None = None, only: Container[Block] | None = None,
        assembly: bool = False, ahead: float = 0,
    ) -> None:  # fmt: skip
        self.only = only
        self.ahead = ahead
        self.assembly = assembly
        self.storage = storage
        self.limit = limit
        self.capacity = capacity
        self.eager = eager
        self.counted = eager, assembly
        # What a block needs does not depend on the order around it: what it takes from outside lives around it in any order.
        self.found: dict[Block, dict[Order, Peak]] = {}
        self.chosen: dict[Block, Sequence[Op]] = {}  # of blocks with products: where that fits `capacity`
        self.needs: dict[Block, float] = {}  # as written
        self.entering: dict[Block, tuple[Atom, ...]] = {}
        self.takers: dict[Block, Counter[Atom]] = {}
        self.asked: dict[Block, list[_Asked]] = {}
        # IGC does not put off loads to the writes that need them.
        self.orders: tuple[Order, ...] = (as_written, schedule) if eager else (as_written, by_effects, schedule)

    def block(self, block: Block, outer: frozenset[Atom], around: float) -> Peak:
        """`outer` lives from before to behind the block: `around` bytes, which are not in the result.

        What else the block takes from outside ends in it (`entering`).
        """
        if self.ahead and block in self.storage.with_products and is_undercounted(block, self.storage, around):
            return self._peak(block, schedule, outer, around)
        eager = self.eager and (self.only is None or block in self.only)
        limit = self.limit if eager or not self.eager else 0
        if eager:
            products = block in self.storage.with_products
            loads = gathers_early if self.only is not None else eagerly
            early = self._peak(block, one_ahead if products else loads, outer, around)
            if products and self.ahead:
                early = max(early, self._peak(block, as_emitted, outer, around), key=lambda peak: peak.bytes)
            early = early if products else self._with_headers(block, early)
            if around + early.bytes <= self.limit * (LATENCY_SHARE if products else 1):
                return early
        told = self.ahead and block in self.storage.with_products
        written = self._peak(block, as_emitted if told else as_written, outer, around)
        self.needs[block] = around + written.bytes
        if self.needs[block] <= limit or written.beside < self.storage.grf_bytes:
            return self._some_early(block, outer, around) or written if eager and not self.storage.with_products else written
        # Blocks with DPAS are left in their order (order_for_registers): IGC does not find one like this by itself.
        products = block in self.storage.with_products
        if products and self.capacity is not None and self.needs[block] <= self.capacity:
            if self.needs[block] + self._coming(block) > self.capacity or self._is_emitted_full(block, outer, around):
                best, chosen = self._best(block, (in_sequence, chain_by_chain), outer, around)
                if around + best.bytes <= FEWER * self.needs[block]:
                    self.chosen[block] = self.storage.known(block)[chosen]
                    return best
            return written
        if products:
            # Nor does it let products change places.  Neither order is known to be the best: the one that needs more is what it finds.
            # But where nothing stands between products and what they load, it moves each load down to where it is taken. And an order
            # that leaves enough registers it keeps, once ops stand in it.
            best, chosen = self._best(block, (*self.orders[:-1], in_sequence, chain_by_chain), outer, around)
            kept = self.capacity is not None and around + best.bytes <= KEPT * self.capacity
            if not kept and best.bytes < written.bytes and not self._only_loads(block):
                best = max(best, self._best(block, self.orders, outer, around)[0], key=lambda peak: peak.bytes)
            if self.capacity is None and self.needs[block] > self.storage.reordered_beyond:
                early = self._peak(block, products_early, outer, around)
                best = early if around + early.bytes <= self.storage.reordered_beyond and early.bytes < best.bytes else best
            if self.capacity is not None and around + best.bytes > self.capacity:
                freely = self._peak(block, schedule, outer, around)  # products change places as well
                best, chosen = (freely, schedule) if around + freely.bytes <= self.capacity else (best, chosen)
            if self.capacity is not None and around + best.bytes <= self.capacity:
                self.chosen[block] = self.storage.known(block)[chosen]
        else:
            best, chosen = self._best(block, (*self.orders, cheapest, balanced), outer, around)
            self.chosen[block] = self.storage.known(block)[chosen]
        if eager and around + best.bytes < self.limit:
            return Peak((best.bytes + self.limit - around) / 2, best.atoms)
        return best

    def _some_early(self, block: Block, outer: frozenset[Atom], around: float) -> Peak | None:
        """With loads as many places ahead as registers are left for; not where sums of products wait (syrk on BMG: 176, not 207)."""
        found, fits, beyond = None, 0, len(loads_of(block)) if around < self.ahead else 0
        while beyond - fits > 1:
            distance = (fits + beyond) // 2
            early = self._peak(block, Ahead(distance), outer, around)
            if around + early.bytes <= self.ahead:
                found, fits = early, distance
            else:
                beyond = distance
        return found

    def _only_loads(self, block: Block) -> bool:
        """Whether a loop loads operands and sums up products of them, and computes nothing else in registers; or what is no loop does nothing
        else up to its last product.
        """
        loop, ops = block.parent, block.ops
        if loop is not None and loop.repeats:
            return xegpu.only_sums(loop) and not any(map(self._computes, ops))
        last = max(i for i, op in enumerate(ops) if isinstance(op, xegpu.Dpas))
        return not any(map(self._computes, ops[:last]))

    def _coming(self, block: Block) -> float:
        """Bytes of the largest message of a block whose numbers other ops work out, if it is one of the longest: it wants as many registers
        side by side, between those of what has become of the messages before it.
        """
        storage = self.storage
        taken = (atom for op in block.ops if isinstance(op, Elementwise) for atom in storage.needs[op])
        sizes = (atom.bytes for atom in taken if atom in storage.whole and atom.made_by == xegpu.LoadNd.opname)
        return max((size for size in sizes if size >= LONG * storage.grf_bytes), default=0)

    def _is_emitted_full(self, block: Block, outer: frozenset[Atom], around: float) -> bool:
        """Whether a loop that only sums up products fits as it is written, and almost fills the registers in the order in which the SPIR-V
        writer emits it.
        """
        loop = block.parent
        if self.capacity is None or self.needs[block] <= KEPT * self.capacity or not (loop is not None and loop.repeats):
            return False
        if not xegpu.only_sums(loop):
            return False
        return around + self._peak(block, as_emitted, outer, around).bytes > EMITTED * self.capacity

    def _computes(self, op: Op) -> bool:
        if op.regions or not (op.pure or passes_reads(op) or op.terminator):
            return True
        return isinstance(op, Elementwise) and any(atom.bytes >= self.storage.grf_bytes for atom in self.storage.makes[op])

    def _best(self, block: Block, orders: Iterable[Order], outer: frozenset[Atom], around: float) -> tuple[Peak, Order]:
        """Of some orders the one that needs least."""
        saving = {order: self._peak(block, order, outer, around) for order in orders}
        chosen = min(saving, key=lambda order: saving[order].bytes / (CLEAR if order is balanced else 1))
        return saving[chosen], chosen

    def _with_headers(self, block: Block, early: Peak) -> Peak:
        """Where messages have no constant offsets each load has a register with its own; these stay until what is loaded grows."""
        loads = of_kind(block.ops, xegpu.LoadNd)
        if len(loads) < 2 or not self.storage.headers:
            return early
        behind = {op: place for place, op in enumerate(eagerly(block, self.storage))}
        if early.place <= max(behind[op] for op in loads):
            return early
        return replace(early, bytes=early.bytes + (len(loads) - 1) * self.storage.grf_bytes)

    def _peak(self, block: Block, order: Order, outer: frozenset[Atom], around: float) -> Peak:
        known = self.storage.known(block)
        # What blocks with none inside need is the same for each limit.
        peaks = (
            self.found.setdefault(block, {}) if block in self.storage.with_regions else known.setdefault((Peak, self.counted), {})
        )
        if order not in peaks:
            if order not in known:
                known[order] = order(block, self.storage, outer)
            alike = (peak for other, peak in peaks.items() if known[other] == known[order])  # often two rules give one order
            found = next(alike, None) or self._as_before(block, order, outer, around)
            peaks[order] = found or self._ordered(block, known[order], outer, around)
            asked = self.asked.pop(block, None)
            if asked:
                known[order, self.counted] = asked, outer, self.entering.get(block, ()), peaks[order]
        return peaks[order]

    def _as_before(self, block: Block, order: Order, outer: frozenset[Atom], around: float) -> Peak | None:
        """What an order of a block has needed for another limit, where the blocks inside need the same for this one."""
        known: _Known | None = self.storage.known(block).get((order, self.counted))
        if known is None or known[1] != outer or known[2] != self.entering.get(block, ()):
            return None
        for inner, taken, lives, beside, before in known[0]:
            self.entering[inner] = taken
            if self.block(inner, lives, around + beside) is not before:
                return None
        self.asked[block] = list(known[0])
        return known[3]

    def _ordered(self, block: Block, ops: Sequence[Op], outer: frozenset[Atom], around: float) -> Peak:
        born, last, live = self._ranges(block, ops, outer)
        taken = self._with_steps(block, ops, live, born, last)
        most = max(taken)
        top = taken.index(most) - 1
        found = None
        for position in compress(count(), map(regions_of, ops)) if block in self.storage.with_regions else ():
            begun = [a for a, start in born.items() if start < position <= last[a]]
            dying = [a for a in begun if last[a] == position]
            inside = self._inside(ops[position], begun, live[position], dying, outer, around)
            if inside.bytes > most or (inside.bytes == most and position <= top):
                most, top, found = inside.bytes, position - 1, inside
        # Only now: kernels that load thousands of values rise to a new peak with each.
        return found or Peak(most, tuple([a for a, start in born.items() if start <= top < last[a]]), max(top, 0))

    def _with_steps(
        self, block: Block, ops: Sequence[Op], live: list[float], born: Mapping[Atom, int], last: Mapping[Atom, int]
    ) -> list[float]:
        """What lives before the first op, then behind each, with what ops hold beside that."""
        beside = self.storage.steps if self.eager else self.storage.raised if self.storage.raises else None
        taken = live if beside is None else [live[0], *map(add, live[1:], map(beside, ops))]
        if not self.assembly or block in self.storage.with_products:
            return taken
        return [*map(add, taken, beside_assembly(ops, self.storage, born, last))]

    def _ranges(self, block: Block, ops: Sequence[Op],
                outer: frozenset[Atom]) -> tuple[dict[Atom, int], dict[Atom, int], list[float]]:  # fmt: skip
        """For atoms that live in a block alone: behind which op each begins, and which one takes it last; -1: before all.

        And the bytes that live before the first op, then behind each.
        """
        last = dict(placed(ops, self.storage.needs))
        for atom in outer & last.keys():
            del last[atom]
        first = (*self.storage.atoms(block.args), *self.entering.get(block, ()))
        carried = self.storage.carried.get(block, ())
        last.update(dict.fromkeys(carried, len(ops) - 1))
        born = {atom: -1 for atom in (*first, *carried) if atom in last}
        grown = [sum([atom.bytes for atom in born]), *[0.0] * len(ops)]
        for atom in born:
            grown[last[atom] + 1] -= atom.bytes
        makes, ends = self.storage.makes, last.get
        for position, op in enumerate(ops, 1):
            for atom in makes[op]:
                if atom not in born and (end := ends(atom, -1)) >= position:  # what nothing takes behind it is free at once
                    born[atom] = position - 1
                    size = atom.bytes
                    grown[position] += size
                    grown[end + 1] -= size
        return born, last, list(accumulate(grown))

    def _inside(self, op: Op, live: Sequence[Atom], current: float, dying: Sequence[Atom],
                outer: frozenset[Atom], around: float) -> Peak:  # fmt: skip
        """The fullest place in the regions of an op.

        Carried values lie in the loop's own arguments: what they start from ends where the loop begins.

        What only a branch takes ends where it is taken last.
        """
        through = set(self.storage.inside[op])
        taken = () if op.repeats else tuple(a for a in dying if a in through and self._takers(op)[a] == 1)
        ended = {a for a in dying if a not in through}.union(taken)
        kept = [a for a in live if a not in ended]
        base, lives = current - sum([a.bytes for a in ended]), outer.union(kept)
        inner: list[Peak] = []
        for region in op.regions:
            self.entering[region] = taken
            inner.append(self.block(region, lives, around + base))
            if op.parent is not None:
                self.asked.setdefault(op.parent, []).append((region, taken, lives, base, inner[-1]))
        fullest = max(inner, key=lambda peak: peak.bytes)
        beside = sum([a.bytes for a in kept if a not in through])
        return Peak(base + fullest.bytes, (*kept, *fullest.atoms), beside=beside)

    def _takers(self, op: Op) -> Counter[Atom]:
        """How many ops of the op's block take each atom: in another order what several take might live on."""
        block = op.parent
        assert block is not None
        if block not in self.takers:
            self.takers[block] = Counter(atom for other in block.ops for atom in self.storage.needs[other])
        return self.takers[block]


def lives(ops: Sequence[Op], storage: Storage, last: Mapping[Atom, int]) -> list[tuple[Atom, int, int]]:
    """The atoms that some ops make, each with the first op that does and the last one that takes it; without those that nothing takes
    behind it: these are written all the same, but to a place that is free at once.
    """
    places = [*placed(ops, storage.makes)]
    made = dict(places)
    made.update(reversed(places))  # the first op that makes an atom
    return [(atom, position, end) for atom, position in made.items() if (end := last.get(atom, -1)) > position]


__all__ = ["Peak", "Walk", "peak"]
