"""Values in other shapes: transposed, with axes added, as a scalar, broadcast, distributed in another way."""

from __future__ import annotations

from typing import Any

import numpy as np

from xetile.dialects import arith, vector, xetile
from xetile.dialects.types import VectorType, element_of
from xetile.errors import TileShapeError, counted
from xetile.ir.core import Elementwise
from xetile.ir.core import Value as IRValue
from xetile.language.containers import Items
from xetile.language.context import current, in_a_kernel
from xetile.language.elementwise import broadcast_to
from xetile.language.maps import check_map
from xetile.language.values import OPERATORS, Value, check_shape, count, describe, hint_to_load, operator
from xetile.layout import Layout

_MAX_RECOMPUTED = 16  # ops; beyond, moving the data is taken to be cheaper


def tile_transpose(value: Value, permutation: tuple[int, int] = (1, 0), *, wg_map: Layout | None = None) -> Value:
    """The 2-D value (M, N) as (N, M); `wg_map` is the result's map (RFC, tile_transpose).

    Raises TileShapeError for a value that has not two axes.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty((4, 2), xt.f32)}, grid=(1,))
        def example(X, Y):
            x = xt.load_tile(xt.init_tile(X, (0, 0), (2, 4)))
            xt.store_tile(xt.tile_transpose(x), xt.init_tile(Y, (0, 0), (4, 2)))

        print(example(np.float32([[4, 1, 3, 2], [5, 7, 6, 8]])))

    Prints:
        [[4. 5.]
         [1. 7.]
         [3. 6.]
         [2. 8.]]
    """
    if not isinstance(value, Value) or len(value.shape) != 2:
        raise in_a_kernel(TileShapeError(f"tile_transpose takes a 2-D value, not {describe(value)}", hint=hint_to_load(value)))
    if tuple(permutation) == (0, 1):
        return value
    if tuple(permutation) != (1, 0):
        raise TileShapeError(f"tile_transpose: {permutation} is not a permutation of two axes", hint="(1, 0)")
    shape = (value.shape[1], value.shape[0])
    return Value(_transposed(value.ir, check_map(wg_map, "tile_transpose")), value.dtype, shape)


@operator("transpose")
def transpose(value: Value) -> Value:
    """`value.T`."""
    return tile_transpose(value) if len(value.shape) == 2 else value


def _transposed(ir: IRValue, wg_map: Layout | None = None) -> IRValue:
    if wg_map is None and _is_computed(ir, [_MAX_RECOMPUTED]):
        return _recomputed(ir, {})
    result: IRValue = current().build(xetile.TileTranspose, ir, wg_map=wg_map)
    return result


def _is_computed(ir: IRValue, left: list[int]) -> bool:
    """Whether a vector comes from constants, scalars and coordinates alone, so that no data has to move to transpose it."""
    op = ir.op
    left[0] -= 1
    if op is None or left[0] < 0:
        return False
    if isinstance(op, (xetile.TileIota, vector.Broadcast)):
        return True
    if isinstance(op, arith.Constant):
        return not isinstance(op.value, tuple)
    return isinstance(op, Elementwise) and all(_is_computed(v, left) for v in op.operands if isinstance(v.type, VectorType))


def _recomputed(ir: IRValue, done: dict[IRValue, IRValue]) -> IRValue:
    if ir in done or not isinstance(ir.type, VectorType):
        return done.get(ir, ir)
    kernel, op = current(), ir.op
    transposed = ir.type.with_shape(*reversed(ir.type.shape))
    if isinstance(op, arith.Constant):
        return kernel.constant(op.value, transposed)
    assert op is not None
    operands = [_recomputed(v, done) for v in op.operands]
    attributes = {**op.attributes, "dim": 1 - op.dim} if isinstance(op, xetile.TileIota) else op.attributes
    done[ir] = kernel.build(type(op), *operands, result=transposed, **attributes)
    return done[ir]


@operator("getitem")
def getitem(value: Value, index: Any) -> Value:
    """`value[index]`, as numpy has it: `None` adds an axis; integers, slices, values of integers and lists of them choose elements.

    Raises CompileError, TileShapeError.
    """
    items = index if isinstance(index, tuple) and not isinstance(index, Items) else (index,)
    items = _whole_index(value, items)
    chosen = tuple(item for item in items if item is not None)
    if not all(isinstance(item, slice) and item == slice(None) for item in chosen):
        value = OPERATORS["subscript"](value, chosen)
    several = (slice, Items, list, np.ndarray)
    kept = [item for item in items if item is None or isinstance(item, several) or (isinstance(item, Value) and item.shape)]
    new = [item is None for item in kept]
    return _with_axis(value, new) if any(new) else value


