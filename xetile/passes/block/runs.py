"""Rows in runs: each lane's neighbours by one message, under one mask."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from xetile.dialects import arith, vector, xegpu
from xetile.dialects.types import I1, VectorType
from xetile.dialects.vector import LAYOUT
from xetile.ir.core import Attributes, Value, type_of
from xetile.layout import Layout
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.passes.block.access import Tile, TileMessages, is_written
from xetile.passes.block.matrices import Cut, Matrix, matrix
from xetile.passes.block.padding import can_pad, pad
from xetile.target.blocks import WORD_BYTES


def gather(access: TileMessages, tile: Tile, layout: Layout, block: tuple[int, int], padding: float) -> Matrix:
    """The tile by scattered loads, `padding` outside the array."""
    if _in_runs(tile, layout, block) and (padding == 0 or can_pad(layout)):
        return pad(access, tile, _gather(access, tile, layout, block), padding)
    return access.gather(tile, layout, block, padding)


def scatter(access: TileMessages, tile: Tile, source: Matrix, cut: Cut) -> None:
    """The tile by scattered stores of the elements inside the array."""
    if _in_runs(tile, source.layout, source.block):
        _scatter(access, tile, source, cut)
    else:
        access.scatter(tile, source, cut)


def _in_runs(tile: Tile, layout: Layout, block: tuple[int, int]) -> bool:
    """Whether lanes hold runs of a tile's rows, in blocks of so many rows and columns."""
    along = 0 if tile.transposed else 1
    neighbours = layout.lane_data == (1, 1) and layout.lane_layout[along] == 1
    neighbours = neighbours or (layout.lane_data == (1, tile.run) and not tile.transposed)
    whole = all(n % unit == 0 for n, unit in zip(block, _unit(tile, layout)))
    return tile.run > 1 and neighbours and whole


def _gather(access: TileMessages, tile: Tile, layout: Layout, block: tuple[int, int]) -> Matrix:
    build, unit, base = access.build, _unit(tile, layout), access.flat(tile)
    kind = VectorType((access.target.subgroup_size, tile.run), tile.type.element)
    values = []
    for *_, where in access.blocks(tile, block):
        whole: Value | None = None
        for origin, offsets, mask in _runs(access, tile, layout, block, where):
            found = build(xegpu.Load, base, offsets, mask, value=kind, **_attributes(tile), **{LAYOUT: _rows(access, tile)})
            part = _as_unit(access, tile, found, layout)
            if unit == block:
                whole = part
                continue
            whole = whole or access.zeros(block, tile.type.element, layout)
            whole = build(vector.InsertStridedSlice, part, whole, offsets=origin, strides=(1, 1), result=whole.type,
                          **{LAYOUT: layout})  # fmt: skip
        assert whole is not None
        values.append(whole)
    return matrix(tile.type.shape, block, values, layout)


def _scatter(access: TileMessages, tile: Tile, source: Matrix, cut: Cut) -> None:
    build, block, layout, base = access.build, source.block, source.layout, access.flat(tile)
    unit = _unit(tile, layout)
    for row, column, where in access.blocks(tile, block):
        value = cut(row, column, block)
        for origin, offsets, mask in _runs(access, tile, layout, block, where):
            if not is_written(tile, row + origin[0], column + origin[1], unit[1]):
                continue
            part = value
            if unit != block:
                part = build(vector.ExtractStridedSlice, value, offsets=origin, sizes=unit, strides=(1, 1), **{LAYOUT: layout})
            runs = _as_runs(access, tile, part)
            if tile.cut is None or tile.cut >= column + origin[1] + unit[1]:
                build.op(xegpu.Store, runs, base, offsets, mask, **_attributes(tile))
            else:
                _store_cut(access, tile, runs, base, offsets, _ends(access, tile, where, origin, layout))


