"""What Layout and Slice share: the arithmetic from a tile to subgroups, instruction blocks and lanes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import Protocol

from xetile.errors import LayoutError
from xetile.layout.spread import Spread, spread
from xetile.layout.text import shape_text

Shape = tuple[int, ...]


class Owners(Protocol):
    """The grid of owners that a `Layout` names (see there)."""

    @property
    def rank(self) -> int:
        """Rank of the grid."""

    @property
    def dim_order(self) -> Shape:
        """Dimensions from the fastest to the slowest in linear ids."""

    @property
    def sg_layout(self) -> Shape:
        """Subgroups per dimension."""

    @property
    def sg_data(self) -> Shape:
        """Elements that a subgroup gets at a time."""

    @property
    def inst_data(self) -> Shape:
        """Elements of an instruction's block."""

    @property
    def lane_layout(self) -> Shape:
        """Lanes per dimension."""

    @property
    def lane_data(self) -> Shape:
        """Elements that a lane gets at a time."""


class Distribution:
    """A distribution of tiles: a grid of owners (`root`), and which of the grid's dimensions (`kept`) the tile has.

    Three steps, each with shapes, offsets from the start of the enclosing piece, and symbolic spreads per dimension:
    a tile gives each subgroup one piece per round (`pieces`); a piece holds instruction blocks (`blocks`); a block holds one
    distribution unit per round and lane (`lane_elements`). Rounds, blocks and units count row-major, so does a unit inside.
    """

    __slots__ = ()

    @property
    def root(self) -> Owners:
        """The layout that names all owners."""
        raise NotImplementedError

    @property
    def kept(self) -> tuple[int, ...]:
        """For each dimension of the tile, the dimension of `root` that distributes it."""
        raise NotImplementedError

    @property
    def rank(self) -> int:
        """Rank of the tiles that this distributes."""
        return len(self.kept)

    # Owners: numbers and coordinates.

    @property
    def num_subgroups(self) -> int:
        """Subgroups that take part; 1 at subgroup level."""
        return prod(self.root.sg_layout)

    @property
    def num_lanes(self) -> int:
        """Lanes that take part; 1 where no lane_layout is given."""
        return prod(self.root.lane_layout)

    @property
    def sg_strides(self) -> Shape:
        """`id = sum(coordinate * stride)` and `coordinate[d] = (id // stride[d]) % sg_layout[d]`, over the root's dimensions."""
        return _strides(self.root.sg_layout, self.root.dim_order)

    @property
    def lane_strides(self) -> Shape:
        """As `sg_strides`, for lanes."""
        return _strides(self.root.lane_layout, self.root.dim_order)

    def sg_coords(self, sg: int) -> Shape:
        """Coordinates of a subgroup in the root's grid (seed 000, order: its first entry is the fastest dimension)."""
        return _coords(sg, self.root.sg_layout, self.sg_strides)

    def sg_id(self, coords: Sequence[int]) -> int:
        """Linear id of the subgroup at `coords`."""
        return sum(c * s for c, s in zip(coords, self.sg_strides, strict=True))

    def lane_coords(self, lane: int) -> Shape:
        """Coordinates of a lane in the root's lane_layout."""
        return _coords(lane, self.root.lane_layout, self.lane_strides)

    def lane_id(self, coords: Sequence[int]) -> int:
        """Linear id of the lane at `coords`."""
        return sum(c * s for c, s in zip(coords, self.lane_strides, strict=True))

    # A tile to subgroups.

    def sg_spread(self, shape: Sequence[int]) -> tuple[Spread, ...]:
        """How each dimension of a workgroup's tile is distributed to subgroups; dimension `d` uses coordinate `kept[d]`.

        Raises LayoutError where the rule of seed 001 does not hold: for each dimension sg_layout * sg_data must divide the
        tile, or the tile it.
        """
        root = self.root
        return self._spread(shape, root.sg_layout, root.sg_data, ("sg_layout", "sg_data", "the tile"))

    def rounds(self, shape: Sequence[int]) -> Shape:
        """Pieces that each subgroup gets, per dimension."""
        return tuple(s.rounds for s in self.sg_spread(shape))

    def piece_shape(self, shape: Sequence[int]) -> Shape:
        """Shape of one subgroup's piece: sg_data, or less where the tile is smaller."""
        return tuple(s.size for s in self.sg_spread(shape))

    def pieces(self, shape: Sequence[int], sg: int) -> list[Shape]:
        """Offsets in the tile of the pieces that subgroup `sg` gets, rounds row-major."""
        coords = self.sg_coords(sg)
        origins = (s.origins(coords[d] if coords else 0) for s, d in zip(self.sg_spread(shape), self.kept, strict=True))
        return list(product(*origins))

    # A subgroup's piece to instruction blocks.

    def block_spread(self, piece: Sequence[int]) -> tuple[Spread, ...]:
        """How each dimension of a piece is cut into instruction blocks (inst_data)."""
        inst = self.root.inst_data
        ones = (1,) * self.root.rank
        return self._spread(piece, ones, inst or None, ("1", "inst_data", "the subgroup's piece"))

    def block_shape(self, piece: Sequence[int]) -> Shape:
        """Shape that one instruction handles: inst_data, or the whole piece."""
        return tuple(s.size for s in self.block_spread(piece))

    def blocks(self, piece: Sequence[int]) -> list[Shape]:
        """Offsets in the piece of its instruction blocks, row-major."""
        return list(product(*(s.origins(0) for s in self.block_spread(piece))))

    # A block to lanes.

    def lane_spread(self, block: Sequence[int]) -> tuple[Spread, ...]:
        """How each dimension of an instruction block is distributed to lanes; dimension `d` uses lane coordinate `kept[d]`.

        A dimension with fewer elements than lane_layout * lane_data is shared: lanes that run past it start again.
        """
        root = self.root
        return self._spread(
            block, root.lane_layout, root.lane_data, ("lane_layout", "lane_data", "the block for one instruction")
        )

    def unit_shape(self, block: Sequence[int]) -> Shape:
        """Shape of one distribution unit of a lane: lane_data, or less where the block is smaller."""
        return tuple(s.size for s in self.lane_spread(block))

    def fragment_length(self, piece: Sequence[int]) -> int:
        """Elements that one lane holds of a subgroup's piece."""
        block = self.block_shape(piece)
        per_block = prod(s.rounds * s.size for s in self.lane_spread(block))
        return len(self.blocks(piece)) * per_block

    def lane_elements(self, piece: Sequence[int], lane: int) -> list[Shape]:
        """Coordinates in the piece of the elements that a lane holds, in fragment order.

        Blocks row-major, in a block units row-major, in a unit row-major: rows ascend, as in a 2D block message
        (SPV_INTEL_2d_block_io).
        """
        block = self.block_shape(piece)
        coords = self.lane_coords(lane)
        spreads = self.lane_spread(block)
        units = list(product(*(s.origins(coords[d] if coords else 0) for s, d in zip(spreads, self.kept, strict=True))))
        inside = list(product(*(range(s.size) for s in spreads)))
        return [_add(start, unit, element) for start in self.blocks(piece) for unit in units for element in inside]

    def elements(self, shape: Sequence[int], sg: int = 0, lane: int = 0) -> list[Shape]:
        """Coordinates in a workgroup's tile of all elements that one lane of one subgroup holds, piece after piece."""
        fragment = self.lane_elements(self.piece_shape(shape), lane)
        return [_add(piece, element) for piece in self.pieces(shape, sg) for element in fragment]

    def owners(self, shape: Sequence[int]) -> dict[Shape, tuple[tuple[int, int], ...]]:
        """For each element of a workgroup's tile, the (subgroup, lane) pairs that hold it, ascending."""
        found: dict[Shape, list[tuple[int, int]]] = {index: [] for index in product(*map(range, shape))}
        for sg, lane in product(range(self.num_subgroups), range(self.num_lanes)):
            for index in dict.fromkeys(self.elements(shape, sg, lane)):
                found[index].append((sg, lane))
        return {index: tuple(pairs) for index, pairs in found.items()}

    # Checks.

    def check(self, shape: Sequence[int], *, num_subgroups: int | None = None, subgroup_size: int | None = None) -> None:
        """Raises LayoutError unless this layout can distribute a tile of `shape` over that many subgroups and lanes."""
        if num_subgroups is not None and self.root.sg_layout and self.num_subgroups != num_subgroups:
            raise LayoutError(
                f"sg_layout {list(self.root.sg_layout)} has {self.num_subgroups} subgroups; the workgroup has {num_subgroups}",
                hint=f"make the product of sg_layout {num_subgroups}, or compile with num_subgroups={self.num_subgroups}",
            )
        if subgroup_size is not None and self.root.lane_layout and self.num_lanes != subgroup_size:
            raise LayoutError(
                f"lane_layout {list(self.root.lane_layout)} has {self.num_lanes} lanes; the subgroup has {subgroup_size}",
                hint=f"make the product of lane_layout {subgroup_size}",
            )
        self.lane_spread(self.block_shape(self.piece_shape(shape)))

    def _spread(self, shape: Sequence[int], layout: Shape, data: Shape | None, names: tuple[str, str, str]) -> tuple[Spread, ...]:
        if len(shape) != self.rank:
            raise LayoutError(
                f"{self} distributes tiles of rank {self.rank}; this tile, {shape_text(shape)}, has rank {len(shape)}"
            )
        if not layout or data is None:
            return tuple(Spread(extent, 1, extent) for extent in shape)
        return tuple(
            spread(extent, layout[d], data[d] if data else None, names, i)
            for i, (extent, d) in enumerate(zip(shape, self.kept, strict=True))
        )


def _strides(layout: Shape, order: Shape) -> Shape:
    if not layout:
        return ()
    strides, step = [0] * len(layout), 1
    for dim in order:
        strides[dim] = step
        step *= layout[dim]
    return tuple(strides)


def _coords(number: int, layout: Shape, strides: Shape) -> Shape:
    return tuple((number // step) % count for count, step in zip(layout, strides, strict=True))


def _add(*parts: Sequence[int]) -> Shape:
    return tuple(map(sum, zip(*parts, strict=True)))
