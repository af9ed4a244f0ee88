"""Text with run-time values in it: f-strings, `str.format`, `str`, and lists and tuples that are printed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count
from string import Formatter
from typing import Any

from xetile.errors import CompileError
from xetile.language.containers import Items, to_python
from xetile.language.values import Value, describe

# What follows the colon in an f-string, as far as C's printf means the same.
_SPEC = re.compile(r"([<>]?)([+ ]?)(#?)(0?)(\d*)((?:\.\d+)?)([a-zA-Z]?)")
_SPEC_KINDS = {"b": "d", "i": "d", "u": "dxX", "n": "d", "f": "fegFEG"}


class Shown(Value):
    """A scalar in an f-string with how it is to be written: `{x:.2f}`."""

    __slots__ = ("spec",)
    spec: str

    def __init__(self, value: Value, spec: str) -> None:
        """Raises CompileError for a tile and for what only Python's numbers can be written as."""
        super().__init__(value.ir, value.dtype, value.shape)
        if value.shape:
            raise CompileError(
                f"{describe(value)} cannot be written as {spec!r}", hint="leave the format out, or show a scalar: xt.max(x)"
            )
        object.__setattr__(self, "spec", spec)
        self.conversion("")

    def conversion(self, length: str) -> str:
        """C's conversion, with the length that the argument has there."""
        found = _SPEC.fullmatch(self.spec)
        kinds = _SPEC_KINDS[self.dtype.kind]
        if found is None or (found[7] and found[7] not in kinds) or (found[6] and "d" in kinds):
            raise CompileError(f"{self.spec!r} is no format of {describe(self)}",
                               hint=f"a width, digits for floats, and one of {', '.join(kinds)}: {{x:8.3f}}, {{n:4d}}")  # fmt: skip
        align, sign, form, zero, width, digits, kind = found.groups()
        kind = kind or ("g" if digits else "f" if "f" in kinds else "d")
        kind = "u" if kind == "d" and self.dtype.kind == "u" else kind
        return f"%{'-' if align == '<' else ''}{sign}{form}{zero}{width}{digits}{length}{kind}"


class Template:
    """Text that holds run-time values: text and values in turn."""

    def __init__(self, parts: tuple[Any, ...]) -> None:
        self.parts = parts

    def __add__(self, other: Any) -> Any:
        return Template((self, other)) if isinstance(other, (str, Template)) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return Template((other, self)) if isinstance(other, str) else NotImplemented

    def flat(self) -> tuple[Any, ...]:
        """Text and values, with nested f-strings spread out."""
        return tuple(p for part in self.parts for p in (part.flat() if isinstance(part, Template) else (part,)))

    def __str__(self) -> str:
        return "".join(describe(p) if isinstance(p, Value) else str(p) for p in self.flat())


def joined(parts: Sequence[Any]) -> Any:
    """Texts and values one behind the other; a plain text where no value is known at run time only."""
    return Template(tuple(parts)) if any(isinstance(p, (Value, Template)) for p in parts) else "".join(parts)


def text_of(held: Any) -> Any:
    """`str(held)`, where run-time values, also those in lists, tuples and dicts, stay values."""
    if isinstance(held, Template):
        return held
    return joined(list(_parts(held))) if holds_values(held) else str(to_python(held))


def holds_values(held: Any) -> bool:
    """Whether something is known at run time only, or a list, tuple or dict of it holds what is."""
    if isinstance(held, dict):
        return any(map(holds_values, held.values()))
    return isinstance(held, (Value, Template)) or (isinstance(held, (tuple, list)) and any(map(holds_values, held)))


def _parts(held: Any) -> Iterator[Any]:
    """Texts and values as Python's `repr` writes them."""
    if isinstance(held, (Value, Template)):
        yield held
    elif not holds_values(held):
        yield repr(to_python(held))
    else:
        named = isinstance(held, dict)
        first, last = "{}" if named else "[]" if isinstance(held, (Items, list)) else ("(", ",)" if len(held) == 1 else ")")
        yield first
        for position, (key, each) in enumerate(held.items() if named else enumerate(held)):
            yield ", " * (position > 0) + (f"{key!r}: " if named else "")
            yield from _parts(each)
        yield last


_CONVERSIONS: dict[str | None, Callable[[Any], Any]] = {"r": repr, "s": str, "a": ascii}


def written(held: Any, spec: Any, conversion: str | None) -> Any:
    """What stands in a text for `{held!conversion:spec}`."""
    if isinstance(held, Value):
        return Shown(held, spec) if spec else held
    if holds_values(held) and not spec:
        return text_of(held)
    return format(_CONVERSIONS.get(conversion, lambda x: x)(to_python(held)), spec)


def filled(text: str, args: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """`text.format(*args, **named)`, where run-time values stay values."""
    places = count()

    def within(text: str) -> Iterator[Any]:
        for literal, field, spec, conversion in Formatter().parse(text):
            yield literal
            if field is not None:
                place = f"{next(places)}{field}" if field[:1] in ("", ".", "[") else field
                held, _ = Formatter().get_field(place, args, named)
                yield written(held, joined(list(within(spec or ""))), conversion)

    return joined(list(within(text)))


def between(separator: str, parts: Iterable[Any]) -> Any:
    """`separator.join(parts)`, where run-time values stay values."""
    held = list(parts)
    if not any(isinstance(each, Template) for each in held):
        return separator.join(held)
    return joined([text for position, each in enumerate(held) for text in ((separator, each) if position else (each,))])


METHODS: dict[str, Callable[..., Any]] = {
    "format": lambda text, *args, **named: filled(text, args, named),
    "format_map": lambda text, named: filled(text, (), named),
    "join": between,
}
"""Methods of a text that take run-time values, by their names; the text comes first."""
