"""Statements without control flow of their own: assignments, expressions, return, assert."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

from xetile.errors import CompileError
from xetile.frontend.asserted import state
from xetile.frontend.expressions import BINARY, binary, check_index, element
from xetile.frontend.frame import Frame, Returned, statement
from xetile.frontend.liveness import changed_list, part_assigned
from xetile.ir.core import Op
from xetile.ir.interfaces import only_reads
from xetile.language.arrays import Array, Handle
from xetile.language.containers import Entries, Held, Items, alike, is_record, put_in
from xetile.language.memory import load_tile, store_tile
from xetile.language.static import static_range
from xetile.language.values import Value, describe


@statement(ast.Expr)
def _expression(frame: Frame, node: ast.Expr) -> None:
    block = frame.kernel.build.block
    before = len(block.ops)
    held = frame.eval(node.value)
    if isinstance(node.value, ast.Call) and isinstance(frame.names.get(changed_list(node.value) or ""), Held):
        return  # `xs.pop(0)`: the list is shorter
    if _is_made(held) and not any(_has_effect(op) for made in block.ops[before:] for op in (made, *_inside(made))):
        why, hint = "it has no other effect", "use it, or leave it out"
        if isinstance(node.value, ast.Call) and node.value.args and isinstance(held, Handle):
            first = node.value.args[0]
            name = first.id if isinstance(first, ast.Name) else "tile"  # to assign to a part stores to it
            why, hint = "tiles do not change", f"write {name} = {ast.unparse(node.value)}"
        raise frame.error(node.value, f"nothing uses the result of this: {why}", hint)


def _is_made(held: Any) -> bool:
    """Whether something is made by a kernel at run time."""
    return any(map(_is_made, held)) if isinstance(held, tuple) else isinstance(held, (Value, Handle, Array))


def _has_effect(op: Op) -> bool:
    return not (only_reads(op) or op.terminator or op.regions)


def _inside(op: Op) -> Iterator[Op]:
    return (inner for region in op.regions for inner in region.walk())


@statement(ast.Pass)
def _pass(frame: Frame, node: ast.Pass) -> None:
    pass


@statement(ast.Assign)
def _assign(frame: Frame, node: ast.Assign) -> None:
    target = node.targets[0]
    if len(node.targets) == 1 and _correspond(target, node.value):
        # `a, b = [], []`: no tuple goes on holding these.
        for part, held in list(zip(target.elts, map(frame.eval, node.value.elts))):  # type: ignore[attr-defined]
            bind(frame, part, held)
        return
    held = frame.eval(node.value)
    for target in node.targets:
        bind(frame, target, held)


def _correspond(target: ast.expr, value: ast.expr) -> bool:
    """Whether as many targets as expressions are written, none with a star."""
    both = (target, value)
    if not all(isinstance(each, (ast.Tuple, ast.List)) for each in both):
        return False
    ours, theirs = (each.elts for each in both)  # type: ignore[attr-defined]
    return len(ours) == len(theirs) and not any(isinstance(each, ast.Starred) for each in (*ours, *theirs))


@statement(ast.AnnAssign)
def _annotated(frame: Frame, node: ast.AnnAssign) -> None:
    if node.value is not None:
        bind(frame, node.target, frame.eval(node.value))


@statement(ast.AugAssign)
def _augmented(frame: Frame, node: ast.AugAssign) -> None:
    target = node.target
    if isinstance(target, ast.Name):
        old = frame.lookup(ast.copy_location(ast.Name(target.id, ast.Load()), target))
        if isinstance(old, Held):
            _change_whole(frame, node, target.id, old)
            return
    elif isinstance(target, ast.Subscript):
        old = frame.eval(ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), target))
        if isinstance(old, Array):
            old = frame.apply(target, load_tile, old)
    else:
        _refuse_attribute(frame, target)
    bind(frame, target, frame.apply(node, binary, BINARY[type(node.op)], old, frame.eval(node.value)))


def _change_whole(frame: Frame, node: ast.AugAssign, name: str, old: Any) -> None:
    """`xs += [1]` of a list changes it, whoever holds it."""
    symbol = {ast.Add: "+", ast.Mult: "*", ast.BitOr: "|"}.get(type(node.op), "")
    check_alone(frame, node, name, old, f"{symbol}=")
    frame.names[name] = old.like(frame.apply(node, binary, BINARY[type(node.op)], old, frame.eval(node.value)))


def check_alone(frame: Frame, node: ast.AST, name: str, held: Any, change: str) -> None:
    """Raise CompileError where something else than a variable holds its list too, which would have to change."""
    if not held.may_change(frame, name):
        raise _held_twice(frame, node, name, held, change)


def _held_twice(frame: Frame, node: ast.AST, name: str, held: Any, change: str) -> CompileError:
    kind = "list" if isinstance(held, Items) else "dict"
    message = f"{name} is a {kind} that another variable or object holds too, which would not see {change}"
    return frame.error(node, message, f"make it one of its own: {name} = {kind}({name})")


def bind(frame: Frame, target: ast.expr, held: Any) -> None:
    """Assign to a target: a name, a tuple of targets, an element of a tuple, or a part of an array, which is stored."""
    if isinstance(target, ast.Name):
        frame.assign(target.id, held)
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(frame, target, held)
    elif (name := part_assigned(target)) is not None:
        _set_part(frame, target, name, held)
    elif isinstance(target, ast.Subscript):
        _set_item(frame, target, held)
    elif isinstance(target, ast.Attribute):
        _refuse_attribute(frame, target)
    else:
        frame.unsupported(target, "this cannot be assigned in kernels", "assign to variables; store to arrays with store_tile")


def _refuse_attribute(frame: Frame, target: ast.Attribute) -> NoReturn:
    owner = ast.unparse(target.value)
    another = f"make another object: {owner} = dataclasses.replace({owner}, {target.attr}=...)"
    hint = another if is_record(frame.eval(target.value)) else "use a variable"
    frame.unsupported(target, "attributes cannot be assigned in kernels", hint)


def _unpack(frame: Frame, target: ast.Tuple | ast.List, held: Any) -> None:
    if isinstance(held, (Value, Array)):
        raise frame.error(target, f"{describe(held)} cannot be unpacked", "A.shape unpacks to the sizes of an array")
    parts = frame.apply(target, tuple, held)
    stars = [i for i, t in enumerate(target.elts) if isinstance(t, ast.Starred)]
    wanted = len(target.elts)
    if len(parts) != wanted if not stars else len(parts) < wanted - 1:
        raise frame.error(target, f"{wanted} variables for {len(parts)} values", "give as many variables as there are values")
    if stars:
        start, after = stars[0], wanted - stars[0] - 1
        stop = len(parts) - after
        parts = (*parts[:start], Items(parts[start:stop]), *parts[stop:])
    for each, part in zip(target.elts, parts):
        bind(frame, each.value if isinstance(each, ast.Starred) else each, part)


def _set_part(frame: Frame, target: Any, name: ast.Name, held: Any) -> None:
    """`m.wi_data[i] = v` makes the variable a new joint matrix; `A.T[i, j] = v` stores."""
    part = frame.eval(ast.copy_location(ast.Attribute(name, target.value.attr, ast.Load()), target))
    if isinstance(part, Array):
        frame.apply(target, store_tile, held, frame.apply(target, part.assigned, frame.eval(target.slice)))
        return
    if not hasattr(part, "replaced"):
        frame.unsupported(target, "this cannot be assigned in kernels", "assign to variables; store to arrays with store_tile")
    frame.assign(name.id, frame.apply(target, part.replaced, frame.eval(target.slice), held))


_OF_A_VALUE = "choose elements: xt.where(row == 3, new, old), with row = xt.arange(n)[:, None]"
_OF_A_NUMBER = "arrays without axes are numbers in kernels: pass an array of shape (1,), or make it an output of xt.jit(out=...)"


def _set_item(frame: Frame, target: ast.Subscript, held: Any) -> None:
    """`A[i, j] = v` stores; `xs[i] = v` on a list or a dict makes the variable another one, and so does `xs[i][j] = v`."""
    root, keys = _path(target)
    at = frame.lookup(ast.copy_location(ast.Name(root.id, ast.Load()), root)) if isinstance(root, ast.Name) else frame.eval(root)
    indices, around = [frame.eval(key) for key in keys], []
    for index in indices[:-1]:
        around.append(at)
        at = element(frame, target, at, index)
    if isinstance(at, Array):
        frame.apply(target, store_tile, held, frame.apply(target, at.assigned, indices[-1]))
    elif not isinstance(root, ast.Name):
        frame.unsupported(
            target, "this cannot be assigned in kernels", "assign to variables, and to elements and parts of arrays"
        )
    else:
        new = _with_item(frame, target, at, indices[-1], put_in(held))
        for outer, index in zip(reversed(around), reversed(indices[:-1])):
            if isinstance(at, Held) and at.shared:
                raise _held_twice(frame, target, ast.unparse(target.value), at, "this")
            at, new = outer, _with_item(frame, target, outer, index, new)
        if isinstance(at, Held):
            check_alone(frame, target, root.id, at, "this")
        frame.names[root.id] = new


def _path(target: ast.Subscript) -> tuple[ast.expr, list[ast.expr]]:
    """What a chain of subscripts begins with, and the subscripts in order."""
    keys, at = [target.slice], target.value
    while isinstance(at, ast.Subscript):
        keys, at = [at.slice, *keys], at.value
    return at, keys


def _with_item(frame: Frame, target: ast.Subscript, old: Any, index: Any, held: Any) -> Any:
    """A list, tuple or dict with another element."""
    if isinstance(old, Value):
        hint = _OF_A_VALUE if old.shape else _OF_A_NUMBER
        raise frame.error(target, f"{describe(old)} is a value, and elements of values cannot be assigned", hint)
    if isinstance(old, (tuple, dict)):
        check_index(frame, target, old, index)
    if isinstance(old, dict):
        new = {**old, index: held}
        return old.like(new) if isinstance(old, Entries) else Entries(new)
    if not isinstance(old, tuple) or not isinstance(index, int):
        raise frame.error(target, f"elements of {describe(old)} cannot be assigned with subscript {describe(index)}",
                          "elements are assigned one by one: xs[0] = a, to lists and dicts that the kernel makes")  # fmt: skip
    items = list(old)
    items[index] = held
    return alike(old, items)


@statement(ast.Return)
def _return(frame: Frame, node: ast.Return) -> Returned:
    held = None if node.value is None else frame.eval(node.value)
    if frame.depth == 0 and held is not None:
        raise frame.error(node, f"{frame.source.name} is launched over a grid and cannot return {describe(held)}",
                          "store results: xt.store_tile(value, tile); kernels that others call return values")  # fmt: skip
    return Returned(held)


@statement(ast.Assert)
def _assert(frame: Frame, node: ast.Assert) -> None:
    held = frame.eval(node.test)
    if isinstance(held, Value):
        if not state(frame, node, held):
            raise frame.error(node.test, "assert is decided at a launch or before, and this is known while the kernel runs only",
                              "xt.device_assert(condition, message) checks it then; outside of run-time branches and loops, "
                              "assert takes sizes, strides and scalar arguments")  # fmt: skip
        return
    if not held:
        raise frame.error(node.test, f"assertion failed{': ' + str(frame.eval(node.msg)) if node.msg is not None else ''}")


def static_items(frame: Frame, node: ast.expr) -> Iterable[Any]:
    """What a comprehension runs over: a range or sequence that is known now."""
    held = frame.eval(node)
    if isinstance(held, (range, static_range)):
        return held
    if isinstance(held, (Value, Array)) or not isinstance(held, Iterable):
        raise frame.error(node, f"a comprehension cannot run over {describe(held)}", "run over a tuple or a range of constants")
    items: tuple[Any, ...] = frame.apply(node, tuple, held)
    return items
