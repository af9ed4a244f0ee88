"""Frozen values with some other parts, for those that are changed often."""

from __future__ import annotations

from typing import Any, TypeVar

PlainT = TypeVar("PlainT")


def changed(value: PlainT, **parts: Any) -> PlainT:
    """As `dataclasses.replace`, which looks at each field of each value, for classes without slots that compute nothing when made."""
    made = object.__new__(type(value))
    vars(made).update(vars(value), **parts)
    return made
