"""More subgroups for kernels that spill with as many as their products suggest.

What a kernel holds beside the operands and sums of products is known only once it is lowered; where that does not fit, and nobody
has said how many subgroups there are, twice, four or eight times as many are tried.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Generic, TypeVar

from xetile.errors import ResourceError, XetileError
from xetile.runtime.lowering import GUESSED

if TYPE_CHECKING:
    from xetile.dialects.gpu import GpuFunc, GpuModule
    from xetile.runtime.lowering import Lowering
    from xetile.runtime.request import Request
    from xetile.target import Target

_L = TypeVar("_L", bound="Lowering")

DOUBLINGS = 3
HALVES = 4
"""How often half as many subgroups are tried where those before exchange more than shared memory holds."""
FULL, FULL_BESIDE_PRODUCTS, FULL_BY_LANES = 0.975, 0.92, 0.84
"""The share of the registers from which on IGC may spill, that beside products, whose order it keeps, and that of kernels for whose products
each lane loads by itself.
"""
LESS = 0.85
"""The least that kernels need of what two other numbers of subgroups suggest: of those of tests for DG2 that do not fit 0.89 to 1.5."""
LIKELY, LIKELY_BY_LANES = 4, 1.85
"""How many times the registers the first number may need by its guess and is lowered before others, and that on devices whose lanes load
what products take: of the kernels of tests none fits beyond. They need a quarter of their guess at least, those of lanes half.
"""
SHORT = 500
"""Ops up to which a kernel is lowered to the end sooner than guessed and compared."""
CLOSE = 0.7
"""The least that a number of subgroups needs of its guess, of what another one needs of its own."""
CLEARLY = 0.8
"""The share of what spills already that another number by which products can be divided is to spill, if it cannot fit either."""
ROOMY, SAVES = 0.94, 0.8
"""The share of the registers up to which kernels fit in IGC's own order, or in the one that needs least, though they do not leave what others
need, and the share of the instructions for which fewer subgroups are taken then: of 29 kernels that have more for that reason the 6 that would
spill hold 0.97 and more.
"""
MUCH, MORE = 2, 1.25
"""How many times the ops of all subgroups together, or their products, are more than what loading twice takes."""
GROWTH = 2
"""At the levels above, kernels have up to 1.5 times the ops that they have at lane level."""
KEPT = 64
_counts: list[tuple[Request, int | None]] = []
"""What was found for the last requests that left the number open, for the kernel's IR and its estimate."""


def known(request: Request) -> Request | None:
    """What is compiled for a request, which may be itself; None where that has not been found out."""
    if request.num_subgroups is not None:
        return request
    found = [count for asked, count in _counts if asked == request]
    return replace(request, num_subgroups=found[-1]) if found else None


def fitting(request: Request, target: Target, begin: Callable[[Request], _L]) -> tuple[Request, _L]:
    """The request with as many subgroups as it takes not to spill; where none of them do, with those that spill least, the fewest of these.

    More subgroups are also taken where so little is left of the registers that IGC may spill, if they leave more. The request's kernel comes
    lowered to the end; the others' memory is free.

    begin: gives the kernel of a request, not yet lowered; for numbers alone that may be the answer.
    """
    first = begin(request)
    searches = request.num_subgroups is None and not target.vector_lanes and bool(target.grf_modes)
    answer, lowering = _found(request, first, target, begin, HALVES) if searches else (request, first)
    lowering.down_to()
    _counts.append((request, answer.num_subgroups))
    del _counts[:-KEPT]
    return answer, lowering


