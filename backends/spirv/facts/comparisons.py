"""Comparisons of f32, hidden from IGC's vectorizer where all lanes may compare the same.

Of f32 vectors whose elements are the same in all lanes that vectorizer makes one instruction of several elements.  Comparisons do not
survive it: a choice between the two numbers compared (`x < y ? y : x`, in whatever words) is written for the first element alone, and
drops NaN; other choices take the first element's bit of the mask for each.  So one of the numbers gets a zero that IGC cannot know
and that is another for each lane, unless the lanes surely differ.

Of a comparison of booleans (`icmp ne i1 %x, true`) that decides a branch IGC takes ways for impossible that are not: they become choices.

Comparisons of bytes with a constant: a product of bytes is one of words to IGC (2.40.14), which lets the multiplication compare as it
goes: the word, whose other half is not part of the number. It does that with constants alone, and DG2 alone was seen to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from operator import and_, or_
from typing import Any

from xetile.dialects import arith, gpu, scf, vector, xegpu, xetile
from xetile.dialects.types import BF16, VectorType, element_of
from xetile.ir.core import Elementwise, Op, Value, Variable
from xetile.ir.dataflow import Forward

from .chosen_constants import chosen_as_constant
from .uses import PLACES, count_of, is_constant, is_made_of

COMPARISONS = frozenset(f"OpF{kind}{name}" for kind in ("Ord", "Unord") for name in ("Equal", "NotEqual", "LessThan", "GreaterThan",
                        "LessThanEqual", "GreaterThanEqual")) | {"OpOrdered", "OpUnordered"}  # fmt: skip
OF_BOOLEANS = {"OpLogicalNotEqual": True, "OpLogicalEqual": False}
"""Whether it holds of two that differ."""
OF_INTEGERS = frozenset(("OpIEqual", "OpINotEqual", *(f"Op{sign}{name}" for sign in "SU" for name in ("LessThan", "LessThanEqual",
                         "GreaterThan", "GreaterThanEqual"))))  # fmt: skip
_EVERY = -1
"""All elements, however many there are."""


FEWEST = 4
"""Of how many comparisons IGC's vectorizer makes one."""


def decides_for_lanes(op: arith.CmpI) -> bool:
    """Whether a comparison of two numbers chooses one or 0 for lanes' comparisons to come, as those of rows choose how many columns there are.
    Of several such with one number, before what is stored, IGC's vectorizer (2.40.14) makes one comparison, and takes its first bit for each
    choice where lanes are alike.
    """
    if not _chooses_for_lanes(op):
        return False
    beside = (user for user in op.rhs.users if isinstance(user, arith.CmpI) and user.rhs is op.rhs and user.parent is op.parent)
    return sum(map(_chooses_for_lanes, beside)) >= FEWEST


def _chooses_for_lanes(op: arith.CmpI) -> bool:
    if isinstance(op.lhs.type, VectorType):
        return False
    chosen = (user for user in op.result.users if isinstance(user, arith.Select) and arith.constant_of(user.false_value) == 0)
    return any(
        not isinstance(select.result.type, VectorType)
        and any(
            isinstance(user, arith.CmpI) and isinstance(user.lhs.op, (gpu.LaneId, arith.AddI)) for user in select.result.users
        )
        for select in chosen
    )


