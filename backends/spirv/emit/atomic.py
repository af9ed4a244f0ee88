"""Atomic read-modify-write: an instruction where the target has one, a compare-and-swap loop elsewhere.

No ordering of other accesses is implied (relaxed).  Elements of 8 and 16 bits are swapped as part of the 32-bit word they lie in.
"""

from __future__ import annotations

from collections.abc import Callable

from xetile.dialects import vector, xegpu
from xetile.dialects.types import ScalarType

from ..module.encode import Id
from ..module.errors import SpirvError
from .emitter import Emitter
from .flow import conditional
from .memory import described, element_pointer, vector_pointer
from .reduce import combine
from .table import emits
from .values import Buffer, Fragment, concatenate, constant, from_chunks

_INTEGER = {
    "addi": "OpAtomicIAdd", "andi": "OpAtomicAnd", "ori": "OpAtomicOr", "xori": "OpAtomicXor", "assign": "OpAtomicExchange",
    "maxs": "OpAtomicSMax", "maxu": "OpAtomicUMax", "mins": "OpAtomicSMin", "minu": "OpAtomicUMin",
}  # fmt: skip
# SPV_EXT_shader_atomic_float_min_max: a NaN loses, as in fmin and fmax.
_FLOAT = {"addf": "OpAtomicFAddEXT", "maxnumf": "OpAtomicFMaxEXT", "minnumf": "OpAtomicFMinEXT"}
_COMBINE = {
    "addf": "add", "addi": "add", "mulf": "mul", "muli": "mul", "andi": "and", "ori": "or", "xori": "xor", "maxs": "maxsi",
    "maxu": "maxui", "mins": "minsi", "minu": "minui", "maximumf": "maximumf", "minimumf": "minimumf", "maxnumf": "maxnumf",
    "minnumf": "minnumf",
}  # fmt: skip


@emits(xegpu.AtomicRmw)
def emit_atomic(e: Emitter, op: xegpu.AtomicRmw) -> Fragment:
    """One after the other for each element; masked ones do nothing and give 0."""
    buffer, offsets = described(e, op.desc, None, e[op.value].element)
    value: Fragment = e[op.value]
    mask: Fragment | None = None if vector.is_true(op.mask) else e[op.mask]
    if op.kind != "assign" and op.kind not in _COMBINE:
        raise SpirvError(f"no atomic {op.kind}")
    results = []
    for i in range(value.count):
        part, offset = value.slice(e, i, 1), offsets.slice(e, i if offsets.count > 1 else 0, 1)

        def change(part: Fragment = part, offset: Fragment = offset) -> Fragment:
            pointer = element_pointer(e, buffer, buffer.pointer, offset.scalar(e))
            return updated(e, op.kind, buffer, pointer, part)

        if mask is None:
            results.append(change())
        else:
            test = mask.slice(e, i if mask.count > 1 else 0, 1).scalar(e)
            results.append(conditional(e, test, change, constant(e, value.element, 1, 0)))
    return results[0] if len(results) == 1 else concatenate(value.element, results)


def updated(e: Emitter, kind: str, buffer: Buffer, pointer: Id, value: Fragment) -> Fragment:
    """The element at an address changed; gives the old one."""
    element = value.element
    form = e.integer(e.width[e.form(element)])
    if form == e.i64:
        e.module.require("Int64Atomics")
    if e.width[form] < 32:
        return _change_part(e, kind, buffer, pointer, value, form)
    if kind != "assign" and e.target.atomic(kind, element.name) != "native":

        def changed(old: Id) -> Id:
            return _combined(e, kind, _bits(e, element, old, form), value).get(e, form, 0, 1)

        return _bits(e, element, _swap(e, buffer, pointer, form, changed), form)
    name, carrier = (_FLOAT[kind], e.form(element)) if kind in _FLOAT else (_INTEGER[kind], form)
    typed = vector_pointer(e, buffer, pointer, carrier)
    old = e.emit(name, carrier, typed, *_ordering(e, buffer), value.get(e, carrier, 0, 1))
    return _bits(e, element, old, carrier)


def _change_part(e: Emitter, kind: str, buffer: Buffer, pointer: Id, value: Fragment, form: Id) -> Fragment:
    """An element narrower than what devices swap."""
    address = e.emit("OpConvertPtrToU", e.i64, pointer)
    start = e.emit("OpBitwiseAnd", e.i64, address, e.constant(e.i64, ~3))
    word = e.emit("OpConvertUToPtr", e.pointer(buffer.storage, e.i32), start)
    inside = e.emit("OpBitwiseAnd", e.i32, e.emit("OpUConvert", e.i32, address), e.number(3))
    shift = e.multiply(e.i32, inside, 8)
    ones = e.number((1 << e.width[form]) - 1)
    rest = e.emit("OpNot", e.i32, e.emit("OpShiftLeftLogical", e.i32, ones, shift))

    def part(old: Id) -> Fragment:
        low = e.emit("OpShiftRightLogical", e.i32, old, shift)
        return _bits(e, value.element, e.emit("OpUConvert", form, low), form)

    def changed(old: Id) -> Id:
        new = e.emit("OpUConvert", e.i32, _combined(e, kind, part(old), value).get(e, form, 0, 1))
        kept = e.emit("OpBitwiseAnd", e.i32, old, rest)
        return e.emit("OpBitwiseOr", e.i32, kept, e.emit("OpShiftLeftLogical", e.i32, new, shift))

    return part(_swap(e, buffer, word, e.i32, changed))


def _swap(e: Emitter, buffer: Buffer, pointer: Id, form: Id, changed: Callable[[Id], Id]) -> Id:
    """Compute from what was seen, write if it is still there, or else try again with what is there now."""
    scope, relaxed = _ordering(e, buffer)
    typed = vector_pointer(e, buffer, pointer, form)
    first = e.emit("OpAtomicLoad", form, typed, scope, relaxed)
    header, body, again, done = (e.function.block(name) for name in ("swap", "try", "again", "swapped"))
    old = header.phi(form, (first, e.block))
    e.block.branch(header)
    header.loop_merge(done, again, "DontUnroll")
    header.branch(body)
    e.enter(body)
    with e.scope():
        new = changed(old)
        seen = e.emit("OpAtomicCompareExchange", form, typed, scope, relaxed, relaxed, new, old)
        e.block.branch_if(e.emit("OpIEqual", e.bool, seen, old), done, again)
    again.branch(header)
    old.add(seen, again)
    e.enter(done)
    return old


def _bits(e: Emitter, element: ScalarType, value: Id, form: Id) -> Fragment:
    return from_chunks(e, element, 1, [value], form)


def _combined(e: Emitter, kind: str, old: Fragment, value: Fragment) -> Fragment:
    return value if kind == "assign" else combine(e, _COMBINE[kind], old, value)


def _ordering(e: Emitter, buffer: Buffer) -> tuple[Id, Id]:
    return e.module.scope("Workgroup" if buffer.space == 3 else "Device"), e.number(0)
