"""Functions whose last bits devices may choose: where they may stand in expressions, and how far a result may then be off.

What is compared, converted to integers or rounded away must be the same everywhere, so a function is of exact numbers, and behind it
stands only what keeps its error: a sign, a factor of two, a choice by an exact condition, a maximum or minimum.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import ml_dtypes
import numpy as np

from tests.generators.expression_ops import FLOATS, Operation
from tests.language.test_functions import FUNCTIONS, ULPS

Node = tuple[Any, ...]
UNITS_OF_F64 = 1 << 16
"""That functions of f64 may be off: nothing promises more than f32 needs."""
NEVER_EXACT = tuple(name for name in FUNCTIONS if ULPS[name])


def _rounded(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: function(x.astype(np.float64)).astype(x.dtype)


CLOSE = {name: Operation(name, FUNCTIONS[name][0], _rounded(FUNCTIONS[name][1]), 1, on=FLOATS) for name in NEVER_EXACT}


def drawn_close(random: Random, kind: str, depth: int, exact: Callable[[Random, str, int], Node]) -> Node:
    """An expression of a float whose last bits are open; `exact` draws one whose bits are not."""
    if depth <= 1 or random.random() < 0.5:
        return (random.choice(NEVER_EXACT), kind, exact(random, kind, depth - 1))
    inner = drawn_close(random, kind, depth - 1, exact)
    form = random.choice(("neg", "abs", "maximum", "minimum", "where", "where", "*"))
    if form in ("neg", "abs"):
        return (form, kind, inner)
    if form == "*":
        return (form, kind, inner, ("number", kind, random.choice((2.0, 0.5, -1.0))))
    other = exact(random, kind, depth - 1) if random.random() < 0.6 else drawn_close(random, kind, depth - 1, exact)
    ways = [inner, other]
    random.shuffle(ways)
    return (form, kind, exact(random, "bool", depth - 1), *ways) if form == "where" else (form, kind, *ways)


def bound(node: Node, computed: Callable[[Node], Any]) -> Any:
    """How far each element of an expression may be off: 0 where all bits are told; `computed` gives its exact numbers."""
    what, kind, *children = node
    if kind not in FLOATS or not any(part in CLOSE for part in _operations(node)):
        return 0.0
    if what in CLOSE:
        return _units(what, kind) * _spacing(computed(node))
    if what == "where":
        return np.where(computed(children[0]), *(bound(child, computed) for child in children[1:]))
    off = [bound(child, computed) for child in children]
    if what == "*":
        return off[0] * abs(children[1][2]) + _spacing(np.zeros_like(computed(node)))
    return off[0] if what in ("neg", "abs") else np.maximum(*off)


def _operations(node: Node) -> set[str]:
    return {node[0]}.union(*(_operations(child) for child in node[2:] if isinstance(child, tuple)))


def _units(name: str, kind: str) -> int:
    return {"f32": ULPS[name], "f64": UNITS_OF_F64}.get(kind, 1)


def _spacing(x: Any) -> Any:
    """Of neighbours of each number; what is smaller than the smallest normal number of f32 may be 0."""
    limits, wide = ml_dtypes.finfo(x.dtype), np.abs(x.astype(np.float64))
    smallest = float(limits.tiny) if x.dtype.itemsize > 2 or x.dtype.name == "bfloat16" else float(limits.smallest_subnormal)
    with np.errstate(all="ignore"):
        exponent = np.floor(np.log2(np.where(np.isfinite(wide) & (wide > 0), wide, 1.0)))
    near = np.where(np.isfinite(wide), 2.0 ** (exponent - limits.nmant), float(limits.max) * 2.0**-limits.nmant)
    return np.maximum(near, smallest)


def is_near(expected: Any, got: Any, off: Any) -> Any:
    """Which elements are as near as they must be: none where nothing may be off."""
    limit = float(ml_dtypes.finfo(got.dtype).max)
    with np.errstate(all="ignore"):
        a, b = (np.clip(x.astype(np.float64), -limit, limit) for x in (expected, got))
        return (off > 0) & (np.abs(a - b) <= off)
