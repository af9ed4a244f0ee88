"""What blocking makes of each op: every value becomes 4-D (rows of blocks, columns of blocks, rows, columns in a block).

Loads keep blocks as large as one message takes; the matrix product takes DPAS's own; pack and unpack stand only between
values whose blocks differ (seed 001, "Internal Operations to support gradual lowering").
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from xetile.dialects import arith, vector, xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import VectorType, shape_of
from xetile.dialects.vector import is_one_number
from xetile.ir import analyses
from xetile.ir.core import Attributes, Elementwise, Op, Value, type_of
from xetile.ir.dispatch import Table
from xetile.layout import BlockOrder
from xetile.passes.analysis.alias_classes import AliasClasses
from xetile.passes.analysis.block_sizes import element_bytes, mma_block, power_of_two_divisor
from xetile.passes.analysis.lane_runs import plain_blocks
from xetile.passes.analysis.products import MmaTypes, OperandUses, is_made_in_any_block, mma_types
from xetile.passes.common.converter import Converter, Lowered
from xetile.target import Target

BLOCK = Table()
Blocks = tuple[int, int]


class Blocking(Converter):
    """The state of this pass: which tiles are one tile moved about, and which blocks each was given."""

    def __init__(self, table: Table, module: GpuModule, target: Target) -> None:
        super().__init__(table)
        self.target = target
        self.plain = plain_blocks(module, target)
        self.alias_classes = analyses.get(AliasClasses, module)
        self.shares: set[Value] = set()  # what lanes bring to shared memory, and is worked out on its way: one block each
        self._tile_blocks: dict[Value, Blocks] = {}
        self._uses = OperandUses()

    def role(self, value: Value) -> tuple[str, MmaTypes] | None:
        """The one operand of DPAS that an old value is, of all its uses, also behind arithmetic that keeps its blocks."""
        uses = self._uses.of(value)
        found = next(iter(uses)) if len(uses) == 1 else None
        return found if found is not None and self.target.find_mma(*found[1]) is not None else None

    def blocks_of(self, value: Value) -> Blocks:
        """The block of what an old value became."""
        shape: tuple[int, ...] = shape_of(self.one(value).type)
        return shape[2], shape[3]

    def want(self, value: Value, blocks: Blocks) -> Value:
        """What an old value became, in these blocks."""
        return self.repack(self.one(value), blocks)

    def repack(self, packed: Value, blocks: Blocks) -> Value:
        """A 4-D value in other blocks; nothing where they are the same."""
        have = shape_of(packed.type)[2:]
        if have == blocks:
            return packed
        plain = self.build(xetile.TileUnpack, packed, inner_blocks=have)
        repacked: Value = self.build(xetile.TilePack, plain, inner_blocks=blocks)
        return repacked

    def coerce(self, lowered: Any, template: Any) -> Any:
        """Carried values keep their blocks."""
        if isinstance(lowered.type, VectorType):
            return self.repack(lowered, template.type.shape[2:])
        return lowered

    def tile_blocks(self, tile: Value) -> Blocks:
        """The block in which a tile is accessed, the same for all tiles that it is moved to or carried as."""
        root = self.alias_classes.root(tile)
        if root not in self._tile_blocks:
            self._tile_blocks[root] = _access_block(self, root)
        return self._tile_blocks[root]

    def access_by(self, tile: Value, blocks: Blocks) -> None:
        """Let a tile that this pass adds be accessed in these blocks."""
        self._tile_blocks[self.alias_classes.root(tile)] = blocks

    def tile_type(self, tile: Value) -> xetile.TileType:
        """A tile's type with its blocks."""
        t = type_of(tile, xetile.TileType)
        blocks = self.tile_blocks(tile)
        return xetile.TileType(t.shape, t.element, None, t.order, blocks, t.scatter, t.space)


