"""Access element by element: each lane gives an offset (in elements of the base), and moves one element or a run of them.

Addresses are 64 bits wide in global memory.  A masked load reads the first element of the base where the mask is false, and then
drops it: no branch.  A masked store is a branch; stores that follow each other under one mask share it.
"""

from __future__ import annotations

from itertools import takewhile

from xetile.dialects import arith, gpu, xegpu
from xetile.dialects.arith import constant_of
from xetile.dialects.types import BF16, F16, F32, I1, I8, I16, I32, WORDS, ScalarType, VectorType, element_of
from xetile.dialects.vector import is_true
from xetile.ir.core import Op, Value
from xetile.records import dataclass

from ..facts.uniform_scalars import is_one_load, is_uniform
from ..facts.uses import count_of
from ..module.encode import Id
from ..module.errors import SpirvError
from .arith import select
from .emitter import Emitter
from .flow import branch
from .hidden import hidden_zero, of_lanes
from .hints import hinted
from .reduce import combine
from .table import emits
from .values import Buffer, Fragment, concatenate, constant, from_chunks, from_scalar, mapped, spans
from .views import memory_of

_AS_BITS = {F16: I16, BF16: I16, F32: I32}
"""What floats that all lanes have alike are loaded as."""


@dataclass(frozen=True)
class ScatterDesc:
    """A scattered descriptor: a buffer, one offset for each element or run, elements in a run."""

    buffer: Buffer
    offsets: Fragment
    chunk: int


@emits(xegpu.CreateTdesc)
def emit_create_tdesc(e: Emitter, op: xegpu.CreateTdesc) -> ScatterDesc:
    """Nothing is computed until an access."""
    return ScatterDesc(memory_of(e, op.source, op.result.type.element), e[op.offsets], op.result.type.chunk_size)


@emits(xegpu.UpdateOffset)
def emit_update_offset(e: Emitter, op: xegpu.UpdateOffset) -> ScatterDesc:
    """Each lane's offset moved."""
    desc: ScatterDesc = e[op.desc]
    return ScatterDesc(desc.buffer, combine(e, "add", desc.offsets, e[op.offsets]), desc.chunk)


def described(e: Emitter, base: Value, offsets: Value | None, element: ScalarType) -> tuple[Buffer, Fragment]:
    """The buffer and the offsets of an access: from a base with offsets, or from a descriptor."""
    if isinstance(e[base], ScatterDesc):
        return e[base].buffer, e[base].offsets
    if offsets is None:
        raise SpirvError("an access to a base without offsets")
    return memory_of(e, base, element), e[offsets]


def element_pointer(e: Emitter, buffer: Buffer, pointer: Id, offset: Id) -> Id:
    """The address of the element at an offset."""
    return e.emit("OpInBoundsPtrAccessChain", e.module.type_of(buffer.pointer), pointer, offset)


def vector_pointer(e: Emitter, buffer: Buffer, pointer: Id, kind: Id) -> Id:
    """The same address as that of a value of another type."""
    target = e.pointer(buffer.storage, kind)
    return pointer if e.module.type_of(pointer) == target else e.emit("OpBitcast", target, pointer)


