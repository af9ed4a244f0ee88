"""What the ops that take a value, or parts of it, do with it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import copysign

from xetile.dialects import arith, gpu, scf, vector, xegpu
from xetile.dialects.types import I8, VectorType, element_of
from xetile.dialects.vector import is_true
from xetile.ir import analyses
from xetile.ir.core import Block, Op, Type, Value
from xetile.ir.interfaces import op_around, outermost
from xetile.ir.reach import reached

Row = tuple[Value, int]
"""An element of a value."""

SUMS = (arith.AddI, arith.SubI, arith.OrI, arith.XOrI)
SCALINGS = (arith.MulI, arith.ShLI)
_HANDING_ON = (*SUMS, *SCALINGS, arith.AndI, arith.TruncI)
"""Ops modulo the width, which have one result whatever they take for the sign."""

_PLACING = (vector.ExtractStridedSlice, vector.InsertStridedSlice, vector.Insert, vector.Extract, vector.Shuffle, arith.Bitcast,
            vector.Broadcast)  # fmt: skip
"""Ops that only place elements: those that `origin` looks through, so that others cost it nothing."""


_MOVING = frozenset((vector.Broadcast, vector.Extract, vector.Insert, vector.ExtractStridedSlice, vector.InsertStridedSlice,
                     vector.ShapeCast, vector.Shuffle, vector.Transpose, xegpu.CreateTdesc, xegpu.UpdateOffset))  # fmt: skip


def moves(op: Op | None) -> bool:
    """Whether an op only places elements, or adds what it is given to a descriptor."""
    return op.__class__ in _MOVING


def origin(row: Row) -> Row:
    """Where an element comes from, through ops that only place elements."""
    value, index = row
    while type(value.op) in _PLACING:
        match value.op:
            case vector.ExtractStridedSlice(offsets=(first,)) as op:
                value, index = op.source, index + first
            case vector.InsertStridedSlice(offsets=(first,)) as op:
                inside = first <= index < first + count_of(op.value.type)
                value, index = (op.value, index - first) if inside else (op.dest, index)
            case vector.Insert(position=(at,)) as op:
                value, index = (op.value, 0) if at == index else (op.dest, index)
            case vector.Extract(position=(at,)) as op:
                value, index = op.source, at
            case vector.Shuffle(v1=first, v2=second, mask=mask):
                beyond = mask[index] - count_of(first.type)
                value, index = (first, mask[index]) if beyond < 0 else (second, beyond)
            case arith.Bitcast() as op if element_of(op.operands[0].type).bits == element_of(op.results[0].type).bits == I8.bits:
                value = op.operands[0]
            case vector.Broadcast() as op if not isinstance(op.source.type, VectorType):
                value, index = op.source, 0
            case _:
                break
    return value, index


def is_made_by(values: Iterable[Value], kinds: Collection[type[Op]]) -> bool:
    """Whether some of these values are computed of what ops of these kinds give."""
    made = reached(values, lambda v: v.op.operands if v.op is not None and not v.op.regions else ())
    return any(v.op.__class__ in kinds for v in made)


def is_taken_once(value: Value) -> bool:
    """Whether some element of a value may have one user alone."""
    counts = [0] * count_of(value.type)
    for user in value.users:
        taken = slice(0, None)
        if isinstance(user, vector.Extract) and len(user.position) == 1:
            taken = slice(user.position[0], user.position[0] + 1)
        elif isinstance(user, vector.ExtractStridedSlice) and len(user.offsets) == 1:
            taken = slice(user.offsets[0], user.offsets[0] + count_of(user.result.type))
        counts[taken] = [n + 1 for n in counts[taken]]
    return 1 in counts


def is_of_others(value: Value, own: Value, carried: Collection[Value]) -> bool:
    """Whether a loop hands on elements of another value that it carries, as they are. `own`: what the value becomes."""
    value = _passed(value)
    if value in carried and not isinstance(value.type, VectorType):
        return False

    def given(asked: Value) -> Iterable[Value]:
        op = asked.op
        if isinstance(op, scf.If):
            return (_passed(way) for way in _ways(op, asked))
        return map(_passed, op.operands) if op is not None and _only_moves(op) else ()

    return any(asked in carried and asked is not own for asked in reached([value], given))


def is_of_lanes(value: Value, through: type[Op] | None) -> bool:
    """Whether elements of a value are numbers of one lane that all lanes get, or are computed of such; `through`: by which ops."""
    return any(isinstance(op, gpu.Shuffle) and op.mode == "idx" for op in _origins(value, through))


def comes_by_block(value: Value) -> bool:
    """Whether a block message loads a value, or a part of it."""
    return any(
        isinstance(op, xegpu.LoadNd) or (isinstance(op, xegpu.LoadMatrix) and op.subgroup_block_io is not None)
        for op in _origins(value)
    )


def is_loaded(value: Value) -> bool:
    """Whether a value, or a part of it, is loaded, in this type or another."""
    return any(op.accesses for op in _origins(value, arith.Cast))


def _origins(value: Value, through: type[Op] | None = None) -> Iterator[Op]:
    """The ops that make a value, and those that make what these only move or see as other elements, or what `through` takes."""

    def moved(value: Value) -> Sequence[Value]:
        op = value.op
        return op.operands if op is not None and (_only_moves(op) or (through is not None and isinstance(op, through))) else ()

    return (v.op for v in reached([value], moved) if v.op is not None)


def _only_moves(op: Op) -> bool:
    """Whether an op places elements, or sees them as others."""
    return moves(op) or isinstance(op, (arith.Bitcast, vector.Bitcast))


def _ways(branch: scf.If, result: Value) -> tuple[Value, ...]:
    """What a branch gives as a result on each of its ways."""
    return tuple(block.terminator.operands[branch.results.index(result)] for block in branch.regions)


def _passed(value: Value) -> Value:
    """What the test of a loop passes to its body as a value; any other value itself."""
    block = value.owner
    loop = block.parent if isinstance(block, Block) else None
    if isinstance(loop, scf.While) and block is loop.after:
        return loop.before.terminator.operands[1 + loop.after.args.index(value)]
    return value


def reaches(value: Value, *kinds: type[Op]) -> bool:
    """Whether an op of some kinds takes parts of a value."""
    return any(isinstance(op, kinds) or (moves(op) and reaches(op.results[0], *kinds)) for op in value.users)


def has_minus_zero(value: Value) -> bool:
    """Whether -0 is among the constants that a value consists of, or parts of it."""
    numbers = (n for op in _origins(value) for n in arith.numbers_of(op.results[0]))
    return any(n == 0 and copysign(1, n) < 0 for n in numbers)


def becomes_minus_zero(value: Value) -> bool:
    """Whether a zero of a value would become -0: what negates it, or multiplies it by a negative constant, comes next.

    LLVM does it to the zero that a choice gives, and IGC (2.40.14) takes that for no bits at all.
    """
    for op in value.users:
        times = arith.numbers_of(op.rhs if op.lhs is value else op.lhs) if isinstance(op, (arith.MulF, arith.DivF)) else ()
        if isinstance(op, arith.NegF) or any(n < 0 for n in times):
            return True
        goes_on = times or moves(op) or isinstance(op, (arith.ExtF, arith.TruncF))
        if goes_on and becomes_minus_zero(op.results[0]):
            return True
    return False


def compares_floats(condition: Value) -> bool:
    """Whether a condition is a comparison of floats, alone or beside others."""
    op = condition.op
    if isinstance(op, arith.CmpF):
        return True
    return (
        op is not None
        and (moves(op) or isinstance(op, (arith.AndI, arith.OrI, arith.XOrI)))
        and any(map(compares_floats, op.operands))
    )


def keeps_nan_of_other(op: arith.CmpF, number: Value) -> bool:
    """Whether a comparison with a constant chooses between a constant and the other number, this one if it is NaN, for other choices to
    come.
    """
    if not is_constant(number):
        return False
    other = op.rhs if number is op.lhs else op.lhs
    of_nan = op.predicate[0] == "u"
    return any(
        (if_true if of_nan == holds else if_false) is other
        and is_constant(if_false if of_nan == holds else if_true)
        and is_chosen_again(chosen)
        for holds, chosen, if_true, if_false in _choices(op.result)
    )


def picks_one(op: arith.CmpF, number: Value) -> bool:
    """Whether a comparison with 1 chooses 1, which is `may_be_one` of a minimum in other words."""
    return may_be_one(number) and any(
        may_be_one(way) for *_, if_true, if_false in _choices(op.result) for way in (if_true, if_false)
    )


def may_be_one(value: Value) -> bool:
    """Whether a compiler may find a 1 in a value. IGC takes numbers from 0 to 1 (`min(max(x, 0), 1)`, in whatever words and order) for
    saturated ones: that makes 0 of NaN, and leaves -0.
    """
    numbers = arith.numbers_of(value)
    return 1 in numbers if numbers else is_constant(value)


def is_chosen_again(value: Value) -> bool:
    """Whether a float may be compared and chosen, here or in other iterations."""
    return reaches(value, arith.Select, arith.CmpF, arith.MaxNumF, arith.MinNumF, scf.Yield)


def _choices(condition: Value, holds: bool = True) -> Iterator[tuple[bool, Value, Value, Value]]:
    """What a condition decides, or its opposite: whether it is the condition, a result, and the result where it is true and false."""
    for op in condition.users:
        if isinstance(op, arith.Select) and op.condition is condition:
            yield holds, op.result, op.true_value, op.false_value
        elif isinstance(op, scf.If) and op.results:
            for chosen, if_true, if_false in zip(op.results, *(block.terminator.operands for block in op.regions), strict=True):
                yield holds, chosen, if_true, if_false
        elif isinstance(op, arith.XOrI) and any(map(is_constant, op.operands)):
            yield from _choices(op.result, not holds)


def only_second_operand(value: Value) -> bool:
    """Whether products take a value, or parts of it, as their second operand, which has two rows to a word, and nothing else takes it."""
    return bool(value.users) and all(
        only_second_operand(op.results[0])
        if moves(op)
        else isinstance(op, xegpu.Dpas) and op.rhs is value and op.lhs is not value
        for op in value.users
    )


def tells_sign(value: Value) -> bool:
    """Whether some op needs to know more than the bits of a value, of parts of it, or of what is made of its bits: a compiler that takes
    the sign for known may hand that on.
    """
    made = reached([value], lambda v: (result for op in v.users if _hands_on(op) for result in op.results))
    return any(not op.accesses and not _hands_on(op) for v in made for op in v.users)


def _hands_on(op: Op) -> bool:
    return moves(op) or isinstance(op, _HANDING_ON)


class Constants:
    """Which values a compiler may find out, of those that were asked about and what these are computed of."""

    any_order = True

    def __init__(self, root: Op) -> None:
        self.known: dict[Value, bool] = {}


def is_constant(value: Value) -> bool:
    """Whether a compiler may find out what a value is: computed of constants alone, or of one that leaves the other operand no say."""
    if value.op is None or isinstance(value.op, arith.Constant):
        return value.op is not None
    known = analyses.get(Constants, outermost(value.op)).known
    ahead = [] if value in known else [value]
    while ahead:
        asked = ahead[-1]
        op = asked.op
        if isinstance(op, arith.Constant):
            known[asked] = True
        elif isinstance(op, gpu.Shuffle) and op.value in known:
            known[asked] = known[op.value]  # whichever lane it comes from
        elif isinstance(op, gpu.Shuffle):
            ahead.append(op.value)
            continue
        elif op is None or not op.pure or not op.operands:
            known[asked] = False
        elif (first := next((v for v in _deciding(op, known) if v not in known), None)) is not None:
            ahead.append(first)
            continue
        else:
            known[asked] = all(known.get(v, False) for v in op.operands) or _settled(op, known)
        ahead.pop()
    return known[value]


def _deciding(op: Op, known: Mapping[Value, bool]) -> Iterator[Value]:
    """The operands that must be known: all until one is no constant; others may settle a result even then."""
    for value in op.operands:
        yield value
        if not known.get(value, True) and type(op) not in _SETTLING:
            return


_SETTLED_BY: dict[type[Op], tuple[frozenset[int], frozenset[int]]] = {
    **dict.fromkeys((arith.AndI, arith.MulI, arith.MinUI), (frozenset({0}), frozenset({0}))),
    **dict.fromkeys((arith.OrI, arith.MaxUI), (frozenset({-1}), frozenset({-1}))),
    **dict.fromkeys(
        (arith.DivUI, arith.DivSI, arith.FloorDivSI, arith.CeilDivUI, arith.CeilDivSI), (frozenset({0}), frozenset({0}))
    ),
    **dict.fromkeys((arith.RemUI, arith.RemSI), (frozenset({0}), frozenset({0, 1, -1}))),
}
"""Numbers, as first and as second operand, with which an op's result is known whatever the other operand is."""
_SETTLED_BY_LARGE = (arith.MinSI, arith.MaxSI, arith.ShLI, arith.ShRUI, arith.ShRSI)
"""Ops that the ends of the range, 0 and numbers from the width on settle; those of less say nothing worth the difference."""
_SAME = (arith.SubI, arith.XOrI)
_LARGE = 8


