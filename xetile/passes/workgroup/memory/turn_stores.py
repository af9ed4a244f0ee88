"""Transposes that are stored to column-major tiles are stored as what they are transposes of (seed 001, appendix 2.3, the other way)."""

from __future__ import annotations

from xetile.dialects import xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import VectorType
from xetile.ir import analyses
from xetile.ir.core import Elementwise, Op, Value, type_of
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.alias_classes import AliasClasses
from xetile.passes.common.unused import erase_unused
from xetile.passes.workgroup.memory.fold_transposes import accessed, transpose_all
from xetile.passes.workgroup.memory.reload_transposes import Transposed, can_be_transposed, is_line, is_number
from xetile.target import Target


def turn_stores(module: GpuModule, target: Target) -> GpuModule:
    """Exchange rows and columns of column-major tiles, and of what is stored to them.

    Before and after: xetile at workgroup level. A tile is turned only where all that is done with it is to store transposes, or what is
    worked out of them element by element, and where the user mapped none of that.
    """
    if not module.has(xetile.TileTranspose):
        return module
    classes = analyses.get(AliasClasses, module)
    rewrite = Rewriter()
    transposed = Transposed(rewrite)
    for root, accesses in accessed(module, classes).items():
        if accesses and _may_turn(root) and all(map(_stores_turned, accesses)):
            transpose_all(module, classes, root)
            for store in accesses:
                value = store.operands[0]
                rewrite.set_operand(store, 0, transposed.get(value))
                erase_unused((value,), rewrite)
    return module


def _may_turn(root: Value) -> bool:
    tile = type_of(root, xetile.TileType)
    return tile.is_block and not tile.inner_blocks and tile.wg_map is None and tile.order == (0, 1)


def _stores_turned(op: Op) -> bool:
    return isinstance(op, xetile.StoreTile) and "inst_data" not in op.attributes and _comes_turned(op.value)


def _comes_turned(value: Value) -> bool:
    """Whether a value that nothing else takes is a transpose, or worked out of such, of numbers, and of rows and columns that are spread."""
    op = value.op
    if isinstance(op, xetile.TileTranspose):
        return op.wg_map is None
    if not isinstance(op, Elementwise) or not value.has_one_use or not can_be_transposed(op):
        return False
    taken = [v for v in op.operands if isinstance(v.type, VectorType) and not is_number(v) and not _is_spread(v)]
    return bool(taken) and all(map(_comes_turned, taken))


def _is_spread(value: Value) -> bool:
    return isinstance(value.op, xetile.TileBroadcast) and is_line(value.op.source) and can_be_transposed(value.op)
