"""xegpu on blocks: descriptors, load_nd, store_nd, prefetch_nd, dpas, convert_layout.

At workgroup and subgroup level values are blocks; at lane level they are fragments (see `lanes`).
"""

# numpy's type information gives Any for most results.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from xetile.dialects import xegpu
from xetile.dialects.types import MemRefType, VectorType
from xetile.errors import LaunchError

from .access import load, store
from .lanes import a_table, collect, column_table, distribute, message_table
from .machine import Machine, executes
from .memory import Dim, Memory, Region, followed, row_major
from .product import multiply, rounded_operand
from .tiles import number
from .values import BATCH, LANE, Array, force, scalar, storage


@executes(xegpu.CreateNdTdesc)
def create_nd_tdesc(m: Machine, op: xegpu.CreateNdTdesc, source: Any, offsets: Any, shape: Any, strides: Any) -> Region:
    """A region of the innermost dimensions; blocks side by side count as one wide block."""
    source = followed(source)
    desc = op.result.type
    extents, steps = [number(n) for n in shape], [number(n) for n in strides]
    if not extents:
        extents, steps = _sizes(op.source.type, source)
    sizes = list(desc.shape)
    sizes[-1] *= desc.array_length
    sizes = [1] * (len(extents) - len(sizes)) + sizes
    zero = [scalar(0)] * (len(extents) - len(offsets))
    dims = [Dim(o, n, s, size) for o, n, s, size in zip([*zero, *offsets], extents, steps, sizes)]
    return Region(source.of(storage(desc.element)), tuple(dims), len(desc.shape))


def _sizes(type: MemRefType, memory: Memory) -> tuple[list[int], list[int]]:
    """What the type says, else what the array has that was passed."""
    given = memory.shape or (None,) * type.rank
    shape = [n for n in (g if n is None else n for n, g in zip(type.shape, given)) if n is not None]
    rows = type.strides or (row_major(shape) if None not in type.shape else (None,) * type.rank)
    strides = [s for s in (g if s is None else s for s, g in zip(rows, memory.steps or (None,) * type.rank)) if s is not None]
    if len(shape) < type.rank or len(strides) < type.rank:
        raise LaunchError(f"{type} has run-time sizes that nothing tells, so the descriptor needs shape and strides")
    return shape, strides


@executes(xegpu.UpdateNdOffset)
def update_nd_offset(m: Machine, op: xegpu.UpdateNdOffset, desc: Region, offsets: Sequence[Array]) -> Region:
    """Offsets add up."""
    return desc.moved(offsets)


@executes(xegpu.PrefetchNd)
def prefetch_nd(m: Machine, op: xegpu.PrefetchNd, desc: Region, offsets: Sequence[Array]) -> None:
    """Nothing that can be seen."""


