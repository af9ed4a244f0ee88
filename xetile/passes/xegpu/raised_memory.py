"""Block messages, scattered access and matrices of a subgroup as XeTile's tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any

from xetile.dialects import arith, gpu, vector, xegpu, xetile
from xetile.dialects.types import I1, I8, INDEX, WORDS, MemRefType, ScalarType, VectorType, element_of
from xetile.errors import LayoutError
from xetile.ir.core import Attributes, Op, Value, type_of
from xetile.ir.dispatch import Table
from xetile.layout import Layout
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.passes.block.chunks import takes_chunks
from xetile.passes.common.converter import Lowered
from xetile.passes.xegpu.flat import Flat, arranged, natural
from xetile.passes.xegpu.raiser import BlockDesc, Raiser, ScatterDesc, SharedMatrix

RAISE = Table()

_HINTS = ("l1_hint", "l2_hint", "l3_hint")


def hints_of(op: Op) -> Attributes:
    """The cache hints of an access."""
    return {name: op.attributes[name] for name in _HINTS if name in op.attributes}


def inst_of(op: Any, block: tuple[int, int], *, transposed: bool = False) -> dict[str, Any]:
    """What one instruction may move of a block, where the layouts say it (seed 002, inst_data); of a tile that is `transposed`."""
    layout = op.layout or op.desc.type.layout
    if layout is None or not layout.root.inst_data or layout.rank != op.desc.type.rank:
        return {}
    inst = (*(1,) * (2 - layout.rank), *layout.block_shape(op.desc.type.shape))
    # The op's own layout speaks of the result, the descriptor's of memory.
    inst = inst[::-1] if transposed and op.layout is None else inst
    return {"inst_data": inst} if inst != block else {}


# Blocks.


@RAISE(xegpu.CreateNdTdesc)
def _create_nd(op: xegpu.CreateNdTdesc, c: Raiser) -> BlockDesc:
    kind = op.source.type
    shape, strides = [c.one(v) for v in op.shape], [c.one(v) for v in op.strides]
    if not shape:
        if None in kind.shape or (kind.strides is not None and None in kind.strides):
            raise op.fail(f"{kind} has run-time sizes, so the descriptor needs shape and strides")
        sizes = [n for n in kind.shape if n is not None]
        steps = [s for s in kind.strides or () if s is not None] or [prod(sizes[d + 1 :]) for d in range(len(sizes))]
        shape, strides = [c.constant(n) for n in sizes], [c.constant(n) for n in steps]
    offsets = [c.one(v) for v in op.offsets] or [c.constant(0)] * len(shape)
    base = c.one(op.source)
    if not isinstance(kind, MemRefType):
        base = _at_address(base, op.result.type.element, tuple(map(arith.constant_of, strides)), c)
    return BlockDesc(op.result.type, base, tuple(shape), tuple(strides), tuple(offsets))


@RAISE(xegpu.UpdateNdOffset)
def _update_nd(op: xegpu.UpdateNdOffset, c: Raiser) -> BlockDesc:
    return moved(c, c[op.desc], [c.one(v) for v in op.offsets])


def moved(c: Raiser, desc: BlockDesc, by: Sequence[Value]) -> BlockDesc:
    """The block moved along its last dimensions."""
    kept = len(desc.offsets) - len(by)
    last = [c.add(*pair) for pair in zip(desc.offsets[kept:], by)]
    return desc.with_carried((*desc.offsets[:kept], *last))


def tile(
    c: Raiser,
    desc: BlockDesc,
    block: tuple[int, int],
    *,
    transposed: bool = False,
    standing: bool = False,
    by: Layout | None = None,
) -> Value:
    """The block as a tile, distributed `by` a map: of the transposed memory (seed 001, order), or of a row of memory as a column."""
    offsets, shape, strides = list(desc.offsets), list(desc.shape), list(desc.strides)
    if standing and len(offsets) == 1:
        # The pitch of the only line is never used to reach another one.
        offsets, shape = [c.constant(0), *offsets], [c.constant(1), *shape]
        strides = [shape[-1], *strides]
    if transposed or standing:
        for values in (offsets, shape, strides):
            values[-2:] = values[-2:][::-1]
    memory = type_of(desc.base, MemRefType)
    kind = xetile.TileType(block, desc.type.element, by, (0, 1) if transposed or standing else (1, 0), space=memory.space)
    return c.build(xetile.InitTile, _described(desc.base, len(offsets), kind, c), offsets, shape, strides, result=kind)


def _described(base: Value, dimensions: int, kind: xetile.TileType, c: Raiser) -> Value:
    """The memory as a tile of `kind` asks: of its elements, with as many dimensions as the descriptor, which parts of arrays have more of."""
    memory = type_of(base, MemRefType)
    shape, strides = memory.shape, memory.strides
    if len(shape) != dimensions and not (len(shape) == 1 and kind.order == (0, 1)):
        shape, strides = (None,) * dimensions, (*(None,) * (dimensions - 1), 1)
    if memory.element is kind.element and shape == memory.shape:
        return base
    return c.build(gpu.ElementCast, base, result=MemRefType(shape, kind.element, strides, memory.space))


@RAISE(xegpu.LoadNd)
def _load_nd(op: xegpu.LoadNd, c: Raiser) -> Flat:
    """Packed and word-wise transposed blocks are plain ones whose packing the vector remembers."""
    desc = moved(c, c[op.desc], [c.one(v) for v in op.offsets])
    element, (_count, block) = desc.type.element, natural(desc.type.shape)
    transposed, hints = op.transposed, hints_of(op)
    words = (op.transpose_bit_width or element.bits) // element.bits if transposed else 1
    values = []
    for number in range(desc.type.array_length):
        at = desc
        if number:
            step = [c.constant(0)] * (desc.type.rank - 1) + [c.constant(number * block[1])]
            at = moved(c, desc, step)
        result = block[::-1] if transposed else block
        made = tile(c, at, result, transposed=transposed, by=c.map_of(op))
        values.append(c.build(xetile.LoadTile, made, **hints, **inst_of(op, result, transposed=transposed)))
    packing = 32 // element.bits if op.packed is not None else words
    return Flat(op.value.type.shape, tuple(values), packing)


@RAISE(xegpu.StoreNd)
def _store_nd(op: xegpu.StoreNd, c: Raiser) -> None:
    desc = moved(c, c[op.desc], [c.one(v) for v in op.offsets])
    flat, (_, block) = c.flat(op.value), natural(desc.type.shape)
    standing = desc.type.rank == 1 and flat.block == (block[1], 1) and block[1] > 1
    flat = flat if standing else arranged(c.build, flat, block)
    inst = {} if standing else inst_of(op, flat.block)
    c.build.op(
        xetile.StoreTile, flat.values[0], tile(c, desc, flat.block, standing=standing, by=c.map_of(op)), **hints_of(op), **inst
    )


@RAISE(xegpu.PrefetchNd)
def _prefetch_nd(op: xegpu.PrefetchNd, c: Raiser) -> None:
    desc = moved(c, c[op.desc], [c.one(v) for v in op.offsets])
    rows, columns = natural(desc.type.shape)[1]
    made = tile(c, desc, (rows, columns * desc.type.array_length), by=c.map_of(op))
    hints = {name: hint for name, hint in hints_of(op).items() if name != "l2_hint"}
    c.build.op(xetile.PrefetchTile, made, **hints, **inst_of(op, (rows, columns)))


# Scattered memory.


@RAISE(xegpu.CreateTdesc)
def _create_tdesc(op: xegpu.CreateTdesc, c: Raiser) -> ScatterDesc:
    return ScatterDesc(op.result.type, _flat_base(op.source, op.result.type.element, c), c.flat(op.offsets))


def _flat_base(source: Value, element: ScalarType, c: Raiser) -> Value:
    base = c.one(source)
    return base if isinstance(source.type, MemRefType) else _at_address(base, element, (1,), c)


def _at_address(address: Value, element: ScalarType, strides: tuple[int | None, ...], c: Raiser) -> Value:
    """The memory at an address; nobody but the user knows where it ends."""
    kind = MemRefType((None,) * len(strides), element, strides)
    return c.build(gpu.ElementCast, address, result=kind)


@RAISE(xegpu.UpdateOffset)
def _update_offset(op: xegpu.UpdateOffset, c: Raiser) -> ScatterDesc:
    desc = c[op.desc]
    deltas = arranged(c.build, c.flat(op.offsets), desc.offsets.block)
    sums = [c.build(arith.AddI, *pair) for pair in zip(desc.offsets.values, deltas.values, strict=True)]
    return replace(desc, offsets=desc.offsets.with_carried(sums))  # type: ignore[no-any-return]


def _offsets(op: Any, source: Value, element: ScalarType, c: Raiser) -> tuple[Value, Flat]:
    """The flat memory that scattered access counts in, and where in it the lanes go."""
    lowered = c[source]
    if isinstance(lowered, ScatterDesc):
        return lowered.base, lowered.offsets
    return _flat_base(source, element, c), c.flat(op.offsets)


def _lines(op: Any, source: Value, value: Any, c: Raiser) -> tuple[Value, Value, Value] | None:
    """(memory, offsets, mask) of an access whose chunks single messages move; None of others."""
    lanes = op.mask.type.shape
    if len(lanes) != 1 or value.rank != 2 or not takes_chunks(c.target, value.shape, value.element):
        return None
    base, offsets = _offsets(op, source, value.element, c)
    columns = [arranged(c.build, f, (*lanes, 1)).values[0] for f in (offsets, c.flat(op.mask))]
    where, mask = (c.build(vector.ShapeCast, v, result=type_of(v, VectorType).with_shape(*lanes)) for v in columns)
    return base, where, mask


def _places(op: Any, source: Value, value: Any, c: Raiser) -> list[tuple[Value, Value]]:
    """(scattered tile, mask) for each XeTile value of a vector `value`; a chunk lies along its last dimension."""
    base, offsets = _offsets(op, source, value.element, c)
    _, block = natural(value.shape)
    mask = c.flat(op.mask)
    if offsets.shape != value.shape:
        offsets, mask = (_over_chunks(c, f, value.shape, where) for f, where in ((offsets, True), (mask, False)))
    offsets, mask = arranged(c.build, offsets, block), arranged(c.build, mask, block)
    memory = type_of(base, MemRefType)
    kind = xetile.TileType(block, memory.element, None, scatter=True, space=memory.space)
    made = []
    for where, allowed in zip(offsets.values, mask.values, strict=True):
        made.append((c.build(xetile.InitTile, base, [where], result=kind), allowed))
    return made


def _over_chunks(c: Raiser, flat: Flat, shape: tuple[int, ...], counted: bool) -> Flat:
    """One offset (or mask) for each lane, for all elements of its chunk."""
    chunk = shape[-1]
    lanes = prod(shape[:-1])
    if len(flat.values) != 1:
        raise LayoutError("chunks of offsets with more than two dimensions")
    column = arranged(c.build, flat, (lanes, 1)).values[0]
    kind = VectorType((lanes, chunk), flat.element)
    whole = c.build(xetile.TileBroadcast, column, dims=(1,), result=kind) if chunk > 1 else column
    if counted:
        whole = c.build(arith.AddI, whole, c.build(xetile.TileIota, dim=1, result=kind))
    return Flat(shape, (whole,))


@RAISE(xegpu.Load)
def _load(op: xegpu.Load, c: Raiser) -> Flat:
    kind = op.value.type
    lines = _lines(op, op.source, kind, c)
    if lines is not None:
        loaded = c.build(xegpu.Load, *lines, value=kind, chunk_size=kind.shape[1], **hints_of(op))
        return Flat(kind.shape, (loaded,))
    pairs = _places(op, op.source, kind, c)
    return Flat(kind.shape, tuple(c.build(xetile.LoadGather, t, mask, **hints_of(op)) for t, mask in pairs))


@RAISE(xegpu.Store)
def _store(op: xegpu.Store, c: Raiser) -> None:
    kind = op.value.type
    flat = arranged(c.build, c.flat(op.value), natural(kind.shape)[1])
    lines = _lines(op, op.dest, kind, c)
    if lines is not None:
        c.build.op(xegpu.Store, flat.values[0], *lines, chunk_size=kind.shape[1], **hints_of(op))
        return
    for (made, mask), value in zip(_places(op, op.dest, kind, c), flat.values, strict=True):
        c.build.op(xetile.StoreScatter, value, mask, made, **hints_of(op))


@RAISE(xegpu.Prefetch)
def _prefetch(op: xegpu.Prefetch, c: Raiser) -> None:
    """One element for each line that a chunk begins: the caches fetch whole lines."""
    # Offsets from an address count what they are aligned to (seed 002, offset_align_byte).
    base, offsets = _offsets(op, op.source, WORDS.get(op.offset_align_byte or 1, I8), c)
    desc, memory = op.source.type, base.type
    size = element_bytes(element_of(memory))
    chunk = desc.chunk_size if isinstance(desc, xegpu.TensorDescType) else 1
    for start in range(0, chunk, max(1, c.target.cache_line // size)):
        for where in offsets.values:
            step = c.build(arith.Constant, value=start, result=where.type) if start else None
            place = where if step is None else c.build(arith.AddI, where, step)
            c.build.op(xegpu.Prefetch, base, place, **hints_of(op))


@RAISE(xegpu.AtomicRmw)
def _atomic(op: xegpu.AtomicRmw, c: Raiser) -> Flat:
    kind = op.value.type
    flat = arranged(c.build, c.flat(op.value), natural(kind.shape)[1])
    pairs = zip(_places(op, op.desc, kind, c), flat.values, strict=True)
    return Flat(kind.shape, tuple(c.build(xetile.AtomicRmwTile, v, t, mask, kind=op.kind) for (t, mask), v in pairs))


# Matrices in shared local memory.


@RAISE(xegpu.CreateMemDesc)
def _create_mem_desc(op: xegpu.CreateMemDesc, c: Raiser) -> SharedMatrix:
    type = op.result.type
    layout = type.memory_layout()
    source = op.source.type
    base = c.one(op.source)
    if source.element is not type.element or source.rank != 1:
        base = c.build(gpu.ElementCast, base, result=MemRefType((prod(type.shape),), type.element, None, source.space))
    return SharedMatrix(type, base, layout, (c.constant(0),) * type.rank)


@RAISE(xegpu.MemDescSubview)
def _subview(op: xegpu.MemDescSubview, c: Raiser) -> SharedMatrix:
    whole: SharedMatrix = c[op.source]
    moves = [c.one(v) for v in op.offsets]
    skip = len(whole.offsets) - len(moves)
    last = [c.add(*pair) for pair in zip(whole.offsets[skip:], moves)]
    return replace(whole, type=op.result.type, offsets=(*whole.offsets[:skip], *last))


def _matrix_tile(c: Raiser, matrix: SharedMatrix, offsets: Sequence[Value], block: tuple[int, int]) -> tuple[Value, Value | None]:
    """A tile over a block of a matrix: regular where strides alone say where elements lie, else scattered with its mask."""
    skip = len(matrix.offsets) - len(offsets)
    starts = [*matrix.offsets[:skip], *(c.add(*pair) for pair in zip(matrix.offsets[skip:], offsets))]
    memory, layout = matrix.base.type, matrix.layout
    element = element_of(memory)
    if layout.block or len(layout.shape) != 2 or 1 not in layout.strides:
        where = _addresses(c, matrix, starts, block)
        kind = xetile.TileType(block, element, None, scatter=True, space=3)
        mask = c.build(arith.Constant, value=True, result=VectorType(block, I1))
        return c.build(xetile.InitTile, matrix.base, [where], result=kind), mask
    order = (1, 0) if layout.strides[-1] == 1 else (0, 1)
    kind = xetile.TileType(block, element, None, order, space=3)
    shape, strides = ([c.constant(n) for n in values] for values in (layout.shape, layout.strides))
    base = c.build(gpu.ElementCast, matrix.base, result=MemRefType(layout.shape, element, layout.strides, 3))
    return c.build(xetile.InitTile, base, starts, shape, strides, result=kind), None


def _addresses(c: Raiser, matrix: SharedMatrix, starts: Sequence[Value], block: tuple[int, int]) -> Value:
    """The address of each element of a block: the sum of the layout's terms."""
    kind = VectorType(block, INDEX)

    def splat(number: Value) -> Value:
        return c.build(vector.Broadcast, number, result=kind)

    def combined(op: type[Op], value: Value, number: int) -> Value:
        return c.build(op, value, splat(c.constant(number)))

    total: Value | None = None
    leading = len(starts) - 2
    for term in matrix.layout.terms():
        place = splat(starts[term.dim])
        if term.dim >= leading:
            place = c.build(arith.AddI, place, c.build(xetile.TileIota, dim=term.dim - leading, result=kind))
        if term.divisor > 1:
            place = combined(arith.DivUI, place, term.divisor)
        if term.modulus:
            place = combined(arith.RemUI, place, term.modulus)
        if term.stride > 1:
            place = combined(arith.MulI, place, term.stride)
        total = place if total is None else c.build(arith.AddI, total, place)
    assert total is not None
    return total


