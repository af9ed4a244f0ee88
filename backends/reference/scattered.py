"""xegpu on scattered elements: an offset, or a chunk from an offset, for each lane."""

# numpy's type information gives Any for most results.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from xetile.dialects import tables, xegpu
from xetile.dialects.types import element_of

from .access import gather, scatter
from .machine import Machine, executes
from .memory import Memory, followed
from .tiles import Scattered, flat_addresses
from .values import BATCH, Array, shape_of, storage


class ScatterDesc(Scattered):
    """Offsets (elements from the start of a memory), one per lane: a dimension of the type, or the lane axis at lane level."""

    def addresses(self, m: Machine, shape: tuple[int, ...], mask: Array) -> tuple[Array, Array | None]:
        """Address of each element of a value of `shape`, and which are accessed: inside the memory, and in the mask."""
        return flat_addresses(m, self.memory, _chunks(self.offsets, shape), _mask(mask, shape))


def _chunks(offsets: Array, shape: tuple[int, ...]) -> Array:
    """Offsets of all elements of a value: those given, each followed by its chunk if the value has more elements."""
    own = offsets.shape[BATCH:]
    if own == shape:
        return offsets
    if own in ((), (1,)) and len(shape) <= 1:
        return offsets.reshape(*offsets.shape[:BATCH], *(1,) * len(shape)) + np.arange(int(np.prod(shape))).reshape(shape)
    return offsets[..., None] + np.arange(shape[-1])


def _mask(mask: Array, shape: tuple[int, ...]) -> Array:
    own = mask.shape[BATCH:]
    if own == shape:
        return mask
    lanes = () if own in ((), (1,)) and len(shape) <= 1 else own
    return mask.reshape(*mask.shape[:BATCH], *lanes, *(1,) * (len(shape) - len(lanes)))


@executes(xegpu.CreateTdesc)
def create_tdesc(m: Machine, op: xegpu.CreateTdesc, source: Memory, offsets: Array) -> ScatterDesc:
    """The memory as elements of the descriptor's type."""
    return ScatterDesc(followed(source).of(storage(op.result.type.element)), offsets)


@executes(xegpu.UpdateOffset)
def update_offset(m: Machine, op: xegpu.UpdateOffset, desc: ScatterDesc, offsets: Array) -> ScatterDesc:
    """Offsets add up."""
    return replace(desc, offsets=desc.offsets + offsets)


@executes(xegpu.Prefetch)
def prefetch(m: Machine, op: xegpu.Prefetch, source: Any, offsets: Array | None) -> None:
    """Nothing that can be seen."""


@executes(xegpu.Load)
def load(m: Machine, op: xegpu.Load, source: Any, offsets: Array | None, mask: Array) -> Array:
    """Zero where the mask is false."""
    shape = shape_of(op.value.type)
    desc = _desc(source, offsets, op.value.type)
    return gather(m, desc.memory, *desc.addresses(m, shape, mask))


@executes(xegpu.Store)
def store(m: Machine, op: xegpu.Store, value: Array, dest: Any, offsets: Array | None, mask: Array) -> None:
    """Nothing where the mask is false."""
    desc = _desc(dest, offsets, op.value.type)
    scatter(m, desc.memory, *desc.addresses(m, value.shape[BATCH:], mask), value)


def _desc(source: Any, offsets: Array | None, type: Any) -> ScatterDesc:
    """A descriptor, or a base with offsets; the memory is seen as elements of the value's type."""
    if isinstance(source, ScatterDesc):
        return source
    assert offsets is not None
    return ScatterDesc(followed(source).of(storage(getattr(type, "element", type))), offsets)


@executes(tables.LookUp)
def look_up(m: Machine, op: tables.LookUp, base: Memory, size: Array, codes: Array) -> Array:
    """Elements by bytes without a sign."""
    offsets = codes.view(np.uint8).astype(np.int64)
    memory = followed(base).of(storage(element_of(op.result.type)))
    return gather(m, memory, *flat_addresses(m, memory, offsets, np.ones_like(offsets, dtype=bool)))


@executes(tables.Choose)
def choose(m: Machine, op: tables.Choose, codes: Array) -> Array:
    """Elements of a known table by bytes without a sign."""
    kind = storage(element_of(op.result.type))
    table = np.array(op.bits, np.uint64).astype(f"u{kind.itemsize}").view(kind)
    return table[codes.view(np.uint8)]
