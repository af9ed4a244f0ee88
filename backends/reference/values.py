"""What a value is while a module runs: a numpy array with five batch axes before the axes of its type.

The batch axes are grid z, y, x, subgroup and lane. Each has its full size, or size 1 where the value does not depend on it
(factored); ops broadcast by numpy's rules, so nothing is expanded before it must be.
"""

# numpy's type information gives Any for most results.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from xetile.dialects.types import BF16, F8E4M3FN, F8E5M2, I1, TF32, ScalarType
from xetile.ir.core import Type

Array = np.ndarray[Any, np.dtype[Any]]

Z, Y, X, SUBGROUP, LANE = range(5)
BATCH = 5
"""Number of batch axes; axis `d` of a type is axis `BATCH + d` of its array."""


@cache
def storage(element: ScalarType) -> np.dtype[Any]:
    """The numpy type that holds elements of a type (tf32 lies in float32, index in 64 bits)."""
    if element is I1:
        return np.dtype(np.bool_)
    if element is TF32:
        return np.dtype(np.float32)
    if element in (BF16, F8E4M3FN, F8E5M2):
        import ml_dtypes

        names = {BF16: "bfloat16", F8E4M3FN: "float8_e4m3fn", F8E5M2: "float8_e5m2"}
        return np.dtype(getattr(ml_dtypes, names[element]))
    return np.dtype(f"{'float' if element.is_float else 'int'}{element.bits}")


def scalar(value: Any, dtype: Any = np.int64) -> Array:
    """One number for all programs, subgroups and lanes."""
    return np.full((1,) * BATCH, value, dtype)


def along(axis: int, numbers: Array) -> Array:
    """Numbers that differ along one batch axis."""
    shape = [1] * BATCH
    shape[axis] = len(numbers)
    return numbers.reshape(shape)


def with_rank(value: Array, rank: int) -> Array:
    """A scalar with `rank` more axes of size 1, to meet a vector."""
    return value.reshape(value.shape + (1,) * rank)


def uniform(value: Array) -> Any | None:
    """The one number of a value that is the same everywhere, or None."""
    if value.size == 1:
        return value.item()
    first = value.flat[0]
    return first.item() if (value == first).all() else None


def shape_of(type: Type) -> tuple[int, ...]:
    """The axes that the type adds."""
    return tuple(getattr(type, "shape", ()))


def rank_of(type: Type) -> int:
    """Number of axes that the type adds."""
    return len(getattr(type, "shape", ()))


# Signs. Integers are signless; an op that cares looks at the bits as signed or unsigned.


def signed(value: Array) -> Array:
    """As signed integers; the i1 true is -1, as in two's complement of one bit."""
    return -value.view(np.int8) if value.dtype == np.bool_ else value


def unsigned(value: Array) -> Array:
    """The same bits as unsigned integers."""
    return value.view(np.uint8) if value.dtype == np.bool_ else value.view(f"u{value.dtype.itemsize}")


# Floats. Everything narrower than float32 but float16, which numpy rounds right by itself, is computed in float32 and rounded
# once per op; float32 has more than twice the significant bits plus two, so + - * / and sqrt round as if computed exactly.


def is_float(value: Array) -> bool:
    """Whether elements are floats; numpy does not count ml_dtypes' types as such."""
    return value.dtype.kind in "fV"


def wide(value: Array) -> Array:
    """A float value in a type that numpy computes fast and at least as precisely."""
    return value if value.dtype.kind == "f" else value.astype(np.float32)


def quiet(value: Array) -> Array:
    """Floats with one NaN for all: a signalling one wins numpy's fmax of short arrays and loses that of long ones."""
    nan = value != value
    return np.where(nan, value.dtype.type(np.nan), value) if nan.any() else value


def narrow(value: Array, element: ScalarType) -> Array:
    """Rounded to an element type, ties to even."""
    if element is TF32:
        return round_tf32(value)
    dtype = storage(element)
    return value if value.dtype == dtype else value.astype(dtype)


def round_tf32(value: Array) -> Array:
    """float32 rounded to the 10 fraction bits of tf32, ties to even (OpRoundFToTF32INTEL); NaN and infinities stay."""
    bits = np.ascontiguousarray(value, np.float32).view(np.uint32)
    dropped = 13
    half = np.uint32((1 << (dropped - 1)) - 1)
    rounded = (bits + half + ((bits >> dropped) & 1)) & ~np.uint32((1 << dropped) - 1)
    return np.where(np.isfinite(value), rounded.view(np.float32), value).astype(np.float32, copy=False)


class Deferred:
    """A value that is worked out when an op asks for it."""

    def value(self) -> Array:
        """The array."""
        raise NotImplementedError


def force(value: Any) -> Any:
    """The array of a deferred value; anything else as it is."""
    return value.value() if isinstance(value, Deferred) else value
