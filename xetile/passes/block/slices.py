"""Parts of values: cut out, put in, and single elements, through blocking and the lowering to xegpu."""

from __future__ import annotations

from dataclasses import replace

from xetile.dialects import vector, xegpu, xetile
from xetile.dialects.types import VectorType, shape_of
from xetile.ir.core import Value
from xetile.ir.dispatch import Table
from xetile.layout import Layout, same_ownership
from xetile.passes.analysis.block_sizes import mma_block
from xetile.passes.analysis.products import mma_uses
from xetile.passes.block.blocking import Blocking
from xetile.passes.block.lowering import Lowering, aligned
from xetile.passes.block.matrices import Matrix, Piece, block_origins, cut, fitting_blocks, matrix
from xetile.passes.block.staged import Elsewhere

BLOCK = Table()
LOWER = Table()


def _unpacked(c: Blocking, value: Value) -> Value:
    return c.build(xetile.TileUnpack, c.one(value), inner_blocks=c.blocks_of(value))


@BLOCK(vector.ExtractStridedSlice)
def _block_slice(op: vector.ExtractStridedSlice, c: Blocking) -> Value:
    part = c.build(vector.ExtractStridedSlice, _unpacked(c, op.source), offsets=op.offsets, sizes=op.sizes, strides=op.strides)
    return c.build(xetile.TilePack, part, inner_blocks=c.plain.block(op.result.type.shape))


@BLOCK(vector.InsertStridedSlice)
def _block_insert(op: vector.InsertStridedSlice, c: Blocking) -> Value:
    parts = _unpacked(c, op.value), _unpacked(c, op.dest)
    whole = c.build(vector.InsertStridedSlice, *parts, offsets=op.offsets, strides=op.strides, result=op.result.type)
    return c.build(xetile.TilePack, whole, inner_blocks=c.blocks_of(op.dest))


@BLOCK(vector.Shuffle)
def _block_shuffle(op: vector.Shuffle, c: Blocking) -> Value:
    whole = c.build(vector.Shuffle, _unpacked(c, op.v1), _unpacked(c, op.v2), mask=op.mask)
    return c.build(xetile.TilePack, whole, inner_blocks=_operand_block(op, c))


def _operand_block(op: vector.Shuffle, c: Blocking) -> tuple[int, int]:
    """Blocks as the product takes them that a shuffle is for, else those of a plain value."""
    roles, shape = mma_uses(op.result), op.result.type.shape
    (found,) = roles if len(roles) == 1 else (None,)
    if found is None or c.target.find_mma(*found[1]) is None:
        return c.plain.block(shape)
    return mma_block(shape, *found, c.target)  # type: ignore[arg-type]


@BLOCK(vector.Insert)
def _block_element(op: vector.Insert, c: Blocking) -> Value:
    whole = c.build(vector.Insert, c.one(op.value), _unpacked(c, op.dest), position=op.position)
    return c.build(xetile.TilePack, whole, inner_blocks=c.blocks_of(op.dest))


@BLOCK(vector.Extract)
def _block_extract(op: vector.Extract, c: Blocking) -> Value:
    return c.build(vector.Extract, _unpacked(c, op.source), position=op.position, result=op.result.type)


@LOWER(vector.ExtractStridedSlice)
def _lower_slice(op: vector.ExtractStridedSlice, c: Lowering) -> Matrix:
    source, shape = c.matrix(op.source), op.result.type.shape
    block = c.plain.block(shape)
    row, column = op.offsets
    values = [cut(c.build, source, row + r, column + k, block) for r, k in block_origins(shape, block)]
    return matrix(shape, block, values, source.layout)


@LOWER(vector.InsertStridedSlice)
def _lower_insert(op: vector.InsertStridedSlice, c: Lowering) -> Matrix:
    """Each piece of the whole takes what lies over it."""
    part, whole = c.matrix(op.value), c.matrix(op.dest)
    top, left = op.offsets
    pieces = []
    for piece in whole.pieces:
        (rows, columns), (height, width) = piece.shape, part.shape
        first, last = max(piece.row, top), min(piece.row + rows, top + height)
        start, stop = max(piece.column, left), min(piece.column + columns, left + width)
        if first >= last or start >= stop:
            pieces.append(piece)
            continue
        value = piece.value
        for (down, across), block, layout in fitting_blocks((last - first, stop - start), part.layout):
            at = (first + down, start + across)
            over = cut(c.build, replace(part, layout=layout), at[0] - top, at[1] - left, block)
            if not xegpu.not_distributable(block, whole.layout):
                own = part.layout if any(over is p.value for p in part.pieces) else layout
                over = _alike(c, over, own, whole.layout, block)
            if block != piece.shape:
                over = c.build(vector.InsertStridedSlice, over, value, offsets=(at[0] - piece.row, at[1] - piece.column),
                               strides=(1, 1), result=value.type, layout_result_0=whole.layout)  # fmt: skip
            value = over
        pieces.append(Piece(piece.row, piece.column, value))
    return Matrix(whole.shape, whole.element, tuple(pieces), whole.layout)


