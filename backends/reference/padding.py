"""Debug mode: elements outside of an array that decide a reduction, where nothing says what stands there."""

# numpy's type information gives Any for most results.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from xetile.dialects import xetile
from xetile.dialects.types import shape_of
from xetile.dialects.vector import identity
from xetile.ir.core import Elementwise, Op, Value

from .checks import active, describe
from .executors import Executors
from .memory import Region
from .reduce import reduce
from .values import BATCH, Array, force

_INSTEAD = {"ma": 'padding=float("-inf")', "mi": 'padding=float("inf")', "mu": "padding=1"}


class PaddingWarning(UserWarning):
    """What a tile holds outside of its array decides a reduction."""


class Outside:
    """Which elements of values come from outside of an array: of tiles loaded with no word on padding, and what is computed of them."""

    def __init__(self) -> None:
        self.of: dict[Value, Array] = {}
        self._told: set[Any] = set()

    def made(self, m: Executors, op: Op, operands: Sequence[Any], result: Any) -> None:
        """An op has given its result. Warns once of each reduction (PaddingWarning), since the kernel may use what it gives nowhere."""
        if isinstance(op, xetile.LoadTile):
            self._note(op, _outside(operands[0]) if op.unsaid is not None else None)
        elif self.of and isinstance(op, Elementwise):
            shape = shape_of(op.results[0].type)
            alike = [self.of[v] for v in op.operands if v in self.of and shape_of(v.type) == shape]
            self._note(op, np.logical_or.reduce(np.broadcast_arrays(*alike)) if alike else None)
        elif isinstance(op, xetile.TileReduce) and op.source in self.of and (op.loc or op) not in self._told:
            bad = active(m, _decided(op, force(operands[0]), self.of[op.source], force(result)))
            if bad.any():
                self._told.add(op.loc or op)
                _warn(m, op, bad)

    def _note(self, op: Op, outside: Array | None) -> None:
        if outside is None:
            self.of.pop(op.results[0], None)
        else:
            self.of[op.results[0]] = outside


def _outside(tile: Any) -> Array | None:
    inside = tile.addresses()[1] if isinstance(tile, Region) else None
    return None if inside is None else ~inside


def _decided(op: xetile.TileReduce, value: Array, outside: Array, result: Array) -> Array:
    """Where a line of which some elements are inside gives something else without the others."""
    outside = np.broadcast_to(outside, np.broadcast_shapes(outside.shape, value.shape))
    element = op.source.type.element
    nothing = np.asarray(identity(op.kind, element)).astype(value.dtype)
    without = reduce(op.kind, np.where(outside, nothing, value), op.dims, element, keep=True)
    partly = ~outside.all(axis=tuple(BATCH + d for d in op.dims), keepdims=True)
    return (without != result) & ((without == without) | (result == result)) & partly  # NaN is as good as another NaN


def _warn(m: Executors, op: xetile.TileReduce, bad: Array) -> None:
    instead = _INSTEAD.get(op.kind[:2], "xt.where(column < A.shape[1], x, 0)")
    text = (f"{describe(m, bad)}: elements outside of the array, loaded as 0, decide this reduction\n"
            f"  hint: {instead} leaves them out, padding=0 at the load says that they count")  # fmt: skip
    if op.loc is None:
        warnings.warn(text, PaddingWarning, stacklevel=2)
    else:
        warnings.warn_explicit(text, PaddingWarning, op.loc.file, op.loc.line, registry={})
