"""Memory, and regions of it: where the elements are that an op reads or writes.

A region has one `Dim` per dimension of the memory behind it. Where offsets move evenly along each batch axis, a region is one
strided view; where they do not, it is blocks that start anywhere (`Blocks`). Where it reaches past the edge, the same of a padded
copy of the part that it touches; where even that is wasteful, elements are addressed one by one.
"""

# numpy's type information gives Any for most results.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from xetile.errors import LaunchError
from xetile.records import dataclass

from .values import BATCH, Array, along, with_rank

Affine = tuple[int, tuple[int, ...]]
"""First offset, and its step along each batch axis."""


_UNKNOWN: Any = object()


class Dim:
    """One dimension of a region: `size` elements from `offset` (per program), of `extent` elements that are `stride` apart.

    axis: that of the array where a subscript chose one element of it by its number, which must lie inside; else -1.
    """

    __slots__ = ("_affine", "axis", "extent", "offset", "size", "stride")

    def __init__(
        self, offset: Array, extent: Any, stride: Any, size: int = 1, affine: Affine | None = _UNKNOWN, axis: int = -1
    ) -> None:
        self.offset = offset
        self.extent = extent
        self.stride = stride
        self.size = size
        self.axis = axis
        self._affine = affine

    @property
    def affine(self) -> Affine | None:
        """The offsets as a linear function of the batch coordinates, if they are one."""
        if self._affine is _UNKNOWN:
            self._affine = _linear(self.offset)
        return self._affine

    def reach(self) -> tuple[int, int]:
        """Smallest offset, and one past the last element, over all programs."""
        if self.affine is None:
            return int(self.offset.min()), int(self.offset.max()) + self.size
        low = high = self.affine[0]
        for step, count in zip(self.affine[1], self.offset.shape):
            if step:
                low, high = (low, high + step * (count - 1)) if step > 0 else (low + step * (count - 1), high)
        return low, high + self.size

    def moved(self, by: Array) -> Dim:
        """The same with other offsets; moved by one number for all, linear ones stay so."""
        affine = self._affine
        if affine is not _UNKNOWN and affine is not None:
            affine = (affine[0] + int(by.flat[0]), affine[1]) if by.size == 1 else _UNKNOWN
        return Dim(self.offset + by, self.extent, self.stride, self.size, affine, -1 if by.any() else self.axis)


def _linear(offset: Array) -> Affine | None:
    first = int(offset.flat[0])
    steps = [0] * BATCH
    rebuilt = np.full((1,) * BATCH, first)
    for axis, count in enumerate(offset.shape):
        if count > 1:
            steps[axis] = int(offset[(0,) * axis + (1,) + (0,) * (BATCH - axis - 1)]) - first
            rebuilt = rebuilt + along(axis, np.arange(count)) * steps[axis]
    if offset.size > 1 and not (rebuilt == offset).all():
        return None
    return first, tuple(steps)


