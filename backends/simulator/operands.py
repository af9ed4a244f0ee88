"""Operands of instructions as functions of the threads' state: what is read, where results go, which channels work.

Values of an instruction have one of two shapes: threads by channels, or, where operands fill several registers each, registers by
threads by channels within a register (`pieces` of them), which is how they lie in the file.  One channel stands for all equal ones.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from xetile.records import dataclass

from .errors import UnsupportedError, ViolationError
from .isa import FLOATS, Array, Instruction, Operand
from .state import Layout, Mask, Threads

Read = Callable[[Threads], Array]
Write = Callable[[Threads, Array, Mask], None]
Mask_ = Callable[[Threads], Mask]


@dataclass(frozen=True, slots=True)
class Shape:
    """How an operand's elements lie, counted from the row of its first one.

    rows, columns  of each channel's element; last: the last row; one: all channels have the same element.
    slices         rows and columns as even steps, by number of pieces (registers).
    touched        the rows, as bits of a number.
    """

    rows: Array
    columns: Array
    last: int
    one: bool
    slices: dict[int, tuple[slice, slice]]
    touched: int

    @property
    def pieces(self) -> int:
        """The shape in which its values are read without moving any; 0 where there is none."""
        return min(self.slices, default=0)


@lru_cache(maxsize=4096)
def _shape(offsets: tuple[int, ...], start: int, size: int, grf_bytes: int) -> Shape:
    """Of elements of `size` bytes, `offsets` elements from byte `start` of a register."""
    at = [start + offset * size for offset in offsets]
    rows, columns = [b // grf_bytes for b in at], [b % grf_bytes // size for b in at]
    slices = {p: found for p in (1, 2, 4, 8) if len(at) % p == 0 and (found := _even(rows, columns, p)) is not None}
    touched = sum(1 << row for row in set(rows))
    return Shape(np.array(rows), np.array(columns), max(rows), len(set(at)) == 1, slices, touched)


def _even(rows: list[int], columns: list[int], pieces: int) -> tuple[slice, slice] | None:
    """Rows and columns of this many pieces, where all have the same columns in even steps, in rows that follow each other."""
    each = len(rows) // pieces
    first = columns[:each]
    if any(rows[i] != rows[0] + i // each or columns[i] != first[i % each] for i in range(len(rows))):
        return None
    step = first[1] - first[0] if each > 1 else 1
    if step <= 0 or any(b - a != step for a, b in pairwise(first)):
        return None
    return slice(rows[0], rows[0] + pieces), slice(first[0], first[-1] + 1, step)


@dataclass(frozen=True, slots=True)
class Region:
    """Where an operand lies: its shape, and the row of its first element."""

    shape: Shape
    row: int

    def where(self, pieces: int) -> tuple[Any, ...] | None:
        """The index into a view of the file that gives values in the shape of `pieces`, without moving any."""
        found = self.shape.slices.get(pieces)
        if found is None:
            return None
        first = found[0].start + self.row
        return (first if pieces == 1 else slice(first, first + pieces), slice(None), found[1])


def region(layout: Layout, operand: Operand, width: int) -> Region:
    """Where an operand lies.  Raises UnsupportedError beyond the last register, and for elements across two."""
    key = (operand.file, operand.reg, operand.sub, operand.region, operand.type, width)
    found: Region | None = layout.regions.get(key)
    if found is None:
        found = layout.regions[key] = _region(layout, operand, width)
    return found


def _region(layout: Layout, operand: Operand, width: int) -> Region:
    size, at = operand.dtype.itemsize, layout.place(operand)
    row, start = divmod(at, layout.grf_bytes)
    if start % size:
        raise UnsupportedError(f"an operand at byte {start} of a register, with elements of {size} bytes")
    found = Region(_shape(operand.offsets(width), start, size, layout.grf_bytes), row)
    limit = layout.registers if operand.file == "r" else layout.rows
    if row + found.shape.last >= limit:
        raise UnsupportedError(f"an operand reaches beyond the last of {layout.registers} registers")
    return found


def pieces_of(layout: Layout, inst: Instruction) -> int:
    """The shape of an instruction's values: its destination's, or with none its sources'."""
    for operand in inst.operands:
        if operand.file in layout.base and operand.indirect is None and operand.type and operand.file != "f":
            shape = region(layout, operand, inst.width).shape
            if operand is inst.operands[0] or not shape.one:
                return shape.pieces or 1
    return 1


