"""What a subgroup's vector becomes in XeTile: values of two dimensions that, one after another, hold its elements in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from xetile.dialects import xetile
from xetile.dialects.types import ScalarType, VectorType
from xetile.errors import LayoutError
from xetile.ir.builder import Builder
from xetile.ir.core import Value

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Flat:
    """A vector of `shape`: the row-major elements of `values`, one after another, are those of the vector.

    packing: where it is more than 1, the vector holds rows of each value in groups of so many (VNNI): (K/p, N, p) of a (K, N).
    """

    shape: Shape
    values: tuple[Value, ...]
    packing: int = 1

    @property
    def block(self) -> tuple[int, int]:
        """Rows and columns of each value."""
        rows, columns = self.values[0].type.shape  # type: ignore[attr-defined]
        return rows, columns

    @property
    def element(self) -> ScalarType:
        """The element type."""
        return self.values[0].type.element  # type: ignore[attr-defined,no-any-return]

    def carried(self) -> Sequence[Value]:
        """All values change from iteration to iteration."""
        return self.values

    def with_carried(self, values: Sequence[Value]) -> Flat:
        """The same structure with other values."""
        return replace(self, values=tuple(values))

    def with_shape(self, shape: Shape) -> Flat:
        """The same elements in another shape."""
        return replace(self, shape=shape)


def natural(shape: Shape) -> tuple[int, tuple[int, int]]:
    """How many values stand for a vector of this shape, and their rows and columns."""
    if len(shape) < 2:
        return 1, (1, shape[0] if shape else 1)
    return prod(shape[:-2]), (shape[-2], shape[-1])


def arranged(build: Builder, flat: Flat, block: tuple[int, int], packing: int = 1) -> Flat:
    """The same vector over values of other rows and columns. Raises LayoutError where elements would have to move."""
    if flat.block == block and flat.packing == packing:
        return flat
    if flat.packing != packing:
        raise LayoutError("packed and plain vectors do not go together", hint="use plain vectors: packing follows from dpas")
    rows, columns = flat.block
    if block == (columns, rows) and 1 in block:
        return replace(flat, values=tuple(build(xetile.TileTranspose, v) for v in flat.values))
    raise LayoutError(
        f"vectors of {rows}x{columns} elements do not become vectors of {block[0]}x{block[1]} within registers",
        hint="shape casts and slices at subgroup level keep rows whole",
    )


def as_vector(flat: Flat) -> VectorType:
    """The type of the vector."""
    return VectorType(flat.shape, flat.element)


def kind_of(block: tuple[int, int], element: Any) -> VectorType:
    """The type of a value."""
    return VectorType(block, element)
