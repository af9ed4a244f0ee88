"""Block messages: SPV_INTEL_2d_block_io, and SPV_INTEL_subgroups for one dimension.

A descriptor is no object of the device: base, row length, rows and pitch go with every message.  Shapes and strides of
create_nd_tdesc count elements of the source; offsets of messages count elements of the descriptor.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import partial, reduce
from typing import Any

from xetile.dialects import arith, gpu, xegpu
from xetile.dialects.affine import affine_of, sum_of
from xetile.dialects.arith import constant_of
from xetile.dialects.types import I32, MemRefType, ScalarType
from xetile.ir.core import Op, Value
from xetile.records import dataclass

from ..facts.headers import column_of
from ..facts.uses import count_of
from ..module.encode import Id
from ..module.errors import SpirvError
from .emitter import Emitter
from .hidden import hidden_number, hidden_value, hidden_zero, number_apart, of_lanes, told_apart
from .hints import hinted
from .table import emits
from .values import Buffer, Fragment, from_chunks, lazy, spans
from .views import memory_of


@dataclass(frozen=True)
class NdDesc:
    """A block descriptor: `width` and `pitch` in bytes, `height` in rows, all i32; `origin` is added to coordinates (y, x), and
    `ahead`, in elements, to x; `widths`: the width as messages with numbered headers take it (`xegpu.HEADER`).
    """

    type: xegpu.TensorDescType
    buffer: Buffer
    width: Id | None = None
    height: Id | None = None
    pitch: Id | None = None
    origin: tuple[Value | None, ...] = ()
    ahead: Id | None = None
    widths: Mapping[int, Id] = field(default_factory=dict)


@emits(xegpu.CreateNdTdesc)
def emit_create_nd(e: Emitter, op: xegpu.CreateNdTdesc) -> NdDesc:
    """The parts of a descriptor, computed where it stands."""
    type, source = op.result.type, op.source.type
    buffer = memory_of(e, op.source, type.element)
    known, steps = (source.shape, source.strides) if isinstance(source, MemRefType) else ((), None)
    shape = _sizes(e, op.shape, known)
    strides = _sizes(e, op.strides, steps or _row_major(known))
    block_rank = len(type.shape)
    leading = len(strides) - block_rank
    buffer = _advance(e, buffer, op.offsets[:leading], op.strides or strides)
    origin = tuple(None if constant_of(v) == 0 else v for v in op.offsets[leading:])
    if block_rank == 1:
        return NdDesc(type, buffer, origin=origin)
    size = buffer.element.bits // 8
    values = op.shape and op.strides and (op.shape[-1], op.strides[-2])
    width, pitch = (_in_bytes(e, op.source, v, n, size) for v, n in zip(values or (None, None), (shape[-1], strides[-2])))
    found = NdDesc(type, buffer, width, shape[-2], pitch, origin)
    found = found if op.narrow is None else _widened(e, found, len(op.result.users))
    return _with_headers(e, found, {user.attributes.get(xegpu.HEADER, 0) for user in op.result.users})


def _with_headers(e: Emitter, desc: NdDesc, numbers: set[int]) -> NdDesc:
    """The same with a width for each header: IGC keeps one header for messages that differ in coordinates alone."""
    width = desc.width
    assert width is not None
    return replace(desc, widths={n: told_apart(e, width, n) for n in sorted(numbers - {0})})


MANY = 3
"""Messages of a descriptor from which on IGC had better not see that parts of it are constants: of others it moves four at once."""


def _widened(e: Emitter, desc: NdDesc, messages: int) -> NdDesc:
    """The same place, where its surface is too narrow for messages in a surface that begins before the array."""
    rules, size = e.target.block2d, desc.buffer.element.bits // 8
    assert rules is not None and desc.width is not None
    hides = messages >= MANY and e.is_constant(desc.width)
    width = hidden_value(e, e.i32, desc.width) if hides else desc.width
    narrow = e.emit("OpULessThan", e.bool, width, e.number(rules.min_width_bytes))
    more = e.emit("OpSelect", e.i32, narrow, e.number(rules.base_alignment), e.number(0))
    ahead = e.emit("OpShiftRightLogical", e.i32, more, e.number(size.bit_length() - 1))
    back = e.emit("OpSNegate", e.i64, e.emit("OpUConvert", e.i64, ahead))
    pointer = e.emit("OpPtrAccessChain", e.module.type_of(desc.buffer.pointer), desc.buffer.pointer, back)
    buffer = Buffer(pointer, desc.buffer.element, desc.buffer.space)
    return replace(desc, buffer=buffer, width=e.emit("OpIAdd", e.i32, width, more), ahead=ahead)


def _in_bytes(e: Emitter, source: Value, value: Value | None, number: Id, size: int) -> Id:
    """A size in bytes. Over memory seen as wider elements it was divided, without rest (arrays of 2D blocks have rows of whole
    words): the division is taken back, and the driver sees that descriptors of either view are alike.
    """
    wider = isinstance(source.op, gpu.ElementCast) and isinstance(source.op.source.type, MemRefType)
    divided = value.op if value is not None and wider else None
    ratio = constant_of(divided.operands[1]) if isinstance(divided, arith.DivUI) else None
    if divided is None or not ratio or size % ratio:
        return e.multiply(e.i32, number, size)
    return e.multiply(e.i32, e.index32(divided.operands[0]), size // ratio)


def select_descriptor(e: Emitter, condition: Id, one: NdDesc, other: NdDesc) -> NdDesc:
    """One of two descriptors as a whole: no message has the base of one array and the sizes of another."""
    if one.type != other.type or any(one.origin) or any(other.origin) or one.width is None or other.width is None:
        raise SpirvError(
            "a select of these descriptors", hint="give offsets on the messages, of blocks of one type and two dimensions"
        )

    def pick(a: Id | None, b: Id | None) -> Id:
        a, b = (e.number(0) if v is None else v for v in (a, b))
        return a if a == b else e.emit("OpSelect", e.i32, condition, a, b)

    # Addresses, for OpSelect takes pointers only where both are of one type.
    addresses = [e.emit("OpConvertPtrToU", e.i64, d.buffer.pointer) for d in (one, other)]
    address = e.emit("OpSelect", e.i64, condition, *addresses)
    pointer = e.emit("OpConvertUToPtr", e.module.type_of(one.buffer.pointer), address)
    width, height, pitch = pick(one.width, other.width), pick(one.height, other.height), pick(one.pitch, other.pitch)
    ahead = None if one.ahead is None and other.ahead is None else pick(one.ahead, other.ahead)
    return NdDesc(one.type, replace(one.buffer, pointer=pointer), width, height, pitch, ahead=ahead)


def _sizes(e: Emitter, values: Sequence[Value], static: Sequence[int | None]) -> list[Id]:
    """Sizes or strides as i32; those of the type where no values are given."""
    if values:
        return [e.index32(v) for v in values]
    if None in static:
        raise SpirvError("a descriptor over memory of run-time shape needs shape and strides")
    return [e.number(n) for n in static if n is not None]


def _row_major(shape: Sequence[int | None]) -> list[int | None]:
    strides: list[int | None] = [1] if shape else []
    for extent in reversed(shape[1:]):
        last = strides[0]
        strides.insert(0, None if last is None or extent is None else last * extent)
    return strides


def _advance(e: Emitter, buffer: Buffer, offsets: Sequence[Value], strides: Sequence[Value | Id]) -> Buffer:
    """The buffer that starts at offsets in the leading dimensions; in 64 bits: arrays may be larger than 4 GiB."""
    pointer = buffer.pointer
    for offset, stride in zip(offsets, strides):
        if constant_of(offset) == 0:
            continue
        wide = e.index64(stride) if isinstance(stride, Value) else e.resize(stride, e.i32, e.i64)
        elements = e.emit("OpIMul", e.i64, e.index64(offset), wide)
        pointer = e.emit("OpInBoundsPtrAccessChain", e.module.type_of(pointer), pointer, elements)
    return Buffer(pointer, buffer.element, buffer.space)


def place_of(e: Emitter, desc: NdDesc, op: Any, dim: int, words: int = 1) -> Id:
    """A coordinate of a message as i32: the last (-1) in elements, or in words of several; the one before it in rows."""
    given, origin = ((None, None, *values)[dim] for values in (op.offsets, desc.origin))
    if e.headers.hides(op, dim):
        at = hidden_zero(e, e.i32)
    else:
        at = _coordinate(e, [v for v in (given, origin) if v is not None])
    if e.headers.is_beside(op, dim):
        at = e.add(e.i32, hidden_zero(e, e.i32), at)
    if branch := e.headers.branch_of(op, dim):
        at = e.add(e.i32, number_apart(e, 0, branch), at)
    number = op.attributes.get(xegpu.HEADER, 0) if e.headers.is_alone(op) else 0
    in_words = dim == -1 and words > 1
    more = _constant(e, (given, origin)) if number else 0
    if dim == -1 and not number and e.headers.is_wrong(op):
        seen = column_of(op)
        more = seen if (seen // words if in_words else seen) % 2 else 0
    if in_words and more % words:
        more = 0
    if more:
        at = e.add(e.i32, at, e.number(-more))
    if dim == -1 and desc.ahead is not None:
        at = e.add(e.i32, at, desc.ahead)
    if in_words:
        at, more = e.emit("OpShiftRightArithmetic", e.i32, at, e.number(words.bit_length() - 1)), more // words
    if not more:
        return at
    return e.add(e.i32, at, number_apart(e, more, number) if number else hidden_number(e, more))


def _constant(e: Emitter, terms: Sequence[Value | None]) -> int:
    """The number in a coordinate's sum. Of two headers one would be the other and that number, which IGC adds to a copy."""
    found = sum(sum_of(v).constant for v in terms if v is not None)
    return found if e.index == e.i32 and abs(found) < FAR else 0