class Lanes(Forward[int]):
    """Which elements of values IGC may find to be alike in all lanes, a bit for each. Found for what is asked about, and what that is
    computed of.

    What is alike on one way counts as alike: the compiler may find that the others are never taken. Constants that loops begin with count
    only beside what is alike if they are: where they alone are left, there is nothing to compute.
    """

    def __init__(self, kernel: Op) -> None:
        super().__init__(kernel)
        self._holding = self._variables.holding
        self._all = _Elements()
        self._known_places: dict[Value, bool] = {}
        self._constants_count = True
        self._some_constants = False  # whether some choice may have made one
        self._with_constants = {argument: self._all[argument] for argument in self._asked}
        self._without = dict(self._with_constants)

    def depends(self, op: Op) -> Iterable[Value]:
        """A counter on nothing: it is alike."""
        return () if op.regions or _always_differs(op) else op.operands

    def _find(self, value: Value) -> None:
        """Find out about a value."""
        if value in self._asked:
            return
        new, order, through = self._behind(value)
        if not through:
            self._straight(order)
            return
        self.facts, self._constants_count = self._with_constants, True
        self.solve(order, through)
        given = {value: self._given_by_loop(self._holding[value]) for value in new if value in self._holding}
        self.facts, self._constants_count = self._without, False
        self.facts.update((value, bits | self.facts.get(value, 0)) for value, bits in given.items() if bits)
        self.solve(order, through)

    def _straight(self, ops: Iterable[Op]) -> None:
        """Find out about ops none of which passes anything on: at once for both, where constants that loops begin with change nothing."""
        counting, others = self._with_constants, self._without
        for op in ops:
            made = self.enter if op.regions else self.transfer
            self.facts, self._constants_count = others, False
            found = list(made(op))
            others.update((value, bits | others.get(value, 0)) for value, bits in found)
            if isinstance(op, arith.Select) or [*map(counting.get, op.operands)] != [*map(others.get, op.operands)]:
                self.facts, self._constants_count = counting, True
                found = list(made(op))
            counting.update((value, bits | counting.get(value, 0)) for value, bits in found)
        self.facts = others

    def _given_by_loop(self, variable: Variable) -> int:
        """What is alike of the values that a loop gives a variable which begins with a constant."""
        begins = any(op.repeats and isinstance(op.operands[at].op, arith.Constant) for op, at in variable.sources)
        # What is kept is nothing new.
        given = (v for each in variable.given for v in self._ways(each) if v not in variable.holders)
        computed = (v for v in given if not isinstance(v.op, arith.Constant))
        return reduce(or_, (self.facts.get(v, 0) for v in computed), 0) if begins else 0

    def _ways(self, value: Value) -> tuple[Value, ...]:
        """What a branch gives on its ways; any other value itself."""
        return self._holding[value].given if isinstance(value.op, scf.If) else (value,)

    def join(self, one: int, other: int) -> int:
        """What is alike on one way."""
        return one | other

    def transfer(self, op: Op) -> Iterable[tuple[Value, int]]:
        """What is computed of different numbers differs; what lanes are told by one of them, or by all, does not."""
        if not op.results:
            return ()
        differ, sizes = self._differing(op), self._all
        if len(op.results) > 1:
            return [(result, sizes[result] & ~differ) for result in op.results]
        result = op.results[0]
        alike = sizes[result] & ~differ
        if self._some_constants or isinstance(op, arith.Select):
            alike = self._constants(op, alike)
        return ((result, alike),)

    def _differing(self, op: Op) -> int:
        rule = _DIFFER.get(type(op))
        return self._made(op) if rule is None else rule(self, op)

    def _constants(self, op: Op, alike: int) -> int:
        """Of an op's result what is alike, and, that many bits further, what a choice by places may have made a constant: IGC folds what is
        computed of such alone, and beside what is alike it is alike.
        """
        facts, sizes, every = self.facts, self._all, self._all[op.results[0]]
        chosen = every if isinstance(op, arith.Select) and self._constants_apart(op) else 0
        if any(facts.get(value, 0) > sizes[value] for value in op.operands):
            self.facts = {value: self._either(value) for value in op.operands}
            chosen |= every & ~self._differing(op)
            self.facts = facts
            if isinstance(op, Elementwise) and not isinstance(op, arith.Select):
                alike |= chosen & reduce(or_, (self._spread(value) for value in op.operands if not is_constant(value)), 0)
        self._some_constants |= chosen != 0
        return alike | (chosen & ~alike) << every.bit_length()

    def _spread(self, value: Value) -> int:
        """Elements that are alike; of a scalar, which is taken for all, all."""
        alike = self._all[value] & self.facts.get(value, 0)
        return _EVERY if alike == self._all[value] == 1 else alike

    def _either(self, value: Value) -> int:
        """Elements that are alike, or that a choice may have made a constant."""
        found = self.facts.get(value, 0)
        return found | found >> self._all[value].bit_length()

    def _by_places(self, op: arith.Select) -> bool:
        """Whether places alone say what an op chooses."""
        condition, known = op.condition, self._known_places
        if condition not in known:
            known[condition] = is_made_of(condition, PLACES)
        return known[condition]

    def _constants_apart(self, op: arith.Select) -> bool:
        """Whether an op chooses by places between a constant, which does not count as alike, and something else. IGC does not fold what is
        computed of constants in bf16.
        """
        if self._constants_count or element_of(op.results[0].type) is BF16 or not self._by_places(op):
            return False
        return is_constant(op.true_value) or is_constant(op.false_value)

    def passes_on(self, op: Op, value: Value) -> bool:
        """Not constants into loops, once it is known what else they get."""
        return self._constants_count or self._counts(op, value)

    def enter(self, op: Op) -> Iterable[tuple[Value, int]]:
        """Counters are alike."""
        return [(counter, 1) for counter, _ in op.counters()]

    def meet_in(self, op: Op) -> bool:
        """Whether all elements that an op computes differ."""
        every = max([self._all[v] for v in op.operands], default=1)
        found = 0
        for value in op.operands:  # until enough is known: addresses are computed of much
            differ = self._all[value] if self.surely_differs(value) else self._found_out(value)
            found |= _EVERY if differ and self._all[value] == 1 else differ
            if found & every == every:
                return True
        return False

    def differ(self, value: Value) -> bool:
        """Whether all elements of a value differ between lanes."""
        return self.surely_differs(value) or self._found_out(value) == self._all[value]

    def meets_others(self, value: Value) -> bool:
        """Whether some element of a value differs between lanes."""
        return self.surely_differs(value) or self._found_out(value) != 0

    def _found_out(self, value: Value) -> int:
        self._find(value)
        return self._of(value)

    def surely_differs(self, value: Value) -> bool:
        """Whether there is nothing to find out: it differs whatever it is computed of, as do all values that are not constants of a
        variable.
        """
        variable = self._holding.get(value)
        if variable is None:
            return value.op is not None and _always_differs(value.op)
        given = [v for v, (op, _) in zip(variable.given, variable.sources) if self._counts(op, v)]
        return bool(given) and all(v.op is not None and _always_differs(v.op) for v in given)

    def _counts(self, op: Op, value: Value) -> bool:
        return not (op.repeats and isinstance(value.op, arith.Constant))

    def _made(self, op: Op) -> int:
        """Elements that differ where operands are taken element by element; of other ops all, where one operand differs in all."""
        found, one_size, sizes, alike = 0, 1, self._all, self.facts
        for value in op.operands:
            every = sizes[value]
            if every != one_size and every != 1:
                if one_size != 1:
                    return self._made_as_a_whole(op)
                one_size = every
            differ = every & ~alike.get(value, 0)
            if differ:
                found |= _EVERY if every == 1 else differ  # scalars are taken for all elements
        for value in op.results:
            every = sizes[value]
            if every != one_size and every != 1:
                if one_size != 1:
                    return self._made_as_a_whole(op)
                one_size = every
        return found

    def _made_as_a_whole(self, op: Op) -> int:
        return _EVERY if any(self._of(v) == self._all[v] > 1 for v in op.operands) else 0

    def _loaded(self, op: xegpu.LoadNd | xegpu.LoadMatrix) -> int:
        return _EVERY if _always_differs(op) else self._made(op)

    def _shuffled(self, op: gpu.Shuffle) -> int:
        return _EVERY * self._of(op.offset) if op.mode == "idx" else self._of(op.value)

    def _reduced(self, op: gpu.SubgroupReduce) -> int:
        return self._of(op.value) if op.cluster_size is not None else 0

    def _rounded(self, op: arith.Cast) -> int:
        """Constants in bf16 IGC does not fold: where one may have been chosen there is something to compute, of what all lanes have alike."""
        return 0 if element_of(op.result.type) is BF16 and chosen_as_constant(op.operand) else self._made(op)

    def _picked(self, op: vector.Shuffle) -> int:
        both = self._of(op.v1) | self._of(op.v2) << op.v1.type.count
        return sum((both >> at & 1) << n for n, at in enumerate(op.mask))

    def _cut(self, op: vector.Extract | vector.ExtractStridedSlice) -> int:
        return self._of(op.source) >> (op.position if isinstance(op, vector.Extract) else op.offsets)[0]

    def _put(self, op: vector.Insert | vector.InsertStridedSlice) -> int:
        begin = (op.position if isinstance(op, vector.Insert) else op.offsets)[0]
        return (self._of(op.dest) & ~(self._all[op.value] << begin)) | self._of(op.value) << begin

    def _chosen(self, op: arith.Select) -> int:
        """Of a choice by places alone IGC may find out which way all lanes take: what differs is what does on both ways."""
        if not self._by_places(op):
            return self._made(op)
        apart = self._constants_apart(op)
        ways = [way for way in (op.true_value, op.false_value) if not (apart and is_constant(way))]
        return reduce(and_, map(self._of, ways), _EVERY)

    def _of(self, value: Value) -> int:
        """Elements that differ."""
        return self._all[value] & ~self.facts.get(value, 0)


