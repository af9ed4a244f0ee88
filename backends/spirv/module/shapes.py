"""The published tables of block and matrix shapes, and how their data lie in a subgroup's lanes.

Block shapes: OpenCL-Docs, cl_intel_subgroup_2d_block_io 1.1.0, "valid 2D block load and store dimensions": what every driver with
the instructions takes, for subgroups of 16.  Matrix rows: SPV_INTEL_subgroup_matrix_multiply_accumulate, with the tf32 rows of
cl_intel_subgroup_matrix_multiply_accumulate_tf32.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from xetile.records import dataclass

from .opcodes import enum_value

_POWERS_TO_32 = (1, 2, 4, 8, 16, 32)
_POWERS_TO_8 = (1, 2, 4, 8)

# fmt: off
# instruction (short name): rows of (element bytes, widths in elements, heights in rows, counts of blocks side by side)
BLOCK_TABLE: dict[str, tuple[tuple[int, tuple[int, ...], tuple[int, ...], tuple[int, ...]], ...]] = {
    "load": ((1, (32,), _POWERS_TO_32, (1, 2)), (1, (16,), (8, 16, 32), (4,)), (2, (16,), _POWERS_TO_32, (1, 2)),
             (4, (8,), _POWERS_TO_32, (1, 2)), (4, (16,), _POWERS_TO_32, (1,))),
    "load_transform": ((1, (16,), (32,), (1, 2, 4)), (2, (16,), (16, 32), (1, 2))),
    "load_transpose": ((4, (8,), (16, 32), (1,)),),
    "prefetch": ((1, (32,), _POWERS_TO_32, (1, 2)), (1, (16,), (32,), (1, 2)), (1, (16,), (8, 16, 32), (4,)),
                 (2, (16,), _POWERS_TO_32, (1, 2)), (4, (8,), _POWERS_TO_32, (1, 2)), (4, (16,), _POWERS_TO_32, (1,))),
    "store": ((1, (16, 32), _POWERS_TO_8, (1,)), (2, (16,), _POWERS_TO_8, (1,)), (4, (16,), _POWERS_TO_8, (1,))),
}
# fmt: on

BLOCK_INSTRUCTIONS: dict[str, str] = {
    "OpSubgroup2DBlockLoadINTEL": "load",
    "OpSubgroup2DBlockLoadTransformINTEL": "load_transform",
    "OpSubgroup2DBlockLoadTransposeINTEL": "load_transpose",
    "OpSubgroup2DBlockPrefetchINTEL": "prefetch",
    "OpSubgroup2DBlockStoreINTEL": "store",
}

BLOCK_SUBGROUP_SIZE = 16


@dataclass(frozen=True, slots=True)
class BlockInstruction:
    """What one 2D block instruction moves: `count` blocks side by side, each `height` rows of `width` elements (in memory)."""

    operation: str
    element_bytes: int
    width: int
    height: int
    count: int

    @property
    def is_portable(self) -> bool:
        """Whether the published table has this shape."""
        return any(
            self.element_bytes == size and self.width in widths and self.height in heights and self.count in counts
            for size, widths, heights, counts in BLOCK_TABLE[self.operation]
        )

    def lane_bytes(self, subgroup_size: int = BLOCK_SUBGROUP_SIZE) -> int:
        """Bytes of private memory that a lane gives or gets: its share of the block, whole elements."""
        elements, size = self.width * self.height, self.element_bytes
        if self.operation == "load_transform":
            elements, size = elements * size // 4, 4
        return -(-elements // subgroup_size) * size * self.count

    def __str__(self) -> str:
        return f"{self.operation} of {self.count} x {self.height} rows x {self.width} elements of {self.element_bytes} bytes"


def lane_vectors(block: BlockInstruction, subgroup_size: int) -> tuple[int, int, int]:
    """A lane's share of a block as integers of so many bits, in so many vectors: (bits, components, vectors)."""
    # A lane's adjacent columns travel as one integer.
    adjacent = max(1, (block.height if block.operation == "load_transpose" else block.width) // subgroup_size)
    bits = 32 if block.operation == "load_transform" else 8 * block.element_bytes * adjacent
    total = 8 * block.lane_bytes(subgroup_size) // bits
    count = min(total, 16)
    return bits, count, -(-total // count)


def portable_blocks(operation: str) -> Iterator[BlockInstruction]:
    """Every block shape of the published table for `operation`."""
    for size, *dimensions in BLOCK_TABLE[operation]:
        for width, height, count in product(*dimensions):
            yield BlockInstruction(operation, size, width, height, count)


def describe_shapes(operation: str, element_bytes: int) -> str:
    """The shapes of the table in words, for error messages."""
    rows = [
        f"width {_any(widths)} x height {_any(heights)} x count {_any(counts)}"
        for size, widths, heights, counts in BLOCK_TABLE[operation]
        if size == element_bytes
    ]
    return "; ".join(rows) or f"no shape with {element_bytes}-byte elements"


def _any(values: tuple[int, ...]) -> str:
    return "|".join(map(str, values))


# Operands masks

MMA_ROWS_OF_RESULT = (1, 2, 4, 8)
# Components of B per lane, each 32 bits.
MMA_B_COMPONENTS = 8


@dataclass(frozen=True, slots=True)
class MatrixInstruction:
    """One row of the matrix tables: types as C[M, N] = A[M, K] @ B[K, N] + C for subgroups of N lanes.

    `a` and `b` are element types (f16, bf16, tf32, s8, u8, s4, u4), `c` the accumulator (f32, f16, bf16, s32).  `a_type`,
    `b_type` and `c_type` are the SPIR-V component types that carry them: ("int" or "float", bits).
    """

    subgroup_size: int
    k: int
    a: str
    b: str
    c: str
    a_type: tuple[str, int]
    b_type: tuple[str, int]
    c_type: tuple[str, int]
    operands: int

    def a_components(self, m: int) -> int:
        """Components of A per lane; tf32 packs two rows of eight columns into sixteen lanes."""
        return -(-m // 2) if self.a == "tf32" else m


_MASK = "MatrixMultiplyAccumulateOperands"
_PACKED = {
    "f16": ("MatrixAPackedFloat16INTEL", "MatrixBPackedFloat16INTEL"),
    "bf16": ("MatrixAPackedBFloat16INTEL", "MatrixBPackedBFloat16INTEL"),
    "tf32": ("MatrixATF32INTEL", "MatrixBTF32INTEL"),
    "8": ("MatrixAPackedInt8INTEL", "MatrixBPackedInt8INTEL"),
    "4": ("MatrixAPackedInt4INTEL", "MatrixBPackedInt4INTEL"),
}
_SIGNED = ("MatrixASignedComponentsINTEL", "MatrixBSignedComponentsINTEL")
_FLOAT, _INT = ("float", 32), ("int", 32)


def _operands(a: str, b: str, c: str) -> int:
    names = [_PACKED[a.lstrip("su")][0], _PACKED[b.lstrip("su")][1]]
    names += [name for element, name in zip((a, b), _SIGNED, strict=True) if element[0] == "s"]
    if c == "bf16":
        names += ["MatrixCBFloat16INTEL", "MatrixResultBFloat16INTEL"]
    return enum_value(_MASK, "|".join(names))


def _matrices() -> Iterator[MatrixInstruction]:
    for size, a_bits in ((16, 16), (8, 32)):
        packed = ("int", a_bits)
        for element in ("f16", "bf16"):
            yield MatrixInstruction(size, 16, element, element, "f32", packed, _INT, _FLOAT, _operands(element, element, "f32"))
        for bits, k in ((8, 32), (4, 64)):
            for a, b in product((f"s{bits}", f"u{bits}"), repeat=2):
                yield MatrixInstruction(size, k, a, b, "s32", packed, _INT, _INT, _operands(a, b, "s32"))
    half = ("int", 16)
    yield MatrixInstruction(16, 16, "f16", "f16", "f16", half, _INT, ("float", 16), _operands("f16", "f16", "f16"))
    yield MatrixInstruction(16, 16, "bf16", "bf16", "bf16", half, _INT, half, _operands("bf16", "bf16", "bf16"))
    yield MatrixInstruction(16, 8, "tf32", "tf32", "f32", _FLOAT, _FLOAT, _FLOAT, _operands("tf32", "tf32", "f32"))


MATRICES: tuple[MatrixInstruction, ...] = tuple(_matrices())


def find_matrix(subgroup_size: int, k: int, operands: int, c_type: tuple[str, int]) -> MatrixInstruction | None:
    """The row of the tables that an instruction means; None where they have none."""
    wanted = (subgroup_size, k, operands, c_type)
    return next((m for m in MATRICES if (m.subgroup_size, m.k, m.operands, m.c_type) == wanted), None)
