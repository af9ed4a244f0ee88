"""Lists and dicts of a kernel, and what a variable's container holds: tuples, lists, dicts and objects of dataclasses.

A region of the IR must leave the tracer's variables as it found them, so lists and dicts never change: `xs[i] = v` and `xs.append(v)` give
their variable another one. That means what it means in Python only where nothing else holds the same list, which `Held` knows.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from xetile.errors import CompileError


class Held:
    """A list or a dict of a kernel.

    `owner`: the call and the variable that it was first given to; `placed`: a list, tuple, dict or object holds it; `shared`: two may
    hold it.
    """

    owner: tuple[object, str] | None = None
    placed: bool = False
    shared: bool = False

    def given_to(self, frame: object, name: str) -> None:
        """A variable of a call holds it now."""
        self.shared = self.shared or self.placed or (self.owner is not None and not self._belongs(frame, name))
        self.owner = self.owner or (frame, name)

    def may_change(self, frame: object, name: str) -> bool:
        """Whether only this variable holds it, so that another one in its place is as good as a change."""
        if self.owner is None and not self.placed:
            self.owner = frame, name  # made in the call that gave it to a parameter
        return not self.shared and self._belongs(frame, name)

    def _belongs(self, frame: object, name: str) -> bool:
        return self.owner is not None and self.owner[0] is frame and self.owner[1] == name

    def _as(self, new: Any) -> Any:
        new.owner, new.placed, new.shared = self.owner, self.placed, self.shared
        return new


class Items(Held, tuple[Any, ...]):
    """A list of a kernel."""

    described = "a list"

    def like(self, parts: Iterable[Any]) -> Items:
        """Other items in the same variable."""
        new: Items = self._as(Items(parts))
        return new

    def __add__(self, other: Any) -> Any:
        return Items((*share(self), *share(other))) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, times: Any) -> Any:
        if not isinstance(times, int):
            return NotImplemented
        return Items(tuple(share(self)) * times)

    __rmul__ = __mul__

    def __getitem__(self, index: Any) -> Any:
        found = tuple.__getitem__(self, index)
        return Items(share(found)) if isinstance(index, slice) else found

    def __setitem__(self, index: Any, value: Any) -> NoReturn:
        raise _unchanged("list")


class Entries(Held, dict[Any, Any]):
    """A dict of a kernel; `given`: the one that this stands for in plain Python."""

    described = "a dict"
    given: Entries | None = None

    def like(self, entries: Any) -> Entries:
        """Other entries in the same variable."""
        new: Entries = self._as(Entries(entries))
        return new

    def __setitem__(self, key: Any, value: Any) -> NoReturn:
        raise _unchanged("dict")

    def __or__(self, other: Any) -> Any:
        return Entries({**self, **other}) if isinstance(other, dict) else NotImplemented

    def update(self, *_: Any, **__: Any) -> NoReturn:
        raise CompileError("update changes a dict in place, which a kernel's dicts do not", hint="write d = {**d, **other}")

    def setdefault(self, *_: Any) -> NoReturn:
        raise CompileError(
            "setdefault changes a dict in place, which a kernel's dicts do not", hint="write d = {**d, key: value}"
        )


def _unchanged(kind: str) -> CompileError:
    return CompileError(
        f"a {kind} of a kernel is changed by a function of plain Python, which the kernel would not see",
        hint="let the function return what it makes, or decorate it with @xetile.jit and return the list from it",
    )


class Given(list[Any]):
    """A list of a kernel as plain Python gets it: one that `isinstance` and numpy's subscripts know, and that nothing changes."""

    def __init__(self, of: Items) -> None:
        super().__init__(map(to_python, of))
        self.of = of

    def _refused(self, *_: Any, **__: Any) -> NoReturn:
        raise _unchanged("list")

    def __reduce__(self) -> Any:  # copies are the function's own
        return list, (list(self),)

    append = extend = insert = remove = pop = clear = sort = reverse = _refused
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refused


def to_python(held: Any) -> Any:
    """What plain Python gets of what a kernel holds: lists where the kernel has them, for which tuples mean something else."""
    if isinstance(held, Items):
        return Given(held)
    new = _with_parts(held, to_python) if isinstance(held, (tuple, Entries)) else held
    if isinstance(new, Entries) and new is not held:
        new.given = held
    return new


def from_python(held: Any) -> Any:
    """What a kernel gets back of it: the very lists and dicts that it gave."""
    if isinstance(held, Given):
        return held.of
    return held.given if isinstance(held, Entries) and held.given is not None else _with_parts(held, from_python)


