"""Loops whose masks are true in all but their first or last iterations become two or three loops, of which one has no masks.

Keys behind the last one, or behind the diagonal of causal attention, matter in few blocks; a mask in all of them costs a select for
each vector of scores. So does what a load has outside of its array other than zeros.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import NamedTuple

from xetile.dialects import arith, scf, vector, xetile
from xetile.dialects.affine import Affine, affine_of
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import I1, INDEX, ScalarType, VectorType, element_of
from xetile.ir.core import Block, Op, Value
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.products import mma_types
from xetile.passes.analysis.recurrences import is_hoistable, is_invariant, recurrence_of
from xetile.passes.analysis.staying import stays
from xetile.passes.common.carry import in_first_iteration
from xetile.passes.common.numbers import index
from xetile.records import dataclass
from xetile.target import Target

AGAIN = 1
"""Tiles that a loop may load again in each iteration (reload_operands) to be split: of each, two loops have headers of messages for both."""

_SAME_ELEMENTS = (vector.Broadcast, vector.ShapeCast, xetile.TileBroadcast, xetile.TileTranspose, xetile.TileConvLayout)
_NOT_BELOW = {"slt": (1, 0, 1), "sle": (1, 0, 0), "sgt": (0, 1, 1), "sge": (0, 1, 0)}
"""Of a comparison: the operand that must be larger, the other one, and by how much at least."""


def split_loops(module: GpuModule, target: Target) -> GpuModule:
    """Split loops that add up matrix products by DPAS where masks of theirs begin, or cease, to be true everywhere.

    Before and after: xetile at workgroup level with maps. A mask compares sums of the loop's counter, places in a tile and one value
    that the loop does not change; or it is the padding of a load whose tile moves to the right as the counter grows.
    A loop that goes on with what another one made is the rest of that one, and is not split at its end.
    Where loads take addresses of single elements, which lie in registers too, loops stay as they are: DG2 spilled 6 KB of two loops. So do
    those that compute with vectors of indices of 64 bits, which take twice the registers: BMG spilled 2 KB of attention with slopes.
    """
    if target.block2d is None:
        return module
    subgroups, bits = module.kernel.attributes.get("num_subgroups", 1), module.kernel.index_bits
    for loop in module.find(scf.For):
        products = [op for op in _often(loop.body) if isinstance(op, xetile.TileMma)]
        fast = any(target.find_mma(*mma_types(op)) for op in products)
        fits = stays(loop, subgroups, target) and _again(loop) <= AGAIN and not (bits == 64 and _computes_with_indices(loop))
        if fast and fits and isinstance(arith.constant_of(loop.step), int):
            _split(loop, bits)
    return module


def _often(body: Block) -> Iterator[Op]:
    """The ops of a loop, with those in branches of it; not those of loops in it."""
    for op in body.ops:
        yield op
        if isinstance(op, scf.If):
            for region in op.regions:
                yield from _often(region)


def _again(loop: scf.For) -> int:
    """How many tiles a loop loads that are the same in each iteration."""
    return sum(isinstance(op, xetile.LoadTile) and is_invariant(op.tile, loop) for op in _often(loop.body))


def _computes_with_indices(loop: scf.For) -> bool:
    """Whether vectors of indices become other numbers in a loop."""
    wide = [v for op in _often(loop.body) for v in op.results if isinstance(v.type, VectorType) and element_of(v.type) is INDEX]
    return any(element_of(made.type) not in (INDEX, I1) for v in wide for user in v.users for made in user.results)


class _Mask(NamedTuple):
    """A comparison that is true for all elements from an iteration on, or before one: where it is `(base + constant) / by`, rounded up.

    base    a sum that the kernel computes itself, or one value.
    half    whether it is so only where another one of the same comparison is, too: `abs(x) < n`.
    """

    compare: arith.CmpI
    at_end: bool
    base: Affine
    constant: int
    by: int
    half: bool

    def is_over(self, other: _Mask) -> bool:
        """Whether this one, known to be true before an iteration, is so in none from which the other one is known to be true."""
        return self.base == other.base and self.by == other.by == 1 and self.constant <= other.constant

    def limit(self, loop: scf.For, bits: int, build: Rewriter) -> Value:
        """That counter, worked out before the loop in indices of so many bits."""
        found = index(build, self.constant)
        if self.base.coefficients:
            base = self._base(loop, build)
            # Sums that wrap would name iterations without masks; those that wrap the other way only keep masks.
            last = -(1 << bits - 1) if self.at_end else (1 << bits - 1) - 1
            if self.constant and (self.constant < 0) == self.at_end:
                nearest = index(build, last - self.constant)
                base = build(arith.MaxSI if self.at_end else arith.MinSI, base, nearest)
            found = build(arith.AddI, base, found)
        return found if self.by == 1 else build(arith.CeilDivSI, found, index(build, self.by))

    def _base(self, loop: scf.For, build: Rewriter) -> Value:
        """The base before the loop. Its terms may wrap on the way."""
        terms = [(in_first_iteration(v, loop, build), n) for v, n in self.base.coefficients.items()]
        sums = [v for v, n in terms if n > 0] or [index(build, 0)]
        found = reduce(lambda a, b: build(arith.AddI, a, b), sums)
        found = reduce(lambda a, b: build(arith.SubI, a, b), (v for v, n in terms if n < 0), found)
        return build(arith.AddI, found, index(build, self.base.constant)) if self.base.constant else found


class _Padded(NamedTuple):
    """A load with padding that has all of its tile inside of the array before an iteration, or in none of them."""

    load: xetile.LoadTile
    start: xetile.InitTile

    @classmethod
    def of(cls, load: xetile.LoadTile, loop: scf.For) -> _Padded | None:
        """What is to be known of a load of a loop; None where its tile does not move as the counter does, along rows of memory."""
        tile, made = load.tile.type, load.tile.op
        if load.padding == 0 or tile.scatter or tile.order != (1, 0) or tile.space or tile.shape[0] == 1:
            return None  # a row's padding is a select for each row of lanes
        if isinstance(made, xetile.InitTile) and len(made.offsets) < len(tile.shape):
            return None  # of an array of one dimension
        moves = recurrence_of(loop, load.tile)
        if moves is None or not moves.is_direct or moves.constant_step != (0, arith.constant_of(loop.step)):
            return None
        return cls(load, moves.start) if len(moves.start.shape) >= len(tile.shape) else None

    def limit(self, loop: scf.For, bits: int, build: Rewriter) -> Value:
        """That counter, worked out before the loop; its first one where the tile's rows are not all inside."""
        (row, column), (rows, columns) = (
            (in_first_iteration(v, loop, build) for v in self.start.offsets[-2:]),
            self.start.shape[-2:],
        )
        height, width = self.load.tile.type.shape
        below = build(arith.SubI, rows, build(arith.MinSI, row, rows))
        left = build(arith.SubI, columns, build(arith.MinSI, column, columns))
        end = build(arith.AddI, build(arith.SubI, left, index(build, width - 1)), loop.lower)
        first, none = build(arith.MinSI, row, column), index(build, 0)
        inside = build(arith.CmpI, first, none, predicate="sge")
        inside = build(arith.AndI, inside, build(arith.CmpI, below, index(build, height), predicate="sge"))
        return build(arith.Select, inside, end, loop.lower)


