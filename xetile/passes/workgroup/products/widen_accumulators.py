"""Products whose accumulator DPAS lacks start from a wider one that it has, and are rounded behind it.

DG2's DPAS sums f16 and bf16 in f32 only. Summed element by element a tile of 16 x 32 takes 2,093 instructions for 16 of K in f16, 3,463 in
bf16, and spills; so it takes 4 DPAS for each subgroup, and two conversions of each element.
"""

from __future__ import annotations

from xetile.dialects import arith, xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import element_of, scalar
from xetile.ir.rewriter import Rewriter
from xetile.target import Target


def widen_accumulators(module: GpuModule, target: Target) -> GpuModule:
    """Give products an accumulator that the target's DPAS has.

    Before and after: xetile at workgroup level. A product of floats that the target sums in a wider type only is summed in that, and
    its result rounded to its own: once, as what has no DPAS is (`xt.tile_mma`).
    """
    rewrite = Rewriter()
    for op in list(module.find(xetile.TileMma)):
        lhs, rhs, own = (element_of(value.type) for value in (op.a, op.b, op.result))
        wider = target.find_mma(str(lhs), str(rhs))
        if not own.is_float or wider is None or target.find_mma(str(lhs), str(rhs), str(own)) is not None:
            continue
        wide = op.result.type.with_element(scalar(wider.acc))
        with rewrite.before(op):
            start = [] if op.acc is None else [rewrite(arith.ExtF, op.acc, result=wide)]
            product = rewrite(xetile.TileMma, op.a, op.b, *start, result=wide, wg_map=op.wg_map)
            rewrite.replace(op, rewrite(arith.TruncF, product, result=op.result.type))
    return module
