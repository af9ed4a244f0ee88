"""The variables that a run-time loop carries from one iteration to the next, and their types.

A Python number stays a constant where every iteration leaves it as it is. Where one changes it, the body is traced again with the
variable as a run-time scalar: of the dtype that the body gives it, or one that still stands for a number where that is a number too.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from xetile.errors import CompileError, XetileError
from xetile.frontend.carry import (
    LATER,
    NAMED_TUPLES,
    Unbound,
    adopt,
    can_adopt,
    grows,
    has_numbers,
    ir_types,
    ir_values,
    is_object,
    kind_text,
    numbers_as_values,
    of_two_kinds,
    rebuild,
    same_kind,
    settle,
)
from xetile.frontend.frame import Frame
from xetile.frontend.liveness import assigned_names
from xetile.frontend.objects import watching
from xetile.frontend.stand_ins import NoStandInError, stand_in
from xetile.ir.core import Block, Type
from xetile.ir.core import Value as IRValue
from xetile.language.arrays import Array
from xetile.language.containers import is_shared_more, shared_like
from xetile.language.values import Value
from xetile.records import dataclass

_MAX_ATTEMPTS = 16

Held = dict[str, Any]


@dataclass
class Loop:
    """A loop whose carried variables have settled: what they hold before (`inits`) and at the end of the body (`ends`)."""

    inits: Held
    ends: Held
    made: Any

    @property
    def names(self) -> list[str]:
        """A name for each carried IR value."""
        return value_names(self.inits)

    def values(self, held: Held) -> list[IRValue]:
        """The IR values of all variables in order."""
        return [v for h in held.values() for v in ir_values(h)]


class NeedsValuesError(Exception):
    """The body cannot be traced while Python numbers are taken for constants."""


def types_of(held: Held) -> list[Type]:
    """Types of the IR values of all variables in order."""
    return [t for h in held.values() for t in ir_types(h)]


def value_names(held: Held) -> list[str]:
    """A name for each IR value."""
    return [name for name, h in held.items() for _ in ir_values(h)]


def inside(held: Held, values: list[IRValue]) -> Held:
    """The variables with other IR values, such as the arguments of a region."""
    rest: Iterator[IRValue] = iter(values)
    return {name: rebuild(h, rest) for name, h in held.items()}


def settle_loop(
    frame: Frame,
    node: ast.For | ast.While,
    bound: frozenset[str],
    attempt: Callable[[Held], tuple[Any, Held]],
    own: tuple[str, ...] = (),
    *,
    once: bool = False,
) -> Loop:
    """Trace a body until its carried variables keep their types; `bound` are names that the loop itself assigns, `own` variables of
    the tracer's that it carries; `once`: it runs once at least, so that variables may get their first value in it.

    `attempt(inits)` traces the body once, and gives what it made and what the variables hold in the end.
    Raises CompileError where a variable changes its type.
    """
    liveness, kernel = frame.source.liveness, frame.kernel
    live = ((liveness.assigned(node) & liveness.head[node]) - bound) | set(own)
    origin = {n: h for n, h in frame.names.items() if n in live and not isinstance(h, Unbound)}
    if once:
        held = {n: frame.names.get(n) for n in sorted(liveness.given(node) - origin.keys() - bound)}
        origin.update({n: LATER if h is None or isinstance(h, Unbound) else h for n, h in held.items()})
    inits, failure = dict(origin), None
    for _ in range(_MAX_ATTEMPTS):
        said, names = len(kernel.messages), dict(frame.names)
        try:
            with watching(frame, node):
                made, ends = attempt(inits)
        except (XetileError, NeedsValuesError) as error:
            # A number that changes may have been taken for a constant: try with values before giving up.
            if failure is not None or not any(map(has_numbers, inits.values())):
                # That values were needed is no mistake of the user: what went wrong with them is.
                shown = error if failure is None or isinstance(failure, NeedsValuesError) else failure
                raise shown from error.__cause__
            failure = error
            changed = {n: numbers_as_values(h) for n, h in inits.items() if has_numbers(h)}
        else:
            changed = _reconcile(frame, node, origin, inits, ends, made[-1] if isinstance(made, tuple) else made)
        finally:
            frame.names = names
        if not changed:
            _forget(frame, node, inits)
            return Loop(inits, ends, made)
        inits.update(changed)
        del kernel.messages[said:]
    raise frame.error(node, "the types of the variables that this loop carries do not settle", "convert them with .to(...)")


def _reconcile(frame: Frame, node: ast.For | ast.While, origin: Held, inits: Held, ends: Held, body: Block) -> Held:
    """Settle `ends` to the types of `inits`; what has to change in `inits` for that. Raises CompileError where nothing helps."""
    changed: Held = {}
    for name, init in inits.items():
        end = ends[name] = settle(ends[name], init, body)
        if same_kind(init, end):
            if is_shared_more(end, init):  # the next iteration finds a list that another variable holds
                changed[name] = shared_like(init, end)
            continue
        if init is LATER:
            changed[name] = _stand_in(frame, node, name, end, body)
            continue
        new = adopt(origin[name] if can_adopt(origin[name]) else init, end)
        if same_kind(new, init) or isinstance(end, Unbound):
            raise _changes(frame, node, name, origin[name], end)
        changed[name] = new
    return changed


def _stand_in(frame: Frame, node: ast.For | ast.While, name: str, end: Any, body: Block) -> Any:
    try:
        return stand_in(frame, None, end, (body,))
    except NoStandInError:
        if name.isidentifier():
            raise frame.error(node, f"{name} is a part of an array, or a tile, that is made in this loop and used behind it",
                              "keep the place, such as row and column, and make the tile behind the loop") from None  # fmt: skip
        frame.unsupported(node, "this loop returns a part of an array, or a tile, that is made in it",
                          "return the place, such as row and column, and make the tile where the function is called")  # fmt: skip


def _changes(frame: Frame, node: ast.For | ast.While, name: str, init: Any, end: Any) -> CompileError:
    place = _last_assignment(node, name)
    if isinstance(end, Unbound):
        return frame.error(place, f"{name} may have no value at the end of the loop body", end.hint)
    before, after = kind_text(init), kind_text(end)
    if before == after and isinstance(end, Array):
        after = "a view of another array"
    message = f"loop-carried value changes type: {name} is {before} before and {after} after an iteration"
    return of_two_kinds(init, end)(message, hint=_how_to_keep(init, end), at=frame.location(place))


def _how_to_keep(init: Any, end: Any) -> str:
    if isinstance(end, Value) and isinstance(init, Value) and end.shape == init.shape:
        return f"convert it in the loop: .to(xt.{init.dtype}), or before the loop: .to(xt.{end.dtype})"
    if isinstance(end, Value) and end.shape:
        return f"start with xt.zeros({end.shape}, xt.{end.dtype}), or keep the shape"
    if is_object(init) and is_object(end):
        return NAMED_TUPLES
    if isinstance(init, Array) and isinstance(end, Array) and init.base is not end.base:
        return "loops carry tiles, also of several arrays: source = xt.init_tile(A, ...) before, xt.update_tile_offset(source, (1, 0)) in it"
    if isinstance(init, Array):
        return "loops carry values and tiles only: make the view in the loop, from the loop's variables"
    if grows(init, end):
        return "lists and dicts grow in loops that are unrolled only: for i in xt.static_range(...)"
    return "keep the type, or use another variable in the loop"


def _last_assignment(node: ast.For | ast.While, name: str) -> ast.AST:
    places = [
        n for n in ast.walk(node) if isinstance(n, (ast.Assign, ast.AugAssign, ast.AnnAssign)) and name in assigned_names([n])
    ]
    return max(places, key=lambda n: n.lineno, default=node)


def _forget(frame: Frame, node: ast.For | ast.While, carried: Held) -> None:
    """Variables that the body assigns and the loop does not carry have no value after it."""
    for name in frame.source.liveness.assigned(node) - carried.keys():
        frame.names[name] = Unbound(
            "has no value here: it is assigned in a loop only, which may run no time", "assign it before the loop"
        )
