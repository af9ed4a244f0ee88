"""Largest elements of rows without tests for NaN, where NaN reaches all that is stored of such a row by another way.

`maximumf` takes three instructions on GPUs, the maximum that drops NaN takes one. In a softmax a row with NaN is NaN throughout, whatever
its largest element is: the NaN itself goes on through the exponential, and the row's sum and its product with another tile hold it.
"""

from __future__ import annotations

from enum import IntEnum
from math import isnan
from typing import Any

from xetile.dialects import arith, math, scf, xetile
from xetile.dialects.gpu import GpuFunc, GpuModule
from xetile.dialects.types import VectorType, element_of
from xetile.ir.core import Block, Elementwise, Op, Value
from xetile.ir.interfaces import op_around
from xetile.ir.rewriter import Rewriter
from xetile.passes.common.reductions import zeros_alike
from xetile.target import Target

_WITHOUT = {"maximumf": "maxnumf", "minimumf": "minnumf"}
# Whatever other operands are, the result is NaN where one of them is.
_KEEP_NAN = (arith.AddF, arith.SubF, arith.MulF, arith.DivF, arith.NegF, arith.ExtF, arith.TruncF, arith.MaximumF, arith.MinimumF,
             math.Exp, math.Exp2, math.Fma, math.Log, math.Log2, math.Sqrt, xetile.TileConvLayout)  # fmt: skip
_BESIDE: dict[str, tuple[type[Op], type[Op]]] = {
    "maximumf": (arith.MaximumF, arith.MaxNumF),
    "minimumf": (arith.MinimumF, arith.MinNumF),
}
# Of zeros they make zeros, and NaN of a zero of either sign alike; of other numbers, the same whatever the sign of a zero is.
_KEEP_ZEROS = (arith.AddF, arith.SubF, arith.MulF, arith.NegF, *arith.FLOAT_EXTREMES, math.Fma,
               xetile.TileBroadcast, xetile.TileConvLayout)  # fmt: skip
_STORES = (xetile.StoreTile, xetile.StoreScatter)
_KEEP_IN_SUMS = ("add", "mul")  # maximumf may be changed after this was asked
_SPREAD = (1,)
_ROUNDS = 4  # of a loop; facts only get worse, twice at most


class Row(IntEnum):
    """What a value's row is, with tests and without, if the row that is reduced has NaN; other rows do not differ. Best first."""

    SAME = 0  # the same
    SAME_WITH_NAN = 1  # the same, with NaN somewhere
    NAN = 2  # NaN throughout in both
    WITH_NAN = 3  # NaN at one place in both, else anything
    DIFFERENT = 4  # anything


_HOLDS_NAN = (Row.SAME_WITH_NAN, Row.NAN, Row.WITH_NAN)
_STORABLE = (Row.SAME, Row.SAME_WITH_NAN, Row.NAN)


class _SeenError(Exception):
    """The largest element reaches something else than what NaN covers."""


def drop_nan_tests(module: GpuModule, target: Target) -> GpuModule:
    """Let reductions of rows drop NaN where nobody can tell.

    Before and after: xetile at workgroup level. All that follows from a reduction's result must be NaN for its whole row where it is
    stored, and may decide nothing, in the round of a loop that meets NaN and in all later ones. Only the innermost loop may carry it.
    What a loop carries as the largest element of all rounds drops NaN too, where it begins with a number: there is none in it but from
    such a row.
    """
    for op in [op for op in module.find(xetile.TileReduce) if op.kind in _WITHOUT and op.dims == _SPREAD]:
        try:
            _Rows(op).check()
        except _SeenError:
            continue
        kept, op.attributes["kind"] = op.kind, _WITHOUT[op.kind]
        for user in list(op.result.users):
            _drop_carried(user, op, *_BESIDE[kept])
    return module


