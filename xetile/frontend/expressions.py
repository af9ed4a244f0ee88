"""Expressions: plain Python on what is known now, ops on run-time values."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from inspect import Parameter, Signature
from types import MethodType, ModuleType
from typing import Any

from xetile.dialects import scf
from xetile.errors import CompileError, ConstexprError, counted
from xetile.frontend.branches import UNASSIGNED, choose, merge_variable, splice
from xetile.frontend.carry import Unbound
from xetile.frontend.frame import Frame, expression
from xetile.frontend.vocabulary import hint_for, hint_for_operands
from xetile.ir.core import Block
from xetile.language.arrays import Array, Handle
from xetile.language.containers import Entries, Held, Items, put_in, share, to_python
from xetile.language.elementwise import as_value
from xetile.language.math import where
from xetile.language.texts import holds_values, joined, written
from xetile.language.values import Value, describe

BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.MatMult: operator.matmul,
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
    ast.LShift: operator.lshift, ast.RShift: operator.rshift,
}  # fmt: skip
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
}  # fmt: skip


@expression(ast.Constant)
def _constant(frame: Frame, node: ast.Constant) -> Any:
    return node.value


@expression(ast.Name)
def _name(frame: Frame, node: ast.Name) -> Any:
    return frame.lookup(node)


@expression(ast.Attribute)
def _attribute(frame: Frame, node: ast.Attribute) -> Any:
    held = frame.eval(node.value)
    if isinstance(held, ModuleType) and node.attr in vars(held):  # makes no op, and raises nothing
        return vars(held)[node.attr]
    try:
        found = frame.apply(node, getattr, held, node.attr)
        return put_in(found) if isinstance(found, Held) and not found.placed else found
    except CompileError as error:
        if not isinstance(error.__cause__, AttributeError):
            raise
        owner = held.__name__ if isinstance(held, ModuleType) else describe(held)
        raise frame.error(node, f"{owner} has no attribute {node.attr!r}", hint_for(held, node.attr)) from None


@expression(ast.BinOp)
def _binary(frame: Frame, node: ast.BinOp) -> Any:
    left, right = frame.eval(node.left), frame.eval(node.right)
    return frame.apply(node, binary, BINARY[type(node.op)], left, to_python(right) if isinstance(left, str) else right)


def binary(function: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """A Python operator; says which operands it does not take."""
    several = (tuple, str)
    if isinstance(left, str) and function is operator.mod and holds_values(right):
        raise CompileError("text is filled by % with values that are known at run time only", hint='write f"n is {n}"')
    if function not in (_COMPARE[ast.In], _COMPARE[ast.NotIn]) and (
        (isinstance(left, Value) and isinstance(right, several)) or (isinstance(right, Value) and isinstance(left, several))
    ):
        raise CompileError(_untaken(function, left, right), hint=hint_for_operands(left, right))  # Python would repeat the tuple
    if function in (operator.eq, operator.ne) and any(isinstance(each, (Array, Handle)) for each in (left, right)):
        # Python would compare the objects, and say no.
        hint = None if left is None or right is None else hint_for_operands(left, right)
        raise CompileError(_untaken(function, left, right), hint=hint or "whether it was given: A is not None")
    try:
        return function(left, right)
    except TypeError as error:
        ours = (Value, Array, Handle)
        if not isinstance(left, ours) and not isinstance(right, ours):
            raise
        raise CompileError(_untaken(function, left, right), hint=hint_for_operands(left, right)) from error


def _untaken(function: Callable[[Any, Any], Any], left: Any, right: Any) -> str:
    return f"{function.__name__.strip('_')} does not take {describe(left)} and {describe(right)}"


@expression(ast.UnaryOp)
def _unary(frame: Frame, node: ast.UnaryOp) -> Any:
    if isinstance(node.op, ast.Not):
        held = frame.condition(node.operand, "the operand of not", "~mask turns each element round; xt.any and xt.all reduce")
        return frame.apply(node, lambda: ~held) if isinstance(held, Value) else not held
    return frame.apply(node, _UNARY[type(node.op)], frame.eval(node.operand))


@expression(ast.Compare)
def _compare(frame: Frame, node: ast.Compare) -> Any:
    left, result = frame.eval(node.left), None
    for op, comparator in zip(node.ops, node.comparators):
        right = frame.eval(comparator)
        if isinstance(op, (ast.Is, ast.IsNot)) and (wrong := _compared_objects(left, right)):
            raise frame.error(
                node, f"is compares objects, and {wrong} is known at run time only", "numbers are compared by == and !="
            )
        if isinstance(op, (ast.In, ast.NotIn)) and (found := _run_time_member(left, right)) is not None:
            step = _membership(frame, node, found, left, right, negated=isinstance(op, ast.NotIn))
        elif isinstance(op, (ast.Eq, ast.NotEq)) and _hold_scalars(left, right):
            same = _same_members(frame, node, left, right)
            step = same if isinstance(op, ast.Eq) else frame.apply(node, lambda x: ~x if isinstance(x, Value) else not x, same)
        else:
            sides = (left, right) if isinstance(op, (ast.Is, ast.IsNot)) else (to_python(left), to_python(right))
            step = frame.apply(node, binary, _COMPARE[type(op)], *sides)
        result = step if result is None else _both(frame, node, result, step)
        if result is False:
            return False
        left = right
    return result


def _compared_objects(left: Any, right: Any) -> str:
    """The value of a kernel that `is` compares with a number or another value; empty where it tells what there is: `n is None`."""
    values = [held for held in (left, right) if isinstance(held, Value)]
    others = [held for held in (left, right) if not isinstance(held, Value)]
    return describe(values[0]) if values and all(isinstance(held, (int, float)) for held in others) else ""


def _run_time_member(left: Any, right: Any) -> Any:
    """What `left in right` asks of, and is known at run time only; None where it is decided now."""
    members = right if isinstance(right, tuple) else ()
    return next((held for held in (left, right, *members) if isinstance(held, (Value, Array))), None)


def _membership(frame: Frame, node: ast.Compare, found: Any, left: Any, right: Any, *, negated: bool) -> Any:
    """`n in (1, 2)` of a scalar: whether it equals one of them."""
    if not isinstance(right, tuple) or isinstance(found, Array) or any(getattr(each, "shape", ()) for each in (left, *right)):
        hint = "compare one by one: (x == 1) | (x == 2); xt.any(x == 1) says whether any element is 1"
        raise frame.error(node, f"in does not take {describe(left)} and {describe(right)}", hint)
    result: Any = negated
    for member in right:
        same = frame.apply(node, binary, operator.ne if negated else operator.eq, left, member)
        result = frame.apply(node, binary, operator.and_ if negated else operator.or_, result, same)
    return result


def _hold_scalars(left: Any, right: Any) -> bool:
    """Whether two tuples are compared of which one holds numbers of run time: `A.shape == B.shape`."""
    if not isinstance(left, tuple) or not isinstance(right, tuple):
        return False
    found = [each for each in (*left, *right) if isinstance(each, Value)]
    return bool(found) and not any(each.shape for each in found)


def _same_members(frame: Frame, node: ast.Compare, left: tuple[Any, ...], right: tuple[Any, ...]) -> Any:
    """Whether two tuples, or two lists, are as long and equal, member by member."""
    same: Any = len(left) == len(right) and isinstance(left, Items) == isinstance(right, Items)
    for a, b in zip(left, right) if same else ():
        nested = _hold_scalars(a, b)
        same = _both(
            frame, node, same, _same_members(frame, node, a, b) if nested else frame.apply(node, binary, operator.eq, a, b)
        )
    return same


def _both(frame: Frame, node: ast.AST, a: Any, b: Any) -> Any:
    if isinstance(a, Value) or isinstance(b, Value):
        return frame.apply(node, lambda: a & b)
    return a and b


@expression(ast.BoolOp)
def _bool_op(frame: Frame, node: ast.BoolOp) -> Any:
    return _bool_chain(frame, node, list(node.values))


def _bool_chain(frame: Frame, node: ast.BoolOp, parts: list[ast.expr]) -> Any:
    """`a and b and c`: what is known now decides now; at run time the rest is evaluated only where Python would."""
    ends_on = isinstance(node.op, ast.Or)
    first = frame.eval(parts[0])
    if len(parts) == 1:
        return first
    if not isinstance(first, Value):
        return first if bool(frame.apply(parts[0], bool, first)) == ends_on else _bool_chain(frame, node, parts[1:])
    left = _truth(frame, parts[0], first)
    block, before = Block(), dict(frame.names)
    with frame.kernel.build.at(block):
        rest = _bool_chain(frame, node, parts[1:])
        right = _truth(frame, parts[1], rest)
        number = _number(frame, node, left, first, rest)
    pure = all(op.pure for op in block.walk())
    if pure:
        splice(frame.kernel.build, block)
    _merge_assigned(frame, node, before, left if not ends_on else frame.apply(node, lambda: ~left), pure)
    if number is not None and pure:
        return number
    if number is not None:
        return frame.apply(node, _guarded, frame, left, first.to(number.dtype), number, block, ends_on)
    if pure:
        return frame.apply(node, lambda: (left | right) if ends_on else (left & right))
    kept = left.with_ir(frame.kernel.constant(ends_on, left.ir.type))
    return frame.apply(node, _guarded, frame, left, kept, right, block, ends_on)


def _merge_assigned(frame: Frame, node: ast.BoolOp, before: dict[str, Any], went_on: Value, pure: bool) -> None:
    """Variables that the right side of an `and` or `or` assigns (`n > 0 and (m := n - 1) > 2`): as before where it is not evaluated."""
    for name, new in list(frame.names.items()):
        old = before.get(name, UNASSIGNED)
        if new is old:
            continue
        place = next(n for n in ast.walk(node) if isinstance(n, ast.NamedExpr) and n.target.id == name)
        if not pure and not isinstance(old, Unbound):
            raise frame.error(place, "this is assigned only where the left side leaves the answer open", "write an if around it")
        if isinstance(old, Unbound) or not pure:
            frame.names[name] = UNASSIGNED
            continue
        merge = partial(merge_variable, frame, place, name)
        frame.names[name] = choose(frame, node, went_on, partial(put_in, new), partial(put_in, old), select=True, merge=merge)


def _number(frame: Frame, node: ast.BoolOp, left: Value, first: Value, rest: Any) -> Value | None:
    """What `n or 5` and `n and m` give where numbers are among them, as in Python: one of the two; None where truths are enough."""
    if not isinstance(rest, (Value, int, float)):
        return None
    if first.dtype.kind == "b" and (isinstance(rest, bool) or (isinstance(rest, Value) and rest.dtype.kind == "b")):
        return None
    dtype = rest.dtype if isinstance(rest, Value) else as_value(rest + 0).dtype
    chosen: tuple[Any, Any] = (first.to(dtype) if first.dtype.kind == "b" else first, rest)
    if isinstance(rest, bool) or (isinstance(rest, Value) and rest.dtype.kind == "b"):
        chosen = (first, rest.to(first.dtype) if isinstance(rest, Value) else int(rest))
    found: Value = frame.apply(node, where, left, *(chosen if isinstance(node.op, ast.Or) else chosen[::-1]))
    return found


def _truth(frame: Frame, node: ast.AST, held: Any) -> Any:
    if not isinstance(held, Value):
        return bool(held)
    if held.shape:
        raise frame.error(
            node,
            f"and / or of {describe(held)}: its elements may differ",
            "combine masks with & and |, or reduce with xt.any or xt.all",
        )
    return held if held.dtype.kind == "b" else frame.apply(node, lambda: held != 0)


def _guarded(frame: Frame, left: Value, kept: Value, right: Any, block: Block, ends_on: bool) -> Value:
    """A right side with effects runs only where the left one leaves the answer open; else the answer is `kept`."""
    kernel, known, decided = frame.kernel, Block(), kept.ir
    answer = right.ir if isinstance(right, Value) else kernel.constant(right, left.ir.type)
    with kernel.build.at(block):
        kernel.build(scf.Yield, [answer])
    with kernel.build.at(known):
        kernel.build(scf.Yield, [decided])
    regions = [known, block] if ends_on else [block, known]
    return kept.with_ir(kernel.build(scf.If, left.ir, regions=regions, values=[decided.type]))


@expression(ast.IfExp)
def _if_expression(frame: Frame, node: ast.IfExp) -> Any:
    condition = frame.condition(node.test, "the condition")
    if not isinstance(condition, Value):
        return frame.eval(node.body if condition else node.orelse)
    if assigned := [n for side in (node.body, node.orelse) for n in ast.walk(side) if isinstance(n, ast.NamedExpr)]:
        raise frame.error(assigned[0], "a side of a choice of run time assigns a variable", "write if and else")
    try:
        sides = (lambda: put_in(frame.eval(node.body)), lambda: put_in(frame.eval(node.orelse)))
        return choose(frame, node, condition, *sides, select=True)
    except CompileError as error:
        if error.at is not None:
            raise
        raise frame.error(node, f"the two sides differ: {error.message}", error.hint) from None


@expression(ast.Tuple, ast.List)
def _tuple(frame: Frame, node: ast.Tuple | ast.List) -> tuple[Any, ...]:
    # Lists are tuples in kernels: nothing that a loop body could change behind the tracer's back.
    return (tuple if isinstance(node, ast.Tuple) else Items)(map(put_in, elements(frame, node.elts)))


def elements(frame: Frame, nodes: list[ast.expr]) -> Iterator[Any]:
    """Values of expressions, those with a star spread out."""
    for node in nodes:
        if isinstance(node, ast.Starred):
            yield from share(frame.apply(node, tuple, frame.eval(node.value)))
        else:
            yield frame.eval(node)


@expression(ast.Dict)
def _dict(frame: Frame, node: ast.Dict) -> dict[Any, Any]:
    result: dict[Any, Any] = {}
    for key, value in zip(node.keys, node.values):
        if key is None:
            result.update(share(frame.eval(value)))
        else:
            result[frame.eval(key)] = put_in(frame.eval(value))
    return Entries(result)


def _called(held: Any) -> str:
    """The name of a container as users know it: lists are kept as `Items`."""
    return "list" if isinstance(held, Items) else "dict" if isinstance(held, Entries) else type(held).__name__


@expression(ast.Subscript)
def _subscript(frame: Frame, node: ast.Subscript) -> Any:
    held = frame.eval(node.value)
    return element(frame, node, held, frame.eval(node.slice))


def element(frame: Frame, node: ast.Subscript, held: Any, index: Any) -> Any:
    """What a subscript gives; `node`: where it stands, with what it is of."""
    check_index(frame, node, held, index)
    ours = isinstance(held, (Value, Array, Handle, Held))
    return frame.apply(node, operator.getitem, held, index if ours else to_python(index))


def check_index(frame: Frame, node: ast.Subscript, held: Any, index: Any) -> None:
    """Raise ConstexprError for a subscript of a list that is no constant, CompileError for one beyond its end."""
    if isinstance(held, (tuple, list, str, range, dict)) and isinstance(index, Value):
        raise ConstexprError(
            f"the index of a {_called(held)} is {describe(index)}, which is known at run time only",
            hint="xt.static_range counts with constants: for i in xt.static_range(n); or choose with xt.where(i == 0, a, b)",
            at=frame.location(node),
        )
    if held is None:
        what = node.value.id if isinstance(node.value, ast.Name) else "this"
        raise frame.error(node, f"{what} is None, and has no elements", f"use it where it was given: if {what} is not None: ...")
    if isinstance(held, MethodType):
        called = ast.unparse(node.value)
        raise frame.error(node, f"{called} is a function, and has no elements", f"call it: {called}({ast.unparse(node.slice)})")
    if isinstance(held, (tuple, list, str, range)) and isinstance(index, int) and not -len(held) <= index < len(held):
        there = f"from 0 to {len(held) - 1}" if held else "nothing is in it"
        if _is_shape(node.value):
            there = (
                f"the array has {counted(len(held), 'axis')}; pass one of rank {index + 1}" if held else "a number has no axes"
            )
        raise frame.error(node, f"index {index} of a {_called(held)} of {len(held)}", there)


def _is_shape(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in ("shape", "strides")


@expression(ast.Slice)
def _slice(frame: Frame, node: ast.Slice) -> slice:
    return slice(*(None if part is None else frame.eval(part) for part in (node.lower, node.upper, node.step)))


@expression(ast.NamedExpr)
def _named(frame: Frame, node: ast.NamedExpr) -> Any:
    held = frame.eval(node.value)
    frame.assign(node.target.id, held)
    return held


@expression(ast.Lambda)
def _lambda(frame: Frame, node: ast.Lambda) -> Callable[..., Any]:
    parameters = list(_parameters(frame, node.args))
    signature, names = Signature(parameters), [p.name for p in parameters]

    def function(*args: Any, **named: Any) -> Any:
        try:
            given = signature.bind(*args, **named)
        except TypeError:
            takes = ", ".join(names) or "nothing"
            raise TypeError(f"the lambda takes {takes}; it is given {_counted(args, named)}") from None
        given.apply_defaults()
        taken = {name: Entries(held) if type(held) is dict else held for name, held in given.arguments.items()}
        inner = Frame(frame.kernel, frame.source, {**frame.names, **taken}, frame.caller, frame.depth)
        return inner.eval(node.body)

    return with_signature(function, [p.name for p in parameters if p.default is Parameter.empty and p.kind not in _OF_ANY_NUMBER])


def _parameters(frame: Frame, given: ast.arguments) -> Iterator[Parameter]:
    """The parameters of a lambda, with what their defaults are now."""
    by_place = [*given.posonlyargs, *given.args]
    defaults = iter((*[None] * (len(by_place) - len(given.defaults)), *given.defaults, *given.kw_defaults))

    def named(arg: ast.arg, kind: Any) -> Parameter:
        default = next(defaults)
        return Parameter(arg.arg, kind, default=Parameter.empty if default is None else frame.eval(default))

    yield from (named(arg, Parameter.POSITIONAL_ONLY) for arg in given.posonlyargs)
    yield from (named(arg, Parameter.POSITIONAL_OR_KEYWORD) for arg in given.args)
    if given.vararg:
        yield Parameter(given.vararg.arg, Parameter.VAR_POSITIONAL)
    yield from (named(arg, Parameter.KEYWORD_ONLY) for arg in given.kwonlyargs)
    if given.kwarg:
        yield Parameter(given.kwarg.arg, Parameter.VAR_KEYWORD)


_OF_ANY_NUMBER = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


def _counted(args: tuple[Any, ...], named: dict[str, Any]) -> str:
    return " and ".join([f"{len(args)} by place", *(f"{name} by name" for name in named)])


def with_signature(function: Callable[..., Any], needed: Sequence[str]) -> Callable[..., Any]:
    """A function that a kernel defines, with the parameters that it needs where Python looks for them."""
    function.__signature__ = Signature([Parameter(n, Parameter.POSITIONAL_OR_KEYWORD) for n in needed])  # type: ignore[attr-defined]
    return function


@expression(ast.JoinedStr)
def _f_string(frame: Frame, node: ast.JoinedStr) -> Any:
    return joined([frame.eval(part) for part in node.values])


@expression(ast.FormattedValue)
def _formatted(frame: Frame, node: ast.FormattedValue) -> Any:
    held = frame.eval(node.value)
    spec = frame.eval(node.format_spec) if node.format_spec is not None else ""
    return frame.apply(node, written, held, spec, chr(node.conversion) if node.conversion > 0 else None)
