"""Joint matrices on CPUs: buffers in rows, of which a row slice is a vector of neighbours; products as those of tiles."""

from __future__ import annotations

from collections.abc import Callable

from xetile.dialects import gpu
from xetile.dialects import joint_matrix as jm
from xetile.errors import UncoveredError
from xetile.ir.core import Op, Value
from xetile.ir.dispatch import Table
from xetile.passes.vectors.loops import spans
from xetile.passes.vectors.numbers import Number
from xetile.passes.vectors.products import in_place_of
from xetile.passes.vectors.state import Lowering
from xetile.passes.vectors.storage import Form, Splat, Stored

LOWER = Table()


@LOWER(gpu.ReinterpretCast)
def _reinterpret_cast(op: gpu.ReinterpretCast, lower: Lowering) -> Value:
    """An array as one dimension, as all are here."""
    return lower.buffers.flat(lower.env[op.source])


@LOWER(jm.Fill)
def _fill(op: jm.Fill, lower: Lowering) -> Splat:
    return Splat(op.result.type.shape, lower.scalar(op.value))


def _rows(lower: Lowering, shape: tuple[int, int], body: Callable[[Number, Number, int], None]) -> None:
    """`body(row, column, count)` for runs of vectors in each row."""
    rows, columns = shape

    def row(r: Number) -> None:
        for (first, last), count in spans(columns, lower.lanes):
            for column in range(first, last, count):
                body(r, column, count)

    lower.edges.loop(0, rows, 1, row)


@LOWER(jm.Load)
def _load(op: jm.Load, lower: Lowering) -> Stored:
    if op.layout != "row":
        raise UncoveredError(f"a joint matrix in the layout {op.layout!r}", at=op.loc)
    kind, n = op.result.type, lower.numbers
    memory, index, stride = (lower.env[v] for v in op.operands)
    out = lower.new(kind.shape, Form(kind.element), op.result)

    def move(r: Number, column: int, count: int) -> None:
        found = lower.access.load(memory, n.add(index, n.multiply(r, stride), column), count, kind.element)
        lower.access.store(found, out.memory, n.add(n.multiply(r, kind.shape[1]), column))

    _rows(lower, kind.shape, move)
    return out


@LOWER(jm.Store)
def _store(op: jm.Store, lower: Lowering) -> tuple[()]:
    kind, n = op.value.type, lower.numbers
    held = lower.materialize(op.value, Form(kind.element))
    memory, index, stride = (lower.env[v] for v in op.operands[1:])

    def move(r: Number, column: int, count: int) -> None:
        found = lower.access.load(held.memory, n.add(n.multiply(r, kind.shape[1]), column), count, kind.element)
        lower.access.store(found, memory, n.add(index, n.multiply(r, stride), column))

    _rows(lower, kind.shape, move)
    return ()


def _check_whole(matrix: jm.JointMatrixType, size: int, op: Op) -> None:
    if matrix.count % size:
        raise UncoveredError(f"row slices of {size} elements do not cover a {matrix}", at=op.loc)


@LOWER(jm.ExtractRowSlice)
def _extract_row_slice(op: jm.ExtractRowSlice, lower: Lowering) -> Value:
    size = op.result.type.count
    _check_whole(op.matrix.type, size, op)
    held = lower.materialize(op.matrix, Form(op.matrix.type.element))
    return lower.access.load(held.memory, lower.scalar(op.offset), size, op.result.type.element)


@LOWER(jm.InsertRowSlice)
def _insert_row_slice(op: jm.InsertRowSlice, lower: Lowering) -> Stored:
    """In the matrix's own buffer, where nobody needs it as it was."""
    kind = op.matrix.type
    _check_whole(kind, op.value.type.count, op)
    held = lower.materialize(op.matrix, Form(kind.element))
    out = in_place_of(op, op.matrix, held, lower)
    if out is None:
        out = lower.output(op.result)
        lower.copy(held, out)
    lower.access.store(lower.env[op.value], out.memory, lower.scalar(op.offset))
    return out
