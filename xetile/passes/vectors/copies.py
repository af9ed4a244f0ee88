"""A value from one buffer to another, in another form."""

from __future__ import annotations

from functools import partial

from xetile.errors import UncoveredError
from xetile.ir.core import Value
from xetile.passes.vectors.numbers import Number
from xetile.passes.vectors.state import Lowering
from xetile.passes.vectors.storage import Splat, Stored, TileValue

WIDTH = 4
"""Vectors that one iteration moves."""


def copy(lower: Lowering, held: TileValue, made: Stored) -> None:
    """Write a value to a buffer."""
    if isinstance(held, Stored) and held.form.panel and held.form != made.form:
        raise UncoveredError("a matrix operand that is used elsewhere too")
    rows, columns = made.shape
    if made.form.group > 1:
        _copy_groups(lower, held, made)
        return
    if not made.form.panel:
        rows, columns = 1, rows * columns
    width = made.form.panel or lower.lanes * WIDTH

    def row(r: Number) -> None:
        lower.edges.panels(columns, width, partial(_move, lower, held, made, r))

    if rows == 1:
        row(0)
    else:
        lower.edges.loop(0, rows, 1, row)


def _copy_groups(lower: Lowering, held: TileValue, made: Stored) -> None:
    rows, columns = made.shape

    def group(r: Number, column: Number, count: int) -> None:
        values = [_read(lower, held, made, lower.numbers.add(r, i), column, count) for i in range(made.form.group)]
        lower.store_group(made, values, r, column, count)

    def row(r: Number) -> None:
        lower.edges.panels(columns, made.form.panel, partial(group, r))

    lower.edges.loop(0, rows, made.form.group, row)


def _read(lower: Lowering, held: TileValue, made: Stored, row: Number, column: Number, count: int) -> Value:
    n, columns = lower.numbers, made.shape[1]
    if isinstance(held, Splat):
        return lower.access.splat(held.scalar, count)
    return lower.access.load(held.memory, n.add(n.multiply(row, columns), column), count, held.form.element)


def _move(lower: Lowering, held: TileValue, made: Stored, row: Number, column: Number, count: int) -> None:
    n, (rows, columns) = lower.numbers, made.shape
    value = _read(lower, held, made, row, column, count)
    value = lower.convert(value, made.form.element, signed=not made.form.unsigned)
    index = n.add(n.multiply(row, columns), column)
    if made.form.panel:
        index = n.add(n.multiply(column, rows), n.multiply(row, count))
    lower.access.store(value, made.memory, index)
