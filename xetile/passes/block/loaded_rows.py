"""Rows from anywhere in an array, through blocking and the lowering: a surface for each row, and messages of a single row.

A surface begins where messages take it, up to 60 bytes in front of the row, so no more is asked of rows than that they begin at whole words.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from xetile.dialects import arith, vector, xegpu, xetile
from xetile.dialects.rows import LoadRows, StoreRows
from xetile.dialects.types import I32, INDEX, ScalarType, VectorType
from xetile.dialects.vector import LAYOUT
from xetile.ir.builder import Builder
from xetile.ir.core import Block, Value, type_of
from xetile.ir.dispatch import Table
from xetile.ir.interfaces import block_of
from xetile.layout import Layout
from xetile.passes.analysis.block_sizes import element_bytes, mma_block
from xetile.passes.analysis.row_messages import first_of, row_messages, rows_layout, store_messages
from xetile.passes.block.blocking import Blocking
from xetile.passes.block.lowering import Lowering, aligned
from xetile.passes.block.matrices import Matrix, Piece, cut, reblock
from xetile.passes.common.numbers import index
from xetile.passes.common.row_places import row_places
from xetile.target.blocks import Placed

BLOCK = Table()
LOWER = Table()

FAR = 1 << 29
"""A column outside of every surface; twice that, and what a load adds, fits into the 32 bits that messages have."""


@BLOCK(LoadRows)
def _block(op: LoadRows, c: Blocking) -> Value:
    rows, columns = op.value.type.shape
    if row_messages(op.value, columns, c.target) is None:
        return _as_gather(op, c)
    types = first_of(op.value, c.target)
    blocks = mma_block((rows, columns), "a", types, c.target) if types is not None else c.plain.block((rows, columns))
    column = c.plain.block((rows, 1))
    mask, sizes = None if op.mask is None else c.want(op.mask, column), (op.end, op.pitch, op.height)
    return c.build(LoadRows, c.one(op.base), c.want(op.starts, column), c.one(op.column), mask,
                   *(None if size is None else c.one(size) for size in sizes), value=xetile.packed(op.value.type, blocks))  # fmt: skip


def _as_gather(op: LoadRows, c: Blocking) -> Value:
    """A subgroup's part that no messages bring, element by element."""
    block = Block()
    build = Builder(block)
    made, mask = row_places(op, build)
    c.access_by(made, c.plain.block(op.value.type.shape))
    loaded = build(xetile.LoadGather, made, mask)
    for each in block.ops:
        c.op(each)
    return c.one(loaded)


@BLOCK(StoreRows)
def _block_store(op: StoreRows, c: Blocking) -> None:
    shape = op.value.type.shape
    if store_messages(op.value.type.element, shape[1], c.target) is None:
        _as_scatter(op, c)
        return
    column, sizes = c.plain.block((shape[0], 1)), (op.end, op.pitch, op.height)
    mask = None if op.mask is None else c.want(op.mask, column)
    c.build.op(StoreRows, c.want(op.value, c.plain.block(shape)), c.one(op.base), c.want(op.starts, column), c.one(op.column), mask,
               *(None if size is None else c.one(size) for size in sizes))  # fmt: skip


def _as_scatter(op: StoreRows, c: Blocking) -> None:
    """A subgroup's part that no messages store, element by element."""
    block = Block()
    build = Builder(block)
    made, mask = row_places(op, build)
    c.access_by(made, c.plain.block(op.value.type.shape))
    build.op(xetile.StoreScatter, op.value, mask, made)
    for each in block.ops:
        c.op(each)