@RAISE(xegpu.LoadMatrix)
def _load_matrix(op: xegpu.LoadMatrix, c: Raiser) -> Lowered:
    type = op.value.type
    shape = type.shape if isinstance(type, VectorType) else (1, 1)
    made, mask = _matrix_tile(c, c[op.desc], [c.one(v) for v in op.offsets], natural(shape)[1])
    loaded = c.build(xetile.LoadTile, made) if mask is None else c.build(xetile.LoadGather, made, mask)
    if not isinstance(type, VectorType):
        return c.build(vector.Extract, loaded, position=(0, 0), result=type)
    return Flat(shape, (loaded,))


@RAISE(xegpu.StoreMatrix)
def _store_matrix(op: xegpu.StoreMatrix, c: Raiser) -> None:
    type = op.data.type
    shape = type.shape if isinstance(type, VectorType) else (1, 1)
    block = natural(shape)[1]
    made, mask = _matrix_tile(c, c[op.desc], [c.one(v) for v in op.offsets], block)
    if isinstance(type, VectorType):
        value = arranged(c.build, c.flat(op.data), block).values[0]
    else:
        value = c.build(vector.Broadcast, c.one(op.data), result=VectorType((1, 1), type))
    if mask is None:
        c.build.op(xetile.StoreTile, value, made)
    else:
        c.build.op(xetile.StoreScatter, value, mask, made)
