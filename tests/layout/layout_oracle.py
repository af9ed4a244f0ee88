"""An independent table of who holds what: the seeds' words acted out one step at a time, with none of the product's formulas."""

from __future__ import annotations

from itertools import product


def distribute(extent: int, count: int, size: int) -> list[list[int]]:
    """Seed 001: hand out `size` elements at a time to one owner after another; start anew when data or owners run out.

    Dealing ends when all data is assigned and each owner has had its turn as often as the first.
    """
    hands: list[list[int]] = [[] for _ in range(count)]
    cursor, distributed = 0, 0
    while True:
        for hand in hands:
            hand.extend(cursor + i for i in range(min(size, extent)))
            cursor = (cursor + min(size, extent)) % extent
            distributed += size
        if distributed >= extent:
            return hands


def number(layout: tuple[int, ...], order: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Coordinates by linear id: the first dimension in `order` runs fastest (seed 000)."""
    slowest_first = [range(layout[d]) for d in reversed(order)]
    coordinates = []
    for values in product(*slowest_first):
        at = [0] * len(layout)
        for d, value in zip(reversed(order), values, strict=True):
            at[d] = value
        coordinates.append(tuple(at))
    return coordinates


def held(shape, counts, sizes, order) -> list[list[tuple[int, ...]]]:
    """For each owner by linear id: the coordinates that it holds, pieces row-major, inside a piece row-major."""
    sizes = [min(s, e) for s, e in zip(sizes, shape, strict=True)]
    hands = [distribute(e, c, s) for e, c, s in zip(shape, counts, sizes, strict=True)]
    result = []
    for at in number(counts, order):
        axes = [hands[d][c] for d, c in enumerate(at)]
        turns = [[axis[i : i + s] for i in range(0, len(axis), s)] for axis, s in zip(axes, sizes, strict=True)]
        result.append([element for piece in product(*turns) for element in product(*piece)])
    return result


def fragments(shape, layout) -> dict[tuple[int, int], list[tuple[int, ...]]]:
    """For each (subgroup, lane) of a workgroup's tile, the elements that it holds, in order (layout has all parameters)."""
    order = layout.order or tuple(reversed(range(len(shape))))
    result = {}
    piece = tuple(min(s, e) for s, e in zip(layout.sg_data, shape, strict=True))
    block = tuple(min(s, e) for s, e in zip(layout.inst_data, piece, strict=True))
    whole = (1,) * len(shape)
    lanes = held(block, layout.lane_layout, layout.lane_data, order)
    starts = held(piece, whole, block, order)[0][:: size(block)]
    for sg, elements in enumerate(held(shape, layout.sg_layout, layout.sg_data, order)):
        corners = elements[:: size(piece)]
        for lane, inside in enumerate(lanes):
            result[sg, lane] = [add(c, s, e) for c in corners for s in starts for e in inside]
    return result


def size(shape) -> int:
    total = 1
    for extent in shape:
        total *= extent
    return total


def add(*parts) -> tuple[int, ...]:
    return tuple(sum(values) for values in zip(*parts, strict=True))
