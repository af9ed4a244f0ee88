"""Block messages of one array whose coordinates are 0 in one message and known at run time only in another.

IGC (2.40.14) keeps the header of messages with blocks of one shape in a register. A coordinate that it knows it writes there once,
before the loop; those that it does not know, where they are needed. The header that begins with 0 serves both kinds, so in the second
iteration a message at 0 finds there what another one has left.
"""

from __future__ import annotations

from typing import Any

from xetile.dialects import gpu, xegpu
from xetile.dialects.arith import constant_of
from xetile.ir.core import Op, Value

Key = tuple[Value, tuple[int, ...], int, int]

_MESSAGES = (xegpu.LoadNd, xegpu.StoreNd, xegpu.PrefetchNd)


class Headers:
    """Which coordinates of an array's blocks of one shape change at run time."""

    def __init__(self, kernel: Op) -> None:
        changing, zeros = set[Key](), list[tuple[Op, int]]()
        for op in kernel.walk():
            if isinstance(op, _MESSAGES) and isinstance(op.desc.op, xegpu.CreateNdTdesc):
                for dim in (-2, -1):
                    known = [constant_of(v) for v in _terms(op, dim)]
                    if None in known:
                        changing.add(_key(op, dim))
                    elif sum(known) == 0:
                        zeros.append((op, dim))
        self._hidden = {(op, dim) for op, dim in zeros if _key(op, dim) in changing}

    def hides(self, op: Op, dim: int) -> bool:
        """Whether a message's coordinate, the last (-1) or the one before it, must be a 0 that the compiler cannot know."""
        return (op, dim) in self._hidden


def _terms(op: Any, dim: int) -> list[Value]:
    """What is added up to a coordinate: an offset of the message, and one of its descriptor."""
    return [offsets[dim] for offsets in (op.offsets, op.desc.op.offsets) if len(offsets) >= -dim]


def _key(op: Any, dim: int) -> Key:
    array, kind = op.desc.op.source, op.desc.type
    while isinstance(array.op, gpu.ElementCast):
        array = array.op.source
    return array, kind.shape, kind.array_length, dim
