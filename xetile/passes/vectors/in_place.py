"""Operands of products that are read where their array holds them.

A product reads each element of its left operand once for every panel of the right one, by broadcast: a copy of it would cost more
than it saves, unless its rows fall on the same few sets of the cache: then the few are copied that are multiplied at a time. It reads
each element of its right operand once for every register tile of rows: where there is one of few rows, a copy costs more than the product.
Where that operand lies column by column, neighbours along the depth share a vector.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from xetile.dialects import xetile
from xetile.dialects.types import BF16, I32, VectorType
from xetile.ir.core import Op
from xetile.ir.interfaces import passes_reads
from xetile.passes.vectors.needed import copied_width, needed, read_of
from xetile.passes.vectors.numbers import Number
from xetile.passes.vectors.places import Place, Rows
from xetile.passes.vectors.state import Lowering
from xetile.passes.vectors.storage import Buffer, Form, Shape, Stored, memory_element
from xetile.passes.vectors.units import unit_of
from xetile.records import dataclass

FEW_ROWS = 4
"""Rows of a product up to which its right operand is read in place."""


@dataclass(frozen=True, eq=False)
class InPlace:
    """A value in rows of its array, or of a padded buffer where the tile reaches outside; only products read it.

    lines: of a value that is read by its columns, which the rows are then.
    """

    shape: Shape
    form: Form
    rows: Rows
    lines: Lines | None = None


@dataclass(frozen=True)
class Lines:
    """How columns are read along the depth: whole vectors up to `whole`, then, where `end` is further, the one that ends there."""

    whole: Number
    end: Number


def rows_of(held: Stored | InPlace) -> Rows:
    """Where a product reads its left operand."""
    if isinstance(held, InPlace):
        return held.rows
    return Rows(held.memory, 0, held.shape[1], held.form.element)


def _takes(user: Op, position: int, form: Form) -> bool:
    """Whether an op is a product that can take an operand in place."""
    if not isinstance(user, xetile.TileMma) or position > 1:
        return False
    if position == 1:
        return form.group <= 2 and user.a.type.shape[0] <= FEW_ROWS and user.b.type.shape[1] > 1
    return not form.panel


def _is_joint(lower: Lowering, user: Op) -> bool:
    """Whether AMX multiplies, which reads rows where they lie."""
    return isinstance(user, xetile.TileMma) and unit_of(lower, user) is not None


def in_place(op: Op, lower: Lowering) -> InPlace | None:
    """A load that only products of its own block take, where nothing is written before they do; else None."""
    if not isinstance(op, xetile.LoadTile) or not isinstance(op.result.type, VectorType):
        return None
    form, place = lower.form(op.result), lower.env[op.tile]
    uses = op.result.uses
    readers = [user for user, _ in uses]
    if not uses or not all(_takes(user, at, form) and user.parent is op.parent for user, at in uses):
        return None
    if not isinstance(place, Place) or memory_element(place.element) is not place.element or not _is_unwritten(op, readers):
        return None
    by_columns = lower.edges.is_transposed(place)
    in_rows = form.element is place.element and (form.group == 1 or not any(at for _, at in uses))
    if not (_takes_columns(lower, op, form) if by_columns else in_rows):
        return None
    if any(nest is not None and place.memory in nest.writes.values() for nest in (lower.nest, lower.later)):
        lower.flush()
    padding = float(op.padding) if form.element.is_float else int(op.padding)
    if by_columns:
        held, buffer = _by_columns(op, place, form, padding, lower)
    else:
        joint = any(at == 0 and _is_joint(lower, user) for user, at in uses)
        rows, buffer = lower.edges.reading(place, padding, apart=joint, read=None if joint else _read(op, place, lower))
        held = InPlace(place.shape, form, rows)
    if buffer is not None:
        buffer.values.append(op.result)
        lower.active.append(buffer)
    return held


def depth_at_once(lower: Lowering, form: Form) -> int:
    """Neighbours along the depth that a vector of sums takes."""
    return lower.lanes * I32.bits // (BF16.bits if form.group > 1 else form.element.bits)


def _takes_columns(lower: Lowering, load: Op, form: Form) -> bool:
    """Whether a product takes a right operand by its columns: of few rows, in whole vectors along the depth; of narrow types pairs of bf16."""
    positions = [at for _, at in load.results[0].uses]
    depth = load.results[0].type.shape[0]  # type: ignore[attr-defined]
    return positions == [1] and (form.group == 1 or form.element is BF16) and depth % depth_at_once(lower, form) == 0


def _by_columns(
    load: xetile.LoadTile, place: Place, form: Form, padding: float, lower: Lowering
) -> tuple[InPlace, Buffer | None]:
    """By columns, those that are needed: in place, or where the array has less of them than one vector from a padded buffer."""
    n, edges, lines, size = lower.numbers, lower.edges, place.transposed(), depth_at_once(lower, form)
    ((user, _),), depth = load.value.uses, read_of(load, lower)
    floor = n.multiply(n.divide(depth, size), size)
    ceiling = n.multiply(n.divide(n.add(depth, size - 1), size), size)
    vector_ends = n.at_most(n.choose(n.equal(floor, depth), 0, size), n.add(lines.columns.offset, depth))
    direct = n.both(edges.direct(lines, (needed(user, lower)[1], depth)), vector_ends)
    rows, buffer = Rows(lines.memory, edges.start(lines), lines.rows.stride, lines.element), None
    if direct is not True:
        buffer = lower.buffers.allocate(lines.shape, lines.element)
        memory = buffer.memory
        edges.unless(direct, lambda: edges.copy_in(lines, memory, padding))
        rows = edges.chosen(direct, rows, memory, lines.shape[1])
    read = Lines(n.choose(direct, floor, ceiling), n.choose(direct, depth, ceiling))
    return InPlace(place.shape, form, rows, read), buffer


def _read(load: xetile.LoadTile, place: Place, lower: Lowering) -> tuple[Number, Number] | None:
    """Rows and columns that the products read; None for all: several at a time, of vectors or of words, are read whole."""
    n, users = lower.numbers, [user for user, _ in load.value.uses if isinstance(user, xetile.TileMma)]
    if place.element.bits < I32.bits or any(user.b.type.shape[1] == 1 for user in users):
        return None
    depth = read_of(load, lower)
    if depth is None or load.value.uses[0][1] == 1:
        return None if depth is None else (depth, place.shape[1])
    rows: Number = place.shape[0]
    if rows > FEW_ROWS:  # strips that are not needed whole are copied (`Product`)
        rows = reduce(n.larger, (needed(user, lower)[0] for user in users))
    whole = place.shape[1]
    return rows, n.choose(n.at_most(copied_width(lower, whole), depth), depth, whole)


def _is_unwritten(load: Op, readers: Sequence[Op]) -> bool:
    """Whether nothing between a load and the last of its readers could change what was loaded."""
    block = load.parent
    assert block is not None
    start, stop = block.ops.index(load), max(block.ops.index(op) for op in readers)
    return all(map(passes_reads, block.ops[start:stop]))
