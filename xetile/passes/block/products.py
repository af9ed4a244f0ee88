"""Products of blocked tiles at xegpu level: dpas for each product of blocks, in an order that keeps few operands live."""

from __future__ import annotations

from itertools import product

from xetile.dialects import arith, math, xegpu, xetile
from xetile.dialects.types import VectorType, element_of
from xetile.ir.core import Value, type_of
from xetile.ir.dispatch import Table
from xetile.layout import Layout
from xetile.passes.analysis.block_sizes import mma_layout
from xetile.passes.analysis.product_order import Part
from xetile.passes.analysis.products import MmaTypes, mma_types, passes_by
from xetile.passes.block.lowering import Lowering, aligned, plain_layout, stretched
from xetile.passes.block.matrices import Matrix, cut, matrix, pack_rows

LOWER = Table()


@LOWER(xetile.TileMma)
def _mma(op: xetile.TileMma, c: Lowering) -> Matrix:
    types = mma_types(op)
    if c.target.find_mma(*types) is None:
        return _multiply_add(op, c)
    a, b = _held(c.matrix(op.a), "a", types, c), _held(c.matrix(op.b), "b", types, c)
    layout = mma_layout("acc", types, c.target)
    lhs, rhs = a.grid(), {at: _vnni(value, b.layout, c) for at, value in b.grid().items()}
    rows, columns, height, width = op.result.type.shape
    result = VectorType((height, width), op.result.type.element)
    acc = _held(c.matrix(op.acc), "acc", types, c).grid() if op.acc is not None else {}
    flags = {k: v for k, v in op.attributes.items() if k in ("lhs_unsigned", "rhs_unsigned")}
    depth, step = op.a.type.shape[1], op.a.type.shape[3]
    tall, deep = _rows_at_a_time(op, types, c)
    at_a_time, beside, steps = tall // height, _columns_at_a_time(op, types, c) // width, deep // step
    # Rows that differ innermost: successive dpas write different accumulators.
    for first, start, left, further, across in product(
        range(0, depth, steps), range(0, rows, at_a_time), range(0, columns, beside), range(steps), range(beside)
    ):
        j, k = left + across, first + further
        for i in range(start, min(start + at_a_time, rows)) if k < depth else ():
            acc[i, j] = c.build(xegpu.Dpas, lhs[i, k], rhs[k, j], acc.get((i, j)), result=result, layout_result_0=layout, **flags)
    values = [acc[i, j] for i in range(rows) for j in range(columns)]
    return matrix((rows * height, columns * width), (height, width), values, layout)


def _rows_at_a_time(op: xetile.TileMma, types: MmaTypes, c: Lowering) -> tuple[int, int]:
    """Rows that are multiplied at a time, and how deep: only those that are loaded for it can pass by."""
    (rows, columns, height, width), (_, depth, _, step) = op.result.type.shape, op.a.type.shape
    if _is_loaded(op.a) and not _is_loaded(op.b):
        part = Part(rows * height, columns * width, depth * step, types)
        return (part.rows_of_message(c.target), part.depth) if passes_by(op) else part.at_a_time(c.target)
    return rows * height, depth * step


def _columns_at_a_time(op: xetile.TileMma, types: MmaTypes, c: Lowering) -> int:
    """Columns that are multiplied in all their depth at a time: only those that are loaded for it can pass by."""
    (rows, columns, height, width), (_, depth, _, step) = op.result.type.shape, op.a.type.shape
    if _is_loaded(op.b) and not _is_loaded(op.a):
        return Part(rows * height, columns * width, depth * step, types).columns_at_a_time(c.target)
    return columns * width


def _is_loaded(value: Value) -> bool:
    while isinstance(value.op, (xetile.TilePack, xetile.TileUnpack)):
        value = value.op.operands[0]
    return isinstance(value.op, xetile.LoadTile)


def _held(value: Matrix, role: str, types: MmaTypes, c: Lowering) -> Matrix:
    """The operand with its lanes as the matrix instruction asks; nothing to do where each lane holds the same elements in order."""
    return value if value.pieces[0].packing > 1 else aligned(value, mma_layout(role, types, c.target), c)


def _vnni(value: Value, layout: Layout, c: Lowering) -> Value:
    element = element_of(value.type)
    if type_of(value, VectorType).rank == 3 or element.bits >= 32:
        return value
    return pack_rows(c.build, value, 32 // element.bits, layout)


def _multiply_add(op: xetile.TileMma, c: Lowering) -> Matrix:
    """Rank-1 updates: a column of A, stretched, times a row of B (no matrix instruction takes these dtypes)."""
    a, b = c.matrix(op.a), c.matrix(op.b)
    rows, columns, height, width = op.result.type.shape
    layout = plain_layout(op.result.type, c)
    block = VectorType((height, width), op.result.type.element)
    acc = aligned(c.matrix(op.acc), layout, c).grid() if op.acc is not None else {}
    for k in range(a.shape[1]):
        lefts = [stretched(cut(c.build, a, i * height, k, (height, 1)), block, layout, c) for i in range(rows)]
        for j in range(columns):
            right = stretched(cut(c.build, b, k, j * width, (1, width)), block, layout, c)
            for i in range(rows):
                acc[i, j] = _accumulate(lefts[i], right, acc.get((i, j)), layout, c)
    values = [acc[i, j] for i in range(rows) for j in range(columns)]
    return matrix((rows * height, columns * width), (height, width), values, layout)


def _accumulate(left: Value, right: Value, acc: Value | None, layout: Layout, c: Lowering) -> Value:
    is_float = element_of(left.type).is_float
    if acc is None:
        return c.build(arith.MulF if is_float else arith.MulI, left, right, layout_result_0=layout)
    if is_float:
        return c.build(math.Fma, left, right, acc, layout_result_0=layout)
    product = c.build(arith.MulI, left, right, layout_result_0=layout)
    return c.build(arith.AddI, product, acc, layout_result_0=layout)
