"""Tiles of loops that are staged in shared local memory: a buffer of two halves, which alternate from iteration to iteration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from itertools import takewhile
from typing import Any

from xetile.dialects import arith, gpu, scf, xetile
from xetile.dialects.types import I32, MemRefType, ScalarType, VectorType, element_of
from xetile.ir.builder import Builder
from xetile.ir.core import UNIT, Op, Value, type_of
from xetile.ir.interfaces import enclosing
from xetile.ir.rewriter import Rewriter
from xetile.layout import BlockOrder, Layout
from xetile.passes.common.numbers import index
from xetile.passes.common.slm import SLM
from xetile.passes.workgroup.loops.pipelining import Iteration
from xetile.passes.workgroup.loops.worked_out import WorkedOut, worked_out_by
from xetile.passes.workgroup.memory.fold_transposes import exchange_dimensions
from xetile.records import dataclass

Step = tuple[int | None, int | None]


@dataclass(frozen=True)
class StagedTile:
    """A stream through shared memory: the load that it replaces, and how subgroups and lanes bring a tile there.

    step      by how many rows and columns the tile moves; None along an axis along which each step's may lie anywhere.
    order     of the buffer.
    wg_map    the subgroups' shares, None where the tile's type has them.
    fetching  attributes of the loads that bring it.
    transposed  whether what products take is its transpose.
    """

    load: Any
    step: Step
    order: BlockOrder
    wg_map: Layout | None
    lane_map: Layout
    fetching: Mapping[str, Any] = field(default_factory=dict)
    buffer: Value | None = None
    transposed: bool = False

    @property
    def value(self) -> Value:
        """What is read from the buffer in a step."""
        return self.load.value  # type: ignore[no-any-return]

    @property
    def made(self) -> Sequence[Value]:
        """What the loop works out for `store` alone."""
        return ()

    @property
    def kind(self) -> xetile.TileType:
        """The tile's type."""
        return type_of(self.load.tile, xetile.TileType)

    @property
    def element(self) -> ScalarType:
        """Of what is read in a step."""
        return element_of(self.value.type)

    @property
    def shape(self) -> tuple[int, int]:
        """Of what is read in a step, as memory has it."""
        return self.kind.shape

    @property
    def memory(self) -> MemRefType:
        """The buffer's type: two tiles, one below the other."""
        rows, columns = self.shape
        return MemRefType((2 * rows, columns), self.element, None, SLM, order=self.order)

    def alloca(self, loop: scf.For) -> Value:
        """A buffer before the loop."""
        build = Rewriter()
        with build.before(loop):
            return build(gpu.Alloca, result=self.memory)

    def own(self, build: Builder, iteration: Iteration) -> Value:
        """The loop's tile."""
        return iteration.get(self.load.tile, build)

    def following(self, build: Builder, iteration: Iteration, more: Value | None) -> Value:
        """The loop's tile, moved by its step."""
        assert iteration.before is not None
        return self.next(build, self.own(build, iteration.before), more)

    def next(self, build: Builder, tile: Value, more: Value | None = None) -> Value:
        """The tile moved by its step; the same again where a condition says that there are no `more`."""
        amounts = [index(build, n or 0) for n in self.step]
        if more is not None:
            amounts = [build(arith.Select, more, v, index(build, 0)) if n else v for n, v in zip(self.step, amounts)]
        return build(xetile.UpdateTileOffset, tile, amounts)

    def fetch(self, build: Builder, tile: Value) -> Value:
        """A subgroup's share in registers, as its lanes store it."""
        how = {"whole_rows": UNIT} if "inside" in self.fetching and None in self.step else self.fetching
        return build(xetile.LoadTile, tile, padding=0, lane_map=self.lane_map, **how)

    def store(self, build: Builder, fetched: Value, phase: Value, at: Mapping[Value, Value]) -> None:
        """The share becomes part of a half."""
        build.op(xetile.StoreTile, fetched, self.half(build, phase, self.wg_map), lane_map=self.lane_map)

    def read(self, build: Builder, phase: Value) -> Value:
        """What products take, from a half."""
        kept = self.kind.wg_map if self.wg_map is not None else None
        return build(xetile.LoadTile, self.half(build, phase, kept, transposed=self.transposed), padding=0)

    def half(self, build: Builder, phase: Value, wg_map: Layout | None, *, transposed: bool = False) -> Value:
        """The tile of a half of the buffer."""
        rows, columns = self.shape
        start = build(arith.MulI, phase, index(build, rows))
        places = (
            [start, index(build, 0)],
            [index(build, 2 * rows), index(build, columns)],
            [index(build, columns), index(build, 1)],
        )
        shape, order = self.shape, (1, 0)
        if transposed:
            places, shape, order = tuple(place[::-1] for place in places), (columns, rows), (0, 1)  # type: ignore[assignment]
        kind = xetile.TileType(shape, self.element, wg_map, order, space=SLM)
        return build(xetile.InitTile, self.buffer, *places, result=kind)


@dataclass(frozen=True)
class _Words(StagedTile):
    """A buffer as words, each of which lanes have as a whole.

    rows, columns  of them.
    """

    rows: int = 0
    columns: int = 0

    @property
    def element(self) -> ScalarType:
        """Of words."""
        return I32

    @property
    def shape(self) -> tuple[int, int]:
        """See above."""
        return self.rows, self.columns


