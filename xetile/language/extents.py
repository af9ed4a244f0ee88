"""Sizes and places that are partly known: how far apart two integers of a kernel are, and whether one can be negative."""

from __future__ import annotations

import math
from itertools import dropwhile
from typing import Any

from xetile.dialects import arith, gpu, xetile
from xetile.dtypes import index
from xetile.ir.core import Block, Op
from xetile.ir.core import Value as IRValue
from xetile.ir.interfaces import only_reads, passes_reads
from xetile.language.context import current
from xetile.language.values import OPERATORS, Value

_Form = dict[Any, int]
"""A sum: coefficients by what they multiply; `None` is 1."""

_ADDS = {"arith.addi": 1, "arith.subi": -1}
_CASTS = {"arith.index_cast", "arith.index_castui", "arith.extsi", "arith.extui"}
_COUNTS = (gpu.BlockId, gpu.SubgroupId, xetile.TileIota)
_KEEPS_SIGN = {
    "arith.floordivsi",
    "arith.divsi",
    "arith.divui",
    "arith.remsi",
    "arith.remui",
    "arith.shrsi",
    "arith.shrui",
    "arith.ori",
    "arith.xori",
}
_SPREAD = {"vector.broadcast", "vector.shape_cast", "xetile.tile_broadcast"}
_TOP_BIT = 31
_DEEPEST = 32


def as_index(number: int | Value) -> int | Value:
    """A size or place as an int or an index value."""
    return number.to(index) if isinstance(number, Value) and number.dtype is not index else number


def distance(stop: int | Value, start: int | Value) -> int | Value:
    """`stop - start`: a Python int where it is the same whatever the numbers are, such as for m + 64 and m."""
    if isinstance(stop, int) and isinstance(start, int):
        return stop - start
    form = _form(stop, _DEEPEST)
    for term, factor in _form(start, _DEEPEST).items():
        form[term] = form.get(term, 0) - factor
    if all(factor == 0 for term, factor in form.items() if term is not None):
        return form.get(None, 0)
    result: Value = stop - start  # type: ignore[assignment]
    return result


def _form(number: Any, deepest: int) -> _Form:
    if isinstance(number, int):
        return {None: number}
    ir = number.ir if isinstance(number, Value) else number
    known = arith.constant_of(ir)
    if isinstance(known, int):
        return {None: known}
    op = ir.owner
    if not isinstance(op, Op) or deepest == 0:
        return {ir: 1}
    if op.opname in _CASTS:
        return _form(op.operands[0], deepest - 1)
    if op.opname in _ADDS:
        return _sum(_form(op.operands[0], deepest - 1), _form(op.operands[1], deepest - 1), _ADDS[op.opname])
    if op.opname == "arith.muli":
        a, b = (_form(v, deepest - 1) for v in op.operands)
        a, b = (a, b) if b.keys() <= {None} else (b, a)
        if b.keys() <= {None}:
            return {term: factor * b.get(None, 0) for term, factor in a.items()}
    if not op.operands and op.pure:
        return {(op.opname, tuple(sorted(op.attributes.items()))): 1}
    return {_first_alike(ir, deepest): 1}


def _first_alike(ir: IRValue, deepest: int) -> IRValue:
    """The first number of the kernel that was computed in the same way: `k // 2`, written twice, is one number.

    So is `Start[i]`, where nothing in between writes memory or waits for who does.
    """
    op, known = ir.owner, current().computed
    if not isinstance(op, Op) or not only_reads(op) or op.regions or deepest == 0:
        return ir
    if ir not in known:
        of = tuple(_first_alike(v, deepest - 1) for v in op.operands)
        when = None if op.pure else _last_change(op)
        how = (op.opname, repr(sorted(op.attributes.items(), key=lambda item: item[0])), op.results.index(ir), ir.type, of, when)
        known[ir] = known.setdefault(how, ir)
    return known[ir]


def _last_change(op: Op) -> Op | Block:
    """Behind what memory is as an op finds it: the last op of its block that may change it, or the block."""
    block = op.parent
    if block is None:
        return op
    before = dropwhile(lambda other: other is not op, reversed(block.ops))
    return next((other for other in before if not passes_reads(other)), block)


def _sum(a: _Form, b: _Form, sign: int) -> _Form:
    result = dict(a)
    for term, factor in b.items():
        result[term] = result.get(term, 0) + sign * factor
    return result


def is_never_negative(number: int | Value) -> bool:
    """Whether a number is 0 or more whatever the arguments of the kernel are, as far as its computation shows it."""
    return _never_less(number, 0)


def is_positive(number: int | Value) -> bool:
    """Whether a number is 1 or more whatever the arguments of the kernel are, as far as its computation shows it."""
    return _never_less(number, 1)