def _split(loop: scf.For, bits: int) -> None:
    found = [mask for op in _often(loop.body) if isinstance(op, arith.CmpI) for mask in _masks(op, loop)]
    first = [mask for mask in found if not mask.at_end]
    rest = any(isinstance(v.op, scf.For) for v in loop.init)
    last = [mask for mask in found if mask.at_end and not rest and not any(mask.is_over(other) for other in first)]
    whole = {mask.compare for mask in last if mask.half}
    first = [mask for mask in first if mask.compare in whole or not mask.half]
    loads = [op for op in _often(loop.body) if isinstance(op, xetile.LoadTile) and not rest]
    padded = [each for op in loads if (each := _Padded.of(op, loop)) is not None]
    if not padded and not _pays({mask.compare.result for mask in (*first, *last)}, loop):
        return
    rewrite = Rewriter()
    with rewrite.before(loop):
        if first:
            _cut(loop, _limit(first, arith.MaxSI, loop, bits, rewrite), rewrite)
        if last or padded:
            became = _cut(loop, _limit([*last, *padded], arith.MinSI, loop, bits, rewrite), rewrite)
            for each in padded:
                copied = became[each.load.value].op
                assert copied is not None
                copied.attributes["padding"] = 0
            # What is cut off here has no mask, and the rest has all of them.
            for mask in (*first, *last):
                _hold(became[mask.compare.result], rewrite)
            return
    for mask in first:
        _hold(mask.compare.result, rewrite)