def _access_block(c: Blocking, root: Value) -> Blocks:
    """What the uses ask for: DPAS's operand, else the widest message, else the block of a plain value."""
    tile = type_of(root, xetile.TileType)
    if any("lane_map" in op.attributes for op in c.alias_classes.accesses(root)):
        return tile.shape
    limits = {op.attributes["inst_data"] for op in c.alias_classes.accesses(root) if "inst_data" in op.attributes}
    if len(limits) == 1:
        tile = replace(tile, shape=limits.pop())
    roles = {c.role(op.results[0]) for op in c.alias_classes.accesses(root) if isinstance(op, xetile.LoadTile)}
    operand = roles.pop() if len(roles) == 1 else None
    if operand is not None:
        return _operand_block(c.target, tile, *operand)
    kinds = {type(op) for op in c.alias_classes.accesses(root)}
    if kinds <= {xetile.PrefetchTile, xetile.PrefetchTiles}:
        return tile.shape
    plain = c.plain.block(tile.shape)
    words = _rows_of_words(root)
    if words > 1 and tile.order == (1, 0):  # as many words to a lane as other blocks have rows
        return power_of_two_divisor(tile.shape[0], c.target.block_rows * words), plain[1]
    if (
        kinds <= {xetile.LoadTile, xetile.PrefetchTile}
        and tile.order == (1, 0)
        and not tile.scatter
        and tile.space == 0
        and c.target.block2d is not None
    ):
        message = c.target.block2d.largest_part("load", element_bytes(tile.element), *tile.shape, width=c.target.subgroup_size)
        if message is not None and message.height > plain[0] and plain[1] == message.width:
            return message.height, message.width
    return plain


def _rows_of_words(tile: Value) -> int:
    """How many rows share the words of the shared memory that a tile is a part of; 1 where words are of one row, or not known."""
    made = tile.op
    order = getattr(made.base.type, "order", None) if isinstance(made, xetile.InitTile) else None
    return order.packed if isinstance(order, BlockOrder) else 1


def _operand_block(target: Target, tile: xetile.TileType, role: str, types: MmaTypes) -> Blocks:
    """An operand's block, grown along memory's rows as far as one message reaches."""
    rows, columns = mma_block(tile.shape, role, types, target)
    if target.block2d is None or tile.space:
        return rows, columns
    size = element_bytes(tile.element)
    if tile.order == (0, 1):
        return rows, columns
    kind = "transform" if role == "b" and size < 4 else "load"
    message = target.block2d.largest_part(kind, size, *tile.shape, width=columns)  # type: ignore[arg-type]
    if message is None or message.height % rows:
        return rows, columns
    return message.height, columns


@BLOCK(xetile.InitTile)
def _init_tile(op: xetile.InitTile, c: Blocking) -> Value:
    offsets = [c.want(v, c.plain.block(v.type.shape)) if isinstance(v.type, VectorType) else c.one(v) for v in op.offsets]
    new: Value = c.build(xetile.InitTile, c.one(op.base), offsets, [c.one(v) for v in op.shape],
                         [c.one(v) for v in op.strides], result=c.tile_type(op.result))  # fmt: skip
    return new


@BLOCK(xetile.UpdateTileOffset)
def _update(op: xetile.UpdateTileOffset, c: Blocking) -> Lowered:
    return c.build(xetile.UpdateTileOffset, c.one(op.tile), [c.one(v) for v in op.offsets])


@BLOCK(xetile.LoadTile, xetile.PrefetchTile)
def _access(op: xetile.LoadTile | xetile.PrefetchTile, c: Blocking) -> Lowered:
    if "lane_map" in op.attributes:
        c.shares.update(op.results)
    return c.build(type(op), c.one(op.tile), **op.attributes)


@BLOCK(xetile.PrefetchTiles)
def _prefetch_tiles(op: xetile.PrefetchTiles, c: Blocking) -> None:
    c.build.op(xetile.PrefetchTiles, [c.one(v) for v in op.tiles], None if op.which is None else c.one(op.which), **op.attributes)


@BLOCK(xetile.StoreTile)
def _store(op: xetile.StoreTile, c: Blocking) -> Lowered:
    origin = [c.one(v) for v in op.origin]
    return c.build(xetile.StoreTile, c.want(op.value, c.tile_blocks(op.tile)), c.one(op.tile), origin, **op.attributes)


@BLOCK(xetile.LoadGather)
def _load_gather(op: xetile.LoadGather, c: Blocking) -> Lowered:
    return c.build(xetile.LoadGather, c.one(op.tile), c.want(op.mask, c.tile_blocks(op.tile)), **op.attributes)