@LOWER(LoadRows)
def _lower(op: LoadRows, c: Lowering) -> Matrix:
    rows, columns, height, width = op.value.type.shape
    element, layout = op.value.type.element, rows_layout(op.value, c.target)
    plan = row_messages(op.value, columns * width, c.target)
    assert plan is not None, "blocking has asked for them"
    surfaces, pieces = (_Surfaces if op.pitch is None else _Surface)(op, c), list[Piece]()
    column = _column(op, c)
    for row in range(rows * height):
        for placed in plan:
            count, wide = placed.message.count, placed.message.width
            desc, where = _message(surfaces, row, placed, column, c)
            full = VectorType((1, wide) if count == 1 else (count, 1, wide), element)
            loaded = c.build(xegpu.LoadNd, desc, where, value=full, layout_result_0=layout)
            for i in range(count):
                part = loaded if count == 1 else c.build(vector.Extract, loaded, position=(i,), layout_result_0=layout)
                pieces.append(Piece(row, placed.column + i * wide, part))
    return reblock(c.build, Matrix((rows * height, columns * width), element, tuple(pieces), layout), (height, width))


@LOWER(StoreRows)
def _lower_store(op: StoreRows, c: Lowering) -> None:
    """Rows go as lanes have one element of each."""
    plain = Layout(lane_layout=(1, c.target.subgroup_size), lane_data=(1, 1))
    source = aligned(c.matrix(op.value), plain, c)
    plan = store_messages(op.value.type.element, source.shape[1], c.target)
    assert plan is not None, "blocking has asked for them"
    surfaces, column = (_Surfaces if op.pitch is None else _Surface)(op, c), _column(op, c)
    for row in range(source.shape[0]):
        for placed in plan:
            desc, where = _message(surfaces, row, placed, column, c)
            c.build(xegpu.StoreNd, cut(c.build, source, row, placed.column, (1, placed.message.width)), desc, where)


def _message(surfaces: _Surfaces | _Surface, row: int, placed: Placed, column: Value, c: Lowering) -> tuple[Value, list[Value]]:
    """What a message of a row's plan is sent with: the descriptor, and the place in its surface."""
    count, element = placed.message.count, surfaces.element
    encoding = xegpu.BlockAttr(array_length=count) if count > 1 else None
    desc, y, first = surfaces.row(row, xegpu.TensorDescType((1, placed.message.width), element, encoding))
    at = column if first is None else c.build(arith.AddI, first, column)
    if placed.column:
        at = c.build(arith.AddI, at, c.build(arith.Constant, value=placed.column, result=I32))
    return desc, [y, c.build(arith.IndexCast, at, result=INDEX)]


def _column(op: LoadRows | StoreRows, c: Lowering) -> Value:
    """The column of the load, in the 32 bits of a message's coordinate: one beyond all surfaces where it lies further away."""
    near = c.build(arith.MinSI, c.one(op.column), c.access.constant(FAR))
    found: Value = c.build(arith.IndexCast, near, result=I32)
    return found


Row = tuple[Value, Value, "Value | None"]
"""The descriptor of a row's surface, the row in it, and where the row begins in it, which is 0 where it is None."""


