"""Operands that stay the same through a loop are loaded again in each iteration where registers are short: they come from the cache.

Of attention with heads of 128 columns 16 queries take 64 registers beside 128 of sums and 64 of scores, which no subgroup has; half as
many queries for each subgroup take the same messages for half of the products.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from xetile.dialects import scf, xetile
from xetile.dialects.effects import written_arguments
from xetile.dialects.gpu import GpuModule
from xetile.ir.core import Op, Value, of_kind
from xetile.ir.interfaces import enclosing
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.products import mma_types
from xetile.passes.analysis.recurrences import is_invariant
from xetile.passes.analysis.staying import loaded, stays
from xetile.passes.common.unused import erase_unused
from xetile.passes.workgroup.layouts.planned import planned_subgroups
from xetile.target import Target


class _Kept(NamedTuple):
    """Where a product of a loop takes what was loaded before it."""

    product: xetile.TileMma
    position: int
    load: xetile.LoadTile


def reload_operands(module: GpuModule, target: Target) -> GpuModule:
    """Load what products of a loop take, and was loaded before the loop, right before the first of them that takes it.

    Before and after: xetile at workgroup level. Only in loops that keep more than a subgroup has room for, and that write nothing, and of
    arrays that the kernel does not write.
    """
    if target.block2d is None:
        return module
    found = {loop: kept for loop in module.find(scf.For) if (kept := list(_kept(loop, target)))}
    if not found:
        return module
    subgroups, written = planned_subgroups(module, target), written_arguments(module)
    rewrite = Rewriter()
    for loop, kept in found.items():
        kept = [each for each in kept if each.load.tile.op.base not in written]  # type: ignore[union-attr]
        if kept and not stays(loop, subgroups, target) and not any(op.writes for op in loop.walk()):
            module.kernel.attributes["num_subgroups"] = subgroups
            _reload(kept, rewrite)
    return module


def _kept(loop: scf.For, target: Target) -> Iterator[_Kept]:
    for product in of_kind(loop.body.ops, xetile.TileMma):
        for position in range(2) if target.find_mma(*mma_types(product)) is not None else ():
            load = loaded(product.operands[position])
            if load is None or not is_invariant(load.value, loop) or not isinstance(load.tile.op, xetile.InitTile):
                continue
            if all(_multiplies(user, loop) for user in load.value.users):
                yield _Kept(product, position, load)


def _multiplies(user: Op, loop: scf.For) -> bool:
    """Whether only products of a loop take what an op takes there: beside other uses the registers would stay full."""
    if isinstance(user, xetile.TileTranspose):
        return all(_multiplies(each, loop) for each in user.result.users)
    return isinstance(user, xetile.TileMma) or loop not in enclosing(user)


def _reload(kept: list[_Kept], rewrite: Rewriter) -> None:
    became: dict[Value, Value] = {}
    for product, position, load in kept:
        value = product.operands[position]
        for op in (load, value.op):
            if op is not None and op.results[0] not in became:
                with rewrite.before(product):
                    rewrite.copy(op, became)
        rewrite.set_operand(product, position, became[value])
    erase_unused(became, rewrite)
