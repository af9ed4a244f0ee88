"""Transposes of loaded tiles become loads of column-major tiles (seed 001, appendix 2.3: combine the transpose with the load)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xetile.dialects import arith, xetile
from xetile.dialects.gpu import GpuModule
from xetile.ir import analyses
from xetile.ir.core import Op, Value, type_of
from xetile.ir.interfaces import values_of
from xetile.ir.rewriter import Rewriter
from xetile.layout import Layout
from xetile.passes.analysis.alias_classes import AliasClasses
from xetile.passes.common.numbers import index
from xetile.target import Target
from xetile.target.block_rules import LINE_PITCH


def fold_transposes(module: GpuModule, target: Target) -> GpuModule:
    """Replace `tile_transpose(load_tile(t))` by a load of the same memory seen with rows and columns exchanged.

    Before and after: xetile at workgroup level. A tile is transposed only where every load of it is transposed and used for nothing
    else; its prefetches are transposed with it. The loads take the transposes' map, if the user gave one; else the tile's own is transposed.
    """
    if not module.has(xetile.TileTranspose):
        return module
    classes = analyses.get(AliasClasses, module)
    for root, accesses in accessed(module, classes).items():
        if all_transposed(root, accesses):
            transpose_all(module, classes, root, _map_of_transposes(accesses))
            for access in accesses:
                if "inst_data" in access.attributes:
                    access.attributes["inst_data"] = access.attributes["inst_data"][::-1]
                if isinstance(access, xetile.LoadTile):
                    _drop_transposes(access)
    return module


def all_transposed(tile_value: Value, accesses: list[Op]) -> bool:
    """Whether loads, which are transposed and used for nothing else, and prefetches are all that is done with an alias class."""
    tile = type_of(tile_value, xetile.TileType)
    if not tile.is_block or tile.inner_blocks:
        return False
    loads = [op for op in accesses if isinstance(op, xetile.LoadTile)]
    others = [op for op in accesses if not isinstance(op, (xetile.LoadTile, xetile.PrefetchTile))]
    users = [user for op in loads for user in op.results[0].users]
    same_map = len({user.attributes.get("wg_map") for user in users}) == 1
    return bool(loads) and not others and same_map and all(isinstance(user, xetile.TileTranspose) for user in users)


def _map_of_transposes(accesses: list[Op]) -> Layout | None:
    users = [user for op in accesses for result in op.results for user in result.users]
    return users[0].attributes.get("wg_map")


def accessed(module: GpuModule, classes: AliasClasses) -> dict[Value, list[Op]]:
    """For each alias class of tiles, by its root: all that is done with it."""
    found: dict[Value, list[Op]] = {}
    for op in module.find(xetile.InitTile):
        found.setdefault(classes.root(op.result), classes.accesses(op.result))
    return found


def transpose_all(module: GpuModule, classes: AliasClasses, root: Value, layout: Layout | None = None) -> None:
    """Exchange rows and columns of all tiles of an alias class, and of what positions and moves them."""
    tiles = [v for v in values_of(module) if isinstance(v.type, xetile.TileType) and classes.root(v) is root]
    exchange_dimensions(tiles, layout)


def exchange_dimensions(tiles: Sequence[Value], layout: Layout | None = None) -> None:
    """Exchange rows and columns of tiles, all of an alias class, and of what positions and moves them. `layout`: their map afterwards."""
    rewrite = Rewriter()
    for op in [value.op for value in tiles]:
        if isinstance(op, xetile.InitTile):
            rewrite.set_operands(op, op.base, *map(_exchanged, _as_rows(op, rewrite)))
        elif isinstance(op, xetile.UpdateTileOffset):
            rewrite.set_operands(op, op.tile, _exchanged(op.offsets))
    for value in tiles:
        value.set_type(_transposed(type_of(value, xetile.TileType), layout))


def _as_rows(op: xetile.InitTile, build: Rewriter) -> tuple[tuple[Value, ...], ...]:
    """Offsets, sizes and strides of a tile in two dimensions at least: memory of rank 1 is one row."""
    if len(op.offsets) > 1:
        return op.offsets, op.shape, op.strides
    with build.before(op):
        zero, one, unit = (index(build, n) for n in (0, 1, LINE_PITCH))
        # The pitch of the only line is never used to reach another one; block messages take any that is aligned.
        pitch = build(arith.MulI, build(arith.CeilDivUI, op.shape[0], unit), unit)
    return (zero, *op.offsets), (one, *op.shape), (pitch, *op.strides)


def _exchanged(values: tuple[Value, ...]) -> tuple[Value, ...]:
    return (*values[:-2], values[-1], values[-2])


def _transposed(tile: xetile.TileType, layout: Layout | None) -> xetile.TileType:
    rows, columns = tile.shape
    if layout is None and tile.wg_map is not None:
        layout = tile.wg_map.transpose((1, 0))
    return replace(tile, shape=(columns, rows), order=(tile.order[1], tile.order[0]), wg_map=layout)


def _drop_transposes(load: xetile.LoadTile) -> None:
    load.value.set_type(load.value.type.with_shape(*reversed(load.value.type.shape)))
    for user in list(load.value.users):
        Rewriter().replace(user, load.value)
