"""scf: structured control flow (MLIR's scf dialect, LLVM 22). Each region is one block that ends in a yield."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from xetile.dialects.types import I1
from xetile.ir.core import Block, Op, Use, Value, Variable, attribute, operand, region, result
from xetile.ir.interfaces import op_around


class Yield(Op, name="scf.yield", terminator=True):
    """Ends a region with the values it gives to its op (or to the next iteration)."""

    format = "($values^ `:` type($values))?"
    values: tuple[Value, ...] = operand(variadic=True)


WITHOUT_SIGN = "without_sign"
EARLY = "early"
ORDERED = "ordered"
ONCE = "once"


class For(Op, name="scf.for", repeats=True):
    """`for iv in range(lower, upper, step)` with carried values; the step is positive.

    The body's arguments are the induction variable and the carried values. WITHOUT_SIGN, an attribute: no bound is negative but an
    upper one of a loop that does not run, and numbers are compared without a sign, so the step after the last one does not overflow.
    EARLY, another one: what is computed before it leaves no registers for what it carries. ORDERED: what is in it stands in the order that
    takes fewest registers, since no other one fits. ONCE: it runs once, which compilers must not know.
    """

    lower: Value = operand()
    upper: Value = operand()
    step: Value = operand()
    init: tuple[Value, ...] = operand(variadic=True)
    without_sign: Any = attribute("unit", optional=True)
    early: Any = attribute("unit", optional=True)
    ordered: Any = attribute("unit", optional=True)
    once: Any = attribute("unit", optional=True)
    body: Block = region()
    values: tuple[Value, ...] = result(variadic=True)

    def flow(self) -> Iterator[Variable]:
        """The carried values; the counter is none."""
        body = self.body
        for i, (arg, outcome) in enumerate(zip(body.args[1:], self.results)):
            yield Variable((arg, outcome), ((self, 3 + i), (body.ops[-1], i)))

    def counters(self) -> Iterator[tuple[Value, tuple[Value, ...]]]:
        """The lower bound and some steps."""
        yield self.body.args[0], (self.lower, self.step)

    def control(self) -> tuple[Use, ...]:
        """Bounds and step."""
        return (self, 0), (self, 1), (self, 2)

    def verify(self) -> None:
        types = [v.type for v in self.init]
        inside = [a.type for a in self.body.args[1:]]
        given = [v.type for v in self.body.terminator.operands] if self.body.ops else None
        if not (types == inside == given == [r.type for r in self.results]):
            raise self.fail(f"carried values differ in type: {types}, {inside}, {given}, {[r.type for r in self.results]}")
        if len({self.lower.type, self.upper.type, self.step.type, self.body.args[0].type}) != 1:
            raise self.fail("bounds, step and induction variable differ in type")

    @property
    def decides(self) -> If | None:
        """The last op of the body where only that changes what is carried, and only where its condition holds; else nothing is done."""
        last = self.body.ops[-2] if len(self.body.ops) > 1 else None
        if not isinstance(last, If) or not last.results or len(last.otherwise.ops) > 1:
            return None
        kept = dict(zip(last.results, last.otherwise.terminator.operands))
        pairs = zip(self.body.args[1:], self.body.terminator.operands)
        return last if all(kept.get(given, given) is arg for arg, given in pairs) else None

    def print(self, p: Any) -> str:
        """MLIR's form: carried values as `iter_args(%x = %init) -> (type)`."""
        body = self.body
        head = f"scf.for {p.name(body.args[0])} = {p.name(self.lower)} to {p.name(self.upper)} step {p.name(self.step)}"
        if self.init:
            pairs = ", ".join(f"{p.name(a)} = {p.name(v)}" for a, v in zip(body.args[1:], self.init))
            head += f" iter_args({pairs}) -> ({', '.join(str(r.type) for r in self.results)})"
        suffix = "" if str(body.args[0].type) == "index" else f" : {body.args[0].type}"
        return f"{head}{suffix} {p.block(body, drop_empty_yield=True)}{p.attr_dict(self, (), before=' ')}"


