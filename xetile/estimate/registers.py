"""The registers of a kernel at lane level: what fits, what IGC takes, and what holds most."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from xetile.dialects import gpu, xegpu
from xetile.dialects.types import MemRefType
from xetile.errors import Location
from xetile.estimate import pressure
from xetile.estimate.emitted import emits_late
from xetile.estimate.left import left_bytes
from xetile.estimate.pressure import Peak, peak
from xetile.estimate.record import Held
from xetile.estimate.sections import saved
from xetile.estimate.storage import REORDERS_WITHIN, Atom, Storage, storage_of
from xetile.ir.core import Block, Op
from xetile.target import Target

SHARED_MEMORY = 3
"""The memory space of a workgroup."""
EASY = 0.75
"""The share of the registers up to which IGC fits what lives, in whatever order it comes."""
EARLY = 0.75
"""How far IGC goes from an order that needs least to one in which all loads come as early as the registers allow: in the middle of those
kernels of the tests for which the two differ.
"""
CLOSE = 0.85
"""The share of the smallest mode's registers below which how IGC orders what lives is no matter."""
REMADE = 1 / 4
"""The share of the registers that IGC frees, at most, by rematerializing cheap numbers."""
SINKS_BEYOND = 30
"""Registers by which loops must need more than there are until IGC (2.40.14) computes in them again what it had moved before them
(`LoopSinkThresholdDelta`).
"""
SAVES_BEYOND = 110 / 128
"""The share of the registers beyond which IGC orders a block to save registers (`PRESSURE_REDUCTION_THRESHOLD`)."""
SLACK = 5
"""Registers by which products whose operands lanes load may need more than there are, by the estimate, and spill nothing: IGC packs some
of the words. Of kernels for DG2 that need 257 to 261 none spills.
"""


def least_bytes(kernel: gpu.GpuFunc, target: Target) -> int:
    """Bytes of values of a subgroup that no tried order of the code goes below.

    The order as written is left alone where it fits the smallest register mode: then nothing depends on the answer.
    """
    budget = target.smallest_grf
    storage = storage_of(kernel, target)
    found = 0.0 if _takes_by_lanes(storage, target) else peak(kernel.body, storage, budget).bytes  # nobody asks for it
    return round(needed(kernel, target, storage, found))


def needed(kernel: gpu.GpuFunc, target: Target, storage: Storage, found: float) -> float:
    """Bytes that the values of a kernel need where some order needs `found`, as IGC orders them.

    More where lanes load by themselves and no products are computed: IGC brings these loads together, and spills before it takes them
    apart; it leaves some registers free then.  Less where that is more than there is: it rematerializes sums for addresses
    where they are needed.  Of products whose operands lanes load: see `by_lanes`.  Beside products lanes' gathers stay where they are.
    """
    modes = sorted(target.grf_capacity(mode.registers) for mode in target.grf_modes)
    if not modes:
        return found
    largest = target.most_registers * target.grf_bytes
    if _takes_by_lanes(storage, target):
        size, room = by_lanes(kernel, target), largest - target.grf_overhead * target.grf_bytes
        return room if room < size <= room + SLACK * target.grf_bytes else size
    if storage.with_products and gathers(kernel) and gathers_memory(kernel, target):
        between = _between_products(kernel, target, largest)
        found = max(found, between) if between > largest - target.grf_overhead * target.grf_bytes else found
    if found <= modes[0] * CLOSE:
        return found
    loaded = not storage.with_products and gathers(kernel)
    gathering = {op.parent for op in kernel.find(xegpu.Load) if op.parent is not None}

    def need(remade: bool) -> float:
        if loaded:
            loads = storage_of(kernel, target, words=True, remade=remade)
            return peak(kernel.body, loads, inf, eager=found > modes[0], only=gathering).bytes
        return peak(kernel.body, storage_of(kernel, target, remade=True), 0).bytes if remade else found

    size = max(found, need(remade=False))
    if size > modes[-1]:
        size = _rematerializing(need(remade=True), found, largest)
    if size > modes[-1] and not storage.with_products:
        size += (target.grf_reserve - target.grf_overhead) * target.grf_bytes
    return size


