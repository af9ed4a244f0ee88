"""Python objects that functions change while the tracer follows a branch or a loop's body.

A body is followed once, however often it runs, and both branches are, whichever is taken: what plain Python changes meanwhile in an object
that was there before would be wrong afterwards. So objects that variables hold are looked at again, put back, and told.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FunctionType, MethodType, ModuleType
from typing import Any

from xetile.errors import ConstexprError
from xetile.frontend.carry import Unbound
from xetile.frontend.frame import Frame
from xetile.language.arrays import Array, Handle
from xetile.language.containers import parts_of
from xetile.language.values import NUMBERS, Value

_NOTHING_INSIDE = (Value, Array, Handle, Unbound, str, bytes, type, ModuleType, FunctionType, type(None), *NUMBERS)
_MOST = 4096  # objects; more are no state of a kernel, but tables
_HINT = (
    "let it return another object, and assign that: state = state.added(x), of a dataclass or a typing.NamedTuple, which loops and "
    "branches carry; xt.static_range repeats the body while compiling"
)


class Watch:
    """Objects that variables hold, and what these hold, as they are now."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        self._states: dict[int, tuple[str, Any, Any]] = {}
        self.iterators: dict[int, str] = {}
        waiting = [(name, held) for name, held in names.items() if not isinstance(held, _NOTHING_INSIDE)]
        while waiting and len(self._states) < _MOST:
            name, held = waiting.pop()
            if isinstance(held, _NOTHING_INSIDE) or id(held) in self._states:
                continue
            if hasattr(held, "__next__"):
                self.iterators[id(held)] = name
                continue
            state = _state(held)
            if state is not None:
                self._states[id(held)] = name, held, state
            inside = parts_of(held) if state is None else state.values() if isinstance(state, dict) else state
            waiting += [(name, part) for part in inside or ()]
            if isinstance(held, MethodType):
                waiting.append((name, held.__self__))

    def __bool__(self) -> bool:
        return bool(self._states or self.iterators)

    def changed(self) -> str | None:
        """The variable of an object that is not as it was; all are put back then."""
        found = next((name for name, held, state in self._states.values() if not _same(_state(held), state)), None)
        if found is not None:
            for _, held, state in self._states.values():
                _put_back(held, state)
        return found


def _state(held: Any) -> Any:
    """What an object holds that can change: a list or a dict of its own; None of one that cannot, or of which nothing is known."""
    kind = type(held)
    if kind in (list, set):
        return list(held)
    if kind is dict:
        return dict(held)
    if (
        kind.__module__.startswith(("xetile.", "numpy"))
        or kind.__module__ in ("builtins", "numpy")
        or isinstance(held, (tuple, dict))
    ):
        return None
    slots = [name for base in kind.__mro__ for name in _names(getattr(base, "__slots__", ()))]
    return {**getattr(held, "__dict__", {}), **{name: getattr(held, name) for name in slots if hasattr(held, name)}}


def _names(slots: Any) -> tuple[str, ...]:
    return tuple(n for n in ((slots,) if isinstance(slots, str) else slots) if n not in ("__dict__", "__weakref__"))


def _same(now: Any, before: Any) -> bool:
    if isinstance(now, dict):
        return list(now) == list(before) and all(a is b for a, b in zip(now.values(), before.values()))
    return len(now) == len(before) and all(a is b for a, b in zip(now, before))


def _put_back(held: Any, state: Any) -> None:
    if isinstance(held, list):
        held[:] = state
    elif isinstance(held, (set, dict)):
        held.clear()
        held.update(state)
    else:
        for name in [n for n in getattr(held, "__dict__", ()) if n not in state]:
            object.__delattr__(held, name)
        for name, part in state.items():
            object.__setattr__(held, name, part)


@contextmanager
def watching(frame: Frame, node: ast.AST) -> Iterator[None]:
    """While a branch or a loop's body is followed. Raises ConstexprError where an object of a variable changes."""
    watch = Watch(frame.names)
    if not watch:
        yield
        return
    frame.kernel.watches.append(watch)
    try:
        yield
        check_unchanged(frame, node)
    finally:
        frame.kernel.watches.remove(watch)


def watched_in(frame: Frame, node: ast.AST, trace: Callable[[], Any]) -> Callable[[], Any]:
    """A function that follows a branch or a body, with an eye on objects."""

    def function() -> Any:
        with watching(frame, node):
            return trace()

    return function


def check_not_advanced(frame: Frame, node: ast.AST, held: Any) -> None:
    """Raise ConstexprError for `next(...)` of an iterator that was there before the branch or the loop."""
    name = next((watch.iterators[id(held)] for watch in frame.kernel.watches if id(held) in watch.iterators), None)
    if name is not None:
        raise ConstexprError(
            f"next({name}) gives one element while compiling, for all iterations of a loop of run time, or in a branch of it",
            hint="loop over the elements, for x in xs, or index them in xt.static_range(...)",
            at=frame.location(node),
        )


def check_unchanged(frame: Frame, node: ast.AST) -> None:
    """Raise ConstexprError where a function has changed an object that was there before the branch or the loop."""
    for watch in frame.kernel.watches:
        if (name := watch.changed()) is not None:
            raise ConstexprError(
                f"{name} is an object that changes here, in a loop or a branch of run time, where the compiler cannot follow it",
                hint=_HINT,
                at=frame.location(node),
            )
