"""Exchanges in which lanes trade places with slots, as transposes do: by halves, one bit of the lane's number after the other.

Where each of n lanes takes another slot of the same lane, it is handed n numbers for each that it keeps. Swapping a bit of the lane's number
with one of the slot's hands it one, and keeps one: of n slots in n lanes n/2 exchanges for each of log2(n) bits, in place of n * n.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from xetile.dialects import arith, gpu, vector
from xetile.dialects.types import I32
from xetile.ir.builder import Builder
from xetile.ir.core import Value
from xetile.passes.common.numbers import index
from xetile.passes.lane.lower.fragments import Fetch
from xetile.records import dataclass

WORD_BITS = 32


@dataclass(frozen=True)
class Swaps:
    """How the slots of a new fragment come from those of another one.

    first       slots of the old fragment, by the bits of their place in a list.
    steps       (bit of the lane's number, bit of the place in the list) that trade places, one after the other.
    order       where in the list the new fragment's elements are then.
    """

    first: tuple[int, ...]
    steps: tuple[tuple[int, int], ...]
    order: tuple[int, ...]

    @property
    def exchanges(self) -> int:
        """How many numbers go to other lanes."""
        return len(self.first) // 2 * len(self.steps)


@lru_cache(maxsize=1024)
def swaps_of(plan: tuple[Fetch, ...], lanes: int) -> Swaps | None:
    """The exchange as swaps of bits; None where it is none, or a permutation of lanes besides."""
    bits, width = lanes.bit_length() - 1, len(plan).bit_length() - 1
    if 1 << bits != lanes or 1 << width != len(plan):
        return None
    base = _place(plan, 0, 0)
    of_lanes = [_step(base, _place(plan, 1 << bit, 0)) for bit in range(bits)]
    of_slots = [_step(base, _place(plan, 0, 1 << bit)) for bit in range(width)]
    traded = [by for lane, by in of_lanes if not lane]
    held = [by for lane, by in of_slots if not lane]
    if base[0] or not traded or len(traded) + len(held) != width or 0 in (*traded, *held):
        return None
    if any(lane and (by or lane & lane - 1) for lane, by in (*of_lanes, *of_slots)) or not _is_linear(
        plan, lanes, base, of_lanes, of_slots
    ):
        return None
    return _steps(base[1], [*traded, *held], of_lanes, of_slots)


Step = tuple[int, int]
"""By how much the number of a lane, or of a slot, grows."""


def _place(plan: Sequence[Fetch], lane: int, slot: int) -> Step:
    """The lane and slot where a lane finds what goes to a slot."""
    fetch = plan[slot]
    source = fetch.sources[fetch.choose(lane)]
    return lane if source.lane is None else source.lane(lane), source.slot


def _step(base: Step, other: Step) -> Step:
    return other[0] - base[0], other[1] - base[1]


def _is_linear(plan: Sequence[Fetch], lanes: int, base: Step, of_lanes: Sequence[Step], of_slots: Sequence[Step]) -> bool:
    """Whether all places follow from those of single bits, each lane and slot from one."""
    places = {
        (sum(weight for weight, _ in taken), base[1] + sum(by for _, by in taken)): at
        for at in ((lane, slot) for lane in range(lanes) for slot in range(len(plan)))
        for taken in [[step for bit, step in enumerate(of_lanes) if at[0] >> bit & 1]
                      + [step for bit, step in enumerate(of_slots) if at[1] >> bit & 1]]
    }  # fmt: skip
    return len(places) == lanes * len(plan) and all(_place(plan, *at) == place for place, at in places.items())


def _steps(first: int, slots: list[int], of_lanes: Sequence[Step], of_slots: Sequence[Step]) -> Swaps | None:
    """Swaps until each bit of the lane's number is the one that is wanted there."""
    in_lane: list[Step] = [(1 << bit, 0) for bit in range(len(of_lanes))]
    in_list: list[Step] = [(0, by) for by in slots]
    steps: list[tuple[int, int]] = []
    while wrong := [bit for bit, wanted in enumerate(of_lanes) if in_lane[bit] != wanted and wanted in in_list]:
        bit = wrong[0]
        place = in_list.index(of_lanes[bit])
        in_lane[bit], in_list[place] = in_list[place], in_lane[bit]
        steps.append((bit, place))
    if in_lane != list(of_lanes):
        return None
    taken = tuple(first + sum(by for bit, by in enumerate(slots) if at >> bit & 1) for at in range(1 << len(slots)))
    order = tuple(
        sum(1 << in_list.index(step) for bit, step in enumerate(of_slots) if slot >> bit & 1)
        for slot in range(1 << len(of_slots))
    )
    return Swaps(taken, tuple(steps), order)


@dataclass(frozen=True)
class InWords:
    """Swaps of words of `count` elements each: `before` gives the old fragment's slots in the words' order, `after` the new ones' places."""

    swaps: Swaps
    count: int
    before: tuple[int, ...]
    after: tuple[int, ...]


def in_words(swaps: Swaps, bits: int) -> InWords | None:
    """The same of whole words, of elements that change lanes together: an exchange of a word takes no longer than that of a part of it.

    None where too few stay together to fill a word.
    """
    traded = {place for _, place in swaps.steps}
    places = range(len(swaps.first).bit_length() - 1)
    held = sorted((at for at in places if at not in traded), key=lambda at: swaps.first[1 << at])
    inner = held[: (WORD_BITS // bits).bit_length() - 1]
    if bits << len(inner) != WORD_BITS:
        return None
    outer, count = [at for at in places if at not in inner], 1 << len(inner)
    first = [_spread(word, outer) | _spread(part, inner) for word in range(1 << len(outer)) for part in range(count)]
    words = list(dict.fromkeys(_within(at, outer) for at in swaps.order))
    steps = tuple((bit, outer.index(place)) for bit, place in swaps.steps)
    after = tuple(words.index(_within(at, outer)) * count + _within(at, inner) for at in swaps.order)
    return InWords(Swaps(tuple(range(len(words))), steps, tuple(words)), count, tuple(swaps.first[at] for at in first), after)


def _spread(number: int, places: Sequence[int]) -> int:
    """The number whose bits at some places are those of a given one."""
    return sum(1 << place for bit, place in enumerate(places) if number >> bit & 1)


def _within(number: int, places: Sequence[int]) -> int:
    """The bits of a number at some places alone, side by side."""
    return sum(1 << bit for bit, place in enumerate(places) if number >> place & 1)


def swap(build: Builder, source: Value, swaps: Swaps, lanes: int) -> list[Value]:
    """The elements of the new fragment."""
    values: list[Value] = [build(vector.Extract, source, position=(slot,)) for slot in swaps.first]
    for bit, place in swaps.steps:
        upper = has_bit(build, 1 << bit)
        for at in range(len(values)):
            if not at >> place & 1:
                other = at | 1 << place
                values[at], values[other] = _traded(build, values[at], values[other], upper, 1 << bit, lanes)
    return [values[at] for at in swaps.order]


def _traded(build: Builder, low: Value, high: Value, upper: Value, distance: int, lanes: int) -> tuple[Value, Value]:
    """Of two slots the lanes without the bit keep the first, those with it the second; what they give away their neighbours keep."""
    given = build(arith.Select, upper, low, high)
    taken = from_neighbour(build, given, distance, lanes)
    return build(arith.Select, upper, taken, low), build(arith.Select, upper, high, taken)


def has_bit(build: Builder, bit: int) -> Value:
    """Whether the lane's number has this bit."""
    return build(arith.CmpI, build(arith.AndI, build(gpu.LaneId), index(build, bit)), index(build, 0), predicate="ne")


def from_neighbour(build: Builder, value: Value, distance: int, lanes: int) -> Value:
    """The value of the lane whose number differs by one bit."""
    offset, width = (build(arith.Constant, value=n, result=I32) for n in (distance, lanes))
    return build.op(gpu.Shuffle, value, offset, width, mode="xor").results[0]
