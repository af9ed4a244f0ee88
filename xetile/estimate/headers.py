"""The message headers that IGC (2.40.14) keeps through a loop, on targets whose messages add no constants to coordinates.

Loads of one array in blocks of one shape have one header, in which each sets its place. Where a coordinate does not change in the loop,
LLVM sets it before: each row or column that loads have so is one more header that stays (attention on pvc: one for each 8 columns of keys).
Each number that `keep_headers` gives to loads (`xegpu.HEADER`) is one more for each of these.
"""

from __future__ import annotations

from collections.abc import Hashable

from xetile.dialects import gpu, xegpu
from xetile.estimate.parts import Atom
from xetile.ir.core import Block, Op, Value
from xetile.ir.interfaces import loop_around


def kept_headers(kernel: gpu.GpuFunc) -> dict[Op, list[xegpu.LoadNd]]:
    """For each loop the loads that have a header beside those of descriptors, the first of each."""
    inside: dict[Op, set[Value]] = {}
    places: dict[Op, dict[Hashable, xegpu.LoadNd]] = {}
    for op in kernel.find(xegpu.LoadNd):
        loop = loop_around(op)
        if loop is None:
            continue
        if loop not in inside:
            inside[loop] = _made_in(loop)
        if op.desc in inside[loop]:
            continue
        place = (op.attributes.get(xegpu.HEADER, 0), *(None if value in inside[loop] else value for value in op.offsets))
        places.setdefault(loop, {}).setdefault((op.desc, place), op)
    return {loop: _further(found) for loop, found in places.items()}


def header_atoms(kernel: gpu.GpuFunc, size: int, register: int) -> dict[Block, dict[Atom, None]]:
    """For regions of loops the headers that are kept through them, of so many bytes each.

    A header begins a register. Where loads are numbered all else has its registers, so that nothing else fills the rest of these.
    """

    def bytes_of(op: xegpu.LoadNd) -> int:
        return register if xegpu.HEADER in op.attributes else size

    return {
        region: dict.fromkeys([Atom(bytes_of(op), "", op.opname, op.loc) for op in loads])
        for loop, loads in kept_headers(kernel).items()
        for region in loop.regions
    }


def _further(found: dict[Hashable, xegpu.LoadNd]) -> list[xegpu.LoadNd]:
    """All loads but the first of each descriptor, which has the descriptor's header."""
    seen: set[Value] = set()
    return [op for op in found.values() if op.desc in seen or seen.add(op.desc)]  # type: ignore[func-returns-value]


def _made_in(loop: Op) -> set[Value]:
    made: set[Value] = set()
    for region in loop.regions:
        made.update(region.args)
        for op in region.walk():
            made.update(op.results)
            for inner in op.regions:
                made.update(inner.args)
    return made