@executes(xegpu.LoadNd)
def load_nd(m: Machine, op: xegpu.LoadNd, desc: Region, offsets: Sequence[Array]) -> Array:
    """Zero outside. Packed: (rows / n, columns, n) with n rows in 32 bits. Several blocks: one more dimension in front."""
    region = desc.moved(offsets)
    block = load(m, _of_subgroup(m, region) if m.level == "lane" else region)
    type = op.desc.type
    together = 32 // type.element.bits if op.packed is not None else 1
    transposed = op.transposed
    if m.level == "lane":
        table = _message(type, together, transposed, m.subgroup_size)
        return _as_type(distribute(block, table), op.value.type)
    if len(type.shape) == 1:
        return block
    batch, (height, width) = block.shape[:BATCH], type.shape
    blocks = block.reshape(*batch, height, type.array_length, width).swapaxes(BATCH, BATCH + 1)
    if transposed:
        blocks = blocks.swapaxes(-1, -2)
    if together > 1:
        blocks = blocks.reshape(*batch, type.array_length, height // together, together, width).swapaxes(-1, -2)
    return _as_type(blocks, op.value.type)


@executes(xegpu.StoreNd)
def store_nd(m: Machine, op: xegpu.StoreNd, value: Array, desc: Region, offsets: Sequence[Array]) -> None:
    """What is outside is dropped."""
    type, region = op.desc.type, desc.moved(offsets)
    if m.level == "lane":
        region = _of_subgroup(m, region)
        value = np.ascontiguousarray(value).view(storage(type.element))
        value = collect(value, _message(type, 1, False, m.subgroup_size), desc.shape)
    elif type.array_length > 1:
        value = value.swapaxes(BATCH, BATCH + 1)
    store(m, region, value.reshape(*value.shape[:BATCH], *desc.shape))


def _of_subgroup(m: Machine, region: Region) -> Region:
    """What a message of the whole subgroup is given once, though each lane has worked it out.

    Raises LaunchError where lanes that are active differ.
    """

    def one(dim: Dim) -> Dim:
        offset = dim.offset
        if offset.shape[LANE] == 1:
            return dim
        first = offset[..., :1]
        if m.active(offset != first).any():
            raise LaunchError("a message of the whole subgroup has operands that differ between lanes")
        return Dim(first, dim.extent, dim.stride, dim.size)

    return Region(region.memory, tuple(map(one, region.dims)), region.rank)


def _message(type: xegpu.TensorDescType, together: int, transposed: bool, lanes: int) -> Array:
    height, width = type.shape if len(type.shape) == 2 else (1, type.shape[0])
    if len(type.shape) == 1:
        # A 1-D block message is lane-strided: element j of a lane is element j * lanes + lane (SPV_INTEL_subgroups, block read).
        return np.arange(width).reshape(-1, lanes).T
    return message_table(height, width, type.array_length, lanes, together, transposed)


def _as_type(value: Array, type: VectorType) -> Array:
    """In the shape of a type; elements may be packed into wider ones."""
    dtype = storage(type.element)
    if value.dtype != dtype:
        value = np.ascontiguousarray(value).view(dtype)
    return value.reshape(*value.shape[:BATCH], *type.shape)


@executes(xegpu.Dpas, deferred=True)
def dpas(m: Machine, op: xegpu.Dpas, lhs: Any, rhs: Any, acc: Any) -> Any:
    """`lhs @ rhs + acc`, rounded to a narrow accumulator's type as often as DPAS rounds."""
    lhs, rhs = (rounded_operand(force(x), v.type.element) for x, v in ((lhs, op.lhs), (rhs, op.rhs)))
    signs = op.lhs_unsigned is None, op.rhs_unsigned is None
    element = op.result.type.element
    if m.level != "lane":
        # Seed 000 writes A in three dimensions too: neighbours in a row, side by side as they are.
        lhs = lhs.reshape(*lhs.shape[: BATCH + 1], -1)
        return multiply(lhs, _unpacked(rhs), acc, element, signs=signs, depth=m.mma_depth(op.lhs.type.element, element))
    return _dpas_of_fragments(m, op, lhs, rhs, force(acc), signs)


def _unpacked(rhs: Array) -> Array:
    """B (k / n, columns, n) as (k, columns)."""
    if rhs.ndim != BATCH + 3:
        return rhs
    batch, (groups, columns, together) = rhs.shape[:BATCH], rhs.shape[BATCH:]
    return rhs.swapaxes(-1, -2).reshape(*batch, groups * together, columns)


def _dpas_of_fragments(m: Machine, op: xegpu.Dpas, lhs: Array, rhs: Array, acc: Array | None, signs: tuple[bool, bool]) -> Array:
    lanes = m.subgroup_size
    rows, k = op.result.type.count, op.rhs.type.count
    a = collect(lhs, a_table(rows, k, lanes), (rows, k))
    b = collect(rhs, column_table(k, lanes), (k, lanes))
    c = None if acc is None else collect(acc, column_table(rows, lanes), (rows, lanes))
    product = force(multiply(a, b, c, op.result.type.element, signs=signs))
    return distribute(product, column_table(rows, lanes)).reshape(*product.shape[:LANE], lanes, *op.result.type.shape)


@executes(xegpu.ConvertLayout)
def convert_layout(m: Machine, op: xegpu.ConvertLayout, value: Array) -> Array:
    """Nothing to do while one array holds all parts; at lane level there is no such op (seed 002)."""
    if m.level == "lane" and op.input_layout != op.target_layout:
        raise LaunchError("xegpu.convert_layout has no meaning at lane level: fragments no longer say what they are part of")
    return value
