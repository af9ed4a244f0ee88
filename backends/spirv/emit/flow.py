"""Structured control flow: scf to blocks with merge instructions (SPIR-V 2.11), carried values to phis, one for each vector."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from xetile.dialects import gpu, math, scf, xegpu
from xetile.dialects.types import F32, I32, VectorType, element_of
from xetile.ir.core import Block, Elementwise, Op, Value

from ..facts.repeated import is_sum, repeats
from ..facts.uses import comes_by_block, is_of_lanes, is_of_others
from ..module.encode import Id
from ..module.errors import SpirvError
from ..module.function import BasicBlock, Phi
from .apart import apart, number_for
from .emitter import Emitter
from .hidden import elements_apart, every_other_hidden, hidden_bits, hidden_vectors, hidden_zero
from .prefetch import headers_outside
from .product_operands import made_outside
from .table import emits
from .values import Fragment, Whole, from_chunks, from_scalar, mapped
from .wide import filled, scaled, whole

Held = Fragment | Whole


def _vectors(e: Emitter, value: Held, form: Id | None) -> list[Id]:
    return [value.id] if isinstance(value, Whole) else value.chunks(e, form)


def _carried_form(e: Emitter, value: Held) -> Id | None:
    """The form that costs no conversion, but none narrower than the elements: parts of words take more registers than words."""
    if isinstance(value, Whole):
        return None
    natural, own = value.natural_form(e), e.form(value.element)
    return own if e.width[natural] < e.width[own] else natural


class Carried:
    """Values that meet in phis: one phi for each vector, in the form that the first value has without conversion.

    Accumulators are carried as the matrix instruction gives them, packed operands as they were loaded, so that no iteration
    converts them.
    """

    def __init__(self, e: Emitter, templates: Sequence[Held], at: BasicBlock) -> None:
        self.e = e
        self.templates = templates
        self.forms = [_carried_form(e, t) for t in templates]
        self.phis: list[list[Phi]] = []
        for template, form in zip(templates, self.forms, strict=True):
            kinds = [e.module.type_of(value) for value in _vectors(e, template, form)]
            self.phis.append([at.phi(kind) for kind in kinds])

    def vectors(self, fragments: Sequence[Held]) -> list[list[Id]]:
        """The vectors that fragments send to the phis; written at the insertion point."""
        made = [_vectors(self.e, fragment, form) for fragment, form in zip(fragments, self.forms, strict=True)]
        return made if self.e.whole else apart(self.e, made)

    def add(self, vectors: list[list[Id]], source: BasicBlock) -> None:
        """These vectors come from a block."""
        for phis, values in zip(self.phis, vectors, strict=True):
            for phi, value in zip(phis, values, strict=True):
                phi.add(value, source)

    def repeat(self, repeats: bool) -> None:
        """The loop whose header these phis are in begins, or ends."""
        for phis in self.phis:
            for phi in phis:
                phi.repeats = repeats

    def fragments(self) -> list[Any]:
        """What is carried, as values."""
        return [
            Whole(phis[0]) if isinstance(t, Whole) else from_chunks(self.e, t.element, t.count, phis, form)
            for t, phis, form in zip(self.templates, self.phis, self.forms, strict=True)
        ]


def fragments_of(e: Emitter, values: Sequence[Value], op: Op) -> list[Any]:
    """What values that go through control flow became."""
    fragments = [e[value] for value in values]
    for value, fragment in zip(values, fragments, strict=True):
        if not isinstance(fragment, Held):
            raise SpirvError(f"{op.opname} carries a {value.type}", hint="carry its offsets instead", at=op.loc)
    return fragments


def _given(e: Emitter, values: Sequence[Value], carried: Sequence[Value], op: Op) -> list[Any]:
    """What values that become others in control flow became, as it goes there."""
    made: dict[Id, Id] = {}
    each = zip(range(len(values)), fragments_of(e, values, op), values, carried, strict=True)
    return [_as_given(e, op, made, *one) for one in each]


def _as_given(e: Emitter, op: Op, made: dict[Id, Id], place: int, fragment: Any, value: Value, carried: Value) -> Any:
    """One of them; `place`: its place among the values.

    Several carried values may begin with one number: IGC finds that, and takes one vector for the phis of all of them.

    Numbers of several lanes that all lanes get go as one vector, of which IGC (2.40.14) makes a name for where the lanes' numbers lie. Where
    a phi has such a vector it may write nothing.

    What a block message loads it lets the message write to the phi itself, in the branch that takes it: for all lanes of the subgroup, also
    those that took another way and have their numbers there.
    """
    sums, element = e.sums, element_of(value.type)
    if sums is None:
        return fragment
    if (e.parts(op) or e.diverges(op)) and comes_by_block(value):
        return hidden_bits(e, fragment)
    joined = element is F32 or (element is I32 and isinstance(value.type, VectorType))
    if sums.is_given(value, carried) or (joined and sums.is_mixed(value, carried, e.parts(op))):
        if not sums.is_carried(value):
            return hidden_vectors(e, fragment, made)
        return hidden_vectors(e, fragment, made, number_for(e, fragment, carried, place) if isinstance(op, scf.If) else place)
    if joined and is_of_lanes(value, through=Elementwise if isinstance(op, scf.If) else None):
        return every_other_hidden(e, fragment)
    if (
        isinstance(op, scf.If)
        and e.target.block2d is not None
        and isinstance(fragment, Fragment)
        and repeats(value, fragment.count)
        and not any(is_sum(way.ops[-1].operands[place]) for way in op.regions)
    ):
        return elements_apart(e, fragment)
    return fragment


def _handed_on(e: Emitter, values: Sequence[Value], carried: Sequence[Value], op: scf.For | scf.While) -> list[Any]:
    """The same, from one iteration to the next.

    An element of a vector that a loop carries, handed on as another value, is one place with the vector for IGC (2.40.14), which may write
    the next vector before it reads the element: it puts copies in an order by variables, not by places. So such elements are hidden.
    """
    fragments = _given(e, values, carried, op)
    if e.whole:
        return fragments
    return [
        hidden_bits(e, fragment) if isinstance(fragment, Fragment) and is_of_others(value, to, carried) else fragment
        for value, to, fragment in zip(values, carried, fragments, strict=True)
    ]


def _bind(e: Emitter, block: Block, values: Sequence[Any]) -> None:
    for arg, value in zip(block.args, values, strict=True):
        e[arg] = value


def _open_loop(e: Emitter, templates: Sequence[Held], name: str) -> tuple[BasicBlock, Carried]:
    """Go on in a new header block whose phis carry the templates."""
    header = e.function.block(name)
    for template in templates:
        if isinstance(template, Fragment):
            template.chunks(e, template.natural_form(e))  # what the phis take is made before the branch
    before = e.block
    carried = Carried(e, templates, header)
    carried.add(carried.vectors(templates), before)
    before.branch(header)
    e.enter(header)
    carried.repeat(True)
    return header, carried


@emits(scf.For)
def emit_for(e: Emitter, op: scf.For) -> Any:
    """A counted loop: the header holds the phis and the test.

    Rounds of which nothing is carried on may be a loop of their own in it, which carries nothing but the counter (`_deciding`).
    """
    if scf.ONCE in op.attributes:
        return _once(e, op)
    made_outside(e, op)
    headers_outside(e, op)
    bounds = fragments_of(e, (op.lower, op.upper, op.step), op)
    init = _given(e, op.init, op.body.args[1:], op)
    if scf.EARLY in op.attributes:
        init = [filled(e, value, arg) or given for value, arg, given in zip(op.init, op.body.args[1:], init, strict=True)]
    lower, upper, step = (bound.scalar(e) for bound in bounds)
    compare = "OpSLessThan"
    if scf.WITHOUT_SIGN in op.attributes:
        compare, kind = "OpULessThan", e.module.type_of(upper)
        upper = e.emit("OpSelect", kind, e.emit("OpSGreaterThan", e.bool, upper, lower), upper, lower)
    header, carried = _open_loop(e, [from_scalar(e, bounds[0].element, lower), *init], "for")
    counter, *values = carried.fragments()
    body, proceed, exit = (e.function.block(name) for name in ("body", "next", "end"))
    around, skipped, decides = header, proceed, _deciding(op)
    if decides is not None:
        skipped, header = e.function.block("skipped"), e.function.block("seek")
        around.loop_merge(exit, proceed, "DontUnroll")
        around.branch(header)
        place = header.phi(e.module.type_of(counter.scalar(e)), (counter.scalar(e), around))
        counter = from_scalar(e, bounds[0].element, place)
        e.enter(header)
    at = counter.scalar(e)
    condition = e.decided(op, e.emit(compare, e.bool, at, upper))
    # The driver unrolls small loops by itself, and spills what prefetches and block loads were laid out for.
    header.loop_merge(exit, skipped, "DontUnroll")
    header.branch_if(condition, body, exit)
    _bind(e, op.body, [counter, *values])
    e.enter(body)
    with e.scope():
        if decides is not None:
            e.skip(decides)
        e.ops(op.body)
        if decides is not None:
            _enter_round(e, decides, skipped)
            place.add(skipped.emit("OpIAdd", e.module.type_of(at), at, step), skipped)
            skipped.branch(header)
        given = carried.vectors([counter, *_handed_on(e, op.body.terminator.operands, op.body.args[1:], op)])
        e.block.branch(proceed)
        given[0] = [proceed.emit("OpIAdd", e.module.type_of(at), at, step)]
        proceed.branch(around)
    carried.add(given, proceed)
    carried.repeat(False)
    e.enter(exit)
    if _computes_operands(e, op):
        values = [_whole(e, result, value) for result, value in zip(op.results, values, strict=True)]
    values = _in_size(e, op, values)
    return values[0] if len(op.results) == 1 else values


def _once(e: Emitter, op: scf.For) -> tuple[()]:
    """A loop that runs once, of which compilers do not know that it does: it goes round again where the launch has a global offset."""
    body, again, end = (e.function.block(name) for name in ("body", "again", "end"))
    e[op.body.args[0]] = e[op.lower]
    e.block.branch(begin := e.function.block("once"))
    begin.loop_merge(end, again, "DontUnroll")
    begin.branch(body)
    e.enter(body)
    with e.scope():
        e.ops(op.body)
        e.block.branch(again)
        e.enter(again)
        again.branch_if(e.emit("OpINotEqual", e.bool, hidden_zero(e, e.i32), e.number(0)), begin, end)
    e.enter(end)
    return ()


def _deciding(op: scf.For) -> scf.If | None:
    """What decides whether anything of a round is carried on (`For.decides`), where arithmetic takes vectors that are carried.

    Where these meet behind a branch, IGC's vectorizer (2.40.14) makes no vectors of the phis, and moves each of their registers.
    """
    found = op.decides
    if found is None:
        return None
    vectors = (arg for arg in op.body.args[1:] if isinstance(arg.type, VectorType) and arg.type.count > 1)
    taken = any(isinstance(user, Elementwise) and user.parent is found.then for arg in vectors for user in arg.users)
    return found if taken else None


def _enter_round(e: Emitter, op: scf.If, skipped: BasicBlock) -> None:
    """Go on in what a round does where it is not skipped; its results are those of the op."""
    then = e.function.block("then")
    condition = e.decided(op, e.scalar(op.condition))
    e.block.branch_if(condition, then, skipped)
    e.enter(then)
    e.ops(op.then)
    for result, value in zip(op.results, _given(e, op.then.terminator.operands, op.results, op), strict=True):
        e[result] = value


def _computes_operands(e: Emitter, op: scf.For) -> bool:
    """Whether products in a loop take operands that it computes, and all vectors that it carries are sums of products or multiples of them."""
    sums = (xegpu.Dpas, math.Fma)
    carried = [each for each in zip(op.body.args[1:], op.body.terminator.operands) if isinstance(each[0].type, VectorType)]
    return (
        e.packing is not None
        and any(isinstance(each, xegpu.Dpas) and each.rhs in e.packing.operands for each in op.body.ops)
        and all(isinstance(user, sums) for arg, given in carried for user in (given.op, *arg.users))
    )


def _whole(e: Emitter, result: Value, value: Any) -> Any:
    """A loop's result, which the compiler does not take apart in the loop where something behind it does.

    IGC (2.40.14) takes a vector apart where it is defined, which is the loop's first block: it does not turn a loop with a long one
    into one that tests behind its body, so each iteration jumps twice.
    """
    if element_of(result.type) is not F32 or not isinstance(value, Fragment):
        return value
    return whole(e, value) or value


def _in_size(e: Emitter, op: scf.For, values: list[Any]) -> list[Any]:
    """What a loop summed up as large as it is (`rescaled`), in the registers that it has where others would be all that is left."""
    factors = e.packing.rescaled.results if e.packing is not None else {}
    summed = sum(value.count for result, value in zip(op.results, values, strict=True) if result in factors)
    in_place = 2 * summed >= (e.kernel.grf or 0)

    def large(value: Any, factor: float) -> Fragment:
        made = scaled(e, value, factor) if in_place else None
        return made or mapped(e, F32, lambda n, x: e.emit("OpFMul", e.vector(e.f32, n), x, e.constant(e.f32, factor, n)), value)

    return [
        large(value, factors[result]) if result in factors else value for result, value in zip(op.results, values, strict=True)
    ]


@emits(scf.While)
def emit_while(e: Emitter, op: scf.While) -> Any:
    """A loop whose first region tests: its values go to the second region or out."""
    header, carried = _open_loop(e, _given(e, op.init, op.before.args, op), "while")
    test, body, proceed, exit = (e.function.block(name) for name in ("test", "body", "next", "end"))
    header.loop_merge(exit, proceed, "DontUnroll")
    header.branch(test)
    _bind(e, op.before, carried.fragments())
    e.enter(test)
    e.ops(op.before)  # in the outer scope: what is made here is good in the body and behind the loop
    condition, *passed = fragments_of(e, op.before.terminator.operands, op)
    for fragment in passed:
        if isinstance(fragment, Fragment):
            fragment.chunks(e, fragment.natural_form(e))
    e.block.branch_if(e.decided(op, condition.scalar(e)), body, exit)
    _bind(e, op.after, passed)
    e.enter(body)
    with e.scope():
        e.ops(op.after)
        given = carried.vectors(_handed_on(e, op.after.terminator.operands, op.before.args, op))
        e.block.branch(proceed)
    proceed.branch(header)
    carried.add(given, proceed)
    carried.repeat(False)
    e.enter(exit)
    return passed[0] if len(op.results) == 1 else passed


@emits(scf.If)
def emit_if(e: Emitter, op: scf.If) -> Any:
    """Two ways that meet in a merge block."""
    condition = e.decided(op, e.scalar(op.condition))
    regions = [op.then, op.otherwise] if len(op.otherwise.ops) > (0 if op.results else 1) else [op.then]
    ways = [e.function.block(name) for _, name in zip(regions, ("then", "else"))]
    merge = e.function.block("endif")
    e.block.selection_merge(merge)
    e.block.branch_if(condition, ways[0], ways[1] if len(ways) > 1 else merge)
    carried: Carried | None = None
    for target, region in zip(ways, regions, strict=True):
        e.enter(target)
        with e.scope():
            e.ops(region)
            given = _given(e, region.terminator.operands, op.results, op) if op.results else []
            if carried is None:
                carried = Carried(e, given, merge)
            vectors = carried.vectors(given)
            e.block.branch(merge)
            carried.add(vectors, e.block)
    e.enter(merge)
    assert carried is not None
    fragments = carried.fragments()
    return fragments[0] if len(op.results) == 1 else fragments


@contextmanager
def branch(e: Emitter, condition: Id) -> Iterator[None]:
    """What is written inside runs where the condition holds; nothing comes out but its effects."""
    then, merge = e.function.block("then"), e.function.block("endif")
    e.block.selection_merge(merge)
    e.block.branch_if(condition, then, merge)
    e.enter(then)
    with e.scope(), e.parting():
        yield
    e.block.branch(merge)
    e.enter(merge)


def conditional(e: Emitter, condition: Id, make: Callable[[], Fragment], otherwise: Fragment) -> Fragment:
    """What `make()` gives where the condition holds, with its effects there alone; `otherwise` elsewhere."""
    then, merge = e.function.block("then"), e.function.block("endif")
    before, kept = e.block, otherwise.chunks(e)
    before.selection_merge(merge)
    before.branch_if(condition, then, merge)
    e.enter(then)
    with e.scope(), e.parting():
        made = make().chunks(e)
        e.block.branch(merge)
        after = e.block
    e.enter(merge)
    phis = [merge.phi(e.module.type_of(a), (a, after), (b, before)) for a, b in zip(made, kept, strict=True)]
    return from_chunks(e, otherwise.element, otherwise.count, phis)


@emits(scf.Yield, scf.Condition)
def emit_terminator(e: Emitter, op: Op) -> None:
    """Read by the op that holds the region."""


@emits(gpu.Return)
def emit_return(e: Emitter, op: gpu.Return) -> None:
    """The end of the kernel."""
    e.block.ret()
