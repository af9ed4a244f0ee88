"""Where the layouts of a laid-out xetile kernel stand: in tiles' types, ops' maps, and the maps of loops and branches."""

from __future__ import annotations

from typing import Any

from xetile.dialects import scf
from xetile.dialects.types import VectorType
from xetile.dialects.xetile import TileType
from xetile.ir.core import Op, Value
from xetile.layout import Layout


def map_of(op: Op | None) -> dict[str, Any]:
    """The map that the user, or the choice of layouts, gave to an op's result: attributes for an op that is made in its place."""
    return {} if op is None or "wg_map" not in op.attributes else {"wg_map": op.attributes["wg_map"]}


def layouts_of(kernel: Any) -> dict[Value, Layout]:
    """The layout of each vector that has one: its op's wg_map, its tile's, or that of the loop that carries it."""
    found: dict[Value, Layout] = {}
    for op in kernel.walk():
        maps = op.attributes.get("wg_maps")
        if maps is not None:
            args = op.body.args[1:] if isinstance(op, scf.For) else op.after.args if isinstance(op, scf.While) else ()
            found.update((v, m) for values in (op.results, args) for v, m in zip(values, maps) if m is not None)
        if isinstance(op, scf.While):
            pairs = zip(op.before.args, op.init)
            found.update((arg, found[v]) for arg, v in pairs if isinstance(arg.type, VectorType) and v in found)
        elif len(op.results) == 1 and isinstance(op.results[0].type, VectorType) and not op.regions:
            layout = op.attributes.get("wg_map") or _of_tile(op)
            if layout is not None:
                found[op.results[0]] = layout
    return found


def _of_tile(op: Any) -> Layout | None:
    """The map of the tile that an op accesses."""
    tiles = [v.type for v in op.operands if isinstance(v.type, TileType)]
    return tiles[0].wg_map if tiles else None
