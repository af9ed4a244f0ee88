"""Emits moves between fragments: register slices where a lane has what it needs, shuffles where another lane has it."""

from __future__ import annotations

from xetile.dialects import arith, gpu, vector
from xetile.dialects.types import I1, I32, I64, INDEX, VectorType, element_of, shape_of
from xetile.ir.builder import Builder
from xetile.ir.core import Value
from xetile.passes.common.numbers import index
from xetile.passes.lane.lower.fragments import AnyFunction, Fetch, LaneTable, Patch, Plan, Source
from xetile.passes.lane.lower.shifts import shifted, shifts_of
from xetile.passes.lane.lower.swaps import WORD_BITS, in_words, swap, swaps_of


def move(build: Builder, source: Value, plan: Plan, lanes: int) -> Value:
    """A new fragment whose elements come from where the plan says."""
    if plan.slots is not None:
        return gather_slots(build, source, plan.slots)
    swapped = _swapped(build, source, plan, lanes)
    if swapped is not None:
        return swapped
    if element_of(source.type) is not INDEX and (shifts := shifts_of(tuple(plan), lanes)) is not None:
        held = [[gather_slots(build, *_origin(source, list(slots))) for slots in (s.first, s.second)] for s in shifts]
        return shifted(build, shifts, held, lanes)
    done: dict[Fetch, Value] = {}
    parts: list[Value] = []
    for fetch in plan:
        part = done.get(fetch)
        if part is None:
            part = done[fetch] = _fetch(build, source, fetch, lanes)
        parts.append(part)
    return _collect(build, source, parts)