def _is_near(e: Emitter, terms: Sequence[Value]) -> bool:
    """Whether a sum is known to be a coordinate in 32 bits: what passes these by less than FAR ends up far outside on the other side.

    What is added and subtracted again is gone.
    """
    sums = [affine_of(v) for v in terms]
    low = high = sum(each.constant for each in sums)
    times = Counter[Value]()
    for each in sums:
        times.update(each.coefficients)
    for symbol, count in times.items():
        ends = [end * count for end in e.intervals.of(symbol)]
        low, high = low + min(ends), high + max(ends)
    return max(-low, high) < (1 << 31) + FAR // 2


FAR = 1 << 30
"""A coordinate outside of every array that block messages reach, with room for what is added to it."""


def _coordinate(e: Emitter, terms: Sequence[Value]) -> Id:
    """A sum of indices as i32, as block messages take coordinates; what does not fit lies outside of the array."""
    if not terms:
        return e.number(0)
    if len(terms) == 1 and isinstance(terms[0].op, arith.IndexCast) and terms[0].op.operands[0].type is I32:
        return e.scalar(terms[0].op.operands[0])
    if e.index == e.i32 or _is_near(e, terms):
        return reduce(partial(e.add, e.i32), map(e.index32, terms))
    whole = reduce(partial(e.add, e.i64), map(e.index64, terms))
    low, high = e.constant(e.i64, -FAR), e.constant(e.i64, FAR)
    return e.resize(e.ext(e.i64, "s_min", e.ext(e.i64, "s_max", whole, low), high), e.i64, e.i32)