def _found(request: Request, first: _L, target: Target, begin: Callable[[Request], _L], halves: int) -> tuple[Request, _L]:
    """What is found by a search; where shared memory does not hold what the first number of subgroups exchanges, by one that begins with
    half as many: each brings a part of its own to a reduction.
    """
    try:
        return _Search(request, first, target, begin).run()
    except ResourceError as error:
        few = first.module.kernel.attributes.get("num_subgroups", 1)
        if few == 1 or not halves:
            raise
        fewer = replace(request, num_subgroups=few // 2)
        try:
            return _found(fewer, begin(fewer), target, begin, halves - 1)
        except XetileError:  # the first one is about the kernel as it is written
            raise error from None


class _Search(Generic[_L]):
    """Numbers of subgroups of a request, and what is known of the kernel with each of them.

    A number is lowered to the end only where it may be the answer: by what others need that were, and by what is guessed of all.
    """

    def __init__(self, request: Request, first: _L, target: Target, begin: Callable[[Request], _L]) -> None:
        self.request, self.target, self.begin = request, target, begin
        self.registers = target.most_registers
        self.first = first
        self.begun: dict[int, _L] = {}
        self.guesses: dict[int, int] = {}
        self.live: dict[int, int] = {}  # of those that were lowered
        self.room: dict[int, float] = {}  # of those that are tight
        self.least: tuple[int, bool, int] | None = None
        self.between: list[int] = []
        self.too_large: set[int] = set()
        self.growth = GROWTH

    def run(self) -> tuple[Request, _L]:
        """The answer, and its kernel."""
        kernel = self.first.down_to(GUESSED).kernel
        self.answer = self.few = kernel.attributes["num_subgroups"]
        self.begun = {self.few: self.first}
        likely = (LIKELY if self.target.block2d is not None else LIKELY_BY_LANES) * self.target.grf_capacity(self.registers)
        if self.first.ops > SHORT:
            self.guesses[self.few] = self.first.guess
        if self.few * 2 > self.target.max_subgroups(self.registers) or self.guesses.get(self.few, 0) <= likely:
            self._finish(self.few)
        if self.least is None or self.least[:2] > (0, False):
            self._search()
        if self.least is not None and self.least[0]:
            self._search_between()
        if self.least is not None and self.least[0]:
            self._search_larger()
        self._do_less()
        for count, lowering in self.begun.items():
            if count != self.answer:
                lowering.module.discard()
        return self._asked(self.answer), self.begun[self.answer]

    def _search(self) -> None:
        wider = [self.few << times for times in range(1, DOUBLINGS + 1)]
        wider = [count for count in wider if count <= self.target.max_subgroups(self.registers)]
        # Those first that may fit, the fewest subgroups before others; of those that do not the most, which take least time to lower.
        soon = [count for count in wider if not self._halved(count)]
        later: list[int] = []
        for count in (*soon, *reversed([count for count in wider if count not in soon])):
            if self._needs_more(count):
                later.append(count)
            elif self._may_win(count) and self._begin(count) and not self._waits(count, soon):
                self._finish(count)
            if self.least is not None and self.least[:2] == (0, False):
                break
        self._finish_left()
        for count in later:
            if self._may_win(count) and self._begin(count):
                self._finish_left()

    def _finish_left(self) -> None:
        while left := [count for count in self.begun if count not in self.live and self._may_win(count)]:
            self._finish(min(left, key=self._expected))

    def _needs_more(self, count: int) -> bool:
        """Whether a number that was not begun needs more by its guess than one that waits: no part shrinks faster than its number grows."""
        waiting = [self.guesses[n] for n in self.begun if n not in self.live and n in self.guesses]
        return bool(waiting) and self.guesses[self.few] * self.few > min(waiting) * count

    def _do_less(self) -> None:
        """Where more subgroups fit by working out what others do, fewer that load something twice are taken (attention, latent cache of 512
        columns on PVC: 4 subgroups with 68 DPAS each, 32 with 152). So are fewer that leave some registers, if not as much as IGC may need,
        and do less together: what converts or gathers an operand for more products.
        """
        for count in self.live:
            kernel = self.begun[count].module.kernel
            if "reloads" not in kernel.attributes or spilled(self.begun[count].module, self.target):
                continue
            if MUCH * self._work(count) <= self._work(self.answer) or MORE * self._products(count) <= self._products(self.answer):
                self.answer = count
        for count in sorted(self.live, reverse=True):
            if count < self.answer and self._leaves_some(count) and self._step(count) <= SAVES * self._step(self.answer):
                self.answer = count

    def _leaves_some(self, count: int) -> bool:
        if self.target.block2d is None:
            return False
        most = ROOMY * self.target.grf_capacity(self.registers)
        return self.live[count] <= most or ordered(self.begun[count].module, self.target) <= most

    def _work(self, count: int) -> int:
        return count * self.begun[count].ops

    def _step(self, count: int) -> float:
        """Instructions of all subgroups for a round of the loop that takes most."""
        return count * step(self.begun[count].module.kernel, self.target)

    def _products(self, count: int) -> int:
        from xetile.dialects.xegpu import Dpas

        return count * len(self.begun[count].module.kernel.find(Dpas))

    def _search_between(self) -> None:
        """Where no power of two fits, numbers by which products can be divided: heads of 80 or 96 columns, of which of 16 or 32 subgroups some
        would work out what others do.
        """
        most = min(self.few << DOUBLINGS, self.target.max_subgroups(self.registers))
        odd = self.begin(self.request).odd_shares
        self.between = sorted({count << times for count in odd for times in range(most.bit_length()) if count << times <= most})
        passed: set[int] = set()
        for count in reversed(self.between):  # of those that do not fit the most take least time to lower
            if count * 2 in passed or self._passes_least(count):
                passed.add(count)
            elif count != self.few and self._may_win(count) and self._begin(count) and self._is_better(count):
                self._finish(count)
            if self.least is not None and not self.least[0]:
                self._try_half(count)
                break

    def _try_half(self, count: int) -> None:
        """Half as many of these as fit: they may fit with loads that come twice, and do less together (`_do_less`)."""
        half = count // 2
        if count % 2 or half not in self.between or half in self.begun or half in self.too_large or not self._begin(half):
            return
        if not self._spills(CLOSE * self._ratio(half, self.live) * self.guesses.get(half, 0)):
            self._finish(half)

    def _search_larger(self) -> None:
        """Where nothing fits, numbers that were given up for their ops, up to twice as many: what several subgroups work out takes less time
        than what is spilled (retention of heads of 128 columns by chunks of 16 fits with 16 subgroups alone).
        """
        self.growth = GROWTH * GROWTH
        for count in sorted(self.too_large.difference(self.between)):
            if self._may_win(count) and self._begin(count):
                self._finish(count)
            if self.least is not None and not self.least[0]:
                break

    def _is_better(self, count: int) -> bool:
        """Whether one of these numbers may fit by its guess, or is to spill clearly less, by what another one of them has needed."""
        if not self._may_win(count):
            return False
        others = {n: self.live[n] for n in self.between if n in self.live}
        expected = self._ratio(count, others) * self.guesses.get(count, 0)
        if self.least is None or not others or not self._spills(CLOSE * expected):
            return True
        return self._spills(expected) <= CLEARLY * self.least[0]

    def _passes_least(self, count: int) -> bool:
        """Whether twice as many subgroups, which share the work as evenly, need more than more of them do: then fewer need more still."""
        needs = {n: self.live[n] if n in self.live else self._expected(n) for n in {*self.live, *self.guesses}}
        need = needs.get(count * 2, 0)
        return count * 2 in self.too_large or any(need > needs[n] for n in needs if n > count * 2)

    def _waits(self, count: int, soon: Sequence[int]) -> bool:
        """Whether a number is guessed not to fit, so that others may be better, or is no better by its guess than what there is."""
        spills = count in self.guesses and (count not in soon or self._spills(self._expected(count)) > 0)
        return spills or not self._may_win(count)

    def _asked(self, count: int) -> Request:
        return self.request if count == self.few else replace(self.request, num_subgroups=count)

    def _begin(self, count: int) -> bool:
        """Whether there is a kernel with so many subgroups; not where its own maps say how many there are."""
        try:
            with self._not_larger():
                lowering = self.begin(self._asked(count))
                if self.guesses:
                    self.guesses[count] = lowering.guess
        except XetileError as error:
            self._give_up(count, error)
            return False
        self.begun[count] = lowering
        return True

    def _give_up(self, count: int, error: XetileError) -> None:
        from xetile.passes.instruments import TooLargeError

        if isinstance(error, TooLargeError):
            self.too_large.add(count)

    def _finish(self, count: int) -> None:
        """Lower a kernel to the end, and see whether it is better."""
        lowering = self.begun[count]
        try:
            with nullcontext() if count == self.few else self._not_larger():
                made = lowering.down_to()
        except XetileError as error:
            if count == self.few:
                raise
            self._give_up(count, error)
            del self.begun[count]
            return
        self.live[count] = _live(made)
        found = (spilled(made, self.target), is_tight(made, self.target), count)
        if found[:2] == (0, True):
            self.room[count] = room(made.kernel, self.target)
        if self.least is None or found < self.least:
            self.least, self.answer = found, count

    def _not_larger(self) -> AbstractContextManager[None]:
        """Within, what takes far more ops than the kernel with fewest subgroups is given up: its subgroups exchange more than is distributed
        over them.
        """
        from xetile.passes.instruments import AtMost
        from xetile.passes.manager import watched

        return watched(AtMost((self.growth if self.few in self.live else GROWTH * GROWTH) * self.first.ops))

    def _may_win(self, count: int) -> bool:
        return self.least is None or (self._least_of(count), self._is_tight(count), count) < self.least

    def _is_tight(self, count: int) -> bool:
        """Whether a number of subgroups is tight by the least that it needs of its guess."""
        expected = CLOSE * self._ratio(count, self.room) * self.guesses.get(count, 0) if self.room else 0
        return expected > self.registers * self.target.grf_bytes

    def _least_of(self, count: int) -> int:
        """Bytes that a number of subgroups spills at least."""
        # Subgroups of a number that divides products share more of the work than those of the powers of two next to it.
        between = 0 if count in self.between else _between(self.live, count)
        guessed = CLOSE * self._ratio(count, self.live) * self.guesses.get(count, 0) if self.live else 0
        # Each subgroup's part is not smaller than with a multiple of the number.
        halved = max(map(self._halved, [count, *[more for more in self.between if more % count == 0]]))
        return max(halved, self._spills(max(between, guessed)))

    def _halved(self, count: int) -> int:
        """The same: a subgroup's part of no tile shrinks faster than its number grows."""
        live = self.live[self.few] if self.few in self.live else self._ratio(self.few, self.live) * self.guesses[self.few]
        return self._spills(live * self.few // count) if count > self.few else 0

    def _expected(self, count: int) -> float:
        return self._ratio(count, self.live) * self.guesses[count]

    def _ratio(self, count: int, needed: Mapping[int, float]) -> float:
        """What the number next to one needs of its guess."""
        lowered = [other for other in needed if self.guesses.get(other)]
        if not lowered:
            return 1
        near = min(lowered, key=lambda other: (max(other, count) / min(other, count), other))
        return needed[near] / self.guesses[near]

    def _spills(self, live: float) -> int:
        return self.target.spilled_bytes(round(live), self.registers)


def step(kernel: GpuFunc, target: Target) -> float:
    """Instructions of a subgroup for a round of the loop with most products of a kernel at lane level."""
    from xetile.estimate.work import work_of

    hot = work_of(kernel, target).hot
    return hot.dpas + hot.simple + hot.math + len(hot.messages)


def spilled(module: GpuModule, target: Target) -> int:
    """Bytes that find no register, of a kernel at lane level; 0 for targets without a register file."""
    if target.vector_lanes or not target.grf_modes:
        return 0
    return target.spilled_bytes(round(ordered(module, target)), _mode(module.kernel, target))


def ordered(module: GpuModule, target: Target) -> float:
    """Bytes that a kernel at lane level takes in the order that IGC gives out registers for."""
    from xetile.estimate import scheduled

    return scheduled(module.kernel, target, _mode(module.kernel, target), _live(module))


def _live(module: GpuModule) -> int:
    live: int = module.kernel.attributes.get("live_bytes", 0)
    return live


def _between(live: dict[int, int], count: int) -> float:
    """What a number of subgroups between two that were lowered, or below both, needs at least: of what these need one part is each
    subgroup's, the other is shared out. Kernels need up to a fifth less than that; where more subgroups need more, nothing is expected.
    """
    above = sorted(n for n in live if n > count)
    fewer = max((n for n in live if n < count), default=0)
    pair = above[:2] if not fewer else [fewer, *above[:1]]
    if len(pair) < 2 or count in live or live[pair[1]] >= live[pair[0]]:
        return 0
    few, many = pair
    shared = (live[few] - live[many]) / (1 / few - 1 / many)
    return LESS * (live[many] + shared * (1 / count - 1 / many))


def is_tight(module: GpuModule, target: Target) -> bool:
    """Whether the values of a kernel at lane level leave less of the registers than IGC may need to put them in order, or do so only since
    something is loaded twice.
    """
    if target.vector_lanes or not target.grf_modes:
        return False
    from xetile.estimate.registers import is_rematerialized
    from xetile.passes.lane.order.choose_grf import mode_for

    kernel = module.kernel
    if spilled(module, target) or "reloads" in kernel.attributes:
        return True
    # A larger mode that only gathers together ask for counts for nothing: more subgroups would be found to fit there, and do more.
    mode = mode_for(kernel, target, _live(module))
    # In this order: the other one tries orders of the code.
    return room(kernel, target) > mode.registers * target.grf_bytes or is_rematerialized(kernel, target)


def room(kernel: GpuFunc, target: Target) -> float:
    """Bytes of registers that hold what lives in a kernel at lane level, and leave what IGC may need to put it in order."""
    from xetile.dialects.xegpu import Dpas
    from xetile.estimate.registers import gathers_memory, in_words

    beside = target.grf_overhead * target.grf_bytes
    taken: float = kernel.attributes.get("live_bytes", 0) + beside
    if not kernel.has(Dpas):
        # What lanes load by themselves is counted in words, which IGC packs where it must.
        return 0 if gathers_memory(kernel, target) else taken / FULL
    if target.block2d is None:
        return taken / FULL_BY_LANES
    # IGC begins gathers of an operand together, and packs them when all have come.
    together = in_words(kernel, target) + beside if gathers_memory(kernel, target) else 0
    return max(taken, together) / FULL_BESIDE_PRODUCTS


def _mode(kernel: GpuFunc, target: Target) -> int:
    registers: int = kernel.attributes.get("grf", target.grf_modes[0].registers)
    return registers