def _drop_carried(op: Op, reduce: xetile.TileReduce, kind: type[Op], without: type[Op]) -> None:
    """Let what chooses between a reduction and what its loop has chosen so far drop NaN, where nobody can tell either."""
    if not isinstance(op, kind) or op.parent is not reduce.parent:
        return
    chosen, others = _behind_branches(op.results[0])
    loop = op_around(chosen.op) if chosen.op is not None else None
    if not isinstance(loop, scf.For):
        return
    given = [at for at, v in enumerate(loop.body.terminator.operands) if v is chosen]
    places = ((at, loop.body.args[1 + at]) for at in given)
    carried = [at for at, arg in places if arg in op.operands and all(v is arg for v in others)]
    if not carried or not _is_number(loop.init[carried[0]]):
        return
    try:
        _Rows(reduce, loose=op).check()
    except _SeenError:
        return
    rewrite, alike = Rewriter(), zeros_alike(reduce.kind) if _ends_in_powers(op.results[0]) else {}
    with rewrite.before(op), rewrite.located(op.loc):
        rewrite.replace(op, rewrite(without, *op.operands, **alike))


def _behind_branches(value: Value) -> tuple[Value, list[Value]]:
    """What branches around a value give of it, and what they give if they go the other way."""
    others: list[Value] = []
    while value.op is not None and value.op.parent is not None and isinstance(value.op.parent.parent, scf.If):
        block, branch = value.op.parent, value.op.parent.parent
        at = next((i for i, v in enumerate(block.terminator.operands) if v is value), None)
        if at is None:
            break
        others += [way.terminator.operands[at] for way in branch.regions if way is not block]
        value = branch.results[at]
    return value, others


def _ends_in_powers(value: Value) -> bool:
    """Whether all that is computed of a value are powers, which are the same of both zeros, and till there a zero remains one."""
    reached = [value]
    for each in reached:  # and what comes to it
        for user in each.users:
            if isinstance(user, (math.Exp, math.Exp2)):
                continue
            around = op_around(user)
            places = [at for at, v in enumerate(user.operands) if v is each]
            if isinstance(user, scf.Yield) and isinstance(around, scf.If):
                found = [around.results[at] for at in places]
            elif isinstance(user, scf.Yield) and isinstance(around, scf.For):
                loop = around
                found = [v for at in places for v in (loop.body.args[1 + at], loop.results[at])]
            elif isinstance(user, _KEEP_ZEROS):
                found = list(user.results)
            else:
                return False
            reached += [v for v in found if v not in reached]
    return True


def _is_number(value: Value) -> bool:
    number = arith.constant_of(value)
    return isinstance(number, float) and not isnan(number)


class _Rows:
    """What rows are behind one reduction, if its source has NaN in them. `loose`: another op that drops NaN where it did not."""

    def __init__(self, reduce: xetile.TileReduce, loose: Op | None = None) -> None:
        self.reduce = reduce
        self.loose = loose
        self.facts: dict[Value, Row] = {}

    def check(self) -> None:
        """Raises _SeenError where the reduction without tests would show."""
        block = self.reduce.parent
        assert block is not None
        self._block(block, first=True)
        while isinstance(block.parent, scf.If) and any(self._yielded(block)):  # it went this way, with tests and without
            self.facts.update(zip(block.parent.results, self._yielded(block)))
            block = self._behind(block.parent)
        if isinstance(block.parent, scf.For):
            self._later_rounds(block.parent)
            block = self._behind(block.parent)
        while isinstance(block.parent, (scf.For, scf.If)):
            if any(self.facts.get(v) for v in block.terminator.operands):
                raise _SeenError
            block = self._behind(block.parent)
        if not isinstance(block.parent, GpuFunc):
            raise _SeenError

    def _behind(self, op: Op) -> Block:
        """Goes on behind a loop or branch, in its block."""
        block = op.parent
        assert block is not None
        self._block(block, after=op)
        return block

    def _later_rounds(self, loop: scf.For) -> None:
        """What a loop carries once NaN has come, and what it gives."""
        carried = self._given(loop)
        for _ in range(_ROUNDS):
            self.facts = dict(zip(loop.body.args[1:], carried))
            self._block(loop.body)
            joined = list(map(_join, carried, self._given(loop)))
            if joined == carried:
                self.facts = dict(zip(loop.results, carried))
                return
            carried = joined
        raise _SeenError

    def _given(self, loop: scf.For) -> list[Row]:
        return self._yielded(loop.body)

    def _yielded(self, block: Block) -> list[Row]:
        return [self.facts.get(v, Row.SAME) for v in block.terminator.operands]

    def _branch(self, op: scf.If) -> None:
        """What a branch gives that goes one way with tests and without, whichever that is."""
        ways = []
        for block in op.regions:
            self._block(block)
            ways.append(self._yielded(block) if op.results else [])
        self.facts.update(zip(op.results, map(_join, *ways)))

    def _block(self, block: Block, *, first: bool = False, after: Op | None = None) -> None:
        ops = block.ops
        for op in ops[ops.index(after) + 1 :] if after is not None else ops:
            if not op.terminator:
                self._op(op, first=first)

    def _op(self, op: Op, *, first: bool) -> None:
        if op is self.reduce:
            self.facts[op.results[0]] = Row.DIFFERENT
            return
        given = [self.facts.get(v, Row.SAME) for v in op.operands]
        if isinstance(op, scf.If) and not any(given):
            self._branch(op)
            return
        if op.regions and any(self.facts.get(v, Row.SAME) for inner in op.walk() for v in inner.operands):
            raise _SeenError
        if any(given):
            if isinstance(op, _STORES) and op.operands[0] in self.facts and given[0] in _STORABLE and not any(given[1:]):
                return
            made = Row.WITH_NAN if first and self._keeps_nan(op, given) else _result(op, given)
            for result in op.results:
                self.facts[result] = Row.DIFFERENT if op is self.loose else made
            if not op.results:
                raise _SeenError
        if first and self.reduce.source in op.results:
            self.facts[self.reduce.source] = Row.SAME_WITH_NAN

    def _keeps_nan(self, op: Op, given: list[Row]) -> bool:
        """Whether a choice by the mask that what is reduced has been chosen by keeps what became of its NaN, which is nowhere else."""
        source = self.reduce.source.op
        if not isinstance(op, arith.Select) or not isinstance(source, arith.Select) or op.condition is not source.condition:
            return False
        return given[1] in _HOLDS_NAN and not given[0] and _is_number(source.false_value)


