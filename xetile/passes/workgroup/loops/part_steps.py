"""Loops of products whose operands do not fit shared memory take them in steps of a part of the depth, which do.

Tiles of 256x64 and 64x64 in f16 take 80 KB in two halves of a buffer, where DG2 has 64: loaded by each lane for itself, a step took 3,900
instructions for 24 DPAS and spilled. What the loop does beside, as to load a row of scales, is done again in each part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from xetile.dialects import arith, scf, xetile
from xetile.dialects.types import VectorType
from xetile.dialects.vector import is_one_number
from xetile.ir.core import Block, Elementwise, Op, Value
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.products import mma_types
from xetile.passes.analysis.recurrences import Recurrence, along_axes, recurrence_of
from xetile.passes.common.numbers import index
from xetile.passes.common.slm import bytes_of
from xetile.passes.workgroup.loops.staging import StagedOperand
from xetile.target import Target

_Load = xetile.LoadTile


def part_steps(loop: scf.For, staged: Sequence[StagedOperand], target: Target, most: int) -> bool:
    """Let a loop go through what it went through in shorter steps, so that what it stages takes so many bytes at most; whether it does now.

    Only sums of products of what is loaded in steps of the depth, and worked out of that element by element, are the same in shorter steps.
    """
    products = [op for op in loop.body.ops if isinstance(op, xetile.TileMma)]
    depths = {op.a.type.shape[1] for op in products}
    if len(depths) != 1:
        return False
    (depth,) = depths
    need, parts = sum(bytes_of(tile.memory) for tile in staged), 2
    while need > parts * most and parts < depth:
        parts *= 2
    if need > parts * most or any(depth % (parts * target.get_mma(*mma_types(op)).k) for op in products):
        return False
    cut = _Cut(loop, depth)
    if not cut.can_be or any(cut.axes.get(tile.load.value) is None for tile in staged):
        return False
    _Parts(cut, parts).emit()
    return True


class _Cut:
    """Which values of a loop have its products' depth as rows or columns (`axes`), and whether all others are the same in each part of it."""

    def __init__(self, loop: scf.For, depth: int) -> None:
        self.loop = loop
        self.depth = depth
        self.axes: dict[Value, int] = {}
        self.moves: dict[Value, Recurrence] = {}
        """How the tiles that the loop carries move."""
        self.can_be = self._carries_sums() and all(self._find(op) for op in loop.body.ops[:-1])

    def _carries_sums(self) -> bool:
        """Whether a loop carries nothing but sums of products, and tiles that move by known steps."""
        products = {op.result for op in self.loop.body.ops if isinstance(op, xetile.TileMma)}
        for arg, given in zip(self.loop.body.args[1:], self.loop.body.terminator.operands):
            if isinstance(arg.type, xetile.TileType):
                found = recurrence_of(self.loop, arg)
                if found is None or not found.is_direct or found.constant_step is None:
                    return False
                self.moves[arg] = found
            elif given is not arg and (given not in products or not _is_sum(arg)):
                return False
        return all(_is_sum(value) for value in products)

    def _find(self, op: Op) -> bool:
        """Note along which axis results of an op have the depth; whether the op can be done in parts."""
        if isinstance(op, xetile.UpdateTileOffset):
            return op.tile in self.moves and all(user is self.loop.body.terminator for user in op.result.users)
        if isinstance(op, xetile.TileMma):
            return self._is_cut(op.a, 1) and self._is_cut(op.b, 0)
        if isinstance(op, _Load):
            axis = self._axis_of(op)
            if axis is not None:
                self.axes[op.value] = axis
            return not op.tile.type.space
        known = {self.axes[v] for v in _vectors(op) if v in self.axes}
        if not known:
            return op.pure and not op.regions
        (axis, *others) = known
        alike = isinstance(op, (Elementwise, xetile.InitTile, xetile.LoadGather)) and not others
        if not alike or not all(self._is_cut(v, axis) for v in _vectors(op)):
            return False
        self.axes.update(dict.fromkeys(op.results, axis))
        return True

    def _axis_of(self, load: _Load) -> int | None:
        """The axis along which a tile is as long as the depth, and moves by that."""
        found = self.moves.get(load.tile)
        shape, step = load.value.type.shape, None if found is None else found.constant_step
        axes = [axis for axis in range(2) if shape[axis] == self.depth and step == ((self.depth, 0), (0, self.depth))[axis]]
        return axes[0] if axes else None

    def _is_cut(self, value: Value, axis: int) -> bool:
        return self.axes.get(value) == axis or is_one_number(value) or self._is_alike(value, axis)

    def _is_alike(self, value: Value, axis: int) -> bool:
        """Whether all rows, or all columns, of a value are one that is the same in all parts."""
        stretched = isinstance(value.op, xetile.TileBroadcast) and tuple(value.op.dims) == (axis,)
        return stretched and value.op.source not in self.axes  # type: ignore[union-attr]


def _is_sum(value: Value) -> bool:
    """Whether products alone go on from a value, or the loop hands it on."""
    uses = value.uses
    return all(op.terminator or (isinstance(op, xetile.TileMma) and position == 2) for op, position in uses)


