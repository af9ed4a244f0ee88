"""Products of some columns of a value each, which add up, become one product of the value.

`x[:, ::2] @ a + x[:, 1::2] @ b` is `x @ c` where the rows of `a` and `b` are those of `c` by turns. Lanes hold whole columns of a second
operand, so its rows change places in their registers; columns of a first operand lie in other lanes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from xetile.dialects import gpu, vector, xetile
from xetile.dialects.affine import affine_of
from xetile.dialects.effects import written_arguments
from xetile.dialects.gpu import GpuFunc, GpuModule
from xetile.dialects.types import MemRefType, VectorType
from xetile.ir.core import Elementwise, Op, Value, type_of
from xetile.ir.reach import reached
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.products import IN_ANY_ORDER, is_for_second_operands, mma_types
from xetile.passes.analysis.rearranged import rearranged
from xetile.passes.analysis.turns import by_turns, is_turned, part_of, transposed, turned_back
from xetile.passes.common.exchanges import drop_exchanges
from xetile.passes.common.numbers import index
from xetile.passes.common.slm import SLM
from xetile.passes.common.unused import erase_unused
from xetile.passes.workgroup.products.split_columns import by_columns
from xetile.target import Target

_MOST_PARTS = 8
"""Products that are joined: codes of four bits in a word."""


def join_columns(module: GpuModule, target: Target) -> GpuModule:
    """Join products of a value's columns, and let rows of second operands change places in registers.

    Before and after: xetile at workgroup level, where products that add up go on from each other (`accumulate_products`). Shared memory
    through which nothing moves any more, and its barriers, go. For devices with matrix instructions whose lanes hold columns.
    """
    return rows_in_memory(module, target) if target.block2d is None else rows_in_registers(module, target)


def rows_in_memory(module: GpuModule, target: Target) -> GpuModule:
    """Join products whose second operands' rows come by turns, and let these change places in shared memory: other passes see there what
    the language writes, and find out whether words can hold the rows (`pack_turns`).
    """
    if not target.grf_modes:
        return module
    rewrite, written = Rewriter(), written_arguments(module)
    joined = [_join(op, target, written, rewrite, turns=True) for op in module.find(xetile.TileMma) if op.parent is not None]
    if any(joined):
        drop_exchanges(module, rewrite)  # before there are others
    for rows in [op.b for op in module.find(xetile.TileMma)]:
        if not isinstance(rows.op, vector.Shuffle):
            continue
        count = by_turns(rows, axis=0) or 1
        with rewrite.before(rows.op), rewrite.located(rows.op.loc):
            parts = [part_of(rows, at, count, rewrite, axis=0) for at in range(count)]
            found = _through_memory(parts, module.kernel, rewrite)
        rewrite.replace_uses(rows, found)
        erase_unused([rows], rewrite)
    return module


def rows_in_registers(module: GpuModule, target: Target) -> GpuModule:
    """The same for any target."""
    rewrite, changed, written = Rewriter(), False, written_arguments(module)
    for product in module.find(xetile.TileMma):
        if product.parent is None:
            continue
        if _join(product, target, written, rewrite):
            changed = True
        elif _is_for_matrix_unit(product, target):
            changed |= _take_rows(product, rewrite) or _pick_rows(product, rewrite)
    if changed:
        drop_exchanges(module, rewrite)
    return module


def _is_for_matrix_unit(product: xetile.TileMma, target: Target) -> bool:
    """Whether the target's instructions take a product, and sum it in any order."""
    return target.find_mma(*mma_types(product)) is not None and product.result.type.element in IN_ANY_ORDER


class _Columns(NamedTuple):
    """A value of which another one is some columns."""

    source: Value
    columns: list[int]


class _Joined(NamedTuple):
    """Products that go on from each other, the value that has all their columns, and which row of all second operands each of these takes."""

    products: list[xetile.TileMma]
    source: Value
    rows: list[int]


