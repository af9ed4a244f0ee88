"""One walk from top to bottom: folding, one op for equal ones, what does not change out of loops, counters instead of sums.

Constants become one each, at the head of the kernel.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from xetile.dialects import arith, scf, xegpu, xetile
from xetile.dialects.gpu import GpuFunc
from xetile.dialects.types import I1, MemRefType, ScalarType
from xetile.dialects.vector import LAYOUT
from xetile.ir.builder import create
from xetile.ir.core import OPS, Attributes, Block, Op, Type, Value
from xetile.ir.dispatch import Table
from xetile.ir.rewriter import drop
from xetile.passes.cleanup.fold import FOLD, fold, signed
from xetile.passes.cleanup.induction import carry_selected, closed_forms, closed_results
from xetile.passes.common.numbers import iterations

# A tile is one alias class of accesses to the later passes, which choose blocks for each: equal tiles are not made one.
_KEEP_APART = frozenset((xetile.InitTile, xetile.UpdateTileOffset))
_COMMUTATIVE = frozenset(kind for kind in OPS.values() if issubclass(kind, arith.Binary) and kind.commutative)
_SUMS = (arith.AddI, arith.MulI)
_LEAVES_LOOPS = (ScalarType, xegpu.TensorDescType, xegpu.MemDescType, MemRefType)
"""Types of what may leave a loop: scalars and descriptions of memory."""

FOLDS = Table()
"""Loops and branches of which less is left: whether nothing else is to be done."""


class Scope:
    """A block being rewritten, and its new ops. `level`: how many are around it; `loop`: ops may leave it upwards; `is_open`: it is not yet
    done, and its values are known.
    """

    __slots__ = ("block", "is_open", "level", "loop", "ops")

    def __init__(self, block: Block, level: int, loop: bool) -> None:
        self.block = block
        self.ops: list[Op] = []
        self.level = level
        self.loop = loop
        self.is_open = True


class Simplifier:
    """Rewrites blocks in place."""

    def __init__(self, kernel: GpuFunc) -> None:
        self.kernel = kernel
        self.scopes: list[Scope] = []
        self.level: dict[Value, int] = {}
        self._known: dict[Hashable, tuple[Op, Scope]] = {}
        self._constants: list[Op] = []
        self._known_constants: dict[Hashable, Value] = {}
        self._became: dict[Value, Value] = {}
        self._gone: list[Op] = []

    def run(self) -> None:
        """Simplify the kernel."""
        body = self.kernel.body
        self.block(body, body.args, loop=False)
        body.insert(0, self._constants)
        for op in self._gone:
            op.results = []  # its memory is free at once

    def block(self, block: Block, args: list[Value], *, loop: bool, before: Sequence[Op] = ()) -> None:
        """Rewrite a block; `before`: new ops that come first in it."""
        level = len(self.scopes)
        for arg in args:
            self.level[arg] = level
        self.scopes.append(Scope(block, level, loop))
        for op in [*before, *block.take()]:
            self.op(op)
        done = self.scopes.pop()
        done.is_open = False
        block.insert(0, done.ops)

    def now(self, value: Value) -> Value:
        """What stands for a value by now."""
        became = self._became
        while value in became:
            value = became[value]
        return value

    def replace(self, old: Value, new: Value) -> None:
        """Let another value stand for this one."""
        self._became[old] = new

    def op(self, op: Op) -> None:
        """Rewrite one op."""
        became = self._became
        if not became.keys().isdisjoint(op.operands):
            op.set_operands([self.now(value) if value in became else value for value in op.operands])
        if op.pure and len(op.results) == 1:
            self._pure(op)
        elif op.regions:
            handler = FOLDS.find(op.__class__)
            if handler is None or not handler(op, self):
                self.regions(op)
                self.place(op)
        elif (folded := fold(op)) is not None:
            self._became_other(op, self.constant(folded, op.results[0].type))
        else:
            self.place(op)

    def regions(self, op: Op, before: Sequence[Op] = ()) -> None:
        """Rewrite what is in a loop or branch; `before`: new ops that come first in its only region."""
        for block in op.regions:
            self.block(block, block.args, loop=op.repeats, before=before)

    def place(self, op: Op) -> None:
        """Append an op to the innermost block."""
        scope = self.scopes[-1]
        scope.ops.append(op)
        for result in op.results:
            self.level[result] = scope.level

    def constant(self, value: Any, type: Type, op: Op | None = None) -> Value:
        """The one constant of this value and type."""
        value = bool(value) if type is I1 else value
        key = (type, _exact(value))
        found = self._known_constants.get(key)
        if found is None:
            made = op if op is not None else create(arith.Constant, value=value, result=type)
            found = self._known_constants[key] = made.results[0]
            self._constants.append(made)
            self.level[found] = 0
        return found

    def _number(self, op: Op, value: Any) -> Value:
        """What an op always gives, held by lanes as it says."""
        type, layout = op.results[0].type, {key: v for key, v in op.attributes.items() if key == LAYOUT}
        if not layout:
            return self.constant(value, type)
        made = create(arith.Constant, value=value, result=type, **layout)
        made.loc = op.loc
        self._pure(made)
        return self.now(made.results[0])

    def _pure(self, op: Op) -> None:
        result, kind, attributes = op.results[0], op.__class__, op.attributes
        if kind is arith.Constant and len(attributes) == 1:
            self._became_other(op, self.constant(attributes["value"], result.type, op))
            return
        if kind in _COMMUTATIVE and arith.constant_of(op.operands[0]) is not None:
            op.set_operands(op.operands[::-1])  # constants stand on the right
        rule: Any = FOLD.find(kind)
        folded = rule(op) if rule is not None and "wg_map" not in attributes else None
        if folded is not None:
            self._became_other(op, self.now(folded) if isinstance(folded, Value) else self._number(op, folded))
            return
        if kind in _SUMS:
            _reassociate(op, self)
        scope = self.scopes[-1]
        if scope.loop and isinstance(result.type, _LEAVES_LOOPS):
            scope = self._outermost(op, scope)
        if kind not in _KEEP_APART:
            key = (kind, op.operands, result.type, frozenset(attributes.items()) if attributes else None, op.segments)
            found, where = self._known.setdefault(key, (op, scope))
            if found is not op:
                if where.is_open and where.level <= scope.level and (not attributes or _are_alike(found.attributes, attributes)):
                    self._became_other(op, found.results[0])
                    return
                self._known[key] = op, scope
        scope.ops.append(op)
        self.level[result] = scope.level

    def _became_other(self, op: Op, new: Value) -> None:
        """An op goes, unless it is the one that makes the new value."""
        if op.results[0] is not new:
            self._became[op.results[0]] = new
            op.drop_operands()
            self._gone.append(op)

    def _outermost(self, op: Op, scope: Scope) -> Scope:
        """The outermost block that an op can move to out of the loops around it, which it belongs to from now on."""
        needed = max(map(self.level.__getitem__, op.operands), default=0)
        here = scope.level
        while here > needed and self.scopes[here].loop:
            here -= 1
        found = self.scopes[here]
        op.parent = found.block
        return found


def _are_alike(one: Attributes, other: Attributes) -> bool:
    """Whether attributes that Python takes to be equal are the same bits."""
    return all(_exact(value) == _exact(other[name]) for name, value in one.items())


def _exact(value: Any) -> Hashable:
    """A stand-in that is equal for the same bits alone: 0.0 and -0.0 are equal to Python, 1 and 1.0 and True too, and no NaN is."""
    kind = value.__class__
    if kind is int or kind is str:  # as nearly all: what is equal to them has its class beside it
        return value  # type: ignore[no-any-return]
    if isinstance(value, tuple):
        return tuple([each if each.__class__ is int else _exact(each) for each in value])
    return kind, value.hex() if kind is float else value


def _reassociate(op: Op, s: Simplifier) -> None:
    """(x + c) + d is x + (c + d), and so for products: what is added to a moving offset stays one constant."""
    inner = op.operands[0].op
    if type(inner) is not type(op):
        return
    c, d = arith.constant_of(inner.operands[1]), arith.constant_of(op.operands[1])
    if not isinstance(c, int) or not isinstance(d, int):
        return
    type_ = op.results[0].type
    element: Any = getattr(type_, "element", type_)
    total = signed(c + d if isinstance(op, arith.AddI) else c * d, element.bits)
    op.set_operands([inner.operands[0], s.constant(total, type_)])


@FOLDS(scf.For)
def _for(op: scf.For, s: Simplifier) -> bool:
    trips = iterations(op)
    if trips == 0:
        for result, value in zip(op.results, op.init):
            s.replace(result, value)
        drop(op)
    elif trips == 1:
        for arg, value in zip(op.body.args, [op.lower, *op.init]):
            s.replace(arg, value)
        _splice(op, op.body, s)
    else:
        ends = list(closed_results(op, s))  # of what is still carried
        s.regions(op, closed_forms(op, s))
        carry_selected(op, s)
        s.place(op)
        for result, ops in ends:
            for made in ops:
                s.op(made)
            s.replace(result, s.now(ops[-1].results[0]))
    return True


def _splice(op: Op, block: Block, s: Simplifier) -> None:
    """Put the ops of a region in place of its op."""
    *ops, end = block.take()
    for inner in ops:
        s.op(inner)
    for result, value in zip(op.results, end.operands):
        s.replace(result, s.now(value))
    drop(end)
    drop(op)


@FOLDS(scf.If)
def _if(op: scf.If, s: Simplifier) -> bool:
    condition = arith.constant_of(op.condition)
    if condition is None:
        return False
    chosen = op.then if condition else op.otherwise
    if chosen.ops:
        _splice(op, chosen, s)
    else:
        drop(op)
    return True