def _swapped(build: Builder, source: Value, plan: list[Fetch], lanes: int) -> Value | None:
    """By swaps, of whole words where elements stay together; None where to be handed all numbers and to choose takes no longer.

    A choice takes a number of one lane as it lies in a register (a region of stride 0), so that n lanes' take n - 1 instructions; a swap of
    two words takes three and what exchanges them, two or four moves.
    """
    element = element_of(source.type)
    if element in (I1, INDEX) or element.bits >= WORD_BITS or (swaps := swaps_of(tuple(plan), lanes)) is None:
        return None
    words = in_words(swaps, element.bits)
    if words is None:
        return None
    count = len(words.before)
    packed = build(
        vector.Bitcast, gather_slots(build, source, list(words.before)), result=VectorType((count // words.count,), I32)
    )
    made = _collect(build, packed, swap(build, packed, words.swaps, lanes))
    return gather_slots(build, build(vector.Bitcast, made, result=VectorType((count,), element)), list(words.after))


def _collect(build: Builder, source: Value, parts: list[Value]) -> Value:
    element = element_of(source.type)
    whole: Value = build(vector.Broadcast, parts[0], result=VectorType((len(parts),), element))
    for i, part in enumerate(parts):
        if part is not parts[0]:
            whole = build(vector.Insert, part, whole, position=(i,))
    return whole


def _fetch(build: Builder, source: Value, fetch: Fetch, lanes: int) -> Value:
    """One element, from whichever lane and slot has it."""
    if len(fetch.sources) >= FEWEST_HALVED:
        return _halved(build, source, fetch, lanes)
    result = _option(build, source, fetch.sources[0], lanes)
    for number, option in enumerate(fetch.sources[1:], 1):
        value = _option(build, source, option, lanes)
        chosen = build(arith.CmpI, lane_number(build, fetch.choose, lanes), index(build, number), predicate="eq")
        result = build(arith.Select, chosen, value, result)
    return result


def _option(build: Builder, source: Value, option: Source, lanes: int) -> Value:
    """What one source gives to the lanes that take it."""
    value: Value = build(vector.Extract, source, position=(option.slot,))
    if option.lane is None:
        return value
    lane = build(arith.IndexCast, lane_number(build, option.lane, lanes), result=I32)
    shuffled: Value = build.op(gpu.Shuffle, value, lane, build(arith.Constant, value=lanes, result=I32), mode="idx").results[0]
    return shuffled


FEWEST_HALVED = 4
"""From so many sources on there are fewer bits of their numbers to compare than numbers."""


def _halved(build: Builder, source: Value, fetch: Fetch, lanes: int) -> Value:
    """One of many sources, by the bits of its number: each bit halves what is left, and is the same for all elements."""
    number = lane_number(build, fetch.choose, lanes)
    left = [_option(build, source, option, lanes) for option in fetch.sources]
    bit = 1
    while len(left) > 1:
        has = build(arith.CmpI, build(arith.AndI, number, index(build, bit)), index(build, 0), predicate="ne")
        pairs = [left[i : i + 2] for i in range(0, len(left), 2)]
        left = [build(arith.Select, has, pair[1], pair[0]) if len(pair) > 1 else pair[0] for pair in pairs]
        bit *= 2
    return left[0]


def gather_slots(build: Builder, source: Value, slots: list[int]) -> Value:
    """The fragment's elements at `slots`: the whole, a slice, or a shuffle."""
    length = shape_of(source.type)[0]
    if slots == list(range(length)):
        return source
    if slots == list(range(slots[0], slots[0] + len(slots))):
        return build(vector.ExtractStridedSlice, source, offsets=(slots[0],), sizes=(len(slots),), strides=(1,))
    if len(set(slots)) == 1:
        element = build(vector.Extract, source, position=(slots[0],))
        return build(vector.Broadcast, element, result=VectorType((len(slots),), element_of(element.type)))
    return build(vector.Shuffle, source, source, mask=tuple(slots))


def _origin(source: Value, slots: list[int]) -> tuple[Value, list[int]]:
    """The fragment that elements come from, through ops that put several together, and where they lie there."""
    while isinstance(op := source.op, vector.Shuffle):
        (length,), picked = shape_of(op.v1.type), [op.mask[slot] for slot in slots]
        if max(picked) < length:
            source, slots = op.v1, picked
        elif min(picked) >= length:
            source, slots = op.v2, [slot - length for slot in picked]
        else:
            break
    return source, slots


def cut(build: Builder, source: Value, start: int, length: int) -> Value:
    """Elements of a fragment side by side."""
    if shape_of(source.type) == (length,):
        return source
    part: Value = build(vector.ExtractStridedSlice, source, offsets=(start,), sizes=(length,), strides=(1,))
    return part


def put(build: Builder, part: Value, whole: Value, places: list[int], *, at_once: bool) -> Value:
    """The fragment of a whole with a part's elements, which stay in their lanes, at their places; `at_once`: by one op, whose elements
    others pick again.
    """
    runs = _runs(places)
    if at_once and len(runs) > 1:
        (length,) = shape_of(whole.type)
        mask = [length + places.index(slot) if slot in places else slot for slot in range(length)]
        picked: Value = build(vector.Shuffle, whole, part, mask=tuple(mask))
        return picked
    for slot, place in runs:
        run = cut(build, part, slot.start, slot.stop - slot.start)
        whole = run if run.type == whole.type else build(vector.InsertStridedSlice, run, whole, offsets=(place,), strides=(1,),
                                                         result=whole.type)  # fmt: skip
    return whole


def _runs(places: list[int]) -> list[tuple[slice, int]]:
    """Slots that go to consecutive places, as (slots, first place)."""
    runs: list[tuple[slice, int]] = []
    for slot, place in enumerate(places):
        if runs and place == runs[-1][1] + slot - runs[-1][0].start:
            runs[-1] = (slice(runs[-1][0].start, slot + 1), runs[-1][1])
        else:
            runs.append((slice(slot, slot + 1), place))
    return runs


def patch(build: Builder, part: Value, whole: Value, plan: list[Patch], lanes: int) -> Value:
    """The fragment of a whole with what its lanes get of a part."""
    for step in plan:
        value = _fetch(build, part, step.fetch, lanes)
        if step.lanes is not None:
            here = build(arith.CmpI, lane_number(build, step.lanes, lanes), index(build, 1), predicate="eq")
            value = build(arith.Select, here, value, build(vector.Extract, whole, position=(step.slot,)))
        whole = build(vector.Insert, value, whole, position=(step.slot,))
    return whole


def _looked_up(build: Builder, table: LaneTable, lanes: int) -> Value:
    """Numbers below 16 lie in a word, four bits for each lane of 16; others are chosen one by one."""
    if lanes <= 16 and max(table.values) < 16:
        word = sum(value << 4 * lane for lane, value in enumerate(table.values))
        number: Value = build(arith.Constant, value=word - (word >> 63 << 64), result=I64)
        by = build(arith.IndexCast, build(arith.MulI, build(gpu.LaneId), index(build, 4)), result=I64)
        shifted = build(arith.ShRUI, number, by)
        return build(arith.IndexCast, build(arith.AndI, shifted, build(arith.Constant, value=15, result=I64)), result=INDEX)
    number = index(build, table.values[0])
    for lane, value in enumerate(table.values):
        if value != table.values[0]:
            here = build(arith.CmpI, build(gpu.LaneId), index(build, lane), predicate="eq")
            number = build(arith.Select, here, index(build, value), number)
    return number


def repeated(build: Builder, value: Value, count: int, lanes: int) -> Value:
    """The elements of the first `count` lanes, in all lanes by turns."""
    lane = build(arith.IndexCast, build(arith.RemUI, build(gpu.LaneId), index(build, count)), result=I32)
    shuffled: Value = build.op(gpu.Shuffle, value, lane, build(arith.Constant, value=lanes, result=I32), mode="idx").results[0]
    return shuffled


def lane_number(build: Builder, function: AnyFunction, lanes: int) -> Value:
    """A function of the lane as index arithmetic."""
    if isinstance(function, LaneTable):
        return _looked_up(build, function, lanes)
    total: Value | None = None
    for shift, bits, scale in function.terms():
        value: Value = build(gpu.LaneId)
        if shift:
            value = build(arith.DivUI, value, index(build, 1 << shift))
        if 1 << shift + bits < lanes:
            value = build(arith.RemUI, value, index(build, 1 << bits))
        if scale != 1:
            value = build(arith.MulI, value, index(build, scale))
        total = value if total is None else build(arith.AddI, total, value)
    if total is None:
        return index(build, function.base)
    return build(arith.AddI, total, index(build, function.base)) if function.base else total
