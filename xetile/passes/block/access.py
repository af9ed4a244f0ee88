"""Tiles of memory at xegpu level: which messages move a tile, and element-by-element access where no message can.

2D block messages pad with zeros and clip at the array's edges (SPV_INTEL_2d_block_io, out of bounds); scattered access does so by masks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from xetile.dialects import arith, gpu, vector, xegpu
from xetile.dialects.types import I1, I32, INDEX, MemRefType, ScalarType, VectorType
from xetile.ir.core import UNIT, Value
from xetile.layout import BlockOrder, Layout
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.passes.block.hints import Hints
from xetile.passes.block.index_arithmetic import IndexArithmetic
from xetile.passes.block.masks import bytes_of, mask_bytes, masks_of
from xetile.passes.block.matrices import Cut, Matrix, Piece, inside, matrix, unpack_rows
from xetile.passes.common.changed import changed
from xetile.records import dataclass
from xetile.target.blocks import WORD_BYTES, Kind, Placed


@dataclass(frozen=True)
class Tile:
    """A tile at xegpu level: the base with its sizes and strides stays, the two innermost offsets move.

    `shape` and `strides` are in the order of the base's dimensions; `scattered`: no 2D block messages. `word`: y in 32-bit words, for
    transposing loads of narrower elements; it moves by itself, for a division in the loop would hide from the driver that messages differ
    by constants. `varying`: (field, position) of leading offsets, sizes and strides that change too, where control flow brings different
    tiles of one array together. `limit`: rows and columns that one message may move at most (inst_data). `run`: neighbours in a row that
    are inside of the array together, or outside, and begin at a whole word; with `cut`, but for the run in which the array seems to end,
    behind so many columns of the tile (-1: nobody knows how many). `narrow`: the array may seem to be narrower than messages take
    (CreateNdTdesc). `rows`: of which a store writes no more, where that is known; `done`: its first columns, which other messages have
    written. `line`: elements of a line, where the tile is whole lines of one dimension, which may `ends_inside` (`lines.py`).
    """

    type: Any
    base: Value
    leading: tuple[Value, ...]
    shape: tuple[Value, ...]
    strides: tuple[Value, ...]
    y: Value
    x: Value
    scattered: bool
    word: Value | None = None
    varying: tuple[tuple[str, int], ...] = ()
    limit: tuple[int, int] | None = None
    run: int = 1
    cut: int | None = None
    narrow: bool = False
    rows: int | None = None
    done: int = 0
    line: int = 0
    ends_inside: bool = False

    def carried(self) -> Sequence[Value]:
        """The offsets change, and nothing else of most tiles."""
        words = [] if self.word is None else [self.word]
        return [self.y, self.x, *words, *(getattr(self, field)[i] for field, i in self.varying)]

    def with_carried(self, values: Sequence[Value]) -> Tile:
        """The tile elsewhere."""
        y, x, *rest = values
        changes: dict[str, Any] = {} if self.word is None else {"word": rest.pop(0)}
        for (field, i), value in zip(self.varying, rest):
            parts = changes.get(field, getattr(self, field))
            changes[field] = (*parts[:i], value, *parts[i + 1 :])
        return changed(self, y=y, x=x, **changes)

    @property
    def staged(self) -> bool:
        """In shared memory whose order suits products."""
        return getattr(self.base.type, "order", None) is not None

    @property
    def in_words(self) -> bool:
        """Column-major memory of elements narrower than the 32 bits that hardware transposes."""
        return self.transposed and not self.scattered and not self.type.space and element_bytes(self.type.element) < WORD_BYTES

    @property
    def transposed(self) -> bool:
        """Column-major memory: its rows are the tile's columns."""
        return bool(self.type.order == (0, 1))


def order_of(tile: Tile) -> BlockOrder:
    """In which blocks the matrix of shared memory lies that a staged tile is a part of."""
    order: BlockOrder = tile.base.type.order  # type: ignore[attr-defined]
    return order


