"""Loop-carried values that alternate between two numbers, as the halves of a double buffer do, and what is computed from them."""

from __future__ import annotations

from xetile.dialects import arith, scf
from xetile.dialects.gpu import GpuFunc
from xetile.dialects.types import ScalarType
from xetile.ir.core import Op, Value
from xetile.ir.rewriter import Rewriter
from xetile.passes.common.carry import carry, give


def carry_flips(kernel: GpuFunc) -> bool:
    """Carry sums and products of alternating values by themselves, where a loop would compute them again in each step.

    A value `v` alternates if the next one is `c - v`; so do `v + d` and `v * f`, for a `d` that the loop does not change and a
    constant `f`. Each costs the one op that it cost before, and addresses made of it are sums of two.  Returns whether there was any.
    """
    # With a map for each carried value, a loop is not yet distributed: one more would need one.
    loops = [op for op in kernel.walk() if isinstance(op, scf.For) and "wg_maps" not in op.attributes]
    return sum(_Flips(loop).run() for loop in loops if any(_turns(loop, arg) for arg in loop.body.args[1:])) > 0


def _turns(loop: scf.For, arg: Value) -> Value | None:
    """The sum of a carried value's two numbers, or None where it does not alternate."""
    given = loop.body.terminator.operands[arg.index - 1].op
    if not isinstance(given, arith.SubI) or given.operands[1] is not arg or not isinstance(arg.type, ScalarType):
        return None
    total: Value = given.operands[0]
    return total


class _Flips:
    """One loop."""

    def __init__(self, loop: scf.For) -> None:
        self.loop = loop
        self.rewrite = Rewriter()
        self.inside: set[Value] = set(loop.body.args)
        for op in loop.body.walk():
            self.inside.update(op.results, *(block.args for block in op.regions))

    def run(self) -> bool:
        """Whether anything was carried."""
        open_ = [arg for arg in self.loop.body.args[1:] if self._total(arg) is not None]
        found = False
        while open_:
            arg = open_.pop()
            for op in list(arg.users):
                if self._follows(op, arg):
                    open_.append(self._carry(op, arg))
                    found = True
        return found

    def _total(self, arg: Value) -> Value | None:
        total = _turns(self.loop, arg)
        return None if total is None or total in self.inside else total

    def _follows(self, op: Op, arg: Value) -> bool:
        """Whether an op's result alternates with `arg`. Constants stay apart from sums: they tell messages apart."""
        if not isinstance(op, (arith.AddI, arith.MulI)) or op.parent is not self.loop.body:
            return False
        (other,) = [v for v in op.operands if v is not arg] or [arg]
        known = arith.constant_of(other) is not None
        return other not in self.inside and known == isinstance(op, arith.MulI)

    def _carry(self, op: Op, arg: Value) -> Value:
        loop = self.loop
        (other,) = [v for v in op.operands if v is not arg]
        build, total = self.rewrite, self._total(arg)
        with build.before(loop), build.located(op.loc):
            for value in [other, other] if isinstance(op, arith.AddI) else [other]:
                total = build(type(op), total, value)
            init = build(type(op), loop.init[arg.index - 1], other)
        carried = carry(loop, init, arg.name)
        with build.before(loop.body.terminator), build.located(op.loc):
            give(loop, build(arith.SubI, total, carried))
        build.replace(op, carried)
        self.inside.add(carried)
        return carried
