"""Places below two limits are below the lesser of the two: `(key <= query) & (key < length)` is one comparison with `min(query, length - 1)`.

Limits are rows, columns or scalars, of which loops over products have few registers; masks are as large as the product.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import NamedTuple

from xetile.dialects import arith, vector, xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.layouts import map_of
from xetile.dialects.types import INDEX, ScalarType, VectorType, element_of
from xetile.ir.core import Op, Value
from xetile.ir.rewriter import Rewriter
from xetile.passes.common.numbers import index
from xetile.passes.common.unused import erase_unused
from xetile.target import Target

_FLIPPED = {"slt": "sgt", "sle": "sge", "sgt": "slt", "sge": "sle"}
_BELOW = ("slt", "sle")


def join_limits(module: GpuModule, target: Target) -> GpuModule:
    """Make one comparison of two of the same places, both below or both above something, that are joined by `&` or `|`.

    Before and after: xetile at workgroup level with maps. One of the limits is a scalar, and that is moved by one where the other
    comparison is the strict one, or is not: the least index stays below all.
    """
    bits = module.kernel.index_bits
    for op in [op for op in module.walk() if isinstance(op, (arith.AndI, arith.OrI)) and not _is_part(op)]:
        while isinstance(op.results[0].type, VectorType) and op.parent is not None and _join(op, bits):
            pass
    return module


def _is_part(op: Op) -> bool:
    """Whether an op only joins some masks of several that another joins in the same way."""
    (result,) = op.results
    return result.has_one_use and all(type(user) is type(op) for user in result.users)


def _masks(op: Op) -> Iterator[tuple[Op, int]]:
    """All masks that are joined, as operands of ops."""
    for i, value in enumerate(op.operands):
        inner = value.op
        if inner is not None and type(inner) is type(op) and value.has_one_use and inner.parent is op.parent:
            yield from _masks(inner)
        else:
            yield op, i


class _Limit(NamedTuple):
    """A comparison of places with a limit, as all elements of a mask see it."""

    compare: arith.CmpI
    places: Value
    limit: Value
    predicate: str

    @property
    def scalar(self) -> Value | None:
        """The limit, where it is one for all places."""
        op = _plain(self.limit).op
        return op.source if isinstance(op, vector.Broadcast) and isinstance(op.source.type, ScalarType) else None


def _join(op: Op, bits: int) -> bool:
    """Make one comparison of two among all the masks that are joined; gives whether there were two."""
    for one, other in permutations(_masks(op), 2):
        for whole in _limits(one[0].operands[one[1]]):
            for scalar in _limits(other[0].operands[other[1]]):
                if _fit(whole, scalar, op):
                    _rewrite(op, one, other, whole, scalar, bits)
                    return True
    return False


def _fit(whole: _Limit, other: _Limit, op: Op) -> bool:
    """Whether one comparison is as large as the mask, the other is of the same places with a scalar, and both are below or both above."""
    same = _plain(whole.places) is _plain(other.places) and (whole.predicate in _BELOW) == (other.predicate in _BELOW)
    known = whole.compare.result.type == op.results[0].type and _plain(whole.limit).op is not None
    return same and known and other.scalar is not None


def _limits(mask: Value) -> list[_Limit]:
    """A mask's comparison of indices, from both sides."""
    op = _plain(mask).op
    if not isinstance(op, arith.CmpI) or op.predicate not in _FLIPPED or element_of(op.lhs.type) is not INDEX:
        return []
    return [_Limit(op, op.lhs, op.rhs, op.predicate), _Limit(op, op.rhs, op.lhs, _FLIPPED[op.predicate])]


def _plain(value: Value) -> Value:
    """What is repeated along an axis."""
    while isinstance(value.op, xetile.TileBroadcast):
        value = value.op.operands[0]
    return value


def _rewrite(op: Op, one: tuple[Op, int], other: tuple[Op, int], whole: _Limit, scalar: _Limit, bits: int) -> None:
    """Put one comparison in the place of the mask that is joined last, and let the op that joins the other one go."""
    build = Rewriter()
    ops = list(one[0].parent.ops if one[0].parent is not None else ())
    (first, unneeded), (last, position) = sorted((other, one), key=lambda mask: ops.index(mask[0]))
    least = isinstance(op, arith.AndI) == (whole.predicate in _BELOW)
    limit, kind = _plain(whole.limit), whole.limit.type
    assert isinstance(limit.type, VectorType) and isinstance(kind, VectorType)
    maps, given = map_of(limit.op), [one[0].operands[one[1]], other[0].operands[other[1]]]
    with build.before(last), build.located(scalar.compare.loc):
        spread = build(vector.Broadcast, _as_in(whole.predicate, scalar, bits, build), result=limit.type, **maps)
        joined: Value = build(arith.MinSI if least else arith.MaxSI, limit, spread, **maps)
        if limit is not whole.limit:
            dims = tuple(d for d, (n, m) in enumerate(zip(limit.type.shape, kind.shape)) if n != m)
            joined = build(xetile.TileBroadcast, joined, dims=dims, result=kind, **map_of(whole.limit.op))
        build.set_operand(
            last, position, build(arith.CmpI, whole.places, joined, predicate=whole.predicate, **map_of(whole.compare))
        )
        build.replace(first, first.operands[1 - unneeded])
    erase_unused(given, build)


def _as_in(predicate: str, other: _Limit, bits: int, build: Rewriter) -> Value:
    """A scalar limit that another comparison than its own takes: one less or more where just one of them holds for the limit itself."""
    limit = other.scalar
    assert limit is not None
    if predicate == other.predicate:
        return limit
    step = 1 if (predicate in ("slt", "sge")) else -1
    last = (1 << bits - 1) - 1 if step > 0 else -(1 << bits - 1)
    # What lies beyond the last index is as far as that.
    nearest = build(arith.MinSI if step > 0 else arith.MaxSI, limit, index(build, last - step))
    return build(arith.AddI, nearest, index(build, step))
