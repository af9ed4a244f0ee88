"""Combining kinds: reductions, running sums and atomics, by the names of vector.multi_reduction and of arith's AtomicRMWKind.

Floats narrower than float32 are combined in float32 and rounded once at the end; integers wrap around. A device may add floats
in another order.
"""

# numpy's type information gives Any for most results.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from xetile.dialects.types import ScalarType

from .values import BATCH, Array, narrow, quiet, signed, storage, unsigned, wide

KINDS: dict[str, tuple[np.ufunc, str]] = {
    "add": (np.add, ""),
    "mul": (np.multiply, ""),
    "and": (np.bitwise_and, ""),
    "or": (np.bitwise_or, ""),
    "xor": (np.bitwise_xor, ""),
    "minsi": (np.minimum, "signed"),
    "maxsi": (np.maximum, "signed"),
    "minui": (np.minimum, "unsigned"),
    "maxui": (np.maximum, "unsigned"),
    "minnumf": (np.fmin, ""),
    "maxnumf": (np.fmax, ""),
    "minimumf": (np.minimum, ""),
    "maximumf": (np.maximum, ""),
}
"""The function of two elements, and how integers are looked at."""

ATOMIC_KINDS = {
    "addi": "add", "addf": "add", "muli": "mul", "mulf": "mul", "andi": "and", "ori": "or", "xori": "xor",
    "maxs": "maxsi", "mins": "minsi", "maxu": "maxui", "minu": "minui",
    "maxnumf": "maxnumf", "minnumf": "minnumf", "maximumf": "maximumf", "minimumf": "minimumf",
}  # fmt: skip
"""arith's AtomicRMWKind to a kind of `KINDS`; `assign` has no function: the new element replaces the old one."""

# In one bit, sums are xor and products are and.
_ONE_BIT: dict[np.ufunc, np.ufunc] = {np.add: np.logical_xor, np.multiply: np.logical_and}


def combine(kind: str, x: Array, y: Array, element: ScalarType) -> Array:
    """Two values combined."""
    function, x = _prepare(kind, x, element)
    return _finish(function(x, _prepare(kind, y, element)[1]), element)


def combine_at(kind: str, memory: Array, places: Array, values: Array, element: ScalarType) -> None:
    """Integers of more than one bit combined into `memory` one after the other, each at its place; places may be equal."""
    function, seen = _prepare(kind, memory, element)
    function.at(seen, places, _prepare(kind, values, element)[1])


def reduce(kind: str, value: Array, dims: Sequence[int], element: ScalarType, *, keep: bool = False) -> Array:
    """All elements along `dims` (of the type) combined."""
    function, prepared = _prepare(kind, value, element)
    axes = tuple(BATCH + d for d in dims)
    return _finish(function.reduce(prepared, axis=axes, keepdims=keep, **_no_promotion(function, prepared)), element)


def accumulate(kind: str, value: Array, dim: int, element: ScalarType) -> Array:
    """Running combination along one dimension (of the type)."""
    function, prepared = _prepare(kind, value, element)
    return _finish(function.accumulate(prepared, axis=BATCH + dim, **_no_promotion(function, prepared)), element)


def _no_promotion(function: np.ufunc, value: Array) -> dict[str, Any]:
    return {"dtype": value.dtype} if function in (np.add, np.multiply) else {}


def _prepare(kind: str, value: Array, element: ScalarType) -> tuple[np.ufunc, Array]:
    function, sign = KINDS[kind]
    if element.is_float:
        value = wide(value).astype(np.float32, copy=False) if element.bits < 32 else value
        return function, quiet(value) if function in (np.fmin, np.fmax) else value
    if value.dtype == np.bool_:
        function = _ONE_BIT.get(function, function)
    return function, signed(value) if sign == "signed" else unsigned(value) if sign == "unsigned" else value


def _finish(value: Any, element: ScalarType) -> Array:
    if element.is_float:
        return narrow(np.asarray(value), element)
    dtype = storage(element)
    return np.asarray(value).astype(dtype) if dtype == np.bool_ else np.asarray(value).view(dtype)
