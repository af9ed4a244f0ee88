"""Numbers as arguments: the type that each is passed in, and whether it fits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from xetile.dtypes import DTYPES, DType, from_numpy
from xetile.errors import ArgumentError
from xetile.index_ranges import stride_of

if TYPE_CHECKING:
    from xetile.runtime.artifact import ArgSpec

F32_LIMIT = (2 - 2.0**-24) * 2.0**127
"""Magnitudes from here on round to infinity in f32 (IEEE 754, 4.3.1)."""


def scalar_dtype(kernel: str, param: str, value: Any, *, precise: bool = False, declared: DType | None = None) -> DType:
    """The type of a number given as an argument; `precise`: of a call with an f64 array, where floats of Python are f64.

    Raises ArgumentError for what is no number, or one that does not fit.
    """
    if declared is not None:
        check(kernel, param, declared.name, value)
        return declared
    if isinstance(value, (bool, np.bool_)):
        return DTYPES["bool"]
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            fits = f"`{param}: xt.u64` in the kernel's parameters takes it" if 0 <= value < 2**64 else ""
            raise ArgumentError(
                f"{kernel}: {param} is {shown(value)}", hint=fits or "whole numbers are passed in at most 64 bits"
            )
        return DTYPES["i32" if -(2**31) <= value < 2**31 else "i64"]
    if isinstance(value, float):  # numpy.float64 is one
        found = DTYPES["f64" if precise else "f32"]
        if why := problem(found.name, value):
            raise ArgumentError(f"{kernel}: {param} is {value!r}: {why}", hint="floats are f64 in calls with an array of f64")
        return found
    if hasattr(value, "dtype") and getattr(value, "shape", None) == ():
        return from_numpy(value.dtype)
    kind = type(value).__name__
    article = "an" if kind[0] in "aeiouAEIOU" else "a"
    raise ArgumentError(f"{kernel}: {param} is {article} {kind}", hint=_instead_of(param, value))


def _instead_of(param: str, value: Any) -> str:
    """What to pass instead of something that is neither an array nor a number."""
    if isinstance(value, (str, DType, type)):
        return f"pass an array or a number; {param}: xt.constexpr in the kernel's parameters makes it a constant"
    if isinstance(value, (list, tuple)):
        return f"np.asarray({param}) makes an array of it, {param}: xt.constexpr in the kernel's parameters a constant"
    if hasattr(value, "to_numpy"):
        return f"pass {param}.to_numpy(): what a kernel writes reaches {param} only where that copies nothing"
    try:
        memoryview(value)
    except TypeError:
        return "pass an array or a number; of a dict or an object pass what the kernel needs, one by one"
    return f"pass np.asarray({param}), an array on the same memory"


def problem(name: str, value: Any) -> str:
    """Why a number cannot be passed as a dtype of that name ("i32", "index64", ...); empty where it can."""
    kind = DTYPES["i32" if name == "index32" else "i64" if name in ("index64", "index") else name]
    if kind.kind == "b":
        return "" if isinstance(value, (bool, np.bool_)) or value in (0, 1) else "it is no bool"
    if kind.is_float:
        return _float_problem(kind, value)
    if not isinstance(value, (int, np.integer, np.bool_)):
        return f"it is a {type(value).__name__}, not a whole number for {name}"
    limits = np.iinfo(kind.numpy.name)
    return "" if int(limits.min) <= int(value) <= int(limits.max) else f"it does not fit {name}"


def _float_problem(kind: DType, value: Any) -> str:
    try:
        number = float(value)
    except OverflowError:
        return f"it does not fit {kind}"
    except (TypeError, ValueError):
        return f"it is a {type(value).__name__}, not a number for {kind}"
    if kind.bits >= 64 or not np.isfinite(number) or (hasattr(value, "dtype") and value.dtype == kind.numpy):
        return ""
    with np.errstate(over="ignore"):
        return "" if np.isfinite(kind.numpy.type(number)) else f"it does not fit {kind}"


def check(kernel: str, param: str, name: str, value: Any) -> None:
    """Raise ArgumentError for a number that cannot be passed as a dtype of that name."""
    if why := problem(name, value):
        raise ArgumentError(f"{kernel}: {param} is {shown(value)}: {why}")


def passed(spec: ArgSpec, value: Any) -> Any:
    """The number that a scalar is, or a size or a stride of an array. Raises ArgumentError for an axis that the array has not."""
    if spec.kind == "scalar":
        return value
    if spec.axis >= len(value.shape):
        raise ArgumentError(
            f"{spec.param}: the kernel takes {spec.axis + 1} or more dimensions, the array has {len(value.shape)}"
        )
    return value.shape[spec.axis] if spec.kind == "dim" else stride_of(value, spec.axis)


def misfit(spec: ArgSpec, number: Any, error: Exception) -> ArgumentError:
    """What is wrong with a number that its dtype does not hold: packing it raised an error."""
    if spec.kind == "scalar" and isinstance(number, int | float) and (why := problem(spec.dtype, number)):
        return ArgumentError(f"{spec.param} is {number!r}: {why}")
    wanted = f"{'fewer elements' if spec.kind == 'dim' else 'smaller strides'}: the kernel was compiled for 32-bit sizes"
    wanted = f"a scalar of type {spec.dtype}" if spec.kind == "scalar" else wanted
    given = f"an array of shape {number.shape}" if isinstance(number, np.ndarray) else repr(number)
    return ArgumentError(f"{spec.param}: {given} does not fit ({error}); expected {wanted}")


def wrong_count(parameters: Sequence[str], given: int) -> ArgumentError | None:
    """What is wrong with so many arguments; None where it is their number."""
    if given == len(parameters):
        return None
    return ArgumentError(f"the kernel takes {len(parameters)} arguments ({', '.join(parameters)}); {given} were given")


def shown(value: Any) -> str:
    """A number in words: not all digits of a long one."""
    return "a number of more than 40 digits" if isinstance(value, int) and abs(value) > 10**40 else repr(value)
