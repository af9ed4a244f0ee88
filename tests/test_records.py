"""Dataclasses whose methods are written on demand do what Python's own do."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import operator
import pickle
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import FrozenInstanceError, InitVar, field
from functools import cached_property
from typing import Any, ClassVar

import pytest

from xetile import records

Decorate = Callable[..., Callable[[type], type]]
Declare = Callable[[Decorate], type]


def plain(dataclass: Decorate) -> type:
    @dataclass()
    class Plain:
        """Two fields."""

        number: int
        text: str = "none"

    return Plain


def frozen(dataclass: Decorate) -> type:
    @dataclass(frozen=True)
    class Frozen:
        """All that a field can be."""

        known: ClassVar[int] = 3
        number: int
        text: str = field(default="none", repr=False)
        places: list[int] = field(default_factory=list, hash=False)
        note: int = field(default=7, compare=False)

        @cached_property
        def doubled(self) -> int:
            return 2 * self.number

    return Frozen


def slots(dataclass: Decorate) -> type:
    @dataclass(frozen=True, slots=True)
    class Slots:
        """With defaults, and a field that is not passed."""

        number: int
        text: str = "none"
        fixed: int = field(default=4, init=False)
        made: tuple[int, ...] = field(default_factory=tuple, init=False)

    return Slots


def identity(dataclass: Decorate) -> type:
    @dataclass(frozen=True, eq=False, repr=False)
    class Identity:
        """Compared by being one object."""

        number: int
        text: str = "none"

    return Identity


def own_methods(dataclass: Decorate) -> type:
    @dataclass(frozen=True)
    class Own:
        """Says its own comparison, and with it no hash."""

        number: int
        text: str = "none"

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Own) and other.number == self.number

        def __repr__(self) -> str:
            return "own"

    return Own


def unhashable(dataclass: Decorate) -> type:
    @dataclass(frozen=True)
    class Unhashable:
        """Says that it has no hash."""

        __hash__ = None  # type: ignore[assignment]
        number: int
        text: str = "none"

    return Unhashable


def own_hash(dataclass: Decorate) -> type:
    @dataclass()
    class OwnHash:
        """Not frozen, and hashed nevertheless."""

        number: int
        text: str = "none"

        def __hash__(self) -> int:
            return 5

    return OwnHash


def by_name(dataclass: Decorate) -> type:
    @dataclass(kw_only=True)
    class ByName:
        """Passed by name, with work behind it."""

        number: int
        text: str = "none"

        def __post_init__(self) -> None:
            self.text = f"{self.text}!"

    return ByName


def some_by_name(dataclass: Decorate) -> type:
    @dataclass()
    class Some:
        """One passed by name, in the middle."""

        number: int
        name: int = field(default=0, kw_only=True)
        text: str = "none"

    return Some


def inherited(dataclass: Decorate) -> type:
    @dataclass(frozen=True)
    class Base:
        """What others are made of."""

        number: int
        text: str = "none"

        @property
        def doubled(self) -> int:
            return 2 * self.number

    @dataclass(frozen=True)
    class Derived(Base):
        """One field again, with the other's default; and one more."""

        text: str
        more: int = 2

    return Derived


def derived_only(dataclass: Decorate) -> type:
    @dataclass(frozen=True)
    class Base:
        """Makes objects of a class that is no dataclass."""

        number: int
        text: str = "none"

    class Derived(Base):
        def __init__(self, *passed: Any, **named: Any) -> None:
            super().__init__(*passed, **named)

    return Derived


def mapping(dataclass: Decorate) -> type:
    @dataclass(frozen=True)
    class Map(Mapping[int, str]):
        """With an abstract base that says `__eq__` too."""

        number: int
        text: str = "none"

        def __getitem__(self, at: int) -> str:
            return {self.number: self.text}[at]

        def __iter__(self) -> Iterator[int]:
            return iter((self.number,))

        def __len__(self) -> int:
            return 1

    return Map


def own_order(dataclass: Decorate) -> type:
    @dataclass(frozen=True)
    class OwnOrder:
        """Says itself what a pattern names by places."""

        __match_args__ = ("text", "number")
        number: int
        text: str = "none"

    return OwnOrder


def empty(dataclass: Decorate) -> type:
    @dataclass(frozen=True)
    class Empty:
        """No fields."""

    return Empty


CLASSES = (plain, frozen, slots, identity, own_methods, unhashable, own_hash, by_name, some_by_name, inherited, derived_only, mapping,
           own_order, empty)  # fmt: skip
ARGUMENTS: tuple[tuple[tuple[Any, ...], dict[str, Any]], ...] = (
    ((), {}), ((1,), {}), ((1, "a"), {}), ((2, "a"), {}), ((), {"number": 1}), ((), {"number": 1, "text": "a"}), ((1, "a", [2]), {}),
    ((1,), {"note": 8}), ((1,), {"name": 8}), ((1, "a", 2, 3, 4), {}), ((1,), {"number": 1}), ((1,), {"unknown": 1}),
)  # fmt: skip


def told(what: Callable[..., Any], *passed: Any, **named: Any) -> Any:
    """What a call gives, or the error that it ends in."""
    try:
        return what(*passed, **named)
    except Exception as error:
        return type(error), str(error)


def shown(made: Any) -> str:
    return type(made).__name__ if type(made).__repr__ is object.__repr__ else repr(made)


def assigned(made: Any, name: str) -> Any:
    setattr(made, name, 9)
    return getattr(made, name)


