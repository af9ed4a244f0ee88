"""Rows from anywhere in an array, which passes find among gathers and scatters: xetile's, at workgroup and subgroup level, and blocked."""

from __future__ import annotations

from typing import Any

from xetile.dialects.types import I1, INDEX, MemRefType, VectorType
from xetile.ir.core import Op, Typed, Value, attribute, operand, result

RANK_OF_BLOCKS = 4


class LoadRows(Op, name="xetile.load_rows", reads=("base",)):
    """Runs of neighbours from anywhere in an array, one for each row: element (i, j) lies `starts[i] + column + j` behind the first.

    Rows where the mask (a column, as `starts`) is false are 0, and so is all from column `end` on, where these are given; no column is
    below 0. Passes make it of gathers whose rows begin at whole 32-bit words; `end` is whole words, and as many as messages take.
    With `pitch` and `height` the starts are numbers of rows of an array of these, which is `end` wide; rows of other numbers are 0.
    """

    # `xetile.load_rows %A[%starts, %k] where %mask to %n : memref<...>, vector<64x1xindex>, vector<64x1xi1> -> vector<64x32xf16>`.
    format = (
        "$base `` `[` $starts `,` $column `]` (`where` $mask^)? (`to` $end^)? (`by` $pitch^)? (`of` $height^)? attr-dict"
        " `:` type($base) `,` type($starts) (`,` type($mask)^)? `->` type($value)"
    )
    base: Typed[MemRefType] = operand(MemRefType)
    starts: Typed[VectorType] = operand(VectorType)
    column: Value = operand()
    mask: Typed[VectorType] | None = operand(VectorType, optional=True)
    end: Value | None = operand(optional=True)
    pitch: Value | None = operand(optional=True)
    height: Value | None = operand(optional=True)
    wg_map: Any = attribute("layout", optional=True)
    value: Typed[VectorType] = result(VectorType)

    def verify(self) -> None:
        _check_rows(self, self.value.type)


class StoreRows(Op, name="xetile.store_rows", writes=("base",)):
    """Write runs of neighbours anywhere in an array, one for each row of a value, which lie where `load_rows` says.

    Rows where the mask is false are not written, nor is anything from column `end` on, nor rows of numbers that an array of `height` has not.
    """

    # `xetile.store_rows %v, %A[%starts, %k] where %mask to %n : vector<64x32xf16>, memref<...>, vector<64x1xindex>, vector<64x1xi1>`.
    format = (
        "$value `,` $base `` `[` $starts `,` $column `]` (`where` $mask^)? (`to` $end^)? (`by` $pitch^)? (`of` $height^)? attr-dict"
        " `:` type($value) `,` type($base) `,` type($starts) (`,` type($mask)^)?"
    )
    value: Typed[VectorType] = operand(VectorType)
    base: Typed[MemRefType] = operand(MemRefType)
    starts: Typed[VectorType] = operand(VectorType)
    column: Value = operand()
    mask: Typed[VectorType] | None = operand(VectorType, optional=True)
    end: Value | None = operand(optional=True)
    pitch: Value | None = operand(optional=True)
    height: Value | None = operand(optional=True)
    wg_map: Any = attribute("layout", optional=True)

    def verify(self) -> None:
        _check_rows(self, self.value.type)


def _check_rows(op: Any, value: VectorType) -> None:
    """One start and one place in a mask for each row; all of an array's sizes or none."""
    starts = op.starts.type
    if starts.element is not INDEX or (op.mask is not None and op.mask.type != starts.with_element(I1)):
        raise op.fail(f"takes a column of indices, and one of i1, not {starts}")
    blocks, columns = value.shape[0], starts.shape[1::2]
    rows = blocks * value.shape[2] if value.rank == RANK_OF_BLOCKS else blocks
    if starts.rank != value.rank or any(n != 1 for n in columns) or starts.count != rows:
        raise op.fail(f"{starts} has not one start for each row of {value}")
    if (op.pitch is None) != (op.height is None) or (op.pitch is not None and op.end is None):
        raise op.fail("an array has a pitch, a height and an end")
    if value.element is not op.base.type.element:
        raise op.fail(f"{value.element} and an array of {op.base.type.element}")
