"""Which loops have the same buffers in shared local memory: those of which one ends before the other begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

from xetile.dialects import gpu, scf
from xetile.dialects.types import MemRefType
from xetile.ir.core import Value
from xetile.ir.interfaces import enclosing
from xetile.ir.rewriter import Rewriter
from xetile.passes.common.slm import bytes_of
from xetile.passes.workgroup.loops.staging import StagedOperand
from xetile.records import dataclass


@dataclass
class _Buffer:
    """Memory of a type, and the loops that have it, in the order in which they run."""

    kind: MemRefType
    loops: list[scf.For] = field(default_factory=list)
    value: Value | None = None


class SharedBuffers:
    """Buffers of loops, which are asked about in the order in which they stand.

    left    bytes that are free.
    total   bytes that buffers of their own would take: only where these are too many does any serve several loops, behind a barrier.
    """

    def __init__(self, left: int, total: int) -> None:
        self.left = left
        self._scarce = total > left
        self._buffers: list[_Buffer] = []
        self._of: dict[scf.For, list[_Buffer]] = {}

    def needs(self, loop: scf.For, staged: Sequence[StagedOperand]) -> int:
        """Bytes that a loop's operands take beside the buffers that other loops leave to them."""
        return sum(bytes_of(found.kind) for found in self._find(loop, staged) if not found.loops)

    def take(self, loop: scf.For, staged: Sequence[StagedOperand]) -> None:
        """Give a loop buffers for its operands."""
        found = self._find(loop, staged)
        for buffer in found:
            if not buffer.loops:
                self._buffers.append(buffer)
                self.left -= bytes_of(buffer.kind)
            buffer.loops.append(loop)
        self._of[loop] = found

    def had(self, loop: scf.For) -> bool:
        """Whether another loop has had one of a loop's buffers, so that a subgroup may still read from it."""
        return any(buffer.loops[0] is not loop for buffer in self._of[loop])

    def make(self, loop: scf.For) -> list[Value]:
        """A loop's buffers, in front of the first loop that has each."""
        return [self._made(buffer) for buffer in self._of[loop]]

    def _made(self, buffer: _Buffer) -> Value:
        if buffer.value is None:
            build, first = Rewriter(), buffer.loops[0]
            place = first if len(buffer.loops) == 1 else [first, *enclosing(first)][-2]
            with build.before(place):
                buffer.value = build(gpu.Alloca, result=buffer.kind)
        return buffer.value

    def _find(self, loop: scf.For, staged: Sequence[StagedOperand]) -> list[_Buffer]:
        found: list[_Buffer] = []
        for operand in staged:
            others = self._buffers if self._scarce else ()
            free = (b for b in others if b.kind == operand.memory and b not in found and _ended(b.loops, loop))
            found.append(next(free, None) or _Buffer(operand.memory))
        return found


def _ended(others: Sequence[Any], loop: scf.For) -> bool:
    """Whether none of the loops is around another one."""
    around = set(enclosing(loop))
    return not any(other in around or loop in enclosing(other) for other in others)


__all__ = ["SharedBuffers"]