def _with_parts(held: Any, each: Callable[[Any], Any]) -> Any:
    """A container with other parts; itself where none is another."""
    parts = parts_of(held) or ()
    new = [each(part) for part in parts]
    return held if all(a is b for a, b in zip(parts, new)) else alike(held, new)


def share(held: Any) -> Any:
    """`held`, where what it holds, lists and dicts, is from now on held twice."""
    for part in held.values() if isinstance(held, dict) else held:
        keep(part)
    return held


def put_in(held: Any) -> Any:
    """`held`, which a list, tuple, dict or object holds from now on."""
    if isinstance(held, Held):
        held.shared = held.shared or held.placed or held.owner is not None
        held.placed = True
    return held


def keep(held: Any) -> Any:
    """`held`, which something holds that stays, so that no variable may change it."""
    if isinstance(held, Held):
        held.shared = True
    return held


def returned(held: Any, frame: object) -> Any:
    """What a call gives: a list of one of its own variables, which are gone, is nobody's; one of the caller's is held twice."""
    if isinstance(held, Held) and held.owner is not None:
        if held.owner[0] is frame:
            held.owner = None
        else:
            held.shared = True
    return held


def parts_of(held: Any) -> tuple[Any, ...] | None:
    """What a tuple, a list, a dict or an object of a user's dataclass holds, in order; None of anything else."""
    if isinstance(held, tuple):
        return held
    if isinstance(held, dict):
        return tuple(held.values())
    return tuple(getattr(held, name) for name in _fields(held)) if is_record(held) else None


def is_record(held: Any) -> bool:
    """Whether an object of a dataclass that is none of ours."""
    kind = type(held)
    return hasattr(kind, "__dataclass_fields__") and not kind.__module__.startswith("xetile.")


def _fields(held: Any) -> list[str]:
    return [name for name in type(held).__dataclass_fields__ if hasattr(held, name)]


def same_form(a: Any, b: Any) -> bool:
    """Whether two containers have parts that correspond: as many items, the same keys in one order, or the same fields."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b)
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b)
    return type(a) is type(b) and is_record(a) and _fields(a) == _fields(b)


def in_order(held: Any, like: Any) -> Any:
    """A dict with the entries in the order of another one that has the same keys; anything else as it is."""
    if isinstance(held, dict) and isinstance(like, dict) and list(held) != list(like) and held.keys() == like.keys():
        return _dict_like(held, {key: held[key] for key in like})
    return held


def alike(held: Any, parts: Iterable[Any]) -> Any:
    """`parts` as what `held` is: a list, a tuple, a named one, a dict, an object."""
    if isinstance(held, Items):
        return held.like(parts)
    if isinstance(held, tuple):
        named: Callable[[Any], tuple[Any, ...]] = getattr(held, "_make", tuple)
        return named(parts)
    if isinstance(held, dict):
        return _dict_like(held, dict(zip(held, parts)))
    new = copy.copy(held)
    for name, part in zip(_fields(held), parts):
        object.__setattr__(new, name, part)  # also where it is frozen
    return new


def _dict_like(held: dict[Any, Any], entries: dict[Any, Any]) -> dict[Any, Any]:
    return held.like(entries) if isinstance(held, Entries) else entries


def joined(a: Any, b: Any) -> None:
    """Two lists that one variable holds, one in each branch: what is shared in one is shared in both."""
    if isinstance(a, Held) and isinstance(b, Held) and (a.shared or b.shared):
        a.shared = b.shared = True


def is_shared_more(held: Any, before: Any) -> bool:
    """Whether something is shared that was not before: a list, or one in a container."""
    if isinstance(held, Held) and isinstance(before, Held) and held.shared and not before.shared:
        return True
    parts, others = parts_of(held), parts_of(before)
    return parts is not None and others is not None and any(map(is_shared_more, parts, others))


def shared_like(held: Any, other: Any) -> Any:
    """`held` again, with all that is shared in `other`."""
    parts, others = parts_of(held), parts_of(other)
    if parts is None or others is None:
        return held
    new = alike(held, map(shared_like, parts, others))
    if isinstance(new, Held) and isinstance(other, Held):
        new.shared = new.shared or other.shared
    return new


def given_out(held: Any) -> Any:
    """What a function of plain Python gives, in which lists may be that variables hold."""
    if isinstance(held, Held) and held.owner is not None:
        held.shared = True
    for part in parts_of(held) or ():
        put_in(given_out(part))
    return held
