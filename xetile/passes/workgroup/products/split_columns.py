"""Products whose second operands have columns of several values by turns become a product of each value.

`acc += x @ interleave(low, high)` is `low_acc += x @ low` and `high_acc += x @ high`, whose columns are put together once, behind the loop.
Lanes hold columns, so that columns by turns come through shared memory: of weights in each step, of sums once.
"""

from __future__ import annotations

from typing import NamedTuple

from xetile.dialects import arith, gpu, scf, xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import I1, INDEX, MemRefType, VectorType
from xetile.errors import Location
from xetile.ir.core import Value, type_of
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.products import mma_types
from xetile.passes.analysis.turns import by_turns, part_of
from xetile.passes.common.carry import carry, give
from xetile.passes.common.exchanges import drop_exchanges
from xetile.passes.common.numbers import index
from xetile.passes.common.slm import SLM, bytes_of
from xetile.passes.common.unused import erase_unused
from xetile.target import Target


class _Sum(NamedTuple):
    """A product that a loop sums up, what the sum starts from, and of how many values its second operand has columns by turns."""

    product: xetile.TileMma
    loop: scf.For
    start: float
    values: int


class _Parts(NamedTuple):
    """A loop's sums of a value each, in place of what it carries as `arg` and no longer changes."""

    loop: scf.For
    arg: Value
    sums: list[Value]
    loc: Location | None


def split_columns(module: GpuModule, target: Target) -> GpuModule:
    """Let loops sum up a product of each value, where columns of a second operand are those of several by turns.

    Before and after: xetile at workgroup level, where products that add up go on from each other (`accumulate_products`). For devices
    with matrix instructions whose lanes hold columns, where shared memory has room for the sums.
    """
    if target.block2d is None:
        return module
    rewrite = Rewriter()
    room = target.slm_bytes - sum(bytes_of(op.result.type) for op in module.walk() if isinstance(op, gpu.Alloca))
    parts = list[_Parts]()
    for found in [_sum(op, target) for op in module.walk() if isinstance(op, xetile.TileMma)]:
        if found is not None and bytes_of(_memory(found.product.result)) <= room:
            room -= bytes_of(_memory(found.product.result))
            parts.append(_split(found, rewrite))
    if parts:
        drop_exchanges(module, rewrite)  # before there are others
    for part in parts:
        _join(part, module.kernel, rewrite)
    return module


def _memory(whole: Value) -> MemRefType:
    """Shared memory for a sum."""
    kind = type_of(whole, VectorType)
    return MemRefType(kind.shape, kind.element, None, SLM)


def _sum(product: xetile.TileMma, target: Target) -> _Sum | None:
    block = product.parent
    loop = block.parent if block is not None else None
    if not isinstance(loop, scf.For) or not product.result.has_one_use or product.acc is None:
        return None
    variable = next((v for v in loop.flow() if v.holders[0] is product.acc), None)
    if variable is None or variable.given[1] is not product.result or not product.acc.has_one_use:
        return None
    if not all(isinstance(user, xetile.TileMma) for user in product.b.users):
        return None  # it is needed as it is
    start, count = arith.constant_of(variable.given[0]), by_turns(product.b)
    mma = target.find_mma(*mma_types(product))
    if not isinstance(start, (int, float)) or not count or mma is None or product.b.type.shape[1] // count % mma.n:
        return None
    return _Sum(product, loop, start, count)


def _split(found: _Sum, rewrite: Rewriter) -> _Parts:
    product, loop, loc, b = found.product, found.loop, found.product.loc, found.product.b
    rows, columns = product.result.type.shape
    kind = VectorType((rows, columns // found.values), product.result.type.element)
    marks = {name: value for name, value in product.attributes.items() if value is not None}
    args, sums = list[Value](), list[Value]()
    for _ in range(found.values):
        with rewrite.before(loop), rewrite.located(loc):
            start = rewrite(arith.Constant, value=found.start, result=kind)
        args.append(carry(loop, start, "acc"))
        sums.append(loop.results[-1])
    with rewrite.before(product), rewrite.located(loc):
        for at, arg in enumerate(args):
            part = part_of(b, at, found.values, rewrite)
            give(loop, rewrite(xetile.TileMma, product.a, part, arg, result=kind, **marks))
    whole: Value | None = product.acc
    assert whole is not None
    rewrite.replace_uses(product.result, whole)
    rewrite.erase(product)
    erase_unused([b], rewrite)
    return _Parts(loop, whole, sums, loc)


def _join(parts: _Parts, kernel: gpu.GpuFunc, rewrite: Rewriter) -> None:
    """Behind the loop the sums' columns by turns, through shared memory."""
    loop, block = parts.loop, parts.loop.parent
    (variable,) = (v for v in loop.flow() if v.holders[0] is parts.arg)
    assert block is not None
    with rewrite.before(kernel.body.ops[0]), rewrite.located(parts.loc):
        base = rewrite(gpu.Alloca, result=_memory(parts.arg))
    with rewrite.before(block.ops[block.ops.index(loop) + 1]), rewrite.located(parts.loc):
        joined = by_columns(parts.sums, base, rewrite)
    rewrite.replace_uses(variable.holders[1], joined)
    rewrite.remove_variables([variable])


def by_columns(values: list[Value], base: Value, build: Rewriter) -> Value:
    """The columns of values by turns, through shared memory."""
    kind, count = type_of(values[0], VectorType), len(values)
    (rows, width), element = kind.shape, kind.element
    zero, one, height, length = (index(build, n) for n in (0, 1, rows, count * width))
    for n, value in enumerate(values):
        tile = xetile.TileType((rows, width), element, None, (1, 0), space=SLM)
        part = build(xetile.InitTile, base, [zero, index(build, n * width)], [height, length], [length, one], result=tile)
        build.op(xetile.StoreTile, value, part)
    build.op(gpu.Barrier)
    whole = (rows, count * width)
    tile = xetile.TileType(whole, element, None, space=SLM, scatter=True)
    scattered = build(xetile.InitTile, base, [_places(whole, count, build)], [], [], result=tile)
    found: Value = build(xetile.LoadGather, scattered, build(arith.Constant, value=True, result=VectorType(whole, I1)))
    build.op(gpu.Barrier)
    return found


def _places(shape: tuple[int, ...], count: int, build: Rewriter) -> Value:
    """Where in memory each element lies: column `at` is column `at / count` of value `at % count`."""
    kind = VectorType(shape, INDEX)

    def number(value: int) -> Value:
        return build(arith.Constant, value=value, result=kind)

    row, column = (build(xetile.TileIota, dim=dim, result=kind) for dim in (0, 1))
    within = build(arith.ShRSI, column, number(count.bit_length() - 1))
    which = build(arith.MulI, build(arith.AndI, column, number(count - 1)), number(shape[1] // count))
    found: Value = build(arith.AddI, build(arith.MulI, row, number(shape[1])), build(arith.AddI, within, which))
    return found
