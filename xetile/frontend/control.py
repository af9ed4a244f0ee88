"""Control flow: if, for, while. What is known now is decided now; the rest becomes structured control flow of the IR."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from xetile import dtypes
from xetile.dialects import scf
from xetile.dtypes import DType
from xetile.errors import CompileError, DtypeError
from xetile.frontend.asserted import require
from xetile.frontend.branches import UNASSIGNED, Blocks, choose, left, merge_variable
from xetile.frontend.calls import RuntimeRange
from xetile.frontend.endings import NO_RETURN, at_the_end, if_that_ends
from xetile.frontend.frame import Frame, Jump, Returned, statement
from xetile.frontend.liveness import names_read, never_ends, own_jumps, own_nodes
from xetile.frontend.loops import Held, Loop, NeedsValuesError, inside, settle_loop, types_of, value_names
from xetile.frontend.statements import bind
from xetile.ir.core import Block
from xetile.ir.core import Value as IRValue
from xetile.ir.reach import reached
from xetile.language.arrays import Array, Handle
from xetile.language.debug import device_assert
from xetile.language.division import cdiv
from xetile.language.elementwise import as_value
from xetile.language.extents import is_never_negative, is_positive
from xetile.language.math import maximum, where
from xetile.language.values import Value, describe


@statement(ast.If)
def _if(frame: Frame, node: ast.If, rest: Sequence[ast.stmt]) -> Returned | Jump | None:
    condition = frame.condition(node.test, "the condition")
    returns = any(isinstance(n, ast.Return) for n in own_nodes(node))
    jumps = bool(frame.loops) and any(own_jumps(node))
    if not isinstance(condition, Value):
        return _decided(frame, node.body if condition else node.orelse, rest if jumps or (returns and not frame.loops) else None)
    if returns and frame.loops:
        frame.unsupported(next(n for n in own_nodes(node) if isinstance(n, ast.Return)), *NO_RETURN)
    if returns:
        return if_that_ends(frame, node, rest, condition)
    if jumps:
        loop, liveness = frame.loops[-1], frame.source.liveness
        return if_that_ends(frame, node, rest, condition, liveness.head[loop] | liveness.after[loop] | {left(loop)})
    _branch(frame, node, condition)
    return None


def _decided(frame: Frame, body: Sequence[ast.stmt], rest: Sequence[ast.stmt] | None) -> Returned | Jump | None:
    """The branch that is known to be taken. `rest`: the statements after the if, where the function, or a loop's body, may end in
    one that is nested in it; those that decide on that at run time need them (None where no such can be).
    """
    if rest is None:
        return frame.run(body)
    return frame.run([*body, *rest]) or at_the_end(frame)


def _branch(frame: Frame, node: ast.If, condition: Value) -> None:
    """Both branches in regions; variables that they assign and that are read later become results."""
    live, assigned = frame.source.liveness.after[node], frame.source.liveness.assigned(node)
    _side_by_side(frame, node, condition, assigned, live, (lambda: frame.run(node.body), lambda: frame.run(node.orelse)))


def _side_by_side(frame: Frame, node: ast.If | ast.For | ast.While, condition: Value, assigned: frozenset[str], live: frozenset[str],
                  branches: tuple[Callable[[], Any], Callable[[], Any]]) -> None:  # fmt: skip
    names = sorted(assigned & live)

    def trace(branch: Callable[[], Any]) -> tuple[Any, ...]:
        branch()
        return tuple(frame.names.get(n, UNASSIGNED) for n in names)

    def merge(a: tuple[Any, ...], b: tuple[Any, ...], blocks: Blocks) -> tuple[Any, Any]:
        pairs = [merge_variable(frame, node, *each, blocks) for each in zip(names, a, b)]
        return tuple(x for x, _ in pairs), tuple(y for _, y in pairs)

    merged = choose(frame, node, condition, lambda: trace(branches[0]), lambda: trace(branches[1]), merge=merge)
    for name, held in zip(names, merged):
        frame.assign(name, held)
    for name in assigned - live:
        frame.names[name] = UNASSIGNED


@statement(ast.Break, ast.Continue)
def _jump(frame: Frame, node: ast.Break | ast.Continue) -> Jump:
    if isinstance(node, ast.Break):
        frame.names[left(frame.loops[-1])] = True
    return Jump()


def _breaks(node: ast.For | ast.While) -> bool:
    return any(isinstance(jump, ast.Break) for statement in node.body for jump in own_jumps(statement))


@statement(ast.For)
def _for(frame: Frame, node: ast.For) -> Returned | None:
    held = frame.eval(node.iter)
    frame.loops.append(node)
    try:
        if isinstance(held, (range, RuntimeRange)):
            return _counted(frame, node, held)
        if isinstance(held, (Value, Array, Handle)) or not hasattr(held, "__iter__"):
            raise frame.error(node.iter, f"cannot loop over {describe(held)}", "use range(...), xt.static_range(...) or a tuple")
        return _unrolled(frame, node, held)
    finally:
        frame.loops.pop()
        frame.names.pop(left(node), None)


MOST_UNROLLED = 64


def _counted(frame: Frame, node: ast.For, given: range | RuntimeRange) -> Returned | None:
    """A loop over a range; one of few constants is unrolled where its body means nothing with a counter of run time: one that indexes
    a list by it, takes it for a size, or halves a value each time. What is wrong in both forms is told of the second.
    """
    names, said = frame.names, len(frame.kernel.messages)
    frame.names = dict(names)
    try:
        (_runtime_for_with_break if _breaks(node) else _runtime_for)(frame, node, given)
        return None
    except DtypeError:  # a sum that begins as another type: to convert it is better than many copies
        raise
    except CompileError:
        if not isinstance(given, range) or len(given) > MOST_UNROLLED:
            raise
    frame.names = names
    del frame.kernel.messages[said:]
    return _unrolled(frame, node, given)


def _unrolled(frame: Frame, node: ast.For | ast.While, items: Any) -> Returned | None:
    frame.names[left(node)] = False
    for held in items:
        gone = frame.names[left(node)]
        if isinstance(gone, Value):
            _unless_left(frame, node, held, gone)
            continue
        _begin(frame, node, held)
        ended = frame.run(node.body)
        if isinstance(ended, Returned):
            return ended
        if frame.names[left(node)] is True:
            break
    return None


def _begin(frame: Frame, node: ast.For | ast.While, held: Any) -> None:
    if isinstance(node, ast.For):
        bind(frame, node.target, held)


def _unless_left(frame: Frame, node: ast.For | ast.While, held: Any, gone: Value) -> None:
    """One iteration of a loop that a `break` may have left, as is known at run time."""
    liveness = frame.source.liveness
    assigned, live = liveness.assigned(node) | {left(node)}, liveness.head[node] | {left(node)}

    def iteration() -> None:
        _begin(frame, node, held)
        if isinstance(frame.run(node.body), Returned):
            frame.unsupported(next(n for n in own_nodes(node) if isinstance(n, ast.Return)), *NO_RETURN)

    _side_by_side(frame, node, frame.apply(node, lambda: ~gone), assigned, live, (iteration, lambda: None))


def _runtime_for(frame: Frame, node: ast.For, given: range | RuntimeRange) -> None:
    if isinstance(given, range) and not given:
        return
    name = _loop_variable(frame, node)
    dtype, (lower, upper, step), shift = frame.apply(node.iter, _bounds, frame, node.iter, given)

    def attempt(inits: Held) -> tuple[Block, Held]:
        body = Block([dtype.ir, *types_of(inits)], [name, *value_names(inits)])
        frame.names.update(inside(inits, body.args[1:]))
        with frame.kernel.build.at(body):
            frame.names[name] = _variable(frame, node, given, shift, Value(body.args[0], dtype))
            _run_body(frame, node)
        return body, {n: frame.names[n] for n in inits}

    loop = settle_loop(frame, node, _set_anew(frame, node, name), attempt, once=isinstance(given, range))
    with frame.kernel.build.at(loop.made):
        frame.kernel.build(scf.Yield, loop.values(loop.ends))
    op = frame.apply(node.iter, frame.kernel.build.op, scf.For, lower, upper, step, loop.values(loop.inits), regions=[loop.made],
                     values=types_of(loop.inits))  # fmt: skip
    _after(frame, loop, op.results)


def _run_body(frame: Frame, node: ast.For | ast.While) -> None:
    if isinstance(frame.run(node.body), Returned):
        frame.unsupported(next(n for n in own_nodes(node) if isinstance(n, ast.Return)), *NO_RETURN)


def _after(frame: Frame, loop: Loop, results: list[IRValue]) -> None:
    for name, held in inside(loop.inits, results).items():
        frame.assign(name, held)


def _bounds(frame: Frame, node: ast.expr, given: range | RuntimeRange) -> tuple[DType, list[IRValue], tuple[Any, Any] | None]:
    """dtype of the variable; lower and upper bound and step; for steps that may be negative (start, step) to compute the variable from."""
    start, stop, step = given.start, given.stop, given.step
    dtype = dtypes.index
    for bound in (start, stop, step):
        if isinstance(bound, Value):
            dtype = _loop_dtype(frame, node, bound, dtype)
    backwards = isinstance(given, RuntimeRange) and given.backwards
    if not backwards and (
        is_positive(step) or (isinstance(step, Value) and is_never_negative(step) and _is_never_zero(frame, node, step))
    ):
        return dtype, [as_value(b, dtype).to(dtype).ir for b in (start, stop, step)], None
    # How often is counted in the variable's type: the difference of an i32's bounds may be more than an i32.
    start, stop, step = (
        Value(as_value(b, dtype).to(dtype).ir, dtype) if isinstance(b, Value) else b for b in (start, stop, step)
    )
    if isinstance(step, int):
        count = cdiv(start - stop, -step) if step < 0 else cdiv(stop - start, step)
    else:
        if not _is_never_zero(frame, node, step):
            device_assert(step != 0, "range with step 0")
        ahead = as_value(where(step > 0, as_value(stop, dtype) - start, as_value(start, dtype) - stop))
        count = where(step != 0, cdiv(ahead, maximum(abs(step), 1)), 0)
    if backwards:
        start, step = start + (count - 1) * step, -step
    return dtype, [as_value(b, dtype).to(dtype).ir for b in (0, count, 1)], (start, step)


def _is_never_zero(frame: Frame, node: ast.expr, step: Value) -> bool:
    """Whether launches are refused where a step is zero: such a loop would have no end."""
    return require(frame, node, "step != 0", step != 0, ("range with step 0",))


def _loop_dtype(frame: Frame, node: ast.AST, bound: Value, dtype: DType) -> DType:
    if bound.shape or bound.dtype.kind not in "iun" or bound.dtype is dtypes.u64:
        raise frame.error(node, f"range takes integers, not {describe(bound)}", "convert it: .to(xt.i32) or .to(xt.i64)")
    # u32 goes beyond a 32-bit index.
    return dtypes.i64 if bound.dtype in (dtypes.i64, dtypes.u32) else dtype


@statement(ast.While)
def _while(frame: Frame, node: ast.While) -> Returned | None:
    """A loop at run time; one whose condition constants decide, and whose body needs them as constants, is unrolled."""

    def attempt(inits: Held) -> tuple[Any, Held]:
        return _attempt_while(
            frame, node, inits, lambda: frame.condition(node.test, "the condition"), lambda: _run_body(frame, node)
        )

    names, said = dict(frame.names), len(frame.kernel.messages)
    try:
        _while_loop(frame, node, frozenset(), attempt, once=never_ends(node))
        return None
    except NeedsValuesError:
        error = _never_changes(frame, node.test)
    except DtypeError:
        raise
    except CompileError as needs:
        error = needs
    frame.names = names
    del frame.kernel.messages[said:]
    if not frame.source.liveness.assigned(node) & names_read(node.test):
        raise error from None
    frame.loops.append(node)
    try:
        return _unrolled(frame, node, _while_known(frame, node, error))
    finally:
        frame.loops.pop()
        frame.names.pop(left(node), None)


def _never_changes(frame: Frame, test: ast.AST) -> CompileError:
    hint = "a loop ends when its condition, computed in the kernel, is false, or by break"
    return frame.error(test, "this condition never changes", hint)


def _while_known(frame: Frame, node: ast.While, error: CompileError) -> Iterator[None]:
    """One after the other the iterations that constants decide on; raises the error where these do not decide, or too often."""
    for _ in range(MOST_UNROLLED):
        going = frame.condition(node.test, "the condition")
        if isinstance(going, Value):
            break
        if not going:
            return
        yield None
    raise error from None


def _while_loop(frame: Frame, node: ast.For | ast.While, bound: frozenset[str], attempt: Callable[[Held], tuple[Any, Held]],
                *own: str, once: bool) -> None:  # fmt: skip
    """A loop whose condition is looked at before each iteration; `own`: variables of the tracer's that it carries, `once`: it runs
    once at least.
    """
    place = node.test if isinstance(node, ast.While) else node.iter
    if _breaks(node):
        frame.names[left(node)] = False
        own = (*own, left(node))
    frame.loops.append(node)
    try:
        loop = settle_loop(frame, node, bound, attempt, own, once=once)
    finally:
        frame.loops.pop()
        for name in (*own, left(node)):
            frame.names.pop(name, None)
    before, after = loop.made
    if before is None:
        return
    with frame.kernel.build.at(after):
        frame.kernel.build(scf.Yield, loop.values(loop.ends))
    if isinstance(node, ast.While) and _is_the_same_again(before, after):
        raise _never_changes(frame, place)
    op = frame.apply(place, frame.kernel.build.op, scf.While, loop.values(loop.inits), regions=[before, after],
                     values=types_of(loop.inits))  # fmt: skip
    _after(frame, loop, op.results)
    for name in own:
        frame.names.pop(name, None)


def _is_the_same_again(before: Block, after: Block) -> bool:
    """Whether a loop's condition is computed of nothing that an iteration changes, so that it has no end once it has begun."""
    condition, changed = before.ops[-1], after.ops[-1]
    assert isinstance(condition, scf.Condition)
    moving = {inner for inner, began, ends in zip(before.args, after.args, changed.operands) if ends is not began}
    needed = list(reached((condition.condition,), lambda value: value.op.operands if value.op is not None else ()))
    made = [value.op for value in needed if value.op is not None and value.op.parent is before]
    return not moving.intersection(needed) and all(op.pure and not op.regions for op in made)


