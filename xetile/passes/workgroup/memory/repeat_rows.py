"""Gathers of rows of which several neighbours are the same: each is loaded once, and repeated in registers.

`xt.load_gather(xt.init_tile(W, rows[:, None] // 8 * W.shape[1] + columns))` has the row of words of eight rows of codes.
"""

from __future__ import annotations

from math import gcd

from xetile.dialects import gpu, vector, xetile
from xetile.dialects.types import VectorType
from xetile.ir import analyses
from xetile.ir.core import type_of
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.numbers import Numbers
from xetile.passes.analysis.products import is_for_second_operands
from xetile.passes.analysis.row_numbers import RowNumbers, every
from xetile.passes.common.unused import erase_unused
from xetile.target import Target


def repeat_rows(module: gpu.GpuModule, target: Target) -> gpu.GpuModule:
    """Gather different rows alone, where second operands are worked out of them, whose lanes hold whole columns.

    Before and after: xetile at workgroup level. Rows and masks are worked out of places, and as many neighbours are the same everywhere.
    """
    if target.block2d is None or not module.has(xetile.TileMma) or not module.has(xetile.LoadGather):
        return module
    rows = RowNumbers(analyses.get(Numbers, module.kernel))
    for op in module.find(xetile.LoadGather):
        made, kind = op.tile.op, type_of(op.value, VectorType)
        if not isinstance(made, xetile.InitTile) or isinstance(made.base.op, gpu.Alloca) or len(kind.shape) != 2:
            continue
        count = gcd(kind.shape[0], *(rows.repeats(v, kind.shape[0]) for v in (made.offsets[0], op.mask)))
        if 1 < count < kind.shape[0] and is_for_second_operands(op.value):
            _repeat(op, made, count)
    return module


def _repeat(op: xetile.LoadGather, made: xetile.InitTile, count: int) -> None:
    """So many rows of each that is gathered."""
    rewrite, kind = Rewriter(), type_of(op.value, VectorType)
    height = kind.shape[0] // count
    with rewrite.before(op), rewrite.located(op.loc):
        tile = made.result.type.with_shape(height, kind.shape[1])
        scattered = rewrite(xetile.InitTile, made.base, [every(made.offsets[0], count, rewrite)], [], [], result=tile)
        mask = every(op.mask, count, rewrite)
        found = rewrite.clone(op, [scattered, mask], [kind.with_shape(height, kind.shape[1])]).results[0]
        repeated = rewrite(vector.Shuffle, found, found, mask=tuple(row // count for row in range(kind.shape[0])))
    taken = op.operands
    rewrite.replace(op, repeated)
    erase_unused(taken, rewrite)
