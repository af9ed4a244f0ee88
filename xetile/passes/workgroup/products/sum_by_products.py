"""Sums over the rows or columns of a product's operands, as products with ones.

DPAS holds its operands in the lanes' registers in packed words: taking them apart to add them costs a move for each number, while a
product with ones reads them where they are. Whole numbers only: there sums are the same in any order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from xetile.dialects import arith, scf, xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import I32, VectorType, shape_of
from xetile.ir.core import Elementwise, Op, Value, type_of
from xetile.ir.interfaces import runs_again
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.products import mma_types
from xetile.passes.common.carry import carry, drop, give
from xetile.records import dataclass
from xetile.target import Mma, Target

ROWS, COLUMNS = 0, 1
FEW = 4
"""Ops between a sum and where it is stretched up to which these work on the stretched one, in a register for each row."""


def sum_by_products(module: GpuModule, target: Target) -> GpuModule:
    """Let sums of a product's operands, in 32 bits, be products of these with ones.

    Before and after: xetile at workgroup level. What a loop adds up, `total += reduce<add>(extend(a), 1)` beside `a @ b`, becomes
    `wide += a @ ones`, all of whose columns are the sum of what was added to `total`; one of them is taken behind the loop. A sum that is
    stretched over the product, `a @ b - broadcast(reduce<add>(extend(a), 1))`, is `a @ ones` in its place, whose columns are one product
    once blocks are known to be equal. So for the columns of `b`.
    """
    for loop in module.find(scf.For):
        for found in list(_sums(loop, target)):
            found.rewrite()
    for reduce in list(module.find(xetile.TileReduce)):
        beside = _of_operand(reduce, target)
        if beside is not None:
            _replace(reduce, *beside)
    return module


@dataclass(frozen=True)
class _WithOnes:
    """The product of an operand of `beside` with ones, in so many columns or rows: the sum that `reduce` gives in each of them."""

    reduce: xetile.TileReduce
    beside: xetile.TileMma
    count: int

    def constants(self, rewrite: Rewriter) -> tuple[Value, Value]:
        """The ones, and the zeros to begin with."""
        operand: Any = self._operand.type
        rows, columns = operand.shape
        over_columns = self.reduce.dims[0] == COLUMNS
        ones = operand.with_shape(*((columns, self.count) if over_columns else (self.count, rows)))
        zeros = self.reduce.result.type.with_shape(*((rows, self.count) if over_columns else (self.count, columns)))
        return rewrite(arith.Constant, value=1, result=ones), rewrite(arith.Constant, value=0, result=zeros)

    def product(self, rewrite: Rewriter, one: Value, so_far: Value) -> Value:
        pair = (self._operand, one) if self.reduce.dims[0] == COLUMNS else (one, self._operand)
        # One is one with a sign and without: the types of the product beside it, so that operands come in one form.
        marks = {name: self.beside.attributes.get(name) for name in ("lhs_unsigned", "rhs_unsigned")}
        return rewrite(xetile.TileMma, *pair, so_far, **marks)

    @property
    def _operand(self) -> Value:
        return self.beside.a if self.reduce.dims[0] == COLUMNS else self.beside.b


def _block(reduce: xetile.TileReduce, mma: Mma) -> int:
    """The columns, or rows, of one instruction."""
    return mma.n if reduce.dims[0] == COLUMNS else max(mma.m)


def _replace(reduce: xetile.TileReduce, product: xetile.TileMma, mma: Mma) -> None:
    """A product in the place of a sum: as wide as the one beside it where the sum is stretched so far, as an instruction makes it elsewhere.

    In loops only the former: a column of sums takes few registers, of which loops with products have none to spare.
    """
    rewrite, shape = Rewriter(), product.result.type.shape
    between, elsewhere = _until_stretched(reduce, shape)
    if elsewhere and runs_again(reduce):
        return
    with rewrite.before(reduce), rewrite.located(reduce.loc):
        with_ones = _WithOnes(reduce, product, shape[reduce.dims[0]])
        _stretch(rewrite, reduce, with_ones.product(rewrite, *with_ones.constants(rewrite)), between)
        if elsewhere:
            with_ones = _WithOnes(reduce, product, _block(reduce, mma))
            made = with_ones.product(rewrite, *with_ones.constants(rewrite))
            rewrite.replace_uses(reduce.result, rewrite(xetile.TileReduce, made, kind="maxsi", dims=reduce.dims))
    rewrite.erase(reduce)


def _until_stretched(reduce: xetile.TileReduce, shape: tuple[int, ...]) -> tuple[tuple[Op, ...], bool]:
    """The ops that work on a sum before it is stretched to a shape, in their order, and whether it is used otherwise too."""
    found: dict[Op, None] = {}
    waiting: list[Value] = [reduce.result]
    elsewhere = False
    while waiting:
        for op in waiting.pop().users:
            if _is_stretched(op, shape) or op in found:
                continue
            if _is_worked_out(op, reduce) and len(found) < FEW:
                found[op] = None
                waiting.append(op.results[0])
            else:
                elsewhere = True
    return tuple(op for op in reduce.parent.ops if op in found) if reduce.parent is not None else (), elsewhere


def _is_stretched(op: Op, shape: tuple[int, ...]) -> bool:
    return isinstance(op, xetile.TileBroadcast) and op.result.type.shape == shape and "wg_map" not in op.attributes


def _is_worked_out(op: Op, reduce: xetile.TileReduce) -> bool:
    return isinstance(op, Elementwise) and op.parent is reduce.parent and shape_of(op.results[0].type) == reduce.result.type.shape


def _stretch(rewrite: Rewriter, reduce: xetile.TileReduce, made: Value, between: tuple[Op, ...]) -> None:
    """Let what is worked out of a sum be worked out of the product, and stand where it is stretched."""
    wide: dict[Value, Value] = {reduce.result: made}
    shape = shape_of(made.type)
    for op in between:
        with rewrite.before(op), rewrite.located(op.loc):
            operands = [wide[v] if v in wide else _stretched(rewrite, v, made, reduce.dims) for v in op.operands]
            kinds = [type_of(r, VectorType).with_shape(*shape) for r in op.results]
            wide[op.results[0]] = rewrite.clone(op, operands, kinds).results[0]
    for column, value in wide.items():
        for op in list(column.users):
            if _is_stretched(op, shape):
                rewrite.replace_uses(op.results[0], value)
                rewrite.erase(op)
    for op in reversed(between):
        if not op.results[0].users:
            rewrite.erase(op)


def _stretched(rewrite: Rewriter, column: Value, made: Value, dims: tuple[int, ...]) -> Value:
    if not isinstance(column.type, VectorType):
        return column
    kind = column.type.with_shape(*shape_of(made.type))
    if isinstance(column.op, arith.Constant) and not isinstance(column.op.value, tuple):
        return rewrite(arith.Constant, value=column.op.value, result=kind)
    return rewrite(xetile.TileBroadcast, column, dims=dims, result=kind)


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
        with_ones = _WithOnes(self.reduce, self.product, _block(self.reduce, self.mma))
        with rewrite.before(loop), rewrite.located(self.reduce.loc):
            one, zero = with_ones.constants(rewrite)
        so_far = carry(loop, zero, "")
        with rewrite.before(self.reduce):
            give(loop, with_ones.product(rewrite, one, so_far))
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