def send(e: Emitter, op: Any, name: str, desc: NdDesc, access: str, *registers: Id, words: int = 1) -> None:
    """One 2-D block message; `registers` is the private pointer of a load or store; `words`: elements that move as one."""
    assert desc.width is not None and desc.height is not None and desc.pitch is not None
    height, width = desc.type.shape
    shape = [e.number(n) for n in (words * desc.type.element.bits // 8, width // words, height, desc.type.array_length)]
    y, x = (place_of(e, desc, op, dim, words) for dim in (-2, -1))
    place = e.emit("OpCompositeConstruct", e.vector(e.i32, 2), x, y)
    width = desc.widths.get(op.attributes.get(xegpu.HEADER, 0), desc.width)
    memory = [hinted(e, desc.buffer.pointer, op, access), width, desc.height, desc.pitch, place]
    ordered = [*registers, *memory] if access == "store" else [*memory, *registers]
    e.keep_together()
    e.emit(f"OpSubgroup2DBlock{name}INTEL", *shape, *ordered)


# Loads.


@emits(xegpu.LoadNd)
def emit_load_nd(e: Emitter, op: xegpu.LoadNd) -> Fragment:
    """A block to registers, by way of a private array that the driver keeps in registers."""
    desc: NdDesc = e[op.desc]
    if len(desc.type.shape) == 1:
        return _read_row(e, op, desc)
    transposed = op.transposed
    name = "LoadTransform" if op.packed else "LoadTranspose" if transposed else "Load"
    element, count = op.value.type.element, count_of(op.value.type)
    # Seed 000: narrow elements are transposed in words of 32 bits.
    words = (op.transpose_bit_width or element.bits) // element.bits if transposed else 1
    form, total = _loaded_form(e, desc.type, count * element.bits, bool(op.packed), words * element.bits if transposed else 0)
    variable, makers = private_array(e, form, total)
    send(e, op, name, desc, "load", variable, words=words)
    return lazy(e, element, count, form, makers)


def _loaded_form(e: Emitter, type: xegpu.TensorDescType, bits: int, packed: bool, transposed: int) -> tuple[Id, int]:
    """The words that a message gives to a lane (SPV_INTEL_2d_block_io, mapping of block data), and their number.

    `transposed`: bits of the words that a transposing load moves, 0 for other loads.
    """
    width = transposed or type.element.bits
    if packed:
        width = 32
    elif not transposed:
        # A row wider than the subgroup gives each lane neighbours, packed; a narrower one spreads rows over lanes.
        width = max(width, bits // (type.shape[0] * type.array_length))
    return e.integer(width), bits // width


def private_array(e: Emitter, form: Id, count: int) -> tuple[Id, list[tuple[int, partial[Id]]]]:
    """A private variable of `count` components, and how to read it in vectors of eight.

    An array of eight-vectors: a part of it is an access chain and a load, for which the driver makes no instruction; a bit cast
    of one long vector costs moves.
    """
    if count <= e.chunk:
        kind = e.vector(form, count)
        variable = e.function.variable(kind)
        return variable, [(count, partial(e.load_here, kind, variable))]
    if count % e.chunk:
        raise SpirvError(f"a block of {count} components for each lane", hint=f"lanes get at most {e.chunk}, or a multiple")
    kind = e.vector(form, e.chunk)
    variable = e.function.variable(e.type.array(kind, count // e.chunk))
    return variable, [(e.chunk, partial(e.load_element, kind, variable, i)) for i in range(count // e.chunk)]


# Stores.


@emits(xegpu.StoreNd)
def emit_store_nd(e: Emitter, op: xegpu.StoreNd) -> None:
    """A block from registers, by way of a private variable."""
    desc: NdDesc = e[op.desc]
    value: Fragment = e[op.value]
    if len(desc.type.shape) == 1:
        return _write_row(e, op, desc, value)
    width = value.bits(e) // desc.type.shape[0]
    form = value.natural_form(e)
    alike = _is_computed_alike(e, op)
    form = form if e.width[form] == width and not alike else e.integer(width)
    (vector,) = value.chunks(e, form)
    vector = of_lanes(e, form, vector, desc.type.shape[0]) if alike else _at_register(e, vector)
    kind = e.module.type_of(vector)
    variable = e.at_entry(("spill", kind), lambda: e.function.variable(kind))
    e.emit("OpStore", variable, vector)
    return send(e, op, "Store", desc, "store", variable)


def _at_register(e: Emitter, vector: Id) -> Id:
    """What is to be stored by a block message, in registers of its own where it is part of a vector and begins inside of a register.

    IGC (2.40.14) gives the message the place where the part begins, such as the second of 16 rows of halves that a message has brought;
    messages take whole registers (`lsc_store_block2d ... V0049.32`).
    """
    register = e.target.grf_bytes * 8 // e.subgroup_size
    inside = not e.whole and e.placements.begins_inside(vector, register)
    return told_apart(e, vector, 1) if inside else vector


def _is_computed_alike(e: Emitter, op: xegpu.StoreNd) -> bool:
    """Whether lanes may have the same numbers to store, of which IGC's vectorizer (2.40.14) makes one instruction for several elements,
    whose results it writes to registers of other values.
    """
    return e.alike and constant_of(op.value) is None


@emits(xegpu.UpdateNdOffset)
def emit_update_nd(e: Emitter, op: xegpu.UpdateNdOffset) -> NdDesc:
    """Descriptors are made where they are used (fold_descriptors)."""
    raise SpirvError("a moved descriptor", hint="give offsets on load_nd, store_nd and prefetch_nd")


# One dimension: component j of lane l is element l + j * lanes (SPV_INTEL_subgroups).


def _row_form(e: Emitter, value_bits: int, element_bits: int) -> Id:
    """Narrow elements travel as 32-bit words where they fill them: neighbours in one lane (seed 000, last rules)."""
    return e.i32 if element_bits < 32 and value_bits % 32 == 0 else e.integer(element_bits)


def _row_pointer(e: Emitter, op: Op, desc: NdDesc, offsets: Sequence[Value], form: Id, access: str) -> Id:
    pointer = hinted(e, desc.buffer.pointer, op, access)
    for offset in (*offsets, *desc.origin):
        if offset is not None and constant_of(offset) != 0:
            pointer = e.emit("OpInBoundsPtrAccessChain", e.module.type_of(pointer), pointer, e.scalar(offset))
    target = e.type.pointer(desc.buffer.storage, form)
    return pointer if e.module.type_of(pointer) == target else e.emit("OpBitcast", target, pointer)


def _read_row(e: Emitter, op: xegpu.LoadNd, desc: NdDesc) -> Fragment:
    element, count = op.value.type.element, count_of(op.value.type)
    form = _row_form(e, count * element.bits, element.bits)
    pointer = _row_pointer(e, op, desc, op.offsets, form, "load")
    return read_block(e, pointer, element, count, form)


def _write_row(e: Emitter, op: xegpu.StoreNd, desc: NdDesc, value: Fragment) -> None:
    form = _row_form(e, value.bits(e), e.width[e.form(value.element)])
    if _is_computed_alike(e, op):
        count = value.bits(e) // e.width[form]
        words = [of_lanes(e, form, x, n) for x, (_, n) in zip(value.chunks(e, form), spans(count, e.chunk), strict=True)]
        value = from_chunks(e, value.element, value.count, words, form)
    write_block(e, _row_pointer(e, op, desc, op.offsets, form, "store"), value, form)


def read_block(e: Emitter, pointer: Id, element: ScalarType, count: int, form: Id) -> Fragment:
    """`count` elements for each lane from consecutive words of the subgroup, in messages of up to eight words for each lane."""
    words = count * e.width[e.form(element)] // e.width[form]
    ids = []
    for start, n in spans(words, e.chunk):
        at = step_on(e, pointer, start)
        ids.append(e.emit("OpSubgroupBlockReadINTEL", e.vector(form, n), at))
    return from_chunks(e, element, count, ids, form)


def write_block(e: Emitter, pointer: Id, value: Fragment, form: Id) -> None:
    """The inverse of `read_block`."""
    words = value.bits(e) // e.width[form]
    for (start, _), vector in zip(spans(words, e.chunk), value.chunks(e, form), strict=True):
        e.emit("OpSubgroupBlockWriteINTEL", step_on(e, pointer, start), _at_register(e, vector))


def step_on(e: Emitter, pointer: Id, words: int) -> Id:
    """The address so many words of each lane behind another."""
    if not words:
        return pointer
    offset = e.number(words * e.subgroup_size)
    return e.emit("OpInBoundsPtrAccessChain", e.module.type_of(pointer), pointer, offset)
