"""Comparing two layouts of one tile: what a conversion between them has to move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import IntEnum
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any

from xetile.layout.attribute import Layout, Slice
from xetile.layout.distribution import Distribution, Shape

if TYPE_CHECKING:
    import numpy as np

    Table = np.ndarray[Any, np.dtype[np.int64]]


class Movement(IntEnum):
    """What a conversion of layouts has to move, from nothing to data between subgroups."""

    NONE = 0  # the same fragments
    REGISTERS = 1  # each lane already holds all it needs: at most a reordering of its registers
    LANES = 2  # lanes of a subgroup exchange elements (shuffles)
    SUBGROUPS = 3  # subgroups exchange elements (shared local memory)


@lru_cache(maxsize=4096)
def movement(source: Layout | Slice, target: Layout | Slice, shape: Shape) -> Movement:
    """What a conversion of a tile of `shape` from `source` to `target` has to move.

    Lanes are compared only where both layouts give them; what an owner holds of `source` beyond its need in `target` is free.
    """
    if not _subgroups_suffice(source, target, shape):
        return Movement.SUBGROUPS
    if not (source.root.lane_layout and target.root.lane_layout):
        same = all(source.pieces(shape, sg) == target.pieces(shape, sg) for sg in range(_subgroups(source, target)))
        return Movement.NONE if same and source.piece_shape(shape) == target.piece_shape(shape) else Movement.REGISTERS
    if not _lanes_suffice(source, target, shape):
        return Movement.LANES
    return Movement.NONE if _same_fragments(source, target, shape) else Movement.REGISTERS


def needs_exchange(source: Layout | Slice, target: Layout | Slice, shape: Sequence[int]) -> bool:
    """Whether a conversion moves elements between subgroups."""
    return movement(source, target, tuple(shape)) is Movement.SUBGROUPS


def same_ownership(one: Layout | Slice, other: Layout | Slice, shape: Sequence[int]) -> bool:
    """Whether both give each subgroup, and each lane where both say so, the same elements in the same order."""
    return movement(one, other, tuple(shape)) is Movement.NONE and movement(other, one, tuple(shape)) is Movement.NONE


def is_compatible(one: Layout | Slice, other: Layout | Slice, shape: Sequence[int]) -> bool:
    """Whether both give each subgroup the same elements; lanes and order of pieces may differ."""
    size = tuple(shape)
    return _subgroups_suffice(one, other, size) and _subgroups_suffice(other, one, size)


def _subgroups(one: Layout | Slice, other: Layout | Slice) -> int:
    return max(one.num_subgroups, other.num_subgroups)


def _subgroups_suffice(source: Layout | Slice, target: Layout | Slice, shape: Shape) -> bool:
    """Whether each subgroup holds of `source` all that it needs of `target`."""
    return all(_covers(_sg_sets(source, shape, sg), _sg_sets(target, shape, sg)) for sg in range(_subgroups(source, target)))


def _covers(held: Sequence[int], needed: Sequence[int]) -> bool:
    # What an owner holds is a product of one set per dimension, so inclusion holds dimension by dimension.
    return all(need & ~have == 0 for have, need in zip(held, needed))


def _sg_sets(layout: Distribution, shape: Shape, sg: int) -> tuple[int, ...]:
    coords = layout.sg_coords(sg)
    return tuple(s.mask(coords[d] if coords else 0) for s, d in zip(layout.sg_spread(shape), layout.kept))


def _lane_sets(layout: Distribution, shape: Shape) -> Iterator[tuple[int, ...]]:
    """For each subgroup and lane, its elements as one set per dimension."""
    pieces = layout.sg_spread(shape)
    blocks = layout.block_spread([s.size for s in pieces])
    units = layout.lane_spread([s.size for s in blocks])
    for sg, lane in product(range(layout.num_subgroups), range(layout.num_lanes)):
        at, on = layout.sg_coords(sg), layout.lane_coords(lane)
        yield tuple(
            sum(
                units[i].mask(on[d] if on else 0) << (piece + block)
                for piece in pieces[i].origins(at[d] if at else 0)
                for block in blocks[i].origins(0)
            )
            for i, d in enumerate(layout.kept)
        )


def _lanes_suffice(source: Layout | Slice, target: Layout | Slice, shape: Shape) -> bool:
    if source.num_lanes != target.num_lanes or source.num_subgroups != target.num_subgroups:
        return False
    return all(_covers(have, need) for have, need in zip(_lane_sets(source, shape), _lane_sets(target, shape)))


def _same_fragments(source: Layout | Slice, target: Layout | Slice, shape: Shape) -> bool:
    if source.canonical() == target.canonical():
        return True
    one, other = table(source, shape), table(target, shape)
    return one.shape == other.shape and bool((one == other).all())


@lru_cache(maxsize=256)
def table(layout: Layout | Slice, shape: Shape) -> Table:
    """Flat (row-major) indices of what each lane holds of a tile: an array [subgroups, lanes, fragment], read-only.

    `tile.reshape(-1)[table]` distributes a tile; the same index assigns fragments back. Pieces come round by round, in a
    piece the elements as `lane_elements` orders them.
    """
    import numpy as np

    shape = tuple(shape)
    steps = [int(np.prod(shape[d + 1 :])) for d in range(len(shape))]

    def flat(coordinates: list[Shape]) -> np.ndarray[Any, np.dtype[np.int64]]:
        return np.array(coordinates, dtype=np.int64).reshape(len(coordinates), len(shape)) @ np.array(steps, dtype=np.int64)

    piece = layout.piece_shape(shape)
    starts = np.stack([flat(layout.pieces(shape, sg)) for sg in range(layout.num_subgroups)])
    inside = np.stack([flat(layout.lane_elements(piece, lane)) for lane in range(layout.num_lanes)])
    result = starts[:, None, :, None] + inside[None, :, None, :]
    result = result.reshape(layout.num_subgroups, layout.num_lanes, -1)
    result.flags.writeable = False
    return result
