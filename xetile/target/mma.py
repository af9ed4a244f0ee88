"""What DPAS multiplies: shapes by element type, and how lanes hold the operands."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Literal, NamedTuple

from xetile.records import dataclass

Role = Literal["a", "b", "acc"]

# Bits per element, for packing; bool is stored as a byte.
DTYPE_BITS = {
    "bool": 8, "i1": 8, "i4": 4, "u4": 4, "i8": 8, "u8": 8, "i16": 16, "u16": 16, "i32": 32, "u32": 32, "i64": 64, "u64": 64,
    "f8E4M3FN": 8, "f8E5M2": 8, "f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "f64": 64,
}  # fmt: skip


class MmaShape(NamedTuple):
    """One product: [m, k] times [k, n]."""

    m: int
    n: int
    k: int


class OperandLayout(NamedTuple):
    """How lanes hold one operand: lane_layout and lane_data over the plain matrix (seed 000, rules for PVC and ARC)."""

    lane_layout: tuple[int, ...] = ()
    lane_data: tuple[int, ...] = ()


_NO_LANES = OperandLayout()


@dataclass(frozen=True, slots=True)
class Mma:
    """One product of DPAS: element types, the row counts `m` that it takes, n, k, and the operands' lanes.

    `result` has the type of `acc`: the compiler takes no other (facts of SPV_INTEL_subgroup_matrix_multiply_accumulate).
    """

    lhs: str
    rhs: str
    acc: str
    n: int
    k: int
    m: tuple[int, ...]
    a_layout: OperandLayout = _NO_LANES
    b_layout: OperandLayout = _NO_LANES
    acc_layout: OperandLayout = _NO_LANES

    @property
    def result(self) -> str:
        """Element type of the result."""
        return self.acc

    @property
    def shape(self) -> MmaShape:
        """The largest product."""
        return MmaShape(max(self.m), self.n, self.k)

    def operand_shape(self, role: Role, m: int | None = None) -> tuple[int, int]:
        """Rows and columns of an operand, for `m` rows or the most."""
        rows = m or max(self.m)
        return {"a": (rows, self.k), "b": (self.k, self.n), "acc": (rows, self.n)}[role]

    def operand_layout(self, role: Role) -> OperandLayout:
        """How lanes hold an operand."""
        return {"a": self.a_layout, "b": self.b_layout, "acc": self.acc_layout}[role]

    def operand_dtype(self, role: Role) -> str:
        """Element type of an operand."""
        return {"a": self.lhs, "b": self.rhs, "acc": self.acc}[role]

    def elements_per_lane(self, role: Role, m: int | None = None) -> int:
        """Elements of an operand that one lane holds; with fewer rows than the lanes span, idle lanes hold padding."""
        layout = self.operand_layout(role)
        lanes = prod(layout.lane_layout)
        return -(-prod(self.operand_shape(role, m)) // lanes) if lanes else 0

    def transposed(self) -> Mma | None:
        """The same product worked out as its transpose, B^T times A^T, whose result's columns are the lanes' rows.

        Each lane then holds a row of A in one piece, and of B one word of each column: pieces of memory that follow each other, in
        row-major memory (B with its rows packed), so that a lane reads an operand in one wide message. None where DPAS
        is not as wide as an operand is deep in words.
        """
        pack = 32 // DTYPE_BITS[self.lhs]
        lanes = self.n
        if self.k != lanes * pack or max(self.m) != lanes:
            return None
        return replace(
            self, m=(lanes,), a_layout=OperandLayout((lanes, 1), (1, pack)), b_layout=OperandLayout((lanes, 1), (pack, 1)),
            acc_layout=OperandLayout((lanes, 1), (1, 1)),
        )  # fmt: skip

    def packed_bits(self, role: Role) -> int:
        """Bits of the unit that a lane's elements are packed into: lane_data elements together (seed 000, rule of thumb)."""
        return prod(self.operand_layout(role).lane_data) * DTYPE_BITS[self.operand_dtype(role)]
