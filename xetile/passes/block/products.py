"""Products of blocked tiles at xegpu level: dpas for each product of blocks, in an order that keeps few operands live."""

from __future__ import annotations

from itertools import product

from xetile.dialects import arith, math, xegpu, xetile
from xetile.dialects.arith import constant_of
from xetile.dialects.types import VectorType, element_of, shape_of
from xetile.ir.core import Value, type_of
from xetile.ir.dispatch import Table
from xetile.layout import Layout
from xetile.passes.analysis.block_sizes import mma_layout
from xetile.passes.analysis.product_order import Part
from xetile.passes.analysis.products import MmaTypes, mma_types, passes_by
from xetile.passes.block.lowering import Lowering, aligned, plain_layout, stretched
from xetile.passes.block.matrices import Matrix, cut, matrix, pack_rows, reblock

LOWER = Table()


@LOWER(xetile.TileMma)
def _mma(op: xetile.TileMma, c: Lowering) -> Matrix:
    types = mma_types(op)
    if c.target.find_mma(*types) is None:
        return _multiply_add(op, c)
    a, b = (_held(_operand(value, dim, op, c), role, types, c) for role, value, dim in (("a", op.a, 1), ("b", op.b, 0)))
    layout = mma_layout("acc", types, c.target)
    lhs, rhs = a.grid(), {at: _vnni(value, b.layout, c) for at, value in b.grid().items()}
    rows, columns, height, width = op.result.type.shape
    result = VectorType((height, width), op.result.type.element)
    acc = _held(c.matrix(op.acc), "acc", types, c).grid() if op.acc is not None else {}
    flags = {k: v for k, v in op.attributes.items() if k in ("lhs_unsigned", "rhs_unsigned")}
    step = op.a.type.shape[3]
    depth = -(-_depth(op) // step)
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


def _depth(op: xetile.TileMma) -> int:
    """How deep a product is: what `pad_tiles` has added adds nothing, whatever is there, for one operand at least is 0 in it."""
    _, depth, _, step = op.a.type.shape
    found = (masked for value, dim in ((op.a, 1), (op.b, 0)) if (masked := _masked(value, dim)) is not None)
    return min([depth * step, *(end for _, end in found)])


def _operand(value: Value, dim: int, op: xetile.TileMma, c: Lowering) -> Matrix:
    """An operand, without the mask of what no step reaches."""
    masked, step = _masked(value, dim), op.a.type.shape[3]
    if masked is None or (c.target.find_mma(*mma_types(op)) is not None and -(-_depth(op) // step) * step > masked[1]):
        return c.matrix(value)
    rows, columns = shape_of(value.type)[2:]
    return reblock(c.build, c.matrix(masked[0]), (rows, columns))


def _masked(value: Value, dim: int) -> tuple[Value, int] | None:
    """(another value, a place) where a value is 0 from that place along a dimension on, and the other one before."""
    op = _before_packing(value).op
    mask = _before_packing(op.condition).op if isinstance(op, arith.Select) and constant_of(op.false_value) == 0 else None
    if not isinstance(op, arith.Select) or not isinstance(mask, arith.CmpI) or mask.predicate != "ult":
        return None
    places, end = _before_packing(mask.lhs).op, constant_of(_before_packing(mask.rhs))
    return (op.true_value, end) if isinstance(places, xetile.TileIota) and places.dim == dim and isinstance(end, int) else None


def _before_packing(value: Value) -> Value:
    while isinstance(value.op, (xetile.TilePack, xetile.TileUnpack)):
        value = value.op.operands[0]
    return value


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
    return isinstance(_before_packing(value).op, xetile.LoadTile)


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
    a, b = _operand(op.a, 1, op, c), _operand(op.b, 0, op, c)
    rows, columns, height, width = op.result.type.shape
    layout = plain_layout(op.result.type, c)
    block = VectorType((height, width), op.result.type.element)
    acc = aligned(c.matrix(op.acc), layout, c).grid() if op.acc is not None else {}
    for k in range(_depth(op)):
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
