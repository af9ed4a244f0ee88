"""Products whose result a loop carries on as another iter_arg than the one that is their accumulator.

dpas takes its accumulator and its result in one register, which IGC (2.40.14) gives to the iter_arg as well. Where the next iteration
gets another value in it (`v, w = w + a @ b, v`), the copy for users behind the loop is written over the result while that is still
live. Where the loop also keeps the old accumulators (`w = v; v += a @ b`), and there are two of them, IGC's optimizer does not end.
"""

from __future__ import annotations

from collections.abc import Iterator

from xetile.dialects import scf, xegpu
from xetile.ir.core import Op, Value, Variable
from xetile.ir.variables import variables

from .uses import moves


class Ties:
    """`broken(op)`: whether a product's result is carried on so."""

    def __init__(self, kernel: Op) -> None:
        self._holds, self._given = variables(kernel).holding, variables(kernel).given
        self._tested = {arg for op in kernel.find(scf.While) for arg in op.before.args}

    def broken(self, op: xegpu.Dpas) -> bool:
        """Whether a loop carries the result on as another iter_arg than the accumulator's, or carries the accumulator itself on as well."""
        begin: Value | None = op.acc
        while begin is not None and begin.op is not None and moves(begin.op):
            begin = begin.op.operands[0]
        carries = None if begin is None else self._holds.get(begin)
        if carries is None or begin is None:
            return False
        found = list(self._carried(op.result))
        if not found:
            return False
        # What the product alone takes is carried on as its sums, and in no other way.
        every = found if op in begin.users and begin.has_one_use else self._carried(begin)
        return carries not in found or any(variable is not carries and not _joins(variable) for variable in every)

    def _carried(self, value: Value) -> Iterator[Variable]:
        """The iter_args and results that get a value, parts of it, or what branches, tests and products that add to it make of it."""
        seen, ahead = {value}, [value]
        while ahead:
            value, found = ahead.pop(), list[Value]()
            for op in value.users:
                if moves(op) or (isinstance(op, xegpu.Dpas) and op.acc is value):
                    found.append(op.results[0])
                for variable in self._passed_on(op, value) if op.terminator or op.regions else ():
                    yield variable
                    found += (holder for holder in variable.holders if isinstance(holder.op, scf.If) or holder in self._tested)
            ahead += (each for each in found if each not in seen)
            seen.update(found)

    def _passed_on(self, op: Op, value: Value) -> list[Variable]:
        """The variables that an op gives a value to."""
        if value.users[op] == 1:
            found = self._given.get((op, op.operands.index(value)))
            return [] if found is None else [found]
        uses = ((op, position) for position, operand in enumerate(op.operands) if operand is value)
        return [self._given[use] for use in uses if use in self._given]


def _joins(variable: Variable) -> bool:
    """Whether it is what a branch has made, whose ways are never both there."""
    return all(isinstance(holder.op, scf.If) for holder in variable.holders)