def shaped(values: Array, pieces: int) -> Array:
    """Threads by channels, in the shape of `pieces`."""
    if pieces == 1 or values.shape[1] == 1:
        return values
    made: Array = values.reshape(values.shape[0], pieces, -1).transpose(1, 0, 2)
    return made


def flat(values: Array, threads: int, width: int) -> Array:
    """The inverse: threads by channels, all of them."""
    if values.ndim == 3:
        if values.shape[1] != threads:
            values = np.broadcast_to(values, (values.shape[0], threads, values.shape[2]))
        made: Array = values.transpose(1, 0, 2).reshape(threads, -1)
        return made
    return values if values.shape == (threads, width) else np.broadcast_to(values, (threads, width))


def reader(layout: Layout, operand: Operand, width: int, pieces: int = 1, type: str = "") -> Read:
    """A function that gives an operand's elements, in their own type or as the bits of another one of the same size."""
    if operand.file in ("imm", "null"):
        fixed = shaped(_constant(operand, width), pieces)
        return lambda t: fixed
    name = type or operand.type
    if operand.indirect is not None:
        return _indirect_reader(layout, operand, width, pieces, name)
    key = ("read", operand.file, operand.reg, operand.sub, operand.region, operand.type, width, pieces, name)
    made: Read | None = layout.accesses.get(key)
    if made is None:
        made = layout.accesses[key] = _reader(region(layout, operand, width), width, pieces, name)
    return made


def _reader(found: Region, width: int, pieces: int, name: str) -> Read:
    shape, row = found.shape, found.row
    if shape.one:
        first, column = row + int(shape.rows[0]), int(shape.columns[0])
        return lambda t: t.views[name][first, :, column : column + 1]
    if (where := found.where(pieces)) is not None:
        return lambda t: t.views[name][where]
    if shape.pieces == 1:
        whole = found.where(1)
        return lambda t: shaped(t.views[name][whole], pieces)
    if shape.pieces:
        whole = found.where(shape.pieces)
        return lambda t: shaped(t.views[name][whole].transpose(1, 0, 2).reshape(t.count, width), pieces)
    rows = shape.rows + row
    return lambda t: shaped(np.ascontiguousarray(t.views[name][rows, :, shape.columns].T), pieces)


def _constant(operand: Operand, width: int) -> Array:
    if operand.file == "null":
        return np.zeros((1, 1), operand.dtype if operand.type else np.uint32)
    value, dtype = operand.value, operand.dtype
    if isinstance(value, tuple):
        return np.array([[value[i % len(value)] for i in range(width)]]).astype(dtype)
    if operand.type in FLOATS:
        return np.array([[value]], dtype)
    return np.array([[value]]).astype(dtype)


def writer(layout: Layout, operand: Operand, width: int, pieces: int = 1) -> Write:
    """A function that stores values of the operand's type, in the shape of `pieces`, where a mask (threads by channels) holds."""
    if operand.file == "null":
        return lambda t, values, mask: None
    if operand.indirect is not None:
        return _indirect_writer(layout, operand, width)
    key = ("write", operand.file, operand.reg, operand.sub, operand.region, operand.type, width, pieces)
    made: Write | None = layout.accesses.get(key)
    if made is None:
        made = layout.accesses[key] = _writer(region(layout, operand, width), operand.type, width, pieces)
    return made


def _writer(found: Region, name: str, width: int, pieces: int) -> Write:
    where = found.where(pieces)
    if where is None:
        return _scatterer(found, name, width)

    def write(t: Threads, values: Array, mask: Mask) -> None:
        if mask is None:
            t.views[name][where] = values
        else:
            np.copyto(t.views[name][where], values, where=shaped(mask, pieces), casting="unsafe")

    return write


