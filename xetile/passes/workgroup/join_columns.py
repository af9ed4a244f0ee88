"""Products of some columns of a value each, which add up, become one product of the value.

`x[:, ::2] @ a + x[:, 1::2] @ b` is `x @ c` where the rows of `a` and `b` are those of `c` by turns. Lanes hold whole columns of a second
operand, so its rows change places in their registers; columns of a first operand lie in other lanes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from xetile.dialects import gpu, vector, xetile
from xetile.dialects.affine import affine_of
from xetile.dialects.effects import written_arguments
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import VectorType
from xetile.ir.core import Elementwise, Op, Value, type_of
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.products import IN_ANY_ORDER, mma_types
from xetile.passes.analysis.rearranged import rearranged
from xetile.passes.analysis.turns import by_turns, part_of, transposed
from xetile.passes.common.unused import erase_unused
from xetile.target import Target


def join_columns(module: GpuModule, target: Target) -> GpuModule:
    """Join products of a value's columns, and let rows of second operands change places in registers.

    Before and after: xetile at workgroup level, where products that add up go on from each other (`accumulate_products`). Shared memory
    through which nothing moves any more, and its barriers, go. For devices with matrix instructions whose lanes hold columns.
    """
    if target.block2d is None or not is_whole(module):
        return module
    rewrite, changed, written = Rewriter(), False, written_arguments(module)
    for product in module.find(xetile.TileMma):
        if product.parent is None or not _is_for_matrix_unit(product, target, parts=2):
            continue
        if _join(product, written, rewrite):
            changed = True
        elif _is_for_matrix_unit(product, target):  # other rows would be added to its operands (`pad_tiles`)
            changed |= _take_rows(product, rewrite) or _pick_rows(product, rewrite)
    if changed:
        drop_exchanges(module, rewrite)
    return module


def is_whole(module: GpuModule) -> bool:
    """Whether no size of the kernel is one that padding rounds up: rows that are added would stand between others."""
    kinds = (value.type for op in module.walk() for value in op.results)
    return all(n & (n - 1) == 0 for kind in kinds if isinstance(kind, (VectorType, xetile.TileType)) for n in kind.shape)


def _is_for_matrix_unit(product: xetile.TileMma, target: Target, parts: int = 1) -> bool:
    """Whether the target's instructions take a product of so many, in whole blocks of rows of second operands, and sum it in any order."""
    types = mma_types(product)
    mma = target.find_mma(*types)
    depth, width = product.b.type.shape
    return mma is not None and product.result.type.element in IN_ANY_ORDER and not (parts * depth % mma.k or width % mma.n)


class _Columns(NamedTuple):
    """A value of which another one is some columns."""

    source: Value
    columns: list[int]


def _join(product: xetile.TileMma, written: set[Value], rewrite: Rewriter) -> bool:
    """One product for this one and the one that it goes on from."""
    before = product.acc.op if product.acc is not None else None
    if not isinstance(before, xetile.TileMma) or before.parent is not product.parent or not before.result.has_one_use:
        return False
    if _marks(before) != _marks(product) or mma_types(before) != mma_types(product):
        return False
    first, second = _columns_of(before.a), _columns_of(product.a)
    if first is None or second is None:
        return False
    shift = _shift(first.source, second.source, written)
    if shift is None:
        return False
    order = {at: n for n, at in enumerate([*first.columns, *(at + shift for at in second.columns)])}
    depth = type_of(first.source, VectorType).shape[1]
    if sorted(order) != list(range(depth)) or len(first.columns) + len(second.columns) != depth:
        return False
    with rewrite.before(product), rewrite.located(product.loc):
        rows = rewrite(vector.Shuffle, before.b, product.b, mask=tuple(order[at] for at in range(depth)))
        joined = rewrite(xetile.TileMma, first.source, rows, before.acc, result=product.result.type, **_marks(product))
    rewrite.replace(product, joined)
    rewrite.erase(before)
    return True


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
    if by_turns(source) != 2:
        return False
    depth = product.b.type.shape[0]
    with rewrite.before(turned), rewrite.located(turned.loc):
        parts = [transposed(part_of(source, at, 2, rewrite), rewrite) for at in range(2)]
        rows = rewrite(vector.Shuffle, *parts, mask=tuple(at // 2 + at % 2 * (depth // 2) for at in range(depth)))
    rewrite.replace(turned, rows)
    erase_unused([source], rewrite)
    return True


def _pick_rows(product: xetile.TileMma, rewrite: Rewriter) -> bool:
    """Take rows from registers that were exchanged, where a second operand is worked out of them element by element."""
    changed, seen = False, set[Value]()
    ahead: list[Value] = [product.b]
    while ahead:
        value = ahead.pop()
        if value in seen or not isinstance(value.type, VectorType) or not _is_for_second_operands(value):
            continue
        seen.add(value)
        if isinstance(value.op, Elementwise):
            ahead += value.op.operands
        else:
            changed |= _pick(value, rewrite)
    return changed


def _is_for_second_operands(value: Value) -> bool:
    """Whether products alone take what is worked out of a value, as their second operands: they say how lanes hold it."""
    ahead, seen = [value], {value}
    while ahead:
        for op, position in ahead.pop().uses:
            if isinstance(op, Elementwise):
                ahead += [result for result in op.results if result not in seen]
                seen.update(op.results)
            elif not isinstance(op, xetile.TileMma) or position != 1:
                return False
    return True


def _pick(value: Value, rewrite: Rewriter) -> bool:
    found = rearranged(value)
    picked = None if found is None else found.picked(0)
    if value.op is None or found is None or picked is None or len(found.sources) > 2:
        return False
    first = type_of(found.sources[0], VectorType)
    mask = tuple(at + n * first.shape[0] for n, at in picked)
    with rewrite.before(value.op), rewrite.located(value.op.loc):
        rows = rewrite(vector.Shuffle, found.sources[0], found.sources[-1], mask=mask)
    rewrite.replace(value.op, rows)
    return True


def drop_exchanges(module: GpuModule, rewrite: Rewriter) -> None:
    """Remove shared memory that nothing reads any more, and the barriers of these exchanges where nothing else is shared."""
    barriers = set[Op]()
    shared = module.find(gpu.Alloca)
    for memory in shared:
        erase_unused([value for tile in memory.result.users for load in tile.results[0].users for value in load.results], rewrite)
        stores = [store for tile in memory.result.users for store in tile.results[0].users]
        if not all(isinstance(store, xetile.StoreTile) for store in stores):
            continue
        barriers.update(barrier for store in stores for barrier in _around(store))
        for store in stores:
            rewrite.erase(store)
        erase_unused([memory.result, *(tile.results[0] for tile in memory.result.users)], rewrite)
    if not module.has(gpu.Alloca):
        for barrier in barriers:
            rewrite.erase(barrier)


def _around(store: Op) -> list[Op]:
    """The barriers of the exchange that a store is part of: the two next ones, of the same expression of the source."""
    assert store.parent is not None
    ops = store.parent.ops
    barriers = [op for op in ops[ops.index(store) :] if isinstance(op, gpu.Barrier)]
    return [barrier for barrier in barriers[:2] if barrier.loc == store.loc]
