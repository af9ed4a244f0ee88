"""The classes that belong to a class of ops, or to one of several: asked for often, and few are declared later."""

from __future__ import annotations

from typing import Any

_FOUND: dict[Any, frozenset[type]] = {}


def classes_of(kind: Any) -> frozenset[type]:
    """A class and all below it; of a tuple, as `isinstance` takes them, those of each."""
    found = _FOUND.get(kind)
    if found is None:
        ahead, seen = [kind], set[type]()
        while ahead:
            each = ahead.pop()
            if isinstance(each, tuple):
                ahead += each
            elif each not in seen:
                seen.add(each)
                ahead += each.__subclasses__()
        found = _FOUND[kind] = frozenset(seen)
    return found


def forget() -> None:
    """There is a new class."""
    _FOUND.clear()
