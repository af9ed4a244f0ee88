"""The same memory seen in another way: no more than another type of pointer."""

from __future__ import annotations

from dataclasses import replace

from xetile.dialects import gpu

from .emit import Emitter
from .emit_table import emits
from .emit_values import Buffer


@emits(gpu.ReinterpretCast)
def emit_reinterpret_cast(e: Emitter, op: gpu.ReinterpretCast) -> Buffer:
    """The base as one dimension."""
    buffer: Buffer = e[op.source]
    return buffer


@emits(gpu.ElementCast)
def emit_element_cast(e: Emitter, op: gpu.ElementCast) -> Buffer:
    """The base as elements of another width."""
    buffer: Buffer = e[op.source]
    element = op.result.type.element
    pointer = e.emit("OpBitcast", e.pointer(buffer.storage, e.integer(element.bits)), buffer.pointer)
    return replace(buffer, pointer=pointer, element=element)