def _scatterer(found: Region, name: str, width: int) -> Write:
    rows, columns = found.shape.rows + found.row, found.shape.columns

    def scatter(t: Threads, values: Array, mask: Mask) -> None:
        made, view = flat(values, t.count, width), t.views[name]
        if mask is not None:
            made = np.where(mask, made, view[rows, :, columns].T)
        view[rows, :, columns] = made.T

    return scatter


def target(layout: Layout, operand: Operand, width: int, pieces: int) -> Read | None:
    """The destination's memory itself, where results can be computed into it."""
    if operand.file == "null" or operand.indirect is not None:
        return None
    where = region(layout, operand, width).where(pieces)
    return None if where is None else reader(layout, operand, width, pieces)


def indirect_places(layout: Layout, operand: Operand, width: int) -> Callable[[Threads], tuple[Array, Array]]:
    """Rows and columns of an indirect operand's elements, threads by channels."""
    indirect, size = operand.indirect, operand.dtype.itemsize
    assert indirect is not None
    if indirect.by_row:
        _, per, step = operand.region or (0, 1, 0)
        words = np.array([indirect.sub + i // per for i in range(width)])
        within = np.array([i % per * step * size for i in range(width)])
    else:
        words, within = np.full(width, indirect.sub), np.array(operand.offsets(width)) * size
    row, end = layout.base["a0"], layout.registers * layout.grf_bytes

    def places(t: Threads) -> tuple[Array, Array]:
        at = t.views["uw"][row][:, words].astype(np.int64) + indirect.offset + within
        if (at < 0).any() or (at + size > end).any() or (at % size).any():
            raise ViolationError(
                f"an address register says bytes {int(at.min())} to {int(at.max())} of the {end} that registers have"
            )
        return at // layout.grf_bytes, at % layout.grf_bytes // size

    return places


def _indirect_reader(layout: Layout, operand: Operand, width: int, pieces: int, name: str) -> Read:
    places = indirect_places(layout, operand, width)

    def read(t: Threads) -> Array:
        rows, columns = places(t)
        return shaped(t.views[name][rows, np.arange(t.count)[:, None], columns], pieces)

    return read


def _indirect_writer(layout: Layout, operand: Operand, width: int) -> Write:
    places, name = indirect_places(layout, operand, width), operand.type

    def write(t: Threads, values: Array, mask: Mask) -> None:
        rows, columns = places(t)
        index = (rows, np.arange(t.count)[:, None], columns)
        made, view = flat(values, t.count, width), t.views[name]
        view[index] = made if mask is None else np.where(mask, made, view[index])

    return write


def mask_of(inst: Instruction, *, predicated: bool = True) -> Mask_:
    """The channels that an instruction works on, threads by channels: None for all.  Raises UnsupportedError."""
    lo, hi = inst.channel, inst.channel + inst.width
    predicate = inst.predicate if predicated else None
    if predicate is None and inst.nomask:
        return lambda t: None
    if predicate is None:
        return lambda t: None if t.all_active else t.active[:, lo:hi]
    chosen = predicated_channels(inst)

    def mask(t: Threads) -> Mask:
        bits = chosen(t)
        return bits if inst.nomask or t.all_active else bits & t.active[:, lo:hi]

    return mask


def predicated_channels(inst: Instruction) -> Read:
    """The channels that an instruction's predicate chooses, whether they are active or not."""
    predicate, width, lo = inst.predicate, inst.width, inst.channel
    assert predicate is not None
    first, inverted = 16 * predicate.sub + lo, predicate.inverted
    if not predicate.group:
        return lambda t: t.flag(predicate.reg, first, width) ^ inverted
    if predicate.group[:3] not in ("any", "all"):
        raise UnsupportedError(f"predicate {predicate.group}")
    together = np.any if predicate.group.startswith("any") else np.all
    span = int("".join(c for c in predicate.group if c.isdigit()) or width)
    start = 16 * predicate.sub + lo // span * span

    def grouped(t: Threads) -> Array:
        one = together(t.flag(predicate.reg, start, span), axis=1, keepdims=True)
        return np.broadcast_to(one ^ inverted, (t.count, width))

    return grouped