class _Elements(dict[Value, int]):
    """Of a value a bit for each element."""

    def __missing__(self, value: Value) -> int:
        found = self[value] = (1 << count_of(value.type)) - 1
        return found


def _always_differs(op: Op) -> bool:
    """Whether each lane has another number, whatever an op is given."""
    if isinstance(op, xegpu.LoadMatrix):
        return op.subgroup_block_io is not None
    return isinstance(op, _OF_LANES) or (isinstance(op, xegpu.LoadNd) and op.desc.type.rank == 2)


_OF_LANES = (gpu.LaneId, xegpu.Dpas, xegpu.AtomicRmw)
_DIFFER: dict[type[Op], Callable[[Lanes, Any], int]] = {
    **dict.fromkeys(_OF_LANES, lambda lanes, op: _EVERY),
    **dict.fromkeys((xegpu.LoadNd, xegpu.LoadMatrix), Lanes._loaded),
    xetile.ReduceLines: lambda lanes, op: _EVERY * (lanes._of(op.source) != 0),
    gpu.Shuffle: Lanes._shuffled,
    gpu.SubgroupReduce: Lanes._reduced,
    arith.TruncF: Lanes._rounded,
    vector.Shuffle: Lanes._picked,
    arith.Select: Lanes._chosen,
    **dict.fromkeys((vector.Extract, vector.ExtractStridedSlice), Lanes._cut),
    **dict.fromkeys((vector.Insert, vector.InsertStridedSlice), Lanes._put),
}
"""Elements that differ in the results of ops which are not computed element by element."""
