"""What blocked xetile becomes at xegpu level, op by op: one vector for each block, messages from the target's tables, dpas for each
product of blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from xetile.dialects import arith, gpu, scf, vector, xegpu, xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import VectorType, shape_of
from xetile.dialects.vector import LAYOUT
from xetile.ir import analyses
from xetile.ir.core import Elementwise, Op, Value
from xetile.ir.dispatch import Table
from xetile.layout import Layout, same_ownership
from xetile.passes.analysis.block_access import BlockAccess
from xetile.passes.analysis.block_sizes import element_bytes, mma_layout
from xetile.passes.analysis.lane_runs import plain_blocks
from xetile.passes.analysis.products import OperandUses, mma_types
from xetile.passes.block.access import Tile, TileMessages, first_word
from xetile.passes.block.clips import Clips
from xetile.passes.block.matrices import Matrix, Piece, conform, matrix, reblock
from xetile.passes.block.remade import Remade, is_remade
from xetile.passes.block.staged import Elsewhere, load_line
from xetile.passes.common.changed import changed
from xetile.passes.common.converter import Converter, Lowered
from xetile.passes.common.reductions import combiner, identity, zeros_alike
from xetile.passes.common.sharing import OF_ACCESSES, SharingBuilder
from xetile.target import Target
from xetile.target.blocks import WORD_BYTES

LOWER = Table()
LONGEST = 2**31 - 1  # elements that an index of 32 bits reaches


class Lowering(Converter):
    """The state of this pass: uses in the old module, access to memory in the new one."""

    def __init__(self, table: Table, module: GpuModule, target: Target) -> None:
        super().__init__(table)
        self.target = target
        self.plain = plain_blocks(module, target)
        self.blocks = analyses.get(BlockAccess, module, target)
        self.clips = Clips(module, target)
        self.remade = Remade()
        self.uses = OperandUses()

    def begin(self, func: Op) -> None:
        """Numbers of accesses are made once."""
        self.build = SharingBuilder(self.build.block, OF_ACCESSES, alone=False)

    @property
    def access(self) -> TileMessages:
        """Messages, emitted where the pass stands."""
        return TileMessages(self.build, self.target)

    def tile(self, value: Value) -> Tile:
        """What an old tile became, as an access sees it: element by element where it may begin inside of a 32-bit word."""
        found: Tile = self[value]
        seen = {"run": self.blocks.run(value), "line": self.blocks.line(value), "ends_inside": self.blocks.ends_inside(value)}
        return changed(found, scattered=found.scattered or not self.blocks.aligned(value), **seen)

    def matrix(self, value: Value) -> Matrix:
        """What an old 4-D value became."""
        found = self[value]
        assert isinstance(found, Matrix)
        return found

    def coerce(self, lowered: Any, template: Any) -> Any:
        """Carried values keep their blocks and lanes."""
        if not isinstance(template, Matrix):
            return lowered
        return aligned(conform(self.build, lowered, template), template.layout, self)

    def each(self, type: VectorType, layout: Layout, emit: Callable[[tuple[int, int], VectorType], Value]) -> Matrix:
        """A matrix made block by block: `emit` gets the block's coordinates and type."""
        rows, columns, height, width = type.shape
        block = VectorType((height, width), type.element)
        values = [emit((r, c), block) for r in range(rows) for c in range(columns)]
        return matrix((rows * height, columns * width), (height, width), values, layout)


def plain_layout(type: VectorType, c: Lowering) -> Layout:
    """How lanes hold the blocks of a value that no matrix instruction takes."""
    return c.plain.layout((type.shape[2], type.shape[3]))


@LOWER(xetile.InitTile)
def _init_tile(op: xetile.InitTile, c: Lowering) -> Lowered:
    if op.result.type.scatter:
        return _as_line(c.one(op.base), c), c.matrix(op.offsets[0])
    offsets, shape, strides = ([c.one(v) for v in part] for part in (op.offsets, op.shape, op.strides))
    if len(offsets) == 1:  # a rank-1 base is one row; its pitch is never used to reach another
        one, zero = c.access.constant(1), c.access.constant(0)
        offsets, shape, strides = [zero, *offsets], [one, *shape], [_row_pitch(shape[0], op, c), *strides]
    tile = Tile(op.result.type, c.one(op.base), tuple(offsets[:-2]), tuple(shape), tuple(strides), offsets[-2], offsets[-1],
                not c.blocks.reaches(op), varying=c.blocks.varying(op))  # fmt: skip
    return changed(tile, word=first_word(c.access, tile.y, tile.type.element)) if tile.in_words else tile