def _vectors(op: Op) -> list[Value]:
    """What an op takes that has rows and columns."""
    return [v for v in op.operands if isinstance(v.type, VectorType) or (isinstance(v.type, xetile.TileType) and v.type.scatter)]


class _Parts:
    """The loop that does the same in so many parts of each step."""

    def __init__(self, cut: _Cut, parts: int) -> None:
        self.cut = cut
        self.parts = parts
        self.build = Rewriter()
        self.became: dict[Value, Value] = {}

    def emit(self) -> None:
        """Replace the old loop."""
        build, old, cut = self.build, self.cut.loop, self.cut
        carried = [arg for arg in old.body.args[1:] if arg not in cut.moves or self._is_cut(arg)]
        init = dict(zip(old.body.args[1:], old.init))
        with build.before(old):
            zero, one = index(build, 0), index(build, 1)
            steps = build(arith.CeilDivUI, build(arith.MaxSI, build(arith.SubI, old.upper, old.lower), zero), old.step)
            upper = build(arith.MulI, steps, index(build, self.parts))
            first = [self._tile(cut.moves[arg]) if arg in cut.moves else init[arg] for arg in carried]
            body = Block(
                [old.body.args[0].type, *(v.type for v in first)], [old.body.args[0].name, *(arg.name for arg in carried)]
            )
            with build.at(body):
                self._body(body, carried)
            loop = build.op(scf.For, zero, upper, one, first, regions=[body], values=[v.type for v in first], **old.attributes)
        found = dict(zip(carried, loop.results))
        for arg, before in zip(old.body.args[1:], old.results):
            if arg in found:
                found[arg].name = before.name
        kept = [found.get(arg, start) for arg, start in init.items()]
        build.replace(old, *kept)

    def _is_cut(self, arg: Value) -> bool:
        return any(isinstance(op, _Load) and op.value in self.cut.axes for op in arg.users)

    def _body(self, body: Block, carried: Sequence[Value]) -> None:
        build, old, cut = self.build, self.cut.loop, self.cut
        self.became.update(zip(carried, body.args[1:]))
        step = build(arith.DivUI, body.args[0], index(build, self.parts))
        self.became[old.body.args[0]] = build(arith.AddI, old.lower, build(arith.MulI, step, old.step))
        for arg, found in cut.moves.items():
            if arg not in self.became:
                self.became[arg] = self._moved(found, step)
        for op in old.body.ops[:-1]:
            if isinstance(op, xetile.UpdateTileOffset):
                continue
            kinds = [self._kind(v) for v in op.results]
            operands = [self._operand(op, v) for v in op.operands]
            self.became.update(zip(op.results, build.clone(op, operands, kinds).results))
        given = dict(zip(old.body.args[1:], old.body.terminator.operands))
        build.op(scf.Yield, [self._next(arg) if arg in cut.moves else self.became.get(given[arg], given[arg]) for arg in carried])

    def _operand(self, op: Op, value: Value) -> Value:
        """An operand as an op of a part takes it."""
        axes = self.cut.axes
        axis = {op.operands[0]: 1, op.operands[1]: 0}.get(value) if isinstance(op, xetile.TileMma) else axes.get(op.results[0])
        if axis is None or isinstance(op, _Load) or value in axes or not isinstance(value.type, VectorType) or value.op is None:
            return self.became.get(value, value)
        made = value.op  # one number, or one row or column
        operands = [self.became.get(v, v) for v in made.operands]
        return self.build.clone(made, operands, [self._shorter(value.type, axis)]).results[0]

    def _kind(self, value: Value) -> Any:
        axis = self.cut.axes.get(value)
        return value.type if axis is None else self._shorter(value.type, axis)

    def _shorter(self, kind: Any, axis: int) -> Any:
        """A type of a part of the depth along an axis."""
        shape = tuple(n // self.parts if d == axis else n for d, n in enumerate(kind.shape))
        return replace(kind, shape=shape)

    def _tile(self, found: Recurrence) -> Value:
        """Where the parts of a tile begin."""
        start, (down, _) = found.start, found.constant_step or (0, 0)
        kind = self._shorter(start.result.type, 0 if down else 1)
        return self.build.clone(start, start.operands, [kind]).results[0]

    def _next(self, arg: Value) -> Value:
        amounts = [index(self.build, n // self.parts) for n in self.cut.moves[arg].constant_step or ()]
        made: Value = self.build(xetile.UpdateTileOffset, self.became[arg], amounts)
        return made

    def _moved(self, found: Recurrence, step: Value) -> Value:
        """A tile that is the same in all parts of a step."""
        start, build = found.start, self.build
        by = along_axes(found.constant_step or (0, 0), start.base.type.rank)
        moved = [
            build(arith.AddI, at, build(arith.MulI, step, index(build, n))) if n else at for at, n in zip(start.offsets[-2:], by)
        ]
        tile: Value = build(
            xetile.InitTile, start.base, [*start.offsets[:-2], *moved], start.shape, start.strides, result=start.result.type
        )
        return tile


__all__ = ["part_steps"]