def counted_from_the_start(number: int | Value, size: int | Value) -> int | Value:
    """A subscript as numpy has it, as a place along an axis: a number below 0 counts from the end. An axis of which an element is chosen
    has one, so that `size - 1` is none of these.
    """
    if isinstance(number, int):
        return number if number >= 0 else number + size
    form = _form(number, _DEEPEST)
    known = _rows_begin(form) | {term: 1 for term in _form(size, _DEEPEST) if term is not None}
    if _never_less(number, 0) or _reaches(_least_of_sum(form, known), 0):
        return number
    if _reaches(_least_of_sum({term: -factor for term, factor in form.items()}, known), 1):
        return number + size
    # What memory gave may be any number: only of what is below 0 is it seen that the sum is an index of 32 bits.
    below = OPERATORS["minimum"](number, -1) if current().index_bits == 32 else number
    place: Value = OPERATORS["where"](number < 0, below + size, number)
    return place


def _rows_begin(form: _Form) -> _Form:
    """Numbers from memory at which loops begin whose counters are in a sum: taken not to be negative, as where rows begin is not."""
    begins = current().begins
    starts = [_form(begins[term], _DEEPEST) for term in form if term in begins]
    return {term: 0 for start in starts for term in start if isinstance(term, IRValue) and _is_read(term)}


def _is_read(number: IRValue) -> bool:
    op = number.owner
    return isinstance(op, Op) and (only_reads(op) if not op.pure else len(op.operands) == 1 and _is_read(op.operands[0]))


def counts_from_the_end(start: int | Value, size: int | Value) -> bool:
    """Whether a place lies in front of an axis' end by a constant, as in `A[-1:31]`."""
    return isinstance(start, Value) and isinstance(ahead := distance(size, start), int) and ahead > 0


def _never_less(number: int | Value, bound: int) -> bool:
    if isinstance(number, int):
        return number >= bound
    if bound == 0 and number.dtype.kind == "u":
        return True
    return _reaches(_least(number.ir, _DEEPEST), bound) or _reaches(_least_of_sum(_form(number, _DEEPEST), {}), bound)


def _reaches(least: int | None, bound: int) -> bool:
    return least is not None and least >= bound


def _least_of_sum(form: _Form, known: _Form) -> int | None:
    """What a sum is never less than, some numbers in it being `known` never to be less than theirs.

    Each loop's counter is where the loop begins and some more, i - begin is not negative, or its last number and some less.
    """
    for _ in range(_DEEPEST):
        bound = next((bound for term, factor in form.items() if (bound := _bound(term, factor)) is not None), None)
        if bound is None:
            break
        counter, other = bound
        factor = form[counter]
        form = _sum({term: own for term, own in form.items() if term != counter}, other, factor)
    least = form.get(None, 0)
    for term, factor in form.items():
        own = 0 if term is None or factor == 0 else known.get(term) if factor > 0 else None
        if own is None and factor > 0:
            own = _least(term, _DEEPEST) if isinstance(term, IRValue) else 0 if _is_count(term) else None
        if own is None:
            return None
        least += factor * own
    return least


def _bound(term: Any, factor: int) -> tuple[Any, _Form] | None:
    """A counter, and the sum that bounds it: where its loop begins, from above its last number; None of what is no counter."""
    begins, ends = current().begins, current().ends
    if factor > 0 and term in begins:
        return term, _form(begins[term], _DEEPEST)
    return (term, _sum(_form(ends[term], _DEEPEST), {None: 1}, -1)) if factor < 0 and term in ends else None


def _is_count(term: Any) -> bool:
    """Whether what a sum is made of is the number of a program or a subgroup."""
    return isinstance(term, tuple) and term[0] in {kind.opname for kind in _COUNTS}


def _least(ir: IRValue, deepest: int) -> int | None:
    """What a number is never less than; None where nothing is known."""
    known = arith.constant_of(ir)
    if isinstance(known, int):
        return known
    if ir in current().counts:
        return 0
    op = ir.owner
    if not isinstance(op, Op) or deepest == 0:
        return None
    if isinstance(op, gpu.GridDim):
        return 1
    if isinstance(op, _COUNTS) or op.opname in ("arith.extui", "arith.index_castui"):
        return 0
    each = [_least(v, deepest - 1) for v in (op.operands[1:] if op.opname == "arith.select" else op.operands)]
    if op.opname == "arith.andi":  # the bits of one that has no sign are never more
        return 0 if any(least is not None and 0 <= least < 1 << _TOP_BIT for least in each) else None
    if op.opname == "arith.maxsi":
        return max((least for least in each if least is not None), default=None)
    if op.opname == "arith.subi":
        taken = arith.constant_of(op.operands[1])
        return each[0] - taken if each[0] is not None and isinstance(taken, int) else None
    return _least_of(op.opname, [least for least in each if least is not None]) if None not in each else None


def _least_of(opname: str, each: list[int]) -> int | None:
    """The same of an operation, by what its operands are never less than."""
    if opname in _CASTS | _SPREAD:
        return each[0]
    if opname == "arith.addi":
        return sum(each)
    if opname in ("arith.minsi", "arith.select"):
        return min(each)
    if min(each, default=-1) < 0:
        return None
    if opname == "arith.muli":
        return math.prod(each)
    if opname == "arith.ceildivsi":
        return min(each[0], 1)  # of whatever is divided: what is left over counts as one
    return 0 if opname in _KEEPS_SIGN else None