class TileMessages(IndexArithmetic):
    """Emits the messages of tiles for a target."""

    # Which messages.

    def plan(self, tile: Tile, kind: Kind, layout: Layout | None) -> tuple[Placed, ...] | None:
        """Messages over the tile, in memory's rows and columns, whose lanes hold the data as `layout` says; None if there are none."""
        blocks = self.target.block2d
        if blocks is None or tile.scattered or tile.type.space:
            return None
        whole, part = tile.type.shape, tile.limit or tile.type.shape
        (height, width), (rows, columns) = (whole[::-1], part[::-1]) if tile.transposed else (whole, part)
        size = element_bytes(tile.type.element)
        if kind == "transpose" and size < WORD_BYTES:
            if width * size % WORD_BYTES or columns * size % WORD_BYTES:
                return None
            width, columns, size = width * size // WORD_BYTES, columns * size // WORD_BYTES, WORD_BYTES
        found = self._plan(kind, size, rows, columns, layout)
        if found is None or (rows, columns) == (height, width):
            return found
        origins = [(r, c) for r in range(0, height, rows) for c in range(0, width, columns)]
        return tuple(replace(p, row=p.row + r, column=p.column + c) for r, c in origins for p in found)

    def _plan(self, kind: Kind, size: int, rows: int, columns: int, layout: Layout | None) -> tuple[Placed, ...] | None:
        blocks = self.target.block2d
        assert blocks is not None
        if layout is None:
            return blocks.plan(kind, size, rows, columns)
        for width in sorted(blocks.widths(kind, size), reverse=True):
            message = blocks.largest(kind, size, rows, columns, width=width)
            if message is not None and blocks.lane_layout(kind, size, message) == (layout.lane_layout, layout.lane_data):
                return blocks.plan(kind, size, rows, columns, width=width)
        return None

    def _cover(self, tile: Tile, layout: Layout) -> tuple[Tile, tuple[Placed, ...]] | None:
        """Messages that load more than the tile, whole rows over the lanes, and the tile as they take it: lines of the cache are read
        whole in any case, so at most as many rows again, or rows that the array does not have. It seems to end behind the tile.
        """
        blocks, lanes = self.target.block2d, self.target.subgroup_size
        if blocks is None or tile.scattered or tile.type.space or tile.limit:
            return None
        if (layout.lane_layout, layout.lane_data) != ((1, lanes), (1, 1)):
            return None
        height, width = tile.type.shape if not tile.transposed else tile.type.shape[::-1]
        first, lines = (tile.y, tile.shape[-2]) if not tile.transposed else (tile.x, tile.shape[-1])
        plan = blocks.cover(element_bytes(tile.type.element), height, width, width=lanes)
        if plan is None or max(p.row + p.message.height for p in plan) <= 2 * height or arith.constant_of(lines) == height:
            return None if plan is None else (tile, plan)
        # Where the tile lies in front of the array: a surface has one row at least. Messages take its last row in place of their number.
        last = self.build(arith.MaxSI, self.add(first, height - 1), self.constant(0))
        end = self.add(self.build(arith.MinSI, self.add(lines, -1), last), 1)
        shape = (*tile.shape[:-2], end, tile.shape[-1]) if not tile.transposed else (*tile.shape[:-1], end)
        return replace(tile, shape=shape), plan

    # 2D block messages.

    def load(self, tile: Tile, layout: Layout, *, packed: bool, hints: Hints | None = None) -> Matrix | None:
        """The tile by 2D block loads; with `packed` rows share 32-bit words. None where no message fits.

        A column-major tile comes as it lies in memory, rows and columns exchanged.
        """
        if tile.type.element is I1:
            return masks_of(self.build, self.load(bytes_of(self.build, tile), layout, packed=packed))
        plan = self.plan(tile, "transform" if packed else "load", layout)
        if plan is None:
            covered = None if packed else self._cover(tile, layout)
            if covered is None:
                return None
            tile, plan = covered
        element = tile.type.element
        vnni = 4 // element_bytes(element)
        pieces = []
        for placed in plan:
            message = placed.message
            shape = (message.height // vnni, message.width, vnni) if packed else (message.height, message.width)
            full = shape if message.count == 1 else (message.count, *shape)
            desc, where = self.descriptor(tile, placed)
            loaded = self.build(xegpu.LoadNd, desc, where, packed=UNIT if packed else None, value=VectorType(full, element),
                                layout_result_0=layout, **(hints or {}))  # fmt: skip
            for i in range(message.count):
                part = loaded if message.count == 1 else self.build(vector.Extract, loaded, position=(i,), layout_result_0=layout)
                pieces.append(Piece(placed.row, placed.column + i * message.width, part))
        shape = tile.type.shape[::-1] if tile.transposed else tile.type.shape
        return Matrix(shape, element, tuple(inside(self.build, pieces, shape, layout)), layout)

    def load_transposed(self, tile: Tile, layout: Layout, *, packed: bool, covers: bool = False,
                        hints: Hints | None = None) -> Matrix | None:  # fmt: skip
        """A column-major tile by transposing 32-bit loads: a lane gets a row of memory, which is a column of the tile.

        Narrower elements arrive as words of neighbours along memory's rows, that is with the tile's rows packed; they are unpacked
        unless `packed`. None where no message fits; `covers`: messages may bring more than the tile, in whole words.
        """
        if tile.type.element is I1:
            return masks_of(self.build, self.load_transposed(bytes_of(self.build, tile), layout, packed=packed))
        plan = self.plan(tile, "transpose", None)
        plan = self._cover_transposed(tile) if plan is None and covers and not packed else plan
        if plan is None:
            return None
        words = _as_words(self, tile)
        element, vnni = tile.type.element, 4 // element_bytes(tile.type.element)
        pieces = []
        for placed in plan:
            message = placed.message
            desc, where = self.descriptor(words, placed)
            kind = VectorType((message.width, message.height), words.type.element)
            value = self.build(xegpu.LoadNd, desc, where, transpose=(1, 0), value=kind, layout_result_0=layout, **(hints or {}))
            if vnni > 1:
                wide = VectorType((message.width, message.height * vnni), element)
                narrow = self.build(
                    vector.Bitcast,
                    value,
                    result=wide,
                    layout_result_0=Layout(lane_layout=layout.lane_layout, lane_data=(1, vnni)),
                )
                value = self.build(
                    vector.ShapeCast, narrow, result=wide.with_shape(message.width, message.height, vnni), layout_result_0=layout
                )
                value = value if packed else unpack_rows(self.build, value, layout)
            pieces.append(Piece(placed.column * vnni, placed.row, value))
        shape = tile.type.shape
        return Matrix(shape, element, tuple(pieces if packed else inside(self.build, pieces, shape, layout)), layout)

    def _cover_transposed(self, tile: Tile) -> tuple[Placed, ...] | None:
        """Transposing messages that load more words of a column-major tile than it has; of elements wider than words none do."""
        blocks, (rows, columns), size = self.target.block2d, tile.type.shape, element_bytes(tile.type.element)
        words, rest = divmod(rows * size, WORD_BYTES)
        if blocks is None or tile.scattered or tile.type.space or tile.limit or rest or size > WORD_BYTES:
            return None
        return blocks.cover_transposed(columns, words)

    def store(self, tile: Tile, source: Matrix, cut: Cut, hints: Hints | None = None) -> bool:
        """The tile by 2D block stores; False where no message fits. `cut(row, column, shape)` gives the part of a message."""
        plan = self.plan(tile, "store", source.layout)
        if plan is None or tile.transposed:
            return False
        masks = tile.type.element is I1
        tile = bytes_of(self.build, tile) if masks else tile
        for placed in plan:
            part = cut(placed.row, placed.column, (placed.message.height, placed.message.width))
            part = mask_bytes(self.build, part, source.layout) if masks else part
            desc, where = self.descriptor(tile, placed)
            self.build(xegpu.StoreNd, part, desc, where, **(hints or {}))
        return True

    def prefetch(self, tile: Tile, hints: Hints) -> None:
        """The tile to the caches by the fewest messages; nothing where no message fits, as prefetches only hint."""
        tile = bytes_of(self.build, tile) if tile.type.element is I1 else tile
        for placed in self.plan(tile, "prefetch", None) or ():
            desc, where = self.descriptor(tile, placed)
            self.build(xegpu.PrefetchNd, desc, where, **hints)

    def descriptor(self, tile: Tile, placed: Placed) -> tuple[Value, list[Value]]:
        """What a message of a tile's plan is sent with: the array as the descriptor has it, and the place in it."""
        message = placed.message
        encoding = xegpu.BlockAttr(array_length=message.count) if message.count > 1 else None
        kind = xegpu.TensorDescType((message.height, message.width), tile.type.element, encoding)
        shape, strides = (tile.shape, tile.strides) if not tile.transposed else (_swap(tile.shape), _swap(tile.strides))
        leading = (*tile.leading, *[self.constant(0)] * 2) if tile.leading else ()
        narrow = UNIT if tile.narrow else None
        desc = self.build(xegpu.CreateNdTdesc, tile.base, leading, shape, strides, result=kind, narrow=narrow)
        y, x = (tile.x, tile.y) if tile.transposed else (tile.y, tile.x)
        return desc, [self.add(y, placed.row), self.add(x, placed.column)]

    # Element by element.

    def gather(self, tile: Tile, layout: Layout, block: tuple[int, int], padding: float = 0) -> Matrix:
        """The tile by scattered loads, `padding` outside the array."""
        base, values = self.flat(tile), list[Value]()
        for *_, where in self.blocks(tile, block):
            parts = []
            for down, across in self.origins(block, layout):
                offsets, mask = self.address(tile, where, down, across, layout, block)
                loaded = self.build(xegpu.Load, base, offsets, mask, value=_same(offsets, tile.type.element))
                parts.append(self.padded(loaded, mask, padding))
            values.append(self.join(parts, block, layout, tile.type.element))
        return matrix(tile.type.shape, block, values, layout)

    def scatter(self, tile: Tile, source: Matrix, cut: Cut) -> None:
        """The tile by scattered stores of the elements inside the array."""
        block, base = source.block, self.flat(tile)
        high, wide = unit_shape(block, source.layout)
        for row, column, where in self.blocks(tile, block):
            origins = [at for at in self.origins(block, source.layout) if is_written(tile, row + at[0], column + at[1], wide)]
            value = cut(row, column, block) if origins else None
            for down, across in origins:
                offsets, mask = self.address(tile, where, down, across, source.layout, block)
                part = self.part(value, down, across, block, source.layout)
                self.build(xegpu.Store, part, base, offsets, self.first_lanes(mask, high * wide))

    def first_lanes(self, mask: Value, count: int) -> Value:
        """The mask for the first `count` lanes only, where the others repeat them; a mask that all lanes share stays."""
        if count >= self.target.subgroup_size or not isinstance(mask.type, VectorType):
            return mask
        lanes = self.build(vector.Step, result=VectorType((self.target.subgroup_size,), INDEX))
        first = self.build(arith.CmpI, lanes, self.splat(self.constant(count)), predicate="ult")
        return self.build(arith.AndI, mask, first)

    def flat(self, tile: Tile) -> Value:
        """The base as one dimension: xegpu's scattered ops take no other (seed 002)."""
        if tile.base.type.rank == 1:  # type: ignore[attr-defined]
            return tile.base
        size = self.build(arith.MulI, tile.shape[0], tile.strides[0])
        return self.build(gpu.ReinterpretCast, tile.base, size)

    def blocks(self, tile: Tile, block: tuple[int, int]) -> list[tuple[int, int, tuple[Value, Value]]]:
        """The blocks of a tile: where each starts in the tile, and in the array."""
        rows, columns = tile.type.shape
        return [
            (r, c, (self.add(tile.y, r), self.add(tile.x, c)))
            for r in range(0, rows, block[0])
            for c in range(0, columns, block[1])
        ]

    def origins(self, block: tuple[int, int], layout: Layout) -> list[tuple[int, int]]:
        """Origins, in a block, of the units that all lanes access at once."""
        height, width = unit_shape(block, layout)
        return [(r, c) for r in range(0, block[0], height) for c in range(0, block[1], width)]

    def address(self, tile: Tile, where: tuple[Value, Value], down: int, across: int, layout: Layout,
                 block: tuple[int, int]) -> tuple[Value, Value]:  # fmt: skip
        """Each lane's offset in elements from the base, and whether it is inside the array."""
        rows, columns = self.lane_coordinates(block, layout)
        return self.place(tile, self.add(self.add(where[0], rows), down), self.add(self.add(where[1], columns), across))

    def place(self, tile: Tile, y: Value, x: Value) -> tuple[Value, Value]:
        """The offset of the element at (y, x) of the array, and whether there is one."""
        rows, columns = tile.shape[-2:]
        (shared, size), (own, limit) = ((x, columns), (y, rows)) if isinstance(y.type, VectorType) else ((y, rows), (x, columns))
        if isinstance(own.type, VectorType) and not isinstance(shared.type, VectorType):
            # One comparison for all lanes: a row outside of the array has no columns.
            within = self._inside(own, self.build(arith.Select, self._inside(shared, size), limit, self.constant(0)))
        else:
            within = self.build(arith.AndI, *self.together(self._inside(y, rows), self._inside(x, columns)))
        return self.offset(tile, y, x), within

    def offset(self, tile: Tile, y: Value, x: Value) -> Value:
        """The offset of the element at (y, x) of the array, in elements from the base."""
        strides = tile.strides[-2:]
        offset: Value = self.add(self._times(y, strides[0]), self._times(x, strides[1]))
        for position, stride in zip(tile.leading, tile.strides):
            offset = self.add(offset, self.build(arith.MulI, position, stride))
        return offset

    def lane_coordinates(self, block: tuple[int, int], layout: Layout) -> tuple[Any, Any]:
        """Row and column of each lane inside a unit: numbers, or vectors over the lanes."""
        height, width = unit_shape(block, layout)
        if height == 1 and width == 1:
            return 0, 0
        lanes = self.build(vector.Step, result=VectorType((self.target.subgroup_size,), INDEX))
        if height * width < self.target.subgroup_size:  # the other lanes hold what the first ones hold
            lanes = self.build(arith.RemUI, lanes, self.splat(self.constant(height * width)))
        if height == 1:
            return 0, lanes
        across = self.splat(self.constant(width))
        return self.build(arith.DivUI, lanes, across), self.build(arith.RemUI, lanes, across)

    def _inside(self, position: Value, size: Value) -> Value:
        # One unsigned comparison: a negative position is larger than any size.
        inside: Value = self.build(arith.CmpI, position, self.like(size, position), predicate="ult")
        return inside

    def _times(self, position: Value, stride: Value) -> Value:
        if arith.constant_of(stride) == 1:
            return position
        product: Value = self.build(arith.MulI, position, self.like(stride, position))
        return product

    def padded(self, loaded: Value, mask: Value, padding: float) -> Value:
        """What was loaded (0 where the mask is false), with `padding` there."""
        if padding == 0:
            return loaded
        other = self.build(arith.Constant, value=padding, result=loaded.type)
        return self.build(arith.Select, mask, loaded, other)

    def join(self, parts: list[Value], block: tuple[int, int], layout: Layout, element: ScalarType) -> Value:
        """What messages bring of a block, in the order of their origins, as one vector."""
        whole = self.zeros(block, element, layout)
        unit = unit_shape(block, layout)
        for value, origin in zip(parts, self.origins(block, layout)):
            if not isinstance(value.type, VectorType):
                whole = self.build(vector.Insert, value, whole, position=origin, layout_result_0=layout)
                continue
            part = self.build(
                vector.ShapeCast, self._used_lanes(value, unit), result=VectorType(unit, element), layout_result_0=layout
            )
            if unit == block:
                return part
            whole = self.build(vector.InsertStridedSlice, part, whole, offsets=origin, strides=(1, 1), result=whole.type,
                               layout_result_0=layout)  # fmt: skip
        return whole

    def part(self, value: Any, down: int, across: int, block: tuple[int, int], layout: Layout) -> Value:
        """What the lanes hold of the unit at (down, across): a vector over the lanes, or one element where they share."""
        unit = unit_shape(block, layout)
        if unit == (1, 1):
            return self.build(vector.Extract, value, position=(down, across))
        part: Any = self.build(
            vector.ExtractStridedSlice, value, offsets=(down, across), sizes=unit, strides=(1, 1), layout_result_0=layout
        )
        flat: Any = self.build(vector.ShapeCast, part, result=VectorType((unit[0] * unit[1],), part.type.element))
        if flat.type.shape[0] == self.target.subgroup_size:
            return flat  # type: ignore[no-any-return]
        whole = self.build(arith.Constant, value=0, result=flat.type.with_shape(self.target.subgroup_size))
        return self.build(vector.InsertStridedSlice, flat, whole, offsets=(0,), strides=(1,), result=whole.type)

    def _used_lanes(self, value: Any, unit: tuple[int, int]) -> Value:
        """The lanes that hold a unit, where it is smaller than the subgroup."""
        used = unit[0] * unit[1]
        if value.type.count == used:
            return value  # type: ignore[no-any-return]
        return self.build(vector.ExtractStridedSlice, value, offsets=(0,), sizes=(used,), strides=(1,))


def fewer(access: TileMessages, value: Value, element: ScalarType) -> Value:
    """A number of elements as a number of 32-bit words."""
    return access.build(arith.DivUI, value, access.constant(WORD_BYTES // element_bytes(element)))


def first_word(access: TileMessages, place: Value, element: ScalarType) -> Value:
    """The 32-bit word that an element lies in; places in front of the array are negative."""
    shift = access.constant((WORD_BYTES // element_bytes(element)).bit_length() - 1)
    return access.build(arith.ShRSI, place, shift)


def _as_words(access: TileMessages, tile: Tile) -> Tile:
    """The tile over memory seen as 32-bit words; only the contiguous dimension counts words instead of elements."""
    if not tile.in_words:
        return tile
    assert tile.word is not None
    element, kind = tile.type.element, tile.base.type
    ratio = WORD_BYTES // element_bytes(element)
    known = None if kind.strides is None else tuple(s if s in (None, 1) else s // ratio for s in kind.strides)  # type: ignore
    base = access.build(gpu.ElementCast, tile.base, result=MemRefType((None,) * kind.rank, I32, known, kind.space))  # type: ignore
    *outer, rows, columns = tile.shape  # column-major: the rows' dimension is contiguous
    strides = tuple(s if d == len(tile.strides) - 2 else fewer(access, s, element) for d, s in enumerate(tile.strides))
    return replace(tile, type=replace(tile.type, element=I32), base=base, shape=(*outer, fewer(access, rows, element), columns),
                   strides=strides, y=tile.word)  # fmt: skip


def is_written(tile: Tile, row: int, column: int, width: int) -> bool:
    """Whether a store has anything to write of so many columns of a row of a tile and, it may be, of the rows below."""
    ended = (tile.cut is not None and 0 <= tile.cut <= column) or (tile.rows is not None and tile.rows <= row)
    return not ended and column + width > tile.done


def unit_shape(block: tuple[int, int], layout: Layout) -> tuple[int, int]:
    """Rows and columns that the lanes hold one element each of; 1 where the lanes share."""
    return tuple(min(n, lanes) for n, lanes in zip(block, layout.lane_layout))  # type: ignore[return-value]


def _same(offsets: Value, element: ScalarType) -> Any:
    return VectorType(offsets.type.shape, element) if isinstance(offsets.type, VectorType) else element


def _swap(values: tuple[Value, ...]) -> tuple[Value, ...]:
    return (*values[:-2], values[-1], values[-2])