def _pays(held: set[Value], loop: scf.For) -> bool:
    """Whether some select takes nothing but masks that are true everywhere, or some gather has fewer masks without them."""
    partly = set(held)
    for op in _often(loop.body):
        if isinstance(op, arith.Select) and op.condition in held:
            return True
        if isinstance(op, xetile.LoadGather) and any(v in partly for v in op.operands):
            return True
        if isinstance(op, (arith.AndI, arith.OrI, *_SAME_ELEMENTS)):
            enough = any if isinstance(op, arith.OrI) else all
            held.update(op.results if enough(v in held for v in op.operands) else ())
            partly.update(op.results if any(v in partly for v in op.operands) else ())
    return False


def _limit(masks: Sequence[_Mask | _Padded], choose: type[arith.Binary], loop: scf.For, bits: int, build: Rewriter) -> Value:
    """The last or the first of the counters where masks change."""
    limit, *others = [mask.limit(loop, bits, build) for mask in masks]
    for other in others:
        limit = build(choose, limit, other)
    return limit


def _cut(loop: scf.For, limit: Value, build: Rewriter) -> dict[Value, Value]:
    """Let a copy of the loop make its iterations before a limit, and the loop the others; what its values are in the copy."""
    became: dict[Value, Value] = {}
    end = build(arith.MinSI, loop.upper, limit)
    copy = build.copy(loop, became)
    build.set_operand(copy, 1, end)
    made = build(arith.CeilDivSI, build(arith.SubI, build(arith.MaxSI, end, loop.lower), loop.lower), loop.step)
    build.set_operand(loop, 0, build(arith.AddI, loop.lower, build(arith.MulI, made, loop.step)))
    for i, value in enumerate(copy.results):
        build.set_operand(loop, 3 + i, value)
    return became


@dataclass(frozen=True)
class _Span:
    """A sum of scalars, and by how much elements are above it at least and at most."""

    sum: Affine
    low: int = 0
    high: int = 0

    def plus(self, other: _Span, sign: int) -> _Span:
        """The sum or difference."""
        low, high = (other.low, other.high) if sign > 0 else (-other.high, -other.low)
        return _Span(self.sum.plus(other.sum, sign), self.low + low, self.high + high)


def _masks(op: arith.CmpI, loop: scf.For) -> list[_Mask]:
    """What is to be known of a comparison of vectors of indices; nothing where it is none of these. Two of a size: `abs(x) < n`."""
    if not isinstance(op.result.type, VectorType) or element_of(op.lhs.type) is not INDEX or op.predicate not in _NOT_BELOW:
        return []
    larger, smaller, least = _NOT_BELOW[op.predicate]
    size = _size(op.operands[smaller])
    above = _span(op.operands[larger], loop)
    below = _span(op.operands[smaller] if size is None else size, loop)
    if above is None or below is None:
        return []
    sides = [(above, below)] if size is None else [(above, below), (above, _Span(Affine({})).plus(below, -1))]
    masks = [mask for side in sides if (mask := _mask(op, side, least, loop, len(sides) > 1)) is not None]
    return masks if len(masks) == len(sides) else []