def _as_line(base: Value, c: Lowering) -> Value:
    """A base as one dimension, for scattered access; that it is long enough is the user's to see to."""
    kind: Any = base.type
    if kind.rank == 1:
        return base
    size = None if None in kind.shape else c.access.constant(prod(kind.shape))
    return c.build(gpu.ReinterpretCast, base, size or c.access.constant(LONGEST))


def _row_pitch(length: Value, op: xetile.InitTile, c: Lowering) -> Value:
    """The length of a row rounded up to what 2D block messages ask of a pitch."""
    blocks = c.target.block2d
    if blocks is None:
        return length
    unit = c.access.constant(max(blocks.min_pitch_bytes, blocks.pitch_multiple) // element_bytes(op.result.type.element))
    return c.build(arith.MulI, c.build(arith.CeilDivUI, length, unit), unit)


@LOWER(xetile.UpdateTileOffset)
def _update(op: xetile.UpdateTileOffset, c: Lowering) -> Lowered:
    if op.tile.type.scatter:
        base, offsets = c[op.tile]
        deltas = c.matrix(op.offsets[0]).grid()
        moved = [c.build(arith.AddI, v, deltas[at], layout_result_0=offsets.layout) for at, v in offsets.grid().items()]
        return base, offsets.with_carried(moved)
    tile: Tile = c[op.tile]
    dy, dx = (c.one(v) for v in op.offsets)
    after = changed(tile, y=_plus(c, tile.y, dy), x=_plus(c, tile.x, dx))
    return after if tile.word is None else changed(after, word=_word_moved(c, after, tile.word, dy))


def _word_moved(c: Lowering, moved: Tile, word: Value, delta: Value) -> Value:
    """Moves of whole words are added up; others are divided again."""
    known = arith.constant_of(delta)
    ratio = WORD_BYTES // element_bytes(moved.type.element)
    if known is None or known % ratio:
        return first_word(c.access, moved.y, moved.type.element)
    return _plus(c, word, c.access.constant(known // ratio))


def _plus(c: Lowering, position: Value, delta: Value) -> Value:
    return position if arith.constant_of(delta) == 0 else c.build(arith.AddI, position, delta)


@LOWER(xetile.TileUnpack)
def _unpack(op: xetile.TileUnpack, c: Lowering) -> Matrix | Elsewhere:
    found = c[op.source]
    return found if isinstance(found, Elsewhere) else c.matrix(op.source)


@LOWER(xetile.TilePack)
def _pack(op: xetile.TilePack, c: Lowering) -> Matrix | Elsewhere:
    found = c[op.source]
    return (
        found if isinstance(found, Elsewhere) else reblock(c.build, c.matrix(op.source), (op.inner_blocks[0], op.inner_blocks[1]))
    )


@LOWER(Elementwise)
def _elementwise(op: Op, c: Lowering) -> Lowered:
    result = op.results[0].type
    if not isinstance(result, VectorType):
        return c.clone(op)
    matrices = [c[v] for v in op.operands]
    layout = _common_layout([m for m in matrices if isinstance(m, Matrix)])
    grids = [aligned(m, layout, c).grid() if isinstance(m, Matrix) else m for m in matrices]
    name = op.result_fields[0].name

    def emit(at: tuple[int, int], block: VectorType) -> Value:
        operands = [g[at] if isinstance(g, dict) else g for g in grids]
        return c.build(type(op), *operands, **{**op.attributes, name: block, LAYOUT: layout})

    return c.each(result, layout, emit)


def _common_layout(matrices: Sequence[Matrix]) -> Layout:
    """That of the first operand; of the first that cannot be made in another, where they differ."""
    first = matrices[0].layout
    if all(m.layout is first for m in matrices):
        return first
    return next((m.layout for m in matrices if not all(is_remade(p.value) for p in m.pieces)), first)


def stretched(value: Value, block: VectorType, layout: Layout, c: Lowering) -> Value:
    """A row or column repeated over a block."""
    return c.build(vector.Broadcast, value, result=block.with_element(value.type.element), layout_result_0=layout)  # type: ignore


def aligned(value: Matrix, layout: Layout, c: Lowering) -> Matrix:
    """A matrix whose lanes hold what another's hold."""
    if same_ownership(value.layout, layout, value.block):
        return value
    return Matrix(value.shape, value.element, tuple(Piece(p.row, p.column, _held_as(p.value, value.layout, layout, c)) for p in value.pieces),
                  layout)  # fmt: skip


def _held_as(value: Value, before: Layout, layout: Layout, c: Lowering) -> Value:
    """A block as lanes hold it in another layout."""
    if is_remade(value):
        return c.remade.get(c.build, value, layout)
    return c.build(xegpu.ConvertLayout, value, input_layout=before, target_layout=layout, layout_result_0=layout)


@LOWER(arith.Constant)
def _constant(op: arith.Constant, c: Lowering) -> Lowered:
    if not isinstance(op.result.type, VectorType):
        return c.clone(op)
    layout = _summed_layout(op.result, c) or plain_layout(op.result.type, c)
    block = VectorType(op.result.type.shape[2:], op.result.type.element)
    value = c.build(arith.Constant, value=op.value, result=block, layout_result_0=layout)
    return c.each(op.result.type, layout, lambda at, kind: value)


@LOWER(scf.For)
def _loop(op: scf.For, c: Lowering) -> Lowered:
    """Sums of products begin as the accumulator's lanes hold them: what a loop carries has one layout, that of what it begins with."""
    begun = {value: c[value] for value in op.init if isinstance(c[value], Matrix)}
    for value, arg, carried in zip(op.init, op.body.args[1:], op.body.terminator.operands):
        layout = _summed_layout(arg, c) or _product_layout(carried, c) if value in begun else None
        if layout is not None:
            c[value] = aligned(begun[value], layout, c)
    made = c.structure(op)
    for value, before in begun.items():
        c[value] = before
    return made


def _summed_layout(value: Value, c: Lowering) -> Layout | None:
    """The accumulator's layout for what a loop begins with and sums products in, itself or loops in it: lanes hold a constant in any way."""
    for user, position in value.uses:
        if isinstance(user, xetile.TileMma) and position == 2 and c.target.find_mma(*mma_types(user)) is not None:
            return mma_layout("acc", mma_types(user), c.target)
        carried = position - (len(user.operands) - len(user.init)) if isinstance(user, scf.For) else -1
        if isinstance(user, scf.For) and carried >= 0:
            arg, given = user.body.args[1 + carried], user.body.terminator.operands[carried]
            found = _summed_layout(arg, c) or _product_layout(given, c)
            if found is not None:
                return found
    return None


def _product_layout(value: Value, c: Lowering, *, depth: int = 4) -> Layout | None:
    """The accumulator's layout for what elementwise ops make of a product, in branches and loops or not: lanes keep it as the instruction
    gives it.
    """
    op = value.op
    if isinstance(op, xetile.TileMma):
        return mma_layout("acc", mma_types(op), c.target) if c.target.find_mma(*mma_types(op)) is not None else None
    if not depth or not isinstance(op, (Elementwise, xetile.TilePack, xetile.TileUnpack, scf.If, scf.For)):
        return None
    made = [block.terminator.operands[value.index] for block in op.regions] if isinstance(op, (scf.If, scf.For)) else op.operands
    found = (_product_layout(v, c, depth=depth - 1) for v in made if isinstance(v.type, VectorType))
    return next((layout for layout in found if layout is not None), None)


@LOWER(vector.Broadcast)
def _splat(op: vector.Broadcast, c: Lowering) -> Matrix:
    layout = plain_layout(op.result.type, c)
    block = VectorType(op.result.type.shape[2:], op.result.type.element)
    value = c.build(vector.Broadcast, c.one(op.source), result=block, layout_result_0=layout)
    return c.each(op.result.type, layout, lambda at, kind: value)


@LOWER(xetile.TileBroadcast)
def _broadcast(op: xetile.TileBroadcast, c: Lowering) -> Matrix:
    line = c[op.source]
    if isinstance(line, Elsewhere):
        shape = shape_of(op.result.type)
        shape = (shape[0] * shape[2], shape[1] * shape[3])
        return reblock(c.build, load_line(c.access, line, shape, along=1 - op.dims[0] % 2), shape)
    source = c.matrix(op.source)
    layout = plain_layout(op.result.type, c)
    grid = source.grid()
    rows, columns = op.source.type.shape[:2]

    def emit(at: tuple[int, int], block: VectorType) -> Value:
        value = grid[at[0] if rows > 1 else 0, at[1] if columns > 1 else 0]
        return value if value.type == block else stretched(value, block, layout, c)

    return c.each(op.result.type, layout, emit)


@LOWER(xetile.TileReduce)
def _reduce(op: xetile.TileReduce, c: Lowering) -> Matrix:
    """Blocks along the reduced dimension are combined element by element; then each remaining block is reduced."""
    source = c.matrix(op.source)
    dim = op.dims[0]
    combine, free = combiner(op.kind, source.element.is_float), zeros_alike(op.kind)
    lines: dict[int, Value] = {}
    for at, value in source.grid().items():
        kept = at[1 - dim]
        lines[kept] = value if kept not in lines else c.build(combine, lines[kept], value, layout_result_0=source.layout, **free)
    layout = plain_layout(op.result.type, c)

    def emit(at: tuple[int, int], block: VectorType) -> Value:
        return _reduce_block(lines[at[1 - dim]], dim, op.kind, block, layout, c)

    return c.each(op.result.type, layout, emit)


def _reduce_block(value: Value, dim: int, kind: str, block: VectorType, layout: Layout, c: Lowering) -> Value:
    if value.type == block:
        return value
    flat = VectorType((block.shape[1 - dim],), block.element)
    held = layout.slice([dim])
    acc = c.build(arith.Constant, value=identity(kind, block.element, c.index_bits), result=flat, layout_result_0=held)
    reduced = c.build(vector.MultiReduction, value, acc, kind=kind, dims=(dim,), layout_result_0=held)
    return c.build(vector.ShapeCast, reduced, result=block, layout_result_0=layout)


@LOWER(xetile.TileIota)
def _iota(op: xetile.TileIota, c: Lowering) -> Matrix:
    layout = plain_layout(op.result.type, c)
    dim = op.dim
    size = op.result.type.shape[2 + dim]

    def emit(at: tuple[int, int], block: VectorType) -> Value:
        steps = c.build(vector.Step, result=VectorType((size,), block.element), layout_result_0=layout.slice([1 - dim]))
        line = VectorType((size, 1) if dim == 0 else (1, size), block.element)
        shaped = c.build(vector.ShapeCast, steps, result=line, layout_result_0=layout)
        whole = shaped if line == block else stretched(shaped, block, layout, c)
        origin = at[dim] * size
        if origin == 0:
            return whole
        start = c.build(arith.Constant, value=origin, result=block, layout_result_0=layout)
        return c.build(arith.AddI, whole, start, layout_result_0=layout)

    return c.each(op.result.type, layout, emit)


@LOWER(xetile.TileScan)
def _scan(op: xetile.TileScan, c: Lowering) -> Matrix:
    """Each block by itself, then combined with all that lies before it in its line."""
    source, dim = c.matrix(op.source), op.dim
    layout, (height, width) = source.layout, source.block
    combine = combiner(op.kind, source.element.is_float)
    line = VectorType((height, 1) if dim == 1 else (1, width), source.element)
    flat = VectorType((line.count,), source.element)
    neutral = c.build(
        arith.Constant, value=identity(op.kind, source.element, c.index_bits), result=flat, layout_result_0=layout.slice([dim])
    )
    before: dict[int, Value] = {}

    def emit(at: tuple[int, int], block: VectorType) -> Value:
        kept = at[1 - dim]
        scanned, total = c.build.op(vector.Scan, source.grid()[at], neutral, kind=op.kind, inclusive=True, reduction_dim=dim,
                                    layout_result_0=layout, layout_result_1=layout.slice([dim])).results  # fmt: skip
        total = c.build(vector.ShapeCast, total, result=line, layout_result_0=layout)
        if kept in before:
            scanned = c.build(combine, stretched(before[kept], block, layout, c), scanned, layout_result_0=layout)
            total = c.build(combine, before[kept], total, layout_result_0=layout)
        before[kept] = total
        return scanned

    return c.each(op.result.type, layout, emit)
