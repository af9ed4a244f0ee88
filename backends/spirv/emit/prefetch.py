"""Prefetches of blocks in loops, whose message header stays in a register.

IGC (2.40.14) keeps headers of loads and stores before a loop and writes only what changes in it, but puts that of each prefetch together
anew: five moves in each iteration. Its own functions for headers leave that to who calls them. A compiler that does not know them
leaves the prefetch out.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice

from xetile.dialects import scf, xegpu
from xetile.ir.core import Value
from xetile.records import dataclass

from ..module.encode import Id
from ..module.header_functions import CREATE, PREFETCH, SET
from .emitter import Emitter
from .table import emits
from .xegpu import NdDesc, place_of, send

_CACHED = 4
"""Both levels of caches take the block, as they do of a message without hints."""
_MOST = 4
"""Prefetches of a loop whose headers stay: each takes a register."""
_HINTS = ("l1_hint", "l2_hint", "l3_hint")


@dataclass(frozen=True)
class Header:
    """The header of a prefetch; `changes`: the coordinates that are written in the loop, the last (-1) and the one before it."""

    pointer: Id
    changes: tuple[int, ...]


def headers_outside(e: Emitter, loop: scf.For) -> None:
    """Make the headers of prefetches in a loop, of which nothing is written yet.

    Where messages add no constants to coordinates, loads take the registers for headers of their own in loops that compute with products.
    """
    if e.whole or e.target.block2d is None or not e.for_intel or not (e.target.block_offsets or xegpu.only_sums(loop)):
        return
    for op in islice(_prefetches(e, loop), _MOST):
        desc: NdDesc = e[op.desc]
        height, width = desc.type.shape
        changes = tuple(dim for dim in (-1, -2) if not all(map(e.is_written, _terms(op, desc, dim))))
        x, y = (e.number(0) if dim in changes else place_of(e, desc, op, dim) for dim in (-1, -2))
        sizes = [e.emit("OpISub", e.i32, size, e.number(1)) for size in (desc.width, desc.height, desc.pitch) if size is not None]
        base = e.emit("OpConvertPtrToU", e.i64, desc.buffer.pointer)
        block = [e.number(n) for n in (width, height, desc.type.array_length)]
        pointer, params = e.type.pointer("Function", e.i32), [e.i64, *[e.i32] * 8]
        create = e.module.import_function(CREATE, pointer, params)
        e.kept_headers[op] = Header(e.emit("OpFunctionCall", pointer, create, base, *sizes, x, y, *block), changes)


def _prefetches(e: Emitter, loop: scf.For) -> Iterator[xegpu.PrefetchNd]:
    """Those without hints, of blocks of bytes or more in an array that is known before the loop."""
    for op in loop.find(xegpu.PrefetchNd):
        if op in e.kept_headers or not e.is_written(op.desc):
            continue
        type = op.desc.type
        if len(type.shape) == 2 and type.element.bits >= 8 and not any(hint in op.attributes for hint in _HINTS):
            yield op


def _terms(op: xegpu.PrefetchNd, desc: NdDesc, dim: int) -> list[Value]:
    """What is added up to a coordinate."""
    return [v for given in (op.offsets, desc.origin) if len(given) >= -dim and (v := given[dim]) is not None]


@emits(xegpu.PrefetchNd)
def emit_prefetch_nd(e: Emitter, op: xegpu.PrefetchNd) -> None:
    """A block to the caches; one dimension has no such message, and a prefetch may be left out."""
    desc: NdDesc = e[op.desc]
    header = e.kept_headers.get(op)
    if len(desc.type.shape) != 2:
        return
    if header is None:
        send(e, op, "Prefetch", desc, "prefetch")
        return
    pointer, void = e.type.pointer("Function", e.i32), e.type.void
    call = partial(e.emit, "OpFunctionCall", void)
    for dim in header.changes:
        name = SET.format("X" if dim == -1 else "Y")
        call(e.module.import_function(name, void, [pointer, e.i32]), header.pointer, place_of(e, desc, op, dim))
    height, width = desc.type.shape
    name = PREFETCH.format(desc.type.element.bits, height, width, desc.type.array_length)
    call(e.module.import_function(name, void, [pointer, *[e.i32] * 3]), header.pointer, *map(e.number, (0, 0, _CACHED)))