class _Surfaces:
    """The surfaces of a load's rows, made where it is known where rows begin: in front of loops that leave that alone.

    Lanes work them out, each one of as many rows as there are lanes, and tell each other.
    """

    def __init__(self, op: LoadRows | StoreRows, c: Lowering) -> None:
        self.element = op.value.type.element
        self._op, self._c = op, c
        rules, size = c.target.block2d, element_bytes(op.value.type.element)
        assert rules is not None
        self._step, self._most = rules.base_alignment // size, (rules.max_extent - rules.base_alignment) // size
        starts, masks = c.matrix(op.starts), None if op.mask is None else c.matrix(op.mask)
        self._height, self._layout = starts.block[0], starts.layout
        self._place = _place_of([p.value for m in (starts, masks) if m is not None for p in m.pieces], c.build.block)
        with c.build.at(self._place):
            grid, allowed = starts.grid(), {} if masks is None else masks.grid()
            self._parts = [self._surface(grid[at], allowed.get(at)) for at in sorted(grid)]

    def _surface(self, starts: Value, mask: Value | None) -> tuple[Value, Value, Value]:
        """Of a column of rows: where surfaces begin, the first column in them of rows that are there, and of all rows."""
        kind, build = type_of(starts, VectorType), partial(self._c.build, **{LAYOUT: self._layout})

        def number(value: int, element: ScalarType = INDEX) -> Value:
            made: Value = build(arith.Constant, value=value, result=kind.with_element(element))
            return made

        ahead = build(arith.AndI, starts, number(self._step - 1))
        base, short = build(arith.SubI, starts, ahead), build(arith.IndexCast, ahead, result=kind.with_element(I32))
        if mask is None:
            return base, short, short
        return build(arith.Select, mask, base, number(0)), build(arith.Select, mask, short, number(FAR, I32)), short

    def row(self, row: int, kind: xegpu.TensorDescType) -> Row:
        """A row for messages of a kind."""
        c, op, place = self._c, self._op, (row % self._height, 0)
        with c.build.at(self._place):
            base, first, ahead = (c.build(vector.Extract, v, position=place) for v in self._parts[row // self._height])
            zero, one, most = (c.access.constant(n) for n in (0, 1, self._most))
            end = most
            if op.end is not None:
                end = c.build(arith.AddI, c.build(arith.IndexCast, ahead, result=INDEX), self._end())
            desc = c.build(
                xegpu.CreateNdTdesc, c.one(op.base), (base, zero, zero), (most, one, end), (one, most, one), result=kind
            )
        return desc, c.access.constant(0), first

    def _end(self) -> Value:
        """Where rows end: an argument, or a number."""
        end = self._c.one(self._op.end)  # type: ignore[arg-type]
        known = arith.constant_of(end)
        return end if known is None else index(self._c.build, known)


class _Surface:
    """The surface of an array of which a load takes rows by their numbers."""

    def __init__(self, op: LoadRows | StoreRows, c: Lowering) -> None:
        self.element = op.value.type.element
        self._op, self._c = op, c
        starts, masks = c.matrix(op.starts), None if op.mask is None else c.matrix(op.mask)
        self._height = starts.block[0]
        self._place = _place_of([p.value for m in (starts, masks) if m is not None for p in m.pieces], c.build.block)
        with c.build.at(self._place):
            grid, allowed = starts.grid(), {} if masks is None else masks.grid()
            self._numbers = [self._near(grid[at], allowed.get(at), starts.layout) for at in sorted(grid)]

    def _near(self, numbers: Value, mask: Value | None, layout: Layout) -> Value:
        """Numbers of rows in the 32 bits of a message's coordinate; -1 for rows that are not there."""
        kind, build = type_of(numbers, VectorType), partial(self._c.build, **{LAYOUT: layout})
        none, far = (build(arith.Constant, value=n, result=kind) for n in (-1, FAR))
        near = build(arith.MaxSI, build(arith.MinSI, numbers, far), none)
        found: Value = build(arith.IndexCast, near if mask is None else build(arith.Select, mask, near, none),
                             result=kind.with_element(I32))  # fmt: skip
        return found

    def row(self, row: int, kind: xegpu.TensorDescType) -> Row:
        """A row for messages of a kind."""
        c, op = self._c, self._op
        with c.build.at(self._place):
            number = c.build(vector.Extract, self._numbers[row // self._height], position=(row % self._height, 0))
        sizes, one = (c.one(op.height), c.one(op.end)), c.access.constant(1)  # type: ignore[arg-type]
        desc = c.build(xegpu.CreateNdTdesc, c.one(op.base), (), sizes, (c.one(op.pitch), one), result=kind)  # type: ignore[arg-type]
        return desc, c.build(arith.IndexCast, number, result=INDEX), None


def _place_of(values: Sequence[Value], here: Block) -> Block:
    """The block in which values are made, at whose end they are known; the one where the pass stands if these are several."""
    found, *others = {block_of(value) for value in values}
    return here if others or found is None else found
