"""Emits moves between fragments: register slices where a lane has what it needs, shuffles where another lane has it."""

from __future__ import annotations

from xetile.dialects import arith, gpu, vector
from xetile.dialects.types import I32, INDEX, VectorType
from xetile.ir.builder import Builder
from xetile.ir.core import Value
from xetile.passes.fragments import LaneFunction, Source


def move(build: Builder, source: Value, plan: list[tuple[Source, ...]], lanes: int) -> Value:
    """A new fragment whose elements come from the sources of the plan."""
    if all(len(s) == 1 and s[0].lane is None for s in plan):
        return gather_slots(build, source, [s[0].slot for s in plan])
    done: dict[tuple[Source, ...], Value] = {}
    parts = []
    for sources in plan:
        if sources not in done:
            done[sources] = _fetch(build, source, sources, lanes)
        parts.append(done[sources])
    return _collect(build, source, parts)


def _collect(build: Builder, source: Value, parts: list[Value]) -> Value:
    element = source.type.element  # type: ignore[attr-defined]
    whole: Value = build(vector.Broadcast, parts[0], result=VectorType((len(parts),), element))
    for i, part in enumerate(parts):
        if part is not parts[0]:
            whole = build(vector.Insert, part, whole, position=(i,))
    return whole


def _fetch(build: Builder, source: Value, sources: tuple[Source, ...], lanes: int) -> Value:
    """One element, from whichever lane and slot has it."""
    result: Value | None = None
    for option in sources:
        value: Value = build(vector.Extract, source, position=(option.slot,))
        if option.lane is not None:
            lane = build(arith.IndexCast, lane_number(build, option.lane, lanes), result=I32)
            width = build(arith.Constant, value=lanes, result=I32)
            value = build(gpu.Shuffle, value, lane, width, mode="idx")[0]
        if result is not None:
            raise NotImplementedError("a move in which lanes need different slots of other lanes")
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

    def constant(value: int) -> Value:
        return build(arith.Constant, value=value, result=INDEX)  # type: ignore[no-any-return]

    if not function.scale:
        return constant(function.base)
    value: Value = build(gpu.LaneId)
    if function.divisor > 1:
        value = build(arith.DivUI, value, constant(function.divisor))
    if function.divisor * function.modulus < lanes:
        value = build(arith.RemUI, value, constant(function.modulus))
    if function.scale != 1:
        value = build(arith.MulI, value, constant(function.scale))
    return build(arith.AddI, value, constant(function.base)) if function.base else value
