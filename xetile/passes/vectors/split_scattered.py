"""Scattered tiles as what they are: a memory, and a value of offsets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xetile.dialects import arith, xetile
from xetile.dialects.gpu import GpuModule
from xetile.ir.core import Op, Value
from xetile.ir.dispatch import Table
from xetile.passes.common.converter import Converter, Lowered
from xetile.records import dataclass

SPLIT = Table()


@dataclass(frozen=True)
class Scattered:
    """A scattered tile: the offsets go through loops, the memory stays."""

    base: Value
    offsets: Value
    type: xetile.TileType

    def carried(self) -> Sequence[Value]:
        """The offsets."""
        return [self.offsets]

    def with_carried(self, values: Sequence[Value]) -> Scattered:
        """Other offsets."""
        (offsets,) = values
        return replace(self, offsets=offsets)


def split_scattered(module: GpuModule) -> GpuModule:
    """Make scattered tiles where they are accessed.

    Before and after: workgroup-level xetile. After: no scattered tile goes through a loop or moves; its offsets do.
    """
    if not any(isinstance(op, xetile.InitTile) and op.result.type.scatter for op in module.walk()):
        return module
    return Converter(SPLIT).convert_function(module)


@SPLIT(xetile.InitTile)
def _init(op: xetile.InitTile, c: Converter) -> Lowered:
    if not op.result.type.scatter:
        return c.clone(op)
    return Scattered(c.one(op.base), c.one(op.offsets[0]), op.result.type)


@SPLIT(xetile.UpdateTileOffset)
def _update(op: xetile.UpdateTileOffset, c: Converter) -> Lowered:
    tile = c[op.tile]
    if not isinstance(tile, Scattered):
        return c.clone(op)
    return replace(tile, offsets=c.build(arith.AddI, tile.offsets, c.one(op.offsets[0])))


@SPLIT(xetile.LoadGather, xetile.StoreScatter, xetile.AtomicRmwTile)
def _access(op: xetile.LoadGather | xetile.StoreScatter | xetile.AtomicRmwTile, c: Converter) -> Lowered:
    tile = c[op.tile]
    if isinstance(tile, Scattered):
        c[op.tile] = c.build(xetile.InitTile, tile.base, [tile.offsets], (), (), result=tile.type)
    made = c.clone(op)
    c[op.tile] = tile
    return made


@SPLIT(xetile.PrefetchTile)
def _prefetch(op: Op, c: Converter) -> tuple[()]:
    """Caches make their own guesses."""
    return ()
