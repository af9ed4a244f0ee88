"""Types and compile-time properties: values that never change."""

from __future__ import annotations


class Type:
    """A type: a frozen value whose `str()` is its MLIR spelling."""

    __slots__ = ()


class Attribute:
    """A compile-time property that has a spelling of its own; plain ints, floats, strings, bools and tuples need no class."""

    __slots__ = ()


class _Unit(Attribute):
    __slots__ = ()

    def __repr__(self) -> str:
        return "unit"

    def __reduce__(self) -> str:
        return "UNIT"


UNIT = _Unit()
"""The attribute that says something by being there."""
