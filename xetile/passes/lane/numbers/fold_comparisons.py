"""What is the same in every launch: comparisons of a subgroup's own piece of a buffer with the buffer's size, signs of sizes and counters."""

from __future__ import annotations

from collections.abc import Iterator
from operator import add
from typing import NamedTuple

from xetile.dialects import arith, vector
from xetile.dialects.gpu import GpuModule
from xetile.dialects.intervals import Intervals
from xetile.dialects.types import INDEX, ScalarType, VectorType
from xetile.ir.core import Op, Value
from xetile.ir.rewriter import Rewriter
from xetile.passes.common.numbers import index
from xetile.target import Target

PREDICATES = ("ult", "slt")
_WITHOUT_SIGN: dict[type[Op], type[Op]] = {
    arith.DivSI: arith.DivUI, arith.FloorDivSI: arith.DivUI, arith.CeilDivSI: arith.CeilDivUI, arith.RemSI: arith.RemUI,
}  # fmt: skip


def fold_comparisons(module: GpuModule, target: Target) -> GpuModule:
    """Replace `i < n` by true where the largest `i` is below the least `n`, by false where the least `i` is no less than the
    largest `n`, and in each element of a vector; divide scalars that are never negative as numbers without sign.

    Before and after: xegpu at lane level. Messages whose mask is true have no predicate, and no flag is held for it. A quotient that
    may be negative takes as many instructions again.
    """
    asked: list[Op] = module.kernel.find((*_WITHOUT_SIGN, arith.CmpI))
    ops = [op for op in asked if not isinstance(op, arith.CmpI) or op.predicate in PREDICATES]
    if not ops:
        return module
    found = Intervals(module.kernel, lanes=target.subgroup_size)
    # As long as the ops stand that numbers are computed by.
    found.settle(value for op in ops for value in (*op.results, *op.operands, *_parts_of(op)))
    rewrite = Rewriter()
    for op in ops:
        if isinstance(op, arith.CmpI):
            holds = _holds(op, found)
            with rewrite.before(op):
                if holds is not None:
                    rewrite.replace(op, rewrite(arith.Constant, value=holds, result=op.result.type))
                elif (made := _by_element(op, found, rewrite)) is not None:
                    rewrite.replace(op, made)
        elif all(isinstance(v.type, ScalarType) and found.of(v)[0] >= 0 for v in op.operands):
            with rewrite.before(op):
                made = rewrite(_WITHOUT_SIGN[type(op)], *op.operands)
            found.facts[made] = found.of(op.results[0])
            rewrite.replace(op, made)
    return module


def _holds(op: arith.CmpI, found: Intervals) -> bool | None:
    """What a comparison of scalars is in every launch; None where it is not always the same."""
    low, high = found.of(op.result)
    return bool(low) if low == high else None


def _by_element(op: arith.CmpI, found: Intervals, rewrite: Rewriter) -> Value | None:
    """A comparison of a vector of places with a constant, element by element: `x + 5 < 33` as `x < 28`, or as what it always is.

    None where the places are not one number and constants, or may be negative.
    """
    sum_, ends = _sum_of(op.lhs), _sum_of(op.rhs)
    if sum_ is None or ends is None or ends.parts or not sum_.parts:
        return None
    intervals = [found.of(part) for part in sum_.parts]
    low, high = (sum(part[i] for part in intervals) for i in (0, 1))
    if low + min(sum_.elements) < 0 or min(ends.elements) < 0:
        return None
    lefts = [end - n for n, end in zip(sum_.elements, ends.elements)]
    known = [True if high < left else False if low >= left else None for left in lefts]
    if None not in known:
        same = len(set(known)) == 1
        return rewrite(arith.Constant, value=known[0] if same else tuple(known), result=op.result.type)
    one: Value = sum_.parts[0]
    for part in sum_.parts[1:]:
        one = rewrite(arith.AddI, one, part)
    if any(known) or False in known:
        mask: Value = rewrite(arith.Constant, value=tuple(bool(k) for k in known), result=op.result.type)
        for i, left in enumerate(lefts):
            if known[i] is None:
                here = rewrite(arith.CmpI, one, index(rewrite, left), predicate="ult")
                mask = rewrite(vector.Insert, here, mask, position=(i,))
        return mask
    if len(set(lefts)) == 1:  # one comparison, and one flag; IGC takes vectors apart, and each element's for one of its own
        here = rewrite(arith.CmpI, one, index(rewrite, lefts[0]), predicate="ult")
        return rewrite(vector.Broadcast, here, result=op.result.type)
    constant = rewrite(arith.Constant, value=tuple(lefts), result=op.lhs.type)
    return rewrite(arith.CmpI, rewrite(vector.Broadcast, one, result=op.lhs.type), constant, predicate="ult")


def _parts_of(op: Op) -> Iterator[Value]:
    """The scalars whose intervals tell what a comparison of vectors is in each element."""
    for value in op.operands if isinstance(op, arith.CmpI) else ():
        sum_ = _sum_of(value)
        yield from sum_.parts if sum_ is not None else ()


class _Sum(NamedTuple):
    """A vector that is the same scalars in all elements, and a number in each."""

    parts: tuple[Value, ...]
    elements: tuple[int, ...]


def _sum_of(value: Value) -> _Sum | None:
    """A vector of indices as a sum, None where it is anything else."""
    op, kind = value.op, value.type
    if not isinstance(kind, VectorType) or kind.element is not INDEX or len(kind.shape) != 1:
        return None
    count = kind.shape[0]
    if isinstance(op, arith.Constant):
        return _Sum((), op.value if isinstance(op.value, tuple) else (op.value,) * count)
    if isinstance(op, vector.Broadcast):
        return _Sum((_scalar(op.source),), (0,) * count)
    if isinstance(op, arith.AddI):
        one, other = _sum_of(op.lhs), _sum_of(op.rhs)
        if one is not None and other is not None:
            return _Sum(one.parts + other.parts, tuple(map(add, one.elements, other.elements)))
    return None


def _scalar(value: Value) -> Value:
    """The scalar that is broadcast: what is taken out of a vector that holds it everywhere is that."""
    while isinstance(value.op, vector.Extract) and isinstance(value.op.source.op, vector.Broadcast):
        value = value.op.source.op.source
    return value
