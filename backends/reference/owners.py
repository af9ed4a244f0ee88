"""Subgroups that diverge at workgroup level: what each of them holds, by the layouts of a laid-out module.

A workgroup's value is one array as long as all subgroups do the same. Where they do not, it has a subgroup axis: what the whole
value would be if all did as that subgroup, of which only the subgroup's own elements are real. Ops that work element by element,
or on what one subgroup holds, need not know. Ops that bring elements of several subgroups together take each element from its
owner, the first subgroup that holds it (the one that stores); an element is stored where its owner is active.
"""

# numpy's type information gives Any for most results.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from xetile.ir.core import Value
from xetile.layout import Layout

from .machine import Machine
from .values import BATCH, SUBGROUP, Array, with_rank


@lru_cache(maxsize=256)
def holds(layout: Layout, shape: tuple[int, ...], subgroups: int) -> Array:
    """Who holds what: [subgroup, rows, columns], true where it does."""
    held = np.zeros((subgroups, *shape), np.bool_)
    size = layout.piece_shape(shape)
    for subgroup in range(subgroups):
        for origin in layout.pieces(shape, subgroup % layout.num_subgroups):
            held[subgroup][tuple(slice(start, start + n) for start, n in zip(origin, size))] = True
    return held


@lru_cache(maxsize=256)
def owners(layout: Layout, shape: tuple[int, ...], subgroups: int) -> Array:
    """The owner of each element, with batch axes in front."""
    found = holds(layout, shape, subgroups).argmax(axis=0)
    return found.reshape((1,) * BATCH + shape)


def apart(m: Machine, *values: Any) -> bool:
    """Whether subgroups diverge here, or did so when one of these values was made."""
    return m.level == "workgroup" and any(isinstance(v, np.ndarray) and v.shape[SUBGROUP] > 1 for v in (m.mask, *values))


def merged(m: Machine, value: Array, layout: Layout | None) -> Array:
    """A value with each element as its owner has it; unchanged where all have the same."""
    if layout is None or m.level != "workgroup" or value.shape[SUBGROUP] == 1:
        return value
    return _from_owners(value, owners(layout, value.shape[BATCH:], m.num_subgroups))


def gathered(m: Machine, value: Array, source: Value, dims: Sequence[int]) -> Array:
    """A value along whose `dims` elements are brought together: merged where several subgroups hold them."""
    layout = m.layouts.get(source)
    if layout is None or not any(layout.sg_spread(value.shape[BATCH:])[d].distinct > 1 for d in dims):
        return value
    return merged(m, value, layout)


def converted(m: Machine, value: Array, source: Value, result: Value, *, transposed: bool = False) -> Array:
    """A value that goes on in another layout (`transposed`: as its transpose): merged where subgroups get what others have."""
    old, new = m.layouts.get(source), m.layouts.get(result)
    if old is None or new is None or m.level != "workgroup" or value.shape[SUBGROUP] == 1:
        return value
    shape = value.shape[BATCH:]
    before, after = holds(old, shape, m.num_subgroups), holds(new, shape[::-1] if transposed else shape, m.num_subgroups)
    return value if np.array_equal(before, after.swapaxes(1, 2) if transposed else after) else merged(m, value, old)


def active_elements(m: Machine, layout: Layout | None, shape: tuple[int, ...]) -> Array | None:
    """Where subgroups diverge: the elements whose owners are active. None where the mask says all."""
    if layout is None or m.mask is None or not apart(m):
        return None
    return _from_owners(with_rank(m.mask, len(shape)), owners(layout, shape, m.num_subgroups))


def held_elements(m: Machine, layout: Layout | None, shape: tuple[int, ...]) -> Array | None:
    """Where subgroups diverge: the elements that some active subgroup holds."""
    if layout is None or m.mask is None or not apart(m):
        return None
    held = holds(layout, shape, m.num_subgroups).reshape((1,) * SUBGROUP + (m.num_subgroups, 1, *shape))
    active: Array = with_rank(m.mask, len(shape)) & held
    return np.asarray(active.any(axis=SUBGROUP, keepdims=True))


def owned(
    m: Machine, address: Array, inside: Array | None, value: Array, layout: Layout | None
) -> tuple[Array, Array | None, Array, Array | None]:
    """Where elements go, which are inside, and what they are, as their owners have it; and which owners are active, if not all."""
    address, value = merged(m, address, layout), merged(m, value, layout)
    return (
        address,
        None if inside is None else merged(m, inside, layout),
        value,
        active_elements(m, layout, address.shape[BATCH:]),
    )


def _from_owners(value: Array, owner: Array) -> Array:
    shape = (*value.shape[:BATCH], *owner.shape[BATCH:])
    return np.take_along_axis(np.broadcast_to(value, shape), owner, axis=SUBGROUP)
