"""Values that change owners through a memory that is smaller than they are: slab by slab, each with the same part of every piece."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from xetile.passes.analysis.owners import Share
from xetile.records import dataclass

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Slabs:
    """A value cut into `count` slabs along `dim`: of each `unit` elements a slab has `unit / count`.

    The unit divides what subgroups hold before and after, so that every piece has whole parts of each slab.
    """

    dim: int = 0
    unit: int = 1
    count: int = 1

    def shape(self, whole: Shape) -> Shape:
        """The shape of one slab."""
        return tuple(n // self.count if d == self.dim else n for d, n in enumerate(whole))

    def cuts(self, piece: Shape, number: int) -> Iterator[tuple[int, int]]:
        """(place in the piece, place in the piece's part of the slab) of each run of elements along `dim`."""
        part = self.unit // self.count
        for i in range(piece[self.dim] // self.unit):
            yield i * self.unit + number * part, i * part

    def run(self, piece: Shape) -> Shape:
        """The shape of one run."""
        part = self.unit // self.count
        return tuple(part if d == self.dim else n for d, n in enumerate(piece))

    def shares(self, parts: Sequence[Share]) -> tuple[Share, ...]:
        """How a slab is distributed where the whole is as `parts`."""
        return tuple(
            Share(s.size // self.count, s.distinct, s.stride, s.rounds, s.step // self.count) if d == self.dim else s
            for d, s in enumerate(parts)
        )


def choose_slabs(
    fits: Callable[[Shape], bool], whole: Shape, lanes: int, source: Sequence[Share], target: Sequence[Share]
) -> Slabs:
    """The fewest slabs that fit; along the last dimension as long as lanes stay busy. One where none fit: the error tells.

    `source` and `target`: how the value is distributed before and after.
    """
    if fits(whole):
        return Slabs(len(whole) - 1)
    for dim in reversed(range(len(whole))):
        unit = min(source[dim].size, target[dim].size)
        least = lanes if dim == len(whole) - 1 else 1
        count = 2
        while unit % count == 0 and unit // count >= least:
            slabs = Slabs(dim, unit, count)
            if fits(slabs.shape(whole)):
                return slabs
            count *= 2
    return Slabs(len(whole) - 1)
