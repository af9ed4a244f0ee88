"""Padding other than zero: block messages give zeros outside of the array, which lanes replace."""

from __future__ import annotations

from dataclasses import replace

from xetile.ir.core import Value
from xetile.layout import Layout
from xetile.passes.block.access import Tile, TileMessages
from xetile.passes.block.matrices import Matrix, Piece


def can_pad(layout: Layout) -> bool:
    """Whether `pad` knows which element each lane holds: not where it holds runs, as operands of DPAS are."""
    return layout.lane_data == (1, 1)


def pad(access: TileMessages, tile: Tile, loaded: Matrix, padding: float) -> Matrix:
    """A tile that was loaded with zeros outside of the array, with `padding` there."""
    if padding == 0:
        return loaded
    pieces = (replace(piece, value=_padded(access, tile, piece, loaded.layout, padding)) for piece in loaded.pieces)
    return replace(loaded, pieces=tuple(pieces))


def _padded(access: TileMessages, tile: Tile, piece: Piece, layout: Layout, padding: float) -> Value:
    where = access.add(tile.y, piece.row), access.add(tile.x, piece.column)
    parts = []
    for down, across in access.origins(piece.shape, layout):
        _, inside = access.address(tile, where, down, across, layout, piece.shape)
        held = access.part(piece.value, down, across, piece.shape, layout)
        parts.append(access.padded(held, inside, padding))
    return access.join(parts, piece.shape, layout, tile.type.element)
