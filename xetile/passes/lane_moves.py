"""Emits moves between fragments: register slices where a lane has what it needs, shuffles where another lane has it."""

from __future__ import annotations

from xetile.dialects import arith, gpu, vector
from xetile.dialects.types import I32, INDEX, VectorType
from xetile.ir.builder import Builder
from xetile.ir.core import Value
from xetile.passes.fragments import Fetch, LaneFunction


def move(build: Builder, source: Value, plan: list[Fetch], lanes: int) -> Value:
    """A new fragment whose elements come from where the plan says."""
    if all(fetch.own for fetch in plan):
        return gather_slots(build, source, [fetch.sources[0].slot for fetch in plan])
    done: dict[Fetch, Value] = {}
    for fetch in plan:
        if fetch not in done:
            done[fetch] = _fetch(build, source, fetch, lanes)
    return _collect(build, source, [done[fetch] for fetch in plan])


def _collect(build: Builder, source: Value, parts: list[Value]) -> Value:
    element = source.type.element  # type: ignore[attr-defined]
    whole: Value = build(vector.Broadcast, parts[0], result=VectorType((len(parts),), element))
    for i, part in enumerate(parts):
        if part is not parts[0]:
            whole = build(vector.Insert, part, whole, position=(i,))
    return whole


def _fetch(build: Builder, source: Value, fetch: Fetch, lanes: int) -> Value:
    """One element, from whichever lane and slot has it."""
    result: Value | None = None
    for number, option in enumerate(fetch.sources):
        value: Value = build(vector.Extract, source, position=(option.slot,))
        if option.lane is not None:
            lane = build(arith.IndexCast, lane_number(build, option.lane, lanes), result=I32)
            value = build(gpu.Shuffle, value, lane, build(arith.Constant, value=lanes, result=I32), mode="idx")[0]
        if result is not None:
            chosen = build(arith.CmpI, lane_number(build, fetch.choose, lanes), _index(build, number), predicate="eq")
            value = build(arith.Select, chosen, value, result)
        result = value
    assert result is not None
    return result


def gather_slots(build: Builder, source: Value, slots: list[int]) -> Value:
    """The fragment's elements at `slots`: the whole, a slice, or a shuffle."""
    length = source.type.shape[0]  # type: ignore[attr-defined]
    if slots == list(range(length)):
        return source
    if slots == list(range(slots[0], slots[0] + len(slots))):
        return build(vector.ExtractStridedSlice, source, offsets=(slots[0],), sizes=(len(slots),), strides=(1,))  # type: ignore
    if len(set(slots)) == 1:
        element = build(vector.Extract, source, position=(slots[0],))
        return build(vector.Broadcast, element, result=VectorType((len(slots),), element.type))  # type: ignore[no-any-return]
    return build(vector.Shuffle, source, source, mask=tuple(slots))  # type: ignore[no-any-return]


def lane_number(build: Builder, function: LaneFunction, lanes: int) -> Value:
    """A function of the lane as index arithmetic."""
    total: Value | None = None
    for shift, bits, scale in function.terms():
        value: Value = build(gpu.LaneId)
        if shift:
            value = build(arith.DivUI, value, _index(build, 1 << shift))
        if 1 << shift + bits < lanes:
            value = build(arith.RemUI, value, _index(build, 1 << bits))
        if scale != 1:
            value = build(arith.MulI, value, _index(build, scale))
        total = value if total is None else build(arith.AddI, total, value)
    if total is None:
        return _index(build, function.base)
    return build(arith.AddI, total, _index(build, function.base)) if function.base else total


def _index(build: Builder, value: int) -> Value:
    return build(arith.Constant, value=value, result=INDEX)  # type: ignore[no-any-return]
