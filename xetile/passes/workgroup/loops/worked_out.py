"""Operands of products that a loop works out element by element of one load, and what that takes beside it."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace
from typing import Any

from xetile.dialects import arith, scf, xetile
from xetile.dialects.types import VectorType
from xetile.dialects.vector import is_one_number
from xetile.ir.core import Elementwise, Op, Value, type_of
from xetile.ir.reach import reached
from xetile.ir.rewriter import Rewriter
from xetile.layout import Layout
from xetile.passes.analysis.products import mma_uses
from xetile.passes.analysis.recurrences import Recurrence, recurrence_of
from xetile.passes.common.numbers import index

_Load = xetile.LoadTile


def worked_out(load: _Load, loop: scf.For, arrays: Container[Value], *, exchanged: bool) -> list[Value]:
    """The operands that are worked out of a load of a loop and of nothing that is not known before a step: all that takes the load.

    The load itself, where products take it as it is; none where something else takes it, or what is worked out of it.
    arrays: what nothing in the kernel stores to, so that a step's rows of scales may be loaded ahead of it.
    exchanged: whether rows and columns change places before they are shared.
    """

    def beyond(value: Value) -> list[Value]:
        return [user.results[0] for user in value.users if _continues(user, load)]

    found = []
    for value in reached([load.value], beyond):
        others = [user for user in value.users if not _continues(user, load)]
        if others and (len(mma_uses(value)) != 1 or None in mma_uses(value)):
            return []
        found += [value] if others else []
    if found == [load.value]:
        return found
    known = load.parent is loop.body and all(Shares(load, loop, exchanged=exchanged).can_make(v, arrays) for v in found)
    return found if known else []


def _continues(user: Op, load: _Load) -> bool:
    """Whether an op makes of each element of the load's tile one element."""
    if not isinstance(user, Elementwise) or user.parent is not load.parent or len(user.results) != 1:
        return False
    kind = user.results[0].type
    return isinstance(kind, VectorType) and kind.shape == load.value.type.shape


def worked_out_by(value: Value, given: Value) -> list[Op]:
    """The ops of a step without which a value is not there, in their order, but for that of what is `given`."""
    last = value.op
    if last is None or value is given or given.op is None:
        return []
    block: Any = given.op.parent

    def needs(op: Op) -> list[Op]:
        return [v.op for v in op.operands if v.op is not None and v.op.parent is block and v is not given]

    needed = set(reached([last], needs))
    return [op for op in block.ops if op in needed]


