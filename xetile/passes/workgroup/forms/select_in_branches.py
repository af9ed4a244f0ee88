"""Branches that only mask what a product gave become masks with one more condition.

`if n + BN > m: s = xt.where(columns <= rows, s, -inf)` is `s = xt.where((columns <= rows) | (n + BN <= m), s, -inf)`. Scores that two ways
give, and what is loaded for the next product, stay in registers beside each other where they meet, and no op moves from one side of a
branch to the other: 64 x 64 scores took 734 instructions for 32 DPAS on pvc and spilled 1408 bytes, and 427 for 64 DPAS without the branch.
"""

from __future__ import annotations

from xetile.dialects import arith, scf, vector, xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.layouts import map_of
from xetile.dialects.types import I1, ScalarType, VectorType, element_of
from xetile.ir.core import Elementwise, Op, Value
from xetile.ir.interfaces import op_around
from xetile.ir.rewriter import Rewriter
from xetile.passes.common.unused import erase_unused
from xetile.records import dataclass
from xetile.target import Target

_SAME_ELEMENTS = (vector.Broadcast, vector.ShapeCast, xetile.TileBroadcast, xetile.TileTranspose)
_OTHERWISE = {"eq": "ne", "ne": "eq", "slt": "sge", "sge": "slt", "sgt": "sle", "sle": "sgt",
              "ult": "uge", "uge": "ult", "ugt": "ule", "ule": "ugt"}  # fmt: skip
"""Of a comparison: the one that holds where it does not."""


def select_in_branches(module: GpuModule, target: Target | None = None) -> GpuModule:
    """Choose elements where a branch beside products does: by its condition, and by the masks of its selects.

    Before and after: xetile at workgroup level. All that the branch computes is masks and the integers that they compare, and of what
    it gives for vectors one side is a select between the other side's vector and something else. Operands of products may be worked out
    in a few instructions besides: a branch that gives them holds them twice, and moves them from the one place to the other.
    """
    for branch in module.find(scf.If):
        block = branch.parent
        if block is None or not any(isinstance(op, xetile.TileMma) for op in block.ops):
            continue
        computed = [op for side in branch.regions for op in side.ops[:-1]]
        if _are_cheap(computed, branch) and any(isinstance(v.type, VectorType) for v in branch.results):
            chosen = [_Choice.of(*pair) for pair in _sides(branch)]
            if all(
                each is not None or isinstance(v.type, ScalarType) or _is_operand(v) for each, v in zip(chosen, branch.results)
            ):
                _straighten(branch, computed, chosen)
    return module


FEW = 2
"""Instructions for a register of an operand that are worked out in vain where its branch is not taken: a move from there is one, too."""
_SIMPLE = (arith.AddF, arith.SubF, arith.MulF, arith.NegF, *arith.FLOAT_EXTREMES)


def _are_cheap(computed: list[Op], branch: scf.If) -> bool:
    """Whether all that a branch computes may be computed in all cases."""
    others = [op for op in computed if not _is_cheap(op)]
    given = [v for v in branch.results if isinstance(v.type, VectorType)]
    return len(others) <= FEW and (not others or all(map(_is_operand, given))) and all(isinstance(op, _SIMPLE) for op in others)


def _is_operand(value: Value) -> bool:
    """Whether products take a value, as it is or in another type, and nothing else does."""
    uses = list(value.uses)
    return bool(uses) and all(
        (isinstance(op, xetile.TileMma) and position < 2) or (isinstance(op, arith.Cast) and _is_operand(op.results[0]))
        for op, position in uses
    )


def _sides(branch: scf.If) -> list[tuple[Value, Value]]:
    """What the two sides of a branch give."""
    return list(zip(branch.then.terminator.operands, branch.otherwise.terminator.operands))