def _alike(c: Lowering, value: Value, own: Layout, wanted: Layout, block: tuple[int, int]) -> Value:
    if same_ownership(own, wanted, block):
        return value
    return c.build(xegpu.ConvertLayout, value, input_layout=own, target_layout=wanted, layout_result_0=wanted)


@LOWER(vector.Shuffle)
def _lower_shuffle(op: vector.Shuffle, c: Lowering) -> Matrix:
    """Block by block, of the rows of each operand that a block picks from: lanes have whole columns of both."""
    one, other = c.matrix(op.v1), c.matrix(op.v2)
    other = aligned(other, one.layout, c)
    rows, columns = op.result.type.shape
    (pack,) = op.result.users
    block: tuple[int, int] = pack.inner_blocks  # type: ignore[attr-defined]
    values = []
    for row, column in block_origins((rows, columns), block):
        parts, mask = _picked((one, other), op.mask[row : row + block[0]], column, block[1], c)
        alike = len(parts) == 1 and mask == tuple(range(shape_of(parts[0].type)[0]))
        shuffled = parts[0] if alike else c.build(vector.Shuffle, parts[0], parts[-1], mask=mask, layout_result_0=one.layout)
        values.append(shuffled)
    return matrix((rows, columns), block, values, one.layout)


def _picked(
    sources: tuple[Matrix, Matrix], rows: tuple[int, ...], column: int, width: int, c: Lowering
) -> tuple[list[Value], tuple[int, ...]]:
    """The part of each source that holds the rows which a block picks from it, and where each row lies in these parts, one below the other.

    Rows are counted through both sources.
    """
    parts, places, above = list[Value](), dict[int, int](), 0
    for source, first in zip(sources, (0, sources[0].shape[0]), strict=True):
        wanted = [row for row in rows if first <= row < first + source.shape[0]]
        if wanted:
            low, height = min(wanted), max(wanted) + 1 - min(wanted)
            places.update((row, above + row - low) for row in wanted)
            parts.append(cut(c.build, source, low - first, column, (height, width)))
            above += height
    return parts, tuple(places[row] for row in rows)


@LOWER(vector.Insert)
def _lower_element(op: vector.Insert, c: Lowering) -> Matrix:
    """One element, which every lane has."""
    whole, (row, column), pieces = c.matrix(op.dest), op.position, []
    for piece in whole.pieces:
        at = (row - piece.row, column - piece.column)
        value = piece.value
        if all(0 <= i < n for i, n in zip(at, piece.shape)):
            value = c.build(vector.Insert, c.one(op.value), value, position=at, layout_result_0=whole.layout)
        pieces.append(Piece(piece.row, piece.column, value))
    return Matrix(whole.shape, whole.element, tuple(pieces), whole.layout)


@LOWER(vector.Extract)
def _lower_extract(op: vector.Extract, c: Lowering) -> Value:
    row, column = op.position
    one = cut(c.build, c.matrix(op.source), row, column, (1, 1))
    assert isinstance(one.type, VectorType)
    return c.build(vector.Extract, one, position=(0, 0), result=op.result.type)


@LOWER(xetile.TileTranspose)
def _lower_transpose(op: xetile.TileTranspose, c: Lowering) -> Matrix | Elsewhere:
    """Block by block, through the lanes: loads that are only transposed have become transposing loads before (fold_transposes)."""
    line = c[op.source]
    if isinstance(line, Elsewhere):  # a row or a column, of which lanes load what they take
        return line
    source = c.matrix(op.source)
    rows, columns = op.result.type.shape
    height, width = c.plain.block((rows, columns))
    layout = c.plain.layout((height, width))
    values = []
    for row, column in block_origins((rows, columns), (height, width)):
        part = cut(c.build, source, column, row, (width, height))
        part = c.build(vector.Transpose, part, permutation=(1, 0), layout_result_0=layout)
        values.append(part)
    return matrix((rows, columns), (height, width), values, layout)
