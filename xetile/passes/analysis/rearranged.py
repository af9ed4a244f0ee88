"""Values whose elements are those of others in other places, which are known when compiling: slices, joined and interleaved values.

The language moves elements through shared memory, and nothing but the addresses says where they come from.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from xetile.dialects import arith, gpu, vector, xetile
from xetile.dialects.types import VectorType
from xetile.ir.core import Op, Value, type_of
from xetile.ir.interfaces import written_values
from xetile.passes.analysis.places import Numbers, Places
from xetile.records import dataclass


@dataclass(frozen=True)
class Rearranged:
    """Element (i, j) is the one at (rows[i, j], columns[i, j]) of `sources[which[i, j]]`."""

    sources: tuple[Value, ...]
    which: Numbers
    rows: Numbers
    columns: Numbers

    def picked(self, dim: int, *, turned: bool = False) -> list[tuple[int, int]] | None:
        """(source, row) of each row (`dim` 0) or of each column (1), where these are whole, and in their order; None where they are not.

        `turned`: of sources whose rows are called columns here.
        """
        along, across = (self.rows, self.columns)[dim], (self.rows, self.columns)[1 - dim]
        which, along, across = (part if dim else part.T for part in (self.which, along, across))
        size = which.shape[0]
        if any((part != part[:1]).any() for part in (which, along)) or (across != np.arange(size)[:, None]).any():
            return None
        if any(type_of(source, VectorType).shape[dim if turned else 1 - dim] != size for source in self.sources):
            return None
        return [(int(n), int(at)) for n, at in zip(which[0], along[0], strict=True)]


def rearranged(value: Value) -> Rearranged | None:
    """Where the elements of a value come from, if it is a rearrangement and of which is known; behind all such one after the other."""
    op = value.op
    if isinstance(op, xetile.TileTranspose):
        shape = type_of(value, VectorType).shape
        rows, columns = np.indices(shape)
        found: Rearranged | None = Rearranged((op.source,), np.zeros(shape, np.int64), columns, rows)
    else:
        found = _exchanged(op) if isinstance(op, (xetile.LoadGather, xetile.LoadTile)) else None
    return None if found is None else _further(found)


def _further(found: Rearranged) -> Rearranged:
    """With sources that are no rearrangements themselves."""
    sources, which, rows, columns = list[Value](), *(part.copy() for part in (found.which, found.rows, found.columns))
    for n, source in enumerate(found.sources):
        here, before = found.which == n, rearranged(source)
        at = found.rows[here], found.columns[here]
        if before is not None:
            rows[here], columns[here], numbers = before.rows[at], before.columns[at], before.which[at]
        else:
            numbers = np.zeros(at[0].shape, np.int64)
        made_of = (source,) if before is None else before.sources
        sources += [other for other in made_of if other not in sources]
        which[here] = np.array([sources.index(other) for other in made_of])[numbers]
    return Rearranged(tuple(sources), which, rows, columns)


def _exchanged(op: xetile.LoadGather | xetile.LoadTile) -> Rearranged | None:
    """What a load from shared memory finds of what the workgroup stored right before."""
    made = op.tile.op
    shape = type_of(op.results[0], VectorType).shape
    if not isinstance(made, xetile.InitTile) or not isinstance(made.base.op, gpu.Alloca) or len(shape) != 2:
        return None
    flat, stores = _loaded(op, made, shape), _stores_before(op, made.base)
    size = made.base.type.count
    which, rows, columns = (np.full(size, -1) for _ in range(3))
    for n, store in enumerate(stores):
        held = _addresses(store.tile.op, type_of(store.value, VectorType).shape)
        if held is None or held.max() >= size:
            return None
        which[held] = n
        rows[held], columns[held] = np.indices(held.shape)
    if flat is None or flat.max() >= size or (which[flat] < 0).any():
        return None
    return Rearranged(tuple(store.value for store in stores), which[flat], rows[flat], columns[flat])


def _loaded(op: xetile.LoadGather | xetile.LoadTile, made: xetile.InitTile, shape: tuple[int, ...]) -> Numbers | None:
    """For each element of a load its place in the memory, where that is known."""
    if isinstance(op, xetile.LoadTile):
        return _addresses(made, shape)
    places = Places(1, 1).of(made.offsets[0]) if vector.is_true(op.mask) else None
    return None if places is None else np.broadcast_to(places[0, 0], (shape[0] * shape[1],)).reshape(shape)


def _stores_before(op: Op, base: Value) -> list[Any]:
    """The stores to memory `base` between the two barriers before an op of the same block, in their order, if nothing else writes to it.

    They are what the op reads there; none where that is not known.
    """
    assert op.parent is not None
    ops, barriers, found = op.parent.ops, 0, list[Any]()
    for other in reversed(ops[: ops.index(op)]):
        if isinstance(other, gpu.Barrier):
            barriers += 1
            if found:
                break
        elif other.regions or isinstance(other, (gpu.BarrierArrive, gpu.BarrierWait)):
            break
        elif other.writes and (store := _store_to(other, base)) is not False:
            if store is None or not barriers:
                return []
            found.append(store)
    return found[::-1]


def _store_to(op: Op, base: Value) -> Any:
    """The op if it stores a tile of `base`, False if it writes elsewhere, None if that is not known."""
    made: list[Any] = [value.op for value in written_values(op)]
    if not all(isinstance(tile, xetile.InitTile) and _is_whole(tile.base) for tile in made):
        return None
    if all(tile.base is not base for tile in made):
        return False
    return op if isinstance(op, xetile.StoreTile) else None


def _is_whole(base: Value) -> bool:
    """Whether memory is no part of another one, by another name."""
    return base.op is None or isinstance(base.op, gpu.Alloca)


def _addresses(made: Any, shape: tuple[int, ...]) -> Numbers | None:
    """For each element of a tile its place in the memory, counted in elements; None where that is not known or some are cut off."""
    numbers = [[arith.constant_of(v) for v in part] for part in (made.offsets, made.shape, made.strides)]
    if made.result.type.scatter or any(len(part) != len(shape) or None in part for part in numbers):
        return None
    offsets, extents, strides = numbers
    if any(not 0 <= at <= extent - n for at, extent, n in zip(offsets, extents, shape)):
        return None
    rows, columns = np.indices(shape)
    found: Numbers = (rows + offsets[0]) * strides[0] + (columns + offsets[1]) * strides[1]
    return found
