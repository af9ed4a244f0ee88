"""Values whose columns are those of several others by turns, and what is worked out of them: of each other one, its columns alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from xetile.dialects import arith, vector, xetile
from xetile.dialects.types import INDEX, VectorType, element_of
from xetile.ir.core import Elementwise, Value, type_of
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.look_ups import indices_of
from xetile.passes.analysis.rearranged import rearranged


def by_turns(value: Value, *, axis: int = 1, looks_up: bool = False) -> int | None:
    """Of how many values a value's columns come by turns, or those that it is worked out of; 0 where all are alike, or one row of an array.

    axis: 0 for rows, which are picked in registers.
    looks_up: also where these are indices by which a gather takes elements.
    """
    op, kind = value.op, value.type
    if not isinstance(kind, VectorType) or vector.is_one_number(value) or _is_stretched(value, axis) or (axis and _is_row(value)):
        return 0
    if isinstance(op, xetile.TileBroadcast):
        return by_turns(op.source, axis=axis, looks_up=looks_up) if _is_stretched(value, 1 - axis) else None
    turns = _turns(value) if axis else _row_turns(value)
    if turns is not None:
        return len(turns.sources)
    if looks_up and (indices := indices_of(op)) is not None:
        return by_turns(indices, axis=axis, looks_up=True)
    if not isinstance(op, Elementwise) or any(isinstance(v.type, VectorType) and v.type.shape != kind.shape for v in op.operands):
        return None
    counts = {by_turns(v, axis=axis, looks_up=looks_up) for v in op.operands} - {0}
    return counts.pop() if len(counts) == 1 else None if counts else 0


def part_of(value: Value, at: int, count: int, build: Rewriter, *, axis: int = 1) -> Value:
    """Those columns (rows by `axis` 0) of a value that come from the value `at` of some by turns."""
    op, kind = value.op, value.type
    if op is None or not isinstance(kind, VectorType):
        return value
    rows, columns = kind.shape
    part = kind.with_shape(*((rows, columns // count) if axis else (rows // count, columns)))
    if vector.is_one_number(value) or _is_stretched(value, axis):
        return build.clone(op, op.operands, [part]).results[0]
    if axis and _is_row(value):
        return _row_part(value, at, count, build)
    turns = _turns(value) if axis else _row_turns(value)
    if turns is not None:
        source = turns.sources[at]
        return transposed(source, build) if turns.turned else source
    if isinstance(op, xetile.LoadGather):
        made: Any = op.tile.op
        indices = part_of(made.offsets[0], at, count, build, axis=axis)
        tile = build.clone(made, [made.base, indices], [replace(made.result.type, shape=part.shape)]).results[0]
        return build.clone(op, [tile, part_of(op.mask, at, count, build, axis=axis)], [part]).results[0]
    return build.clone(op, [part_of(v, at, count, build, axis=axis) for v in op.operands], [part]).results[0]


def rows_by_turns(parts: Sequence[Value], build: Rewriter) -> Value:
    """A row of each value by turns; of so many values that two and two become one."""
    rows = type_of(parts[0], VectorType).shape[0]
    while len(parts) > 1:
        height = type_of(parts[0], VectorType).shape[0]
        each = height // rows
        mask = tuple(at + first + n for at in range(0, height, each) for first in (0, height) for n in range(each))
        parts = [build(vector.Shuffle, a, b, mask=mask) for a, b in zip(parts[::2], parts[1::2], strict=True)]
    return parts[0]


def transposed(value: Value, build: Rewriter) -> Value:
    """A value with rows and columns exchanged."""
    if isinstance(value.op, xetile.TileTranspose):
        return value.op.source
    kind = type_of(value, VectorType)
    return build(xetile.TileTranspose, value, permutation=(1, 0), result=kind.with_shape(*reversed(kind.shape)))


def is_turned(value: Value) -> bool:
    """Whether a value is a transpose, or worked out of such element by element."""
    op = value.op
    if vector.is_one_number(value) or isinstance(op, xetile.TileTranspose):
        return True
    return isinstance(op, Elementwise) and len(op.results) == 1 and all(map(is_turned, op.operands))


def turned_back(value: Value, build: Rewriter) -> Value:
    """What such a value is the transpose of."""
    op, kind = value.op, value.type
    if isinstance(op, xetile.TileTranspose):
        return op.source
    if op is None or not isinstance(kind, VectorType):
        return value
    operands = op.operands if vector.is_one_number(value) else [turned_back(v, build) for v in op.operands]
    return build.clone(op, operands, [kind.with_shape(*reversed(kind.shape))]).results[0]


class _Turns(NamedTuple):
    """The values, two or a higher power of two, whose columns a value has by turns; `turned`: whose rows are its columns."""

    sources: tuple[Value, ...]
    turned: bool


def _turns(value: Value) -> _Turns | None:
    found = rearranged(value)
    if found is None:
        return None
    for turned in (False, True):
        # Seen with their rows and columns exchanged.
        seen = replace(found, rows=found.columns, columns=found.rows) if turned else found
        picked = seen.picked(1, turned=turned)
        sources = None if picked is None else _in_turn(found.sources, picked, 1 - turned)
        if sources is not None:
            return _Turns(sources, turned)
    return None


def _row_turns(value: Value) -> _Turns | None:
    """The same of rows, which registers pick."""
    picked = _picked_rows(value) if isinstance(value.op, vector.Shuffle) else []
    values = tuple(dict.fromkeys(source for source, _ in picked))
    sources = _in_turn(values, [(values.index(source), row) for source, row in picked], 0)
    return None if sources is None else _Turns(sources, False)


def _picked_rows(value: Value) -> list[tuple[Value, int]]:
    """Where each row of a value comes from, behind all picks of rows one after the other."""
    op = value.op
    if not isinstance(op, vector.Shuffle):
        return [(value, row) for row in range(type_of(value, VectorType).shape[0])]
    rows = [*_picked_rows(op.v1), *_picked_rows(op.v2)]
    return [rows[at] for at in op.mask]


def _in_turn(sources: tuple[Value, ...], picked: list[tuple[int, int]], dim: int) -> tuple[Value, ...] | None:
    """The sources in the order in which a value has a column of each, if these are all of theirs; `dim`: which of theirs they are."""
    count = len(sources)
    width = len(picked) // max(count, 1)
    if count < 2 or count & (count - 1) or any(type_of(v, VectorType).shape[dim] != width for v in sources):
        return None
    first = [n for n, _ in picked[:count]]
    if picked != [(first[at % count], at // count) for at in range(count * width)] or len(set(first)) < count:
        return None
    return tuple(sources[n] for n in first)


def _is_stretched(value: Value, dim: int) -> bool:
    """Whether a value is one row (`dim` 0) or one column (1) again and again."""
    op = value.op
    return isinstance(op, xetile.TileBroadcast) and tuple(op.dims) == (dim,)


def _is_row(value: Value) -> bool:
    """Whether a value is a row of an array, whose elements may be loaded one by one."""
    load = value.op
    if not isinstance(load, xetile.LoadTile) or not isinstance(load.tile.op, xetile.InitTile):
        return False
    kind = load.tile.type
    return kind.shape[0] == 1 and kind.order == (1, 0) and kind.is_block and kind.wg_map is None and not kind.inner_blocks


def _row_part(value: Value, at: int, count: int, build: Rewriter) -> Value:
    """Every so many elements of a row that is loaded, from one on; beyond the array what a load of the row gives there."""
    load: Any = value.op
    made, width = load.tile.op, load.tile.type.shape[1] // count
    kind = VectorType((1, width), INDEX)

    def stretched(scalar: Value) -> Value:
        return build(vector.Broadcast, scalar, result=kind.with_element(element_of(scalar.type)))

    with build.before(load):
        own, step = (build(arith.Constant, value=number, result=kind) for number in (at, count))
        column = build(arith.AddI, build(arith.MulI, build(xetile.TileIota, dim=1, result=kind), step), own)
        column = build(arith.AddI, column, stretched(made.offsets[-1]))
        # As numbers without a sign those before the array are behind it.
        inside = build(arith.CmpI, column, stretched(made.shape[-1]), predicate="ult")
        place = build(arith.MulI, column, stretched(made.strides[-1]))
        if len(made.shape) > 1:
            row = build(arith.CmpI, made.offsets[-2], made.shape[-2], predicate="ult")
            inside = build(arith.AndI, inside, stretched(row))
        for offset, stride in zip(made.offsets[:-1], made.strides[:-1]):
            place = build(arith.AddI, place, stretched(build(arith.MulI, offset, stride)))
        tile = xetile.TileType((1, width), load.tile.type.element, None, scatter=True)
        scattered = build(xetile.InitTile, made.base, [place], [], [], result=tile)
        return build(xetile.LoadGather, scattered, inside, padding=load.padding)
