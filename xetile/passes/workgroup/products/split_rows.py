"""Products whose second operands have rows of several values, one after the other, become a product of each value.

`acc += x @ concatenate([low, high])` is `acc += x[:, :k] @ low` and `acc += x[:, k:] @ high`, where `x` is loaded in parts. Where subgroups
load operands together (`stage_operands`), what is joined through shared memory in each step is not shared by them.
"""

from __future__ import annotations

from typing import Any

from xetile.dialects import arith, vector, xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import VectorType
from xetile.ir.core import Elementwise, Value, type_of
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.products import mma_types
from xetile.passes.analysis.rearranged import rearranged
from xetile.passes.common.exchanges import drop_exchanges
from xetile.passes.common.numbers import index
from xetile.passes.common.unused import erase_unused
from xetile.target import Target


def split_rows(module: GpuModule, target: Target) -> GpuModule:
    """Let products that add up take the values whose rows a second operand has one by one, and first operands in parts.

    Before and after: xetile at workgroup level, where products that add up go on from each other (`accumulate_products`). For devices
    without block messages; first operands are loaded, or worked out of what is.
    """
    if target.block2d is not None or not target.grf_modes:
        return module
    rewrite, changed = Rewriter(), False
    for product in module.find(xetile.TileMma):
        count, mma = _count(product.b), target.find_mma(*mma_types(product))
        depth = product.b.type.shape[0] // max(count, 1)
        if (
            count > 1
            and mma is not None
            and depth % mma.k == 0
            and _has_parts(product.a, 1, count)
            and _has_parts(product.b, 0, count)
        ):
            _split(product, count, rewrite)
            changed = True
    if changed:
        drop_exchanges(module, rewrite)
    return module


def _split(product: xetile.TileMma, count: int, rewrite: Rewriter) -> None:
    marks = {name: value for name, value in product.attributes.items() if value is not None}
    taken = product.operands
    made: Value | None = product.acc
    with rewrite.before(product), rewrite.located(product.loc):
        for at in range(count):
            a, b = _part(product.a, 1, at, count, rewrite), _part(product.b, 0, at, count, rewrite)
            operands = [a, b] if made is None else [a, b, made]
            made = rewrite(xetile.TileMma, *operands, result=product.result.type, **marks)
    assert made is not None
    rewrite.replace(product, made)
    erase_unused(taken, rewrite)


def _stack(value: Value) -> tuple[Value, ...]:
    """The values, as high as each other, whose rows a value has one after the other; none where it is no such value."""
    found = rearranged(value)
    if found is None or len(found.sources) < 2:
        return ()
    heights = {type_of(source, VectorType).shape[0] for source in found.sources}
    rows = [(n, row) for n in range(len(found.sources)) for row in range(max(heights))]
    return found.sources if len(heights) == 1 and found.picked(0) == rows else ()


def _count(value: Value) -> int:
    """Of how many values a value's rows are, or what it is worked out of; 0 where they are of none."""
    if found := _stack(value):
        return len(found)
    return max(map(_count, _worked_out_of(value)), default=0)


def _worked_out_of(value: Value) -> list[Value]:
    """The operands, of its shape, of the op that works out a value element by element; none where it is another one."""
    op = value.op
    if not isinstance(op, Elementwise) or len(op.results) != 1 or vector.is_one_number(value):
        return []
    taken = [v for v in op.operands if isinstance(v.type, VectorType)]
    return taken if {type_of(v, VectorType).shape for v in taken} <= {type_of(value, VectorType).shape} else []


def _has_parts(value: Value, axis: int, count: int) -> bool:
    """Whether parts of a value along an axis are loaded, or worked out of such, by themselves."""
    op = value.op
    if vector.is_one_number(value) or (not axis and len(_stack(value)) == count):
        return True
    if isinstance(op, xetile.TileBroadcast):
        return tuple(op.dims) == (axis,) or _has_parts(op.source, axis, count)
    if isinstance(op, xetile.LoadTile):
        kind = op.tile.type
        plain = kind.is_block and kind.order == (1, 0) and kind.wg_map is None and not kind.inner_blocks
        return plain and isinstance(op.tile.op, xetile.InitTile) and len(kind.shape) == 2 and kind.shape[axis] % count == 0
    taken = _worked_out_of(value)
    return bool(taken) and all(_has_parts(v, axis, count) for v in taken)


def _part(value: Value, axis: int, at: int, count: int, build: Rewriter) -> Value:
    """One of so many parts of such a value."""
    op, kind = value.op, value.type
    if op is None or not isinstance(kind, VectorType):
        return value
    part = kind.with_shape(*(n // count if dim == axis else n for dim, n in enumerate(kind.shape)))
    if vector.is_one_number(value) or (isinstance(op, xetile.TileBroadcast) and tuple(op.dims) == (axis,)):
        return build.clone(op, op.operands, [part]).results[0]
    if not axis and (stack := _stack(value)):
        return stack[at]
    if isinstance(op, xetile.LoadTile):
        made: Any = op.tile.op
        with build.before(op):
            offsets, number = list(made.offsets), index(build, at * part.shape[axis])
            offsets[axis - 2] = build(arith.AddI, offsets[axis - 2], number) if at else offsets[axis - 2]
            tile = made.result.type.with_shape(*part.shape)
            moved = build(xetile.InitTile, made.base, offsets, list(made.shape), list(made.strides), result=tile)
            return build.clone(op, [moved, *op.operands[1:]], [part]).results[0]
    return build.clone(op, [_part(v, axis, at, count, build) for v in op.operands], [part]).results[0]


__all__ = ["split_rows"]
