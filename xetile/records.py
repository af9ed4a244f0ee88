"""Dataclasses whose methods are written when they are first called, and whose fields are read when somebody asks for them.

Python writes and compiles six functions for each frozen dataclass, half a millisecond. Compiling one kernel declares hundreds of
classes, makes objects of a third of them, and compares few.
"""

from __future__ import annotations

import dataclasses
import reprlib
from collections.abc import Callable, Iterator
from dataclasses import MISSING, FrozenInstanceError
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

__all__ = ["dataclass"]

# Gives the parameters and the lines of a method of a class, and puts what those name into the dictionary.
_Writer: TypeAlias = Callable[[type, dict[str, Any]], tuple[str, list[str]]]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls: type | None = None, /, **wanted: bool) -> Any:
        """As `dataclasses.dataclass`: defaults are there at once, and calls cost the same from the second on.

        Takes `init`, `repr`, `eq`, `frozen`, `slots` and `kw_only`; no InitVar. Bases with fields are declared by this function too:
        `__dataclass_params__` does not say what is frozen.
        """
        return partial(_declared, **wanted) if cls is None else _declared(cls, **wanted)


def _declared(cls: type, *, init: bool = True, repr: bool = True, eq: bool = True, frozen: bool = False, slots: bool = False,
              kw_only: bool = False) -> Any:  # fmt: skip
    made: Any = cls
    if slots or any(isinstance(value, dataclasses.Field) for value in vars(cls).values()):
        made = dataclasses.dataclass(cls, init=False, repr=False, eq=False, slots=slots, kw_only=kw_only)
    else:
        for name in _OF_FIELDS - vars(cls).keys():
            setattr(made, name, _Unread(made, name, kw_only))
    if eq:
        _add_hash(made, frozen)
    writers: dict[str, _Writer] = {"__init__": partial(_init, frozen, slots), "__repr__": _repr, "__eq__": _eq}
    for (name, writer), wanted in zip(writers.items(), (init, repr, eq)):
        if wanted and name not in vars(made):
            setattr(made, name, _Unwritten(made, name, writer))
    if frozen:
        _freeze(made)
    if frozen and slots:
        # What Python would do to a copy is to assign to it.
        made.__getstate__, made.__setstate__ = _state, _set_state
    return made


_OF_FIELDS = {"__dataclass_fields__", "__dataclass_params__", "__match_args__"}


class _Unread:
    """Stands for what Python notes of a class's fields, where that changes no attribute. Threads that ask together note it twice, alike."""

    def __init__(self, cls: Any, name: str, kw_only: bool) -> None:
        self.cls, self.name, self.kw_only = cls, name, kw_only

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        dataclasses.dataclass(self.cls, init=False, repr=False, eq=False, match_args=False, kw_only=self.kw_only)
        if isinstance(vars(self.cls)["__match_args__"], _Unread):  # the class may say its own
            names = tuple(f.name for f in dataclasses.fields(self.cls) if f.init and not f.kw_only)
            type.__setattr__(self.cls, "__match_args__", names)
        return vars(self.cls)[self.name]


class _Unwritten:
    """Stands for a method of a class until somebody asks for it. Threads that ask together write it twice, alike."""

    def __init__(self, cls: type, name: str, writer: _Writer) -> None:
        self.cls, self.name, self.writer = cls, name, writer

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        names: dict[str, Any] = {"__name__": self.cls.__module__}
        parameters, lines = self.writer(self.cls, names)
        exec("\n ".join((f"def {self.name}({parameters}):", *(lines or ["pass"]))), names)  # noqa: S102
        method = names[self.name]
        method.__qualname__ = f"{self.cls.__qualname__}.{self.name}"
        if self.name == "__init__":
            method.__annotations__ = {f.name: f.type for f in _parameters(self.cls)} | {"return": None}
        elif self.name == "__repr__":
            method = reprlib.recursive_repr()(method)
        setattr(self.cls, self.name, method)
        return method.__get__(instance, owner)