@dataclass(frozen=True)
class StagedOperand(StagedTile):
    """The stream of a tile that products take, or of what is worked out of it.

    start  the tile before the `loop`, or the one that each step makes (`is_made`); moved: all tiles of its alias class.
    taken  what products take: the load's value, or what the loop works out of that element by element.
    seen   what products take where these are words: their elements, or the transpose of these.
    beside  loads that a step makes for that: where they begin, and by how much they move.
    stored, source  the same as a share of it is stored, and what the share is loaded for; known when it is pinned.
    """

    loop: Any = None
    start: Any = None
    moved: Sequence[Value] = ()
    share: Layout | None = None
    taken: Value | None = None
    seen: Value | None = None
    beside: Mapping[Op, tuple[Any, tuple[int, int]]] = field(default_factory=dict)
    source: Value | None = None
    stored: Value | None = None

    @property
    def value(self) -> Value:
        """What products take."""
        return self._worked_out if self.seen is None else self.seen

    @property
    def _worked_out(self) -> Value:
        return self.load.value if self.taken is None else self.taken

    @property
    def shape(self) -> tuple[int, int]:
        """See above: of words their elements."""
        if self.seen is None:
            return self.kind.shape
        rows, columns = type_of(self.seen, VectorType).shape
        return (columns, rows) if self.transposed else (rows, columns)

    @property
    def memory(self) -> MemRefType:
        """The buffer's type: two tiles, one below the other, as memory has them, also before this is `pinned`."""
        kind = super().memory
        rows, columns = self.shape
        return kind if self.kind.order == (1, 0) else MemRefType((2 * columns, rows), kind.element, None, SLM, order=self.order)

    @property
    def _packed(self) -> tuple[int, int]:
        """Rows and columns of elements in a word that is stored."""
        (rows, columns), words = self.shape, type_of(self._worked_out, VectorType).shape
        return rows // words[0], columns // words[1]

    @property
    def made(self) -> Sequence[Value]:
        """What a share's part is worked out as."""
        return () if self.stored is None or self.stored is self.load.value else (self.stored,)

    @property
    def loads(self) -> bool:
        """Whether what a share's part is worked out as loads more."""
        assert self.source is not None and self.stored is not None
        return bool(self.beside) or any(isinstance(op, xetile.LoadGather) for op in worked_out_by(self.stored, self.source))

    def store(self, build: Builder, fetched: Value, phase: Value, at: Mapping[Value, Value]) -> None:
        """What is worked out of the share becomes part of a half. `at`: what the loop's arguments are in the step of the share."""
        assert self.source is not None and self.stored is not None
        became = {**at, self.source: fetched}
        for op in worked_out_by(self.stored, self.source):
            made = build.copy(op, became)
            made.attributes.update(self.fetching if op in self.beside else {})
        if self.seen is None:
            super().store(build, became[self.stored], phase, at)
        else:
            self._in_words(build).store(build, became[self.stored], phase, at)

    def _in_words(self, build: Builder) -> StagedTile:
        """The buffer as the words that are stored: its blocks have as many fewer rows or columns."""
        (rows, columns), (height, width), (high, wide) = self.shape, self.order.block, self._packed
        rows, columns, order = rows // high, columns // wide, BlockOrder((height // high, width // wide))
        words = build(gpu.ElementCast, self.buffer, result=MemRefType((2 * rows, columns), I32, None, SLM, order=order))
        share, turns = self.share, rows // self.kind.shape[0]
        if share is not None and turns > 1:  # rows by turns, of each row of the tile
            share = share.with_sg(share.sg_layout, (share.sg_data[0] * turns, share.sg_data[1]))
        wg_map = share if turns > 1 else self.wg_map
        return _Words(self.load, self.step, order, wg_map, self.lane_map, buffer=words, rows=rows, columns=columns)

    def pinned(self) -> StagedOperand:
        """The subgroups' shares become part of the tile's type; a column-major tile becomes one of memory's rows, read transposed."""
        source = stored = self.load.value
        beside: Mapping[Op, tuple[Any, tuple[int, int]]] = {}
        if self._worked_out is not source:
            exchanged = self.transposed and self.seen is None
            shared = WorkedOut(self.load, self.loop, self.lane_map, self.share, exchanged=exchanged)
            source, stored, beside = shared.get(source), shared.get(self._worked_out), shared.moving
        if self.transposed and self.kind.order == (0, 1):  # once, where several operands are worked out of it
            exchange_dimensions(self.moved)
        branches = branches_around(self.load, self.loop)
        if branches:  # what is staged is loaded in all steps
            Rewriter().move_before(self.load, branches[-1])
        for tile in self.moved:
            tile.set_type(replace(tile.type, wg_map=self.share))  # type: ignore[type-var]
        return replace(self, source=source, stored=stored, beside=beside)

    @property
    def is_made(self) -> bool:
        """Whether each step makes its tile, of what is known ahead of it."""
        return self.start is self.load.tile

    def first(self, build: Builder, iteration: Iteration) -> Value:
        """Where the loop begins."""
        return iteration.get(self.start, build) if self.is_made else self.start

    def following(self, build: Builder, iteration: Iteration, more: Value | None) -> Value:
        """The loop's tile, moved by its step, or made of what is known of that; behind the last one that once more."""
        if not self.is_made:
            return super().following(build, iteration, more)
        return iteration.or_last(more, build).get(self.start, build)


def branches_around(load: Op, loop: scf.For) -> list[Op]:
    """The branches and loops around a load of a loop, innermost first."""
    return list(takewhile(lambda op: op is not loop, enclosing(load)))
