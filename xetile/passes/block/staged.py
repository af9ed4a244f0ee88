"""Staged operands at xegpu level: runs of neighbours from global memory, and shared matrices of 32-bit words in DPAS's
order.

A shared matrix holds words: of the first operand, of neighbours in a row; of the second, of rows of one column. Its blocks are those
of one matrix instruction, each in one piece, in which a lane reads one row: no two lanes read the same bank of memory at a time.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from xetile.dialects import arith, scf, vector, xegpu
from xetile.dialects.affine import sum_of
from xetile.dialects.types import I1, I32, INDEX, VectorType
from xetile.ir.core import UNIT, Block, Value, type_of
from xetile.layout import Layout
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.passes.block.access import Tile, TileMessages, order_of
from xetile.passes.block.matrices import Matrix, Piece, block_origins, pack_rows, reblock
from xetile.records import dataclass
from xetile.target.blocks import WORD_BYTES


@dataclass(frozen=True)
class Elsewhere:
    """A value that is never in registers as a whole: `tile` is copied to where it is stored, element by element.

    inside: whether all of it lies inside of its array, and runs of it begin with a word.
    """

    tile: Tile
    layout: Layout
    inside: bool = False


def load_runs(access: TileMessages, tile: Tile, layout: Layout, *, inside: bool = True) -> Matrix:
    """A tile inside of its array, in pieces of which each lane holds a run of neighbours, by one load each.

    inside: whether all rows are there; those that are not are 0.
    """
    build, element, lanes = access.build, tile.type.element, access.target.subgroup_size
    (high, beside), run = layout.lane_layout, layout.lane_data[1]
    base, stride = access.flat(tile), tile.strides[-2]
    always = build(arith.Constant, value=True, result=VectorType((lanes,), I1))
    kind, held = VectorType((lanes, run), element), Layout(lane_layout=(lanes, 1), lane_data=(1, run))
    origin = access.splat(access.offset(tile, tile.y, tile.x))
    pieces = []
    for row, column in block_origins(tile.type.shape, (high, beside * run)):
        down, right = _lane_place(access, row, column, layout)
        # What a lane adds stays; what all lanes add moves.
        offsets = build(arith.AddI, build(arith.AddI, build(arith.MulI, down, access.splat(stride)), right), origin)
        y = access.add(tile.y, down)
        mask = always if inside else build(arith.CmpI, y, access.like(tile.shape[-2], y), predicate="ult")
        found = build(xegpu.Load, base, offsets, mask, value=kind, chunk_size=run, alignment=WORD_BYTES, layout_result_0=held)
        unit = build(vector.ShapeCast, found, result=VectorType((high, beside * run), element), layout_result_0=layout)
        pieces.append(Piece(row, column, unit))
    return Matrix(tile.type.shape, element, tuple(pieces), layout)


def load_elements(access: TileMessages, tile: Tile, layout: Layout) -> Matrix:
    """A tile in the same pieces, by one load for each element of the runs: 0 outside of the array."""
    build, element, lanes = access.build, tile.type.element, access.target.subgroup_size
    (high, beside), run = layout.lane_layout, layout.lane_data[1]
    base, pieces = access.flat(tile), []
    for row, column in block_origins(tile.type.shape, (high, beside * run)):
        y, x = _lane_start(access, tile, row, column, layout)
        places = [access.place(tile, y, access.add(x, i)) for i in range(run)]
        found = [build(xegpu.Load, base, *place, value=VectorType((lanes,), element)) for place in places]
        pieces.append(Piece(row, column, _as_runs(access, found, layout)))
    return Matrix(tile.type.shape, element, tuple(pieces), layout)


def load_line(access: TileMessages, line: Elsewhere, shape: tuple[int, int], *, along: int) -> Matrix:
    """A row or a column all over a tile: each lane loads the elements that it takes. `along`: the tile's axis that it lies along."""
    build, tile, lanes = access.build, line.tile, access.target.subgroup_size
    (high, beside), run = line.layout.lane_layout, line.layout.lane_data[1]
    base, kind = access.flat(tile), VectorType((lanes,), tile.type.element)
    always = build(arith.Constant, value=True, result=VectorType((lanes,), I1))

    def element(number: Any) -> Value:
        y, x = (tile.y, access.add(tile.x, number)) if tile.type.shape[0] == 1 else (access.add(tile.y, number), tile.x)
        place = (access.offset(tile, y, x), always) if line.inside else access.place(tile, y, x)
        return build(xegpu.Load, base, *place, value=kind)

    def unit(row: int, column: int) -> Value:
        down, right = _lane_place(access, row, column, line.layout)
        if line.inside and along and tile.type.shape[0] == 1:  # neighbours
            held, place = (
                Layout(lane_layout=(lanes, 1), lane_data=(1, run)),
                access.offset(tile, tile.y, access.add(tile.x, right)),
            )
            found = build(xegpu.Load, base, place, always, value=kind.with_shape(lanes, run), chunk_size=run, alignment=WORD_BYTES,
                          layout_result_0=held)  # fmt: skip
            return build(vector.ShapeCast, found, result=kind.with_shape(high, beside * run), layout_result_0=line.layout)
        numbers = [access.add(right, i) for i in range(run)] if along else [down]
        return _as_runs(access, [element(number) for number in numbers] * (1 if along else run), line.layout)

    block = (high, beside * run)
    units = {number: unit(0, number) if along else unit(number, 0) for number in range(0, shape[along], block[along])}
    pieces = tuple(Piece(*place, units[place[along]]) for place in block_origins(shape, block))
    return Matrix(shape, tile.type.element, pieces, line.layout)


