"""Values from nothing: constants, coordinates, ids."""

from __future__ import annotations

from typing import Any

from xetile import dtypes
from xetile.dialects import gpu, xetile
from xetile.dialects.types import INDEX, VectorType
from xetile.dtypes import DType
from xetile.errors import CompileError, TileShapeError
from xetile.language.context import current
from xetile.language.elementwise import as_value, broadcast_to, constant, plain
from xetile.language.maps import check_map
from xetile.language.values import NUMBERS, Value, check_dtype, check_shape, describe, shape2d
from xetile.layout import Layout

_AXES = ("x", "y", "z")


def zeros(shape: int | tuple[int, ...], dtype: DType = dtypes.f32) -> Value:
    """A value of zeros. `shape`: constants, (M, N) or (N,). Raises TileShapeError, DtypeError."""
    current()
    return constant(0, check_dtype(dtype, "zeros: dtype"), check_shape(shape, "zeros"))


def full(shape: int | tuple[int, ...], value: Any, dtype: DType | None = None) -> Value:
    """A value whose elements are all `value`, a number or a run-time scalar; `dtype` defaults to the scalar's (f32 for floats).

    Raises TileShapeError, DtypeError.
    """
    extent = check_shape(shape, "full")
    value = plain(value)
    if dtype is not None:
        check_dtype(dtype, "full: dtype")
    if isinstance(value, NUMBERS):
        return constant(value, dtype or as_value(value).dtype, extent)
    scalar = as_value(value)
    if scalar.shape:
        raise TileShapeError(f"full: the value is {describe(scalar)}, not a scalar", hint="xt.tile_broadcast stretches values")
    return broadcast_to(scalar.to(dtype) if dtype is not None else scalar, extent)


def arange(start: int, stop: int | None = None, *, dtype: DType = dtypes.index, wg_map: Layout | None = None) -> Value:
    """The row start, start + 1, ..., stop - 1 (or 0 to start - 1): constants that fix the length; index unless `dtype` says else.

    Raises CompileError for bounds that are not constants or give no element.
    """
    low, high = (0, start) if stop is None else (start, stop)
    if not isinstance(low, int) or not isinstance(high, int):
        raise CompileError(
            f"arange({describe(low)}, {describe(high)}): the bounds must be constants",
            hint="make them constexpr parameters, or shift a constant range: begin + xt.arange(64)",
        )
    if high <= low:
        raise TileShapeError(f"arange({low}, {high}) has no elements")
    row = iota((high - low,), wg_map)
    return (row if low == 0 else row + low).to(check_dtype(dtype, "arange: dtype"))


def iota(shape: tuple[int, ...], wg_map: Layout | None = None, dim: int = 1) -> Value:
    """Each element's coordinate along `dim` of its two-dimensional place, as index."""
    result = VectorType(shape2d(shape), INDEX)
    return Value(
        current().build(xetile.TileIota, dim=dim, wg_map=check_map(wg_map, "arange"), result=result), dtypes.index, shape
    )


def _axis(axis: int, op: str) -> str:
    if not isinstance(axis, int) or not 0 <= axis < len(_AXES):
        raise CompileError(f"{op}({describe(axis)}): grids have the axes 0, 1 and 2")
    return _AXES[axis]


def program_id(axis: int) -> Value:
    """Which program (workgroup) this is along an axis (0, 1 or 2) of the grid, as index."""
    return Value(current().build(gpu.BlockId, dimension=_axis(axis, "program_id")), dtypes.index)


def num_programs(axis: int) -> Value:
    """How many programs the grid has along an axis (0, 1 or 2), as index."""
    return Value(current().build(gpu.GridDim, dimension=_axis(axis, "num_programs")), dtypes.index)


def subgroup_id() -> Value:
    """Which subgroup of the workgroup executes this, as index: the one scalar that differs within a program.

    Conditions and loops may depend on it; so may what tiles load and store whose `wg_map` says which part each subgroup has.
    """
    return Value(current().build(gpu.SubgroupId), dtypes.index)
