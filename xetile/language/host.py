"""What launch code calls: `xt.empty` in `out=`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xetile.dtypes import DType
from xetile.errors import CompileError, DtypeError

if TYPE_CHECKING:
    import numpy as np


def empty(shape: int | tuple[int, ...], dtype: DType) -> np.ndarray[Any, Any]:
    """A new numpy array of one of our dtypes with undefined contents, for `out=` of xt.jit and for tests.

    Raises DtypeError for what is no dtype, CompileError inside a kernel.
    """
    import numpy

    if not isinstance(dtype, DType):
        raise DtypeError(f"empty: dtype is {dtype!r}, not a dtype of xetile", hint="use xt.f16, xt.f32, xt.i32, ...")
    if not all(isinstance(n, int) for n in (shape if isinstance(shape, tuple) else (shape,))):
        raise CompileError("empty allocates arrays on the host, not in kernels", hint="use xt.zeros or xt.alloc_slm")
    return numpy.empty(shape, dtype.numpy)
