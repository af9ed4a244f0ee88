"""Who holds what of a tile, in the form that passes compare and turn into arithmetic: one `Share` per dimension."""

from __future__ import annotations

from functools import lru_cache
from itertools import product

from xetile.dialects import vector, xegpu
from xetile.dialects.types import shape_of
from xetile.errors import LayoutError
from xetile.ir.core import Value
from xetile.layout import Layout, Slice
from xetile.records import dataclass

AnyLayout = Layout | Slice
Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Share:
    """One dimension of a tile: subgroup `id` gets pieces of `size` elements at `((id // stride) % distinct) * size + r * step`.

    `rounds` pieces each, r = 0 .. rounds - 1. `stride` and `step` are 0 where they do not matter, so equal shares mean equal
    pieces: subgroups that share a piece, and grids that only differ in owners of the same piece, compare equal.
    """

    size: int
    distinct: int
    stride: int
    rounds: int
    step: int

    @property
    def extent(self) -> int:
        """Elements of the tile along this dimension."""
        return self.size * self.distinct * self.rounds


ALONE = Share(size=1, distinct=1, stride=0, rounds=1, step=0)
"""A dimension of one element."""


def plain_shape(value: Value) -> Shape:
    """The shape that a value's layout speaks of: of a packed block that of the matrix before packing (seed 000)."""
    shape: Shape = shape_of(value.type)
    if isinstance(value.op, xegpu.LoadNd) and value.op.packed is not None and len(shape) == 3:
        return shape[0] * shape[2], shape[1]
    return shape


def of_lanes(layout: AnyLayout, rank: int) -> AnyLayout:
    """The layout of offsets and masks from that of the value: without the dimension of the chunks."""
    return layout if layout.rank == rank else layout.slice([layout.rank - 1])


@lru_cache(maxsize=4096)
def shares(layout: AnyLayout, shape: Shape) -> tuple[Share, ...]:
    """The shares of a tile; raises LayoutError where the layout does not fit it (seed 001, the rule of divisibility)."""
    strides = layout.sg_strides or (0,) * layout.root.rank
    return tuple(
        Share(s.size, s.distinct, strides[d] if s.distinct > 1 else 0, s.rounds, s.round_stride if s.rounds > 1 else 0)
        for s, d in zip(layout.sg_spread(shape), layout.kept)
    )


def same_owners(one: AnyLayout, other: AnyLayout, shape: Shape) -> bool:
    """Whether both layouts give each subgroup the same pieces in the same order."""
    return one == other or shares(one, shape) == shares(other, shape)


def own_rows(op: vector.Shuffle, parts: int) -> tuple[int, ...] | None:
    """What picks the rows of each of so many parts, one below the other, of the same parts of its operands; None where nothing does."""
    (first, *_), (second, *_), (rows, *_) = (shape_of(value.type) for value in (op.v1, op.v2, op.result))
    if any(height % parts for height in (first, second, rows)):
        return None
    high, low, each = first // parts, second // parts, rows // parts

    def own(at: int, part: int) -> int | None:
        row, size, above = (at - part * high, high, 0) if at < first else (at - first - part * low, low, high)
        return row + above if 0 <= row < size else None

    (mask, *others) = {tuple(own(at, part) for at in op.mask[part * each : (part + 1) * each]) for part in range(parts)}
    return None if others or None in mask else mask  # type: ignore[return-value]


def num_pieces(parts: tuple[Share, ...]) -> int:
    """Pieces that each subgroup holds."""
    count = 1
    for part in parts:
        count *= part.rounds
    return count


def rounds_of(parts: tuple[Share, ...]) -> list[tuple[int, ...]]:
    """The rounds of all pieces, row-major."""
    return list(product(*(range(part.rounds) for part in parts)))


def is_shared(parts: tuple[Share, ...], subgroups: int) -> bool:
    """Whether some piece is held by more than one subgroup."""
    distinct = 1
    for part in parts:
        distinct *= part.distinct
    return distinct < subgroups


def row_major(layout: Layout, shape: Shape) -> Layout:
    """The same ownership as a wg_map (row-major ids, seed 001) where it has one; else the layout as it is."""
    rows, columns = shares(layout, shape)
    total = layout.num_subgroups
    if columns.distinct == 1:
        across = rows.stride or 1
    elif columns.stride == 1 and (rows.distinct == 1 or rows.stride % columns.distinct == 0):
        across = rows.stride or columns.distinct
    else:
        return layout
    if total % across:
        return layout
    found = Layout((total // across, across), (rows.size, columns.size))
    try:
        return found if same_owners(found, layout, shape) else layout
    except LayoutError:  # a grid that the shape cannot be cut by
        return layout
