"""Prefetches side by side become one: a part of the subgroups brings each tile, and every subgroup sends fewer messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from xetile.dialects import xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import I1, element_of
from xetile.ir import analyses
from xetile.ir.core import Block, Op, Value
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.alias_classes import AliasClasses
from xetile.target import Target

TOGETHER = 2
"""Tiles of one op: more parts would have fewer subgroups each, and need more messages for it than they save."""


def join_prefetches(module: GpuModule, target: Target) -> GpuModule:
    """Let prefetches that follow each other be one `prefetch_tiles`, in loops and before them.

    Before and after: xetile at workgroup level without layouts. Joined are tiles that 2D block messages reach, whose elements have the
    same size and whose hints are the same; maps of the user stay. Whether it saves messages, infer_layouts sees, which knows the number
    of subgroups, and takes what does not apart again.
    """
    if target.block2d is None:
        return module
    legal = _Legal(module)
    for block in [region for op in module.walk() for region in op.regions]:
        for first, second in _pairs(block, legal):
            rewrite = Rewriter()
            with rewrite.before(second), rewrite.located(first.loc):
                rewrite.op(xetile.PrefetchTiles, [first.tile, second.tile], **first.attributes)
            rewrite.erase(first)
            rewrite.erase(second)
    return module


class _Legal:
    """Which tiles block messages reach, for all that is known here."""

    def __init__(self, module: GpuModule) -> None:
        kernel = module.kernel
        self._bases = {a for a, name in kernel.arrays.items() if name not in kernel.scattered}
        self._classes = analyses.get(AliasClasses, module)
        self._made: dict[Value, list[Any]] = {}
        for op in module.find(xetile.InitTile):
            self._made.setdefault(self._classes.root(op.result), []).append(op)

    def __call__(self, tile: Value) -> bool:
        kind: Any = tile.type
        made = self._made.get(self._classes.root(tile), [])
        plain = kind.is_block and kind.wg_map is None and kind.element is not I1
        return plain and bool(made) and all(op.base in self._bases for op in made)

    def apart(self, one: Value, other: Value) -> bool:
        """Whether they are no tiles of one stream, which the same subgroups bring in each iteration."""
        return self._classes.root(one) is not self._classes.root(other)


def _pairs(block: Block, legal: _Legal) -> Iterator[tuple[Any, Any]]:
    """Prefetches of a block with nothing between them that can be seen."""
    waiting: Any = None
    for op in list(block.ops):
        if not isinstance(op, xetile.PrefetchTile):
            waiting = waiting if op.pure else None
        elif not legal(op.tile):
            waiting = None
        elif waiting is not None and _alike(waiting, op) and legal.apart(waiting.tile, op.tile):
            yield waiting, op
            waiting = None
        else:
            waiting = op


def _alike(one: Op, other: Op) -> bool:
    """Whether one message may bring either tile, as far as elements and hints go."""
    bits = {element_of(op.operands[0].type).bits for op in (one, other)}
    return len(bits) == TOGETHER - 1 and one.attributes == other.attributes


__all__ = ["TOGETHER", "join_prefetches"]
