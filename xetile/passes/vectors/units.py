"""Which products AMX takes."""

from __future__ import annotations

from xetile.dialects import joint_matrix as jm
from xetile.dialects import xetile
from xetile.passes.analysis.products import mma_types
from xetile.passes.vectors.state import Lowering
from xetile.target.mma import Mma

LEAST_COLUMNS = 32
"""What is loaded for a single column of matrices costs more than vectors' products (attention with steps of 16 keys: twice)."""


def unit_of(lower: Lowering, op: xetile.TileMma | jm.Mad) -> Mma | None:
    """The product of AMX that covers a product of tiles, without rest.

    A rest would need smaller matrices. Beside whole ones Intel's compiler (runtime 2026.2) made wrong numbers of them, as if it gave each of
    the eight registers one shape for the whole kernel.
    """
    lhs, rhs, acc, _ = mma_types(op)
    unit = lower.target.find_mma(lhs, rhs, acc) if lower.target.has_mma else None
    if unit is None:
        return None
    (rows, depth), (_, columns) = op.a.type.shape, op.b.type.shape
    m, n, k = unit.shape
    if isinstance(op, xetile.TileMma) and columns < LEAST_COLUMNS:
        return None
    return None if rows % m or columns % n or depth % k else unit
