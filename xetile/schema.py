"""Data from outside, read field by field before anything is made of it: saved kernels, the cache, tuning results, workers' answers.

A reader is a function of a value and of its place in the document.  It gives the value as the type that it is to be, or raises
SchemaError, which tells the place, what stands there and what may.  Larger readers are put together from smaller ones, so that a
document is declared in one expression, beside the class that holds it:

    ARGUMENT = record(ArgSpec, kind=one_of("array", "dim"), param=NAME, axis=whole(0, 63))
    spec = ARGUMENT({"kind": "dim", "param": "A", "axis": 1}, "args[0]")

A warm start reads such documents, so this file imports no compiler module.
"""

from __future__ import annotations

import json
import math
import re
import reprlib
from collections.abc import Callable
from typing import Any, TypeVar

from xetile.errors import Location

T = TypeVar("T")
K = TypeVar("K")
Reader = Callable[[Any, str], T]


class SchemaError(ValueError):
    """A document does not hold what it must; the message names the field."""


def refuse(value: Any, at: str, wanted: str) -> SchemaError:
    """The error for a value that is not what is wanted."""
    return SchemaError(f"{at} is {reprlib.repr(value)}, not {wanted}")


def parse_json(data: bytes | str, at: str) -> Any:
    """JSON as Python values.  Raises SchemaError for anything that is none, however deep or long."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:  # numbers of thousands of digits, brackets in brackets
        raise SchemaError(f"{at} is no JSON: {error}") from error


def whole(low: int, high: int) -> Reader[int]:
    """A whole number from `low` to `high`, both included."""

    def read(value: Any, at: str) -> int:
        if type(value) is not int or not low <= value <= high:
            raise refuse(value, at, f"a whole number from {low} to {high}")
        return value

    return read


def number(low: float, high: float) -> Reader[float]:
    """A finite number from `low` to `high`, both included."""

    def read(value: Any, at: str) -> float:
        if type(value) not in (int, float) or not low <= value <= high or not math.isfinite(value):
            raise refuse(value, at, f"a number from {low:g} to {high:g}")
        return float(value)

    return read


def truth(value: Any, at: str) -> bool:
    """True or false."""
    if type(value) is not bool:
        raise refuse(value, at, "true or false")
    return value


def text(pattern: str = r"[^\x00]*", most: int = 4096) -> Reader[str]:
    """A text of at most so many characters that matches a pattern as a whole."""
    fits = re.compile(pattern, re.S).fullmatch

    def read(value: Any, at: str) -> str:
        if type(value) is not str or len(value) > most or not fits(value):
            raise refuse(value, at, f"a text of at most {most} characters like {pattern}")
        return value

    return read


def one_of(*choices: T) -> Reader[T]:
    """One of these, of the same type."""
    known = {(type(choice), choice): choice for choice in choices}

    def read(value: Any, at: str) -> T:
        key = (type(value), value)
        if not isinstance(value, str | int | float | None) or key not in known:
            raise refuse(value, at, f"one of {', '.join(map(repr, choices))}")
        return known[key]

    return read


def optional(reader: Reader[T]) -> Reader[T | None]:
    """What a reader takes, or null."""
    return lambda value, at: None if value is None else reader(value, at)


def many(reader: Reader[T], most: int) -> Reader[tuple[T, ...]]:
    """A list of at most so many."""

    def read(value: Any, at: str) -> tuple[T, ...]:
        if not isinstance(value, list | tuple) or len(value) > most:
            raise refuse(value, at, f"a list of at most {most}")
        return tuple(reader(item, f"{at}[{i}]") for i, item in enumerate(value))

    return read


def row(*readers: Reader[Any]) -> Reader[tuple[Any, ...]]:
    """A list with exactly these, one after the other."""

    def read(value: Any, at: str) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple) or len(value) != len(readers):
            raise refuse(value, at, f"a list of {len(readers)}")
        return tuple(reader(item, f"{at}[{i}]") for i, (reader, item) in enumerate(zip(readers, value)))

    return read


def table(keys: Reader[K], reader: Reader[T], most: int = 1000) -> Reader[dict[K, T]]:
    """An object with any keys of a kind."""

    def read(value: Any, at: str) -> dict[K, T]:
        if not isinstance(value, dict) or len(value) > most:
            raise refuse(value, at, f"an object of at most {most} fields")
        return {keys(key, f"a name in {at}"): reader(item, f"{at}.{key}") for key, item in value.items()}

    return read


def record(make: Callable[..., T], /, **fields: Reader[Any]) -> Reader[T]:
    """An object with exactly these fields, handed to `make` by their names."""

    def read(value: Any, at: str) -> T:
        if not isinstance(value, dict):
            raise refuse(value, at, f"an object with the fields {', '.join(fields)}")
        for name in value:
            if name not in fields:
                raise SchemaError(f"{at} has a field {reprlib.repr(name)}, which means nothing here")
        if missing := [name for name in fields if name not in value]:
            raise SchemaError(f"{at} has no field {missing[0]}")
        return make(**{name: reader(value[name], f"{at}.{name}") for name, reader in fields.items()})

    return read


NAME = text(r"[^\W\d]\w*", 512)
"""A name that Python takes: of a parameter."""
SYMBOL = text(r"[\w.$-]+", 512)
"""A name of a module's function, of a target."""
DIGEST = text(r"[0-9a-f]{64}", 64)
"""SHA-256, as it is written."""
WORDS = text()
"""What is shown to people and means nothing to the program."""
COUNT = whole(0, 2**62)
_LINE = whole(0, 2**31)
PLACE: Reader[Location] = lambda value, at: Location(*row(WORDS, _LINE, _LINE, _LINE, WORDS)(value, at))  # noqa: E731
"""What `Location.to_json` writes."""
