"""Registers over the program: how many live behind each op of a kernel at lane level, in the order that it is written in."""

from __future__ import annotations

from collections.abc import Iterator

from xetile.dialects.gpu import GpuFunc
from xetile.errors import Location
from xetile.estimate.storage import Atom, Storage, storage_of
from xetile.ir.core import Block, Op
from xetile.records import dataclass
from xetile.target import Target


@dataclass(frozen=True)
class Step:
    """An op: what it is, where it comes from, how many loops and branches it is in, and the registers that live behind it."""

    op: str
    at: Location | None
    depth: int
    registers: float


def over_program(kernel: GpuFunc, target: Target) -> tuple[Step, ...]:
    """The steps of a kernel at lane level, ops inside of loops once.  IGC orders blocks again, so its own peaks lie elsewhere.

    Empty where registers are the matter of the target's compiler (CPUs).
    """
    if not target.grf_bytes:
        return ()
    storage = storage_of(kernel, target)
    overhead = target.grf_overhead
    return tuple(
        Step(op.opname, op.loc, depth, overhead + size / target.grf_bytes)
        for op, depth, size in _walk(kernel.body, storage, 0, 0.0)
    )


def _walk(block: Block, storage: Storage, depth: int, around: float) -> Iterator[tuple[Op, int, float]]:
    """Ops of a block with the bytes that live behind them; `around` live from before to behind the block."""
    ends: dict[int, list[Atom]] = {}
    last: dict[Atom, int] = {}
    for place, op in enumerate(block.ops):
        for inner in op.walk() if op.regions else (op,):
            last.update((atom, place) for atom in storage.atoms(inner.operands))
    for atom, place in last.items():
        ends.setdefault(place, []).append(atom)
    # What comes from outside of the block is in `around`.
    live = {atom for atom in storage.atoms(block.args) if atom in last}
    size = sum(atom.bytes for atom in live)
    for place, op in enumerate(block.ops):
        for region in op.regions:
            yield from _walk(region, storage, depth + 1, around + size)
        for atom in ends.get(place, ()):
            if atom in live:
                live.discard(atom)
                size -= atom.bytes
        for atom in storage.atoms(op.results):
            if atom not in live and last.get(atom, -1) > place:
                live.add(atom)
                size += atom.bytes
        yield op, depth, around + size