def _as_runs(access: TileMessages, elements: list[Value], layout: Layout) -> Value:
    """Rows of a tile of which lanes hold runs, of what each lane has as the elements of its run."""
    build, lanes, run = access.build, access.target.subgroup_size, len(elements)
    element = type_of(elements[0], VectorType).element
    kind, held = VectorType((lanes, run), element), Layout(lane_layout=(lanes, 1), lane_data=(1, run))
    whole = build(arith.Constant, value=0, result=kind, layout_result_0=held)
    for i, found in enumerate(elements):
        column = build(
            vector.ShapeCast, found, result=VectorType((lanes, 1), element), layout_result_0=replace(held, lane_data=(1, 1))
        )
        whole = build(vector.InsertStridedSlice, column, whole, offsets=(0, i), strides=(1, 1), result=kind, layout_result_0=held)
    (high, beside), _ = layout.lane_layout, layout.lane_data
    return build(vector.ShapeCast, whole, result=VectorType((high, beside * run), element), layout_result_0=layout)


def _pack(access: TileMessages, rows: list[Value], layout: Layout) -> tuple[Value, Layout]:
    """Rows as one row of words, each of elements of one column."""
    build, pack = access.build, len(rows)
    first = type_of(rows[0], VectorType)
    columns, element = first.shape[1], first.element
    whole = build(arith.Constant, value=0, result=VectorType((pack, columns), element), layout_result_0=layout)
    for i, row in enumerate(rows):
        whole = build(
            vector.InsertStridedSlice, row, whole, offsets=(i, 0), strides=(1, 1), result=whole.type, layout_result_0=layout
        )
    packed = pack_rows(build, whole, pack, layout)
    wide = Layout(lane_layout=layout.lane_layout, lane_data=(1, layout.lane_data[1] * pack))
    return _as_words(access, build(vector.ShapeCast, packed, result=VectorType((1, columns * pack), element), layout_result_0=wide),
                     wide, pack)  # fmt: skip


