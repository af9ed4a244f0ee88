"""How tiles of one array lie to each other at any two times: apart, or each on the other, or neither is known."""

from __future__ import annotations

from functools import cached_property
from math import gcd

from xetile.dialects import arith, scf, xetile
from xetile.dialects.gpu import GpuFunc
from xetile.ir.core import Block, Value
from xetile.ir.interfaces import runs_again
from xetile.passes.analysis.alias_classes import AliasClasses
from xetile.passes.analysis.block_access import known
from xetile.passes.analysis.polynomials import Place, Polynomial, Reader, Symbol, conjunction, number, of
from xetile.records import dataclass


@dataclass(frozen=True)
class Axis:
    """A tile along an axis of its array: where it begins, a sum that moves are multiples of, and how many elements it has."""

    begin: Polynomial
    moves: int
    extent: int


class Overlaps:
    """What is known of a kernel's tiles."""

    def __init__(self, kernel: GpuFunc) -> None:
        self._classes = AliasClasses(kernel)
        self._reader = Reader({})
        self._own = {a: spec.param for a, spec in kernel.specs.items()}
        self._strides = {a for a, spec in kernel.specs.items() if spec.kind == "stride"}
        self._starts: dict[Value, list[xetile.InitTile]] = {}
        self._known: dict[tuple[Value, Value], str] = {}
        self._kernel = kernel
        for start in kernel.find(xetile.InitTile):
            self._starts.setdefault(self._classes.root(start.result), []).append(start)

    def between(self, one: Value, other: Value) -> str:
        """How two tiles lie to each other, each at any time: "apart", with no common element, "alike", apart or with all elements in common
        in one order, or "" for anything.
        """
        key = self._classes.root(one), self._classes.root(other)
        if key not in self._known:
            starts = [(a, b) for a in self._starts.get(key[0], ()) for b in self._starts.get(key[1], ())]
            found = {self._between(a, b) for a, b in starts} or {""}
            self._known[key] = "" if "" in found else "alike" if "alike" in found else "apart"
        return self._known[key]

    def _between(self, one: xetile.InitTile, other: xetile.InitTile) -> str:
        first, second = self._axes(one), self._axes(other)
        if first is None or second is None or first.keys() != second.keys():
            return ""
        found = [self._along(first[stride], second[stride]) for stride in first]
        if "apart" in found:
            return "apart"
        kinds = one.result.type, other.result.type
        same = kinds[0].order == kinds[1].order and kinds[0].shape == kinds[1].shape
        same = same and self._within(one) == self._within(other)
        return "alike" if same and set(found) == {"whole"} else ""

    def _within(self, start: xetile.InitTile) -> Polynomial | None:
        """Of scattered elements what their rows and columns add to the first one's place."""
        read = self._reader.read(start.offsets[0]) if start.result.type.scatter else None
        return None if read is None else read.plus(_without_places(read), -1)

    def _axes(self, start: xetile.InitTile) -> dict[object, Axis] | None:
        """A tile's axes by their strides, which are the array's own: elements of one row are none of another."""
        kind = start.result.type
        if kind.space:
            return None
        if kind.scatter:
            return self._elements(start)
        given = {1, *(start.base.type.strides or ())} - {None}
        param = self._own.get(start.base)
        axes: dict[object, Axis] = {}
        extents = (1,) * (len(start.offsets) - 2) + (kind.shape if len(start.offsets) > 1 else kind.shape[1:])
        moves = self._moves.get(self._classes.root(start.result), (0, 0))
        along = (0,) * (len(start.offsets) - 2) + (moves if len(start.offsets) > 1 else moves[1:])
        for offset, stride, extent, by in zip(start.offsets, start.strides, extents, along):
            own = known(stride) in given or (stride in self._strides and self._own.get(stride) == param)
            begin = self._reader.read(offset)
            if begin is None or (not own and extent > 1) or known(stride) in axes:
                return None
            axes[known(stride)] = Axis(begin, by, extent)
        return axes

    def _elements(self, start: xetile.InitTile) -> dict[object, Axis] | None:
        """Scattered elements that follow each other in rows and columns, as a run of all from the first to the last."""
        within = self._within(start)
        if within is None or self._classes.root(start.result) in self._moves:
            return None
        last, extents = 0, self._reached(start)
        for monomial, n in within.terms.items():
            if len(monomial) != 1 or n < 0:
                return None
            last += n * (extents[0 if monomial[0] is Place.ROW else 1] - 1)
        read = self._reader.read(start.offsets[0])
        assert read is not None, "it has been read"
        return {"elements": Axis(_without_places(read), 0, last + 1)}

    def _reached(self, start: xetile.InitTile) -> tuple[int, ...]:
        """Rows and columns of scattered elements that some access reaches: their masks may say that the others are not there."""
        reached = []
        for op in self._classes.accesses(start.result):
            extents = list(start.result.type.shape)
            mask = getattr(op, "mask", None)
            for part in conjunction(mask) if mask is not None else ():
                compared = part.op
                if not isinstance(compared, arith.CmpI) or compared.predicate not in ("ult", "slt"):
                    continue
                place, end = self._reader.read(compared.operands[0]), self._reader.read(compared.operands[1])
                axis = next((axis for axis, symbol in enumerate((Place.ROW, Place.COLUMN)) if place == of(symbol)), None)
                if axis is not None and end is not None and end.known is not None:
                    extents[axis] = max(1, min(extents[axis], end.known))
            reached.append(extents)
        return tuple(map(max, zip(*reached))) if reached else start.result.type.shape

    @cached_property
    def _moves(self) -> dict[Value, tuple[int, int]]:
        """By class of tiles, what their moves along rows and columns are multiples of; 0 where they do not move."""
        found: dict[Value, tuple[int, int]] = {}
        for op in self._kernel.find(xetile.UpdateTileOffset):
            steps = [self._multiple(v) for v in op.offsets] if len(op.offsets) == 2 else [1, 1]
            root = self._classes.root(op.result)
            before = found.get(root, (0, 0))
            found[root] = gcd(before[0], steps[0]), gcd(before[1], steps[1])
        return found

    def _multiple(self, value: Value) -> int:
        read = self._reader.read(value)
        return gcd(*(abs(n) for n in read.terms.values())) if read is not None else 1

    def _along(self, one: Axis, other: Axis) -> str:
        """How two tiles lie along an axis: "apart", "whole" (the same place, or apart), or "" for anything."""
        (first, every), (second, other_every) = self._spread(one.begin), self._spread(other.begin)
        distance = second.plus(first, -1)
        # What is multiplied by no more than is known is a whole number.
        unknown = [n for monomial, n in distance.terms.items() if monomial]
        step = gcd(every, other_every, one.moves, other.moves, *unknown)
        rest = distance.terms.get((), 0)
        if step == 0:
            return "apart" if rest >= one.extent or -rest >= other.extent else "" if rest else "whole"
        rest %= step
        if rest >= one.extent and step - rest >= other.extent:
            return "apart"
        return "whole" if rest == 0 and step >= max(one.extent, other.extent) else ""

    def _spread(self, place: Polynomial) -> tuple[Polynomial, int]:
        """(p, n): at any time a place is p, which no loop changes, and a multiple of n."""
        steady, step = number(0), 0
        for monomial, n in place.terms.items():
            if not any(map(_varies, monomial)):
                steady = steady.plus(Polynomial({monomial: n}))
            elif len(monomial) == 1 and (loop := _counts(monomial[0])) is not None:
                first, every = self._spread(self._reader.read(loop.lower) or of(loop.lower))
                steady, step = steady.plus(first, n), gcd(step, n * every, n * self._multiple(loop.step))
            else:
                step = gcd(step, n)
        return steady, step


def _without_places(read: Polynomial) -> Polynomial:
    """What is the same for all elements of a vector."""
    return Polynomial({m: n for m, n in read.terms.items() if not any(isinstance(symbol, Place) for symbol in m)})


def _varies(symbol: Symbol) -> bool:
    """Whether a loop gives a value more than once."""
    assert isinstance(symbol, Value), "a scalar has no rows"
    if symbol.op is not None:
        return runs_again(symbol.op)
    block = symbol.owner
    outer = block.parent if isinstance(block, Block) else None
    return outer is not None and (outer.repeats or runs_again(outer))


def _counts(symbol: Symbol) -> scf.For | None:
    """The loop that a value counts the iterations of."""
    block = symbol.owner if isinstance(symbol, Value) and symbol.op is None else None
    loop = block.parent if isinstance(block, Block) else None
    return loop if isinstance(loop, scf.For) and symbol is loop.body.args[0] else None
