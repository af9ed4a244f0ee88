"""Order of accesses to global memory: a kernel reads as if its ops ran one after the other, its subgroups run by themselves.

A barrier is needed where a subgroup may read what another one has yet to write, write what another one has yet to read, or write
what another one has yet to write before: when an array is written, and accessed by tiles that subgroups do not distribute alike.
Shared local memory is the user's to order.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from xetile.dialects import xetile
from xetile.dialects.gpu import GpuFunc
from xetile.dialects.rows import LoadRows, StoreRows
from xetile.ir import analyses
from xetile.ir.core import Op, Value
from xetile.passes.analysis.alias_classes import AliasClasses
from xetile.passes.analysis.overlaps import Overlaps
from xetile.passes.analysis.owners import Share, is_shared, shares
from xetile.passes.common.barriers import Access, Barriers
from xetile.records import dataclass


def order_accesses(kernel: Any) -> None:
    """Insert the barriers that accesses to global memory need in a laid-out kernel."""
    subgroups = kernel.attributes["num_subgroups"]
    found: list[Any] = [op for op in kernel.walk() if (op.reads or op.writes) and not _memory(op).type.space]
    if subgroups == 1 or not found:
        return
    bases = _bases(kernel, found)
    kinds: dict[Value, set[str]] = {}
    for op, base in bases.items():
        kinds.setdefault(base, set()).add(_kind(op))
    several = {base for base, used in kinds.items() if used != {"read"}}
    if several:
        parts = _Parts(kernel, subgroups)
        accesses = {op: [Access(base, _kind(op), parts.of(op))] for op, base in bases.items() if base in several}
        Barriers(kernel, lambda op: accesses.get(op, ()), parts.conflict, strict=False, fence=True).block(kernel.body)


def _memory(op: Any) -> Any:
    """What an op accesses: a tile, or an array by rows."""
    return op.base if isinstance(op, (LoadRows, StoreRows)) else op.tile


def _kind(op: Op) -> str:
    """What an op does; atomics of one kind change places with each other, but where somebody asks what was there before."""
    if isinstance(op, xetile.AtomicRmwTile):
        return op.kind if op.kind != "assign" and not op.result.uses else "update"
    return "read" if op.reads else "write"


def _bases(kernel: GpuFunc, accesses: Iterable[Any]) -> dict[Op, Value]:
    """The array that each access is to: behind its tile, or the one accessed by rows."""
    classes = analyses.get(AliasClasses, kernel)
    of_root = {classes.root(op.result): op.base for op in kernel.find(xetile.InitTile)}
    return {op: op.base if isinstance(op, (LoadRows, StoreRows)) else of_root[classes.root(op.tile)] for op in accesses}


@dataclass(frozen=True)
class Part:
    """What subgroups hold of a tile."""

    tile: Value
    held: tuple[Share, ...]


class _Parts:
    """What each subgroup touches."""

    def __init__(self, kernel: GpuFunc, subgroups: int) -> None:
        self._overlaps = Overlaps(kernel)
        self._subgroups = subgroups

    def of(self, op: Any) -> Part | None:
        """What an access touches; None where nothing is known."""
        if isinstance(op, (LoadRows, StoreRows)):
            return None
        return Part(op.tile, shares(op.tile.type.wg_map, op.tile.type.shape))

    def conflict(self, one: Access, other: Access) -> bool:
        """Whether the order of two accesses matters, and only a barrier keeps it."""
        if one.base is not other.base or (one.kind == other.kind and one.kind not in ("write", "update")):
            return False
        first, second = one.part, other.part
        found = self._overlaps.between(first.tile, second.tile) if first is not None and second is not None else ""
        if found != "alike" or first is None or second is None or first.held != second.held:
            return found != "apart"
        # Where several subgroups write the same, the last of them writes what was to be written last.
        return is_shared(first.held, self._subgroups) and {one.kind, other.kind} != {"write"}
