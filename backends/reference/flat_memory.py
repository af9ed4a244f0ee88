"""memref and vector on memory of one dimension, by elements and by vectors of neighbours."""

# numpy's type information gives Any for most results.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import Any

import numpy as np

from xetile.dialects import memory
from xetile.dialects.dot import DotPairs, DotQuads

from .access import gather, scatter
from .atomics import update
from .machine import Machine, executes
from .memory import Memory
from .values import BATCH, Array, with_rank


def address(where: Memory, index: Array, offsets: Array | None = None) -> Array:
    """Where elements are from an index on."""
    rank = 0 if offsets is None else offsets.ndim - BATCH
    start = sum((with_rank(d.offset, rank) * d.stride for d in where.lead), np.int64(where.base))
    whole = with_rank(index, rank) + start
    return whole if offsets is None else whole + offsets


def _neighbours(count: int) -> Array:
    return np.arange(count).reshape((1,) * BATCH + (-1,))


@executes(memory.Load)
def load(m: Machine, op: memory.Load, where: Memory, index: Array) -> Array:
    """One element."""
    return gather(m, where, address(where, index), None)


@executes(memory.Store)
def store(m: Machine, op: memory.Store, value: Array, where: Memory, index: Array) -> None:
    """One element written."""
    scatter(m, where, address(where, index), None, value)


@executes(memory.LoadVector)
def load_vector(m: Machine, op: memory.LoadVector, where: Memory, index: Array) -> Array:
    """Neighbours."""
    return gather(m, where, address(where, index, _neighbours(op.value.type.count)), None)


@executes(memory.StoreVector)
def store_vector(m: Machine, op: memory.StoreVector, value: Array, where: Memory, index: Array) -> None:
    """Neighbours written."""
    scatter(m, where, address(where, index, _neighbours(op.value.type.count)), None, value)


@executes(memory.Address)
def address_of(m: Machine, op: memory.Address, where: Memory) -> Array:
    """Addresses here count from the memory itself."""
    return np.zeros((1,) * BATCH, np.int64)


@executes(memory.Gather)
def gather_vector(
    m: Machine, op: memory.Gather, where: Memory, index: Array, offsets: Array, mask: Array, otherwise: Array
) -> Array:
    """Elements where the mask is true."""
    found = gather(m, where, address(where, index, offsets), mask)
    return np.where(mask, found, otherwise)


@executes(memory.Scatter)
def scatter_vector(
    m: Machine, op: memory.Scatter, value: Array, where: Memory, index: Array, offsets: Array, mask: Array
) -> None:
    """Elements written where the mask is true."""
    scatter(m, where, address(where, index, offsets), mask, value)


@executes(memory.AtomicRmw)
def atomic_rmw(m: Machine, op: memory.AtomicRmw, value: Array, where: Memory, index: Array) -> Any:
    """The element changed; gives the old one."""
    return update(m, where, address(where, index), None, value, op)


@executes(DotPairs)
def dot_pairs(m: Machine, op: DotPairs, acc: Array, a: Array, b: Array) -> Array:
    """Neighbours multiplied and added."""
    products = a.astype(acc.dtype) * b.astype(acc.dtype)
    return acc + products[..., ::2] + products[..., 1::2]


@executes(DotQuads)
def dot_quads(m: Machine, op: DotQuads, acc: Array, a: Array, b: Array) -> Array:
    """Four neighbours multiplied and added, unsigned by signed."""
    products = a.view(np.uint8).astype(np.int32) * b.astype(np.int32)
    return acc + products.reshape(*acc.shape, 4).sum(-1, dtype=np.int32)
