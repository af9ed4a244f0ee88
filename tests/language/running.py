"""Running small kernels on the numpy backend, and tracing them, for tests of the language and the frontend."""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np

import xetile as xt
from xetile.dialects.gpu import GpuModule
from xetile.frontend import trace
from xetile.ir.printer import print_op
from xetile.ir.verifier import verify
from xetile.runtime.specialize import PerformanceWarning
from xetile.signature import Signature

# Another device, for looking at one: XETILE_TEST_DEVICE=cpu pytest tests/language
DEVICE = os.environ.get("XETILE_TEST_DEVICE", "numpy")


def run(kernel: Any, *arrays: Any, grid: tuple[int, ...] = (1,), **constants: Any) -> None:
    """Run a kernel (or a plain function) on numpy arrays in place."""
    kernel = kernel if getattr(kernel, "__xetile_kernel__", False) else xt.jit(kernel)
    with xt.device(DEVICE), warnings.catch_warnings():
        warnings.simplefilter("ignore", PerformanceWarning)
        kernel[grid](*arrays, **constants)


def traced(kernel: Any, constants: dict[str, Any] | None = None, /, *, num_subgroups: int | None = None, index_bits: int = 32,
           **types: str) -> GpuModule:  # fmt: skip
    """The verified module of a kernel for parameter types by name."""
    module = trace(kernel, Signature.of(**types), constants, num_subgroups=num_subgroups, index_bits=index_bits)
    verify(module)
    return module


def text_of(kernel: Any, constants: dict[str, Any] | None = None, /, **types: Any) -> str:
    """Its text."""
    return print_op(traced(kernel, constants, **types))


def body_of(kernel: Any, constants: dict[str, Any] | None = None, /, **types: Any) -> list[str]:
    """The lines inside the kernel, without indentation."""
    lines = [line.strip() for line in text_of(kernel, constants, **types).splitlines()]
    return lines[2:-3]


def ops_of(kernel: Any, constants: dict[str, Any] | None = None, /, **types: Any) -> list[str]:
    """The names of the ops inside the kernel, in order."""
    return [op.opname for op in traced(kernel, constants, **types).kernel.body.walk()]


def apply(function: Any, *arrays: Any, result: Any, shape: tuple[int, ...] | None = None, **constants: Any) -> Any:
    """`function` of whole arrays as values, as an array of dtype `result` (one of ours) and, but for the first array's, `shape`.

    Arrays of rank 1 are rows; plain numbers are passed to the kernel as scalars.
    """
    out = xt.empty(shape if shape is not None else arrays[0].shape, result)
    names = "abc"[: len(arrays)]
    kernel = _KERNELS[len(arrays)]
    run(
        kernel,
        *arrays,
        out,
        F=function,
        **{f"S{n}": getattr(v, "shape", None) for n, v in zip(names, arrays)},
        SO=out.shape,
        **constants,
    )
    return out


@xt.jit
def _read(array, size: xt.constexpr):
    return array if size is None else xt.load_tile(xt.init_tile(array, (0,) * len(size), size))


@xt.jit
def _write(value, out, size: xt.constexpr):
    xt.store_tile(value, xt.init_tile(out, (0,) * len(size), size))


@xt.jit
def _apply1(a, out, F: xt.constexpr, Sa: xt.constexpr, SO: xt.constexpr):
    _write(F(_read(a, Sa)), out, SO)


@xt.jit
def _apply2(a, b, out, F: xt.constexpr, Sa: xt.constexpr, Sb: xt.constexpr, SO: xt.constexpr):
    _write(F(_read(a, Sa), _read(b, Sb)), out, SO)


@xt.jit
def _apply3(a, b, c, out, F: xt.constexpr, Sa: xt.constexpr, Sb: xt.constexpr, Sc: xt.constexpr, SO: xt.constexpr):
    _write(F(_read(a, Sa), _read(b, Sb), _read(c, Sc)), out, SO)


_KERNELS = {1: _apply1, 2: _apply2, 3: _apply3}


def scalars(function: Any, *arguments: Any, n: int = 1, dtype: Any = None, given: Any = None) -> list[Any]:
    """The `n` scalars that a kernel function gives (one, or a tuple) for scalar arguments, as i32 unless `dtype` says else.

    `given`: dtype to which the arguments are converted first.
    """
    dtype = dtype or xt.i32
    out = np.zeros(n, dtype.numpy)
    run(_SCALARS[len(arguments)], *arguments, out, F=function, N=n, DT=dtype, G=given)
    return [v.item() for v in out]


@xt.jit
def _store_all(results, out, N: xt.constexpr, DT: xt.constexpr):
    results = results if isinstance(results, tuple) else (results,)
    assert len(results) == N
    for i, value in enumerate(results):
        xt.store_tile(xt.full((1,), value, DT), xt.init_tile(out, i, (1,)))


@xt.jit
def _given(x, dtype: xt.constexpr):
    return x if dtype is None else x.to(dtype)


@xt.jit
def _scalars1(a, out, F: xt.constexpr, N: xt.constexpr, DT: xt.constexpr, G: xt.constexpr):
    _store_all(F(*[_given(x, G) for x in (a,)]), out, N, DT)


@xt.jit
def _scalars2(a, b, out, F: xt.constexpr, N: xt.constexpr, DT: xt.constexpr, G: xt.constexpr):
    _store_all(
        F(
            *[
                _given(x, G)
                for x in (
                    a,
                    b,
                )
            ]
        ),
        out,
        N,
        DT,
    )


@xt.jit
def _scalars3(a, b, c, out, F: xt.constexpr, N: xt.constexpr, DT: xt.constexpr, G: xt.constexpr):
    _store_all(
        F(
            *[
                _given(x, G)
                for x in (
                    a,
                    b,
                    c,
                )
            ]
        ),
        out,
        N,
        DT,
    )


_SCALARS = {1: _scalars1, 2: _scalars2, 3: _scalars3}
