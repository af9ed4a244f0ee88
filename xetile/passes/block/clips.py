"""Stores of which only a part is written (`StoreTile.valid`): the array seems to end where that part ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import gcd
from typing import Any

from xetile.dialects import arith, gpu, xegpu, xetile
from xetile.dialects.affine import affine_of
from xetile.dialects.types import I1
from xetile.dialects.vector import LAYOUT
from xetile.ir import analyses
from xetile.ir.core import Value
from xetile.layout import Layout
from xetile.passes.analysis.alias_classes import AliasClasses
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.passes.analysis.numbers import Numbers
from xetile.passes.block.access import Tile, TileMessages
from xetile.passes.block.hints import Hints
from xetile.passes.block.lines import store_lines
from xetile.passes.block.matrices import Matrix, cut, matrix, reblock
from xetile.passes.block.moved_first import moved_first
from xetile.passes.block.runs import scatter
from xetile.passes.workgroup.layouts.choose import Traffic
from xetile.target import Target

DEAREST_MOVE = 3
"""Messages of rows that cost what it takes to move one column of as many rows as lanes to the lanes, and to store it."""
FEWEST_ROWS = 4
"""Below so many rows a message for each costs less."""


def store_parts(access: TileMessages, parts: Sequence[tuple[int, Tile]], source: Matrix, hints: Hints) -> None:
    """Write parts of a value, each from a column on: by block messages, or element by element."""
    if len(parts) > 1:
        source = reblock(access.build, source, (source.block[0], access.target.subgroup_size))
    for first, tile in parts:

        def part(row: int, column: int, block: tuple[int, int], first: int = first) -> Value:
            return cut(access.build, source, row, first + column, block)

        if _few_columns(tile, source, access.target):
            strip = _rows_to_lanes(source, first, access)
            access.scatter(tile, strip, partial(cut, access.build, strip))
        elif not (store_lines(access, tile, source, part, hints) or access.store(tile, source, part, hints)):
            scatter(access, tile, source, part)


def _few_columns(tile: Tile, source: Matrix, target: Target) -> bool:
    """Whether a part has so few columns that messages for each column, of as many rows as lanes, cost less than one for each row."""
    lanes = target.subgroup_size
    most = _most_columns(source.shape[0], lanes)
    few = tile.scattered and tile.run == 1 and tile.cut is not None and 0 <= tile.cut - tile.done <= most
    across = source.layout.lane_layout == (1, lanes) and source.layout.lane_data == (1, 1)
    whole = most > 0 and source.shape[1] % lanes == 0
    return few and across and whole and not tile.transposed and tile.type.element is not I1


def _most_columns(height: int, lanes: int) -> int:
    """How many columns of so many rows cost less than the rows, where as many rows as lanes have go to the lanes at once."""
    rows = gcd(height, lanes)
    return rows // DEAREST_MOVE * (lanes // rows) if rows >= FEWEST_ROWS else 0


def _rows_to_lanes(source: Matrix, first: int, access: TileMessages) -> Matrix:
    """The strip of a matrix that begins at a column, each lane with rows of its own."""
    build, lanes = access.build, access.target.subgroup_size
    height, rows = source.shape[0], gcd(source.shape[0], lanes)
    held = Layout(lane_layout=(rows, lanes // rows), lane_data=(1, 1))

    def move(strip: Matrix) -> Matrix:
        blocks = [cut(build, strip, row, 0, (rows, lanes)) for row in range(0, height, rows)]
        values = [build(xegpu.ConvertLayout, block, input_layout=strip.layout, target_layout=held, **{LAYOUT: held})
                  for block in blocks]  # fmt: skip
        return matrix((height, lanes), (rows, lanes), values, held)

    within = tuple(replace(p, column=0) for p in source.pieces if p.column == first)
    return moved_first(build, replace(source, shape=(height, lanes), pieces=within), move)


class Clips:
    """Where the stores of a blocked module end."""

    def __init__(self, module: gpu.GpuModule, target: Target) -> None:
        self._target = target
        self._rules = target.block2d
        self._lanes = target.subgroup_size
        self._classes = analyses.get(AliasClasses, module)
        self._numbers = analyses.get(Numbers, module.kernel)
        self._args = module.kernel.specs
        self._unfit = {*(module.kernel.scattered), *(module.kernel.close)}
        self.strides: dict[tuple[str, int], int] = {}
        self._moves: dict[Value, list[xetile.InitTile | xetile.UpdateTileOffset]] = {}
        made: list[Any] = module.find((xetile.InitTile, xetile.UpdateTileOffset))
        for op in made:
            if not op.result.type.scatter:
                self._moves.setdefault(self._classes.root(op.result), []).append(op)

    def parts(self, op: xetile.StoreTile, tile: Tile, origin: Sequence[Value], access: TileMessages) -> list[tuple[int, Tile]]:
        """The tile of a store, or its columns that are written whole and the others: where each part begins, and the part.

        `origin`: what became of the op's. The array of a part seems to end with what is written of it.
        """
        rows_end = self._end(op, 0, tile.y, tile, origin, access)
        columns_end = self._end(op, 1, tile.x, tile, origin, access)
        run, cut = self._runs(op, tile, origin)
        by_rows = replace(tile, shape=(*tile.shape[:-2], rows_end, tile.shape[-1]))
        clipped = replace(
            tile, shape=(*tile.shape[:-2], rows_end, columns_end), run=run, cut=cut, rows=self._rows(op, tile, origin)
        )
        if tile.scattered or (self._rows_legal(op) and self._columns_legal(op, origin)):
            return [(0, replace(clipped, narrow=not tile.scattered and self._narrow(op, _kept(op)[1])))]
        written, lanes = self._written(op, tile, origin), self._lanes
        whole = self._whole_columns(op, written, tile.type.shape[1]) if self._rows_legal(op) else 0
        scattered = replace(clipped, scattered=True, cut=written if tile.run == 1 and written >= 0 else clipped.cut)
        before = self._before(op, tile, origin) if written < 0 and self._rows_legal(op) else None
        if before is not None:
            return self._shared(op, tile, by_rows, scattered, before, origin, access)
        if not whole:
            return [(0, scattered)]
        height, width = tile.type.shape
        strip = whole // lanes * lanes  # in which the columns begin that are left
        first, last = (
            replace(tile.type, shape=(height, n), inner_blocks=()) for n in (-(-whole // lanes) * lanes, width - strip)
        )
        end = tile.shape[-1] if whole == strip else self._nearer(op, 1, tile, access.add(tile.x, whole), access)
        left = replace(scattered, type=last, x=access.add(tile.x, strip), done=whole - strip,
                       cut=None if scattered.cut is None else scattered.cut - strip)  # fmt: skip
        narrow = whole != strip and self._narrow(op, whole)
        return [
            (0, replace(by_rows, type=first, shape=(*by_rows.shape[:-1], end), narrow=narrow)),
            *([(strip, left)] if whole < written else []),
        ]

    def _before(self, op: xetile.StoreTile, tile: Tile, origin: Sequence[Value]) -> int | None:
        """Where the part begins in which a tile's rows end inside of a word, though no subgroup knows whether that is its own.

        None where parts do not begin at multiples of their width, or the words in front of that end are too few for messages.
        """
        width, size = tile.type.shape[1], element_bytes(op.tile.type.element)
        if self._rules is None or tile.transposed or not origin or not _is_multiple(origin[1], width) or width % self._lanes:
            return None
        words = self._words(_kept(op)[1], size)
        traffic = Traffic("store", size, _kept(op)[1])
        fewer = traffic.messages(tile.type.shape[0], width, self._target) < tile.type.shape[0] * width // self._lanes
        whole = self._long(op, words * size) and self._begins_inside(op, 1)
        return (_kept(op)[1] - 1) // width * width if fewer and whole else None

    def _words(self, columns: int, size: int) -> int:
        """Columns that fill words."""
        assert self._rules is not None
        return columns * size // self._rules.width_multiple * self._rules.width_multiple // size

    def _shared(
        self,
        op: xetile.StoreTile,
        tile: Tile,
        by_rows: Tile,
        scattered: Tile,
        before: int,
        origin: Sequence[Value],
        access: TileMessages,
    ) -> list[tuple[int, Tile]]:
        """Block messages up to the last whole word, and the columns behind it by the subgroups whose part begins at `before`."""
        build, (height, width), kept = access.build, tile.type.shape, _kept(op)[1]
        whole = self._words(kept, element_bytes(op.tile.type.element))
        end = self._nearer(op, 1, tile, access.add(build(arith.SubI, tile.x, origin[1]), whole), access)
        done = whole - before
        strip = done // self._lanes * self._lanes
        own = build(arith.CmpI, origin[1], access.constant(before), predicate="eq")
        ends = build(arith.Select, own, scattered.shape[-1], access.constant(0))
        left = replace(scattered, type=replace(tile.type, shape=(height, width - strip), inner_blocks=()), x=access.add(tile.x, strip),
                       shape=(*scattered.shape[:-1], ends), done=done - strip, cut=kept - before - strip)  # fmt: skip
        blocks = replace(by_rows, shape=(*by_rows.shape[:-1], end), narrow=self._narrow(op, whole))
        return [(0, blocks), (strip, left)]

    def _runs(self, op: xetile.StoreTile, tile: Tile, origin: Sequence[Value]) -> tuple[int, int | None]:
        """The runs of a store, and where they are cut."""
        aligned = not origin or _is_multiple(origin[0 if tile.transposed else 1], tile.run)
        if (aligned and _kept(op)[0 if tile.transposed else 1] % tile.run == 0) or _kept(op)[1] < 0:
            whole = not tile.transposed or _kept(op)[0] < 0 or (aligned and _kept(op)[0] % tile.run == 0)
            return (tile.run if whole else 1), None
        start = arith.constant_of(origin[1]) if origin else 0
        return (1, None) if tile.transposed else (tile.run, -1 if start is None else max(0, _kept(op)[1] - start))

    def _end(
        self, op: xetile.StoreTile, dim: int, start: Value, tile: Tile, origin: Sequence[Value], access: TileMessages
    ) -> Value:
        """Where the array seems to end in a dimension."""
        size = tile.shape[dim - 2]
        if _kept(op)[dim] < 0:
            return size
        if origin and arith.constant_of(origin[dim]) != 0:
            start = access.build(arith.SubI, start, origin[dim])
        end = self._nearer(op, dim, tile, access.add(start, _kept(op)[dim]), access)
        return end if self._begins_inside(op, dim) else access.build(arith.MaxSI, end, access.constant(0))

    def _nearer(self, op: xetile.StoreTile, dim: int, tile: Tile, end: Value, access: TileMessages) -> Value:
        """The end of the array, or one in front of it; rows that messages reach are never shorter than those take."""
        found = affine_of(end)
        if dim == 1 and not found.coefficients and self._rules is not None and not tile.scattered and not tile.transposed:
            inside = 0 <= found.constant * element_bytes(op.tile.type.element) <= self._rules.min_width_bytes
            if inside and all(map(self._has_own_rows, self._made(op))):
                return access.constant(found.constant)
        return access.build(arith.MinSI, tile.shape[dim - 2], end)

    def _has_own_rows(self, made: xetile.InitTile) -> bool:
        """Whether rows of the memory of an init_tile are as long as those of its array, of which the launch has seen the length."""
        array, spec = self._args.get(made.base), self._args.get(made.shape[-1])
        last = array is not None and spec is not None and (spec.kind, spec.param) == ("dim", array.param)
        rank: int = made.base.type.rank
        return last and spec.axis == rank - 1 and arith.constant_of(made.strides[-1]) == 1  # type: ignore[union-attr]

    def _whole_columns(self, op: xetile.StoreTile, written: int, width: int) -> int:
        """Columns, from the first on, that block messages write: whole words where the row is long enough, else strips of all lanes."""
        assert self._rules is not None
        size, word = element_bytes(op.tile.type.element), self._rules.width_multiple
        words = written * size // word * word
        # Bytes that fill no word go column by column where all lanes take rows of one, else row by row: then the others of the row cost
        # nothing where they are few. So do all columns where these are fewer than go by blocks for less.
        by_lanes = written * size - words < _most_columns(op.tile.type.shape[0], self._lanes) * size < written * size
        apart = size > 1 or written * size == words or by_lanes
        narrow = width % self._lanes == 0 and self._long(op, words) and apart
        long = words >= self._rules.min_width_bytes or narrow
        unit = max(1, word // size) if long and self._begins_inside(op, 1) else self._lanes
        return max(0, written) // unit * unit

    def _rows(self, op: xetile.StoreTile, tile: Tile, origin: Sequence[Value]) -> int | None:
        """How many rows of a tile are written, where that is known."""
        start = arith.constant_of(origin[0]) if origin else 0
        return None if start is None or _kept(op)[0] < 0 or tile.transposed else max(0, _kept(op)[0] - start)

    def _written(self, op: xetile.StoreTile, tile: Tile, origin: Sequence[Value]) -> int:
        """How many columns of a tile are written, from the first on; -1 where nobody knows."""
        start = arith.constant_of(origin[1]) if origin else 0
        if start is None or tile.transposed or _kept(op)[1] < 0:
            return -1
        found: int = max(0, min(_kept(op)[1] - start, tile.type.shape[1]))
        return found

    def _rows_legal(self, op: xetile.StoreTile) -> bool:
        """Whether block messages take the rows' end: there is one row at least."""
        return self._rules is not None and (_kept(op)[0] < 0 or self._begins_inside(op, 0))

    def _columns_legal(self, op: xetile.StoreTile, origin: Sequence[Value]) -> bool:
        """Whether block messages take the columns' end: whole words, no row too short."""
        width = _kept(op)[1] * element_bytes(op.tile.type.element)
        if self._rules is None or width < 0:
            return bool(width < 0)
        words = width % self._rules.width_multiple == 0
        if words and origin:
            unit = self._rules.width_multiple // gcd(self._rules.width_multiple, element_bytes(op.tile.type.element))
            words = _is_multiple(origin[1], unit)
        return words and self._long(op, width) and self._begins_inside(op, 1)

    def _long(self, op: xetile.StoreTile, width: int) -> bool:
        """Whether messages take an array that seems to end behind so many bytes of a tile's rows."""
        assert self._rules is not None
        return width >= self._rules.min_width_bytes or (width > 0 and all(map(self._far, self._made(op))))

    def _narrow(self, op: xetile.StoreTile, columns: int) -> bool:
        """Whether a store of so many columns, where they end, needs rows that lie far apart; if so, its launches see to that."""
        if self._rules is None or columns < 0 or columns * element_bytes(op.tile.type.element) >= self._rules.min_width_bytes:
            return False
        for made in self._made(op):
            spec = self._args.get(made.strides[-2])
            if spec is not None:
                self.strides[spec.param, spec.axis] = self._far_elements(made)
        return True

    def _made(self, op: xetile.StoreTile) -> list[xetile.InitTile]:
        return [made for made in self._moves[self._classes.root(op.tile)] if isinstance(made, xetile.InitTile)]

    def _far(self, made: xetile.InitTile) -> bool:
        """Whether rows of the memory of an init_tile lie so far apart that messages can make a narrow surface wider."""
        if len(made.strides) < 2:
            return False
        known, array, spec = arith.constant_of(made.strides[-2]), self._args.get(made.base), self._args.get(made.strides[-2])
        if known is not None:
            return bool(known >= self._far_elements(made))
        own = array is not None and spec is not None and (spec.kind, spec.param) == ("stride", array.param)
        return own and array.param not in self._unfit  # type: ignore[union-attr]

    def _far_elements(self, made: xetile.InitTile) -> int:
        assert self._rules is not None
        return self._rules.far_pitch_bytes // element_bytes(made.result.type.element)

    def _begins_inside(self, op: xetile.StoreTile, dim: int) -> bool:
        """Whether the tile of a store never begins in front of the array."""
        return all(self._numbers.is_natural(made.offsets[dim - 2]) if len(made.offsets) > 1 or dim else True
                   for made in self._moves[self._classes.root(op.tile)])  # fmt: skip


def _kept(op: xetile.StoreTile) -> tuple[int, ...]:
    """Rows and columns of the part that is stored."""
    assert op.valid is not None
    return op.valid


def _is_multiple(value: Value, number: int) -> bool:
    """Whether an index is known to be a multiple of a number: a sum of multiples, or the larger or smaller one of two."""
    if isinstance(value.op, (arith.MaxSI, arith.MinSI)):
        return all(_is_multiple(v, number) for v in value.op.operands)
    found = affine_of(value)
    return all(n % number == 0 for n in (found.constant, *found.coefficients.values()))
