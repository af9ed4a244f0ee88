"""Comparing two layouts of one tile: what a conversion between them has to move."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from xetile.layout.attribute import Layout, Slice
from xetile.layout.distribution import Distribution, Shape
from xetile.layout.spread import Spread

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
    if source == target:
        return Movement.NONE
    if not _covers(source, target, shape, lanes=False):
        return Movement.SUBGROUPS
    lanes = bool(source.root.lane_layout and target.root.lane_layout)
    if lanes and not _covers(source, target, shape, lanes=True):
        return Movement.LANES
    same = _order(source, shape, lanes) == _order(target, shape, lanes) and _covers(target, source, shape, lanes=lanes)
    return Movement.NONE if same else Movement.REGISTERS


def same_ownership(one: Layout | Slice, other: Layout | Slice, shape: Sequence[int]) -> bool:
    """Whether both give each subgroup, and each lane where both say so, the same elements in the same order."""
    return movement(one, other, tuple(shape)) is Movement.NONE


def _covers(source: Layout | Slice, target: Layout | Slice, shape: Shape, *, lanes: bool) -> bool:
    """Whether each owner holds of `source` all that it needs of `target`.

    What an owner holds is a product of one set per dimension, so inclusion holds dimension by dimension.
    """
    if lanes and source.num_lanes != target.num_lanes:
        return False
    held, needed = _axis_sets(source, shape, lanes), _axis_sets(target, shape, lanes)
    subgroups = range(max(source.num_subgroups, target.num_subgroups))
    for sg, lane in product(subgroups, range(source.num_lanes if lanes else 1)):
        have, need = source.sg_coords(sg), target.sg_coords(sg)
        have_lane, need_lane = (source.lane_coords(lane), target.lane_coords(lane)) if lanes else ((), ())
        for i, (mine, theirs) in enumerate(zip(source.kept, target.kept, strict=True)):
            mask = held[i][_at(have, mine), _at(have_lane, mine)]
            if needed[i][_at(need, theirs), _at(need_lane, theirs)] & ~mask:
                return False
    return True


def _at(coords: Shape, dim: int) -> int:
    return coords[dim] if coords else 0


@lru_cache(maxsize=1024)
def _axis_sets(layout: Layout | Slice, shape: Shape, lanes: bool) -> tuple[dict[tuple[int, int], int], ...]:
    """Per dimension: the elements, as bits, of the owners at (subgroup's coordinate, lane's coordinate)."""
    pieces, blocks, units = _levels(layout, shape)
    sets: list[dict[tuple[int, int], int]] = []
    for piece, block, unit in zip(pieces, blocks, units, strict=True):
        if lanes:
            inside = [sum(unit.mask(lane) << start for start in block.origins(0)) for lane in range(unit.count)]
        else:
            inside = [(1 << piece.size) - 1]
        starts = [list(piece.origins(c)) for c in range(piece.count)]
        sets.append(
            {(c, lane): sum(mask << start for start in starts[c]) for c in range(piece.count) for lane, mask in enumerate(inside)}
        )
    return tuple(sets)


def _levels(layout: Distribution, shape: Shape) -> tuple[tuple[Spread, ...], tuple[Spread, ...], tuple[Spread, ...]]:
    pieces = layout.sg_spread(shape)
    blocks = layout.block_spread([s.size for s in pieces])
    return pieces, blocks, layout.lane_spread([s.size for s in blocks])


def _order(layout: Layout | Slice, shape: Shape, lanes: bool) -> list[tuple[int, int, int]]:
    """The loops (dimension, trips, stride), outermost first, that run through an owner's elements in fragment order.

    Loops of one trip are left out and loops that continue each other are merged, so equal orders have equal loops.
    """
    pieces, blocks, units = _levels(layout, shape)
    levels = (pieces, blocks, units) if lanes else (pieces,)
    loops = [(d, s.rounds, s.round_stride) for level in levels for d, s in enumerate(level)]
    loops += [(d, s.size, 1) for d, s in enumerate(levels[-1])]
    merged: list[tuple[int, int, int]] = []
    for dim, trips, stride in loops:
        if trips == 1:
            continue
        if merged and merged[-1][0] == dim and merged[-1][2] == trips * stride:
            trips *= merged.pop()[1]
        merged.append((dim, trips, stride))
    return merged


@lru_cache(maxsize=256)
def table(layout: Layout | Slice, shape: Shape) -> Table:
    """Flat (row-major) indices of what each lane holds of a tile: an array [subgroups, lanes, fragment], read-only.

    `tile.reshape(-1)[table]` distributes a tile; the same index assigns fragments back. Pieces come round by round, in a
    piece the elements as `lane_elements` orders them.
    """
    import numpy as np

    rank, levels = len(shape), _levels(layout, shape)
    sg = np.array([layout.sg_coords(i) or (0,) * layout.root.rank for i in range(layout.num_subgroups)])
    lane = np.array([layout.lane_coords(i) or (0,) * layout.root.rank for i in range(layout.num_lanes)])

    def along(axis: int, values: Table) -> Table:
        return np.expand_dims(values, tuple(a for a in range(2 + 4 * rank) if a != axis))

    # One axis per owner and per loop: [subgroup, lane, then rounds, blocks, units and elements, each by dimension].
    flat: Table = np.zeros((1,) * (2 + 4 * rank), dtype=np.int64)
    for i, d in enumerate(layout.kept):
        piece, block, unit = (level[i] for level in levels)
        index = along(0, sg[:, d] * piece.size % piece.extent) + along(1, lane[:, d] * unit.size % unit.extent)
        for n, s in enumerate((piece, block, unit)):
            index = index + along(2 + i + rank * n, np.arange(s.rounds) * s.round_stride)
        index = index + along(2 + i + rank * 3, np.arange(unit.size))
        flat = flat + index * prod(shape[i + 1 :])
    result: Table = np.reshape(flat, (layout.num_subgroups, layout.num_lanes, -1))
    result.flags.writeable = False
    return result
