"""Sizes that hardware blocks do not divide are rounded up: below this pass a tile has whole blocks, whatever the user's sizes are.

What lies in the padding is undefined: loads bring what is there in memory, elementwise ops compute with it. Nobody may see it, so
reductions and products replace it by what changes nothing, gathers and atomics mask it, and stores write the user's part alone
(`StoreTile.valid`). Scans need nothing: the padding comes last.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod
from typing import Any

from xetile.dialects import arith, gpu, vector, xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.rows import LoadRows, StoreRows
from xetile.dialects.types import INDEX, VectorType
from xetile.ir import analyses
from xetile.ir.core import Block, Elementwise, Op, Value, type_of
from xetile.ir.dispatch import Table
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.numbers import Numbers
from xetile.passes.common.numbers import index
from xetile.passes.common.reductions import identity
from xetile.passes.common.row_places import row_places
from xetile.passes.workgroup.forms.padded_sizes import Sizes, rows_and_columns
from xetile.target import Target

MASK = Table()
# Besides elementwise ops, constants and control flow: what has a rule below, or no use for the elements that are added.
_KNOWN = (
    vector.Broadcast, vector.Extract, xetile.InitTile, xetile.UpdateTileOffset, xetile.LoadTile, xetile.StoreTile, xetile.PrefetchTile,
    xetile.PrefetchTiles, xetile.LoadGather, LoadRows, xetile.StoreScatter, StoreRows, xetile.AtomicRmwTile, xetile.TileMma,
    xetile.TileReduce, xetile.TileScan, xetile.TileBroadcast, xetile.TileTranspose, xetile.TileIota, vector.Shuffle,
)  # fmt: skip


def pad_tiles(module: GpuModule, target: Target) -> GpuModule:
    """Round the sizes of tiles and values up to whole blocks, along a dimension one size for each of the user's.

    Before and after: xetile at workgroup level without maps of the user, or at subgroup level. Kernels with maps stay as they are at
    workgroup level: there the maps say how a tile is cut.
    """
    if not analyses.get(pads_tiles, module):
        return module
    whole = Sizes(module, target).rounded(alone=module.kernel.level == "subgroup")
    if not whole:
        return module
    _Padding(module, whole).run(module)
    return module


def pads_tiles(module: GpuModule) -> bool:
    """Whether sizes may be rounded: the user's maps leave that open, and all ops are known to bear it."""
    ops = list(module.walk())
    others = {kind for kind in set(map(type, ops)) if not _bears(kind)}
    return not any(map(is_mapped, ops)) and not any(
        any(map(rows_and_columns, (*op.operands, *op.results))) for op in ops if op.__class__ in others and not op.regions
    )


def _bears(kind: type[Op]) -> bool:
    """Whether ops of a class may have larger tiles."""
    return kind.terminator or kind.constant_like or issubclass(kind, (Elementwise, *_KNOWN))


def is_mapped(op: Op) -> bool:
    """Whether the user says how what an op gives is distributed."""
    return "wg_map" in op.attributes or (isinstance(op, xetile.InitTile) and op.result.type.wg_map is not None)


