"""Control flow: if, for, while. What is known now is decided now; the rest becomes structured control flow of the IR."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from xetile import dtypes
from xetile.dialects import scf
from xetile.dtypes import DType
from xetile.errors import CompileError
from xetile.frontend.branches import choose
from xetile.frontend.calls import RuntimeRange
from xetile.frontend.carry import Unbound, kind_text, unify
from xetile.frontend.frame import Frame, Returned, statement
from xetile.frontend.loops import Held, Loop, NeedsValuesError, inside, settle_loop, types_of, value_names
from xetile.frontend.statements import bind
from xetile.ir.core import Block
from xetile.ir.core import Value as IRValue
from xetile.language.arrays import Array, Handle
from xetile.language.division import cdiv
from xetile.language.elementwise import as_value
from xetile.language.values import Value, describe

_NO_RETURN = ("a function cannot return from inside a loop", "set a variable in the loop and return after it")
_UNASSIGNED = Unbound("may have no value: only one branch of an if assigns it", "assign it before the if, or in both branches")


@statement(ast.If)
def _if(frame: Frame, node: ast.If, rest: Sequence[ast.stmt]) -> Returned | None:
    condition = frame.condition(node.test, "the condition")
    returns = any(isinstance(n, ast.Return) for n in ast.walk(node))
    if not isinstance(condition, Value):
        return _decided(frame, node.body if condition else node.orelse, rest if returns and not frame.loops else None)
    if returns:
        return _if_with_return(frame, node, rest, condition)
    _branch(frame, node, condition)
    return None


def _decided(frame: Frame, body: Sequence[ast.stmt], rest: Sequence[ast.stmt] | None) -> Returned | None:
    """The branch that is known to be taken. `rest`: the statements after the if, where the function may end in one that is
    nested in it; those that decide on that at run time need them (None in loops, which a function cannot return from).
    """
    if rest is None:
        return frame.run(body)
    return frame.run([*body, *rest]) or Returned()


def _branch(frame: Frame, node: ast.If, condition: Value) -> None:
    """Both branches in regions; variables that they assign and that are read later become results."""
    live, assigned = frame.source.liveness.after[node], frame.source.liveness.assigned(node)
    names = sorted(assigned & live)

    def trace(body: Sequence[ast.stmt]) -> tuple[Any, ...]:
        frame.run(body)
        return tuple(frame.names.get(n, _UNASSIGNED) for n in names)

    def merge(a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[Any, Any]:
        pairs = [_merge_variable(frame, node, *each) for each in zip(names, a, b)]
        return tuple(x for x, _ in pairs), tuple(y for _, y in pairs)

    merged = choose(frame, node, condition, lambda: trace(node.body), lambda: trace(node.orelse), merge=merge)
    for name, held in zip(names, merged):
        frame.assign(name, held)
    for name in assigned - live:
        frame.names[name] = _UNASSIGNED


def _merge_variable(frame: Frame, node: ast.If, name: str, a: Any, b: Any) -> tuple[Any, Any]:
    if isinstance(a, Unbound) or isinstance(b, Unbound):
        return _UNASSIGNED, _UNASSIGNED
    try:
        return unify(a, b)
    except CompileError:
        message = f"{name} is {kind_text(a)} in one branch and {kind_text(b)} in the other"
        raise frame.error(node.test, message, "give it the same shape and dtype in both, such as with .to(...)") from None


def _if_with_return(frame: Frame, node: ast.If, rest: Sequence[ast.stmt], condition: Value) -> Returned:
    """The function ends in at least one branch: the statements after the if go into those that go on."""
    if frame.loops:
        frame.unsupported(next(n for n in ast.walk(node) if isinstance(n, ast.Return)), *_NO_RETURN)

    def trace(body: Sequence[ast.stmt]) -> Any:
        ended = frame.run([*body, *rest])
        return ended.value if ended is not None else None

    try:
        return Returned(choose(frame, node, condition, lambda: trace(node.body), lambda: trace(node.orelse)))
    except CompileError as error:
        if error.at is not None:
            raise
        raise frame.error(
            node.test, f"the function returns {error.message}", "return the same shape and dtype everywhere"
        ) from None


@statement(ast.For)
def _for(frame: Frame, node: ast.For) -> Returned | None:
    if node.orelse:
        frame.unsupported(node, "else after a loop is not supported in kernels", "put it after the loop")
    held = frame.eval(node.iter)
    frame.loops += 1
    try:
        if isinstance(held, (range, RuntimeRange)):
            _runtime_for(frame, node, held)
            return None
        if isinstance(held, (Value, Array, Handle)) or not hasattr(held, "__iter__"):
            raise frame.error(node.iter, f"cannot loop over {describe(held)}", "use range(...), xt.static_range(...) or a tuple")
        return _unrolled(frame, node, held)
    finally:
        frame.loops -= 1


def _unrolled(frame: Frame, node: ast.For, items: Any) -> Returned | None:
    for held in items:
        bind(frame, node.target, held)
        ended = frame.run(node.body)
        if ended is not None:
            return ended
    return None


def _runtime_for(frame: Frame, node: ast.For, given: range | RuntimeRange) -> None:
    if isinstance(given, range) and not given:
        return
    if not isinstance(node.target, ast.Name):
        raise frame.error(node.target, "the variable of a loop over range is one name", "for i in range(n)")
    name = node.target.id
    dtype, (lower, upper, step), shift = frame.apply(node.iter, _bounds, frame, node.iter, given)

    def attempt(inits: Held) -> tuple[Block, Held]:
        body = Block([dtype.ir, *types_of(inits)], [name, *value_names(inits)])
        frame.names.update(inside(inits, body.args[1:]))
        with frame.kernel.build.at(body):
            variable = Value(body.args[0], dtype)
            # range counts down where the machine counts up: the variable is computed from the number of the iteration.
            frame.names[name] = variable if shift is None else frame.apply(node.iter, lambda: variable * shift[1] + shift[0])
            _run_body(frame, node)
        return body, {n: frame.names[n] for n in inits}

    loop = settle_loop(frame, node, frozenset({name}), attempt)
    with frame.kernel.build.at(loop.made):
        frame.kernel.build(scf.Yield, loop.values(loop.ends))
    op = frame.apply(node.iter, frame.kernel.build.op, scf.For, lower, upper, step, loop.values(loop.inits), regions=[loop.made],
                     values=types_of(loop.inits))  # fmt: skip
    _after(frame, loop, op.results)


def _run_body(frame: Frame, node: ast.For | ast.While) -> None:
    if frame.run(node.body) is not None:
        frame.unsupported(next(n for n in ast.walk(node) if isinstance(n, ast.Return)), *_NO_RETURN)


def _after(frame: Frame, loop: Loop, results: list[IRValue]) -> None:
    for name, held in inside(loop.inits, results).items():
        frame.assign(name, held)


def _bounds(frame: Frame, node: ast.AST, given: range | RuntimeRange) -> tuple[DType, list[IRValue], tuple[Any, Any] | None]:
    """dtype of the variable; lower and upper bound and step; for negative steps (start, step) to compute the variable from."""
    start, stop, step = given.start, given.stop, given.step
    dtype = dtypes.index
    for bound in (start, stop, step):
        if isinstance(bound, Value):
            dtype = _loop_dtype(frame, node, bound, dtype)
    if isinstance(step, int) and step < 0:
        bounds, shift = (0, cdiv(start - stop, -step), 1), (start, step)
    else:
        bounds, shift = (start, stop, step), None
    return dtype, [as_value(b, dtype).to(dtype).ir for b in bounds], shift


def _loop_dtype(frame: Frame, node: ast.AST, bound: Value, dtype: DType) -> DType:
    if bound.shape or bound.dtype.kind not in "iun" or bound.dtype is dtypes.u64:
        raise frame.error(node, f"range takes integers, not {describe(bound)}", "convert it: .to(xt.i32) or .to(xt.i64)")
    # u32 goes beyond a 32-bit index.
    return dtypes.i64 if bound.dtype in (dtypes.i64, dtypes.u32) else dtype


@statement(ast.While)
def _while(frame: Frame, node: ast.While) -> None:
    if node.orelse:
        frame.unsupported(node, "else after a loop is not supported in kernels", "put it after the loop")
    for n in ast.walk(node.test):
        if isinstance(n, ast.NamedExpr):
            frame.unsupported(
                n, "the condition of a loop cannot assign variables", "assign before the loop and at the end of its body"
            )
    frame.loops += 1
    try:
        loop = settle_loop(frame, node, frozenset(), lambda inits: _attempt_while(frame, node, inits))
    except NeedsValuesError:
        raise frame.error(
            node.test, "this condition never changes", "a loop ends when its condition, computed in the kernel, is false"
        ) from None
    finally:
        frame.loops -= 1
    before, after = loop.made
    if before is None:
        return
    with frame.kernel.build.at(after):
        frame.kernel.build(scf.Yield, loop.values(loop.ends))
    op = frame.apply(node.test, frame.kernel.build.op, scf.While, loop.values(loop.inits), regions=[before, after],
                     values=types_of(loop.inits))  # fmt: skip
    _after(frame, loop, op.results)


def _attempt_while(frame: Frame, node: ast.While, inits: Held) -> tuple[tuple[Block | None, Block], Held]:
    build, names = frame.kernel.build, value_names(inits)
    before, after = Block(types_of(inits), names), Block(types_of(inits), names)
    frame.names.update(inside(inits, before.args))
    with build.at(before):
        condition = frame.condition(node.test, "the condition")
        if not isinstance(condition, Value):
            if not condition:
                return (None, after), dict(inits)
            raise NeedsValuesError
        frame.apply(node.test, build, scf.Condition, condition.ir, before.args)
    frame.names.update(inside(inits, after.args))
    with build.at(after):
        _run_body(frame, node)
    return (before, after), {n: frame.names[n] for n in inits}