def _store_cut(access: TileMessages, tile: Tile, runs: Value, base: Value, offsets: Value, inside: list[Value]) -> None:
    """Whole runs, and then what is left of a lane's run where it is cut: in halves, quarters, ... where that place is known."""
    build, lanes, whole = access.build, access.target.subgroup_size, inside[-1]
    build.op(xegpu.Store, runs, base, offsets, whole, **_attributes(tile))
    cut = build(arith.XOrI, whole, access.splat(build(arith.Constant, value=True, result=I1)))
    known, mask = tile.cut is not None and tile.cut >= 0, None
    for first, length in _halves(tile.cut % tile.run) if known else ((i, 1) for i in range(tile.run - 1)):  # type: ignore[operator]
        part = build(vector.ExtractStridedSlice, runs, offsets=(0, first), sizes=(lanes, length), strides=(1, 1),
                     **{LAYOUT: Layout(lane_layout=(lanes, 1), lane_data=(1, length))})  # fmt: skip
        more: dict[str, Any] = {"chunk_size": length, "alignment": min(WORD_BYTES, length * element_bytes(tile.type.element))}
        if length == 1:
            part, more = build(vector.ShapeCast, part, result=VectorType((lanes,), tile.type.element)), {}
        # Arrays end with whole runs: of a run whose cut is known all is inside of the array or nothing is, so one mask holds for all.
        mask = build(arith.AndI, inside[0 if known else first], cut) if mask is None or not known else mask
        build.op(xegpu.Store, part, base, access.add(offsets, first), mask, **more)


def _halves(count: int) -> Iterator[tuple[int, int]]:
    """Where parts of as many elements as powers of two begin, the largest first, and their lengths."""
    first = 0
    for bit in reversed(range(count.bit_length())):
        if count >> bit & 1:
            yield first, 1 << bit
            first += 1 << bit


def _ends(access: TileMessages, tile: Tile, where: tuple[Value, Value], origin: tuple[int, int], layout: Layout) -> list[Value]:
    """For each element of the lanes' runs, whether it is inside of the array."""
    rows, columns = access.lane_runs(layout.lane_layout[1], tile.run)
    y, x = access.add(access.add(where[0], rows), origin[0]), access.add(access.add(where[1], columns), origin[1])
    return [access.place(tile, y, access.add(x, i))[1] for i in range(tile.run)]


def _as_unit(access: TileMessages, tile: Tile, runs: Value, layout: Layout) -> Value:
    """Each lane's run in its place."""
    if tile.transposed:
        return access.build(vector.Transpose, runs, permutation=(1, 0), **{LAYOUT: layout})
    kind = type_of(runs, VectorType)
    return access.build(vector.ShapeCast, runs, result=kind.with_shape(*_unit(tile, layout)), **{LAYOUT: layout})


def _as_runs(access: TileMessages, tile: Tile, unit: Any) -> Value:
    """The inverse of `_as_unit`."""
    held = _rows(access, tile)
    if tile.transposed:
        return access.build(vector.Transpose, unit, permutation=(1, 0), **{LAYOUT: held})
    kind = unit.type.with_shape(access.target.subgroup_size, tile.run)
    return access.build(vector.ShapeCast, unit, result=kind, **{LAYOUT: held})


def _unit(tile: Tile, layout: Layout) -> tuple[int, int]:
    """Rows and columns of which all lanes hold a run at once."""
    if tile.transposed:
        return layout.lane_layout[0] * tile.run, layout.lane_layout[1]
    return layout.lane_layout[0], layout.lane_layout[1] * tile.run


def _runs(access: TileMessages, tile: Tile, layout: Layout, block: tuple[int, int],
          where: tuple[Value, Value]) -> Iterator[tuple[tuple[int, int], Value, Value]]:  # fmt: skip
    """Of each unit of a block: its origin there, each lane's offset from the base, and whether the run is inside the array."""
    high, wide = _unit(tile, layout)
    rows, columns = access.lane_runs(layout.lane_layout[1], tile.run) if not tile.transposed else (0, access.lanes())
    for down in range(0, block[0], high):
        for across in range(0, block[1], wide):
            y, x = access.add(where[0], rows), access.add(where[1], columns)
            yield (down, across), *access.place(tile, access.add(y, down), access.add(x, across))


def _rows(access: TileMessages, tile: Tile) -> Layout:
    """Each lane has a run of its own."""
    return Layout(lane_layout=(access.target.subgroup_size, 1), lane_data=(1, tile.run))


def _attributes(tile: Tile) -> Attributes:
    return {"chunk_size": tile.run, "alignment": WORD_BYTES}
