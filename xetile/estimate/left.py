"""What a kernel with products needs in the order that IGC (2.40.14) gives out registers for.

`CodeScheduling` leaves a block as it is emitted where it counts registers enough. It counts values alone: a message's header is an address to
it, and becomes a register of its own behind it. A block that it finds too full it orders greedily, and keeps that where it is less.
"""

from __future__ import annotations

from xetile.dialects import arith, gpu
from xetile.estimate.counted import is_undercounted
from xetile.estimate.emitted import as_emitted
from xetile.estimate.greedy import greedily
from xetile.estimate.orders import schedule
from xetile.estimate.parts import Atom
from xetile.estimate.pressure import Peak, Walk
from xetile.estimate.storage import REORDERS_WITHIN, Storage, storage_of
from xetile.ir.core import Block, Elementwise, Op
from xetile.target import Target

FREED = 2
"""Registers by which a kernel may need more than there are, by this count, and spill nothing: IGC rematerializes some numbers. Of three that
need 257 or 258 one spills 1 KB; all five that need more do.
"""
RESERVED = 5
"""Registers that IGC counts in each block beside values (`ReservedRegisters`)."""


def left_bytes(kernel: gpu.GpuFunc, target: Target, registers: int, need: float) -> float:
    """Bytes that a kernel with products and block messages needs so, in a mode of so many registers. Each header takes a register.

    need: what some order of its code needs. Of arithmetic between messages and products IGC sees more steps than there are ops, and it moves
    no messages across assembly: where a block with such is too full, its order is not known, and `need` is taken.
    """
    walk = _Left(storage_of(kernel, target, taken=True), registers)
    left = _with_headers(walk.block(kernel.body, frozenset(), 0), target)
    room = (registers - target.grf_overhead) * target.grf_bytes
    if room < left <= room + FREED * target.grf_bytes:
        left = room
    return left if walk.is_sure else need


def expected_bytes(kernel: gpu.GpuFunc, target: Target, registers: int) -> float:
    """The same, for who can choose more registers: blocks whose order is not known are counted as they are emitted."""
    walk = _Left(storage_of(kernel, target, taken=True), registers, unknown_as_emitted=True)
    return _with_headers(walk.block(kernel.body, frozenset(), 0), target)


def _with_headers(found: Peak, target: Target) -> float:
    """What lives at a place, each header in a register."""
    headers = [atom.bytes for atom in found.atoms if _is_header(atom)]
    return found.bytes + sum(max(0, target.grf_bytes - each) for each in headers)


class _Left(Walk):
    def __init__(self, storage: Storage, registers: int, unknown_as_emitted: bool = False) -> None:
        super().__init__(storage, 0, eager=False)
        self.is_sure = True
        self.unknown_as_emitted = unknown_as_emitted
        self.fits = (registers - REORDERS_WITHIN - RESERVED) * storage.grf_bytes

    def block(self, block: Block, outer: frozenset[Atom], around: float) -> Peak:
        if block not in self.storage.with_products:
            return super().block(block, outer, around)
        if is_undercounted(block, self.storage, around):
            self.is_sure = False
            return self._peak(block, schedule, outer, around)
        emitted = self._peak(block, as_emitted, outer, around)
        headers = sum([atom.bytes for atom in (*outer, *emitted.atoms) if _is_header(atom)])
        if around + emitted.bytes - headers < self.fits:
            return emitted
        if any(map(self._works_out, block.ops)):
            self.is_sure = False
            return emitted if self.unknown_as_emitted else super().block(block, outer, around)
        return min(emitted, self._peak(block, greedily, outer, around), key=lambda peak: peak.bytes)

    def _works_out(self, op: Op) -> bool:
        """Whether an op computes registers; not the signs of a message's numbers."""
        if not isinstance(op, Elementwise) or isinstance(op, arith.NegF):
            return bool(op.regions)
        return sum([atom.bytes for atom in self.storage.makes[op]]) >= self.storage.grf_bytes


def _is_header(atom: Atom) -> bool:
    """Whether an atom is the header of a block message, or a descriptor, which is one."""
    return not atom.dtype and atom.bytes > 0


__all__ = ["expected_bytes", "left_bytes"]
