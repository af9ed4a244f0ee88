"""Joint matrices: what the work-items of a subgroup hold together, and each work-item's slice of it (seed 004)."""

from __future__ import annotations

from typing import Any

from xetile import dtypes
from xetile.dialects import gpu
from xetile.dialects import joint_matrix as jm
from xetile.dialects.types import MemRefType
from xetile.dtypes import DType
from xetile.errors import CompileError, DtypeError, TileShapeError
from xetile.ir.core import UNIT
from xetile.ir.core import Value as IRValue
from xetile.language.arrays import Array, Handle
from xetile.language.axes import is_unit
from xetile.language.context import current
from xetile.language.elementwise import as_value
from xetile.language.matrix import product_dtype
from xetile.language.tiles import as_index
from xetile.language.values import Shape, Value, check_dtype, check_shape, describe, ir_type


class JointMatrix(Handle):
    """A matrix that a subgroup holds together; each operation gives a new one.

    shape     rows and columns; dtype: of the elements; use: "a" or "b" for operands of products, "acc" for what these are added to.
    wi_data   the work-item's own elements.
    """

    __slots__ = ()

    @property
    def use(self) -> str:
        """What products take it for."""
        return self._type.use

    @property
    def _type(self) -> jm.JointMatrixType:
        assert isinstance(self.ir.type, jm.JointMatrixType)
        return self.ir.type

    @property
    def wi_data(self) -> Slice:
        """What the work-item owns: `m.wi_data.length` elements, `m.wi_data[i]` to read and to assign."""
        return Slice(self)

    @property
    def described(self) -> str:
        """For messages: `joint matrix f32[16,16]`."""
        return f"joint matrix {self.dtype}[{','.join(map(str, self.shape))}]"


class Slice:
    """A work-item's slice of a joint matrix: element i of work-item w is element i * S + w in row-major order, S the subgroup's size.

    Places behind the last element read as 0, and what is assigned to them is dropped.
    """

    def __init__(self, matrix: JointMatrix) -> None:
        self.matrix = matrix

    def __repr__(self) -> str:
        return f"slice of {self.matrix.described}"

    @property
    def length(self) -> Value:
        """Elements rounded up to the subgroup's size, over that size; the same for all work-items."""
        return Value(current().build(jm.SliceLength, self.matrix.ir), dtypes.index)

    def __getitem__(self, index: Any) -> Value:
        ir = current().build(jm.SliceExtract, self.matrix.ir, as_index(index, "wi_data"))
        return Value(ir, self.matrix.dtype)

    def replaced(self, index: Any, value: Any) -> JointMatrix:
        """The matrix with each work-item's element at a place replaced: what `m.wi_data[i] = value` makes of m."""
        element = as_value(value, self.matrix.dtype)
        if element.shape or element.dtype is not self.matrix.dtype:
            raise DtypeError(f"wi_data of {self.matrix.described} takes a {self.matrix.dtype}, not {describe(value)}")
        return self.matrix.with_ir(current().build(jm.SliceInsert, element.ir, self.matrix.ir, as_index(index, "wi_data")))


def fill(shape: Shape, value: Any, dtype: DType, *, use: str = "acc") -> JointMatrix:
    """A joint matrix of one number (joint_matrix_fill of SYCL)."""
    extent, kind = _checked(shape, use), check_dtype(dtype, "joint_matrix.fill: dtype")
    element = as_value(value, kind)
    ir = current().build(jm.Fill, element.ir, result=jm.JointMatrixType(extent, ir_type(kind, ()), use))  # type: ignore[arg-type]
    return JointMatrix(ir, kind, extent, "")


def load(base: Array, offsets: Any, shape: Shape, *, use: str = "acc") -> JointMatrix:
    """Read a joint matrix from the rows of an array (joint_matrix_load): all of it must lie inside, which nothing checks.

    base: of rank 2, rows of neighbours; offsets: (row, column) in elements; shape: constants.
    """
    extent = _checked(shape, use)
    memory, index, stride = _place(base, offsets, "load")
    kind = jm.JointMatrixType(extent, memory.type.element, use)  # type: ignore[attr-defined]
    ir = current().build(jm.Load, memory, index, stride, layout="row", result=kind)
    return JointMatrix(ir, base.dtype, extent, base.name)


def store(matrix: JointMatrix, base: Array, offsets: Any) -> None:
    """Write a joint matrix to the rows of an array (joint_matrix_store): all of it must lie inside, which nothing checks."""
    if not isinstance(matrix, JointMatrix) or matrix.dtype is not base.dtype:
        raise DtypeError(f"joint_matrix.store: {describe(matrix)} into {base.described}")
    current().build(jm.Store, matrix.ir, *_place(base, offsets, "store"))


def mad(a: JointMatrix, b: JointMatrix, acc: JointMatrix) -> JointMatrix:
    """`a @ b + acc` (joint_matrix_mad): bf16 or f16 or f32 into f32, bytes into i32."""
    for name, matrix, use in (("a", a, "a"), ("b", b, "b"), ("acc", acc, "acc")):
        if not isinstance(matrix, JointMatrix) or matrix.use != use:
            raise CompileError(f"joint_matrix.mad: {name} is {describe(matrix)}, not a joint matrix of use {use!r}")
    if a.shape[1] != b.shape[0] or acc.shape != (a.shape[0], b.shape[1]):
        raise TileShapeError(f"joint_matrix.mad: {a.described} by {b.described} into {acc.described}")
    operands = [Value(m.ir, m.dtype, m.shape) for m in (a, b, acc)]
    product_dtype(operands[0], operands[1], operands[2], None, "joint_matrix.mad")
    marks = {name: UNIT for name, m in (("lhs_unsigned", a), ("rhs_unsigned", b)) if m.dtype is dtypes.u8}
    return acc.with_ir(current().build(jm.Mad, a.ir, b.ir, acc.ir, **marks))


def _checked(shape: Shape, use: str) -> tuple[int, int]:
    extent = check_shape(shape, "joint_matrix")
    if len(extent) != 2:
        raise TileShapeError(f"joint_matrix: shape {extent}", hint="rows and columns")
    if use not in jm.USES:
        raise CompileError(f"joint_matrix: no use {use!r}", hint=f"one of {', '.join(jm.USES)}")
    return extent[0], extent[1]


def _place(base: Any, offsets: Any, what: str) -> tuple[IRValue, IRValue, IRValue]:
    """Memory of one dimension, the first element's place in it, and elements from row to row."""
    if not isinstance(base, Array) or base.ndim != 2 or not is_unit(base.stride(-1)):
        raise CompileError(f"joint_matrix.{what}: {describe(base)} is no array of rank 2 with rows of neighbours")
    row, column = (Value(as_index(i, f"joint_matrix.{what}"), dtypes.index) for i in offsets)
    index = row * base.stride(-2) + column
    for offset, stride in base.fixed_strides:
        index = index + offset * stride
    size = as_index(base.full_shape[0] * base.full_strides[0], "size")
    memory = current().build(gpu.ReinterpretCast, base.base, size)
    assert isinstance(memory.type, MemRefType)
    return memory, index.ir, as_index(base.stride(-2), "stride")