class _Padding:
    """The change itself, in place."""

    def __init__(self, module: GpuModule, whole: dict[tuple[int, int], int]) -> None:
        self.whole = whole
        self.numbers = analyses.get(Numbers, module.kernel)
        self.index_bits: int = module.kernel.index_bits
        self.rewrite = Rewriter()
        self.before: dict[Value, tuple[int, int]] = {}
        self.reserved: dict[Value, tuple[int, ...]] = {}  # shared memory as it was

    def valid(self, value: Value) -> tuple[int, int]:
        """The user's rows and columns of a value."""
        return self.before.get(value) or rows_and_columns(value)  # type: ignore[return-value]

    def run(self, module: GpuModule) -> None:
        for block in list(_blocks(module.kernel.body)):
            for value in (*block.args, *(r for op in block.ops for r in op.results)):
                self._grow(value)
        for block in list(_blocks(module.kernel.body)):
            for op in list(block.ops):
                rule = MASK.find(type(op))
                if rule is not None:
                    with self.rewrite.before(op):
                        rule(op, _Masks(self, self.rewrite))
        for load in module.find(xetile.LoadTile):
            self._reserve(load)

    def _reserve(self, load: xetile.LoadTile) -> None:
        """Let shared memory go on behind its last row for as much as a load's tile has grown: what it brings from there is padding.

        Its first axis alone is longer: where the other elements lie stays what it was.
        """
        made = load.tile.op
        memory = made.base if isinstance(made, xetile.InitTile) else None
        if memory is None or not isinstance(memory.op, gpu.Alloca) or load.tile not in self.before:
            return
        kind: Any = memory.type
        tile = load.tile.type
        down, right = (now - valid for now, valid in zip(tile.shape, self.valid(load.tile)))
        down, right = (down, right) if tile.order == (1, 0) else (right, down)
        first, *others = self.reserved.setdefault(memory, kind.shape)
        first += -(-(down * kind.shape[-1] + right) // prod(others))
        order, step = kind.order, 1
        if order is not None and (*order.block,) == kind.shape:
            first = -(-first // order.packed) * order.packed
            order = replace(order, block=(max(first, kind.shape[0]), *others))
        elif order is not None:
            step = order.block[0]
        memory.set_type(replace(kind, shape=(max(-(-first // step) * step, kind.shape[0]), *others), order=order))

    def _grow(self, value: Value) -> None:
        shape = rows_and_columns(value)
        if shape is None:
            return
        rows, columns = (self.whole.get((dim, n), n) for dim, n in enumerate(shape))
        if (rows, columns) != shape:
            self.before[value] = shape
            kind: Any = value.type
            value.set_type(kind.with_shape(rows, columns))


def _is_even(value: Value, dim: int) -> bool:
    """Whether a value is the same everywhere along a dimension, its padding too."""
    op = value.op
    if op is None or op.regions:
        return False
    if isinstance(op, xetile.TileIota):
        return op.dim != dim
    if isinstance(op, xetile.TileBroadcast):
        return dim in op.dims
    if op.constant_like or isinstance(op, vector.Broadcast):
        return True
    vectors = [v for v in op.operands if isinstance(v.type, VectorType)]
    return isinstance(op, Elementwise) and all(_is_even(v, dim) for v in vectors)


def _blocks(block: Block) -> Iterator[Block]:
    yield block
    for op in block.ops:
        for inner in op.regions:
            yield from _blocks(inner)


class _Masks:
    """Ops in front of one that must not see the padding."""

    def __init__(self, padding: _Padding, build: Rewriter) -> None:
        self.valid, self._before = padding.valid, padding.before
        self.build = build
        self._numbers = padding.numbers
        self.index_bits = padding.index_bits

    def inside(self, value: Value, dims: tuple[int, ...] = (0, 1)) -> Value | None:
        """Where a value is the user's, along some dimensions; None where all of it is."""
        kind: Any = value.type
        found: Value | None = None
        for dim in dims:
            if self.valid(value)[dim] == kind.shape[dim]:
                continue
            places = self.build(xetile.TileIota, dim=dim, result=kind.with_element(INDEX))
            end = self.build(arith.Constant, value=self.valid(value)[dim], result=places.type)
            here = self.build(arith.CmpI, places, end, predicate="ult")
            found = here if found is None else self.build(arith.AndI, found, here)
        return found

    def there(self, mask: Value) -> Value:
        """A mask of single elements that holds for none of the padding, of which rows and columns are told apart (`gather_rows`)."""
        kind = type_of(mask, VectorType)
        for dim, valid in enumerate(self.valid(mask)):
            if valid == kind.shape[dim]:
                continue
            line = VectorType((kind.shape[0], 1) if dim == 0 else (1, kind.shape[1]), INDEX)
            end = self.build(arith.Constant, value=valid, result=line)
            here = self.build(arith.CmpI, self.build(xetile.TileIota, dim=dim, result=line), end, predicate="ult")
            if line.shape != kind.shape:
                here = self.build(xetile.TileBroadcast, here, dims=(1 - dim,), result=kind)
            mask = self.build(arith.AndI, mask, here)
        return mask

    def chosen(self, value: Value, dim: int, other: Any) -> Value:
        """The value with `other` in its padding along a dimension."""
        inside = self.inside(value, (dim,))
        if inside is None:
            return value
        kind = value.type
        neutral = self.build(arith.Constant, value=other, result=kind)
        return self.build(arith.Select, inside, value, neutral)

    def stretch(self, reduced: Value, dims: tuple[int, ...]) -> None:
        """Give a reduction the one row or column that it has, and its users what padding has made of that: a subgroup holds one
        piece of what it has reduced, where it would hold many of a padded value.
        """
        grown = type_of(reduced, VectorType)
        if all(grown.shape[dim] == 1 for dim in dims):
            return
        reduced.set_type(grown.with_shape(*(1 if dim in dims else n for dim, n in enumerate(grown.shape))))
        with self.build.after(reduced):
            wide = self.build(xetile.TileBroadcast, reduced, dims=dims, result=grown)
        self.build.replace_uses(reduced, wide, lambda user: user is not wide.op)
        self._before[wide] = self._before[reduced]

    def first(self, value: Value, dim: int, size: int) -> Value:
        """The one row or column that a value has but for its padding, to be stretched to `size`; all of it where that is as much."""
        kind = type_of(value, VectorType)
        if isinstance(value.op, xetile.TileBroadcast) and value.op.dims == (dim,):
            return value.op.source
        if self.valid(value)[dim] == kind.shape[dim]:
            return value
        if _is_even(value, dim):
            return value if kind.shape[dim] == size else self._line(value, dim)
        spread = "maximumf" if kind.element.is_float else "or"
        line = kind.with_shape(*(1 if d == dim else n for d, n in enumerate(kind.shape)))
        chosen = self.chosen(value, dim, identity(spread, kind.element, self.index_bits))
        found = self.build(xetile.TileReduce, chosen, kind=spread, dims=(dim,), result=line)
        self._before[found] = self.valid(value)
        return found

    def _line(self, value: Value, dim: int) -> Value:
        """One row or column of a value that is the same everywhere along a dimension (`_is_even`), computed again."""
        kind, op = type_of(value, VectorType), value.op
        if op is None or kind.shape[dim] == 1:
            return value
        if isinstance(op, xetile.TileBroadcast) and op.dims == (dim,):
            return op.source
        line = kind.with_shape(*(1 if d == dim else n for d, n in enumerate(kind.shape)))
        operands = [self._line(v, dim) if isinstance(v.type, VectorType) else v for v in op.operands]
        if isinstance(op, xetile.TileBroadcast):
            made = self.build(xetile.TileBroadcast, *operands, dims=tuple(d for d in op.dims if d != dim), result=line)
        else:
            made = self.build.clone(op, operands, [line]).results[0]
        self._before[made] = self.valid(value)
        return made

    def ends(self, value: Value) -> bool:
        """Let the array seem to end behind the user's rows of a tile that a value is loaded from: what lies below comes as zeros.

        False where it cannot: tiles that move on, and memory whose rows are the tile's columns.
        """
        load = value.op
        made = load.tile.op if isinstance(load, xetile.LoadTile) and load.padding == 0 else None
        if not isinstance(made, xetile.InitTile) or len(made.shape) < 2 or not self._stays(made):
            return False
        rows = self.valid(value)[0]
        with self.build.before(made):
            end = self.build(arith.AddI, made.offsets[-2], index(self.build, rows))
            below = self.build(arith.MinSI, made.shape[-2], end)
        shape = list(made.shape)
        shape[-2] = below
        self.build.set_operands(made, made.base, made.offsets, shape, made.strides)
        return True

    def _stays(self, made: xetile.InitTile) -> bool:
        """Whether a tile in the array's own order is only read and written where it is made, never above the array."""
        plain = made.result.type.order == (1, 0) and not made.result.type.scatter and not made.result.type.space
        users = all(isinstance(user, (xetile.LoadTile, xetile.StoreTile, xetile.PrefetchTile)) for user in made.result.users)
        return plain and users and self._numbers.is_natural(made.offsets[-2])

    def both(self, mask: Value, value: Value) -> Value:
        """A mask that holds for none of the padding of a value."""
        inside = self.inside(value)
        return mask if inside is None else self.build(arith.AndI, mask, inside)


@MASK(xetile.TileReduce)
def _reduce(op: xetile.TileReduce, m: _Masks) -> None:
    m.build.set_operands(op, m.chosen(op.source, op.dims[0], identity(op.kind, op.source.type.element, m.index_bits)))
    m.stretch(op.result, op.dims)


@MASK(xetile.TileBroadcast)
def _broadcast(op: xetile.TileBroadcast, m: _Masks) -> None:
    """What is spread is the first row or column: subgroups would take what they have of the padding."""
    source: Value = op.source
    for dim in op.dims:
        source = m.first(source, dim, op.result.type.shape[dim])
    m.build.set_operands(op, source)


@MASK(xetile.TileMma)
def _mma(op: xetile.TileMma, m: _Masks) -> None:
    """-0 times 0 is what changes no sum; of integers all that a zero multiplies changes none."""
    is_whole = m.valid(op.b)[0] == op.b.type.shape[0]
    b = op.b if is_whole or m.ends(op.b) else m.chosen(op.b, 0, 0)
    m.build.set_operands(op, m.chosen(op.a, 1, -0.0) if op.a.type.element.is_float else op.a, b, op.acc)


@MASK(vector.Shuffle)
def _shuffle(op: vector.Shuffle, m: _Masks) -> None:
    """Rows of the second operand are counted behind the padding of the first; the result's own padding is its last row again."""
    first = m.valid(op.v1)[0]
    mask = [at if at < first else at - first + op.v1.type.shape[0] for at in op.mask]
    op.attributes["mask"] = tuple(mask + mask[-1:] * (op.result.type.shape[0] - len(mask)))


@MASK(xetile.LoadGather, xetile.StoreScatter)
def _scattered(op: xetile.LoadGather | xetile.StoreScatter, m: _Masks) -> None:
    m.build.set_operand(op, 1, m.there(op.mask))


@MASK(LoadRows)
def _rows(op: LoadRows, m: _Masks) -> None:
    mask = m.inside(op.starts) if op.mask is None else m.both(op.mask, op.mask)
    m.build.set_operands(op, op.base, op.starts, op.column, mask, op.end, op.pitch, op.height)


@MASK(StoreRows)
def _stored_rows(op: StoreRows, m: _Masks) -> None:
    """Nothing but the end of an array's rows keeps messages from columns that were added."""
    if m.valid(op.value)[1] == op.value.type.shape[1]:
        mask = m.inside(op.starts) if op.mask is None else m.both(op.mask, op.mask)
        m.build.set_operands(op, op.value, op.base, op.starts, op.column, mask, op.end, op.pitch, op.height)
        return
    tile, mask = row_places(op, m.build)
    m.build.op(xetile.StoreScatter, op.value, m.both(mask, op.value), tile)
    m.build.erase(op)


@MASK(xetile.AtomicRmwTile)
def _atomic(op: xetile.AtomicRmwTile, m: _Masks) -> None:
    inside = m.inside(op.value) if op.mask is None else m.both(op.mask, op.mask)
    m.build.set_operands(op, *op.operands[:2], inside)


@MASK(xetile.StoreTile)
def _store(op: xetile.StoreTile, m: _Masks) -> None:
    """Where subgroups have parts already, a part's end is the nearer one of its own and of the whole's."""
    starts: list[Value | None] = list(op.origin) or [None, None]
    ends = list(op.valid or (-1, -1))
    for dim, (size, whole) in enumerate(zip(m.valid(op.value), op.value.type.shape)):
        if size == whole:
            continue
        if op.origin and ends[dim] < 0:
            starts[dim] = index(m.build, 0)
        elif op.origin:
            beyond = m.build(arith.AddI, starts[dim], index(m.build, size - ends[dim]))
            starts[dim] = m.build(arith.MaxSI, beyond, index(m.build, 0))
        ends[dim] = size
    if ends != [-1, -1]:
        op.attributes["valid"] = tuple(ends)
    if op.origin:
        m.build.set_operands(op, *op.operands[:2], starts)
