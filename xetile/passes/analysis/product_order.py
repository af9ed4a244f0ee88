"""In which order a subgroup multiplies its part of a product, and what of the operands is live at one time.

By depth, A is live as a whole, which may stay for a loop, and B passes by in the rows that are multiplied at one time (sink_loads).
By rows, B is live as a whole, and A passes by: for parts of many rows and few columns, whose accumulators leave no registers for A.
By parts, a part of B that messages bring is live, and A passes by it: for parts of the result that are deep besides.
By columns, A is live as a whole, and B passes by in columns: for shallow products of many columns.
Where products go as multiples to sums that a loop carries, rows are outermost too: a product of some rows is live beside all sums.
"""

from __future__ import annotations

from typing import NamedTuple

from xetile.passes.analysis.products import MmaTypes
from xetile.target import DTYPE_BITS, Target
from xetile.target.blocks import WORD_BYTES

STEPS = 2
"""Steps of DPAS whose rows of B one message loads (SPV_INTEL_2d_block_io: 32 rows of 16-bit elements)."""
MESSAGE_BLOCKS = 4
"""Blocks of DPAS whose rows of A one message loads (SPV_INTEL_2d_block_io: 32 rows)."""

CROWDED = 0.75
"""The share of the registers beside which other values of a loop find no registers."""


class Part(NamedTuple):
    """Rows and columns of the result, how deep the product is, and the element types of A, B and the result."""

    rows: int
    columns: int
    depth: int
    types: MmaTypes

    @property
    def acc_bytes(self) -> int:
        """Bytes of the accumulators."""
        return self.rows * self.columns * bits(self.types.acc) // 8

    def operand_bytes(self, rows: int, depth: int) -> int:
        """Bytes of so many rows of A, as deep as the product, and of so many rows of B."""
        return (self.depth * rows * bits(self.types.lhs) + depth * self.columns * bits(self.types.rhs)) // 8

    def bytes_by_depth(self, target: Target) -> int:
        """Bytes of operands that are live where the depth is outermost."""
        return self.operand_bytes(self.rows, self.depth_of_message(target))

    def bytes_by_rows(self, target: Target) -> int:
        """Bytes of operands that are live where rows are outermost: two messages of A, since one comes while one is multiplied."""
        return self.operand_bytes(min(self.rows, 2 * self.rows_of_message(target)), self.depth)

    def bytes_by_parts(self, target: Target) -> int:
        """The same where rows are outermost in each part of the depth that messages bring."""
        return self._replace(depth=self.depth_of_message(target)).bytes_by_rows(target)

    def bytes_by_columns(self, target: Target) -> int:
        """Bytes of operands that are live where columns are outermost: all of A, and a message of B."""
        return self._replace(columns=min(self.columns, self.columns_of_message(target))).operand_bytes(self.rows, self.depth)

    def bytes_passing(self, target: Target) -> int:
        """Bytes that are live beside the sums where products pass by: B, some rows of A in the depth of one message, and their product."""
        rows, depth = self.rows_of_message(target), self.depth_of_message(target)
        left = rows * (depth * bits(self.types.lhs) + self.columns * bits(self.types.acc))
        return (left + self.depth * self.columns * bits(self.types.rhs)) // 8

    def rows_of_message(self, target: Target) -> int:
        """Rows of A that come by one message; all of them without block messages."""
        mma = target.find_mma(*self.types)
        return min(self.rows, MESSAGE_BLOCKS * max(mma.m)) if mma and target.block2d is not None else self.rows

    def depth_of_message(self, target: Target) -> int:
        """How deep messages of B are; the product's own depth without a matrix unit."""
        mma = target.find_mma(*self.types)
        return min(self.depth, STEPS * mma.k) if mma else self.depth

    def at_a_time(self, target: Target) -> tuple[int, int]:
        """(rows, depth): the rows that are multiplied so deep before the next ones, and then further; all of them by depth.

        By depth wherever that fits the largest mode of the registers: successive DPAS then write most different accumulators.
        """
        budget = target.largest_grf - self.acc_bytes
        if self.bytes_by_depth(target) <= budget:
            return self.rows, self.depth
        if self.bytes_by_rows(target) <= budget:
            return self.rows_of_message(target), self.depth
        if self.bytes_by_parts(target) <= budget:
            return self.rows_of_message(target), self.depth_of_message(target)
        return self.rows, self.depth

    def columns_at_a_time(self, target: Target) -> int:
        """Columns that are multiplied in all their depth before the next ones, where B passes by; all of them by depth.

        By depth unless accumulators and the rows of B that one message is deep fill most of the registers, and columns are fewer.
        """
        mma, columns = target.find_mma(*self.types), self.columns_of_message(target)
        budget = target.largest_grf
        if mma is None:
            return self.columns
        by_depth, by_columns = min(self.depth, STEPS * mma.k) * self.columns, self.depth * columns
        crowded = self.acc_bytes + by_depth * bits(self.types.rhs) // 8 > CROWDED * budget
        return columns if crowded and by_columns < by_depth else self.columns

    def columns_of_message(self, target: Target) -> int:
        """Columns of B that come by one message; all of them without block messages."""
        mma, size = target.find_mma(*self.types), bits(self.types.rhs) // 8
        if mma is None or target.block2d is None:
            return self.columns
        kind = "transform" if size < WORD_BYTES else "load"
        message = target.block2d.largest_part(kind, size, self.depth, self.columns, width=mma.n)  # type: ignore[arg-type]
        return self.columns if message is None else message.columns


def bits(name: str) -> int:
    """Bits of an element of a type that a target names."""
    return DTYPE_BITS.get(name, 64)
