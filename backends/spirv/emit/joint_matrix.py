"""Joint matrices as cooperative matrices (SPV_KHR_cooperative_matrix), as Intel's CPU runtime takes them.

Seen there: bf16 are 16-bit integers, with a mask that says so; packed right operands need no capability of their own, and the one
that SPV_INTEL_joint_matrix has for them is refused; right operands in rows crash it.  Where a mask says that sums are signed, bytes are
multiplied as signed ones, whatever it says of them: sums of 32 bits are the same with and without a sign, so that it says nothing of them.
"""

from __future__ import annotations

from typing import Any

from xetile.dialects import joint_matrix as jm
from xetile.dialects.types import BF16, ScalarType

from ..module.encode import Id
from ..module.errors import SpirvError
from .emitter import Emitter
from .memory import element_pointer, vector_pointer
from .table import emits
from .values import Whole

_SUBGROUP = 3
_LAYOUTS = {"row": 0, "packed": 2}
_OF_BF16 = "MatrixAAndBBFloat16ComponentsINTEL"
_SIGNED = ("MatrixASignedComponentsKHR", "MatrixBSignedComponentsKHR")


def _component(e: Emitter, element: ScalarType) -> Id:
    return e.integer(16) if element is BF16 else e.form(element)


def _type(e: Emitter, type: jm.JointMatrixType) -> Id:
    e.module.require("CooperativeMatrixKHR")
    e.module.require_extension("SPV_INTEL_joint_matrix")
    if type.element is BF16:
        e.module.require("CooperativeMatrixBFloat16ComponentTypeINTEL")
    rows, columns = map(e.number, type.shape)
    return e.type.matrix(_component(e, type.element), e.number(_SUBGROUP), rows, columns, e.number(jm.USES.index(type.use)))


@emits(jm.Fill)
def emit_fill(e: Emitter, op: jm.Fill) -> Whole:
    """The hardware fills with zero, the runtime with the rest."""
    return Whole(e.emit("OpCompositeConstruct", _type(e, op.result.type), e.scalar(op.value)))


def _place(e: Emitter, op: Any, element: ScalarType) -> Id:
    buffer = e[op.memory]
    pointer = element_pointer(e, buffer, buffer.pointer, e.scalar(op.index))
    return vector_pointer(e, buffer, pointer, _component(e, element))


@emits(jm.Load)
def emit_load(e: Emitter, op: jm.Load) -> Whole:
    """From memory."""
    type = op.result.type
    if type.use == "b" and op.layout != "packed":
        raise SpirvError("a right operand that is not packed", at=op.loc)
    kind, pointer = _type(e, type), _place(e, op, type.element)
    return Whole(e.emit("OpCooperativeMatrixLoadKHR", kind, pointer, e.number(_LAYOUTS[op.layout]), e.index64(op.stride)))


@emits(jm.Store)
def emit_store(e: Emitter, op: jm.Store) -> None:
    """To memory, in rows."""
    pointer = _place(e, op, op.value.type.element)
    e.emit("OpCooperativeMatrixStoreKHR", pointer, e[op.value].id, e.number(_LAYOUTS["row"]), e.index64(op.stride))


@emits(jm.Mad)
def emit_mad(e: Emitter, op: jm.Mad) -> Whole:
    """One product."""
    mask = _OF_BF16
    if op.a.type.element is not BF16:
        marks = (op.lhs_unsigned, op.rhs_unsigned)
        mask = "|".join(name for name, unsigned in zip(_SIGNED, marks) if unsigned is None) or "NoneKHR"
    return Whole(e.emit("OpCooperativeMatrixMulAddKHR", _type(e, op.result.type), *(e[v].id for v in op.operands), mask))