@dataclass(frozen=True, eq=False)
class Memory:
    """Elements in a row, and the dimensions that choose a program's own part (shared local memory; none for arrays).

    base         element at which address 0 is; addresses may be negative where an array has negative strides.
    read_only    nobody writes here while the kernel runs, so loads may give views.
    shape, steps sizes and strides (elements) of the array that was passed: what a memref of run-time sizes has.
    """

    flat: Array
    name: str
    lead: tuple[Dim, ...] = ()
    base: int = 0
    read_only: bool = False
    space: int = 0
    shape: tuple[int, ...] | None = None
    steps: tuple[int, ...] | None = None

    def of(self, dtype: np.dtype[Any]) -> Memory:
        """The same bytes as elements of another type."""
        if dtype == self.flat.dtype:
            return self
        old, new = self.flat.dtype.itemsize, dtype.itemsize
        if old == new:
            return replace(self, flat=self.flat.view(dtype))
        lead = tuple(Dim(d.offset, d.extent, d.stride * old // new, d.size) for d in self.lead)
        usable = self.flat[: self.flat.size * old // new * new // old]
        return replace(self, flat=usable.view(dtype), lead=lead, base=self.base * old // new, shape=None, steps=None)

    @property
    def count(self) -> int:
        """Elements that one program can address."""
        return self.flat.size if not self.lead else int(self.lead[-1].stride)


def followed(source: Any) -> Memory:
    """The memory of a memref, or of an address for which an array was passed."""
    if not isinstance(source, Memory):
        raise LaunchError("the numpy device follows addresses only to arrays", hint="pass the array in place of the address")
    return source


@dataclass(frozen=True, eq=False)
class Alternatives:
    """A block of one memory in some programs and of another one in others: nothing but a prefetch takes such a descriptor."""

    condition: Array
    one: Region
    other: Region

    def moved(self, by: Sequence[Array]) -> Region:
        """Raises: what is loaded or stored would have to be done for each memory apart."""
        raise LaunchError("a load or store of a block that is of one array in some subgroups, of another in others")


def select_region(condition: Array, one: Region, other: Region) -> Region | Alternatives:
    """One of two blocks; both where programs differ."""
    if condition.all():
        return one
    return Alternatives(condition, one, other) if condition.any() else other


@dataclass(frozen=True, eq=False)
class Region:
    """A block of elements of a memory for each program: `shape` are the sizes of the last dimensions."""

    memory: Memory
    dims: tuple[Dim, ...]
    rank: int

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Shape of the block."""
        return tuple(d.size for d in self.dims[len(self.dims) - self.rank :])

    @cached_property
    def batch(self) -> tuple[int, ...]:
        """Batch axes that the region depends on."""
        shapes = {d.offset.shape for d in (*self.memory.lead, *self.dims)}
        return np.broadcast_shapes(*shapes) if len(shapes) > 1 else shapes.pop()

    def moved(self, by: Sequence[Array]) -> Region:
        """Moved along its last dimensions."""
        keep = len(self.dims) - len(by)
        return Region(self.memory, (*self.dims[:keep], *(d.moved(b) for d, b in zip(self.dims[keep:], by))), self.rank)

    # Element by element.

    def addresses(self) -> tuple[Array, Array | None]:
        """Address of each element (batch axes, then the block's), and whether it is inside; None where all are."""
        address: Array = np.zeros((1,) * (BATCH + self.rank), np.int64) + self.memory.base
        inside: Array | None = None
        lead = len(self.memory.lead)
        for i, dim in enumerate((*self.memory.lead, *self.dims)):
            axis = i - lead - len(self.dims) + self.rank
            index = with_rank(dim.offset.astype(np.int64, copy=False), self.rank)
            if axis >= 0:
                index = index + np.arange(dim.size).reshape([-1 if a == axis else 1 for a in range(self.rank)])
            extent, stride = _spread(dim.extent, self.rank), _spread(dim.stride, self.rank)
            holds = (index >= 0) & (index < extent)
            if not holds.all():
                inside = holds if inside is None else inside & holds
            address = address + index * stride
        return address, inside

    # As a whole.

    @cached_property
    def span(self) -> Span | None:
        """What the region spans, if memory has the same sizes and strides for all programs."""
        dims = (*self.memory.lead, *self.dims)
        if any(type(d.extent) is not int or type(d.stride) is not int for d in dims):
            return None
        reach, extents = tuple(d.reach() for d in dims), tuple(d.extent for d in dims)
        return Span(tuple(d.affine for d in dims), tuple(d.offset for d in dims), reach, extents, tuple(d.stride for d in dims))

    def view(self) -> Array | Blocks | None:
        """The region in its memory, if all is inside."""
        if self.span is None or not self.span.inside:
            return None
        return self._over(self.memory.flat, self.memory.base, self.span.strides, (0,) * len(self.span.strides))

    def box(self, padding: Any) -> Array | None:
        """A copy of the part of the memory that the region spans, padded; None if that would be wasteful."""
        if self.span is None:
            return None
        shape = self.span.box
        if prod(shape) > 2 * prod(self.batch) * prod(self.shape) + 4096:
            return None
        copy = np.full(shape, padding, self.memory.flat.dtype)
        if self.span.overlap is not None:
            copy[self.span.overlap] = self._overlap()
        return copy

    def in_box(self, box: Array) -> Array | Blocks:
        """The region in its box."""
        assert self.span is not None
        found = self._over(box.reshape(-1), 0, row_major(box.shape), [low for low, _ in self.span.reach])
        assert found is not None  # a box has no negative strides
        return found

    def box_to_store(self) -> Array | None:
        """The same to be changed and written back: None where that would write an element twice, once as it was."""
        return self.box(0) if self.span is not None and self.span.apart else None

    def write_back(self, box: Array) -> None:
        """Copy the inside part of a box to memory."""
        assert self.span is not None
        if self.span.overlap is not None:
            self._overlap()[...] = box[self.span.overlap]

    def _overlap(self) -> Array:
        """The memory under the inside part of the box."""
        assert self.span is not None and self.span.overlap is not None
        low = [max(0, lo) for lo, _ in self.span.reach]
        size = [s.stop - s.start for s in self.span.overlap]
        start = self.memory.base + sum(a * s for a, s in zip(low, self.span.strides))
        return _strided(self.memory.flat, start, size, self.span.strides)

    def _over(self, flat: Array, base: int, strides: Sequence[int], origin: Sequence[int]) -> Array | Blocks | None:
        assert self.span is not None
        inner = strides[len(strides) - self.rank :]
        affine = [a for a in self.span.affine if a is not None]
        if len(affine) < len(strides):
            start = sum(((o - low) * s for o, low, s in zip(self.span.offsets, origin, strides)), np.int64(base))
            return Blocks.of(flat, np.asarray(start), self.shape, inner)
        start = base + sum((first - low) * s for (first, _), low, s in zip(affine, origin, strides))
        batch = [sum(steps[axis] * s for (_, steps), s in zip(affine, strides)) for axis in range(BATCH)]
        return _strided(flat, start, [*self.batch, *self.shape], [*batch, *inner])


@dataclass(frozen=True, eq=False)
class Blocks:
    """Blocks of one shape that start anywhere in a buffer: `places[i]` is the block at element i, `starts` (batch axes) says which."""

    places: Array
    starts: Array

    @classmethod
    def of(cls, flat: Array, starts: Array, shape: Sequence[int], strides: Sequence[int]) -> Blocks | None:
        """None where strides are negative, so that blocks lie before their start."""
        if min(strides, default=0) < 0:
            return None
        count = flat.size - sum((n - 1) * s for n, s in zip(shape, strides))
        if starts.min() < 0 or starts.max() >= count:
            raise LaunchError(f"an array of {flat.size} elements is left: its sizes or strides are wrong")
        return cls(_strided(flat, 0, [count, *shape], [1, *strides]), starts)

    def read(self) -> Array:
        """A copy of all blocks."""
        return self.places[self.starts]

    def write(self, value: Array, mask: Array | None) -> None:
        """Write the blocks of the programs in the mask."""
        if mask is None:
            self.places[self.starts] = value
            return
        batch = np.broadcast_shapes(self.starts.shape, mask.shape)
        chosen = np.broadcast_to(mask, batch)
        value = np.broadcast_to(value, (*batch, *value.shape[BATCH:]))
        self.places[np.broadcast_to(self.starts, batch)[chosen]] = value[chosen]


@dataclass(frozen=True)
class Span:
    """What a region reaches: for each dimension its offsets (as a linear function where they are one), the elements that all
    programs together reach, extent and stride.
    """

    affine: tuple[Affine | None, ...]
    offsets: tuple[Array, ...]
    reach: tuple[tuple[int, int], ...]
    extents: tuple[int, ...]
    strides: tuple[int, ...]

    @property
    def inside(self) -> bool:
        """Whether nothing is outside."""
        return all(low >= 0 and high <= extent for (low, high), extent in zip(self.reach, self.extents))

    @property
    def apart(self) -> bool:
        """Whether no two elements of the box are one element of memory, as where rows overlap."""
        beyond = 0
        for stride, count in sorted(zip(map(abs, self.strides), self.box)):
            if count > 1:
                if stride <= beyond:
                    return False
                beyond += stride * (count - 1)
        return True

    @property
    def box(self) -> tuple[int, ...]:
        """Shape of what the region spans."""
        return tuple(high - low for low, high in self.reach)

    @property
    def overlap(self) -> tuple[slice, ...] | None:
        """Which part of the box is inside; None if nothing is."""
        parts = tuple(slice(max(0, low) - low, min(extent, high) - low) for (low, high), extent in zip(self.reach, self.extents))
        return parts if all(p.start < p.stop for p in parts) else None


def _spread(number: Any, rank: int) -> Any:
    return with_rank(number, rank) if isinstance(number, np.ndarray) else number


def row_major(shape: Sequence[int]) -> list[int]:
    """How far apart neighbours along each dimension are."""
    return [prod(shape[i + 1 :]) for i in range(len(shape))]


def _strided(flat: Array, start: int, shape: Sequence[int], strides: Sequence[int]) -> Array:
    """A view of elements, strides counted in elements; refuses to leave `flat`."""
    size = flat.itemsize
    try:
        # numpy checks the bounds; a byte buffer, because ml_dtypes' types have no buffer interface.
        raw = flat.view(np.uint8)
        return np.ndarray(tuple(shape), flat.dtype, raw, start * size, tuple(s * size for s in strides))
    except ValueError as error:
        raise LaunchError(f"an array of {flat.size} elements is left: its sizes or strides are wrong ({error})") from error