@BLOCK(xetile.StoreScatter)
def _store_scatter(op: xetile.StoreScatter, c: Blocking) -> Lowered:
    blocks = c.tile_blocks(op.tile)
    return c.build(xetile.StoreScatter, c.want(op.value, blocks), c.want(op.mask, blocks), c.one(op.tile), **op.attributes)


@BLOCK(xetile.AtomicRmwTile)
def _atomic(op: xetile.AtomicRmwTile, c: Blocking) -> Lowered:
    blocks = c.tile_blocks(op.tile)
    mask = None if op.mask is None else c.want(op.mask, blocks)
    return c.build(xetile.AtomicRmwTile, c.want(op.value, blocks), c.one(op.tile), mask, kind=op.kind)


@BLOCK(xetile.TileMma)
def _mma(op: xetile.TileMma, c: Blocking) -> Any:
    types = mma_types(op)
    if c.target.find_mma(*types) is None:
        return _fused_multiply_add(op, c)
    roles = {"a": op.a, "b": op.b, "acc": op.result}
    blocks = {role: mma_block((value.type.shape[0], value.type.shape[1]), role, types, c.target) for role, value in roles.items()}
    acc = None if op.acc is None else c.want(op.acc, blocks["acc"])
    return c.build(xetile.TileMma, c.want(op.a, blocks["a"]), c.want(op.b, blocks["b"]), acc,
                   result=xetile.packed(op.result.type, blocks["acc"]), **_plain(op))  # fmt: skip


def _fused_multiply_add(op: Any, c: Blocking) -> Any:
    """Blocks of outer products: the columns of A's block are the rows of B's (f32 and f64 have no matrix instruction)."""
    acc = c.plain.block(op.result.type.shape)
    acc = (acc[0], min(acc[1], c.target.subgroup_size))
    depth = c.plain.block((acc[0], op.a.type.shape[1]))
    k = min(depth[1], c.target.subgroup_size)
    return c.build(xetile.TileMma, c.want(op.a, (acc[0], k)), c.want(op.b, (k, acc[1])),
                   None if op.acc is None else c.want(op.acc, acc), result=xetile.packed(op.result.type, acc), **_plain(op))  # fmt: skip


@BLOCK(Elementwise)
def _elementwise(op: Op, c: Blocking) -> Lowered:
    result = op.results[0].type
    if not isinstance(result, VectorType):
        return c.clone(op)
    blocks = _elementwise_block(op, c)
    operands = [_in_blocks(v, blocks, c) if isinstance(v.type, VectorType) else c.one(v) for v in op.operands]
    return c.build(type(op), *operands, **{**op.attributes, op.result_fields[0].name: xetile.packed(result, blocks)})


def _elementwise_block(op: Op, c: Blocking) -> Blocks:
    """The block that all vector operands have, where they agree; of what DPAS takes its own, beside single numbers; else a plain value's."""
    have = {c.blocks_of(v) for v in op.operands if isinstance(v.type, VectorType)}
    if not c.shares.isdisjoint(op.operands):
        c.shares.update(op.results)
        have = {c.blocks_of(v) for v in op.operands if v in c.shares}
    if len(have) == 1:
        return have.pop()
    tiles = [v for v in op.operands if isinstance(v.type, VectorType) and not is_made_in_any_block(v)]
    if tiles and all(c.role(v) is not None for v in tiles) and len(found := {c.blocks_of(v) for v in tiles}) == 1:
        return found.pop()
    return c.plain.block(shape_of(op.results[0].type))


def _in_blocks(value: Value, blocks: Blocks, c: Blocking) -> Value:
    """An operand in blocks: one number is made in them, and beside what DPAS takes all else that can be."""
    if c.blocks_of(value) == blocks:
        return c.one(value)
    made = is_made_in_any_block(value) if blocks != c.plain.block(shape_of(value.type)) else is_one_number(value)
    return _made_in(value, blocks, c) if made else c.want(value, blocks)