def _attempt_while(frame: Frame, node: ast.For | ast.While, inits: Held, going: Callable[[], Any],
                   iteration: Callable[[], None]) -> tuple[tuple[Block | None, Block], Held]:  # fmt: skip
    build, names = frame.kernel.build, value_names(inits)
    before, after = Block(types_of(inits), names), Block(types_of(inits), names)
    place = node.test if isinstance(node, ast.While) else node.iter
    frame.names.update(inside(inits, before.args))
    with build.at(before):
        condition, gone = going(), frame.names.get(left(node), False)
        if not isinstance(condition, Value) and not condition:
            return (None, after), dict(inits)
        if isinstance(gone, Value):
            condition = frame.apply(place, lambda: condition & ~gone if isinstance(condition, Value) else ~gone)
        if not isinstance(condition, Value):
            raise NeedsValuesError
        frame.apply(place, build, scf.Condition, condition.ir, before.args)
    frame.names.update(inside(inits, after.args))
    with build.at(after):
        iteration()
    return (before, after), {n: frame.names[n] for n in inits}


def _runtime_for_with_break(frame: Frame, node: ast.For, given: range | RuntimeRange) -> None:
    """Counts as `for` does, and looks before each iteration whether the loop has been left."""
    if isinstance(given, range) and not given:
        return
    name, counter = _loop_variable(frame, node), f"iteration (line {node.lineno})"
    dtype, (lower, upper, step), shift = frame.apply(node.iter, _bounds, frame, node.iter, given)
    frame.names[counter] = Value(lower, dtype)

    def attempt(inits: Held) -> tuple[Any, Held]:
        def iteration() -> None:
            count = frame.names[counter]
            frame.names[name] = _variable(frame, node, given, shift, count)
            _run_body(frame, node)
            frame.names[counter] = frame.apply(node.iter, lambda: count + Value(step, dtype))

        going = lambda: frame.apply(node.iter, lambda: frame.names[counter] < Value(upper, dtype))  # noqa: E731
        return _attempt_while(frame, node, inits, going, iteration)

    frame.loops.pop()
    try:
        _while_loop(frame, node, _set_anew(frame, node, name), attempt, counter, once=isinstance(given, range))
    finally:
        frame.loops.append(node)


