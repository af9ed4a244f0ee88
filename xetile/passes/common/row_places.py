"""Rows from anywhere in an array, element by element, for those that no messages move."""

from __future__ import annotations

from xetile.dialects import arith, vector, xetile
from xetile.dialects.rows import LoadRows, StoreRows
from xetile.dialects.types import I1, INDEX, VectorType
from xetile.ir.builder import Builder
from xetile.ir.core import Value


def row_places(op: LoadRows | StoreRows, build: Builder) -> tuple[Value, Value]:
    """A scattered tile of the elements of rows, and which of them are accessed."""
    rows, columns = op.value.type.shape
    shape = (rows, columns)
    places, flags = VectorType(shape, INDEX), VectorType(shape, I1)
    across = build(arith.AddI, build(vector.Broadcast, op.column, result=places), build(xetile.TileIota, dim=1, result=places))
    starts = build(xetile.TileBroadcast, op.starts, dims=(1,), result=places)
    mask = build(arith.Constant, value=True, result=flags)
    if op.mask is not None:
        mask = build(xetile.TileBroadcast, op.mask, dims=(1,), result=flags)
    for number, most in ((across, op.end), (starts, op.height)):
        if most is not None:
            inside = build(arith.CmpI, number, build(vector.Broadcast, most, result=places), predicate="ult")
            mask = build(arith.AndI, mask, inside)
    if op.pitch is not None:
        starts = build(arith.MulI, starts, build(vector.Broadcast, op.pitch, result=places))
    offsets = build(arith.AddI, starts, across)
    tile = build(xetile.InitTile, op.base, [offsets], [], [], result=xetile.TileType(shape, op.value.type.element, scatter=True))
    return tile, mask


__all__ = ["row_places"]
