"""Block sizes of values: which part of a subgroup's value one lane-distributed vector holds, and how lanes share it.

A block gives each lane as many elements as the largest block of DPAS has rows (`Target.block_rows`), so that one elementwise op on a
block is a handful of instructions.
"""

from __future__ import annotations

from math import gcd

from xetile.dialects.types import ScalarType
from xetile.layout import Layout
from xetile.passes.analysis.products import MmaTypes
from xetile.records import dataclass
from xetile.target import Target


def power_of_two_divisor(number: int, limit: int) -> int:
    """The largest power of two that divides a number and is at most `limit`."""
    return min(number & -number, limit)


@dataclass(frozen=True)
class PlainBlocks:
    """Blocks of values that no matrix instruction takes: the lanes of a subgroup, each lane's elements of a block, and how many of
    them are neighbours in a row.
    """

    lanes: int
    elements: int
    run: int = 1

    def block(self, shape: tuple[int, ...]) -> tuple[int, int]:
        """(rows, columns) of a block of a value.

        Rows first: whole rows over the lanes; short values get wider blocks; a column has a row for each lane. The result of DPAS
        fits without change.
        """
        rows, columns = shape
        lanes = self.lanes
        if columns == 1:
            return power_of_two_divisor(rows, lanes), 1
        beside = self._beside(columns)
        if beside and rows % (lanes // beside) == 0:
            return lanes // beside, beside * self.run
        width = gcd(columns, lanes)
        height = power_of_two_divisor(rows, self.elements * (lanes // width))
        steps = max(1, height * width // lanes)
        return height, width * power_of_two_divisor(columns // width, max(1, self.elements // steps) if width == lanes else 1)

    def layout(self, block: tuple[int, int]) -> Layout:
        """Lanes over a block: along a row where it is long enough, else over several rows; along a column, one row for each lane."""
        beside = self._beside(block[1])
        if beside and block[0] % (self.lanes // beside) == 0:
            return Layout(lane_layout=(self.lanes // beside, beside), lane_data=(1, self.run))
        width = gcd(block[1], self.lanes)
        return Layout(lane_layout=(self.lanes // width, width), lane_data=(1, 1))

    def _beside(self, columns: int) -> int:
        """Lanes that share a row in runs of neighbours; 0 where lanes have no runs."""
        return gcd(columns // self.run, self.lanes) if self.run > 1 and columns % self.run == 0 else 0


def mma_block(shape: tuple[int, int], role: str, types: MmaTypes, target: Target) -> tuple[int, int]:
    """(rows, columns) of the block of an operand (`role` a, b, acc) of one matrix instruction."""
    mma = target.get_mma(*types)
    rows = max(m for m in mma.m if shape[0] % m == 0)
    return {"a": (rows, mma.k), "b": (mma.k, mma.n), "acc": (rows, mma.n)}[role]


def mma_layout(role: str, types: MmaTypes, target: Target) -> Layout:
    """How lanes hold an operand of the matrix instruction (seed 000, rules for PVC and ARC)."""
    layout = target.get_mma(*types).operand_layout(role)  # type: ignore[arg-type]
    return Layout(lane_layout=layout.lane_layout, lane_data=layout.lane_data)


def element_bytes(element: ScalarType) -> int:
    """Bytes of an element in memory."""
    return max(1, element.bits // 8)