def _made_in(value: Value, blocks: Blocks, c: Blocking) -> Value:
    """A number all over, places, a spread row or column, and what is worked out of such, in blocks."""
    op: Any = value.op
    kind = xetile.packed(type_of(value, VectorType), blocks)
    if is_one_number(value):
        made: Any = c.one(value).op
        return c.build(type(made), *made.operands, **{**made.attributes, "result": kind})
    if isinstance(op, xetile.TileIota):
        return c.build(xetile.TileIota, dim=op.dim, result=kind)
    if isinstance(op, xetile.TileBroadcast):
        height, width = (1 if d in op.dims else n for d, n in enumerate(blocks))
        dims = tuple(op.dims) + tuple(d + 2 for d in op.dims)
        return c.build(xetile.TileBroadcast, c.want(op.source, (height, width)), dims=dims, result=kind)
    operands = [_made_in(v, blocks, c) if isinstance(v.type, VectorType) else c.one(v) for v in op.operands]
    return c.build(type(op), *operands, **{**op.attributes, op.result_fields[0].name: kind})


@BLOCK(arith.Constant)
def _constant(op: arith.Constant, c: Blocking) -> Lowered:
    if not isinstance(op.result.type, VectorType):
        return c.clone(op)
    if isinstance(op.value, tuple):
        raise op.fail("a constant tile whose elements differ")
    return c.build(arith.Constant, value=op.value, result=_default(op.result.type, c))


@BLOCK(vector.Broadcast)
def _splat(op: vector.Broadcast, c: Blocking) -> Lowered:
    return c.build(vector.Broadcast, c.one(op.source), result=_default(op.result.type, c))


@BLOCK(xetile.TileIota)
def _iota(op: xetile.TileIota, c: Blocking) -> Lowered:
    return c.build(xetile.TileIota, dim=op.dim, result=_default(op.result.type, c))


@BLOCK(xetile.TileReduce)
def _reduce(op: xetile.TileReduce, c: Blocking) -> Lowered:
    """Rows (or columns) of a source block are those of a result block."""
    dims = tuple(op.dims) + tuple(d + 2 for d in op.dims)
    kept = 1 - op.dims[0]
    blocks = list(c.blocks_of(op.source))
    blocks[kept] = c.plain.block(op.result.type.shape)[kept]
    return c.build(xetile.TileReduce, c.want(op.source, (blocks[0], blocks[1])), kind=op.kind, dims=dims)


@BLOCK(xetile.TileScan)
def _scan(op: xetile.TileScan, c: Blocking) -> Lowered:
    source = c.want(op.source, c.plain.block(op.source.type.shape))
    return c.build(xetile.TileScan, source, kind=op.kind, dim=op.dim)


@BLOCK(xetile.TileBroadcast)
def _broadcast(op: xetile.TileBroadcast, c: Blocking) -> Lowered:
    """Each block of the source is stretched whole: a column's rows are in different lanes, and are not taken apart before."""
    source = c.plain.block(op.source.type.shape)
    rows, columns = c.plain.block(op.result.type.shape)
    if op.source in c.shares:
        c.shares.add(op.result)
        (height, width), (down, across) = op.source.type.shape, op.result.type.shape
        source, blocks = (height, width), (down, across)
    elif 1 in op.dims and source[0] > 1:
        blocks = (source[0], columns)
    else:
        source, blocks = (1, min(columns, source[1])), (rows, min(columns, source[1]) if 1 not in op.dims else columns)
    dims = tuple(op.dims) + tuple(d + 2 for d in op.dims)
    return c.build(xetile.TileBroadcast, c.want(op.source, source), dims=dims, result=xetile.packed(op.result.type, blocks))


@BLOCK(xetile.TileTranspose)
def _transpose(op: xetile.TileTranspose, c: Blocking) -> Lowered:
    if op.source in c.shares:
        c.shares.add(op.result)
    blocks = c.blocks_of(op.source)
    plain = c.build(xetile.TileUnpack, c.one(op.source), inner_blocks=blocks)
    transposed = c.build(xetile.TileTranspose, plain)
    return c.build(xetile.TilePack, transposed, inner_blocks=c.plain.block(op.result.type.shape))


def _default(type: VectorType, c: Blocking) -> VectorType:
    return xetile.packed(type, c.plain.block((type.shape[0], type.shape[1])))


def _plain(op: Op) -> Attributes:
    return {k: v for k, v in op.attributes.items() if k != "wg_map"}
