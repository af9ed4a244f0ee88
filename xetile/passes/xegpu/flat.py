"""What a subgroup's vector becomes in XeTile: values of two dimensions that, one after another, hold its elements in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import gcd, prod

from xetile.dialects import arith, vector, xetile
from xetile.dialects.types import ScalarType, VectorType, element_of, shape_of
from xetile.ir.builder import Builder
from xetile.ir.core import Value, type_of
from xetile.records import dataclass

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
        rows, columns = shape_of(self.values[0].type)
        return rows, columns

    @property
    def element(self) -> ScalarType:
        """The element type."""
        return element_of(self.values[0].type)

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
    """The same vector over values of other rows and columns, packed as it says."""
    if flat.block == block and flat.packing == packing:
        return flat
    if flat.packing > 1:
        return arranged(build, _unpacked(build, flat), block, packing)
    if packing > 1:
        return _packed(build, arranged(build, flat, (block[1], packing)), block, packing)
    rows, columns = flat.block
    if columns == 1 < rows:  # a column has a row for each lane: as lines first
        return arranged(build, _transposed(build, flat), block)
    if block[1] == 1 < block[0]:
        return _transposed(build, arranged(build, flat, (1, block[0])))
    return replace(flat, values=_joined(build, _runs_of(build, flat, block), block))


def _unpacked(build: Builder, flat: Flat) -> Flat:
    """The (N, p) of each group of p rows, as the vector has them."""
    _, columns = flat.block
    groups = [run for value in flat.values for run in cut_runs(build, value, (flat.packing, columns))]
    return _transposed(build, replace(flat, values=tuple(groups), packing=1))


def _packed(build: Builder, flat: Flat, block: tuple[int, int], packing: int) -> Flat:
    """Values that hold rows in groups, from the (N, p) of each group."""
    return replace(flat, values=_joined(build, _transposed(build, flat).values, block), packing=packing)


def _transposed(build: Builder, flat: Flat) -> Flat:
    """Columns as lines, lines as columns."""
    return replace(flat, values=tuple(build(xetile.TileTranspose, v) for v in flat.values))


def run_shape(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    """The largest parts that values of both shapes are made of, in order: whole rows, or parts of a row."""
    columns = gcd(one[1], other[1])
    return (gcd(one[0], other[0]) if one[1] == other[1] else 1), columns


def _runs_of(build: Builder, flat: Flat, block: tuple[int, int]) -> list[Value]:
    return [run for value in flat.values for run in cut_runs(build, value, run_shape(flat.block, block))]


def cut_runs(build: Builder, value: Value, run: tuple[int, int]) -> list[Value]:
    """The parts of a value, row-major."""
    rows, columns = shape_of(value.type)
    if (rows, columns) == run:
        return [value]
    places = product(range(0, rows, run[0]), range(0, columns, run[1]))
    return [build(vector.ExtractStridedSlice, value, offsets=at, sizes=run, strides=(1, 1)) for at in places]


def _joined(build: Builder, runs: Sequence[Value], block: tuple[int, int]) -> tuple[Value, ...]:
    """Values of whole blocks made of parts, row-major."""
    kind = type_of(runs[0], VectorType)
    if kind.shape == block:
        return tuple(runs)
    places = list(product(range(0, block[0], kind.shape[0]), range(0, block[1], kind.shape[1])))
    made = []
    for start in range(0, len(runs), len(places)):
        whole: Value = build(arith.Constant, value=0, result=VectorType(block, kind.element))
        for run, at in zip(runs[start : start + len(places)], places, strict=True):
            whole = build(vector.InsertStridedSlice, run, whole, offsets=at, strides=(1, 1), result=whole.type)
        made.append(whole)
    return tuple(made)
