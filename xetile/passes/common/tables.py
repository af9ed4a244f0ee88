"""Constants whose elements differ, as functions of where an element stands: sums of steps along dimensions, and choices by position."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby, product
from math import prod
from typing import Any

from xetile.dialects import arith
from xetile.dialects.types import INDEX, VectorType
from xetile.errors import LayoutError
from xetile.ir.builder import Builder
from xetile.ir.core import Value

MOST_RUNS = 256
"""Choices for each register of a value; what takes more is made in parts."""
MOST_ELEMENTS = 4096
"""Of a constant that is made in parts; more is what memory is for."""
Shape = tuple[int, ...]
Run = tuple[int, int, float]
"""First position, one past the last, and the value there."""


def table(build: Builder, values: Sequence[Any], shape: Shape, coordinate: Callable[[int], Value], kind: VectorType) -> Value:
    """A value of `kind` whose element at the coordinates (index vectors, one for each dimension) is that of a row-major constant.

    Before: it takes at most `MOST_RUNS` choices (`is_large`).
    """
    steps, rest = _apart(values, shape, kind)
    chosen = _chosen(build, rest, shape, coordinate, kind)
    for dim, step in enumerate(steps):
        if step:
            line = _scaled(build, coordinate(dim), step)
            line = line if kind.element is INDEX else build(arith.IndexCast, line, result=kind)
            chosen = build(arith.AddI, line, chosen)
    return chosen


def is_large(values: Sequence[Any], shape: Shape, kind: VectorType) -> bool:
    """Whether a constant takes more choices than one table makes, so that it is cut. Raises LayoutError for one that nothing makes."""
    choices = len(_runs(values))
    if choices > MOST_RUNS:
        choices = len(_runs(_apart(values, shape, kind)[1]))
    if choices > MOST_RUNS and len(values) > MOST_ELEMENTS:
        raise LayoutError(
            f"a constant of {len(values)} elements changes {choices} times; at most {MOST_ELEMENTS} elements are compiled where it"
            f" does so more than {MOST_RUNS} times", hint="load it from memory")  # fmt: skip
    return choices > MOST_RUNS


def part_of(values: Sequence[Any], shape: Shape, start: Shape, sizes: Shape) -> tuple[Any, ...]:
    """The elements of a block of a row-major constant."""
    places = product(*(range(at, at + size) for at, size in zip(start, sizes)))
    return tuple(values[place_of(shape, place)] for place in places)


def _apart(values: Sequence[Any], shape: Shape, kind: VectorType) -> tuple[list[int], list[Any]]:
    """Steps along dimensions, where integers take fewer choices beside them, and what is left."""
    none, whole = [0] * len(shape), list(values)
    if not kind.element.is_int or kind.element.bits == 1:
        return none, whole
    steps, places = _steps(values, shape), product(*map(range, shape))
    even = [int(v) - sum(s * p for s, p in zip(steps, place)) for v, place in zip(values, places)]
    return (steps, even) if len(_runs(even)) < len(_runs(whole)) else (none, whole)


def _steps(values: Sequence[float], shape: Shape) -> list[int]:
    """From the first element to its neighbour along each dimension."""
    return [int(values[prod(shape[d + 1 :])]) - int(values[0]) if n > 1 else 0 for d, n in enumerate(shape)]


def _runs(values: Sequence[float]) -> list[Run]:
    """Neighbours with one value, but for the most frequent value. Zeros with another sign, and NaN, are values of their own."""
    common = _most_frequent(values)
    found, start = [], 0
    for key, group in groupby(values, repr):
        items = list(group)
        if key != repr(common):
            found.append((start, start + len(items), items[0]))
        start += len(items)
    return found


def _most_frequent(values: Sequence[float]) -> float:
    counts: dict[str, int] = {}
    for value in values:
        counts[repr(value)] = counts.get(repr(value), 0) + 1
    most = max(counts, key=lambda key: counts[key])
    return next(v for v in values if repr(v) == most)


def _chosen(build: Builder, values: Sequence[Any], shape: Shape, coordinate: Callable[[int], Value], kind: VectorType) -> Value:
    runs = _runs(values)
    assert len(runs) <= MOST_RUNS
    whole: Value = build(arith.Constant, value=_most_frequent(values), result=kind)
    if not runs:
        return whole
    at = _position(build, shape, coordinate)
    for start, stop, value in runs:
        here = _between(build, at, start, stop)
        whole = build(arith.Select, here, build(arith.Constant, value=value, result=kind), whole)
    return whole


def _position(build: Builder, shape: Shape, coordinate: Callable[[int], Value]) -> Value:
    """Row-major, of each element."""
    total: Value | None = None
    for dim, extent in enumerate(shape):
        if extent > 1:
            line = _scaled(build, coordinate(dim), prod(shape[dim + 1 :]))
            total = line if total is None else build(arith.AddI, total, line)
    return coordinate(0) if total is None else total


def _between(build: Builder, at: Value, start: int, stop: int) -> Value:
    def splat(number: int) -> Value:
        return build(arith.Constant, value=number, result=at.type)

    if stop - start == 1:
        return build(arith.CmpI, at, splat(start), predicate="eq")
    moved = build(arith.SubI, at, splat(start)) if start else at
    return build(arith.CmpI, moved, splat(stop - start), predicate="ult")


def _scaled(build: Builder, value: Value, by: int) -> Value:
    if by == 1:
        return value
    return build(arith.MulI, value, build(arith.Constant, value=by, result=value.type))


def place_of(shape: Sequence[int], position: Sequence[int]) -> int:
    """Where an element of a table is, row by row."""
    place = 0
    for extent, at in zip(shape, position):
        place = place * extent + at
    return place
