"""Which loads of a loop have message headers of their own, on targets whose messages add no constants to coordinates.

IGC (2.40.14) keeps one header for the loads of one array in blocks of one shape. For each of them but the first it copies that header,
changes the copy, and waits until the message has read it: five to eight instructions in each iteration. A header that stays takes a register
and one or two moves, and none where all that changes is what loads have in common.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import reduce
from itertools import islice
from typing import NamedTuple

from xetile.dialects import math, scf, xegpu
from xetile.dialects.affine import Affine, affine_of
from xetile.dialects.gpu import GpuFunc, GpuModule
from xetile.estimate.headers import kept_headers
from xetile.estimate.pressure import needs
from xetile.estimate.storage import Storage, storage_of
from xetile.ir import analyses
from xetile.ir.core import Op, of_kind
from xetile.ir.interfaces import enclosing, op_around
from xetile.passes.analysis.recurrences import is_invariant
from xetile.target import Target

MOST = 31
"""Headers of a surface: the SPIR-V writer tells them apart by a shift of a word."""
SHARE = 1 / 4
"""The part of the registers left that headers of single loads take: IGC takes more than values need as they are written."""
SHARE_OF_SUMS = 3 / 8
"""The same in loops that do nothing with products but to sum them up, or multiples of them, unless most loads are numbered by place."""
LEAST, LEAST_BESIDE_WORK = 8, 32
"""The registers left from which on they take any: as many as a message brings, which IGC has on the way besides. Where more is worked out than
sums of products IGC takes up to 18 more than values need: they lie in single registers between blocks of eight (gradients of attention with
dropout: 448 bytes spilled; by scores: 1,152).
"""
FULL = 0.93
"""The share of the registers that values and headers by place take at most in such loops (attention with slopes: 768 bytes spilled)."""
FULL_OF_WIDE = 0.9
"""The same in loops of kernels with indices of 64 bits, which lie in pairs of registers: single ones stay between them (attention of packed
sequences, whose rows are scattered: 320 bytes spilled). Their loads have no numbers of their own beside other work than sums.
"""
RANK = 2


def keep_headers(module: GpuModule, target: Target) -> GpuModule:
    """Number loads of loops (`xegpu.HEADER`) in kernels with matrix products: loads of a surface with other numbers have other headers.

    Before and after: xegpu at lane level, with the register mode. A loop's loads at places that differ by constants are numbered by these
    places where registers are left for that. In innermost loops with products each load has a number of its own instead, or as many of them
    as a share of these registers, where that makes as many numbers.
    """
    kernel = module.kernel
    if target.block2d is None or target.block_offsets or not kernel.has(xegpu.Dpas):
        return module
    numbers = _by_place(kernel, target)
    loops = {loop: further for loop in kernel.walk() if loop.repeats for further in [_further_loads(loop)] if further}
    if loops:
        _number_each(kernel, target, loops, numbers)
    for op, number in numbers.items():
        op.attributes[xegpu.HEADER] = number
    if numbers:
        for storage in analyses.known(Storage, kernel):
            storage.count_headers(kernel)
    return module


class _Load(NamedTuple):
    """A load. `place`: the constants that are added to its rows and columns; `moving`: those that are added to something, others 0."""

    op: xegpu.LoadNd
    place: tuple[int, ...]
    moving: tuple[int, ...]


def _by_place(kernel: GpuFunc, target: Target) -> dict[Op, int]:
    """The loads of loops by one descriptor whose places differ by constants, with a number for each place.

    Headers of other columns or rows that stay IGC keeps anyway. None are numbered in a branch: iterations that skip it need no header.
    Nor where IGC must put loads in another order than they are written in, and other work stands between the products: it moves loads down
    until all else fits, and keeps the headers. Nor in loops that are tight.
    """
    registers: int = kernel.attributes["grf"]
    capacity = target.grf_capacity(registers)
    left = (capacity - kernel.attributes["live_bytes"]) // target.grf_bytes
    written = max(needs(kernel.body, storage_of(kernel, target)).values())
    full = FULL if kernel.index_bits == 32 else FULL_OF_WIDE
    beside_work = min(left, full * registers - target.grf_overhead - written / target.grf_bytes)
    found, taken = dict[Op, int](), dict[Op, int]()
    for loads in _streams(kernel).values():
        loops = [around for around in enclosing(loads[0].op) if around.repeats]
        if _is_tight(loops[0]) or (written > capacity and not xegpu.only_sums(loops[0])):
            continue
        places = {moving: n for n, moving in enumerate(dict.fromkeys(load.moving for load in loads))}
        kept = {tuple(a - b for a, b in zip(load.place, load.moving)) for load in loads}
        more = len({load.place for load in loads}) - len(kept)
        room = left if xegpu.only_sums(loops[0]) else beside_work
        if len(places) - 1 <= MOST and taken.setdefault(loops[-1], 0) + more <= room:
            taken[loops[-1]] += more
            found.update((load.op, places[load.moving]) for load in loads if places[load.moving])
    return found


def _is_tight(loop: Op) -> bool:
    """Whether all in a loop stands in an order that just fits, which IGC makes no better across assembly: long messages need registers side
    by side, and single ones that are taken between them make it spill.
    """
    return scf.ORDERED in loop.attributes and any(
        isinstance(op, (math.Exp, math.Exp2)) for region in loop.regions for op in region.ops
    )


def _streams(kernel: GpuFunc) -> dict[Hashable, list[_Load]]:
    """The loads of loops that have one descriptor, and places in which the same is added to constants."""
    found: dict[Hashable, list[_Load]] = {}
    for op in kernel.find(xegpu.LoadNd):
        loop = op_around(op)
        if not isinstance(loop, scf.For) or len(op.desc.type.shape) != RANK:
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


def _further_loads(loop: Op) -> dict[Op, int]:
    """Loads of an innermost loop with products by descriptors made before it, each with how many before it move blocks of the same surface;
    not the first of a surface.

    Others go around a few times only, and headers are made before them.
    """
    inside = [op for region in loop.regions for op in region.walk()]
    if _is_tight(loop) or any(op.repeats for op in inside) or not of_kind(inside, xegpu.Dpas):
        return {}
    made, seen, found = set(inside), dict[xegpu.Surface, int](), dict[Op, int]()
    for op in of_kind(inside, xegpu.LoadNd):
        surface = xegpu.surface_of(op) if op.desc.op not in made else None
        if surface is not None:
            found[op] = seen[surface] = seen.get(surface, -1) + 1
    return {op: number for op, number in found.items() if 0 < number <= MOST}


def _number_each(kernel: GpuFunc, target: Target, loops: dict[Op, dict[Op, int]], numbers: dict[Op, int]) -> None:
    """Give loads of loops numbers of their own in place of those by place, where registers are left for as many."""
    registers: int = kernel.attributes["grf"]
    taken = max(needs(kernel.body, storage_of(kernel, target)).values())
    taken -= max([0, *map(len, kept_headers(kernel).values())]) * target.block_payload_bytes  # numbers replace these
    left = registers - target.grf_overhead - taken / target.grf_bytes
    for loop, further in loops.items():
        placed = [op for region in loop.regions for op in region.walk() if op in numbers]
        least = LEAST if xegpu.only_sums(loop) else LEAST_BESIDE_WORK
        enough = left >= least and (kernel.index_bits == 32 or xegpu.only_sums(loop))
        own, most = (round(left * share) if enough else 0 for share in (SHARE, SHARE_OF_SUMS))
        if xegpu.only_sums(loop) and 2 * len(placed) <= len(further):
            own = most
        if own > 0 and min(own, len(further)) >= len(placed):
            for op in placed:
                del numbers[op]
            numbers.update(islice(further.items(), own))