def _join(product: xetile.TileMma, target: Target, written: set[Value], rewrite: Rewriter, *, turns: bool = False) -> bool:
    """One product for this one and those that it goes on from. `turns`: where their rows come by turns alone."""
    found = _joined(product, written)
    if found is None or not _is_for_matrix_unit(product, target):
        return False
    first, count = found.products[0], len(found.products)
    by_turns_alone = found.rows == [at // count + found.rows[at % count] for at in range(len(found.rows))]
    if turns and not (by_turns_alone and _is_of_one_tile([each.b for each in found.products])):
        return False
    with rewrite.before(product), rewrite.located(product.loc):
        rows = _stacked([each.b for each in found.products], found.rows, rewrite)
        joined = rewrite(xetile.TileMma, found.source, rows, first.acc, result=product.result.type, **_marks(product))
    rewrite.replace(product, joined)
    for each in reversed(found.products[:-1]):
        rewrite.erase(each)
    return True


def _stacked(parts: Sequence[Value], rows: Sequence[int], build: Rewriter) -> Value:
    """Some rows of values of as many rows each, one below the other; so many values that two and two become one."""
    while len(parts) > 1:
        height = sum(type_of(part, VectorType).shape[0] for part in parts[:2])
        mask = tuple(rows if len(parts) == 2 else range(height))
        parts = [build(vector.Shuffle, a, b, mask=mask) for a, b in zip(parts[::2], parts[1::2], strict=True)]
    return parts[0]


def _is_of_one_tile(values: Sequence[Value]) -> bool:
    """Whether values are worked out of one tile that is loaded, and of lines."""

    def made_of(value: Value) -> Sequence[Value]:
        return value.op.operands if isinstance(value.op, (Elementwise, xetile.TileTranspose)) else ()

    loads = [v for v in reached(values, made_of) if isinstance(v.op, xetile.LoadTile) and 1 not in type_of(v, VectorType).shape]
    return len(loads) == 1


def _through_memory(parts: Sequence[Value], kernel: GpuFunc, build: Rewriter) -> Value:
    """A row of each value by turns, through shared memory: a column, where values are transposes."""
    kind, count = type_of(parts[0], VectorType), len(parts)
    if all(isinstance(part.op, xetile.TileTranspose) for part in parts):
        width, rows = kind.shape
        with build.before(kernel.body.ops[0]):
            columns: Value = build(gpu.Alloca, result=MemRefType((rows, width * count), kind.element, None, SLM))
        joined = by_columns([transposed(part, build) for part in parts], columns, build)
        return transposed(joined, build)
    rows, width = kind.shape
    whole = rows * count, width
    with build.before(kernel.body.ops[0]):
        base: Value = build(gpu.Alloca, result=MemRefType(whole, kind.element, None, SLM))

    def seen(column: int, shape: tuple[int, int], extents: tuple[int, int]) -> Value:
        numbers = [[index(build, n) for n in pair] for pair in ((0, column), extents, (extents[1], 1))]
        tile: Value = build(xetile.InitTile, base, *numbers, result=xetile.TileType(shape, kind.element, None, (1, 0), space=SLM))
        return tile

    for n, part in enumerate(parts):  # in one row of memory one of each
        build.op(xetile.StoreTile, part, seen(n * width, (rows, width), (rows, count * width)))
    build.op(gpu.Barrier)
    found: Value = build(xetile.LoadTile, seen(0, whole, whole))
    build.op(gpu.Barrier)
    return found


def _joined(product: xetile.TileMma, written: set[Value]) -> _Joined | None:
    """The products, from the first on, that take all columns of a value between them, each one some; None where these do not."""
    last = _columns_of(product.a)
    if last is None:
        return None
    depth = type_of(last.source, VectorType).shape[1]
    products, sources, columns = [product], {0: last.source}, [last.columns]
    while sum(map(len, columns)) < depth and len(products) < _MOST_PARTS:
        before = _before(products[0])
        found = None if before is None else _columns_of(before.a)
        shift = None if found is None else _shift(last.source, found.source, written)
        if before is None or found is None or shift is None:
            return None
        products.insert(0, before)
        sources[shift] = found.source
        columns.insert(0, [at + shift for at in found.columns])
    order = {at: n for n, at in enumerate([at for part in columns for at in part])}
    start, count = min(order), len(products)
    if (
        count < 2
        or count & (count - 1)
        or sum(map(len, columns)) != depth
        or sorted(order) != list(range(start, start + depth))
        or start not in sources
    ):
        return None
    return _Joined(products, sources[start], [order[start + at] for at in range(depth)])


def _before(product: xetile.TileMma) -> xetile.TileMma | None:
    """The product that another one, and nothing else, goes on from."""
    before = product.acc.op if product.acc is not None else None
    if not isinstance(before, xetile.TileMma) or before.parent is not product.parent or not before.result.has_one_use:
        return None
    same = _marks(before) == _marks(product) and mma_types(before) == mma_types(product)
    return before if same and before.b.type.shape == product.b.type.shape else None


def _marks(product: Op) -> dict[str, Any]:
    return {name: value for name, value in product.attributes.items() if value is not None}


def _columns_of(value: Value) -> _Columns | None:
    found = rearranged(value)
    picked = None if found is None else found.picked(1)
    if found is None or picked is None or len({n for n, _ in picked}) > 1:
        return None
    return _Columns(found.sources[picked[0][0]], [at for _, at in picked])


def _shift(first: Value, second: Value, written: set[Value]) -> int | None:
    """By how many columns the second value lies behind the first, of which it has the same rows; None where that is not known, or where
    the kernel writes the array that both come from.
    """
    if first is second:
        return 0
    loads: list[Any] = [first.op, second.op]
    if not all(isinstance(load, xetile.LoadTile) and isinstance(load.tile.op, xetile.InitTile) for load in loads):
        return None
    one, other = (load.tile.op for load in loads)
    if (
        one.base is not other.base
        or one.base in written
        or one.result.type != other.result.type
        or one.result.type.order != (1, 0)
    ):
        return None
    if (one.shape, one.strides) != (other.shape, other.strides) or loads[0].attributes != loads[1].attributes:
        return None
    moves = [affine_of(b).plus(affine_of(a), -1) for a, b in zip(one.offsets, other.offsets, strict=True)]
    known = not any(move.coefficients for move in moves) and not any(move.constant for move in moves[:-1])
    return moves[-1].constant if known else None


def _take_rows(product: xetile.TileMma, rewrite: Rewriter) -> bool:
    """Take the columns by turns of which a second operand is the transpose, each worked out by itself, as rows by turns."""
    turned = product.b.op
    if not isinstance(turned, xetile.TileTranspose) or turned.wg_map is not None:
        return False
    if not turned.result.has_one_use or not turned.source.has_one_use:
        return False
    source = turned.source
    count = by_turns(source) or 0
    if not 2 <= count <= _MOST_PARTS:
        return False
    depth = product.b.type.shape[0]
    with rewrite.before(turned), rewrite.located(turned.loc):
        parts = [transposed(part_of(source, at, count, rewrite), rewrite) for at in range(count)]
        rows = _stacked(parts, [at // count + at % count * (depth // count) for at in range(depth)], rewrite)
    rewrite.replace(turned, rows)
    erase_unused([source], rewrite)
    return True


def _pick_rows(product: xetile.TileMma, rewrite: Rewriter) -> bool:
    """Take rows from registers that were exchanged, where a second operand is worked out of them element by element."""
    changed, seen = False, set[Value]()
    ahead: list[Value] = [product.b]
    while ahead:
        value = ahead.pop()
        if value in seen or not isinstance(value.type, VectorType) or not is_for_second_operands(value):
            continue
        seen.add(value)
        if isinstance(value.op, Elementwise):
            ahead += value.op.operands
        else:
            changed |= _pick(value, rewrite)
    return changed


def _pick(value: Value, rewrite: Rewriter) -> bool:
    found = rearranged(value)
    if value.op is None or found is None:
        return False
    count, turned = len(found.sources), False
    picked = found.picked(0)
    if picked is None:
        picked, turned = replace(found, rows=found.columns, columns=found.rows).picked(0, turned=True), True
    heights = {type_of(source, VectorType).shape[turned] for source in found.sources}
    if picked is None or len(heights) > 1 or count > _MOST_PARTS or count & (count - 1):
        return False
    if turned and not all(map(is_turned, found.sources)):
        return False
    (height,) = heights
    with rewrite.before(value.op), rewrite.located(value.op.loc):
        sources = [turned_back(source, rewrite) for source in found.sources] if turned else list(found.sources)
        rows = _stacked(sources * (1 + (count == 1)), [at + n * height for n, at in picked], rewrite)
    rewrite.replace(value.op, rows)
    return True
