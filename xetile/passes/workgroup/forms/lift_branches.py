"""Branches that go the same way in all iterations of a loop go around it, so that each way has a loop of its own.

`if turned: b = load(B.T) else: b = load(B)` in a loop of products joins two tiles that memory gives in different orders: neither comes as
the product takes it, none is prefetched, and both lie in registers beside what the branch gives. 128 x 128 of an f16 product took 686
instructions for 32 DPAS on pvc, and spilled 4096 bytes.
"""

from __future__ import annotations

from xetile.dialects import scf, xetile
from xetile.dialects.gpu import GpuModule
from xetile.ir import analyses
from xetile.ir.core import Block, Op, Value
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.numbers import Numbers
from xetile.passes.analysis.recurrences import is_hoistable, is_invariant
from xetile.target import Target

ROUNDS = 2
"""Branches that are lifted out of one loop at most: each doubles its code."""


def lift_branches(module: GpuModule, target: Target | None = None) -> GpuModule:
    """Move branches with loads or products, whose condition a loop of products does not change, around the loop.

    Before and after: xetile at workgroup level. Each side of such a branch has a copy of the loop, with what that side does in its place.
    Branches by which subgroups part stay in the loop: all of them meet at its barriers.
    """
    for _ in range(ROUNDS):
        numbers = analyses.get(Numbers, module.kernel)
        found = [(loop, branch) for loop in module.find(scf.For) if (branch := _branch_of(loop, numbers)) is not None]
        for loop, branch in reversed(found):  # those inside of others first
            _lift(loop, branch)
    return module


def _branch_of(loop: scf.For, numbers: Numbers) -> scf.If | None:
    """The branch of a loop of products that goes around it."""
    if not any(isinstance(op, xetile.TileMma) for op in _all_of(loop)):
        return None
    branches = (op for op in loop.body.ops if isinstance(op, scf.If) and "sg_id_range" not in op.attributes)
    lifted = (op for op in branches if _is_worth_it(op) and is_hoistable(op.condition, loop))
    return next((op for op in lifted if not numbers.diverge([op])), None)


def _is_worth_it(branch: scf.If) -> bool:
    """Whether something that loops prefetch or add up depends on a branch, and not on what loops in it do."""
    return any(isinstance(op, (xetile.LoadTile, xetile.TileMma)) for op in _all_of(branch))


def _all_of(op: Op) -> list[Op]:
    """The ops in a loop or branch, without those of loops in it."""
    inside = [each for block in op.regions for each in block.ops]
    return inside + [each for op in inside if isinstance(op, scf.If) for each in _all_of(op)]


def _lift(loop: scf.For, branch: scf.If) -> None:
    rewrite = Rewriter()
    _move_out(branch.condition, loop, rewrite)
    place, sides = loop.body.ops.index(branch), (Block(), Block())
    with rewrite.before(loop), rewrite.located(branch.loc):
        for number, side in enumerate(sides):
            with rewrite.at(side):
                copied = rewrite.copy(loop, {})
                _take_side(copied.regions[0].ops[place], number, rewrite)
                rewrite.op(scf.Yield, copied.results)
        around = rewrite.op(scf.If, branch.condition, regions=list(sides), values=[v.type for v in loop.results])
    for old, new in zip(loop.results, around.results):
        new.name = old.name
    rewrite.replace(loop, *around.results)


def _move_out(value: Value, loop: scf.For, rewrite: Rewriter) -> None:
    """Work out before a loop what it does not change."""
    if is_invariant(value, loop) and not (value.op is not None and value.op.parent is loop.body):
        return
    assert value.op is not None
    for operand in value.op.operands:
        _move_out(operand, loop, rewrite)
    rewrite.move_before(value.op, loop)


def _take_side(branch: Op, number: int, rewrite: Rewriter) -> None:
    """Do what one side of a branch does, in its place."""
    ops = list(branch.regions[number].ops)
    given = ops.pop().operands if ops and ops[-1].terminator else ()
    for op in ops:
        rewrite.move_before(op, branch)
    rewrite.replace(branch, *given)