_SETTLING = (*_SETTLED_BY, *_SETTLED_BY_LARGE, arith.Select)


def _settled(op: Op, constants: Mapping[Value, bool]) -> bool:
    """Whether one operand, or that both are the same, settles a result of integers. Of computed constants nobody knows which they are."""
    if isinstance(op, _SAME):
        return op.operands[0] is op.operands[1]
    if isinstance(op, arith.Select):
        return all(constants[v] for v in op.operands[1:])
    settling = _SETTLED_BY.get(type(op))
    if settling is None and not isinstance(op, _SETTLED_BY_LARGE):
        return False
    return any(constants[v] and not _is_harmless(v, settling and settling[place]) for place, v in enumerate(op.operands))


def _is_harmless(value: Value, settling: frozenset[int] | None) -> bool:
    """Whether a constant is one that leaves the other operand its say."""
    bits = element_of(value.type).bits
    signed = [int(n) - (int(n) >> (bits - 1) & 1 and 1 << bits) for n in arith.numbers_of(value)]
    return bool(signed) and all(0 < n < _LARGE if settling is None else n not in settling for n in signed)


def has_zero(value: Value) -> bool:
    """Whether some element is a zero that a compiler may know."""
    numbers = arith.numbers_of(value)
    return 0 in numbers if numbers else is_constant(value) or _is_outside(value)


