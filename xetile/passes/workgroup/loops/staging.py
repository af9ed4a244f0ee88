"""Tiles of loops that are staged in shared local memory: a buffer of two halves, which alternate from iteration to iteration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from itertools import takewhile
from typing import Any

from xetile.dialects import arith, gpu, scf, xetile
from xetile.dialects.types import I32, MemRefType, ScalarType, element_of
from xetile.ir.builder import Builder
from xetile.ir.core import Op, Value, type_of
from xetile.ir.interfaces import enclosing
from xetile.ir.rewriter import Rewriter
from xetile.layout import BlockOrder, Layout
from xetile.passes.common.numbers import index
from xetile.passes.common.slm import SLM
from xetile.passes.workgroup.loops.worked_out import WorkedOut, worked_out_by
from xetile.passes.workgroup.memory.fold_transposes import exchange_dimensions
from xetile.records import dataclass


@dataclass(frozen=True)
class StagedTile:
    """A stream through shared memory: the load that it replaces, and how subgroups and lanes bring a tile there.

    step      by how many rows and columns the tile moves.
    order     of the buffer.
    wg_map    the subgroups' shares, None where the tile's type has them.
    fetching  attributes of the loads that bring it.
    transposed  whether what products take is its transpose.
    """

    load: Any
    step: tuple[int, int]
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

    def next(self, build: Builder, tile: Value, more: Value | None = None) -> Value:
        """The tile moved by its step."""
        amounts = [index(build, n) for n in self.step]
        if more is not None:
            amounts = [build(arith.Select, more, v, index(build, 0)) if n else v for n, v in zip(self.step, amounts)]
        return build(xetile.UpdateTileOffset, tile, amounts)

    def fetch(self, build: Builder, tile: Value) -> Value:
        """A subgroup's share in registers, as its lanes store it."""
        return build(xetile.LoadTile, tile, padding=0, lane_map=self.lane_map, **self.fetching)

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
    """A buffer as words, each of which lanes have as a whole."""

    @property
    def element(self) -> ScalarType:
        """Of words."""
        return I32


@dataclass(frozen=True)
class StagedOperand(StagedTile):
    """The stream of a tile that products take, or of what is worked out of it.

    start  the tile before the `loop`; moved: all tiles of its alias class.
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
        rows, columns = self.kind.shape
        return rows, columns * self._packed

    @property
    def _packed(self) -> int:
        """Elements of a word that is stored."""
        return 1 if self.seen is None else I32.bits // element_of(self.seen.type).bits

    @property
    def made(self) -> Sequence[Value]:
        """What a share's part is worked out as."""
        return () if self.stored is None or self.stored is self.load.value else (self.stored,)

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
        """The buffer as the words that are stored: its blocks, and its rows, have as many fewer columns."""
        (rows, columns), (height, width) = self.shape, self.order.block
        order = BlockOrder((height, width // self._packed))
        kind = MemRefType((2 * rows, columns // self._packed), I32, None, SLM, order=order)
        words = build(gpu.ElementCast, self.buffer, result=kind)
        return _Words(self.load, self.step, order, self.wg_map, self.lane_map, buffer=words)

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

    def first(self, build: Builder) -> Value:
        """Where the loop begins."""
        return self.start  # type: ignore[no-any-return]


def branches_around(load: Op, loop: scf.For) -> list[Op]:
    """The branches and loops around a load of a loop, innermost first."""
    return list(takewhile(lambda op: op is not loop, enclosing(load)))
