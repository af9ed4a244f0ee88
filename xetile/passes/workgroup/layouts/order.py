"""Order of accesses to global memory: a kernel reads as if its ops ran one after the other, its subgroups run by themselves.

A barrier is needed where a subgroup may read what another one has yet to write, or write what another one has yet to read: when
an array is both read and written, by tiles that subgroups do not distribute alike. Shared local memory is the user's to order.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from xetile.dialects import arith, xetile
from xetile.dialects.gpu import GpuFunc
from xetile.dialects.rows import LoadRows, StoreRows
from xetile.ir import analyses
from xetile.ir.core import Op, Value
from xetile.passes.analysis.alias_classes import AliasClasses
from xetile.passes.analysis.block_access import known
from xetile.passes.analysis.owners import is_shared, shares
from xetile.passes.common.barriers import Access, Barriers


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
    mixed = {base for base, used in kinds.items() if len(used) > 1}
    if mixed:
        parts = _Parts(kernel, subgroups)
        accesses = {op: [Access(base, _kind(op), parts.of(op))] for op, base in bases.items() if base in mixed}
        Barriers(kernel, lambda op: accesses.get(op, ()), _conflict, strict=False, fence=True).block(kernel.body)


def _memory(op: Any) -> Any:
    """What an op accesses: a tile, or an array by rows."""
    return op.base if isinstance(op, (LoadRows, StoreRows)) else op.tile


def _kind(op: Op) -> str:
    return "atomic" if op.reads and op.writes else "read" if op.reads else "write"


def _conflict(one: Access, other: Access) -> bool:
    if one.base is not other.base or one.kind == other.kind:
        return False
    return one.part is None or one.part != other.part


def _bases(kernel: GpuFunc, accesses: Iterable[Any]) -> dict[Op, Value]:
    """The array that each access is to: behind its tile, or the one accessed by rows."""
    classes = analyses.get(AliasClasses, kernel)
    of_root = {classes.root(op.result): op.base for op in kernel.find(xetile.InitTile)}
    return {op: op.base if isinstance(op, (LoadRows, StoreRows)) else of_root[classes.root(op.tile)] for op in accesses}


class _Parts:
    """Names for what a subgroup touches: accesses of one name touch, in each subgroup, the same elements or different ones."""

    def __init__(self, kernel: GpuFunc, subgroups: int) -> None:
        self._classes = analyses.get(AliasClasses, kernel)
        self._subgroups = subgroups
        self._moved: dict[Value, bool] = {}
        self._starts: dict[Value, list[Any]] = {}
        for start in kernel.find(xetile.InitTile):
            self._starts.setdefault(self._classes.root(start.result), []).append(start)
        for op in kernel.find(xetile.UpdateTileOffset):
            root = self._classes.root(op.result)
            self._moved[root] = self._moved.get(root, True) and _by_whole_tiles(op)

    def of(self, op: Any) -> Any:
        """The name of an access; None where nothing is known."""
        if isinstance(op, (LoadRows, StoreRows)):
            return None
        tile = op.tile.type
        root = self._classes.root(op.tile)
        starts = self._starts.get(root, [])
        held = shares(tile.wg_map, tile.shape)
        if tile.scatter or is_shared(held, self._subgroups) or len(starts) != 1 or not self._moved.get(root, True):
            return None
        if root in self._moved:
            return root, held
        start = starts[0]
        return tuple(map(known, start.operands)), tile.order, held


def _by_whole_tiles(op: Any) -> bool:
    """Whether a tile moves so that it overlaps with itself wholly or not at all."""
    steps = [arith.constant_of(v) for v in op.offsets]
    return len(steps) == 2 and all(isinstance(s, int) and s % n == 0 for s, n in zip(steps, op.tile.type.shape))