def _loop_variable(frame: Frame, node: ast.For) -> str:
    if not isinstance(node.target, ast.Name):
        raise frame.error(node.target, "the variable of a loop over range is one name", "for i in range(n)")
    return node.target.id


def _set_anew(frame: Frame, node: ast.For, name: str) -> frozenset[str]:
    """The loop's variable, which each iteration sets; but for one that is read after the loop: where that runs no time, it is as before."""
    return frozenset({name}) - frame.source.liveness.after[node]


def _variable(frame: Frame, node: ast.For, given: range | RuntimeRange, shift: tuple[Any, Any] | None, count: Value) -> Value:
    """What the loop's name stands for in an iteration, and whether it is seen never to be negative."""
    if shift is None:
        frame.kernel.begins[count.ir], frame.kernel.ends[count.ir] = given.start, given.stop
        if is_never_negative(given.start):
            frame.kernel.counts.add(count.ir)
        return count
    # range counts down where the machine counts up: the variable is computed from the number of the iteration.
    frame.kernel.counts.add(count.ir)
    start, step = shift
    variable: Value = frame.apply(node.iter, lambda: count * step + start)
    natural_stop = given.stop == -1 if isinstance(given.stop, int) and given.stop < 0 else is_never_negative(given.stop)
    if natural_stop and is_never_negative(given.start):  # counting up begins at the start, down ends before the stop
        frame.kernel.counts.add(variable.ir)
    return variable
