"""Tiles that no block message can move because of what the kernel says of them: where, why, and how to fix it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from xetile.dialects import xegpu, xetile
from xetile.dialects.gpu import GpuModule
from xetile.errors import Location
from xetile.ir import analyses
from xetile.passes.analysis.block_access import BlockAccess
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.target import Target
from xetile.target.blocks import Block2D

_MOVES = (xetile.LoadTile, xetile.StoreTile)
_OWN_SIZES = (
    "it has sizes or strides of the kernel's own, which may break the rules of block messages",
    "leave base_shape and base_strides out, or give constants, rows a multiple of 64 bytes apart",
)
_DROPPED_ROWS = (
    "its view drops the array's last axis but one, along which block messages begin at multiples of 64 bytes only",
    'give the array strides that are multiples of 64 bytes (when compiled ahead of time: leave ";any" out)',
)


def slow_tiles(module: GpuModule, target: Target) -> tuple[tuple[str, str, Location], ...]:
    """(why, what to do, where the tile is made) for each tile of a traced module that is moved element by element.

    Arrays that break the rules of block messages themselves are left out: the launch knows them.
    """
    if target.block2d is None:
        return ()
    found: dict[Location, tuple[str, str]] = {}
    access = analyses.get(BlockAccess, module, target)
    moves: list[Any] = module.find(_MOVES)
    for op in moves:
        if not op.tile.type.space and _has_runs(op.tile.type):
            found.update(_problems(access, op, target.block2d))
    return tuple((*why, at) for at, why in found.items())


def without_free_axes(module: GpuModule, target: Target) -> frozenset[str]:
    """The array parameters of whose last two axes a view drops one, along which nothing says that tiles begin where messages take them."""
    if target.block2d is None:
        return frozenset()
    access = analyses.get(BlockAccess, module, target)
    names = module.kernel.arrays
    made: list[xetile.InitTile] = module.find(xetile.InitTile)
    return frozenset(
        names[op.base] for op in made if op.base in names and _has_runs(op.result.type) and not access.keeps_axes(op)
    )


def tiled_arguments(module: GpuModule, target: Target) -> frozenset[str]:
    """The array parameters in which tiles with neighbours in memory lie, or descriptors of blocks: what block messages are for.

    Without long ones all of whose tiles are several lines: messages reach these.
    """
    access = analyses.get(BlockAccess, module, target) if module.kernel.long else None
    names = module.kernel.arrays
    found: set[str | None] = set()
    made: list[Any] = module.find((xetile.InitTile, xegpu.CreateNdTdesc))
    for op in made:
        if isinstance(op, xegpu.CreateNdTdesc) or (
            _has_runs(op.result.type) and not (access is not None and access.is_scattered(op) and access.line(op.result))
        ):
            found.add(names.get(op.operands[0]))
    return frozenset(name for name in found if name is not None)


def _has_runs(tile: xetile.TileType) -> bool:
    """Whether elements of a tile are neighbours in memory; those of a column are not, and a scattered message moves them as well."""
    return not tile.scatter and tile.shape[tile.order[0]] > 1


def _is_shifted(access: BlockAccess, op: xetile.LoadTile | xetile.StoreTile) -> bool:
    """Whether messages bring a tile from the word on that it begins in; none write it so."""
    return isinstance(op, xetile.LoadTile) and access.begins_in_words(op.tile) and access.moves_rows_beside(op.tile)


def _problems(
    access: BlockAccess, op: xetile.LoadTile | xetile.StoreTile, blocks: Block2D
) -> Iterator[tuple[Location, tuple[str, str]]]:
    made = access.made_by(op.tile)
    if any(map(access.is_scattered, made)):
        return
    for init in made:
        if init.loc is not None and not access.reaches(init):
            yield init.loc, _OWN_SIZES if access.keeps_axes(init) else _DROPPED_ROWS
        elif init.loc is not None and not access.aligned(op.tile) and not _is_shifted(access, op):
            multiple = blocks.x_multiple_of(element_bytes(op.tile.type.element))
            axis = "row" if op.tile.type.order == (0, 1) else "column"
            yield (
                init.loc,
                (
                    f"its {axis} may begin inside of a 32-bit word of memory",
                    f"write the {axis}, and moves of it, as multiples of {multiple} elements, such as i * {multiple}",
                ),
            )
