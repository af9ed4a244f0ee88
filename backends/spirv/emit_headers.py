"""Stores of several blocks of an array outside of loops, whose messages have headers that IGC's functions make.

IGC (2.40.14) puts the header of each store together anew, by seven moves. Its own functions copy a header and write what is different, by one
each. Xe2 writes a header again as soon as a message has read it, so that a few serve all; on PVC IGC waits for that by four instructions.
"""

from __future__ import annotations

from xetile.dialects import xegpu
from xetile.ir.core import Block, Value
from xetile.ir.interfaces import runs_again
from xetile.records import dataclass

from .emit import Emitter
from .encode import Id
from .header_functions import COPY, CREATE, SET, WRITE
from .hidden import told_apart
from .messages import NdDesc, place_of

FEWEST = 3
"""Messages for which headers are made by functions."""
_IN_FLIGHT = 4
"""Headers that serve all messages where they are written again: until a message has read one, others write the next ones."""
_HINTS = ("l1_hint", "l2_hint", "l3_hint")
_SETTERS = SET.format("Y"), SET.format("X")
_DEFAULT = 0
"""What the caches do with a block without hints."""
Place = tuple[tuple[Value | None, ...], ...]
"""What is added up to a message's row, and to its column."""


@dataclass
class Header:
    """A header, and the place that it says."""

    pointer: Id
    place: Place


class StoreHeaders:
    """The headers of the stores to an array in blocks of one shape, the one that was written last behind the others."""

    def __init__(self, e: Emitter) -> None:
        self._e = e
        self._known: dict[tuple[Block | None, Value], list[Header]] = {}
        self._usable = not e.whole and e.target.block2d is not None and e.for_intel
        self._void, self._pointer = e.type.void, e.type.pointer("Function", e.i32)
        self._taken: dict[tuple[Block | None, Value], bool] = {}
        self._forms: dict[str, Id] = {}
        self._functions: dict[str, Id] = {}
        self._turn = 1

    def take(self, op: xegpu.StoreNd) -> bool:
        """Whether a store is one of several whose headers are made by functions."""
        key = op.parent, op.desc
        if not self._usable:
            return False
        if key not in self._taken:
            several = [user for user in op.desc.users if isinstance(user, xegpu.StoreNd) and user.parent is op.parent]
            self._taken[key] = len(several) >= FEWEST and not runs_again(op)
        return self._taken[key] and not any(hint in op.attributes for hint in _HINTS)

    def form(self, desc: NdDesc, form: Id) -> Id:
        """The form in which a function takes a block's numbers: that of those for which it was called first."""
        return self._forms.setdefault(_write(desc), form)

    def send(self, op: xegpu.StoreNd, desc: NdDesc, vector: Id) -> None:
        """A vector, with a number for each row, to where a store says."""
        e, header = self._e, self._header(op, desc)
        e.keep_together()
        self._call(_write(desc), header, e.number(0), e.number(0), vector, e.number(_DEFAULT))

    def _call(self, name: str, *operands: Id, result: Id | None = None) -> Id:
        """A call of a function that takes what it is called with first."""
        e, kind = self._e, self._void if result is None else result
        function = self._functions.get(name)
        if function is None:
            function = self._functions[name] = e.module.import_function(name, kind, [e.module.type_of(x) for x in operands])
        return e.emit("OpFunctionCall", kind, function, *operands)

    def at_register(self, vector: Id) -> Id:
        """A vector as messages take it, from the begin of a register on.

        IGC sends one that is part of another vector from where it begins there, of which it moves a single element to a register of its own.
        So is one that fills no register, which may lie behind another in one: neighbours have other zeros, or its vectorizer joins them.
        """
        e = self._e
        form, count = e.vector_of(e.module.type_of(vector))
        register = e.target.grf_bytes * 8 // e.subgroup_size
        if e.width[form] >= register:
            return vector
        fills = e.width[form] * count >= register
        inside = e.placements.begins_inside(vector, register, computed=True)
        if not inside and (fills or e.placements.begins_at_register(vector, register)):
            return vector
        self._turn = 3 - self._turn
        return told_apart(e, vector, self._turn)

    def _header(self, op: xegpu.StoreNd, desc: NdDesc) -> Id:
        """The header of a store: of those of the array the one that differs least, and of these the one that was sent first."""
        e, place = self._e, _place(op, desc)
        known = self._known.setdefault((op.parent, op.desc), [])
        if not known:
            known.append(Header(self._made(op, desc), place))
            return known[0].pointer
        row, column = place
        nearest = min(known, key=lambda header: (header.place[0] != row) + (header.place[1] != column))
        pointer, before = nearest.pointer, nearest.place
        if e.target.block_offsets and len(known) >= _IN_FLIGHT:
            known.remove(nearest)
        else:
            pointer = self._call(COPY, pointer, result=self._pointer)
        known.append(Header(pointer, place))
        for dim, name, one, other in zip((-2, -1), _SETTERS, before, place):
            if one != other:
                self._call(name, pointer, place_of(e, desc, op, dim))
        return pointer

    def _made(self, op: xegpu.StoreNd, desc: NdDesc) -> Id:
        """A header of a surface, and a place in it."""
        e, (height, width) = self._e, desc.type.shape
        base = e.emit("OpConvertPtrToU", e.i64, desc.buffer.pointer)
        sizes = [e.emit("OpISub", e.i32, size, e.number(1)) for size in (desc.width, desc.height, desc.pitch) if size is not None]
        place = [place_of(e, desc, op, dim) for dim in (-1, -2)]
        return self._call(CREATE, base, *sizes, *place, *map(e.number, (width, height, 1)), result=self._pointer)


def _write(desc: NdDesc) -> str:
    height, width = desc.type.shape
    return WRITE.format(desc.type.element.bits, height, width)


def _place(op: xegpu.StoreNd, desc: NdDesc) -> Place:
    given, origin = op.offsets, desc.origin
    if not any(origin):
        return given[-2:-1], given[-1:]
    return tuple(tuple(v for v in (given[dim], (None, None, *origin)[dim]) if v is not None) for dim in (-2, -1))
