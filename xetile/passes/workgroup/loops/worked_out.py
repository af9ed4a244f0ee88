"""Operands of products that a loop works out element by element of one load, and what that takes beside it."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import Any

from xetile.dialects import arith, scf, vector, xetile
from xetile.dialects.types import VectorType, element_of
from xetile.dialects.vector import is_one_number
from xetile.ir.core import Elementwise, Op, Value, type_of
from xetile.ir.interfaces import enclosing
from xetile.ir.reach import reached
from xetile.ir.rewriter import Rewriter
from xetile.layout import Layout
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.passes.analysis.look_ups import indices_of, looked_up
from xetile.passes.analysis.products import is_worked_on
from xetile.passes.analysis.recurrences import along_axes, recurrence_of
from xetile.passes.common.numbers import index
from xetile.target.blocks import WORD_BYTES

_Load = xetile.LoadTile


MOST = 320
"""Ops that work an operand out: what more of them would save is little beside them."""


def worked_out(load: _Load, loop: scf.For, arrays: Container[Value], *, exchanged: bool) -> Sequence[Value]:
    """The operands that are worked out of a load of a loop and of nothing that is not known before a step: all that takes the load.

    The load itself, where products take it as it is; none where something else takes it, or what is worked out of it, or where they take
    it in several ways.
    arrays: what nothing in the kernel stores to, so that a step's rows of scales may be loaded ahead of it.
    exchanged: whether rows and columns change places before they are shared.
    """

    def beyond(value: Value) -> list[Value]:
        return [made for user in value.users if (made := _made_by(user, load)) is not None]

    found: list[Value] = []
    first: Value = load.value
    for value in reached([first], beyond):
        others = [user for user in value.users if _made_by(user, load) is None]
        if others and role_of(value, load) is None:
            return ()
        found += [value] if others else []
    if found == [first]:
        return found
    alike = len({(element_of(value.type), role_of(value, load)) for value in found}) == 1
    made = load.parent is loop.body and WorkedOut(load, loop, exchanged=exchanged).can_make(found, arrays)
    return found if alike and made else ()


def role_of(value: Value, load: _Load) -> str | None:
    """As which operand ("a" or "b") products take a value; None where something else takes it, but for what is worked out of it, too."""
    value = as_taken(value)
    uses = [(op, position) for op, position in value.uses if _made_by(op, load) is None]
    roles = {"ab"[position] if isinstance(op, xetile.TileMma) and position < 2 else None for op, position in uses}
    return roles.pop() if len(roles) == 1 else None


def as_taken(value: Value) -> Value:
    """What products take of words: their elements in a row, or the transpose of these, or those in a column; else a value as it is."""
    across = _only_result(value, xetile.TileTranspose)
    seen = _only_result(across or value, vector.Bitcast)
    return value if seen is None else _only_result(seen, xetile.TileTranspose) or seen


def is_turned(seen: Value) -> bool:
    """Whether products take the transpose of what words hold in their order."""
    if not isinstance(seen.op, xetile.TileTranspose) or not isinstance(seen.op.source.op, vector.Bitcast):
        return False
    return not isinstance(seen.op.source.op.source.op, xetile.TileTranspose)


def _only_result(value: Value, kind: type[Op]) -> Value | None:
    (user, *others) = value.users or (None,)
    return user.results[0] if isinstance(user, kind) and not others else None


def _made_by(user: Op, load: _Load) -> Value | None:
    """What an op makes of each element of the load's tile, one element of each; None where it does something else."""
    made = looked_up(user) or user
    if isinstance(made, vector.Shuffle) and made.parent is load.parent:
        return _rows_made_by(made, load)
    if not isinstance(made, (Elementwise, xetile.LoadGather)) or made.parent is not load.parent or len(made.results) != 1:
        return None
    kind = made.results[0].type
    return made.results[0] if isinstance(kind, VectorType) and kind.shape == load.value.type.shape else None