def _size(value: Value) -> Value | None:
    """Of what a vector of indices is the size, without its sign: the larger one of it and `0 - it`; None where it is computed otherwise."""
    while isinstance(value.op, _SAME_ELEMENTS):
        value = value.op.operands[0]
    if isinstance(value.op, arith.MaxSI):
        for one, other in (value.op.operands, reversed(value.op.operands)):
            if isinstance(other.op, arith.SubI) and other.op.rhs is one and arith.numbers_of(other.op.lhs) == (0,):
                return one
    return None


def _mask(op: arith.CmpI, sides: tuple[_Span, _Span], least: int, loop: scf.For, half: bool) -> _Mask | None:
    """Where a comparison is true everywhere: where one side is above the other one by a number at least."""
    above, below = sides
    found = above.plus(below, -1)
    terms, constant = dict(found.sum.coefficients), found.sum.constant + found.low - least
    growth = terms.pop(loop.body.args[0], 0)
    sign = -1 if growth > 0 else 1
    if not growth or any(abs(n) != 1 for n in terms.values()):
        return None
    base, constant = Affine({v: sign * n for v, n in terms.items()}), sign * constant
    if terms and list(base.coefficients.values()) != [1]:
        # Other sums might wrap where the kernel's own do not: the extreme of the side that has no counter is one of these.
        extreme = below.sum.constant + below.high if growth > 0 else above.sum.constant + above.low
        side = below if growth > 0 else above
        if half or side.sum.coefficients != base.coefficients:
            return None
        base, constant = Affine(base.coefficients, extreme), constant - extreme
    return _Mask(op, growth < 0, base, constant + (growth < 0), abs(growth), half)


def _span(value: Value, loop: scf.For) -> _Span | None:
    op = value.op
    if isinstance(value.type, ScalarType):
        return _Span(affine_of(value, lambda v: is_hoistable(v, loop)))
    if isinstance(op, xetile.TileIota):
        return _Span(Affine({}), 0, op.result.type.shape[op.dim] - 1)
    if isinstance(op, arith.Constant):
        values = arith.numbers_of(value)
        return _Span(Affine({}), min(values), max(values))
    if isinstance(op, _SAME_ELEMENTS):
        return _span(op.operands[0], loop)
    if isinstance(op, (arith.AddI, arith.SubI)):
        left, right = (_span(v, loop) for v in op.operands)
        return left.plus(right, 1 if isinstance(op, arith.AddI) else -1) if left and right else None
    return None


def _hold(mask: Value, rewrite: Rewriter) -> None:
    """Let what takes a mask do without: it is true everywhere."""
    maps = mask.op.attributes if mask.op is not None else {}
    for op in list(mask.users):
        if isinstance(op, (*_SAME_ELEMENTS, arith.OrI)):
            _hold(op.results[0], rewrite)
        elif isinstance(op, arith.AndI):
            left, right = op.operands
            rewrite.replace_uses(op.result, right if left is mask else left)
        elif isinstance(op, arith.Select) and op.condition is mask:
            rewrite.replace_uses(op.result, op.true_value)
        else:
            with rewrite.before(op):
                true = rewrite(arith.Constant, value=True, result=mask.type, wg_map=maps.get("wg_map"))
            rewrite.replace_uses(mask, true, lambda user, op=op: user is op)  # type: ignore[misc]
        if op.parent is not None and not any(v.users for v in op.results) and op.pure:
            rewrite.erase(op)
    if mask.op is not None and mask.op.parent is not None and not mask.users:
        rewrite.erase(mask.op)
