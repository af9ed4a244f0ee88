"""Vectors of indices read as sums: of what is the same for a row, of the column's place in the tile, and of scalars."""

from __future__ import annotations

from xetile.dialects import arith, vector, xetile
from xetile.dialects.affine import Affine, affine_of
from xetile.dialects.types import I64, INDEX, element_of, shape_of
from xetile.ir.core import Value
from xetile.records import dataclass

_WIDE = (INDEX, I64)


@dataclass(frozen=True)
class RowSum:
    """Element (i, j) is the sum of element i of each of the columns `rows`, of `across` times j, and of `rest`.

    Sums that are too large wrap as the numbers of the vector do; indices are of a size in which a launch's do not.
    """

    rows: tuple[Value, ...] = ()
    across: int = 0
    rest: Affine = Affine({})

    def plus(self, other: RowSum, times: int = 1) -> RowSum | None:
        """The sum with another one, or the difference (-1): that of rows is none."""
        if times != 1 and other.rows:
            return None
        return RowSum((*self.rows, *other.rows), self.across + times * other.across, self.rest.plus(other.rest, times))


def row_sum(value: Value) -> RowSum | None:
    """What a vector of indices, or of i64, is; None where it is no such sum."""
    op, rows = value.op, shape_of(value.type)[0]
    if isinstance(op, arith.Constant) and not isinstance(op.value, tuple):
        return RowSum(rest=Affine({}, op.value))
    if isinstance(op, vector.Broadcast):
        return RowSum(rest=scalar_sum(op.source)) if element_of(value.type) in _WIDE else None
    if isinstance(op, xetile.TileIota) and (op.dim == 1 or rows == 1):
        return RowSum(across=op.dim)
    if isinstance(op, (arith.AddI, arith.SubI)) and element_of(value.type) in _WIDE:
        left, right = (row_sum(v) for v in op.operands)
        found = left.plus(right, -1 if isinstance(op, arith.SubI) else 1) if left is not None and right is not None else None
        return found or _own(value)
    if isinstance(op, xetile.TileBroadcast) or _keeps(value):
        assert op is not None
        return row_sum(op.operands[0]) or _own(value)
    return _own(value)


def scalar_sum(value: Value) -> Affine:
    """What a scalar is a sum of, as an index or as i64."""
    return affine_of(value, now=_uncast)


def _own(value: Value) -> RowSum | None:
    """A column that is nothing but itself."""
    return RowSum((value,)) if shape_of(value.type)[1] == 1 else None


def _keeps(value: Value) -> bool:
    """Whether a value is another one of indices, or of i64, in the other type."""
    op = value.op
    return isinstance(op, arith.IndexCast) and {element_of(v.type) for v in (value, op.operands[0])} <= set(_WIDE)


def _uncast(value: Value) -> Value:
    while _keeps(value):
        assert value.op is not None
        value = value.op.operands[0]
    return value


__all__ = ["RowSum", "row_sum", "scalar_sum"]
