"""The pieces of the register file that values are: what ops that only place elements make of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping
from itertools import accumulate
from operator import itemgetter
from typing import Any, Protocol

from xetile.dialects import arith, math, vector
from xetile.dialects.types import INDEX, ScalarType, VectorType, element_of
from xetile.errors import Location
from xetile.ir.core import Op, Value, Variable

Parts = tuple[tuple["Atom", int], ...]
"""Atoms, and how many bits of a lane each holds of a value."""


class Atom:
    """One variable of IGC.

    `bytes` over all lanes; `dtype` of its elements; `made_by`: the op that fills it, "loop" for what a loop carries; `at`: where.
    """

    __slots__ = ("at", "bytes", "dtype", "made_by")

    def __init__(self, bytes: float, dtype: str, made_by: str, at: Location | None) -> None:
        self.bytes = bytes
        self.dtype = dtype
        self.made_by = made_by
        self.at = at


_bits_of = itemgetter(1)


class Sizes(Protocol):
    """Of a kernel the parts of its values, and how large they are (`Storage`)."""

    @property
    def parts(self) -> Mapping[Value, Parts]: ...

    @property
    def components(self) -> int: ...

    def element_bytes(self, element: ScalarType, varying: bool) -> float: ...


def _nothing(storage: Sizes, op: Any) -> Parts:
    return ()


def _slice(storage: Sizes, op: Any) -> Parts:
    parts, source = storage.parts.get(op.source, ()), op.source.type
    if source.rank != 1:
        return parts
    bits = source.element.bits
    return _cut(parts, op.offsets[0] * bits, (op.offsets[0] + op.sizes[0]) * bits)


def _extract(storage: Sizes, op: Any) -> Parts:
    parts, source = storage.parts.get(op.source, ()), op.source.type
    if source.rank != 1:
        return parts
    bits = source.element.bits
    return _cut(parts, op.position[0] * bits, (op.position[0] + 1) * bits)


def _insert(storage: Sizes, op: Any) -> Parts:
    into, value = storage.parts.get(op.dest, ()), storage.parts.get(op.value, ())
    offsets = op.offsets if isinstance(op, vector.InsertStridedSlice) else op.position
    if op.dest.type.rank != 1:
        return (*into, *value)
    bits = op.dest.type.element.bits
    total, first = op.dest.type.count * bits, offsets[0] * bits
    count = bits * (op.value.type.count if isinstance(op.value.type, VectorType) else 1)
    into = into or ((Atom(0, "", op.opname, op.loc), total),)  # a constant takes no register
    value = value or ((Atom(0, "", op.opname, op.loc), count),)
    return (*_cut(into, 0, first), *value, *_cut(into, first + count, total))


def _picked(storage: Sizes, op: Any) -> Parts:
    """The SPIR-V writer puts the elements of a shuffle together where something takes them."""
    bits = op.v1.type.element.bits
    both = (*storage.parts.get(op.v1, ()), *storage.parts.get(op.v2, ()))
    return tuple([part for at in op.mask for part in _cut(both, at * bits, (at + 1) * bits)])


def _spread(storage: Sizes, op: Any) -> Parts:
    parts, bits = storage.parts.get(op.operands[0], ()), op.result.type.count * op.result.type.element.bits
    return ((parts[0][0], bits),) if len(parts) == 1 else parts


def same(storage: Sizes, op: Any) -> Parts:
    """Those of what it is given."""
    return storage.parts.get(op.operands[0], ())


def is_sign(op: Op) -> bool:
    """Whether an op is the sign with which instructions take its operand: powers do."""
    return isinstance(op, arith.NegF) and all(isinstance(user, math.Exp2) for user in op.result.users)


def is_undone(op: Op) -> bool:
    """Whether an op casts numbers to a wider type for casts back alone, or is such a cast back: LLVM takes the numbers as they were."""
    users = [*op.results[0].users] if isinstance(op, arith.INDEX_CASTS) else []
    return _comes_back(op) or (bool(users) and all(map(_comes_back, users)))


def _comes_back(op: Op) -> bool:
    made = op.operands[0].op if isinstance(op, arith.INDEX_CASTS) else None
    if not isinstance(made, arith.INDEX_CASTS):
        return False
    return made.operands[0].type == op.results[0].type and element_of(op.results[0].type).bits < INDEX.bits


def rescaled(storage: Sizes, op: Any) -> Parts:
    """The parts of what it is given, of as many bits as it makes of them."""
    given, made = (element_of(value.type).bits for value in (op.operands[0], op.results[0]))
    return tuple([(atom, bits * made // given) for atom, bits in storage.parts.get(op.operands[0], ())])


def copied(storage: Sizes, op: Any) -> Parts:
    """IGC copies the register that is read for each variable that is filled from it."""
    element = op.value.type
    return ((Atom(storage.element_bytes(element, True) / storage.components, element.name, op.opname, op.loc), element.bits),)


def carried_by(op: Op, variable: Variable | None) -> Op:
    """For an argument of a block the op whose place in the source tells best what it is: what a loop carries in it."""
    carried = variable.given[1:] if variable is not None else ()
    return next((value.op for value in carried if value.op is not None), op)


def _cut(parts: Parts, start: int, stop: int) -> Parts:
    """Bits start to stop of a row of parts."""
    if len(parts) == 1:
        atom, bits = parts[0]
        return ((atom, min(stop, bits) - start),) if start < bits and stop > 0 else ()
    ends = [*accumulate(map(_bits_of, parts))]
    first = bisect_right(ends, start)
    found = [*parts[first : bisect_left(ends, stop) + 1]] if stop > 0 else []
    if not found:
        return ()
    (atom, _), begin = found[0], ends[first - 1] if first else 0
    found[0] = atom, min(stop, ends[first]) - max(start, begin)
    if len(found) > 1:
        last = first + len(found) - 1
        found[-1] = found[-1][0], min(stop, ends[last]) - ends[last - 1]
    return tuple(found)


PLACES: dict[type[Op], Callable[[Sizes, Any], Parts]] = {
    arith.Constant: _nothing,  # immediates
    vector.ExtractStridedSlice: _slice,
    vector.InsertStridedSlice: _insert,
    vector.Insert: _insert,
    vector.Extract: _extract,
    vector.Shuffle: _picked,
    vector.Broadcast: _spread,
    vector.ShapeCast: same,
    vector.Bitcast: same,
}
