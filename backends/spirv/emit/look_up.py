"""Look-ups in tables of a few numbers: each lane of a subgroup holds one, and the others take it from there."""

from __future__ import annotations

from functools import partial

from xetile.dialects import tables
from xetile.dialects.types import I32

from ..module.encode import Id
from .cast import extend
from .emitter import Emitter
from .gpu import exchange
from .memory import element_pointer, load_run
from .table import emits
from .values import Fragment, concatenate, from_scalar

LookUp = tables.LookUp | tables.Choose


@emits(tables.LookUp, tables.Choose)
def emit_look_up(e: Emitter, op: LookUp) -> Fragment:
    """Element by element."""
    table, codes = table_of(e, op), extend(e, e[op.codes], I32, signed=False)
    return concatenate(table.element, [exchange(e, "idx", table, codes.slice(e, i, 1).scalar(e)) for i in range(codes.count)])


def table_of(e: Emitter, op: LookUp) -> Fragment:
    """This lane's number of a table, made once at the kernel's entry."""
    made = partial(_known, e, op) if isinstance(op, tables.Choose) else partial(_read, e, op)
    return from_scalar(e, op.element, e.at_entry(("table", op.element, op.table), made))


def _read(e: Emitter, op: tables.LookUp) -> Id:
    """Of an array."""
    buffer, lane = e[op.base], e.lane
    # An empty table has a first element all the same, as masked loads know it.
    count = e.index32(op.size)
    last = e.emit("OpISub", e.i32, count, e.number(1))
    last = e.emit("OpSelect", e.i32, e.emit("OpSGreaterThan", e.bool, count, e.number(0)), last, e.number(0))
    place = e.emit("OpSelect", e.i32, e.emit("OpULessThan", e.bool, lane, last), lane, last)
    address = element_pointer(e, buffer, buffer.pointer, e.resize(place, e.i32, e.i64))
    return load_run(e, buffer, address, op.element, 1).scalar(e)


def _known(e: Emitter, op: tables.Choose) -> Id:
    """Of numbers that are known: half of those that are left by each bit of the lane's number."""
    form, bits, lane = e.integer(op.element.bits), list(op.bits), e.lane
    bits += bits[-1:] * (e.subgroup_size - len(bits))
    left = [e.constant(form, number) for number in bits]
    for bit in range((len(left) - 1).bit_length()):
        odd = e.emit("OpINotEqual", e.bool, e.emit("OpBitwiseAnd", e.i32, lane, e.number(1 << bit)), e.number(0))
        left = [a if a == b else e.emit("OpSelect", form, odd, b, a) for a, b in zip(left[::2], left[1::2], strict=True)]
    kind = e.form(op.element)
    return left[0] if kind == form else e.emit("OpBitcast", kind, left[0])
