"""Axes of arrays: what a view has of each, and where that begins and ends."""

from __future__ import annotations

from dataclasses import replace

from xetile.language.extents import as_index, distance
from xetile.language.values import OPERATORS, Value
from xetile.records import dataclass

Size = int | Value
"""A size or stride: a Python int where it is known when the kernel is compiled."""


def is_unit(stride: Size) -> bool:
    """Whether a stride is known to be 1."""
    return isinstance(stride, int) and stride == 1


@dataclass(frozen=True)
class Axis:
    """What a view has of an axis of its array: elements start, start + step, ..., within the array's (`size`).

    extent   how many; None: all that are left.  Elements from `size` on lie outside of the array, as those of tiles may.
    end      where the elements end along the array's axis, where the subscript said it.
    dropped  whether a subscript chose one element, so that the view has not the axis.
    chosen   whether one did, which lies inside of the array; the view may have the axis again, as one of size 1.
    """

    size: Size
    stride: Size
    start: Size = 0
    extent: Size | None = None
    step: int = 1
    dropped: bool = False
    chosen: bool = False
    end: Size | None = None

    @property
    def length(self) -> Size:
        """Elements along the axis."""
        if self.extent is not None:
            return self.extent
        return self.size if isinstance(self.start, int) and self.start == 0 else distance(self.size, self.start)

    @property
    def limit(self) -> Size:
        """Where the view ends along the array's axis, at the array's end at the latest, and at 1 at least (see `place`)."""
        if self.extent is None:
            return self.size
        found = self._end()
        return found if isinstance(found, int) or not self.may_be_empty else OPERATORS["maximum"](found, 1)

    @property
    def may_be_empty(self) -> bool:
        """Whether the view may end before the array's first element."""
        return self.extent is not None and not isinstance(self._stop, int)

    @property
    def place(self) -> Size:
        """Where the view starts; behind its `limit` where that would be 0 or less, which block messages cannot say."""
        if not self.may_be_empty:
            return self.start
        return OPERATORS["where"](self._end() < 1, OPERATORS["maximum"](self.start, 1), self.start)  # type: ignore[no-any-return]

    @property
    def as_whole(self) -> Axis:
        """The axis as parts of this view see it: what ends with the view ends their array."""
        return self if self.extent is None else replace(self, size=self.limit, start=self.place)

    @property
    def begins(self) -> bool:
        """Whether elements of the array may lie before the view."""
        return self.may_be_empty or not isinstance(self.start, int) or self.start != 0

    @property
    def _stop(self) -> Size:
        assert self.extent is not None
        if self.end is not None:
            return self.end
        return self.start + (self.extent if self.step == 1 else (self.extent - 1) * self.step + 1)

    def _end(self) -> Size:
        stop = self._stop
        if isinstance(stop, int) and isinstance(self.size, int):
            return min(stop, self.size)
        return OPERATORS["minimum"](as_index(stop), as_index(self.size))  # type: ignore[no-any-return]