def _join(one: Row, other: Row) -> Row:
    """Of a value that is the one or the other."""
    if one == other:
        return one
    if {one, other} <= {Row.SAME, Row.SAME_WITH_NAN}:
        return Row.SAME
    return Row.WITH_NAN if one in _HOLDS_NAN and other in _HOLDS_NAN else Row.DIFFERENT


def _result(op: Any, given: list[Row]) -> Row:
    """What an op makes of rows, not all the same.  Raises _SeenError where rows do not stay rows."""
    if isinstance(op, xetile.TileMma):
        a, b, acc = (*given, Row.SAME)[:3]
        if b:
            raise _SeenError
        return Row.NAN if a in _HOLDS_NAN or acc == Row.NAN else Row.WITH_NAN if acc in _HOLDS_NAN and not a else Row.DIFFERENT
    if isinstance(op, xetile.TileReduce) and op.dims == _SPREAD:
        kept = given[0] in _HOLDS_NAN and op.kind in _KEEP_IN_SUMS
        return Row.NAN if kept or given[0] == Row.NAN else Row.DIFFERENT if given[0] > Row.SAME_WITH_NAN else Row.SAME
    if isinstance(op, xetile.TileBroadcast) and op.dims == _SPREAD:
        return Row.NAN if given[0] in _HOLDS_NAN else given[0]
    rows = isinstance(op, Elementwise) and isinstance(op.results[0].type, VectorType) and len(op.results[0].type.shape) > 1
    if not rows and not isinstance(op, xetile.TileConvLayout):
        raise _SeenError
    if isinstance(op, _KEEP_NAN) and element_of(op.results[0].type).is_float:
        if Row.NAN in given:
            return Row.NAN
        changed = any(fact > Row.SAME_WITH_NAN for fact in given)
        held = any(fact in _HOLDS_NAN for fact in given)
        return (Row.WITH_NAN if held else Row.DIFFERENT) if changed else Row.SAME_WITH_NAN
    # What is NaN in both is the same in both, whatever is chosen of it; but for its bits.
    alike = _STORABLE if not isinstance(op, arith.Bitcast) else (Row.SAME,)
    return Row.SAME if all(fact in alike for fact in given) else Row.DIFFERENT


__all__ = ["drop_nan_tests"]