def scheduled(kernel: gpu.GpuFunc, target: Target, registers: int, need: float) -> float:
    """Bytes that a kernel needs in the order that IGC gives out registers for, where some order needs `need`.

    Asked only where that may matter, and of no kernel whose loads of lanes come together: these are counted in `need`.
    """
    storage = storage_of(kernel, target)
    if not (storage.packs and storage.with_products) or _most(kernel, storage) <= EASY * registers * target.grf_bytes:
        return need
    left = left_bytes(kernel, target, registers, need)
    return max(need, left) if gathers_memory(kernel, target) else left


def is_rematerialized(kernel: gpu.GpuFunc, target: Target) -> bool:
    """Whether a kernel for block messages fits the registers only if IGC rematerializes cheap numbers: it does so until little is left."""
    if target.block2d is None:
        return False
    # The least is no more than what the code takes as it is written, which is known by now.
    return _most(kernel, storage_of(kernel, target)) > target.largest_grf and least(kernel, target).bytes > target.largest_grf


def in_words(kernel: gpu.GpuFunc, target: Target) -> float:
    """Bytes that products take whose operands are loaded by lanes: narrow elements come in words, in the order as written."""
    return _most(kernel, storage_of(kernel, target, words=True))


def by_lanes(kernel: gpu.GpuFunc, target: Target) -> float:
    """Bytes that a kernel with products takes where all that they take is loaded by lanes: as written, or ordered to save registers.

    LLVM does not know of words: by what it counts IGC moves sums for places back into loops, where no later loop takes the places too.
    """
    registers = target.most_registers
    most, packed = SAVES_BEYOND * registers * target.grf_bytes, storage_of(kernel, target)
    sinks = not packed.again and _most(kernel, packed) > (registers + SINKS_BEYOND) * target.grf_bytes
    if not sinks and (found := in_words(kernel, target)) <= most:  # in words it is no less
        return found
    return saved(kernel.body, storage_of(kernel, target, words=True, remade=sinks), most).bytes


def _takes_by_lanes(storage: Storage, target: Target) -> bool:
    """Whether there are products, all of whose operands lanes load: what they need is counted by `by_lanes` alone."""
    return bool(storage.with_products) and target.block2d is None


def _between_products(kernel: gpu.GpuFunc, target: Target, largest: float) -> float:
    """Bytes that gathers beside products need: IGC moves none over a product, so that those of a step's operands are under way together.
    0 where none is under way at the fullest place: other loads it moves.
    """
    found = saved(kernel.body, storage_of(kernel, target, words=True), SAVES_BEYOND * largest)
    return found.bytes if any(atom.made_by == xegpu.Load.opname for atom in found.atoms) else 0


def _most(kernel: gpu.GpuFunc, storage: Storage) -> float:
    return max(pressure.needs(kernel.body, storage).values(), default=0)


def gathers(kernel: gpu.GpuFunc) -> bool:
    """Whether lanes load by themselves."""
    return kernel.has(xegpu.Load)


def gathers_memory(kernel: gpu.GpuFunc, target: Target) -> bool:
    """Whether lanes load by themselves from arrays, each another element."""
    return any(
        (not isinstance(op.source.type, MemRefType) or op.source.type.space != SHARED_MEMORY)
        and not storage_of(kernel, target).varying.isdisjoint(op.operands)
        for op in kernel.find(xegpu.Load)
    )


def _rematerializing(remade: float, kept: float, capacity: float) -> float:
    """Bytes that are needed where IGC rematerializes cheap numbers in place of keeping them: that frees a share of the registers at most."""
    return max(remade, kept - capacity * REMADE)


