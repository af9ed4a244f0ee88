"""Shared local memory: buffers, matrices over them, fences."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xetile.dialects import gpu, xegpu
from xetile.dialects.affine import sum_of
from xetile.dialects.arith import constant_of
from xetile.dialects.types import I32, VectorType
from xetile.ir.core import Value
from xetile.ir.interfaces import runs_again
from xetile.layout import MemLayout
from xetile.records import dataclass

from ..assembly.call import WORDS
from ..assembly.gather import WORD_BITS
from ..assembly.shared import AsWordsCall
from ..facts.wraps import is_sum
from ..module.encode import Id
from ..module.errors import SpirvError
from .emitter import Emitter
from .flat import private_buffer
from .hidden import hidden_value
from .memory import element_pointer, load_run, store_run, vector_pointer
from .table import emits
from .values import Buffer, Chunk, Fragment, Piece
from .wide import SAME, on_whole_registers
from .xegpu import read_block, step_on, write_block


@emits(gpu.Alloca)
def emit_alloca(e: Emitter, op: gpu.Alloca) -> Buffer:
    """A variable of the workgroup."""
    type = op.result.type
    if type.space == 0 and e.whole:
        return private_buffer(e, type)
    if type.space != 3 or None in type.shape:
        raise SpirvError(f"an allocation of {type}", hint="only shared local memory (space 3) of constant size is allocated")
    form = e.integer(max(8, type.element.bits))
    count = prod(n for n in type.shape if n is not None)
    e.slm_bytes += count * e.width[form] // 8
    variable = e.function.workgroup_variable(e.type.array(form, count), alignment=e.target.cache_line)

    def first() -> Id:
        return e.emit("OpInBoundsAccessChain", e.pointer("Workgroup", form), variable, e.number(0))

    return Buffer(e.at_entry(("slm", variable), first), type.element, 3)


@dataclass(frozen=True)
class SharedMatrix:
    """A matrix in shared local memory; `origin` is added to the coordinates of an access, dimension by dimension."""

    buffer: Buffer
    layout: MemLayout
    origin: tuple[tuple[Id, ...], ...]


@emits(xegpu.CreateMemDesc)
def emit_create_mem_desc(e: Emitter, op: xegpu.CreateMemDesc) -> SharedMatrix:
    """A buffer seen as a matrix."""
    type: xegpu.MemDescType = op.result.type
    source: Buffer = e[op.source]
    pointer = vector_pointer(e, source, source.pointer, e.integer(max(8, type.element.bits)))
    return SharedMatrix(Buffer(pointer, type.element, 3), type.memory_layout(), ((),) * type.rank)


@emits(xegpu.MemDescSubview)
def emit_subview(e: Emitter, op: xegpu.MemDescSubview) -> SharedMatrix:
    """The same matrix with its origin moved: addresses are those of the whole."""
    whole: SharedMatrix = e[op.source]
    moves: list[tuple[Id, ...]] = [() if constant_of(v) == 0 else (e.index32(v),) for v in op.offsets]
    origin = tuple((*before, *move) for before, move in zip(whole.origin, moves, strict=True))
    return SharedMatrix(whole.buffer, whole.layout, origin)


def _address(e: Emitter, op: xegpu.LoadMatrix | xegpu.StoreMatrix, matrix: SharedMatrix) -> tuple[Id | None, int]:
    """Elements from the start of the buffer, as i32 (shared local memory is small) and a constant.

    Constant parts are summed here, so that neighbouring accesses differ by a constant only.
    """
    offsets, looped = op.offsets, runs_again(op)
    missing = len(matrix.origin) - len(offsets)  # offsets are of the last dimensions: a view may have fewer than its matrix
    known: list[int | None] = [0] * missing + [constant_of(v) for v in offsets]
    fixed, total = 0, None
    for term in matrix.layout.terms():
        at, number = term.dim, known[term.dim]
        parts = [*matrix.origin[at]] + ([e.index32(offsets[at - missing])] if number is None else [])
        if not parts:
            fixed += term.value([n or 0 for n in known])
            continue
        if number and (term.divisor > 1 or term.modulus):
            parts.append(e.number(number))
        elif number:
            fixed += number * term.stride
        value = _term(e, _sum(e, parts), term.divisor, term.modulus, term.stride)
        if looped and term.modulus and term.divisor == term.stride == 1 and (len(parts) > 1 or is_sum(offsets)):
            value = hidden_value(e, e.i32, value)
        total = value if total is None else e.add(e.i32, total, value)
    return total, fixed


def _row_pointer(e: Emitter, matrix: SharedMatrix, offset: Value) -> Id:
    """The address in a matrix of one row, one term after the other.

    The driver makes each sum of an address once: what stays the same leaves loops, constants come last and tell messages apart.
    """
    pointer, found = matrix.buffer.pointer, sum_of(offset)
    for term in found.terms:
        pointer = element_pointer(e, matrix.buffer, pointer, e.index32(term.value))
    return element_pointer(e, matrix.buffer, pointer, e.number(found.constant)) if found.constant else pointer


def _sum(e: Emitter, parts: Sequence[Id]) -> Id:
    total = parts[0]
    for part in parts[1:]:
        total = e.add(e.i32, total, part)
    return total


def _term(e: Emitter, value: Id, div: int, mod: int, stride: int) -> Id:
    """`value / div % mod * stride`; coordinates are not negative."""
    if div > 1:
        value = e.emit("OpUDiv", e.i32, value, e.number(div))
    if mod:
        value = e.emit("OpUMod", e.i32, value, e.number(mod))
    return e.multiply(e.i32, value, stride)


def _place(e: Emitter, op: xegpu.LoadMatrix | xegpu.StoreMatrix) -> tuple[SharedMatrix, Id]:
    matrix, offsets = e[op.desc], op.offsets
    if matrix.layout.shape[0] == 1 and not any(matrix.origin) and constant_of(offsets[0]) == 0 and not matrix.layout.block:
        return matrix, _row_pointer(e, matrix, offsets[1])
    moved, fixed = _address(e, op, matrix)
    pointer = matrix.buffer.pointer
    if moved is not None:
        pointer = element_pointer(e, matrix.buffer, pointer, moved)
    # The constant comes last: the driver then adds it to an address that several messages share.
    return matrix, element_pointer(e, matrix.buffer, pointer, e.number(fixed)) if fixed or moved is None else pointer


@emits(xegpu.LoadMatrix)
def emit_load_matrix(e: Emitter, op: xegpu.LoadMatrix) -> Fragment:
    """Neighbours along the fastest dimension from each lane's coordinates.

    With the attribute `subgroup_block_io` coordinates are the same in all lanes, and lane l gets elements l, l + lanes, ...: one
    block message.
    """
    matrix, pointer = _place(e, op)
    type = op.value.type
    element, count = (type.element, type.count) if isinstance(type, VectorType) else (type, 1)
    if "subgroup_block_io" not in op.attributes:
        return load_run(e, matrix.buffer, pointer, element, count, op.attributes.get("alignment", 0))
    form = e.integer(element.bits)
    if element is I32 and count % WORDS == 0 and on_whole_registers(e):
        return _read_operands(e, matrix.buffer, pointer, count)
    return read_block(e, vector_pointer(e, matrix.buffer, pointer, form), element, count, form)


def _read_operands(e: Emitter, buffer: Buffer, pointer: Id, count: int) -> Fragment:
    """The same words, those of a second operand of a product in a message."""
    long, kind, pieces = e.integer(2 * WORD_BITS), e.vector(e.i32, WORDS), []
    first = vector_pointer(e, buffer, pointer, long)
    for at in range(0, count, WORDS):
        loaded = e.emit("OpSubgroupBlockReadINTEL", e.vector(long, WORDS // 2), step_on(e, first, at // 2))
        words = Chunk(e, e.i32, WORDS, e.call_assembly(AsWordsCall(WORDS), kind, [loaded], [SAME]))
        pieces.append(Piece(words, 0, words.bits))
    return Fragment(I32, count, pieces)


@emits(xegpu.StoreMatrix)
def emit_store_matrix(e: Emitter, op: xegpu.StoreMatrix) -> None:
    """The inverse of load_matrix."""
    matrix, pointer = _place(e, op)
    value: Fragment = e[op.data]
    if "subgroup_block_io" not in op.attributes:
        return store_run(e, matrix.buffer, pointer, value, op.attributes.get("alignment", 0))
    form = e.integer(value.element.bits)
    return write_block(e, vector_pointer(e, matrix.buffer, pointer, form), value, form)


# Ordering.

_SCOPES = {"workgroup": "Workgroup", "gpu": "Device", "device": "Device"}
_MEMORY = {"slm": "WorkgroupMemory", "global": "CrossWorkgroupMemory"}


@emits(xegpu.Fence)
def emit_fence(e: Emitter, op: xegpu.Fence) -> None:
    """Accesses before are seen by accesses after, in that scope."""
    scope = e.module.scope(_SCOPES[op.fence_scope])
    e.emit("OpMemoryBarrier", scope, e.module.semantics(f"AcquireRelease|{_MEMORY[op.memory_kind]}"))
