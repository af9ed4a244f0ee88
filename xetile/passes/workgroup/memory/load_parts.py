"""Parts of loaded tiles, `x[:, 64:80]`, are loaded by themselves, from where they lie in the array.

The language moves parts through shared memory, with barriers around; a message brings any rectangle of an array from the cache. Attention
over a cache whose rows are keys of 64 and 16 columns, and values as well, took 2,205 instructions for 9 DPAS on pvc, 309 for 36 so, and
ten seconds to compile.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import NamedTuple

import numpy as np

from xetile.dialects import arith, xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import VectorType
from xetile.ir.core import Op, Value, type_of
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.passes.analysis.rearranged import rearranged
from xetile.passes.common.exchanges import drop_exchanges
from xetile.passes.common.numbers import index
from xetile.passes.common.unused import erase_unused
from xetile.target import Target
from xetile.target.blocks import WORD_BYTES

_MOST = 2
"""How many times the elements of a tile may be loaded in place of once."""
_LEAST = 8
"""Rows and columns of a part: single lines are nearer in registers (`d[:, j : j + 1] + e[j : j + 1, :]` for each j)."""


class _Part(NamedTuple):
    """Rows and columns of a loaded tile, from a place on, converted by `casts`, the last one first."""

    row: int
    column: int
    shape: tuple[int, int]
    casts: tuple[arith.Cast, ...]


def load_parts(module: GpuModule, target: Target) -> GpuModule:
    """Load parts of loaded tiles from the array, next to the load of the whole tile, which goes where nothing else takes it.

    Before and after: xetile at workgroup level. For tiles that are made where they are loaded, on devices with block messages; parts
    begin and end at whole words.
    """
    if not module.has((xetile.LoadGather, xetile.LoadTile)):
        return module
    parts = dict[xetile.LoadTile, list[tuple[Op, _Part]]]()
    for op in module.find((xetile.LoadGather, xetile.LoadTile)):
        found = _part_of(op)
        if found is not None:
            parts.setdefault(found[0], []).append((op, found[1]))
    rewrite, sources = Rewriter(), list[Value]()
    for load, taken in parts.items():
        if _elements(load, taken) <= _MOST * type_of(load.value, VectorType).count:
            sources += _load_each(load, taken, rewrite)
            sources += [load.value, *(cast.result for _, part in taken for cast in part.casts)]
    if sources:
        drop_exchanges(module, rewrite)
        erase_unused(sources, rewrite)
    return module


def _part_of(op: Op) -> tuple[xetile.LoadTile, _Part] | None:
    """The load, and which part of what it loads another load finds in shared memory."""
    tile = op.operands[0].type
    found = rearranged(op.results[0]) if isinstance(tile, xetile.TileType) and tile.space else None
    if found is None or len(found.sources) != 1:
        return None
    casts, load = list[arith.Cast](), found.sources[0].op
    while isinstance(load, arith.Cast) and "wg_map" not in load.attributes:
        casts.append(load)
        load = load.operand.op
    if not isinstance(load, xetile.LoadTile) or not _may_be_parted(load):
        return None
    shape = type_of(op.results[0], VectorType).shape
    part = _Part(int(found.rows[0, 0]), int(found.columns[0, 0]), (shape[0], shape[1]), tuple(casts))
    steps = np.indices(shape)
    if (found.rows != part.row + steps[0]).any() or (found.columns != part.column + steps[1]).any():
        return None
    begin, size = (part.column, shape[1]) if load.tile.type.order == (1, 0) else (part.row, shape[0])
    word = max(WORD_BYTES // element_bytes(load.tile.type.element), 1)
    return None if begin % word or size % word or min(shape) < _LEAST else (load, part)


def _may_be_parted(load: xetile.LoadTile) -> bool:
    """Whether a tile is made by its place in an array, and neither it nor its load is the user's choice."""
    kind, made = load.tile.type, load.tile.op
    return isinstance(made, xetile.InitTile) and not (
        kind.scatter or kind.space or kind.inner_blocks or kind.wg_map or load.inst_data or load.lane_map or len(made.offsets) < 2
    )


def _elements(load: xetile.LoadTile, parts: Iterable[tuple[Op, _Part]]) -> int:
    """How many elements are loaded of a tile whose parts are loaded by themselves."""
    casts = {cast for _, part in parts for cast in part.casts}
    stores = {store for op, part in parts for store in _stores(part.casts[0] if part.casts else load, op)}
    others = any(user not in casts | stores for value in (load.value, *(cast.result for cast in casts)) for user in value.users)
    whole = type_of(load.value, VectorType).count if others else 0
    return whole + sum(prod(shape) for *_, shape in {part[:3] for _, part in parts})


def _stores(source: Op, op: Op) -> list[Op]:
    """The stores of a value to the memory where a part of it is found."""
    base = _base_of(op.operands[0])
    return [user for user in source.results[0].users if isinstance(user, xetile.StoreTile) and _base_of(user.tile) is base]


def _base_of(tile: Value) -> Value | None:
    return tile.op.base if isinstance(tile.op, xetile.InitTile) else None


def _load_each(load: xetile.LoadTile, parts: Iterable[tuple[Op, _Part]], rewrite: Rewriter) -> list[Value]:
    """Load the parts where the whole is loaded, and convert them there; gives all that are made."""
    made, loaded = load.tile.op, dict[_Part, Value]()
    assert isinstance(made, xetile.InitTile)
    for op, part in parts:
        if part not in loaded:
            with rewrite.before(load), rewrite.located(load.loc):
                place = [rewrite(arith.AddI, at, index(rewrite, by)) if by else at for at, by in zip(made.offsets[-2:], part[:2])]
                tile = rewrite(
                    xetile.InitTile, made.base, [*made.offsets[:-2], *place], list(made.shape), list(made.strides),
                    result=load.tile.type.with_shape(*part.shape),
                )  # fmt: skip
                kind = type_of(load.value, VectorType).with_shape(*part.shape)
                value = rewrite.clone(load, [tile], [kind]).results[0]
                for cast in reversed(part.casts):
                    value = rewrite.clone(cast, [value], [type_of(cast.result, VectorType).with_shape(*part.shape)]).results[0]
                loaded[part] = value
        rewrite.replace(op, loaded[part])
    return list(loaded.values())