def saving_orders(kernel: gpu.GpuFunc, target: Target) -> dict[Block, Sequence[Op]]:
    """For blocks that need more than a share of the smallest register mode: the order of their ops that needs least, of those tried."""
    budget = target.smallest_grf
    if not budget:
        return {}
    storage, whole = storage_of(kernel, target), inf
    if not _takes_by_lanes(storage, target):  # IGC orders what feeds these products by itself
        whole = (target.most_registers - target.grf_overhead) * target.grf_bytes
    return pressure.saving_orders(kernel.body, storage, budget * EASY, whole)


def fullness(kernel: gpu.GpuFunc, target: Target) -> dict[Block, float]:
    """How many times the largest register mode each block needs as it is written; nothing where there are no modes."""
    budget = target.largest_grf
    needs = pressure.needs(kernel.body, storage_of(kernel, target)) if budget else {}
    return {block: need / budget for block, need in needs.items()}


def ordered_bytes(kernel: gpu.GpuFunc, target: Target, registers: int, *, assembly: bool = False, ahead: float = 0) -> float:
    """Bytes that IGC takes in a mode of so many registers.

    It schedules a block to load early where that fits, leaves it alone where it fits as it is written, and saves registers
    otherwise.  `assembly`, `ahead`: see `peak`.
    """

    def taken_as(words: bool = False, remade: bool = False) -> float:
        storage = storage_of(kernel, target, taken=True, words=words, remade=remade)
        return peak(kernel.body, storage, budget, eager=True, assembly=assembly, ahead=ahead).bytes

    storage = storage_of(kernel, target)
    budget = (registers - target.grf_overhead) * target.grf_bytes
    if _takes_by_lanes(storage, target):
        return min(budget, by_lanes(kernel, target))
    # Gathers are under way together, and what they bring is packed behind them, where registers are left for that.
    loaded = gathers(kernel)
    taken = taken_as(words=loaded)
    if loaded and taken > budget:
        taken = max(budget, taken_as())
    if taken > budget:
        taken = _rematerializing(taken_as(remade=True), taken, registers * target.grf_bytes)
    return taken


def emitted_bytes(kernel: gpu.GpuFunc, target: Target, registers: int) -> float:
    """Bytes that a kernel with products takes in the order in which it is emitted, where that is another one and IGC leaves it; else 0."""
    storage = storage_of(kernel, target, taken=True)
    taken = peak(kernel.body, storage, inf, ahead=target.largest_grf).bytes if emits_late(storage) else 0
    return taken if taken <= (registers - REORDERS_WITHIN) * target.grf_bytes else 0


def least(kernel: gpu.GpuFunc, target: Target) -> Peak:
    """The fullest place of the order that needs least, of those tried; of products whose operands lanes load as written: see `by_lanes`."""
    storage = storage_of(kernel, target)
    return peak(kernel.body, storage, inf if _takes_by_lanes(storage, target) else 0)


def held(found: Peak, kernel: gpu.GpuFunc, storage: Storage) -> tuple[Held, ...]:
    """What lives at a place, by the expression that makes it, largest first."""
    until = _last_uses(kernel, storage)
    groups: dict[Location | None, list[Atom]] = {}
    for atom in found.atoms:
        groups.setdefault(atom.at, []).append(atom)
    rows = [
        Held(sum(a.bytes for a in atoms) / storage.grf_bytes, len(atoms), largest.made_by, largest.dtype, at, until.get(largest))
        for at, atoms in groups.items()
        for largest in [max(atoms, key=lambda a: a.bytes)]
    ]
    return tuple(sorted(rows, key=lambda row: -row.registers))


def _last_uses(kernel: gpu.GpuFunc, storage: Storage) -> dict[Atom, Location | None]:
    found: dict[Atom, Location | None] = {}
    for op in kernel.walk():
        for atom in storage.atoms(op.operands):
            found[atom] = op.loc
    return found
