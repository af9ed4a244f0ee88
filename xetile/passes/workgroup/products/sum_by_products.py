"""Sums over the rows or columns of a product's operands, which a loop adds up beside the product, as products with ones.

DPAS holds its operands in the lanes' registers in packed words: taking them apart to add them costs a move for each number, while a
product with ones reads them where they are. Whole numbers only: there sums are the same in any order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from xetile.dialects import arith, scf, xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import I32
from xetile.ir.core import Op, Value
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.products import mma_types
from xetile.passes.common.carry import carry, drop, give
from xetile.records import dataclass
from xetile.target import Mma, Target

ROWS, COLUMNS = 0, 1


def sum_by_products(module: GpuModule, target: Target) -> GpuModule:
    """Let loops that add up sums of a product's operands, in 32 bits, carry products of these with ones.

    Before and after: xetile at workgroup level. `total += reduce<add>(extend(a), 1)` beside `a @ b` becomes `wide += a @ ones`, all of
    whose columns are the sum of what was added to `total`; one of them is taken behind the loop. So for the columns of `b`.
    """
    for loop in module.find(scf.For):
        for found in list(_sums(loop, target)):
            found.rewrite()
    return module


@dataclass(frozen=True)
class _Sum:
    """The sum of an operand over a dimension, which `added` adds to what the loop carries at `position`."""

    loop: scf.For
    added: Op
    position: int
    reduce: xetile.TileReduce
    product: xetile.TileMma
    mma: Mma

    def rewrite(self) -> None:
        """Carry the product in its place."""
        rewrite, loop = Rewriter(), self.loop
        over = self.reduce.dims[0]
        value = self.product.a if over == COLUMNS else self.product.b
        operand: Any = value.type
        shape = operand.shape
        ones = (shape[1], self.mma.n) if over == COLUMNS else (max(self.mma.m), shape[0])
        wide = (shape[0], ones[1]) if over == COLUMNS else (ones[0], shape[1])
        held = self.reduce.result.type.with_shape(*wide)
        with rewrite.before(loop), rewrite.located(self.reduce.loc):
            one = rewrite(arith.Constant, value=1, result=operand.with_shape(*ones))
            zero = rewrite(arith.Constant, value=0, result=held)
        so_far = carry(loop, zero, "")
        with rewrite.before(self.reduce):
            pair = (value, one) if over == COLUMNS else (one, value)
            # One is one with a sign and without: the types of the product beside it, so that operands come in one form.
            marks = {name: self.product.attributes.get(name) for name in ("lhs_unsigned", "rhs_unsigned")}
            give(loop, rewrite(xetile.TileMma, *pair, so_far, **marks))
        self._take(rewrite, loop.results[-1])

    def _take(self, rewrite: Rewriter, product: Value) -> None:
        """The sum is any of the product's columns, or rows: all hold the same."""
        loop, old = self.loop, self.loop.results[self.position]
        with rewrite.after(product):
            total = rewrite(xetile.TileReduce, product, kind="maxsi", dims=self.reduce.dims)
            total = rewrite(type(self.added), loop.init[self.position], total)
        rewrite.replace_uses(old, total)
        rewrite.set_operand(loop.body.terminator, self.position, loop.body.args[self.position + 1])
        widened = self.reduce.source.op
        for op in (self.added, self.reduce, *([widened] if widened is not None and widened.result.has_one_use else [])):
            rewrite.erase(op)
        drop(loop, self.position)


def _sums(loop: scf.For, target: Target) -> Iterator[_Sum]:
    """The last first, so that positions stay as they are found."""
    for position in reversed(range(len(loop.results))):
        carried, added = loop.body.args[position + 1], loop.body.terminator.operands[position].op
        if not isinstance(added, arith.AddI) or added.parent is not loop.body or not carried.has_one_use:
            continue
        given = [v for v in added.operands if v is not carried]
        if len(given) != 1 or not added.result.has_one_use or not given[0].has_one_use:
            continue
        reduce = given[0].op
        found = _of_operand(reduce, target) if isinstance(reduce, xetile.TileReduce) else None
        if found is not None and isinstance(reduce, xetile.TileReduce):
            yield _Sum(loop, added, position, reduce, *found)


def _of_operand(reduce: xetile.TileReduce, target: Target) -> tuple[xetile.TileMma, Mma] | None:
    """The product whose operand a reduction adds up, and its instruction."""
    if reduce.kind != "add" or len(reduce.dims) != 1 or "wg_map" in reduce.attributes:
        return None
    widened = reduce.source.op
    if not isinstance(widened, (arith.ExtSI, arith.ExtUI)) or reduce.result.type.element is not I32:
        return None
    role = 0 if reduce.dims == (COLUMNS,) else 1
    mark = ("lhs_unsigned", "rhs_unsigned")[role]
    for op, position in widened.operand.uses:
        if isinstance(op, xetile.TileMma) and position == role and isinstance(widened, arith.ExtUI) == (mark in op.attributes):
            mma = target.find_mma(*mma_types(op))
            return None if mma is None else (op, mma)
    return None
