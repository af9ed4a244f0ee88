"""How one dimension of a tile is distributed to owners: the only place where round robin and sharing are worked out."""

from __future__ import annotations

from collections.abc import Iterator

from xetile.errors import LayoutError
from xetile.records import dataclass


@dataclass(frozen=True, slots=True)
class Spread:
    """`extent` elements distributed to `count` owners, `size` contiguous elements at a time (seed 001, workgroup level).

    The piece that owner `c` gets in round `r` starts at `(c * size + r * round_stride) mod extent`. The modulo matters only
    where `wraps` is true: there are more owners than pieces, and owners that are `distinct` apart share one piece.
    """

    extent: int
    count: int
    size: int

    @property
    def distinct(self) -> int:
        """How many owners get different pieces in one round."""
        return min(self.count, self.extent // self.size)

    @property
    def wraps(self) -> bool:
        """Whether the owner's coordinate must be taken modulo `distinct` (elements: modulo `extent`)."""
        return self.count > self.distinct

    @property
    def round_stride(self) -> int:
        """Elements from one round to the next."""
        return self.count * self.size

    @property
    def rounds(self) -> int:
        """How many pieces each owner gets."""
        return max(1, self.extent // self.round_stride)

    @property
    def whole(self) -> bool:
        """Whether each owner gets the whole dimension."""
        return self.rounds * self.size == self.extent

    def origin(self, coordinate: int, in_round: int = 0) -> int:
        """First element of the piece that the owner at `coordinate` gets in round `in_round`."""
        return (coordinate * self.size + in_round * self.round_stride) % self.extent

    def origins(self, coordinate: int) -> Iterator[int]:
        """First elements of all pieces of one owner, round by round."""
        return (self.origin(coordinate, in_round) for in_round in range(self.rounds))

    def elements(self, coordinate: int) -> Iterator[int]:
        """All elements of one owner: pieces by round, ascending inside a piece."""
        return (start + i for start in self.origins(coordinate) for i in range(self.size))

    def mask(self, coordinate: int) -> int:
        """The set of elements of one owner as the bits of an integer: sets compare fast."""
        piece = (1 << self.size) - 1
        return sum(piece << start for start in self.origins(coordinate))


def spread(extent: int, count: int, size: int | None, names: tuple[str, str, str], dim: int) -> Spread:
    """The spread of one dimension; `size` None means an even share (seed 002, sg_data).

    names: the parameters that gave `count` and `size`, and what is distributed, for the messages. Raises LayoutError unless
    `count * size` divides `extent` or the other way round (seed 001) and no piece crosses the edge.
    """
    layout, data, what = names
    if size is None:
        size = _even_share(extent, count, layout, what, dim)
    if size > extent and size % extent == 0:
        size = extent  # the piece repeats the whole dimension: one copy of it is what the owner holds
    unit = count * size
    if extent % size == 0 and (unit % extent == 0 or extent % unit == 0):
        return Spread(extent, count, size)
    if extent % size:
        raise LayoutError(
            f"{data}[{dim}] = {size} does not divide dimension {dim} of {what}, which has {extent} elements",
            hint=f"use a {data}[{dim}] that divides {extent}: {_divisors(extent)}",
        )
    raise LayoutError(
        f"{layout}[{dim}] * {data}[{dim}] = {count} * {size} = {unit} neither divides dimension {dim} of {what},"
        f" which has {extent} elements, nor is a multiple of it",
        hint=f"with {data}[{dim}] = {size}, use a {layout}[{dim}] that divides {extent // size} or is a multiple of it",
    )


def _even_share(extent: int, count: int, layout: str, what: str, dim: int) -> int:
    if extent % count == 0:
        return extent // count
    if count % extent == 0:
        return 1
    raise LayoutError(
        f"{layout}[{dim}] = {count} does not divide dimension {dim} of {what}, which has {extent} elements",
        hint=f"use a {layout}[{dim}] of {_divisors(extent)}",
    )


def _divisors(number: int) -> str:
    return ", ".join(str(d) for d in range(1, number + 1) if number % d == 0)
