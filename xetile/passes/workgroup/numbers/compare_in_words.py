"""Masks that compare places are compared in 32 bits in kernels whose indices have 64: `n + xt.arange(64) <= row`.

Indices have 64 bits where addresses are made of numbers from memory, as in attention over sequences of any length, and masks that choose
elements have them with those. Places that a mask compares lie a tile apart at most, plus one number that all elements share: that one
is worked out in 64 bits, cut to what makes a difference, and all the rest has 32.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xetile.dialects import arith, gpu, scf, vector, xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.layouts import map_of
from xetile.dialects.types import I1, I32, INDEX, ScalarType, VectorType, element_of, like
from xetile.ir.core import Op, Value
from xetile.ir.rewriter import Rewriter
from xetile.passes.common.numbers import index
from xetile.passes.common.unused import erase_unused
from xetile.records import dataclass
from xetile.target import Target

FEWEST = 4
"""Elements of a lane from which on comparisons in 32 bits save more than the shared number costs."""

_LARGEST = 1 << 30
"""The shared number is cut to this on both sides; what else there is on a side stays below its half."""

_SAME_ELEMENTS = (vector.ShapeCast, xetile.TileBroadcast, xetile.TileTranspose)
_CHOICES = (arith.MinSI, arith.MaxSI)
_OF_MASKS = (arith.AndI, arith.OrI, arith.XOrI, *_SAME_ELEMENTS, xetile.TileConvLayout)
_BOUNDED = (
    arith.AddI,
    arith.SubI,
    arith.MulI,
    arith.MinSI,
    arith.MaxSI,
    arith.Select,
    arith.FloorDivSI,
    arith.CeilDivSI,
    arith.RemUI,
)
_EXACT = frozenset(("slt", "sle", "sgt", "sge", "eq", "ne"))


def compare_in_words(module: GpuModule, target: Target) -> GpuModule:
    """Compare in i32 what masks of selects compare as indices of 64 bits.

    Before and after: xetile at workgroup level with maps. Masks of gathers and scatters, whose addresses have 64 bits in any case, stay as
    they are, and so does what is compared with numbers of 64 bits from memory: differences of these may wrap.
    """
    kernel = module.kernel
    if kernel.index_bits != 64:
        return module
    fewest = FEWEST * (target.subgroup_size or 1) * kernel.attributes.get("num_subgroups", 1)
    for op in list(module.find(arith.CmpI)):
        if _is_mask(op, fewest):
            found = [i for i in (0, 1) if _apart(op.operands[i]) is not None and _is_limit(op.operands[1 - i])]
            if found:
                _rewrite(op, min(found, key=lambda i: _cost(op.operands[1 - i])))
    return module


def _is_mask(op: arith.CmpI, fewest: int) -> bool:
    kind = op.lhs.type
    if not isinstance(kind, VectorType) or kind.element is not INDEX or op.predicate not in _EXACT:
        return False
    ends = list(_ends(op.result))
    return (
        bool(ends)
        and all(isinstance(end, arith.Select) for end in ends)
        and max(_count(end.results[0]) for end in ends) >= fewest
    )


def _count(value: Value) -> int:
    return value.type.count if isinstance(value.type, VectorType) else 1


def _ends(mask: Value) -> Iterator[Op]:
    """What takes a mask, as it is or with others."""
    for user in mask.users:
        if isinstance(user, _OF_MASKS) and element_of(user.results[0].type) is I1:
            yield from _ends(user.results[0])
        else:
            yield user


@dataclass(frozen=True)
class _Side:
    """What a side adds up: scalars, with their signs, and how large the rest is at most."""

    shared: tuple[tuple[Value, int], ...] = ()
    rest: int = 0

    def plus(self, other: _Side, sign: int) -> _Side:
        """The sum or difference."""
        return _Side((*self.shared, *((v, sign * n) for v, n in other.shared)), self.rest + other.rest)


def _apart(value: Value) -> _Side | None:
    """What a side is made of; None where it is more than sums of places and of scalars whose differences do not wrap."""
    op = value.op
    if isinstance(op, vector.Broadcast) and isinstance(op.source.type, ScalarType):
        return _Side(((op.source, 1),)) if _is_bounded(op.source) else None
    if isinstance(op, xetile.TileIota):
        return _Side((), op.result.type.shape[op.dim])
    if isinstance(op, arith.Constant):
        return _Side((), max(map(abs, arith.numbers_of(value))))
    if isinstance(op, _SAME_ELEMENTS):
        return _apart(op.operands[0])
    if not isinstance(op, (arith.AddI, arith.SubI)):
        return None
    left, right = (_apart(v) for v in op.operands)
    found = left.plus(right, 1 if isinstance(op, arith.AddI) else -1) if left and right else None
    return found if found and found.rest < _LARGEST // 2 else None


def _is_limit(value: Value) -> bool:
    """Whether a side is such a sum, or the least or largest of several."""
    op = value.op
    if isinstance(op, (*_SAME_ELEMENTS, *_CHOICES)):
        return all(_is_limit(v) for v in op.operands)
    return _apart(value) is not None


def _cost(value: Value) -> int:
    """Of changing a side: scalars come first, then columns, of which a register holds as many rows as there are lanes."""
    while isinstance(value.op, _SAME_ELEMENTS):
        value = value.op.operands[0]
    side = _apart(value)
    if side is None:
        return -1  # nothing else can be changed
    return 0 if not side.rest else 1 if isinstance(value.type, VectorType) and value.type.shape[-1] == 1 else 2


def _is_bounded(value: Value) -> bool:
    """Whether a scalar is a size, an id, a counter, a number of 32 bits, or made of those: differences of such fit 64 bits."""
    op = value.op
    if op is None:
        holder = value.owner.parent
        return isinstance(holder, gpu.GpuFunc) or (isinstance(holder, scf.For) and value is holder.body.args[0])
    if isinstance(op, arith.INDEX_CASTS):
        return element_of(op.operand.type).bits <= I32.bits
    if isinstance(op, _BOUNDED):
        return all(_is_bounded(v) for v in op.operands if v.type is INDEX)
    return op.pure and not op.operands and not op.regions


def _rewrite(op: arith.CmpI, places: int) -> None:
    """Compare in 32 bits; `places`: the operand which stays free of scalars."""
    side = _apart(op.operands[places])
    assert side is not None
    build = Rewriter()
    with build.before(op), build.located(op.loc):
        words = _Words(build, side)
        operands = [words.places(v) if i == places else words.limit(v) for i, v in enumerate(op.operands)]
        given = list(op.operands)
        build.replace(op, *build.clone(op, operands, [op.result.type]).results)
        erase_unused(given, build)


class _Words:
    """Sides of a comparison in 32 bits: the limit has all scalars, less those that are added to the places."""

    def __init__(self, build: Rewriter, base: _Side) -> None:
        self.build, self.base = build, base

    def places(self, value: Value) -> Value:
        """A side without its scalars."""
        found = self._rest(value)
        return found if found is not None else self._constant(value, 0)

    def limit(self, value: Value) -> Value:
        """The other side."""
        op, kind = value.op, like(value.type, I32)
        if isinstance(op, (*_SAME_ELEMENTS, *_CHOICES)):
            return self.build.clone(op, [self.limit(v) for v in op.operands], [kind]).results[0]
        side, rest = _apart(value), self._rest(value)
        assert side is not None
        shared = side.plus(self.base, -1).shared
        if not shared:
            return rest if rest is not None else self._constant(value, 0)
        number = self.build(vector.Broadcast, self._number(shared), result=kind, **map_of(op))
        return number if rest is None else self.build(arith.AddI, rest, number, **map_of(op))

    def _rest(self, value: Value) -> Value | None:
        """What is no scalar of a side, in 32 bits; None where there is nothing."""
        op, kind = value.op, like(value.type, I32)
        if op is None or isinstance(op, vector.Broadcast):
            return None
        if isinstance(op, arith.Constant):
            return self._constant(value, op.value)
        if isinstance(op, xetile.TileIota):
            return self.build(arith.IndexCast, value, result=kind, **map_of(op))
        left, *others = [self._rest(v) for v in op.operands]
        if isinstance(op, _SAME_ELEMENTS):
            return self.build.clone(op, [left], [kind]).results[0] if left is not None else None
        (right,) = others
        if right is None or (left is None and isinstance(op, arith.AddI)):
            return left if right is None else right
        left = left if left is not None else self._constant(value, 0)
        return self.build.clone(op, [left, right], [kind]).results[0]

    def _constant(self, value: Value, number: object) -> Value:
        return self.build(arith.Constant, value=number, result=like(value.type, I32), **map_of(value.op))

    def _number(self, shared: Sequence[tuple[Value, int]]) -> Value:
        """A sum of scalars in 32 bits: beyond what the rest can reach, it makes no difference by how much."""
        total = index(self.build, 0)
        for value, n in shared:
            total = self.build(arith.AddI if n > 0 else arith.SubI, total, value)
        total = self.build(arith.MaxSI, total, index(self.build, -_LARGEST))
        total = self.build(arith.MinSI, total, index(self.build, _LARGEST))
        return self.build(arith.IndexCast, total, result=I32)