def _rows_made_by(user: vector.Shuffle, load: _Load) -> Value | None:
    """What an op picks of rows of which each is worked out of one of the load's tile, one after the other by turns."""
    (rows, columns), (height, width) = user.result.type.shape, load.value.type.shape
    turns, rest = divmod(rows, height)
    if width != columns or rest or not turns:
        return None
    heights = [v.type.shape[0] for v in (user.v1, user.v2)]
    places = [(at if at < heights[0] else at - heights[0], heights[at >= heights[0]]) for at in user.mask]
    return user.result if all(at * height // of == row // turns for row, (at, of) in enumerate(places)) else None


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


class WorkedOut:
    """What is worked out of a load, of a subgroup's share of it: lanes hold runs of memory's rows, and beside them the same of all else.

    Rows and columns of scales are loaded again for that, each element by the lanes that take it, where handing them on would take a move
    for each element of each lane.
    lane_map  how lanes hold the share.
    wg_map  which share that is, of each subgroup.
    exchanged  whether the share has the rows of the operand as columns.
    """

    def __init__(self, load: _Load, loop: scf.For, lane_map: Layout | None = None, wg_map: Layout | None = None, *,
                 exchanged: bool = False) -> None:  # fmt: skip
        self.load = load
        self.loop = loop
        self.lane_map = lane_map
        self.wg_map = wg_map
        self.exchanged = exchanged
        self.build = Rewriter()
        self.moving: dict[Op, tuple[xetile.InitTile, tuple[int, int]]] = {}
        """Loads that are made again in each step: where they begin before the loop, and by how much each step moves them."""
        self._made: dict[Value, Value] = {}
        self._lines: dict[tuple[Value, VectorType, tuple[int, ...]], Value] = {}

    def can_make(self, values: Sequence[Value], arrays: Container[Value]) -> bool:
        """Whether values can be worked out ahead of a step. `arrays`: those that nothing stores to."""
        found = list(islice(reached(values, self._made_of), MOST + 1))
        return len(found) <= MOST and all(self._can_give(value, arrays) for value in found)

    def _made_of(self, value: Value) -> Sequence[Value]:
        """What is made for a share before a value."""
        ends = value is self.load.value or value.op is None or isinstance(value.op, _Load) or is_one_number(value)
        ends = ends or self._is_line_before(value)
        if not ends and isinstance(value.op, xetile.LoadGather) and (indices := indices_of(value.op, masked=True)) is not None:
            return [indices, value.op.mask]
        return () if ends or value.op is None else [v for v in value.op.operands if isinstance(v.type, VectorType)]

    def _can_give(self, value: Value, arrays: Container[Value]) -> bool:
        op = value.op
        if value is self.load.value or self._is_line_before(value):
            return True
        if op is None:
            return False
        if isinstance(op, _Load):
            return self._can_load_again(op, arrays)
        if isinstance(op, xetile.LoadGather):
            made: Any = op.tile.op
            return indices_of(op, masked=True) is not None and made.base in arrays and "wg_map" not in op.attributes
        numbers = all(self._is_known(v, arrays) for v in op.operands if not isinstance(v.type, VectorType))
        if isinstance(op, vector.Shuffle):
            return not self.exchanged and _rows_made_by(op, self.load) is not None
        if isinstance(op, xetile.TileIota) and self._is_busy:
            return False  # masks would take registers beside what the loop goes on with
        made_alike = isinstance(op, (Elementwise, xetile.TileBroadcast, xetile.TileIota)) and "wg_map" not in op.attributes
        return numbers and (made_alike or is_one_number(value))

    @cached_property
    def _is_busy(self) -> bool:
        """Whether the loop goes on working with what products give."""
        return any(is_worked_on(op.result) for op in self.loop.body.ops if isinstance(op, xetile.TileMma))

    def _is_line_before(self, value: Value) -> bool:
        """Whether a value is a row or a column that is there before the loop, and no load: it changes hands once for all steps."""
        outside = value.op is not None and self.loop not in enclosing(value.op) and not isinstance(value.op, _Load)
        return outside and isinstance(value.type, VectorType) and 1 in value.type.shape and not is_one_number(value)

    def _can_load_again(self, load: _Load, arrays: Container[Value]) -> bool:
        """Whether a load of the loop, or before it, can be made again for a share: a line, or a tile that lies as the share does."""
        origin, shape = self._origin(load), load.value.type.shape
        tile = load.tile.type
        if origin is None or not tile.is_block or tile.wg_map is not None or load.attributes.get("padding"):
            return False
        if 1 not in shape and (shape != self.load.value.type.shape or self.exchanged != _lies_turned(load)):
            return False
        if any(origin[1]) and _lies_turned(load) and origin[0].base.type.rank == 1:
            return False  # it moves as a column does, which memory has not
        steady = load.parent is not self.loop.body or origin[0].base in arrays
        return steady and all(self._is_known(v, arrays) for v in origin[0].operands)

    def _origin(self, load: _Load) -> tuple[xetile.InitTile, tuple[int, int]] | None:
        """The op that says where the memory of a load's tile is, and by how many rows and columns each step moves it."""
        if isinstance(load.tile.op, xetile.InitTile):
            return load.tile.op, (0, 0)
        found = recurrence_of(self.loop, load.tile) if load.parent is self.loop.body else None
        if found is None or not found.is_direct or found.constant_step is None:
            return None
        return found.start, found.constant_step

    def _is_known(self, value: Value, arrays: Container[Value]) -> bool:
        """Whether a number of a step follows from what its loop carries and counts, and from single numbers of arrays, by arithmetic."""
        body = self.loop.body

        def of_step(value: Value) -> Sequence[Value]:
            op = value.op
            return op.operands if op is not None and op.parent is body and not isinstance(op, _Load) else ()

        ops = [v.op for v in reached([value], of_step) if v.op is not None and v.op.parent is body]
        return all(self._is_number(op, arrays) for op in ops)

    def _is_number(self, op: Op, arrays: Container[Value]) -> bool:
        if isinstance(op, _Load):
            origin, tile = self._origin(op), op.tile.type
            one = tile.is_block and tile.shape == (1, 1) and not op.attributes.get("padding")
            return one and origin is not None and origin[0].base in arrays
        numbers = isinstance(op, vector.Extract) or not any(isinstance(result.type, VectorType) for result in op.results)
        return op.pure and not op.regions and numbers

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
        if isinstance(op, xetile.TileIota):
            return self._count(op, kind.with_shape(*shape))
        if isinstance(op, xetile.LoadGather):
            return self._gather(op, self.get(op.tile.op.offsets[0]), self.get(op.mask))  # type: ignore[union-attr]
        return build.clone(op, [self.get(v) for v in op.operands], [kind.with_shape(*shape)]).results[0]

    def _count(self, op: xetile.TileIota, kind: VectorType) -> Value:
        """Numbers of rows or columns of the share."""
        found: Value = self.build(xetile.TileIota, dim=1 - op.dim if self.exchanged else op.dim, result=kind)
        return found

    def _gather(self, op: xetile.LoadGather, indices: Value, mask: Value) -> Value:
        """What an array has at indices of the share."""
        made: Any = op.tile.op
        kind = type_of(indices, VectorType).with_element(element_of(op.value.type))
        tile = replace(made.result.type, shape=kind.shape, wg_map=self.wg_map)
        again = self.build.clone(made, [made.base, indices], [tile]).results[0]
        return self.build.clone(op, [again, mask], [kind]).results[0]

    def _spread(self, line: Value, shape: VectorType, dims: tuple[int, ...]) -> Value:
        """A row or a column, and what is worked out of it, all over a tile: loaded where the line is, for later it may be another."""
        op, build = line.op, self.build
        if (line, shape, dims) in self._lines or op is None:
            return self._lines[line, shape, dims]
        kind = shape.with_element(type_of(line, VectorType).element)
        with build.before(self.loop) if self._is_line_before(line) else build.after(line):
            if self._is_line_before(line):
                across = build(xetile.TileTranspose, line) if self.exchanged else line
                found = build(xetile.TileBroadcast, across, dims=dims, result=kind)
            elif isinstance(op, _Load):
                again = self._again(op)
                across = build(xetile.TileTranspose, again) if self.exchanged != _lies_turned(op) else again
                found = build(xetile.TileBroadcast, across, dims=dims, result=kind)
            elif isinstance(op, xetile.TileIota):
                found = self._count(op, kind)
            elif isinstance(op, xetile.LoadGather):
                places: Any = op.tile.op
                found = self._gather(op, *(self._spread(v, kind, dims) for v in (places.offsets[0], op.mask)))
            else:
                operands = [self._spread(v, kind, dims) if isinstance(v.type, VectorType) else v for v in op.operands]
                found = build.clone(op, operands, [kind]).results[0]
        self._lines[line, shape, dims] = found
        return found

    def _again(self, load: _Load) -> Value:
        """The same load from a tile of its own, as lanes hold the share; of memory's rows."""
        origin = self._origin(load)
        assert origin is not None
        (start, by), kind, build = origin, load.value.type, self.build
        tile, parts = replace(start.result.type, wg_map=None), [self._offsets(start, by), start.shape, start.strides]
        if _lies_turned(load):
            tile, kind = replace(tile, shape=tile.shape[::-1], order=(1, 0)), kind.with_shape(*kind.shape[::-1])
            parts = [(*part[:-2], part[-1], part[-2]) for part in parts]
        if start.base.type.rank == 1:  # a line of memory is a row
            parts = [part[-1:] for part in parts]
        again = build(xetile.InitTile, start.base, *parts, result=tile)
        made = build.clone(load, [again], [kind], {**load.attributes, "lane_map": self.lane_map})
        if load.parent is self.loop.body and self.loop not in enclosing(start) and _moves_by_words(load.tile.type, by):
            self.moving[made] = start, by
        return made.results[0]

    def _offsets(self, start: xetile.InitTile, by: tuple[int, int]) -> tuple[Value, ...]:
        """Where a tile is in a step."""
        if not any(by):
            return tuple(start.offsets)
        build, loop = self.build, self.loop
        step = build(arith.DivUI, build(arith.SubI, loop.body.args[0], loop.lower), loop.step)
        ahead = [
            build(arith.AddI, at, build(arith.MulI, step, index(build, n))) if n else at
            for at, n in zip(start.offsets[-2:], along_axes(by, start.base.type.rank))
        ]
        return (*start.offsets[:-2], *ahead)


def _moves_by_words(tile: xetile.TileType, by: tuple[int, int]) -> bool:
    """Whether a tile moves forward, and runs of its elements that begin with a word go on doing so."""
    along = tile.order[0]
    return min(by) >= 0 and (tile.shape[along] == 1 or by[along] * element_bytes(tile.element) % WORD_BYTES == 0)


def _lies_turned(load: _Load) -> bool:
    return bool(load.tile.type.order == (0, 1))