def load_run(
    e: Emitter, buffer: Buffer, pointer: Id, element: ScalarType, count: int, alignment: int = 0, *, step: int = 1
) -> Fragment:
    """`count` neighbours; `alignment` in bytes, that of one element if not given; `step`: elements of the buffer from one to the next."""
    form = e.i8 if element is I1 else e.form(element)
    size = e.width[form] // 8
    if size < 4 <= alignment and count * size % 4 == 0 and element is not I1:
        words = load_run(e, buffer, pointer, I32, count * size // 4, alignment, step=4 // size)
        return words.as_elements(element, count)
    ids = []
    for start, n in spans(count, e.chunk):
        at = element_pointer(e, buffer, pointer, e.constant(e.i32, start * step)) if start else pointer
        kind = e.vector(form, n)
        ids.append(e.emit("OpLoad", kind, vector_pointer(e, buffer, at, kind), "Aligned", _aligned(alignment, size, start)))
    if element is I1:
        ids = [
            e.emit("OpINotEqual", e.vector(e.bool, n), x, e.constant(e.i8, 0, n)) for x, (_, n) in zip(ids, spans(count, e.chunk))
        ]
    return from_chunks(e, element, count, ids)


def store_run(e: Emitter, buffer: Buffer, pointer: Id, value: Fragment, alignment: int = 0, access: str = "Aligned") -> None:
    """Neighbours written; `access`: SPIR-V's words for how, one of which is Aligned."""
    if value.element is I1:
        value = select(e, value, _bytes(e, value.count, 1), _bytes(e, value.count, 0))
    form = e.form(value.element)
    size = e.width[form] // 8
    for (start, n), vector in zip(spans(value.count, e.chunk), value.chunks(e, form), strict=True):
        at = element_pointer(e, buffer, pointer, e.constant(e.i32, start)) if start else pointer
        e.emit("OpStore", vector_pointer(e, buffer, at, e.vector(form, n)), vector, access, _aligned(alignment, size, start))


def _bytes(e: Emitter, count: int, value: int) -> Fragment:
    return constant(e, I8, count, value)


def _aligned(alignment: int, size: int, start: int) -> int:
    """Alignment of what lies `start` elements behind an aligned address."""
    given = max(alignment, size)
    while start * size % given:
        given //= 2
    return given


# Loads.


def _from_one_lane(mask: Value) -> bool:
    """Whether all lanes have the mask of one of them."""
    op = mask.op
    return isinstance(op, gpu.Shuffle) and op.mode == "idx" and constant_of(op.offset) is not None


@emits(xegpu.Load)
def emit_load(e: Emitter, op: xegpu.Load) -> Fragment:
    """Where the mask is false the result is 0: IR that wants another value selects it."""
    type, element = op.value.type, element_of(op.value.type)
    if element in _AS_BITS and not isinstance(type, VectorType) and is_one_load(op) and is_uniform(op.value):
        # What is selected of floats is written as numbers of each lane (`uniform_scalars`).
        return _loaded(e, op, _AS_BITS[element]).as_elements(element, 1)
    return _loaded(e, op, element)


def _loaded(e: Emitter, op: xegpu.Load, element: ScalarType) -> Fragment:
    """The same, taken to be of a type."""
    type = op.value.type
    buffer, offsets = described(e, op.source, op.offsets, element)
    run = count_of(type) // offsets.count
    mask: Fragment | None = None if is_true(op.mask) else e[op.mask]
    base = hinted(e, buffer.pointer, op, "load")
    parts = []
    for i in range(offsets.count):
        offset = offsets.slice(e, i, 1)
        lane = None if mask is None else mask.slice(e, i if mask.count > 1 else 0, 1)
        if lane is not None:
            offset = select(e, lane, offset, from_scalar(e, offset.element, _nothing(e, e.form(offset.element))))
            if _from_one_lane(op.mask) and e.may_be_alike(op.offsets):
                # IGC (2.40.14) ends by a division by zero where it sees that all lanes load one element, or none does.
                form = e.form(offset.element)
                offset = mapped(e, offset.element, lambda n, x, form=form: of_lanes(e, form, x, n), offset)
        pointer = _run_pointer(e, op, buffer, base) if lane is None and offsets.count == 1 else None
        pointer = pointer or element_pointer(e, buffer, base, offset.scalar(e))
        part = load_run(e, buffer, pointer, element, run, op.attributes.get("alignment", 0))
        parts.append(part if lane is None else select(e, lane, part, constant(e, element, run, 0)))
    return parts[0] if len(parts) == 1 else concatenate(element, parts)


def _nothing(e: Emitter, form: Id) -> Id:
    """The offset of what is not loaded. Where LLVM knows it, it selects addresses in place of offsets, which takes two instructions more;
    without messages of blocks (DG2) that takes registers.
    """
    return e.constant(form, 0) if e.whole or e.target.block2d is None else hidden_zero(e, form)


def _run_pointer(e: Emitter, op: xegpu.Load, buffer: Buffer, base: Id) -> Id | None:
    """The address of a run whose offset is a sum, one term after the other: the driver keeps the first sum where it stays the same."""
    made = op.offsets.op if op.offsets is not None else None
    if "alignment" not in op.attributes or not isinstance(made, arith.AddI):
        return None
    pointer = base
    for term in made.operands:
        pointer = element_pointer(e, buffer, pointer, e.scalar(term))
    return pointer


# Stores.


@emits(xegpu.Store)
def emit_store(e: Emitter, op: xegpu.Store) -> None:
    """One store, or a run of stores under one mask in one branch."""
    if is_true(op.mask):
        return _store(e, op)
    mask: Fragment = e[op.mask]
    if mask.count > 1:
        return _store(e, op, mask)
    group = _group(e, op)
    with branch(e, mask.scalar(e)):
        for store in group:
            _store(e, store)
    return None


def _group(e: Emitter, op: xegpu.Store) -> list[xegpu.Store]:
    """The store and those that follow it under the same mask; pure ops between them are written first."""
    assert op.parent is not None
    ops = op.parent.ops
    group = [op]
    between: list[Op] = []
    for after in takewhile(lambda o: o.pure or isinstance(o, xegpu.Store), ops[e.position + 1 :]):
        if not isinstance(after, xegpu.Store):
            between.append(after)
        elif after.mask is op.mask:
            e.ahead(between)
            between.clear()
            group.append(after)
            e.skip(after)
        else:
            break
    return group


def _store(e: Emitter, op: xegpu.Store, mask: Fragment | None = None) -> None:
    value: Fragment = e[op.value]
    buffer, offsets = described(e, op.dest, op.offsets, value.element)
    run = value.count // offsets.count
    base = hinted(e, buffer.pointer, op, "store")
    for i in range(offsets.count):
        part = value.slice(e, i * run, run)
        if mask is None:
            _store_one(e, op, buffer, base, offsets.slice(e, i, 1), part)
        else:
            with branch(e, mask.slice(e, i, 1).scalar(e)):
                _store_one(e, op, buffer, base, offsets.slice(e, i, 1), part)


def _store_one(e: Emitter, op: Op, buffer: Buffer, base: Id, offset: Fragment, value: Fragment) -> None:
    pointer = element_pointer(e, buffer, base, offset.scalar(e))
    store_run(e, buffer, pointer, value, op.attributes.get("alignment", 0))


@emits(xegpu.Prefetch)
def emit_prefetch(e: Emitter, op: xegpu.Prefetch) -> None:
    """OpenCL's prefetch of one element for each offset.

    IGC makes a load to nowhere of each (load.ugm.d32.a64.uc.ca on PVC and BMG): to the last level, whatever the decoration says.
    """
    # An address has no elements: offsets count what they are aligned to (seed 002, offset_align_byte).
    buffer, offsets = described(e, op.source, op.offsets, WORDS.get(op.offset_align_byte or 1, I8))
    if buffer.space == 3:
        return
    base = hinted(e, buffer.pointer, op, "prefetch")
    for i in range(offsets.count):
        pointer = element_pointer(e, buffer, base, offsets.slice(e, i, 1).scalar(e))
        e.ext(e.type.void, "prefetch", pointer, e.constant(e.i64, 1))
