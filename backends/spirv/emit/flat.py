"""Memory of one dimension, by elements and by vectors of neighbours: what code for CPUs is made of.

All of it is reached by pointers of one storage class. On a CPU there is one address space, and the runtime's compiler may take two
classes for memory that never overlaps, while here one access goes to an array or to a buffer.
"""

from __future__ import annotations

from contextlib import nullcontext
from math import prod
from typing import Any

from xetile.dialects import memory, vector
from xetile.dialects.types import I1, I32, INDEX, MemRefType

from ..module.encode import Id
from .arith import select
from .atomic import updated
from .emitter import Emitter
from .flow import branch
from .memory import element_pointer, load_run, store_run, vector_pointer
from .table import emits
from .values import Buffer, Fragment, concatenate, from_chunks, from_scalar


def private_buffer(e: Emitter, type: MemRefType) -> Buffer:
    """Memory of the work-item."""
    form = e.integer(max(8, type.element.bits))
    kind = e.type.array(form, prod(n for n in type.shape if n is not None))
    variable = e.function.variable(kind)
    e.module.decorate(variable, "Alignment", e.target.cache_line)

    def first() -> Id:
        address = e.emit("OpConvertPtrToU", e.i64, variable)
        return e.emit("OpConvertUToPtr", e.pointer("CrossWorkgroup", form), address)

    return Buffer(e.at_entry(("private", variable), first), type.element)


def _pointer(e: Emitter, op: Any) -> tuple[Buffer, Id]:
    buffer: Buffer = e[op.memory]
    return buffer, element_pointer(e, buffer, buffer.pointer, e.scalar(op.index))


@emits(memory.Load)
def emit_load(e: Emitter, op: memory.Load) -> Fragment:
    """One element."""
    return load_run(e, *_pointer(e, op), op.memory.type.element, 1)


@emits(memory.Store)
def emit_store(e: Emitter, op: memory.Store) -> None:
    """One element written."""
    store_run(e, *_pointer(e, op), e[op.value])


@emits(memory.LoadVector)
def emit_load_vector(e: Emitter, op: memory.LoadVector) -> Fragment:
    """Neighbours; those that fill a word as one, which x86 brings to all places of a vector as it loads it.

    Of a vector of bytes Intel's compiler makes three instructions for that.
    """
    element, count = op.value.type.element, op.value.type.count
    if count > 1 and element is not I1 and count * element.bits == I32.bits:
        buffer, pointer = _pointer(e, op)
        word = e.emit("OpLoad", e.i32, vector_pointer(e, buffer, pointer, e.i32), "Aligned", element.bits // 8)
        return from_chunks(e, I32, 1, [word]).as_elements(element, count)
    return load_run(e, *_pointer(e, op), element, count)


@emits(memory.StoreVector)
def emit_store_vector(e: Emitter, op: memory.StoreVector) -> None:
    """Neighbours written, past the caches where the op says so."""
    where, value = _pointer(e, op), e[op.value]
    if not op.attributes.get("nontemporal"):
        store_run(e, *where, value)
        return
    _stay_apart(e)
    store_run(e, *where, value, 16, "Aligned|Nontemporal")
    _stay_apart(e)


def _stay_apart(e: Emitter) -> None:
    """No instruction; what is before and after is not merged with the same in another branch, where stores would lose how they are."""
    void = e.type.void
    e.emit("OpAsmCallINTEL", void, e.module.assembly("", "", void, effects=True))


@emits(memory.Address)
def emit_address(e: Emitter, op: memory.Address) -> Fragment:
    """A number of 64 bits."""
    buffer: Buffer = e[op.memory]
    return from_scalar(e, INDEX, e.emit("OpConvertPtrToU", e.i64, buffer.pointer))


@emits(memory.Gather)
def emit_gather(e: Emitter, op: memory.Gather) -> Fragment:
    """Element after element; where the mask is false the first one is read, and dropped."""
    buffer, base = _pointer(e, op)
    offsets: Fragment = e[op.offsets]
    mask: Fragment | None = None if vector.is_true(op.mask) else e[op.mask]
    parts = []
    for i in range(offsets.count):
        offset = offsets.slice(e, i, 1)
        pointer = element_pointer(e, buffer, base, offset.scalar(e))
        if mask is not None:
            taken = mask.slice(e, i, 1).scalar(e)
            pointer = e.emit("OpSelect", e.module.type_of(pointer), taken, pointer, buffer.pointer)
        parts.append(load_run(e, buffer, pointer, op.memory.type.element, 1))
    found = concatenate(op.memory.type.element, parts)
    return found if mask is None else select(e, mask, found, e[op.otherwise])


@emits(memory.Scatter)
def emit_scatter(e: Emitter, op: memory.Scatter) -> None:
    """Element after element, each in a branch where there is a mask."""
    buffer, base = _pointer(e, op)
    offsets: Fragment = e[op.offsets]
    value: Fragment = e[op.value]
    mask: Fragment | None = None if vector.is_true(op.mask) else e[op.mask]
    for i in range(offsets.count):
        with branch(e, mask.slice(e, i, 1).scalar(e)) if mask is not None else nullcontext():
            pointer = element_pointer(e, buffer, base, offsets.slice(e, i, 1).scalar(e))
            store_run(e, buffer, pointer, value.slice(e, i, 1))


@emits(memory.AtomicRmw)
def emit_atomic(e: Emitter, op: memory.AtomicRmw) -> Fragment:
    """An instruction, or a compare-and-swap loop."""
    buffer, pointer = _pointer(e, op)
    assert op.value.type is not I1
    return updated(e, op.kind, buffer, pointer, e[op.value])
