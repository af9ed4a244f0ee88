"""Values in other shapes: transposed, with axes added, as a scalar, broadcast, distributed in another way."""

from __future__ import annotations

from typing import Any

from xetile.dialects import arith, math, vector, xetile
from xetile.dialects.types import VectorType, element_of
from xetile.errors import CompileError, TileShapeError
from xetile.ir.core import Value as IRValue
from xetile.language.context import current
from xetile.language.elementwise import broadcast_to
from xetile.language.maps import check_map
from xetile.language.values import Value, check_shape, count, describe, operator, shape2d
from xetile.layout import Layout

_MAX_RECOMPUTED = 16  # ops; beyond, moving the data is taken to be cheaper
_ELEMENTWISE = (*arith.ELEMENTWISE, *math.ELEMENTWISE)


def tile_transpose(value: Value, permutation: tuple[int, int] = (1, 0), *, wg_map: Layout | None = None) -> Value:
    """The 2-D value (M, N) as (N, M); `wg_map` is the result's map (RFC, tile_transpose).

    Raises TileShapeError for a value that has not two axes.
    """
    if not isinstance(value, Value) or len(value.shape) != 2:
        raise TileShapeError(f"tile_transpose takes a 2-D value, not {describe(value)}")
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
    return isinstance(op, _ELEMENTWISE) and all(_is_computed(v, left) for v in op.operands if isinstance(v.type, VectorType))


def _recomputed(ir: IRValue, done: dict[IRValue, IRValue]) -> IRValue:
    if ir in done or not isinstance(ir.type, VectorType):
        return done.get(ir, ir)
    kernel, op = current(), ir.op
    turned = ir.type.with_shape(*reversed(ir.type.shape))
    if isinstance(op, arith.Constant):
        return kernel.constant(op.value, turned)
    assert op is not None
    operands = [_recomputed(v, done) for v in op.operands]
    attributes = {**op.attributes, "dim": 1 - op.dim} if isinstance(op, xetile.TileIota) else op.attributes
    done[ir] = kernel.build(type(op), *operands, result=turned, **attributes)
    return done[ir]


@operator("getitem")
def getitem(value: Value, index: Any) -> Value:
    """`value[:, None]`, `value[None, :]`, `value[:]`; raises CompileError for other subscripts."""
    items = index if isinstance(index, tuple) else (index,)
    kept = [i for i in items if i == slice(None) or i is Ellipsis] if not any(isinstance(i, Value) for i in items) else []
    if len(kept) + sum(i is None for i in items) != len(items) or Ellipsis in kept:
        raise CompileError(
            f"{describe(value)} takes the subscripts [:, None], [None, :] and [:] only",
            hint="load the part that you need with init_tile and load_tile, choose elements with xt.where, v.item() is a scalar",
        )
    if len(items) == len(kept):
        return value
    if len(value.shape) != 1 or len(items) != 2:
        raise TileShapeError(
            f"{describe(value)} has no place for the axes of this subscript", hint="values have at most two axes"
        )
    n = value.shape[0]
    if items[0] is None:
        return Value(value.ir, value.dtype, (1, n))
    return Value(_transposed(value.ir), value.dtype, (n, 1))


@operator("item")
def item(value: Value) -> Value:
    """`value.item()`."""
    if not value.shape:
        return value
    if count(value.shape) != 1:
        raise TileShapeError(f"item() takes the only element of a value, {describe(value)} has {count(value.shape)}")
    return Value(current().build(vector.Extract, value.ir, position=(0, 0), result=element_of(value.ir.type)), value.dtype)


def tile_broadcast(value: Value, shape: tuple[int, ...], *, wg_map: Layout | None = None) -> Value:
    """The value stretched along axes of size 1, or a scalar filled in, to `shape`; `wg_map` is the result's map (RFC).

    Raises TileShapeError where another axis would change.
    """
    shape = check_shape(shape, "tile_broadcast")
    if not isinstance(value, Value):
        raise TileShapeError(
            f"tile_broadcast takes a value, not {describe(value)}", hint="xt.full(shape, number, dtype) makes one"
        )
    if value.shape and len(shape) < len(value.shape):
        raise TileShapeError(f"tile_broadcast: {describe(value)} has more axes than {shape}")
    result = broadcast_to(value, shape, check_map(wg_map, "tile_broadcast"))
    return Value(result.ir, value.dtype, shape)


def tile_conv_layout(value: Value, wg_map: Layout, input_map: Layout | None = None) -> Value:
    """The same value distributed over subgroups by `wg_map`; `input_map` states the source's map (RFC, tile_conv_layout)."""
    if not isinstance(value, Value) or not value.shape:
        raise TileShapeError(f"tile_conv_layout takes a value with elements, not {describe(value)}")
    target, source = check_map(wg_map, "tile_conv_layout"), check_map(input_map, "tile_conv_layout")
    if target is None:
        raise TileShapeError("tile_conv_layout needs the map of the result", hint="wg_map=xt.wg_map(sg_layout=..., sg_data=...)")
    return value.with_ir(current().build(xetile.TileConvLayout, value.ir, wg_map=target, input_map=source))


def reshape2d(value: Value) -> Value:
    """A row as a 2-D value of one row."""
    return Value(value.ir, value.dtype, shape2d(value.shape))
