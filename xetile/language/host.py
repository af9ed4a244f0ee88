"""What launch code calls at every call (`xt.empty`, `xt.zeros` in `out=`, `xt.cdiv` in `grid=`): this file imports no compiler module."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any

from xetile.dtypes import DType, f32, from_numpy, i32
from xetile.errors import CompileError, DtypeError, TileShapeError
from xetile.language.ambient import allocator, traced

if TYPE_CHECKING:
    import numpy as np


def empty(shape: int | tuple[int, ...], dtype: Any) -> np.ndarray[Any, Any]:
    """A new array with undefined contents, for `out=` of xt.jit and for tests.

    dtype   one of ours, or one of numpy's, such as the dtype of an argument: `out={"Y": lambda X: xt.empty(X.shape, X.dtype)}`.

    A numpy array; within the `out` rule of a call with device arrays, an array on their device.

    Raises DtypeError for what is no dtype, TileShapeError for what is no shape, CompileError inside a kernel.

    Example:
        print(xt.empty((2, 3), xt.bf16).dtype, xt.empty(4, np.int16).shape)

    Prints:
        bfloat16 (4,)
    """
    if traced.get() is not None:
        raise CompileError("empty allocates arrays on the host, not in kernels", hint="use xt.zeros or xt.alloc_slm")
    new: np.ndarray[Any, Any] = _allocate("empty", shape, dtype, None)
    return new


def zeros(shape: int | tuple[int, ...], dtype: Any = f32) -> Any:
    """Zeros: in a kernel a value of `shape` (constants, (M, N) or (N,)) and `dtype`; elsewhere a new array, as `empty` makes it.

    `out={"Sums": lambda X: xt.zeros(X.shape[1])}` is an output that the programs of a grid add to.

    Raises TileShapeError for a shape that no value has, DtypeError for what is no dtype.

    Example:
        @xt.jit(out={"Sum": lambda X: xt.zeros(1)}, grid=(2,))
        def example(X, Sum):
            x = xt.load_tile(xt.init_tile(X, xt.program_id(0) * 4, (4,)))
            total = xt.zeros((4,), xt.f32) + x
            xt.atomic_rmw_tile("add", xt.full((1,), xt.sum(total)), xt.init_tile(Sum, 0, (1,)))

        print(example(np.ones(8, np.float32)))

    Prints:
        [8.]
    """
    if traced.get() is None:
        return _allocate("zeros", shape, dtype, 0)
    from xetile.language.create import full as emit

    return emit(shape, 0, dtype, "zeros")


def full(shape: int | tuple[int, ...], value: Any, dtype: Any = None) -> Any:
    """`shape` elements that are all `value`: in a kernel a value, of a number or a run-time scalar; elsewhere a new array.

    dtype   by default the value's; of Python numbers f32 for floats, for ints index in a kernel and i32 in an array.

    Raises TileShapeError for a shape that no value has, DtypeError for what is no dtype.

    Example:
        @xt.jit(out={"Y": lambda: xt.full((4,), -1, xt.f16)}, grid=(1,))
        def example(scale, Y):
            xt.store_tile(xt.full((3,), scale, xt.f16), xt.init_tile(Y, 0, (3,)))

        print(example(0.5))

    Prints:
        [ 0.5  0.5  0.5 -1. ]
    """
    if traced.get() is None:
        return _allocate("full", shape, dtype or (f32 if isinstance(value, float) else i32), value)
    from xetile.language.create import full as emit

    return emit(shape, value, dtype)


def _allocate(name: str, shape: int | tuple[int, ...], dtype: Any, fill: Any) -> Any:
    if not isinstance(dtype, DType):
        dtype = _of_numpy(name, dtype)
    if not all(isinstance(n, int) and n >= 0 for n in (shape if isinstance(shape, tuple) else (shape,))):
        shape = _whole(name, shape)
    return (allocator.get() or in_host_memory)(shape, dtype.numpy, fill)


def _whole(name: str, shape: Any) -> tuple[int, ...]:
    """The shape in whole numbers: numpy's are taken, and a list."""
    sizes = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    try:
        whole = tuple(map(index, sizes))
    except TypeError:
        raise TileShapeError(f"{name}: {shape!r} is not a shape", hint="sizes are whole numbers; // divides so") from None
    if any(n < 0 for n in whole):
        raise TileShapeError(f"{name}: {shape!r} is not a shape: sizes are not negative")
    return whole


def in_host_memory(shape: int | tuple[int, ...], dtype: Any, fill: Any) -> Any:
    """A new numpy array, undefined where `fill` is None: what allocates where no device array stands in a call."""
    import numpy

    return numpy.empty(shape, dtype) if fill is None else numpy.full(shape, fill, dtype)


def _of_numpy(name: str, dtype: Any) -> DType:
    import numpy

    try:
        if dtype is not None:  # numpy's word for f64
            return from_numpy(numpy.dtype(dtype))
    except TypeError:
        pass
    raise DtypeError(f"{name}: dtype is {dtype!r}, not a dtype", hint="use xt.f16, xt.f32, xt.i32, ...")


def cdiv(a: Any, b: Any) -> Any:
    """`a / b` rounded up, for integers: `xt.cdiv(M, 64)` tiles of 64 cover M rows. Plain ints give a plain int.

    Raises DtypeError for floats.

    Example:
        print(xt.cdiv(1000, 256))

    Prints:
        4
    """
    if isinstance(a, int) and isinstance(b, int):
        return -(-a // b)
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        raise DtypeError(f"cdiv of {a!r} and {b!r}: it divides integers", hint="write whole numbers as such: 16, not 16.0")
    from xetile.language.division import cdiv as emit

    return emit(a, b)
