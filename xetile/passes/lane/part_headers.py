"""Headers of block messages whose places differ by constants, on targets whose messages add none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from functools import reduce
from typing import NamedTuple

from xetile.dialects import scf, xegpu
from xetile.dialects.affine import Affine, affine_of
from xetile.dialects.gpu import GpuModule
from xetile.ir.core import Op
from xetile.ir.interfaces import enclosing
from xetile.passes.analysis.recurrences import is_invariant
from xetile.target import Target

MOST = 31
"""Headers of a descriptor: the SPIR-V writer tells them apart by a shift of a word."""
RANK = 2


class _Load(NamedTuple):
    """A load. `place`: the constants that are added to its rows and columns; `moving`: those that are added to something, others 0."""

    op: xegpu.LoadNd
    place: tuple[int, ...]
    moving: tuple[int, ...]


def part_headers(module: GpuModule, target: Target) -> GpuModule:
    """Number the loads of a loop by one descriptor whose places differ by constants: each number gets a header of its own.

    Before and after: xegpu at lane level, with its registers chosen. IGC keeps one header for such loads and copies it for each of them:
    two moves, and on PVC three more with a wait where a message still reads the register of the copy. One of its own takes one move, and a
    register throughout the loop: of those that are left. They are not counted as live: where IGC needs most registers it is as before.
    Loads in a branch stay as they are: rounds that skip it need no header.
    """
    if target.block2d is None or target.block_offsets:
        return module
    if not any(isinstance(op, xegpu.Dpas) for op in module.walk()):  # IGC gives their arithmetic more registers than are counted
        return module
    kernel, taken = module.kernel, Counter[Op]()
    room = (target.grf_capacity(kernel.attributes["grf"]) - kernel.attributes["live_bytes"]) // target.grf_bytes
    for loads in _streams(module).values():
        outermost = [around for around in enclosing(loads[0].op) if around.repeats][-1]
        numbers = {moving: n for n, moving in enumerate(dict.fromkeys(load.moving for load in loads))}
        kept = {tuple(a - b for a, b in zip(load.place, load.moving)) for load in loads}
        more = len({load.place for load in loads}) - len(kept)
        if len(numbers) - 1 > MOST or taken[outermost] + more > room:
            continue
        taken[outermost] += more
        for load in loads:
            if numbers[load.moving]:
                load.op.attributes[xegpu.HEADER] = numbers[load.moving]
    return module


def _streams(module: GpuModule) -> dict[Hashable, list[_Load]]:
    """The loads of loops that have one descriptor, and places in which the same is added to constants."""
    found: dict[Hashable, list[_Load]] = {}
    for op in module.walk():
        loop = op.parent.parent if op.parent is not None else None
        if not isinstance(op, xegpu.LoadNd) or not isinstance(loop, scf.For) or len(op.desc.type.shape) != RANK:
            continue
        sums = [_sum(op, dim) for dim in range(-RANK, 0)]
        moves = [not all(is_invariant(value, loop) for value in each.coefficients) for each in sums]
        if any(moves):
            place = tuple(each.constant for each in sums)
            moving = tuple(each.constant if moved else 0 for each, moved in zip(sums, moves))
            terms = tuple(frozenset(each.coefficients.items()) for each in sums)
            found.setdefault((loop, op.desc, terms), []).append(_Load(op, place, moving))
    return found


def _sum(op: xegpu.LoadNd, dim: int) -> Affine:
    """The row or column where a load begins: the offset of the load and that of its descriptor."""
    made = op.desc.op
    of_desc = made.offsets if isinstance(made, xegpu.CreateNdTdesc) else ()
    terms = [offsets[dim] for offsets in (op.offsets, of_desc) if len(offsets) >= -dim]
    return reduce(Affine.plus, map(affine_of, terms), Affine({}))
