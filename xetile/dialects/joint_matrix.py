"""Matrices that all work-items of a subgroup hold together (seed 004): initialised, moved, multiplied, and seen element by element.

Which work-item owns which element (seed 004, "mapping matrix elements to work-items"): in row-major order the elements are distributed
to the work-items of the subgroup round robin. Work-item w owns the elements w, w + S, w + 2 S... of a subgroup of S; a slice has
ceil(elements / S) places, for every work-item. The seed leaves open what is in the places behind the last element: here they
read as 0, and what is put there is dropped.

A row slice is what the subgroup's work-items own at one place of their slices: S neighbours in row-major order.
"""

from __future__ import annotations

from math import prod

from xetile.dialects import arith
from xetile.dialects.types import INDEX, MemRefType, ScalarType, VectorType
from xetile.ir.core import Op, Type, Typed, Value, attribute, operand, result
from xetile.records import dataclass

USES = ("a", "b", "acc")
LAYOUTS = ("row", "packed")
WORD_BITS = 32


@dataclass(frozen=True)
class JointMatrixType(Type):
    """`shape` in rows and columns, `use`: a left or right operand, or what products are added to."""

    shape: tuple[int, int]
    element: ScalarType
    use: str

    @property
    def count(self) -> int:
        """Elements."""
        return prod(self.shape)

    def slice_length(self, subgroup_size: int) -> int:
        """Places of each work-item's slice."""
        return -(-self.count // subgroup_size)

    def __str__(self) -> str:
        rows, columns = self.shape
        return f'!joint_matrix.matrix<{rows}x{columns}x{self.element}, "{self.use}">'


@dataclass(frozen=True)
class RowSliceType(Type):
    """A row slice of a matrix: what stands for it until elements have been taken or put."""

    matrix: JointMatrixType

    def __str__(self) -> str:
        return f"!joint_matrix.row_slice<{self.matrix}>"


class Fill(Op, name="joint_matrix.fill", pure=True):
    """A matrix whose elements are all the same."""

    format = "$value attr-dict `:` type($value) `->` type($result)"
    value: Typed[ScalarType] = operand(ScalarType)
    result: Typed[JointMatrixType] = result(JointMatrixType)

    def verify(self) -> None:
        if self.value.type is not self.result.type.element:
            raise self.fail(f"{self.value.type} in {self.result.type}")


def is_cleared_by(value: Value) -> bool:
    """Whether hardware fills a matrix with a number: zero alone, whose bits are none (seed 004, ResolveMatrixFill), so not -0."""
    known = arith.constant_of(value)
    return known is not None and repr(known) in ("0", "0.0", "False")


class _Memory(Op):
    def check(self, matrix: JointMatrixType) -> None:
        if self.memory.type.rank != 1 or self.memory.type.element is not matrix.element:  # type: ignore[attr-defined]
            raise self.fail(f"{matrix} and a memory {self.memory.type}")  # type: ignore[attr-defined]


class Load(_Memory, name="joint_matrix.load", reads=("memory",)):
    """Read a matrix: element (r, c) is at `index + r * stride + c`, counted in elements.

    layout "packed", for right operands: `32 / bits` rows lie together, those of one column beside each other, so that element
    (r, c) of g such rows is at `index + r / g * stride + c * g + r % g`.
    """

    format = "$memory $index $stride $layout attr-dict `:` type($memory) `->` type($result)"
    memory: Typed[MemRefType] = operand(MemRefType)
    index: Typed[ScalarType] = operand(ScalarType)
    stride: Typed[ScalarType] = operand(ScalarType)
    layout: str = attribute("str")
    result: Typed[JointMatrixType] = result(JointMatrixType)

    def verify(self) -> None:
        self.check(self.result.type)
        if self.layout not in LAYOUTS:
            raise self.fail(f"no layout {self.layout!r}", hint=f"one of {', '.join(LAYOUTS)}")
        if self.layout == "packed" and (
            self.result.type.use != "b" or self.result.type.shape[0] % group_of(self.result.type.element)
        ):
            raise self.fail(f"{self.result.type} is not packed", hint="right operands whose rows fill words are")


class Store(_Memory, name="joint_matrix.store", writes=("memory",)):
    """Write a matrix row by row, `stride` elements from row to row."""

    format = "$value `,` $memory $index $stride attr-dict `:` type($value) `,` type($memory)"
    value: Typed[JointMatrixType] = operand(JointMatrixType)
    memory: Typed[MemRefType] = operand(MemRefType)
    index: Typed[ScalarType] = operand(ScalarType)
    stride: Typed[ScalarType] = operand(ScalarType)

    def verify(self) -> None:
        self.check(self.value.type)


class Mad(Op, name="joint_matrix.mad", pure=True):
    """`a @ b + acc`. Integers are signed unless marked, and wrap; bf16 that is subnormal counts as zero, and so do sums that are."""

    format = "$a `,` $b `,` $acc attr-dict `:` type($a) `,` type($b) `->` type($acc)"
    a: Typed[JointMatrixType] = operand(JointMatrixType)
    b: Typed[JointMatrixType] = operand(JointMatrixType)
    acc: Typed[JointMatrixType] = operand(JointMatrixType)
    lhs_unsigned: object = attribute("unit", optional=True)
    rhs_unsigned: object = attribute("unit", optional=True)
    result: Typed[JointMatrixType] = result(JointMatrixType, infer=lambda op: op.acc.type)

    def verify(self) -> None:
        a, b, acc = (v.type for v in (self.a, self.b, self.acc))
        if (a.use, b.use, acc.use) != USES:
            raise self.fail(f"takes an a, a b and an acc, not {a.use}, {b.use}, {acc.use}")
        if a.shape[1] != b.shape[0] or acc.shape != (a.shape[0], b.shape[1]) or a.element is not b.element:
            raise self.fail(f"{a} by {b} into {acc}")


class SliceLength(Op, name="joint_matrix.wi_slice_length", pure=True):
    """Places of a work-item's slice."""

    format = "$matrix attr-dict `:` type($matrix)"
    matrix: Typed[JointMatrixType] = operand(JointMatrixType)
    result: Value = result(infer=lambda op: INDEX)


class SliceExtract(Op, name="joint_matrix.wi_slice_extract", pure=True):
    """What the work-item owns at a place of its slice."""

    format = "$matrix $index attr-dict `:` type($matrix)"
    matrix: Typed[JointMatrixType] = operand(JointMatrixType)
    index: Typed[ScalarType] = operand(ScalarType)
    result: Value = result(infer=lambda op: op.matrix.type.element)


class SliceInsert(Op, name="joint_matrix.wi_slice_insert", pure=True):
    """The matrix with what each work-item owns at a place of its slice replaced."""

    format = "$value `,` $matrix $index attr-dict `:` type($value) `,` type($matrix)"
    value: Typed[ScalarType] = operand(ScalarType)
    matrix: Typed[JointMatrixType] = operand(JointMatrixType)
    index: Typed[ScalarType] = operand(ScalarType)
    result: Typed[JointMatrixType] = result(JointMatrixType, infer=lambda op: op.matrix.type)


class RowSliceId(Op, name="joint_matrix.row_slice_id", pure=True):
    """What stands for the row slice at a place."""

    format = "$matrix $index attr-dict `:` type($matrix)"
    matrix: Typed[JointMatrixType] = operand(JointMatrixType)
    index: Typed[ScalarType] = operand(ScalarType)
    result: Value = result(infer=lambda op: RowSliceType(op.matrix.type))


class RowSliceExtractElement(Op, name="joint_matrix.row_slice_extract_element", pure=True):
    """Each work-item's element of a row slice."""

    format = "$slice attr-dict `:` type($slice)"
    slice: Typed[RowSliceType] = operand(RowSliceType)
    result: Value = result(infer=lambda op: op.slice.type.matrix.element)


class RowSliceInsertElement(Op, name="joint_matrix.row_slice_insert_element", pure=True):
    """The row slice with each work-item's element replaced (a value here, where the seed's builtin has an effect)."""

    format = "$value `,` $slice attr-dict `:` type($value) `,` type($slice)"
    value: Typed[ScalarType] = operand(ScalarType)
    slice: Typed[RowSliceType] = operand(RowSliceType)
    result: Typed[RowSliceType] = result(RowSliceType, infer=lambda op: op.slice.type)


class InsertRowSliceToMatrix(Op, name="joint_matrix.insert_row_slice_to_matrix", pure=True):
    """The matrix that a row slice is of, with that slice in it."""

    format = "$slice attr-dict `:` type($slice)"
    slice: Typed[RowSliceType] = operand(RowSliceType)
    result: Typed[JointMatrixType] = result(JointMatrixType, infer=lambda op: op.slice.type.matrix)


class ExtractRowSlice(Op, name="joint_matrix.extract_row_slice", pure=True):
    """Neighbours in row-major order, from an element's number on: a row slice as a vector; 0 behind the last element."""

    format = "$matrix $offset attr-dict `:` type($matrix) `->` type($result)"
    matrix: Typed[JointMatrixType] = operand(JointMatrixType)
    offset: Typed[ScalarType] = operand(ScalarType)
    result: Typed[VectorType] = result(VectorType)


class InsertRowSlice(Op, name="joint_matrix.insert_row_slice", pure=True):
    """The matrix with neighbours replaced; what would be behind the last element is dropped."""

    format = "$value `,` $matrix $offset attr-dict `:` type($value) `,` type($matrix)"
    value: Typed[VectorType] = operand(VectorType)
    matrix: Typed[JointMatrixType] = operand(JointMatrixType)
    offset: Typed[ScalarType] = operand(ScalarType)
    result: Typed[JointMatrixType] = result(JointMatrixType, infer=lambda op: op.matrix.type)


def group_of(element: ScalarType) -> int:
    """Rows that lie together in packed memory: those that fill a word."""
    return max(1, WORD_BITS // element.bits)
