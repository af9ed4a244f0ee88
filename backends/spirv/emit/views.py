"""Memory seen in another way, no more than another type of pointer; and addresses as memory."""

from __future__ import annotations

from dataclasses import replace

from xetile.dialects import gpu
from xetile.dialects.types import I64, ScalarType
from xetile.ir.core import Value

from ..module.errors import SpirvError
from .cast import extend
from .emitter import Emitter
from .table import emits
from .values import Buffer, Fragment


def memory_of(e: Emitter, value: Value, element: ScalarType) -> Buffer:
    """The memory of a base: a memory reference, or an address as an integer (seed 002), which is global."""
    made = e[value]
    if isinstance(made, Buffer):
        return made
    if not isinstance(made, Fragment):
        raise SpirvError(f"memory is needed, not {value.type}")
    address = extend(e, made, I64, signed=False).scalar(e)
    return Buffer(e.emit("OpConvertUToPtr", e.pointer("CrossWorkgroup", e.integer(max(8, element.bits))), address), element)


@emits(gpu.ReinterpretCast)
def emit_reinterpret_cast(e: Emitter, op: gpu.ReinterpretCast) -> Buffer:
    """The base as one dimension."""
    buffer: Buffer = e[op.source]
    return buffer


@emits(gpu.ElementCast)
def emit_element_cast(e: Emitter, op: gpu.ElementCast) -> Buffer:
    """The base as elements of another width, or the memory at an address."""
    element = op.result.type.element
    buffer = memory_of(e, op.source, element)
    target = e.pointer(buffer.storage, e.integer(element.bits))
    if e.module.type_of(buffer.pointer) == target:  # bools lie in bytes
        return replace(buffer, element=element)
    return replace(buffer, pointer=e.emit("OpBitcast", target, buffer.pointer), element=element)