class _Factory:
    """The default of a parameter whose value a function makes."""

    def __repr__(self) -> str:
        return "<factory>"


def _init(frozen: bool, slots: bool, cls: Any, names: dict[str, Any]) -> tuple[str, list[str]]:
    names |= {"_set": object.__setattr__, "_factory": _Factory()}
    lines = []
    if any("InitVar" in str(f.type) for f in cls.__dataclass_fields__.values()):
        raise TypeError(f"{cls.__name__}: dataclasses of xetile take no InitVar")
    for f in dataclasses.fields(cls):
        value = f.name if f.init else f"_default_{f.name}"
        if f.default is not MISSING:
            names[f"_default_{f.name}"] = f.default
        if f.default_factory is not MISSING:
            names[f"_make_{f.name}"] = f.default_factory
            value = f"_make_{f.name}() if {f.name} is _factory else {f.name}" if f.init else f"_make_{f.name}()"
        elif not f.init and not (slots and f.default is not MISSING):
            continue  # the class's attribute is its value, or none
        lines.append(f"_set(self, {f.name!r}, {value})" if frozen else f"self.{f.name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    return ", ".join(("self", *_signature(cls))), lines


def _parameters(cls: type) -> list[dataclasses.Field[Any]]:
    """The fields that are passed, those passed by name alone behind the others."""
    return sorted((f for f in dataclasses.fields(cls) if f.init), key=lambda f: bool(f.kw_only))


def _signature(cls: type) -> Iterator[str]:
    by_name = False
    for f in _parameters(cls):
        if f.kw_only and not by_name:
            by_name = True
            yield "*"
        made = f.default_factory is not MISSING
        yield f"{f.name}=_factory" if made else f.name if f.default is MISSING else f"{f.name}=_default_{f.name}"


def _repr(cls: type, _: dict[str, Any]) -> tuple[str, list[str]]:
    shown = ", ".join(f"{f.name}={{self.{f.name}!r}}" for f in dataclasses.fields(cls) if f.repr)
    return "self", [f"return self.__class__.__qualname__ + f'({shown})'"]


def _eq(cls: type, _: dict[str, Any]) -> tuple[str, list[str]]:
    names = [f.name for f in dataclasses.fields(cls) if f.compare]
    same = f"{_values('self', names)} == {_values('other', names)}"
    return "self, other", [f"return {same} if other.__class__ is self.__class__ else NotImplemented"]


def _hash(cls: type, _: dict[str, Any]) -> tuple[str, list[str]]:
    names = [f.name for f in dataclasses.fields(cls) if (f.compare if f.hash is None else f.hash)]
    return "self", [f"return hash({_values('self', names)})"]


def _values(of: str, names: list[str]) -> str:
    return f"({''.join(f'{of}.{name}, ' for name in names)})"


def _add_hash(cls: Any, frozen: bool) -> None:
    """By the fields where they cannot change, else none; a class that says `__hash__` itself keeps its own.

    Python sets `__hash__` to None in a class that has an `__eq__`: that is not said by the class.
    """
    own = vars(cls)
    if "__hash__" not in own or (own["__hash__"] is None and "__eq__" in own):
        cls.__hash__ = _Unwritten(cls, "__hash__", _hash) if frozen else None


def _freeze(cls: Any) -> None:
    def assign(self: object, name: str, value: object) -> None:
        if type(self) is cls or _is_field(cls, name):
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def delete(self: object, name: str) -> None:
        if type(self) is cls or _is_field(cls, name):
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    cls.__setattr__, cls.__delattr__ = assign, delete


def _is_field(cls: type, name: str) -> bool:
    return any(f.name == name for f in dataclasses.fields(cls))


def _state(self: Any) -> list[Any]:
    return [getattr(self, f.name) for f in dataclasses.fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for f, value in zip(dataclasses.fields(self), state):
        object.__setattr__(self, f.name, value)
