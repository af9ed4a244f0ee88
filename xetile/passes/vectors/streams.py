"""Stores past the caches, for arrays that do not fit them.

A store to a line that no cache has first reads the line from memory, so that writing costs twice; nontemporal stores write whole lines
alone. What is read soon after had better stay in a cache, so that small arrays, and those that the kernel itself reads, are written as
ever. Other cores see such stores after the next locked instruction or fence (Intel SDM volume 3, "Buffering of Write Combining Memory
Locations"): atomics are locked, and so is what a runtime counts finished workgroups by.
"""

from __future__ import annotations

from collections.abc import Sequence

from xetile.dialects import arith, memory, xetile
from xetile.dialects.types import MemRefType, ScalarType
from xetile.ir.core import Op, Value
from xetile.passes.analysis.alias_classes import AliasClasses
from xetile.passes.vectors.loops import Loops
from xetile.passes.vectors.numbers import Number, Truth
from xetile.passes.vectors.storage import memory_element

STREAM_ALIGNMENT = 16
"""Bytes of the least vector that such stores have, and of its alignment; allocators give no more to arrays."""
STREAMS = {"nontemporal": True}
LEAST_RUN = 512
"""Bytes of a row of a tile: the lines at its ends are written in two parts, each of which costs what a line does."""


def arrays_read(module: Op) -> set[Value]:
    """Arrays that a kernel may read elements of: by a tile, or in other ways than by tiles."""
    tiles = AliasClasses(module)

    def reads(op: Op) -> bool:
        if not isinstance(op, xetile.InitTile):
            return True
        return any(not isinstance(access, xetile.StoreTile) for access in tiles.accesses(op.result))

    return {v for op in module.walk() for v in op.operands if isinstance(v.type, MemRefType) and reads(op)}


def goes_past_caches(loops: Loops, memory_: Value, element: ScalarType, lines: Sequence[tuple[Number, Number]], start: Number,
                     least: int) -> Truth:  # fmt: skip
    """Whether rows of a tile, all inside of an array, are to be stored so.

    lines       the array's extents and strides, of which the last but one is that of rows.
    start       where the tile begins, in elements.
    least       bytes of an array that is large.
    """
    n, size = loops.numbers, memory_element(element).bits // 8
    elements: Number = 1
    for extent, _ in lines:
        elements = n.multiply(elements, extent)
    large = n.at_most(least // size, elements)
    if large is False:
        return False
    first = n.add(loops.build(memory.Address, memory_), n.multiply(start, size))
    return n.both(large, *(_is_aligned(loops, number) for number in (first, n.multiply(lines[-2][1], size))))


def _is_aligned(loops: Loops, number: Number) -> Truth:
    n = loops.numbers
    number = n.known(number)
    if isinstance(number, int):
        return number % STREAM_ALIGNMENT == 0
    return n.equal(loops.build(arith.RemUI, number, n.value(STREAM_ALIGNMENT)), 0)