def layout_of_words(layout: Layout, pack: int) -> Layout:
    """The layout of a value seen as words of `pack` neighbours."""
    return Layout(lane_layout=layout.lane_layout, lane_data=(1, layout.lane_data[1] // pack))


def _lane_start(access: TileMessages, tile: Tile, row: int, column: int, layout: Layout) -> tuple[Any, Any]:
    """Where each lane's run of a piece starts in the array."""
    down, right = _lane_place(access, row, column, layout)
    return access.add(tile.y, down), access.add(tile.x, right)


def _lane_place(access: TileMessages, row: int, column: int, layout: Layout) -> tuple[Any, Any]:
    """Where each lane's run of a piece starts in the tile."""
    beside, run = layout.lane_layout[1], layout.lane_data[1]
    lanes = access.build(vector.Step, result=VectorType((access.target.subgroup_size,), INDEX))
    across = access.splat(access.constant(beside))
    down, right = access.build(arith.DivUI, lanes, across), access.build(arith.RemUI, lanes, across)
    right = access.build(arith.MulI, right, access.splat(access.constant(run)))
    return _moved(access, down, row), _moved(access, right, column)


def _moved(access: TileMessages, place: Value, by: int) -> Value:
    return access.add(place, access.splat(access.constant(by))) if by else place


# Shared matrices.


def is_packed(tile: Tile) -> bool:
    """Whether words hold rows of one column, as those of DPAS's second operand do."""
    return order_of(tile).packed > 1


def _words(access: TileMessages, tile: Tile) -> tuple[Value, list[Value], int]:
    """The buffer as a matrix of words in blocks of one instruction; where the tile starts in it; elements of a word."""
    kind: Any = tile.base.type
    pack = WORD_BYTES // element_bytes(kind.element)
    down = is_packed(tile)
    shape, block = (((n // pack, m) if down else (n, m // pack)) for n, m in (kind.shape, kind.order.block))
    desc = access.build(xegpu.CreateMemDesc, tile.base, result=xegpu.MemDescType(shape, I32, xegpu.MemLayoutAttr(block=block)))
    y, x = (tile.y, tile.x)
    where = [divided(access, y, pack), x] if down else [y, divided(access, x, pack)]
    return desc, where, pack


def divided(access: TileMessages, value: Value, number: int) -> Value:
    """A multiple of a number divided by it, term by term: sums stay sums."""
    found, total = sum_of(value), None
    for term in found.terms:
        if term.coefficient % number == 0:
            part = access.build(arith.MulI, term.symbol, access.constant(term.coefficient // number))
        else:
            part = access.build(arith.DivUI, term.value, access.constant(number))
        total = part if total is None else access.build(arith.AddI, total, part)
    return access.add(total, found.constant // number) if total is not None else access.constant(found.constant // number)


def load_operand(access: TileMessages, tile: Tile) -> Matrix:
    """The tile in blocks of one instruction, each lane's row of a block by one message.

    Of a transpose a lane has a column of the block that lies there, which is a block message.
    """
    build, element, turned = access.build, tile.type.element, tile.transposed
    desc, first, pack = _words(access, replace(tile, y=tile.x, x=tile.y) if turned else tile)
    y, x = first[::-1] if turned else first
    down, lanes = is_packed(tile) != turned, access.target.subgroup_size
    rows, columns = tile.type.shape
    height, width = (lanes * pack, lanes) if down else (lanes, lanes * pack)
    row, beside = (Layout(lane_layout=lying, lane_data=(1, 1)) for lying in ((lanes, 1), (1, lanes)))
    plain = Layout(lane_layout=(lanes, 1), lane_data=(1, pack))
    held = Layout(lane_layout=(lanes, 1), lane_data=(pack, 1)) if down else plain
    pieces = []
    for r in range(0, rows, height):
        for k in range(0, columns, width):
            where = [access.add(y, r // pack if down else r), access.add(x, k if down else k // pack)]
            kind, place = VectorType((lanes, lanes), I32), where[::-1] if turned else where
            if turned:
                block = build(xegpu.LoadMatrix, desc, place, subgroup_block_io=UNIT, layout_result_0=beside, value=kind)
                words = build(vector.Transpose, block, permutation=(1, 0), layout_result_0=row)
            else:
                words = build(xegpu.LoadMatrix, desc, place, layout_result_0=row, value=kind)
            value = build(vector.Bitcast, words, result=VectorType((lanes, lanes * pack), element), layout_result_0=plain)
            if down:
                value = build(vector.ShapeCast, value, result=VectorType((lanes, lanes, pack), element), layout_result_0=held)
            pieces.append(Piece(r, k, value))
    return Matrix(tile.type.shape, element, tuple(pieces), held)


def store_rows(access: TileMessages, tile: Tile, source: Matrix) -> None:
    """A piece whose rows lanes hold, in blocks of one instruction: each lane's row of a block by one message."""
    build, lanes = access.build, access.target.subgroup_size
    desc, (y, x), pack = _words(access, tile)
    held = Layout(lane_layout=(lanes, 1), lane_data=(1, 1))
    for p in reblock(build, source, (lanes, lanes * pack)).pieces:
        run = Layout(lane_layout=(lanes, 1), lane_data=(1, pack))
        value = build(xegpu.ConvertLayout, p.value, input_layout=source.layout, target_layout=run, layout_result_0=run)
        words = build(vector.Bitcast, value, result=VectorType((lanes, lanes), I32), layout_result_0=held)
        build.op(xegpu.StoreMatrix, words, desc, [access.add(y, p.row), access.add(x, p.column // pack)], layout=held)


def copy_elements(access: TileMessages, source: Elsewhere, target: Tile) -> None:
    """A tile of global memory into a shared matrix: a loop over the elements of a lane's runs, 0 where there is none."""
    build, tile, lanes = access.build, source.tile, access.target.subgroup_size
    (high, beside), run = source.layout.lane_layout, source.layout.lane_data[1]
    base, shared = access.flat(tile), access.flat(target)
    always = build(arith.Constant, value=True, result=VectorType((lanes,), I1))
    body = Block([INDEX], ["i"])
    with build.at(body):
        for row, column in block_origins(tile.type.shape, (high, beside * run)):
            y, x = _lane_start(access, tile, row, column, source.layout)
            offsets, mask = access.place(tile, y, access.add(x, body.args[0]))
            value = build(xegpu.Load, base, offsets, mask, value=VectorType((lanes,), tile.type.element))
            y, x = _lane_start(access, target, row, column, source.layout)
            build.op(xegpu.Store, value, shared, _shared_address(access, target, y, access.add(x, body.args[0])), always)
        build.op(scf.Yield, [])
    build.op(scf.For, access.constant(0), access.constant(run), access.constant(1), [], regions=[body], values=[])


def _shared_address(access: TileMessages, tile: Tile, y: Value, x: Value) -> Value:
    """Where an element of a shared matrix lies, in elements."""
    desc, _, pack = _words(access, tile)
    words = access.splat(access.constant(pack))
    at, other = (y, x) if is_packed(tile) else (x, y)
    word, part = access.build(arith.DivUI, at, words), access.build(arith.RemUI, at, words)
    places = (word, other) if is_packed(tile) else (other, word)
    total = part
    for term in type_of(desc, xegpu.MemDescType).memory_layout().terms():
        value = places[term.dim]
        if term.divisor > 1:
            value = access.build(arith.DivUI, value, access.splat(access.constant(term.divisor)))
        if term.modulus:
            value = access.build(arith.RemUI, value, access.splat(access.constant(term.modulus)))
        total = access.add(total, access.build(arith.MulI, value, access.splat(access.constant(term.stride * pack))))
    return total


def store_operand(access: TileMessages, tile: Tile, source: Matrix) -> None:
    """A subgroup's share of a tile, in pieces of which each lane holds a run, into the shared matrix."""
    build, layout = access.build, source.layout
    desc, (y, x), pack = _words(access, tile)
    down = is_packed(tile)
    for column in sorted({p.column for p in source.pieces}):
        pieces = [p for p in source.pieces if p.column == column]
        for i in range(0, len(pieces), pack if down else 1):
            rows = [p.value for p in pieces[i : i + pack]]
            value, held = _pack(access, rows, layout) if down else _as_words(access, rows[0], layout, pack)
            row, beside = (pieces[i].row // pack, column) if down else (pieces[i].row, column // pack)
            build.op(xegpu.StoreMatrix, value, desc, [access.add(y, row), access.add(x, beside)], layout=held)


def _as_words(access: TileMessages, value: Any, layout: Layout, pack: int) -> tuple[Value, Layout]:
    """Neighbours in a row as words."""
    held = layout_of_words(layout, pack)
    rows, columns = value.type.shape
    return access.build(vector.Bitcast, value, result=VectorType((rows, columns // pack), I32), layout_result_0=held), held
