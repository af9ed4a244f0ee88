"""What all handlers of the pass share: the layouts of old values and their pieces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xetile.dialects import xetile
from xetile.dialects.layouts import layouts_of
from xetile.dialects.types import VectorType
from xetile.ir import analyses
from xetile.ir.core import Op, Value, type_of
from xetile.ir.dispatch import Table
from xetile.passes.analysis.numbers import Numbers
from xetile.passes.analysis.owners import Share, num_pieces, rounds_of, shares
from xetile.passes.common.slm import Buffers
from xetile.passes.distribute.coordinates import Coordinates
from xetile.target import Target

Pieces = tuple[Value, ...]


class Distributor(Coordinates):
    """Every tile and vector becomes a tuple of pieces, one for each round; scalars stay."""

    def __init__(self, table: Table, module: Op, target: Target) -> None:
        kernel = module.kernel  # type: ignore[attr-defined]
        super().__init__(table, kernel.attributes["num_subgroups"])
        self.target = target
        self.index_bits: int = kernel.attributes.get("index_bits") or 32
        self.buffers = Buffers(module, target)
        self.numbers = analyses.get(Numbers, kernel)
        self._layouts = layouts_of(kernel)

    def finish(self, module: Op) -> None:
        """Put the head, and the shared local memory that came to be needed, at the beginning of the kernel."""
        self.place_head(module, self.buffers.ops)

    # Layouts.

    def shares(self, value: Value) -> tuple[Share, ...]:
        """How an old tile or vector is distributed, per dimension."""
        tile: Any = value.type
        layout = tile.wg_map if isinstance(tile, xetile.TileType) else self._layouts[value]
        return shares(layout, tile.shape)

    def pieces(self, value: Value) -> Pieces:
        """What an old tile or vector became."""
        lowered: Pieces = self[value]
        return lowered

    def piece_type(self, value: Value) -> VectorType:
        """The type of one piece of an old vector."""
        vector = type_of(value, VectorType)
        return VectorType(tuple(s.size for s in self.shares(value)), vector.element)

    def make(self, op: Op, operands: Sequence[Value], type: VectorType) -> Value:
        """Append a copy of an op of one result for pieces."""
        attributes = {k: v for k, v in op.attributes.items() if k != "wg_map"}
        return self.build.clone(op, operands, [type], attributes).result


def rounds(parts: Sequence[Share]) -> list[tuple[int, ...]]:
    """The rounds of all pieces, row-major."""
    return rounds_of(tuple(parts))


__all__ = ["Distributor", "Pieces", "num_pieces", "rounds"]
