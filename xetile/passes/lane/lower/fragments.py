"""Where elements lie in lanes: how the fragments of one value are made of the fragments of another.

All of it follows from who owns which element (layout); a move is free where each lane finds the element in itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from itertools import product
from operator import add

from xetile.errors import VerifyError
from xetile.layout import Layout, Slice
from xetile.records import dataclass

Coordinate = tuple[int, ...]
AnyLayout = Layout | Slice


@dataclass(frozen=True)
class LaneFunction:
    """A number that depends on the lane: `base` plus, for each bit of the lane that is set, that bit's weight."""

    base: int
    weights: tuple[int, ...] = ()

    def __call__(self, lane: int) -> int:
        return self.base + sum(weight for bit, weight in enumerate(self.weights) if lane >> bit & 1)

    def terms(self) -> list[tuple[int, int, int]]:
        """The function as (shift, bits, scale): `((lane >> shift) & (2^bits - 1)) * scale`, to be added up."""
        found: list[tuple[int, int, int]] = []
        for bit, weight in enumerate(self.weights):
            if not weight:
                continue
            if found and sum(found[-1][:2]) == bit and weight == found[-1][2] << found[-1][1]:
                found[-1] = (found[-1][0], found[-1][1] + 1, found[-1][2])
            else:
                found.append((bit, 1, weight))
        return found


@dataclass(frozen=True)
class LaneTable:
    """A number for each lane, where no sum of the lane's bits gives it."""

    values: tuple[int, ...]

    def __call__(self, lane: int) -> int:
        return self.values[lane]


AnyFunction = LaneFunction | LaneTable


@dataclass(frozen=True)
class Source:
    """Where a lane finds an element: its own `slot`, or that of the lane that `lane` gives."""

    slot: int
    lane: AnyFunction | None = None


@dataclass(frozen=True)
class Fetch:
    """Where an element of a new fragment comes from: one source, or the one that `choose` (of the lane) numbers."""

    sources: tuple[Source, ...]
    choose: AnyFunction = LaneFunction(0)

    @property
    def own(self) -> bool:
        """Whether every lane has the element itself."""
        return len(self.sources) == 1 and self.sources[0].lane is None


class Plan(list[Fetch]):
    """For each element of a new fragment, where it comes from."""

    @cached_property
    def slots(self) -> list[int] | None:
        """Where lanes find the elements, if each finds all in itself."""
        return [fetch.sources[0].slot for fetch in self] if all(fetch.own for fetch in self) else None


@lru_cache(maxsize=4096)
def fragments(shape: Coordinate, layout: AnyLayout) -> tuple[tuple[Coordinate, ...], ...]:
    """The coordinates of each lane's elements, in order. Raises VerifyError where no lane holds some element of the value."""
    table = tuple(tuple(layout.lane_elements(shape, lane)) for lane in range(layout.num_lanes))
    held = {at for elements in table for at in elements}
    if held != set(product(*map(range, shape))):
        raise VerifyError(f"lanes hold {len(held)} elements of a value of {'x'.join(map(str, shape))} by {layout}")
    return table


def moves(shape: Coordinate, layout: AnyLayout, to_shape: Coordinate, to_layout: AnyLayout,
          where: Callable[[Coordinate], Coordinate]) -> Plan:  # fmt: skip
    """For each element of a lane's new fragment, where it comes from; `where` maps new coordinates to old ones."""
    owners, new = _owners(shape, layout), fragments(to_shape, to_layout)
    return Plan([_fetch([owners[where(elements[s])] for elements in new]) for s in range(len(new[0]))])


def _owners(shape: Coordinate, layout: AnyLayout) -> dict[Coordinate, dict[int, int]]:
    """The lanes that hold each element, and their slots for it."""
    owners: dict[Coordinate, dict[int, int]] = {}
    for lane, elements in enumerate(fragments(shape, layout)):
        for slot, at in enumerate(elements):
            owners.setdefault(at, {}).setdefault(lane, slot)
    return owners


@dataclass(frozen=True)
class Patch:
    """An element of a fragment that some lanes get again: from where, and which lanes (1), all where None."""

    slot: int
    fetch: Fetch
    lanes: AnyFunction | None


@lru_cache(maxsize=4096)
def patches(shape: Coordinate, layout: AnyLayout, to_shape: Coordinate, to_layout: AnyLayout, offsets: Coordinate) -> list[Patch]:
    """What changes in a value where a part of `shape` goes to `offsets`."""
    owners, new = _owners(shape, layout), fragments(to_shape, to_layout)
    found = []
    for slot in range(len(new[0])):
        held = [owners.get(tuple(a - o for a, o in zip(elements[slot], offsets))) for elements in new]
        if any(h is not None for h in held):
            hit = [int(h is not None) for h in held]
            found.append(Patch(slot, _fetch(held), None if all(hit) else fit_or_table(hit)))
    return found


