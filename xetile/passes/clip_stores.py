"""Stores of which only a part is written (`StoreTile.valid`): the array seems to end where that part ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from xetile.dialects import arith, gpu, scf, xetile
from xetile.ir.core import Value
from xetile.passes.blocking import element_bytes
from xetile.passes.lower_access import Access, Tile
from xetile.passes.uses import TileFamilies
from xetile.target import Target

_KEEP_SIGN = (arith.AddI, arith.MulI, arith.DivSI, arith.DivUI, arith.RemSI, arith.RemUI, arith.FloorDivSI, arith.CeilDivSI,
              arith.CeilDivUI, arith.MinSI, arith.IndexCast, arith.IndexCastUI, arith.ExtSI, arith.ExtUI, arith.ShLI, arith.ShRSI,
              arith.ShRUI)  # fmt: skip
"""Ops that give no negative number where they take none; index_ranges sees to it that none of them wraps around."""


class Clips:
    """Where the stores of a blocked module end."""

    def __init__(self, module: gpu.GpuModule, target: Target) -> None:
        self._rules = target.block2d
        self._families = TileFamilies(module)
        self._counted = {op.body.args[0]: op for op in module.walk() if isinstance(op, scf.For)}
        self._sizes = {a for a, spec in zip(module.kernel.body.args, module.kernel.args) if spec.kind in ("dim", "stride")}
        self._moves: dict[Value, list[Any]] = {}
        for op in module.walk():
            if isinstance(op, (xetile.InitTile, xetile.UpdateTileOffset)) and not op.result.type.scatter:
                self._moves.setdefault(self._families.root(op.result), []).append(op)

    def clip(self, op: Any, tile: Tile, origin: Sequence[Value], access: Access) -> Tile:
        """The tile of a store, whose array ends with the part that is written. `origin`: what became of the op's."""
        ends = list(tile.shape[-2:])
        for dim, (start, count) in enumerate(zip((tile.y, tile.x), op.valid)):
            if count < 0:
                continue
            if origin and arith.constant_of(origin[dim]) != 0:
                start = access.build(arith.SubI, start, origin[dim])
            ends[dim] = access.build(arith.MinSI, ends[dim], access.add(start, count))
            if not self._begins_inside(op, dim):
                ends[dim] = access.build(arith.MaxSI, ends[dim], access.constant(0))
        along = 0 if tile.turned else 1
        whole_runs = op.valid[along] < 0 or op.valid[along] % tile.run == 0
        legal = tile.scattered or self._legal(op)
        return replace(
            tile, shape=(*tile.shape[:-2], *ends), scattered=tile.scattered or not legal, run=tile.run if whole_runs else 1
        )

    def _legal(self, op: Any) -> bool:
        """Whether block messages take such an end of the array: a row at least, whole words, no row too short."""
        if self._rules is None or not all(self._begins_inside(op, dim) for dim, count in enumerate(op.valid) if count >= 0):
            return False
        width = op.valid[1] * element_bytes(op.tile.type.element)
        return width < 0 or (width >= self._rules.min_width_bytes and width % self._rules.width_multiple == 0)

    def _begins_inside(self, op: Any, dim: int) -> bool:
        """Whether the tile of a store never begins in front of the array."""
        return all(self._natural(made.offsets[dim - 2]) if len(made.offsets) > 1 or dim else True
                   for made in self._moves[self._families.root(op.tile)])  # fmt: skip

    def _natural(self, value: Value) -> bool:
        """Whether a number is known not to be negative."""
        known = arith.constant_of(value)
        if known is not None:
            return bool(known >= 0)
        if value in self._sizes:
            return True
        if value.op is None:
            loop: Any = self._counted.get(value)
            return loop is not None and self._natural(loop.lower) and self._natural(loop.step)
        if isinstance(value.op, (gpu.BlockId, gpu.SubgroupId)):
            return True
        if isinstance(value.op, arith.MaxSI):
            return any(map(self._natural, value.op.operands))
        return isinstance(value.op, _KEEP_SIGN) and all(map(self._natural, value.op.operands))
