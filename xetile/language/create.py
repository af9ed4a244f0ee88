"""Values from nothing: constants, coordinates, ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xetile import dtypes
from xetile.dialects import gpu, xetile
from xetile.dialects.types import INDEX, VectorType
from xetile.errors import CompileError, TileShapeError
from xetile.language.context import current
from xetile.language.elementwise import as_value, broadcast_to, constant, plain
from xetile.language.maps import check_map
from xetile.language.values import NUMBERS, Value, check_dtype, check_shape, constant_hint, describe, shape2d
from xetile.layout import Layout

if TYPE_CHECKING:
    from xetile.dtypes import DTypeLike

_AXES = ("x", "y", "z")


def full(shape: int | tuple[int, ...], value: Any, dtype: DTypeLike | None = None, op: str = "full") -> Value:
    """`language.host.full` in a kernel."""
    extent = check_shape(shape, op)
    value = plain(value)
    if dtype is not None:
        dtype = check_dtype(dtype, f"{op}: dtype")
    if isinstance(value, NUMBERS):
        return constant(value, dtype or as_value(value).dtype, extent)
    scalar = as_value(value)
    if scalar.shape:
        raise TileShapeError(f"full: the value is {describe(scalar)}, not a scalar", hint="xt.tile_broadcast stretches values")
    return broadcast_to(scalar.to(dtype) if dtype is not None else scalar, extent)


def arange(
    start: int, stop: int | None = None, step: int = 1, *, dtype: DTypeLike = dtypes.index, wg_map: Layout | None = None
) -> Value:
    """The row start, start + step, ... in front of stop (0 to start - 1 without one), as numpy's: constants that fix the length.

    step    not 0; below it the row counts down.
    dtype   of the elements, index unless it says else.

    Raises CompileError for bounds and steps that are not constants, TileShapeError where they give no element.

    Example:
        @xt.jit(out={"Y": lambda: xt.empty((2, 4), xt.i32)}, grid=(1,))
        def example(Y):
            row, column = xt.arange(2)[:, None], xt.arange(4)[None, :]
            xt.store_tile(row * 10 + column, xt.init_tile(Y, (0, 0), (2, 4)))

        print(example())

    Prints:
        [[ 0  1  2  3]
         [10 11 12 13]]
    """
    low, high = (0, start) if stop is None else (start, stop)
    if not isinstance(low, int) or not isinstance(high, int):
        raise CompileError(
            f"arange({describe(low)}, {describe(high)}): the bounds must be constants",
            hint=f"{constant_hint(high if isinstance(high, Value) else low)}, or shift a constant range: begin + xt.arange(64)",
        )
    if not isinstance(step, int) or step == 0:
        raise CompileError(f"arange: the step is {describe(step)}", hint="a constant that is not 0")
    length = -((low - high) // step)
    if length < 1:
        raise TileShapeError(f"arange({low}, {high}{f', {step}' if step != 1 else ''}) has no elements")
    row = iota((length,), wg_map)
    if step < 0:  # of numbers none of which is negative more is known
        row = low - row * -step
    else:
        row = row if step == 1 else row * step
        row = row if low == 0 else row + low
    return row.to(check_dtype(dtype, "arange: dtype"))


def iota(shape: tuple[int, ...], wg_map: Layout | None = None, dim: int = 1) -> Value:
    """Each element's coordinate along `dim` of its two-dimensional place, as index."""
    result = VectorType(shape2d(shape), INDEX)
    return Value(
        current().build(xetile.TileIota, dim=dim, wg_map=check_map(wg_map, "arange"), result=result), dtypes.index, shape
    )


def _axis(axis: int, op: str) -> str:
    if not isinstance(axis, int) or not 0 <= axis < len(_AXES):
        raise CompileError(
            f"{op}({describe(axis)}): grids have the axes 0, 1 and 2",
            hint=f"xt.{op}(0) is that along x, the first number of the grid",
        )
    return _AXES[axis]


def program_id(axis: int) -> Value:
    """Which program (workgroup) this is along an axis (0, 1 or 2) of the grid, as index.

    Raises CompileError for another axis.

    Example:
        @xt.jit(out={"Y": lambda: xt.empty((2, 3), xt.i32)}, grid=(3, 2))
        def example(Y):
            x, y = xt.program_id(0), xt.program_id(1)
            xt.store_tile((y * 10 + x).to(xt.i32), xt.init_tile(Y, (y, x), (1, 1)))

        print(example())

    Prints:
        [[ 0  1  2]
         [10 11 12]]
    """
    return Value(current().build(gpu.BlockId, dimension=_axis(axis, "program_id")), dtypes.index)


def num_programs(axis: int) -> Value:
    """How many programs the grid has along an axis (0, 1 or 2), as index.

    Raises CompileError for another axis.

    Example:
        @xt.jit(grid=(2,))
        def example(X):
            total = xt.zeros((4,))
            for i in range(xt.program_id(0) * 4, X.shape[0], xt.num_programs(0) * 4):   # every second part
                total += xt.load_tile(xt.init_tile(X, i, (4,)))
            xt.device_print("program", xt.program_id(0), "of", xt.num_programs(0), "sums", xt.sum(total))

        example(np.arange(16, dtype=np.float32))

    Prints:
        program 0 of 2 sums 44.000000
        program 1 of 2 sums 76.000000
    """
    return Value(current().build(gpu.GridDim, dimension=_axis(axis, "num_programs")), dtypes.index)


def subgroup_id() -> Value:
    """Which subgroup of the workgroup executes this, as index: the one scalar that differs within a program.

    Conditions and loops may depend on it; so may what tiles load and store whose `wg_map` says which part each subgroup has.

    Example:
        @xt.jit(grid=(1,), num_subgroups=2)
        def example(X):
            if xt.subgroup_id() == 1:
                xt.device_print("this is said by subgroup", xt.subgroup_id())

        example(np.zeros(4, np.float32))

    Prints:
        this is said by subgroup 1
    """
    return Value(current().build(gpu.SubgroupId), dtypes.index)
