"""Loops whose carried numbers leave no registers for what is computed before them.

Where arithmetic takes what a loop carries, IGC (2.40.14) keeps its registers from the kernel's first instruction on, if it begins with
constants: these are moved to them one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, compress, count

from xetile.dialects import arith, gpu, scf
from xetile.dialects.types import VectorType
from xetile.estimate.pressure import lives, needs
from xetile.estimate.storage import placed, storage_of
from xetile.ir.core import Block, regions_of
from xetile.target import Target

FULL = 0.9
"""The share of the registers that is not left to what arithmetic holds between its operands and its results."""


def early_loops(kernel: gpu.GpuFunc, target: Target, registers: int) -> Iterator[scf.For]:
    """These loops, of a kernel at lane level in a mode of so many registers."""
    ends = max(
        (at for at, op in enumerate(kernel.body.ops, 1) if op.regions), default=0
    )  # nothing is found behind the last loop or branch
    yield from _Scan(kernel, target, registers).block(kernel.body, 0, ends)


class _Scan:
    def __init__(self, kernel: gpu.GpuFunc, target: Target, registers: int) -> None:
        self.storage = storage_of(kernel, target)
        self.capacity = target.grf_capacity(registers)
        self.needs = needs(kernel.body, self.storage)
        self.most = 0.0
        """Bytes that lived at one time so far, as the kernel is written."""

    def block(self, block: Block, around: float, ends: int | None = None) -> Iterator[scf.For]:
        """`around`: bytes that live from before to behind the block; `ends`: how many of its ops are looked at, if not all."""
        ops, storage = block.ops, self.storage
        grown = [around, *[0.0] * len(ops)]
        for atom, position, end in lives(ops[:ends], storage, dict(placed(ops, storage.needs))):
            grown[position + 1] += atom.bytes
            grown[end + 1] -= atom.bytes
        live = list(accumulate(grown))  # before the first op, then behind each
        seen = 0
        for position in compress(count(), map(regions_of, ops[:ends])):
            op = ops[position]
            self.most = max(self.most, *live[seen : position + 1])
            if isinstance(op, scf.For) and self.most + self._begun(op) > self.capacity * FULL:
                yield op
            if isinstance(op, scf.If):
                for region in op.regions:
                    yield from self.block(region, live[position])
            self.most = max(self.most, *[self.needs.get(region, 0) for region in op.regions])
            seen = position + 1
        self.most = max(self.most, *live[seen:])

    def _begun(self, op: scf.For) -> float:
        """Bytes of what begins with constants."""
        begun = [
            arg
            for arg, value in zip(op.body.args[1:], op.init, strict=True)
            if isinstance(value.op, arith.Constant) and isinstance(arg.type, VectorType)
        ]
        return sum(atom.bytes for atom in self.storage.atoms(begun))


__all__ = ["early_loops"]
