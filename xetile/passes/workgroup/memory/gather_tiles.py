"""Gathers and scatters of neighbours, whose offsets people work out from rows, columns and strides, become loads and stores of tiles.

The offsets of such an access are a tile's: a row times the array's stride, and a column. Its mask says where the array ends, as tiles do by
themselves. What else a mask of a gather says chooses among what is loaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from xetile.dialects import arith, scf, vector, xetile
from xetile.dialects.gpu import GpuFunc, GpuModule
from xetile.dialects.types import I1, INDEX, VectorType, element_of, shape_of
from xetile.ir.core import Block, Op, Value
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.passes.analysis.gathered_tiles import ASSUMED, Access, GatheredTile, GatheredTiles, divided
from xetile.passes.analysis.polynomials import Polynomial
from xetile.passes.common.numbers import index
from xetile.passes.common.unused import erase_unused
from xetile.target import Target
from xetile.target.block_rules import LINE_PITCH


def gather_tiles(module: GpuModule, target: Target) -> GpuModule:
    """Replace gathers and scatters of what is a tile of an array, by the array's own strides and up to its own ends.

    Before and after: xetile at workgroup level. Where lanes hold runs of a row nobody knows that one begins where every n-th line is one:
    there a tile of such lines pays only on its way to shared memory (`stage_operands`).
    """
    if not module.has((xetile.LoadGather, xetile.StoreScatter)):
        return module
    found = GatheredTiles(module.kernel)
    tiles = {op: tile for op in found.ops if (tile := found.tile_of(op)) is not None}
    emitter = _Emitter(module.kernel, target)
    for op, tile in tiles.items():
        if tile.every == 1 or target.lane_run == 1 or _is_beside_products(op):
            emitter.replace(op, tile)
    return module


def _is_beside_products(op: Access) -> bool:
    """Whether a loop itself, no branch in it, computes products beside an access."""
    block = op.parent
    return (
        block is not None and isinstance(block.parent, scf.For) and any(isinstance(other, xetile.TileMma) for other in block.ops)
    )


class _Emitter:
    """Makes the tiles."""

    def __init__(self, kernel: GpuFunc, target: Target) -> None:
        self._kernel, self._target, self._build = kernel, target, Rewriter()
        self._params = {arg: spec.param for arg, spec in kernel.specs.items()}
        self._order: dict[Value, int] = {}
        for block in _blocks(kernel.body):
            for value in (*block.args, *(r for op in block.ops for r in op.results)):
                self._order[value] = len(self._order)
        self._ends: dict[object, Value] = {}
        self._made: dict[tuple[Block | None, frozenset[tuple[tuple[object, ...], int]]], Value] = {}

    def replace(self, op: Access, tile: GatheredTile) -> None:
        """The access of a tile in place of that of single elements."""
        build, taken = self._build, list(op.operands)
        with build.before(op), build.located(op.loc):
            made = self._tile(op, tile)
            kept = {name: value for name, value in op.attributes.items() if value is not None and name not in ASSUMED}
            if isinstance(op, xetile.StoreScatter):
                build.op(xetile.StoreTile, op.value, made, [], **kept)
                build.erase(op)
            else:
                loaded = build(xetile.LoadTile, made, **kept)
                build.replace(op, self._chosen(loaded, tile.masks, op.padding))
        erase_unused(taken, build)

    def _tile(self, op: Access, tile: GatheredTile) -> Value:
        parts = [list(values) for values in (tile.offsets, tile.array.sizes, tile.array.strides)]
        if tile.turned and len(tile.offsets) == 1:  # a column of memory of rank 1, which is its own only line
            pitch = self._scalar(op, tile.array.sizes[0])
            lines = self._build(arith.CeilDivUI, pitch, index(self._build, LINE_PITCH))
            whole = self._build(arith.MulI, lines, index(self._build, LINE_PITCH))
            zero, one = (index(self._build, n) for n in (0, 1))
            return self._init(op, tile, [[self._scalar(op, tile.offsets[0]), zero], [self._end(op, tile), one], [one, whole]])
        values = [[self._scalar(op, each) for each in part] for part in parts]
        values[1][0] = self._end(op, tile)
        if tile.every > 1:
            self._skip(op, tile, *values)
        if tile.turned:
            values = [[*part[:-2], part[-1], part[-2]] for part in values]
        return self._init(op, tile, values)

    def _skip(self, op: Op, tile: GatheredTile, offsets: list[Value], sizes: list[Value], strides: list[Value]) -> None:
        """Make sizes and strides those of an array that has every n-th line, behind those that it leaves out in front of its first.

        Where the array ends in front of its first it has one line all the same, behind which the tile lies.
        """
        build, every, (lines, pitch) = self._build, tile.every, (sizes[-2], strides[-2])
        parted, one = divided(tile.offsets[-2], every), index(build, 1)
        assert parted is not None, "it is a tile"
        if parted[1] is None:
            left: Value = build(arith.AndI, offsets[-2], index(build, every - 1))
            offsets[-2] = build(arith.ShRSI, offsets[-2], index(build, every.bit_length() - 1))
            more: Value = build(arith.SubI, index(build, every - 1), left)
        else:
            left, offsets[-2], more = index(build, parted[1]), self._scalar(op, parted[0]), index(build, every - 1 - parted[1])
        strides[-2] = build(arith.MulI, pitch, index(build, every))
        sizes[-2] = build(arith.DivUI, build(arith.AddI, lines, more), index(build, every))
        if parted[1] != 0:
            sizes[-2] = build(arith.MaxSI, sizes[-2], one)
            offsets[-2] = build(arith.Select, build(arith.CmpI, left, lines, predicate="ult"), offsets[-2], one)
            self._begin_behind(tile, left, pitch, offsets, sizes, strides)

    def _begin_behind(self, tile: GatheredTile, left: Value, pitch: Value, offsets: list[Value], sizes: list[Value],
                      strides: list[Value]) -> None:  # fmt: skip
        """Have an array begin so many lines, fewer than its every n-th, behind its first.

        Where launches have seen that it keeps the rules of block messages it lies further to the right: a message begins at whole words of
        any line, but at few places in memory. Others may have lines that lie backwards: these get one more axis, along which it lies.
        """
        build, rules = self._build, self._target.block2d
        if rules is None or self._params[tile.base] in self._kernel.scattered:
            for values, value in ((offsets, left), (sizes, index(build, tile.every)), (strides, pitch)):
                values.insert(-2, value)
            return
        several = rules.pitch_multiple // element_bytes(element_of(tile.base.type))
        whole = build(arith.AndI, pitch, index(build, -several)) if several > 1 else pitch
        sizes[-1] = build(arith.AddI, build(arith.MulI, left, pitch), sizes[-1])
        offsets[-1] = build(arith.AddI, build(arith.MulI, left, whole), offsets[-1])

    def _end(self, op: Op, tile: GatheredTile) -> Value:
        """Where the outermost axis ends: which of several sizes is the least is found out once, in front of all loops."""
        own = self._scalar(op, tile.array.sizes[0])
        key = (tile.base, tile.ends)
        if tile.ends and key not in self._ends:
            with self._build.before(self._kernel.body.ops[0]):
                known = arith.constant_of(own)
                own = own if known is None else index(self._build, known)
                self._ends[key] = reduce(lambda one, two: self._build(arith.MinSI, one, two), tile.ends, own)
        return self._ends.get(key, own)

    def _init(self, op: Access, tile: GatheredTile, parts: Sequence[Sequence[Value]]) -> Value:
        kind, order = op.tile.type, (0, 1) if tile.turned else (1, 0)
        made = xetile.TileType(kind.shape, kind.element, None, order)
        return self._build(xetile.InitTile, tile.base, *map(list, parts), result=made)

    def _chosen(self, loaded: Value, masks: Sequence[Value], padding: float) -> Value:
        """What is loaded where masks are true, the padding elsewhere."""
        if not masks:
            return loaded
        flags = VectorType(shape_of(loaded.type), I1)
        mask = reduce(lambda one, two: self._build(arith.AndI, one, two), [self._spread(mask, flags) for mask in masks])
        other = self._build(arith.Constant, value=padding, result=loaded.type)
        return self._build(arith.Select, mask, loaded, other)

    def _spread(self, mask: Value, kind: VectorType) -> Value:
        if not isinstance(mask.type, VectorType):
            return self._build(vector.Broadcast, mask, result=kind)
        dims = tuple(d for d, (have, want) in enumerate(zip(mask.type.shape, kind.shape)) if have != want)
        return self._build(xetile.TileBroadcast, mask, dims=dims, result=kind) if dims else mask

    def _scalar(self, op: Op, found: Polynomial) -> Value:
        """A polynomial of scalars as an index; the same once in a block."""
        key = (op.parent, frozenset(found.terms.items()))
        if key not in self._made:
            terms = [self._term(monomial, n) for monomial, n in found.terms.items()]
            self._made[key] = reduce(lambda a, b: self._build(arith.AddI, a, b), terms) if terms else index(self._build, 0)
        return self._made[key]

    def _term(self, monomial: Sequence[object], times: int) -> Value:
        factors = sorted((s for s in monomial if isinstance(s, Value)), key=lambda s: self._order[s])
        values = [s if s.type is INDEX else self._build(arith.IndexCast, s, result=INDEX) for s in factors]
        if times != 1 or not values:
            values.append(index(self._build, times))
        return reduce(lambda a, b: self._build(arith.MulI, a, b), values)


def _blocks(block: Block) -> list[Block]:
    return [block, *(found for op in block.ops for inner in op.regions for found in _blocks(inner))]


__all__ = ["gather_tiles"]
