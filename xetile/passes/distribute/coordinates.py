"""Which subgroup this is, in coordinates: where its pieces of tiles and values start."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from xetile.dialects import arith, gpu
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import INDEX
from xetile.ir.builder import Builder
from xetile.ir.core import Block, Op, Value
from xetile.ir.dispatch import Table
from xetile.passes.analysis.owners import Share
from xetile.passes.common.converter import Converter


class Coordinates(Converter):
    """A converter that knows the subgroup; what depends on the subgroup alone is computed once, before everything else.

    `subgroups` take part, from number `first` on: all of the workgroup, or those of a branch (`among`).
    """

    def __init__(self, table: Table, subgroups: int) -> None:
        super().__init__(table)
        self.subgroups = subgroups
        self.first = 0
        self.head = Builder(Block())
        self._known: dict[Any, Value] = {}

    def begin(self, func: Op) -> None:
        """The kernel's head is filled while its body is converted."""
        self.head.loc = func.loc

    def place_head(self, module: GpuModule, before: Sequence[Op]) -> None:
        """Put `before` and the head at the beginning of the kernel."""
        module.kernel.body.insert(0, [*before, *self.head.block.take()])

    @contextmanager
    def among(self, first: int, count: int) -> Iterator[None]:
        """For a while only these subgroups are there, numbered from 0."""
        saved = self.first, self.subgroups
        self.first, self.subgroups = first, count
        try:
            yield
        finally:
            self.first, self.subgroups = saved

    def coordinate(self, share: Share) -> Value:
        """Which of the `distinct` pieces of a round this subgroup has."""
        return self.once(("at", share.stride, share.distinct), lambda: self._coordinate(share.stride, share.distinct))

    def origin(self, share: Share) -> Value | None:
        """Where this subgroup's first piece starts; None for the tile's start."""
        if share.distinct == 1:
            return None
        key = ("origin", share.stride, share.distinct, share.size)
        return self.once(key, lambda: self._scaled(self.coordinate(share), share.size))

    def place(self, offset: Value, share: Share, in_round: int) -> Value:
        """`offset` moved to the piece of round `in_round`."""
        origin = self.origin(share)
        if origin is not None:
            offset = origin if arith.constant_of(offset) == 0 else self.build(arith.AddI, offset, origin)
        return self.build(arith.AddI, offset, self.constant(in_round * share.step)) if in_round else offset

    def part_of(self, parts: int) -> Value:
        """In which of as many equal parts of the subgroups this one is."""
        return self.once(
            ("part", parts), lambda: self.head(arith.DivUI, self.subgroup_id, self.head_constant(self.subgroups // parts))
        )

    def is_owner(self, parts: Sequence[Share]) -> Value:
        """Whether this subgroup is the first of those that share its pieces."""
        grid = tuple(sorted((s.stride, s.distinct) for s in parts if s.distinct > 1))
        return self.once(("owner", grid), lambda: self._is_owner(parts))

    @property
    def subgroup_id(self) -> Value:
        """Which subgroup this is."""
        return self.once("id", self._subgroup_id)

    def _subgroup_id(self) -> Value:
        number: Value = self.head(gpu.SubgroupId)
        if not self.first:
            return number
        # The head runs in all subgroups: those before the first count as it, so that no coordinate is below zero.
        first = self.head_constant(self.first)
        return self.head(arith.SubI, self.head(arith.MaxUI, number, first), first)

    def head_constant(self, value: int) -> Value:
        """An index at the kernel's head."""
        return self.once(("constant", value), lambda: self.head(arith.Constant, value=value, result=INDEX))

    def once(self, key: Any, make: Callable[[], Value]) -> Value:
        """What `make` gives, made once for the subgroups that are there now."""
        key = (self.first, self.subgroups, key)
        if key not in self._known:
            self._known[key] = make()
        return self._known[key]

    def _coordinate(self, stride: int, distinct: int) -> Value:
        value = self.subgroup_id
        if stride > 1:
            value = self.head(arith.DivUI, value, self.head_constant(stride))
        if stride * distinct < self.subgroups:
            value = self.head(arith.RemUI, value, self.head_constant(distinct))
        return value

    def _scaled(self, value: Value, factor: int) -> Value:
        if factor == 1:
            return value
        result: Value = self.head(arith.MulI, value, self.head_constant(factor))
        return result

    def _is_owner(self, parts: Sequence[Share]) -> Value:
        owner: Value = self.head_constant(0)
        for share in parts:
            if share.distinct > 1:
                owner = self.head(arith.AddI, owner, self._scaled(self.coordinate(share), share.stride))
        result: Value = self.head(arith.CmpI, self.subgroup_id, owner, predicate="eq")
        return result
