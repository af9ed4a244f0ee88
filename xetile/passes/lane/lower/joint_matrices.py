"""Joint matrices resolved as seed 004 does it: filling by elements, slices of work-items as row slices, row slices as vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xetile.dialects import arith, scf, vector
from xetile.dialects import joint_matrix as jm
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import INDEX, ScalarType, VectorType, element_of
from xetile.errors import UncoveredError
from xetile.ir.core import Block, Elementwise, Op, Value
from xetile.ir.rewriter import Rewriter
from xetile.passes.common.numbers import index
from xetile.target import Target


def resolve_matrix_fill(module: GpuModule, target: Target) -> GpuModule:
    """Fill element by element with what the hardware does not fill with (seed 004, ResolveMatrixFill).

    Before: any fill.  After: fills with zero alone, and loops over the work-items' slices.
    """
    rewrite = Rewriter()
    for op in [op for op in module.find(jm.Fill) if not jm.is_cleared_by(op.value)]:
        with rewrite.before(op):
            rewrite.replace(op, _filled(op, rewrite))
    return module


def holds_joint_matrices(module: GpuModule) -> bool:
    """Whether a kernel computes with joint matrices."""
    return any(isinstance(r.type, jm.JointMatrixType) for op in module.walk() for r in op.results)


def _filled(op: jm.Fill, build: Rewriter) -> Value:
    zero = build(arith.Constant, value=0.0 if op.value.type.is_float else 0, result=op.value.type)
    matrix = build(jm.Fill, zero, result=op.result.type)
    low, step = (index(build, n) for n in (0, 1))
    length = build(jm.SliceLength, matrix)
    body = Block([INDEX, matrix.type], ["i"])
    counter, carried = body.args
    with build.at(body):
        build(scf.Yield, [build(jm.SliceInsert, op.value, carried, counter)])
    loop = build.op(scf.For, low, length, step, [matrix], regions=[body], values=[matrix.type])
    return loop.results[0]


def resolve_matrix_wi_slice(module: GpuModule, target: Target) -> GpuModule:
    """Slices of work-items as row slices, which belong to the whole subgroup (seed 004, ResolveMatrixWISlice).

    Before: any slice ops.  After: none of work-items; lengths are constants.
    """
    size, rewrite = _subgroup_size(module, target), Rewriter()
    resolve: dict[type[Op], Callable[[Any], Value]] = {
        jm.SliceLength: lambda op: index(rewrite, op.matrix.type.slice_length(size)),
        jm.SliceExtract: lambda op: rewrite(jm.RowSliceExtractElement, rewrite(jm.RowSliceId, op.matrix, op.index)),
        jm.SliceInsert: lambda op: rewrite(
            jm.InsertRowSliceToMatrix,
            rewrite(jm.RowSliceInsertElement, op.value, rewrite(jm.RowSliceId, op.matrix, op.index)),
        ),
    }
    for op in [op for op in module.walk() if type(op) in resolve]:
        with rewrite.before(op):
            rewrite.replace(op, resolve[type(op)](op))
    return module


def vectorize_row_slices(module: GpuModule, target: Target) -> GpuModule:
    """All work-items' elements of a row slice as one vector, and what is computed of them too (seed 004, ResolveSubGroupWICall).

    Before: row slice ops, and elementwise ops on their elements.  After: one work-item does what the subgroup did: vectors of its
    size go out of matrices and into them. Raises UncoveredError where other ops take single elements.
    """
    return _Vectorizer(module, _subgroup_size(module, target)).run()


def _subgroup_size(module: GpuModule, target: Target) -> int:
    size: int = module.kernel.subgroup_size or target.subgroup_size
    return size


class _Vectorizer:
    """`wide`: the vectors that stand for single elements."""

    def __init__(self, module: GpuModule, size: int) -> None:
        self.module = module
        self.size = size
        self.rewrite = Rewriter()
        self.wide: dict[Value, Value] = {}

    def run(self) -> GpuModule:
        """Elements become vectors from where they come to where they go; then nobody takes the elements."""
        done: list[Op] = []
        for op in list(self.module.kernel.body.walk()):
            with self.rewrite.before(op):
                if self._op(op):
                    done.append(op)
        for op in reversed(done):
            for user in {u for r in op.results for u in r.users}:
                raise UncoveredError(f"{user.opname} takes a single element of a row slice", at=user.loc)
            self.rewrite.erase(op)
        return self.module

    def _op(self, op: Op) -> bool:
        if isinstance(op, jm.RowSliceId):
            return True
        if isinstance(op, jm.RowSliceExtractElement):
            matrix, offset = self._place(op.slice)
            kind = VectorType((self.size,), element_of(matrix.type))
            self.wide[op.result] = self.rewrite(jm.ExtractRowSlice, matrix, offset, result=kind)
            return True
        if isinstance(op, jm.RowSliceInsertElement):
            return True
        if isinstance(op, jm.InsertRowSliceToMatrix):
            self.rewrite.replace_uses(op.result, self._inserted(op))
            return True
        if isinstance(op, Elementwise) and any(v in self.wide for v in op.operands):
            self.wide[op.results[0]] = self._elementwise(op)
            return True
        return False

    def _place(self, slice: Value) -> tuple[Value, Value]:
        """The matrix, and the number of the row slice's first element."""
        found = slice.op
        while isinstance(found, jm.RowSliceInsertElement):
            found = found.slice.op
        assert isinstance(found, jm.RowSliceId)
        count = index(self.rewrite, self.size)
        return found.matrix, self.rewrite(arith.MulI, found.index, count)

    def _inserted(self, op: jm.InsertRowSliceToMatrix) -> Value:
        matrix, offset = self._place(op.slice)
        last = op.slice.op
        if not isinstance(last, jm.RowSliceInsertElement):  # nothing was put there
            return matrix
        return self.rewrite(jm.InsertRowSlice, self._vector(last.value), matrix, offset)

    def _elementwise(self, op: Op) -> Value:
        element = op.results[0].type
        assert isinstance(element, ScalarType)
        return self.rewrite.clone(op, [self._vector(v) for v in op.operands], [VectorType((self.size,), element)]).results[0]

    def _vector(self, value: Value) -> Value:
        if value in self.wide:
            return self.wide[value]
        assert isinstance(value.type, ScalarType)
        return self.rewrite(vector.Broadcast, value, result=VectorType((self.size,), value.type))


JOINT_MATRICES = (resolve_matrix_fill, resolve_matrix_wi_slice, vectorize_row_slices)
"""In the seed's order: filling makes slices, slices become row slices, these become vectors."""
