"""Look-ups in tables of a few numbers: each lane of a subgroup holds one, and the others take it from there."""

from __future__ import annotations

from xetile.dialects import xetile
from xetile.dialects.types import I32

from .emit import Emitter
from .emit_cast import extend
from .emit_gpu import exchange
from .emit_memory import element_pointer, load_run
from .emit_table import emits
from .emit_values import Fragment, concatenate, from_scalar
from .encode import Id


@emits(xetile.LookUp)
def emit_look_up(e: Emitter, op: xetile.LookUp) -> Fragment:
    """Element by element."""
    table, codes = table_of(e, op), extend(e, e[op.codes], I32, signed=False)
    return concatenate(table.element, [exchange(e, "idx", table, codes.slice(e, i, 1).scalar(e)) for i in range(codes.count)])


def table_of(e: Emitter, op: xetile.LookUp) -> Fragment:
    """This lane's number of a table, read once at the kernel's entry."""
    element, buffer = op.base.type.element, e[op.base]

    def read() -> Id:
        lane = e.at_entry("Lane32", lambda: e.function.builtin("SubgroupLocalInvocationId"))
        # An empty table has a first element all the same, as masked loads know it.
        count = e.index32(op.size)
        last = e.emit("OpISub", e.i32, count, e.number(1))
        last = e.emit("OpSelect", e.i32, e.emit("OpSGreaterThan", e.bool, count, e.number(0)), last, e.number(0))
        place = e.emit("OpSelect", e.i32, e.emit("OpULessThan", e.bool, lane, last), lane, last)
        return load_run(e, buffer, element_pointer(e, buffer, buffer.pointer, e.resize(place, e.i32, e.i64)), element, 1).scalar(
            e
        )

    return from_scalar(e, element, e.at_entry(("table", op.base), read))