def _is_outside(value: Value) -> bool:
    """Whether parts of a value are loaded under a mask that a compiler may know to be false: of places in an array of known size."""
    op = value.op
    if op is not None and moves(op):
        return any(map(_is_outside, op.operands))
    return isinstance(op, xegpu.Load) and not is_true(op.mask) and is_made_of(op.mask, (*PLACES, gpu.BlockId, gpu.SubgroupId))


PLACES = (arith.Constant, gpu.LaneId)
"""What compilers know, or have bounds of, wherever a kernel is launched."""


def is_made_of(value: Value, leaves: tuple[type[Op], ...]) -> bool:
    """Whether a value is computed of nothing but the results of some ops."""
    made = reached([value], lambda v: () if v.op is None or isinstance(v.op, leaves) else v.op.operands)
    return all(v.op is not None and (isinstance(v.op, leaves) or (v.op.pure and v.op.operands)) for v in made)


def is_chosen_beside_zero(value: Value) -> bool:
    """Whether a value, or parts of it, are one way of a choice whose other is a zero: itself, a branch, the larger or smaller of two."""
    for op, place in value.uses:
        if moves(op):
            found = is_chosen_beside_zero(op.results[0])
        elif isinstance(op, arith.Select):
            found = place > 0 and has_zero(op.operands[3 - place])
        elif isinstance(op, scf.Yield):
            branch = op_around(op)
            ways = branch.regions if isinstance(branch, scf.If) else []
            found = any(has_zero(way.ops[-1].operands[place]) for way in ways if way is not op.parent)
        else:
            found = isinstance(op, arith.FLOAT_EXTREMES) and has_zero(op.operands[1 - place])
        if found:
            return True
    return False


def is_choice_of_zero(value: Value) -> bool:
    """Whether a value, or a part of it, is 0 or another number, as floats compare, where the comparison does not stand beside the choice:
    its bits are placed or joined with others, or it decides a branch that gives one number.
    """

    def given(asked: Value) -> Sequence[Value]:
        op = asked.op
        if isinstance(op, scf.If):
            return _ways(op, asked)
        return op.operands if op is not None and moves(op) else ()

    def chooses(asked: Value) -> bool:
        op = asked.op
        if isinstance(op, arith.Select):
            apart, ways = not isinstance(op.condition.op, arith.CmpF), op.operands[1:]
        elif isinstance(op, scf.If):
            apart, ways = count_of(asked.type) == 1, _ways(op, asked)
        else:
            return False
        return apart and any(map(has_zero, ways)) and compares_floats(op.condition)

    return any(map(chooses, reached([value], given)))


def count_of(type: Type) -> int:
    """Elements of a lane's value: 1 for a scalar."""
    return type.count if isinstance(type, VectorType) else 1