class Shares:
    """What is worked out of a load, of a subgroup's share of it: lanes hold runs of memory's rows, and beside them the same of all else.

    Rows and columns of scales are loaded again for that, each element by the lanes that take it, where handing them on would take a move
    for each element of each lane.
    lane_map  how lanes hold the share.
    exchanged  whether the share has the rows of the operand as columns.
    """

    def __init__(self, load: _Load, loop: scf.For, lane_map: Layout | None = None, *, exchanged: bool = False) -> None:
        self.load = load
        self.loop = loop
        self.lane_map = lane_map
        self.exchanged = exchanged
        self.build = Rewriter()
        self._made: dict[Value, Value] = {}

    def can_make(self, value: Value, arrays: Container[Value]) -> bool:
        """Whether a value can be worked out ahead of a step. `arrays`: those that nothing stores to."""
        op = value.op
        if not isinstance(value.type, VectorType):
            return self._is_known(value)
        if value is self.load.value or op is None:
            return op is not None
        if isinstance(op, _Load):
            return self._can_load_again(op, arrays)
        if is_one_number(value):
            return all(self._is_known(v) for v in op.operands)
        made_alike = isinstance(op, (Elementwise, xetile.TileBroadcast)) and "wg_map" not in op.attributes
        return made_alike and all(self.can_make(v, arrays) for v in op.operands)

    def _can_load_again(self, load: _Load, arrays: Container[Value]) -> bool:
        """Whether a load of the loop, or before it, can be made again for a share: a row or a column, or a tile that lies as the share does."""
        start, shape = self._start(load), load.value.type.shape
        if start is None or not load.tile.type.is_block or load.attributes.get("padding"):
            return False
        if 1 not in shape and (shape != self.load.value.type.shape or self.exchanged != _lies_turned(load)):
            return False
        steady = load.parent is not self.loop.body or start.base in arrays
        return steady and all(self._is_known(v) for v in start.operands)

    def _start(self, load: _Load) -> Any:
        """The op that says where the memory of a load's tile is; None where that moves in another way than by the same in each step."""
        if isinstance(load.tile.op, xetile.InitTile):
            return load.tile.op
        moved = self._moved(load)
        return moved.start if moved is not None else None

    def _moved(self, load: _Load) -> Recurrence | None:
        found = recurrence_of(self.loop, load.tile) if load.parent is self.loop.body else None
        return found if found is not None and found.is_direct and found.constant_step is not None else None

    def _is_known(self, value: Value) -> bool:
        """Whether a number of a step follows from what its loop carries and counts, by arithmetic."""
        body = self.loop.body

        def of_step(value: Value) -> tuple[Value, ...]:
            return value.op.operands if value.op is not None and value.op.parent is body else ()

        ops = [v.op for v in reached([value], of_step) if v.op is not None and v.op.parent is body]
        return all(op.pure and not op.regions and not isinstance(op.results[0].type, VectorType) for op in ops)

    def get(self, value: Value) -> Value:
        """A value as the share has it; a number as it is."""
        if not isinstance(value.type, VectorType):
            return value
        if value not in self._made:
            assert value.op is not None
            with self.build.after(value):
                self._made[value] = self._of_op(value, value.op)
        return self._made[value]

    def _of_op(self, value: Value, op: Any) -> Value:
        kind, build = type_of(value, VectorType), self.build
        if value is self.load.value:
            return build(xetile.TileTranspose, value) if self.exchanged else value
        shape = kind.shape[::-1] if self.exchanged else kind.shape
        if isinstance(op, xetile.TileBroadcast):
            dims = tuple(1 - d for d in op.dims) if self.exchanged else op.dims
            return self._spread(op.source, kind.with_shape(*shape), dims)
        if isinstance(op, _Load):
            return self._again(op)
        return build.clone(op, [self.get(v) for v in op.operands], [kind.with_shape(*shape)]).results[0]

    def _spread(self, line: Value, kind: VectorType, dims: tuple[int, ...]) -> Value:
        """A row or a column, and what is worked out of it, all over a tile."""
        op, build = line.op, self.build
        kind = kind.with_element(type_of(line, VectorType).element)
        assert op is not None
        if isinstance(op, _Load):
            again = self._again(op)
            across = build(xetile.TileTranspose, again) if self.exchanged != _lies_turned(op) else again
            return build(xetile.TileBroadcast, across, dims=dims, result=kind)
        operands = [self._spread(v, kind, dims) if isinstance(v.type, VectorType) else v for v in op.operands]
        return build.clone(op, operands, [kind]).results[0]

    def _again(self, load: _Load) -> Value:
        """The same load from a tile of its own, as lanes hold the share; of memory's rows."""
        start = self._start(load)
        tile, kind, parts = start.result.type, load.value.type, [self._offsets(load), start.shape, start.strides]
        if _lies_turned(load):
            tile = replace(tile, shape=tile.shape[::-1], order=(1, 0))
            kind = kind.with_shape(*kind.shape[::-1])
            parts = [(*part[:-2], part[-1], part[-2]) for part in parts]
        attributes = {**load.attributes, "lane_map": self.lane_map}
        return self.build.clone(load, [self.build(xetile.InitTile, start.base, *parts, result=tile)], [kind], attributes).results[
            0
        ]

    def _offsets(self, load: _Load) -> tuple[Value, ...]:
        """Where a load's tile is in a step."""
        offsets, build, loop = self._start(load).offsets, self.build, self.loop
        moved = None if isinstance(load.tile.op, xetile.InitTile) else self._moved(load)
        if moved is None or moved.constant_step is None:
            return tuple(offsets)
        step = build(arith.DivUI, build(arith.SubI, loop.body.args[0], loop.lower), loop.step)
        ahead = [build(arith.AddI, at, build(arith.MulI, step, index(build, by))) if by else at
                 for at, by in zip(offsets[-2:], moved.constant_step)]  # fmt: skip
        return (*offsets[:-2], *ahead)


def _lies_turned(load: _Load) -> bool:
    return bool(load.tile.type.order == (0, 1))
