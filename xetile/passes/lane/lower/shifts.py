"""Exchanges in which each lane takes what a lane so many further on holds, and the last ones what the first ones hold of other slots: a
row of registers, and the next, read from its middle on.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from xetile.dialects import arith, gpu, vector
from xetile.dialects.types import I32, VectorType, element_of
from xetile.ir.builder import Builder
from xetile.ir.core import Value
from xetile.passes.lane.lower.fragments import Fetch
from xetile.records import dataclass


@dataclass(frozen=True)
class Shift:
    """Of the slots at `places` of a new fragment: lanes take slots `first` of the lane `distance` further on; where there is no such
    lane slots `second` of those counted from the first lane on.
    """

    distance: int
    places: tuple[int, ...]
    first: tuple[int, ...]
    second: tuple[int, ...]


@lru_cache(maxsize=1024)
def shifts_of(plan: tuple[Fetch, ...], lanes: int) -> tuple[Shift, ...] | None:
    """The exchange by shifts, one for each distance, 0 for what stays in its lane; None where it is something else."""
    found: dict[int, list[tuple[int, int, int]]] = {}
    for place, fetch in enumerate(plan):
        shift = _shift_of(fetch, lanes)
        if shift is None:
            return None
        distance, first, second = shift
        found.setdefault(distance, []).append((place, first, second))
    return tuple(Shift(distance, *zip(*slots)) for distance, slots in sorted(found.items()))


def _shift_of(fetch: Fetch, lanes: int) -> tuple[int, int, int] | None:
    """(distance, first slot, second slot) of one element."""
    if fetch.own:
        return 0, fetch.sources[0].slot, fetch.sources[0].slot
    places = [(source.lane(lane) if source.lane is not None else lane, source.slot)
              for lane in range(lanes) for source in [fetch.sources[fetch.choose(lane)]]]  # fmt: skip
    distance, first = places[0]
    if not 0 < distance < lanes or any(at != (lane + distance, first) for lane, at in enumerate(places[: lanes - distance])):
        return None
    rest = places[lanes - distance :]
    if all(at >= lanes for at, _ in rest):  # nobody asks for what these lanes have
        return distance, first, first
    second = rest[0][1]
    return (distance, first, second) if rest == [(lane, second) for lane in range(distance)] else None


def shifted(build: Builder, shifts: Sequence[Shift], held: Sequence[Sequence[Value]], lanes: int) -> Value:
    """The new fragment; `held`: for each shift the elements at its first and at its second slots."""
    parts = [_by(build, pair[0], pair[1], each.distance, lanes) if each.distance else pair[0] for each, pair in zip(shifts, held)]
    if len(parts) == 1:
        return parts[0]
    places = {place: (number, at) for number, each in enumerate(shifts) for at, place in enumerate(each.places)}
    whole: Value = build(arith.Constant, value=0, result=VectorType((len(places),), element_of(parts[0].type)))
    for place, (number, at) in sorted(places.items()):
        whole = build(vector.Insert, build(vector.Extract, parts[number], position=(at,)), whole, position=(place,))
    return whole


def _by(build: Builder, first: Value, second: Value, distance: int, lanes: int) -> Value:
    by, back, width = (build(arith.Constant, value=n, result=I32) for n in (distance, lanes - distance, lanes))
    ahead, there = build.op(gpu.Shuffle, first, by, width, mode="down").results
    other = build.op(gpu.Shuffle, second, back, width, mode="up").results[0]
    chosen: Value = build(arith.Select, there, ahead, other)
    return chosen