def _whole_index(value: Value, items: tuple[Any, ...]) -> tuple[Any, ...]:
    """The items of a subscript, one for each axis and None for new ones."""
    given = sum(item is not None and item is not Ellipsis for item in items)
    if given > len(value.shape) or (not value.shape and any(item is None for item in items)):
        hint = (
            f"one for each axis, and None for a new one: x[{', '.join([':'] * len(value.shape))}, None]"
            if value.shape
            else 'a number has no elements; what stands for an array ahead of time is its type, "f32[?,?]"'
        )
        raise TileShapeError(f"{describe(value)} has {counted(len(value.shape), 'axis')}, the subscript has {given}", hint=hint)
    rest = (slice(None),) * (len(value.shape) - given)
    for place, item in enumerate(items):
        if item is Ellipsis:
            return (*items[:place], *rest, *(i for i in items[place + 1 :] if i is not Ellipsis))
    return (*items, *rest)


def _with_axis(value: Value, new: list[bool]) -> Value:
    """A row with an axis before or after it."""
    if len(value.shape) != 1 or len(new) != 2 or all(new):
        raise TileShapeError(
            f"{describe(value)} has no place for another axis: values have at most two",
            hint="xt.sum, xt.max and their like keep the axis that they reduce, with size 1: no [:, None] is needed there",
        )
    if new[0]:
        return Value(value.ir, value.dtype, (1, *value.shape))
    return Value(_transposed(value.ir), value.dtype, (*value.shape, 1))


@operator("item")
def item(value: Value) -> Value:
    """`value.item()`."""
    if not value.shape:
        return value
    if count(value.shape) != 1:
        raise TileShapeError(
            f"item() takes the only element of a value, {describe(value)} has {count(value.shape)}",
            hint=f"x[{', '.join('0' * len(value.shape))}] is one of them; xt.sum, xt.max and their like reduce all to one",
        )
    return Value(current().build(vector.Extract, value.ir, position=(0, 0), result=element_of(value.ir.type)), value.dtype)


def tile_broadcast(value: Value, shape: tuple[int, ...], *, wg_map: Layout | None = None) -> Value:
    """The value stretched along axes of size 1, or a scalar filled in, to `shape`; `wg_map` is the result's map (RFC).

    Raises TileShapeError where another axis would change.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty((2, 4), xt.f32)}, grid=(1,))
        def example(X, Y):
            x = xt.load_tile(xt.init_tile(X, (0, 0), (2, 4)))
            xt.store_tile(xt.tile_broadcast(xt.max(x, axis=1), (2, 4)), xt.init_tile(Y, (0, 0), (2, 4)))

        print(example(np.float32([[4, 1, 3, 2], [5, 7, 6, 8]])))

    Prints:
        [[4. 4. 4. 4.]
         [8. 8. 8. 8.]]
    """
    shape = check_shape(shape, "tile_broadcast")
    if not isinstance(value, Value):
        raise TileShapeError(
            f"tile_broadcast takes a value, not {describe(value)}",
            hint=hint_to_load(value) or "xt.full(shape, number, dtype) makes one",
        )
    if value.shape and len(shape) < len(value.shape):
        raise TileShapeError(f"tile_broadcast: {describe(value)} has more axes than {shape}")
    result = broadcast_to(value, shape, check_map(wg_map, "tile_broadcast"))
    return Value(result.ir, value.dtype, shape)


def tile_conv_layout(value: Value, wg_map: Layout, input_map: Layout | None = None) -> Value:
    """The same value distributed over subgroups by `wg_map`; `input_map` states the source's map (RFC, tile_conv_layout).

    Raises LayoutError for maps that do not fit the value or the kernel's number of subgroups.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.f32)}, grid=(1,))
        def example(X, Y):
            rows, columns = xt.wg_map((4, 1), (8, 32)), xt.wg_map((1, 4), (32, 8))
            x = xt.load_tile(xt.init_tile(X, (0, 0), (32, 32), wg_map=rows))
            y = xt.tile_conv_layout(x, columns)     # each subgroup gets 8 columns; before it had 8 rows
            xt.store_tile(y, xt.init_tile(Y, (0, 0), (32, 32), wg_map=columns))

        X = np.arange(1024, dtype=np.float32).reshape(32, 32)
        print((example(X) == X).all())

    Prints:
        True
    """
    if not isinstance(value, Value) or not value.shape:
        raise in_a_kernel(
            TileShapeError(f"tile_conv_layout takes a value with elements, not {describe(value)}", hint=hint_to_load(value))
        )
    target, source = check_map(wg_map, "tile_conv_layout"), check_map(input_map, "tile_conv_layout")
    if target is None:
        raise TileShapeError("tile_conv_layout needs the map of the result", hint="wg_map=xt.wg_map(sg_layout=..., sg_data=...)")
    return value.with_ir(current().build(xetile.TileConvLayout, value.ir, wg_map=target, input_map=source))
