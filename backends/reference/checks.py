"""Debug mode's checks of addresses and results, and how errors name programs."""

# numpy's type information gives Any for most results.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from xetile.dialects import arith
from xetile.dialects.types import INDEX, element_of
from xetile.errors import LaunchError, counted
from xetile.ir.core import Op

from .executors import Executors
from .memory import Memory, Region
from .values import BATCH, LANE, SUBGROUP, Array, X, Y, Z, rank_of, with_rank


class RaceError(LaunchError):
    """Programs or subgroups access one element in an order that nothing decides."""


class OutOfBoundsError(LaunchError):
    """An element outside of its memory is asked for by address."""


class UndefinedValueError(LaunchError):
    """Memory is read that nothing has written, or an operation has no defined result."""


class DivergentBarrierError(LaunchError):
    """Some subgroups of a workgroup come to a barrier and others do not."""


def program_name(m: Executors, number: int) -> str:
    """A program by its number in the whole grid."""
    _, rows, columns = m.grid
    return f"program (x={number % columns}, y={number // columns % rows}, z={number // columns // rows})"


def describe(m: Executors, where: Array) -> str:
    """The first program (and subgroup, lane, where they differ) of a mask, in words."""
    z, y, x, subgroup, lane = (int(i) for i in np.argwhere(where)[0][:BATCH])
    text = f"program (x={m.start[X] + x}, y={m.start[Y] + y}, z={m.start[Z] + z})"
    if m.subgroup is not None or where.shape[SUBGROUP] > 1:
        text += f", subgroup {subgroup if m.subgroup is None else m.subgroup}"
    return f"{text}, lane {lane}" if where.shape[LANE] > 1 else text


def active(m: Executors, bad: Array) -> Array:
    """A finding where it counts: in programs that are active."""
    return bad if m.mask is None else bad & with_rank(m.mask, bad.ndim - BATCH)


def check_bounds(m: Executors, memory: Memory, offsets: Array, inside: Array | None, mask: Array | None) -> None:
    """Elements are addressed by offsets; raises OutOfBoundsError for the first that counts and is outside."""
    if inside is None:
        return
    outside = active(m, ~inside if mask is None else ~inside & mask)
    if not outside.any():
        return
    at = tuple(np.argwhere(outside)[0])
    offset = int(np.broadcast_to(offsets, outside.shape)[at])
    raise OutOfBoundsError(
        f"{describe(m, outside)}: element {list(map(int, at[BATCH:]))} of the tile {list(outside.shape[BATCH:])} has offset {offset},"
        f" outside of {memory.name or 'the memory'} with {memory.count} elements",
        hint="mask out what is outside",
    )


def check_indices(m: Executors, region: Region) -> None:
    """Raises OutOfBoundsError for a region of an element, or row, that a number outside of its axis chose; only debug mode marks these."""
    for dim in region.dims:
        if dim.axis < 0:
            continue
        outside = active(m, (dim.offset < 0) | (dim.offset >= dim.extent))
        if not outside.any():
            continue
        at = tuple(np.argwhere(outside)[0])
        index, size = (int(np.broadcast_to(number, outside.shape)[at]) for number in (dim.offset, dim.extent))
        raise OutOfBoundsError(
            f"{describe(m, outside)}: index {index if index >= 0 else index - size} is outside axis {dim.axis} of"
            f" {region.memory.name or 'the memory'} with {counted(size, 'element')}",
            hint=(f"from {-size} to {size - 1}; " if size else "")
            + "a tile, xt.init_tile(A, offsets, shape), may lie over the edge",
        )


def check_result(m: Executors, op: Op, operands: Sequence[Any], result: Any) -> None:
    """Raises UndefinedValueError for a division of integers by zero, and for an index that needs more bits than it has.

    Only scalars: tiles may divide by the zeros that they are padded with, as long as nobody stores the quotients.
    """
    if isinstance(op, arith.INTEGER_DIVISIONS) and not rank_of(op.results[0].type):
        zero = active(m, operands[1] == 0)
        if zero.any():
            raise UndefinedValueError(f"{describe(m, zero)} divides by zero")
    if m.index_bits == 32 and isinstance(op, arith.Binary) and element_of(op.results[0].type) is INDEX:
        wide = active(m, (result < -(1 << 31)) | (result >= 1 << 31))
        if wide.any():
            number = int(np.broadcast_to(result, wide.shape)[tuple(np.argwhere(wide)[0])])
            raise UndefinedValueError(
                f"{describe(m, wide)}: the index {number} does not fit 32 bits", hint="compile with index_bits=64"
            )


def check_barrier(m: Executors) -> None:
    """Raises DivergentBarrierError where some subgroups of a workgroup are active and others are not."""
    if m.mask is None or (m.mask.shape[SUBGROUP] == 1 and m.mask.shape[LANE] == 1):
        return
    some, all_ = m.mask.any(axis=(SUBGROUP, LANE), keepdims=True), m.mask.all(axis=(SUBGROUP, LANE), keepdims=True)
    if (some & ~all_).any():
        missing = np.broadcast_to(some & ~all_, m.mask.shape) & ~m.mask
        raise DivergentBarrierError(
            f"some subgroups come to this barrier, but not {describe(m, missing)}",
            hint="a barrier must not stand under a condition that depends on the subgroup; xt.named_barrier may",
        )