def _is_cheap(op: Op) -> bool:
    """Whether an op may be worked out in all cases: masks and integers, numbers, and selects."""
    if isinstance(op, arith.INTEGER_DIVISIONS):
        return bool(arith.constant_of(op.operands[1]))
    if isinstance(op, (arith.Constant, arith.Select, arith.CmpF, xetile.TileIota, *_SAME_ELEMENTS)):
        return True
    return isinstance(op, Elementwise) and op.pure and not any(element_of(v.type).is_float for v in op.results)


@dataclass(frozen=True)
class _Choice:
    """What a branch gives: on one side a value, on the other one what selects, one behind the other, leave of it."""

    value: Value
    selects: tuple[arith.Select, ...]
    in_then: bool

    @classmethod
    def of(cls, then: Value, otherwise: Value) -> _Choice | None:
        """The choice between what two sides give; None where it is another one."""
        for value, given in ((otherwise, then), (then, otherwise)):
            selects: list[arith.Select] = []
            while given is not value and (op := _masking(given)) is not None:
                selects.append(op)
                given = op.true_value if op.true_value is value or _masking(op.true_value) is not None else op.false_value
            if given is value:
                return cls(value, tuple(reversed(selects)), value is otherwise)
        return None

    def made(self, condition: Value, build: Rewriter) -> Value:
        """The selects, by their masks and the condition of the branch."""
        value, before = self.value, self.value
        for op in self.selects:
            kept = op.true_value is before
            # Where this side is not taken, all elements stay: the mask is true where the select gives what it keeps if it is true.
            also = condition if kept is not self.in_then else _negated(condition, build)
            mask = _joined(arith.OrI if kept else arith.AndI, op.condition, also, build)
            operands = (mask, value, op.false_value) if kept else (mask, op.true_value, value)
            before, value = op.result, build.clone(op, operands).results[0]
        return value


def _masking(value: Value) -> arith.Select | None:
    """The select in a branch that gives a vector by a mask."""
    op = value.op
    inside = op is not None and isinstance(op_around(op), scf.If)
    return op if inside and isinstance(op, arith.Select) and isinstance(op.condition.type, VectorType) else None


def _negated(condition: Value, build: Rewriter) -> Value:
    op = condition.op
    if isinstance(op, arith.CmpI):
        return build(arith.CmpI, *op.operands, predicate=_OTHERWISE[op.predicate])
    if isinstance(op, (arith.AndI, arith.OrI)):
        return build(arith.OrI if isinstance(op, arith.AndI) else arith.AndI, *(_negated(v, build) for v in op.operands))
    return build(arith.XOrI, condition, build(arith.Constant, value=True, result=I1))


def _joined(kind: type[arith.Binary], mask: Value, condition: Value, build: Rewriter) -> Value:
    """A mask and a condition, in as few elements as the mask is made of."""
    op = mask.op
    if isinstance(op, xetile.TileBroadcast):
        return build.clone(op, [_joined(kind, op.operands[0], condition, build)]).results[0]
    assert isinstance(mask.type, VectorType)
    maps = map_of(op)
    return build(kind, mask, build(vector.Broadcast, condition, result=mask.type, **maps), **maps)


def _straighten(branch: scf.If, computed: list[Op], chosen: list[_Choice | None]) -> None:
    rewrite = Rewriter()
    for op in computed:
        rewrite.move_before(op, branch)
    with rewrite.before(branch), rewrite.located(branch.loc):
        for result, sides, choice in zip(branch.results, _sides(branch), chosen):
            if choice is None:
                kind = result.type
                chosen_by = branch.condition
                if isinstance(kind, VectorType):
                    chosen_by = rewrite(vector.Broadcast, chosen_by, result=kind.with_element(I1))
                made = rewrite(arith.Select, chosen_by, *sides)
            else:
                made = choice.made(branch.condition, rewrite)
            made.name = made.name or result.name
            rewrite.replace_uses(result, made)
    given = [value for sides in _sides(branch) for value in sides]
    rewrite.erase(branch)
    erase_unused(given, rewrite)