def names_of(made: Any) -> tuple[str, ...]:
    """Those of fields, and one more; not for slots, where Python's own answer to other names than those of fields is a mistake."""
    return ("number", "text") if hasattr(type(made), "__slots__") else ("number", "text", "other")


def of_an_object(made: Any) -> Iterator[Any]:
    """All that can be asked of an object."""
    yield shown(made)
    yield told(dataclasses.asdict, made)
    yield shown(told(dataclasses.replace, made, number=5))
    yield shown(told(dataclasses.replace, made, fixed=5))
    yield [told(getattr, made, name) for name in ("number", "text", "places", "fixed", "made", "known", "doubled", "more")]
    yield [told(delattr, copy.copy(made), name) for name in names_of(made)]
    yield [told(assigned, copy.copy(made), name) for name in names_of(made)]
    yield shown(copy.copy(made)), shown(copy.deepcopy(made))
    match made:
        case object(number=1, text=text):
            yield text


def of_a_class(cls: Any) -> Iterator[Any]:
    """All that can be asked of a class, and of what it makes."""
    objects = [told(cls, *passed, **named) for passed, named in ARGUMENTS]
    yield [made if isinstance(made, tuple) else list(of_an_object(made)) for made in objects]
    yield [[told(operator.eq, a, b) for a in objects] for b in objects]
    hashes = [told(hash, made) for made in objects]
    yield [[a == b for a in hashes] for b in hashes], [found for found in hashes if isinstance(found, tuple)]
    yield str(inspect.signature(cls)), cls.__init__.__qualname__, cls.__init__.__module__, cls.__init__.__annotations__
    yield getattr(cls, "__match_args__", None), cls.__doc__, shown(told(getattr, cls, "text")), told(getattr, cls, "places")
    yield [(f.name, f.type, f.init, f.repr, f.compare, f.hash, f.kw_only) for f in dataclasses.fields(cls)]
    yield sorted(vars(cls).keys() - {"__getstate__", "__setstate__"}), cls.__hash__ is None, cls.__hash__ is object.__hash__


@pytest.mark.parametrize("declare", CLASSES)
def test_does_what_pythons_own_does(declare: Declare) -> None:
    assert list(of_a_class(declare(records.dataclass))) == list(of_a_class(declare(dataclasses.dataclass)))


ASKED: tuple[Callable[[Any], Any], ...] = (
    shown, hash, dataclasses.asdict, lambda a: a == 1, lambda a: copy.copy(a).number, lambda a: assigned(a, "number"),
)  # fmt: skip


@pytest.mark.parametrize("ask", ASKED)
@pytest.mark.parametrize("declare", CLASSES[:-1])
def test_whatever_is_asked_first(declare: Declare, ask: Callable[[Any], Any]) -> None:
    """Also of an object that nobody called the class for, as those that are read from a file."""

    def asked(cls: type) -> Any:
        made = object.__new__(cls)
        for name, value in {
            "number": 1,
            "text": "a",
            "places": (),
            "note": 1,
            "more": 1,
            "name": 1,
            "fixed": 4,
            "made": (),
        }.items():
            told(object.__setattr__, made, name, value)
        found = told(ask, made)
        return found if isinstance(found, (str, tuple, dict, bool)) else type(found)

    assert asked(declare(records.dataclass)) == asked(declare(dataclasses.dataclass))


@records.dataclass(frozen=True, slots=True)
class Kept:
    """In a module, so that pickle finds it."""

    number: int
    text: str = "none"


def test_frozen_objects_with_slots_are_pickled() -> None:
    assert pickle.loads(pickle.dumps(Kept(1, "a"))) == Kept(1, "a")


def test_methods_are_written_when_they_are_asked_for() -> None:
    cls = frozen(records.dataclass)
    assert not [name for name in ("__init__", "__eq__", "__hash__", "__repr__") if inspect.isfunction(vars(cls)[name])]
    assert cls(1) != cls(2)  # type: ignore[call-arg]
    assert [name for name in ("__init__", "__eq__", "__hash__", "__repr__") if inspect.isfunction(vars(cls)[name])] == [
        "__init__",
        "__eq__",
    ]


def test_a_subclass_leaves_its_bases_methods_alone() -> None:
    cls = inherited(records.dataclass)
    made, base = cls(1, "a", 4), cls.__mro__[1](1, "a")  # type: ignore[call-arg]
    assert (repr(made).split(".")[-1], repr(base).split(".")[-1]) == (
        "Derived(number=1, text='a', more=4)",
        "Base(number=1, text='a')",
    )
    assert made != base


def test_threads_may_ask_at_once() -> None:
    for _ in range(20):
        cls, start, found = frozen(records.dataclass), threading.Barrier(4), []

        def make(cls: Any = cls, start: threading.Barrier = start, found: list[Any] = found) -> None:
            start.wait()
            found.append((cls(1), hash(cls(1)), repr(cls(1))))

        threads = [threading.Thread(target=make) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(set(map(repr, found))) == 1 and len(found) == 4


def test_an_object_in_itself_has_a_text() -> None:
    made: Any = plain(records.dataclass)(1)  # type: ignore[call-arg]
    made.text = made
    assert repr(made).endswith("Plain(number=1, text=...)")


def test_frozen_objects_refuse_by_the_same_error() -> None:
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'number'"):
        Kept(1).number = 2  # type: ignore[misc]


def test_what_is_not_supported_is_refused() -> None:
    class Passed:
        """A value that only `__post_init__` sees."""

        number: InitVar[int]

    with pytest.raises(TypeError, match="InitVar"):
        records.dataclass(Passed)(1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="order"):
        records.dataclass(order=True)(Passed)
