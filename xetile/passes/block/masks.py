"""Masks in memory: a bool takes a byte there (0 or 1, as numpy's), and messages move bytes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from xetile.dialects import arith, gpu
from xetile.dialects.types import I1, I8, MemRefType, VectorType
from xetile.dialects.vector import LAYOUT
from xetile.ir.builder import Builder
from xetile.ir.core import Value, type_of
from xetile.layout import Layout
from xetile.passes.block.matrices import Matrix, Piece


def bytes_of(build: Builder, tile: Any) -> Any:
    """A tile of bools as one of bytes, over the same memory."""
    base = tile.base.type
    memory = build(gpu.ElementCast, tile.base, result=MemRefType(base.shape, I8, base.strides, base.space))
    return replace(tile, base=memory, type=replace(tile.type, element=I8))


def masks_of(build: Builder, loaded: Matrix | None) -> Matrix | None:
    """Bytes that were loaded, as bools: every byte but 0 is true. None stays None."""
    if loaded is None:
        return None
    pieces = []
    for piece in loaded.pieces:
        zero = build(arith.Constant, value=0, result=piece.value.type, **{LAYOUT: loaded.layout})
        mask = build(arith.CmpI, piece.value, zero, predicate="ne", **{LAYOUT: loaded.layout})
        pieces.append(Piece(piece.row, piece.column, mask))
    return Matrix(loaded.shape, I1, tuple(pieces), loaded.layout)


def mask_bytes(build: Builder, mask: Value, layout: Layout) -> Value:
    """Bools to be stored, as bytes of 0 and 1."""
    kind = type_of(mask, VectorType)
    stored: Value = build(arith.ExtUI, mask, result=kind.with_element(I8), **{LAYOUT: layout})
    return stored
