"""What launch code calls at every call (`xt.empty` in `out=`, `xt.cdiv` in `grid=`): this file imports no compiler module."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from xetile.dtypes import DType, from_numpy
from xetile.errors import CompileError, DtypeError

if TYPE_CHECKING:
    import numpy as np

allocator: ContextVar[Callable[[Any, Any], Any] | None] = ContextVar("xetile_allocator", default=None)
"""While a call with device arrays runs its `out` rules: the function of a shape and a numpy dtype that allocates beside them."""

inliner: ContextVar[Callable[[Any, Any, list[Any], dict[str, Any]], Any] | None] = ContextVar("xetile_inliner", default=None)
"""While a kernel is traced calls plain Python: what a call of a kernel in there is, a function of it, a grid and arguments."""


def empty(shape: int | tuple[int, ...], dtype: Any) -> np.ndarray[Any, Any]:
    """A new array with undefined contents, for `out=` of xt.jit and for tests.

    dtype   one of ours, or one of numpy's, such as the dtype of an argument: `out={"Y": lambda X: xt.empty(X.shape, X.dtype)}`.

    A numpy array; within the `out` rule of a call with device arrays, an array on their device.

    Raises DtypeError for what is no dtype, CompileError inside a kernel.
    """
    import numpy

    if not isinstance(dtype, DType):
        dtype = _of_numpy(dtype)
    if not all(isinstance(n, int) for n in (shape if isinstance(shape, tuple) else (shape,))):
        raise CompileError("empty allocates arrays on the host, not in kernels", hint="use xt.zeros or xt.alloc_slm")
    allocate = allocator.get()
    new: np.ndarray[Any, Any] = numpy.empty(shape, dtype.numpy) if allocate is None else allocate(shape, dtype.numpy)
    return new


def _of_numpy(dtype: Any) -> DType:
    import numpy

    try:
        if dtype is not None:  # numpy's word for f64
            return from_numpy(numpy.dtype(dtype))
    except TypeError:
        pass
    raise DtypeError(f"empty: dtype is {dtype!r}, not a dtype", hint="use xt.f16, xt.f32, xt.i32, ...")


def cdiv(a: Any, b: Any) -> Any:
    """`a / b` rounded up, for integers: `xt.cdiv(M, 64)` tiles of 64 cover M rows. Plain ints give a plain int.

    Raises DtypeError for floats.
    """
    if isinstance(a, int) and isinstance(b, int):
        return -(-a // b)
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        raise DtypeError(f"cdiv of {a!r} and {b!r}: it divides integers", hint="write whole numbers as such: 16, not 16.0")
    from xetile.language.division import cdiv as emit

    return emit(a, b)
