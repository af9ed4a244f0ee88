"""Fragments: which elements of a block each lane holds, and the way between blocks and fragments.

A table [lanes, fragment] of flat (row-major) indices into the block, -1 where a lane's element is undefined.
"""

# numpy's type information gives Any for most results.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from functools import lru_cache

import numpy as np

from xetile.errors import LaunchError

from .values import BATCH, LANE, Array

UNDEFINED = -1


def distribute(block: Array, table: Array) -> Array:
    """Fragments (batch..., fragment) of a block (batch with one lane, ...): lane by lane; undefined elements are zero."""
    if block.shape[LANE] != 1:
        raise LaunchError("a message of the whole subgroup has operands that differ between lanes")
    flat = block.reshape(*block.shape[:LANE], -1)
    found = flat[..., table]
    found[..., table == UNDEFINED] = 0
    return found


def collect(fragments: Array, table: Array, shape: tuple[int, ...]) -> Array:
    """The block (batch with one lane, *shape) that fragments make up: the inverse of `distribute`."""
    batch = fragments.shape[:LANE]
    fragments = np.broadcast_to(fragments.reshape(*fragments.shape[:BATCH], -1), (*batch, *table.shape))
    flat = np.zeros((*batch, int(np.prod(shape))), fragments.dtype)
    defined = table != UNDEFINED
    flat[..., table[defined]] = fragments[..., defined]
    return flat.reshape(*batch, 1, *shape)


def _power_of_two(n: int) -> int:
    return 1 << (n - 1).bit_length()


@lru_cache(maxsize=1024)
def plain_table(height: int, width: int, lanes: int) -> Array:
    """A block whose rows go to lanes (SPV_INTEL_2d_block_io, mapping of block data).

    A row as long as the subgroup: one element to a lane. Shorter: several rows in one step. Longer: neighbours to a lane.
    """
    padded = _power_of_two(width)
    lane = np.arange(lanes)[:, None]
    if padded <= lanes:
        at_once = lanes // padded
        step = np.arange(-(-height // at_once))[None, :]
        row, column = step * at_once + lane // padded, lane % padded + 0 * step
    else:
        each = padded // lanes
        step = np.arange(height * each)[None, :]
        row, column = step // each + 0 * lane, lane * each + step % each
    return np.where((row < height) & (column < width), row * width + column, UNDEFINED)


@lru_cache(maxsize=1024)
def transformed_table(height: int, width: int, lanes: int, rows_together: int) -> Array:
    """The VNNI transform: a lane gets its column, `rows_together` rows (32 bits) at a time; missing rows are undefined."""
    units = plain_table(-(-height // rows_together), width, lanes)
    row, column = units // width * rows_together, units % width
    rows = row[:, :, None] + np.arange(rows_together)
    index = np.where((units[:, :, None] != UNDEFINED) & (rows < height), rows * width + column[:, :, None], UNDEFINED)
    return index.reshape(lanes, -1)


@lru_cache(maxsize=1024)
def transposed_table(height: int, width: int, lanes: int) -> Array:
    """The transposed block, then as plain: a lane gets a row of memory."""
    swapped = plain_table(width, height, lanes)
    return np.where(swapped == UNDEFINED, UNDEFINED, swapped % height * width + swapped // height)


@lru_cache(maxsize=1024)
def message_table(height: int, width: int, count: int, lanes: int, rows_together: int, transposed: bool) -> Array:
    """A message of `count` blocks side by side, block after block, as indices into (height, count * width)."""
    if transposed:
        block = transposed_table(height, width, lanes)
    elif rows_together > 1:
        block = transformed_table(height, width, lanes, rows_together)
    else:
        block = plain_table(height, width, lanes)
    row, column = block // width, block % width
    blocks = [np.where(block == UNDEFINED, UNDEFINED, row * width * count + i * width + column) for i in range(count)]
    return np.concatenate(blocks, axis=1)


# Operands of DPAS (SPV_INTEL_subgroup_matrix_multiply_accumulate). N is the number of lanes.


@lru_cache(maxsize=1024)
def a_table(m: int, k: int, lanes: int) -> Array:
    """A (m, k): lane = column; K / lanes neighbours where K is longer; several rows in one step where it is shorter."""
    return plain_table(m, k, lanes)


@lru_cache(maxsize=1024)
def column_table(rows: int, lanes: int) -> Array:
    """B (k, n), and the accumulator (m, n): lane = column, rows ascending (so VNNI pairs are neighbours)."""
    return np.arange(lanes)[:, None] + np.arange(rows)[None, :] * lanes
