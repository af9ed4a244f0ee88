"""Reductions by kind: the elementwise op that combines two elements, and the element that changes nothing."""

from __future__ import annotations

from typing import Any

from xetile.dialects import arith, vector
from xetile.dialects.types import I32, I64, INDEX, ScalarType
from xetile.ir.core import Op

COMBINE: dict[str, type[Op]] = {
    "minsi": arith.MinSI, "minui": arith.MinUI, "maxsi": arith.MaxSI, "maxui": arith.MaxUI, "and": arith.AndI, "or": arith.OrI,
    "xor": arith.XOrI, "minnumf": arith.MinNumF, "maxnumf": arith.MaxNumF, "minimumf": arith.MinimumF, "maximumf": arith.MaximumF,
}  # fmt: skip


def combiner(kind: str, is_float: bool) -> type[Op]:
    """The elementwise op of a reduction."""
    if kind in ("add", "mul"):
        table = {("add", True): arith.AddF, ("add", False): arith.AddI, ("mul", True): arith.MulF, ("mul", False): arith.MulI}
        return table[kind, is_float]
    return COMBINE[kind]


def zeros_alike(kind: str) -> dict[str, bool]:
    """The mark of a combination of which either zero may come, where zeros are equal: which one an extreme over an axis is, is left open."""
    return {arith.EITHER_ZERO: True} if kind in ("minnumf", "maxnumf") else {}


def identity(kind: str, element: ScalarType, index_bits: int) -> Any:
    """What changes nothing in a reduction: of indices the least or largest of those that the kernel has, which lanes hold in 32 or 64 bits."""
    return vector.identity(kind, element if element is not INDEX else I64 if index_bits > I32.bits else I32)


def is_identity(value: Any, kind: str, element: ScalarType, index_bits: int) -> bool:
    """Whether a number, None where it is not known, changes nothing in a reduction, but for the sign of a zero sum."""
    if value is None or isinstance(value, tuple):
        return False
    neutral = identity(kind, element, index_bits)
    if element.bits == 1:
        return bool(value) is bool(neutral)
    if element is INDEX and kind in ("minsi", "maxsi"):  # as text may have it, beyond all indices
        return bool(value >= neutral if kind == "minsi" else value <= neutral)
    return bool(value == neutral or (value != value and neutral != neutral))  # NaN differs from itself