class If(Op, name="scf.if"):
    """Runs one of two regions; both give the results. The second region may be empty where there are no results."""

    condition: Value = operand()
    then: Block = region()
    otherwise: Block = region()
    values: tuple[Value, ...] = result(variadic=True)

    def flow(self) -> Iterator[Variable]:
        """The results."""
        for i, outcome in enumerate(self.results):
            yield Variable((outcome,), tuple((block.terminator, i) for block in self.regions))

    def control(self) -> tuple[Use, ...]:
        """The condition."""
        return ((self, 0),)

    def verify(self) -> None:
        if self.condition.type is not I1:
            raise self.fail(f"the condition is {self.condition.type}, not i1")
        # xegpu's attribute (seed 002, RangeAttr): which subgroups go in.
        wrong = self.attributes["sg_id_range"].problem() if "sg_id_range" in self.attributes else None
        if wrong:
            raise self.fail(f"sg_id_range: {wrong}")
        expected = [r.type for r in self.results]
        for block in self.regions:
            if (block.ops or expected) and [v.type for v in block.terminator.operands] != expected:
                raise self.fail(f"a branch gives {[v.type for v in block.terminator.operands]}, the results are {expected}")

    def print(self, p: Any) -> str:
        """`scf.if %c -> (types) {...} else {...}`."""
        types = f" -> ({', '.join(str(r.type) for r in self.results)})" if self.results else ""
        text = f"scf.if {p.name(self.condition)}{types} {p.block(self.then, drop_empty_yield=True)}"
        if len(self.otherwise.ops) > (0 if self.results else 1):
            text += f" else {p.block(self.otherwise, drop_empty_yield=True)}"
        return f"{text}{p.attr_dict(self, (), before=' ')}"


class Condition(Op, name="scf.condition", terminator=True):
    """Ends the first region of a while: go on if true; the values go to the second region and are the results."""

    # `scf.condition(%c) %values : types`.
    format = "`` `(` `` $condition `` `)` ($values^ `:` type($values))?"
    condition: Value = operand()
    values: tuple[Value, ...] = operand(variadic=True)


class While(Op, name="scf.while", repeats=True):
    """`while condition(carried): carried = body(carried)`: `before` computes the condition, `after` is the body."""

    init: tuple[Value, ...] = operand(variadic=True)
    before: Block = region()
    after: Block = region()
    values: tuple[Value, ...] = result(variadic=True)

    def flow(self) -> Iterator[Variable]:
        """What `before` is given, then what it passes on."""
        for i, arg in enumerate(self.before.args):
            yield Variable((arg,), ((self, i), (self.after.terminator, i)))
        for i, (arg, outcome) in enumerate(zip(self.after.args, self.results)):
            yield Variable((arg, outcome), ((self.before.terminator, 1 + i),))

    def control(self) -> tuple[Use, ...]:
        """The condition, at the end of `before`."""
        return ((self.before.terminator, 0),)

    def verify(self) -> None:
        types = [v.type for v in self.init]
        if types != [a.type for a in self.before.args] or types != [v.type for v in self.after.terminator.operands]:
            raise self.fail("carried values differ in type")
        given = [v.type for v in self.before.terminator.operands[1:]]
        if given != [a.type for a in self.after.args] or given != [r.type for r in self.results]:
            raise self.fail("the condition's values differ in type from the body's arguments or the results")

    def print(self, p: Any) -> str:
        """`scf.while (%a = %init) : (types) -> types {...} do { ^bb0(...): ... } attributes {...}`."""
        pairs = ", ".join(f"{p.name(a)} = {p.name(v)}" for a, v in zip(self.before.args, self.init))
        inputs = ", ".join(str(v.type) for v in self.init)
        outputs = ", ".join(str(r.type) for r in self.results)
        after, before = p.block(self.after, header=True), p.block(self.before)
        extra = p.attr_dict(self, (), before=" attributes ")
        return f"scf.while ({pairs}) : ({inputs}) -> ({outputs}) {before} do {after}{extra}"


def carried_into(block: Block) -> tuple[Value, ...]:
    """What a loop carries into its body, or into the only part of it that changes that (`For.decides`)."""
    op = block.parent
    around = op_around(op) if isinstance(op, If) else None
    if isinstance(op, If) and isinstance(around, For) and block is op.then and around.decides is op:
        return tuple(around.body.args[1:])
    return tuple(block.args)


def taken_once(value: Value, block: Block | None) -> bool:
    """Whether a loop carries a value into a block, one operand of which takes it, and nothing else does: in rounds without it, it is kept."""
    if value.op is not None or block is None:
        return False
    kept = block.parent.otherwise.terminator if isinstance(block.parent, If) and block.parent.otherwise.ops else None
    uses = [op for op, _ in value.uses if op is not kept]
    return len(uses) == 1 and uses[0].parent is block and any(value is each for each in carried_into(block))