@lru_cache(maxsize=4096)
def slice_moves(shape: Coordinate, layout: AnyLayout, to_shape: Coordinate, to_layout: AnyLayout, offsets: Coordinate) -> Plan:
    """`moves` for the part of a value that begins at `offsets`."""
    return moves(shape, layout, to_shape, to_layout, lambda at: tuple(a + o for a, o in zip(at, offsets)))


@lru_cache(maxsize=4096)
def broadcast_moves(shape: Coordinate, layout: AnyLayout, to_shape: Coordinate, to_layout: AnyLayout) -> Plan:
    """`moves` for a value that is repeated along the dimensions in which it has one element."""
    return moves(shape, layout, to_shape, to_layout, lambda at: tuple(min(a, n - 1) for a, n in zip(at, shape)))


@lru_cache(maxsize=4096)
def same_places(shape: Coordinate, layout: AnyLayout, whole_shape: Coordinate, whole_layout: AnyLayout,
                offsets: Coordinate) -> list[int] | None:  # fmt: skip
    """Where the elements of a part are in the whole, the same slots in every lane; None where they change lanes."""
    inner, outer = fragments(shape, layout), fragments(whole_shape, whole_layout)
    try:
        found = [[whole.index(tuple(map(add, at, offsets))) for at in part] for part, whole in zip(inner, outer)]
    except ValueError:
        return None
    return found[0] if all(places == found[0] for places in found) else None


@lru_cache(maxsize=4096)
def same_moves(shape: Coordinate, layout: AnyLayout, to_layout: AnyLayout) -> Plan:
    """`moves` for the same value held in another way."""
    return moves(shape, layout, shape, to_layout, lambda at: at)


@lru_cache(maxsize=4096)
def transposed_moves(shape: Coordinate, layout: AnyLayout, to_shape: Coordinate, to_layout: AnyLayout) -> Plan:
    """`moves` for a value whose rows become columns."""
    return moves(shape, layout, to_shape, to_layout, lambda at: (at[1], at[0]))


@lru_cache(maxsize=4096)
def reshaped_moves(shape: Coordinate, layout: AnyLayout, to_shape: Coordinate, to_layout: AnyLayout) -> Plan:
    """`moves` for the same elements, in the same order, in another shape: rows of columns, or a row of all."""

    def where(at: Coordinate) -> Coordinate:
        place = at[0] if len(at) == 1 else at[0] * to_shape[1] + at[1]
        return (place,) if len(shape) == 1 else divmod(place, shape[1])

    return moves(shape, layout, to_shape, to_layout, where)


def _fetch(holders: Sequence[dict[int, int] | None]) -> Fetch:
    """`holders[lane]`: the lanes (and slots there) that have what this lane needs; None where it needs nothing."""
    own = {held.get(lane) for lane, held in enumerate(holders) if held is not None}
    if len(own) == 1 and None not in own:
        return Fetch((Source(own.pop()),))  # type: ignore[arg-type]
    picks = [None if held is None else next(iter(held.items())) for held in holders]
    slots = sorted({pick[1] for pick in picks if pick is not None})
    sources = tuple(
        Source(slot, fit_or_table([p[0] if p is not None and p[1] == slot else None for p in picks])) for slot in slots
    )
    return Fetch(sources, fit_or_table([None if pick is None else slots.index(pick[1]) for pick in picks]))


def fit_or_table(values: Sequence[int | None]) -> AnyFunction:
    """A function of the lane through the given values (None: any)."""
    try:
        return fit(values)
    except ValueError:
        return LaneTable(tuple(v or 0 for v in values))


def fit(values: Sequence[int | None]) -> LaneFunction:
    """A lane function through the given values (None: any). Raises ValueError where there is none.

    Layouts over powers of two give such functions: each bit of the lane counts along one dimension.
    """
    known = {lane: v for lane, v in enumerate(values) if v is not None}
    weights = []
    for bit in range((len(values) - 1).bit_length()):
        steps = {v - known[lane ^ 1 << bit] for lane, v in known.items() if lane >> bit & 1 and lane ^ 1 << bit in known}
        weights.append(steps.pop() if len(steps) == 1 else 0)
    first = next(iter(known))
    base = known[first] - LaneFunction(0, tuple(weights))(first)
    function = LaneFunction(base, tuple(weights) if any(weights) else ())
    if any(function(lane) != v for lane, v in known.items()):
        raise ValueError(f"no simple function of the lane gives {values}")
    return function


@lru_cache(maxsize=1024)
def coordinate_functions(shape: Coordinate, layout: AnyLayout, dim: int) -> tuple[LaneFunction, ...]:
    """For each element of a fragment, its coordinate along `dim` as a function of the lane."""
    table = fragments(shape, layout)
    return tuple(fit([elements[s][dim] for elements in table]) for s in range(len(table[0])))
