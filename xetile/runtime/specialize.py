"""What a compiled kernel depends on besides its constants: dtypes, ranks, contiguity, and whether 2D block messages may be used.

Shapes and strides are run-time values: other sizes use the same kernel, as long as they keep or break the same rules.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import lru_cache
from typing import Any

import numpy as np

from xetile.dtypes import DType, dtype, from_numpy
from xetile.errors import ArgumentError
from xetile.records import dataclass
from xetile.runtime.arrays import ArrayInfo, as_host_array, describe, is_array, padded_copy
from xetile.runtime.artifact import Binary
from xetile.runtime.backend import DeviceInfo
from xetile.runtime.scalars import scalar_dtype
from xetile.runtime.views import is_tiled
from xetile.signature import ArrayType, ScalarParam, Signature, parse
from xetile.target.names import DEFAULT, block_rules, fills_lines, has_lane_runs, is_close, is_far, is_long, is_ragged

INDEX32_LIMIT = 2**31  # elements: beyond, offsets need 64 bits


class PerformanceWarning(UserWarning):
    """The kernel runs right but slower than it could."""


class SpillWarning(PerformanceWarning):
    """The kernel's values will not fit the registers: the driver will keep some in memory."""


def warn_of_slow_tiles(fn: Any, made: Binary) -> None:
    """Warn, where each is made in a kernel's source, of tiles that are moved element by element."""
    for why, hint, at in made.slow:
        message = f"{fn.__name__}: a tile is accessed element by element, which is slow: {why}\n  hint: {hint}"
        warnings.warn_explicit(message, PerformanceWarning, at.file, at.line, module=fn.__module__, registry={})


@dataclass(frozen=True)
class Specialization:
    """The types that a call's arguments ask for. `slow`: arrays without 2D block messages, and why."""

    types: tuple[tuple[str, ArrayType | ScalarParam], ...]
    target: str
    index_bits: int
    slow: Mapping[str, str] = field(default_factory=dict, hash=False, compare=False)

    @property
    def key(self) -> Any:
        """Equal for calls that one compiled kernel serves."""
        return self.types, self.index_bits

    def signature(self, order: Sequence[str]) -> Signature:
        """The types in the parameters' order."""
        known = dict(self.types)
        return Signature(tuple((name, known[name]) for name in order))


def specialize(kernel: str, values: Mapping[str, Any], device: DeviceInfo, target: str | None,
               declared: Mapping[str, DType] | None = None) -> Specialization:  # fmt: skip
    """The specialisation of a call. `declared`: types that the kernel's head gives numbers.

    Raises ArgumentError for arguments that kernels cannot take.
    """
    name = target or device.target or DEFAULT
    types: list[tuple[str, ArrayType | ScalarParam]] = []
    slow: dict[str, str] = {}
    elements = 0
    known = declared or {}
    precise = any(is_array(value) and getattr(value, "dtype", None) == np.float64 for value in values.values())
    for param, value in values.items():
        if not is_array(value):
            types.append((param, ScalarParam(scalar_dtype(kernel, param, value, precise=precise, declared=known.get(param)))))
            continue
        info = describe(value, param)
        if (said := known.get(param)) is not None and info.dtype != said.name:
            raise ArgumentError(f"{kernel}: {param} is {info.dtype}, and its annotation says {said}",
                                hint=f"pass an array of it, or write {param}: xt.Array, which takes each type")  # fmt: skip
        contiguous = _contiguity(kernel, param, info)
        broken = _broken_rule(name, info, contiguous)
        if broken and 0 not in info.shape:  # nothing is slow about no elements
            slow[param] = broken
        elements = max(elements, _reach(info))
        types.append((param, _array_type(name, info, contiguous, bool(broken))))
    return Specialization(tuple(types), name, 64 if elements >= INDEX32_LIMIT else 32, slow)


def array_type(value: Any, target: str = DEFAULT) -> ArrayType:
    """The type of an example array, its shape left to run time, and with it what its sizes and strides would promise."""
    info = _example(value)
    contiguous = _contiguity("compile", "array", info)
    return replace(_array_type(target, info, contiguous, False), lines=False, free=False)


def _example(value: Any) -> ArrayInfo:
    """An example array as a call would pass it on."""
    info = describe(value)
    if info.place == "host" and not is_tiled(host := as_host_array(value)):
        return describe(padded_copy(host))
    return info


def is_free(value: Any, target: str) -> bool:
    """Whether the strides of an example array suit views of any two of its axes."""
    info = _example(value)
    return _is_free(target, info, _contiguity("compile", "array", info))


def as_type(value: Any, target: str = DEFAULT) -> ArrayType | ScalarParam:
    """The type that "f16[?,?]", an example array, or a dtype, for a number of it, stands for. Raises ArgumentError for anything else."""
    if isinstance(value, (ArrayType, ScalarParam)):
        return value
    if isinstance(value, str):
        return parse(value)
    if isinstance(value, (DType, np.dtype, type)):
        return ScalarParam(value if isinstance(value, DType) else from_numpy(np.dtype(value)))
    if is_array(value) or (hasattr(value, "dtype") and hasattr(value, "shape")):
        return array_type(value, target)
    raise ArgumentError(f"{value!r} is not a parameter type", hint='"f16[?,?]" or an example array; "i32" or an example number')


def given_types(kernel: str, given: Mapping[str, Any], target: str, declared: Mapping[str, DType]) -> Signature:
    """The types that parameters are compiled for, of types and of examples: numbers have those that a call passes them in.

    Raises ArgumentError.
    """
    numbers = {name: value for name, value in given.items() if isinstance(value, (bool, int, float, np.generic))}
    types = {name: as_type(value, target) for name, value in given.items() if value is not None and name not in numbers}
    precise = any(isinstance(kind, ArrayType) and kind.dtype is dtype("f64") for kind in types.values())
    for name, value in numbers.items():
        types[name] = ScalarParam(scalar_dtype(kernel, name, value, precise=precise, declared=declared.get(name)))
    return Signature(tuple((name, types[name]) for name in given if name in types))


def _array_type(target: str, info: ArrayInfo, contiguous: str, scattered: bool) -> ArrayType:
    """The type of an array: what is seen of an array that no block message reaches is which runs its rows have."""
    if not info.shape:
        return ArrayType(dtype(info.dtype), ())
    if not scattered:
        asked = tuple(mark for mark in _SEEN if mark != "long")
    else:
        asked = ("ragged", "long", "lines") if _is_long(target, info, contiguous) else ("ragged",)
    seen = {mark: _SEEN[mark](target, info, contiguous) for mark in asked}
    return ArrayType(dtype(info.dtype), (None,) * len(info.shape), contiguous, scattered, **seen)


def _fills_lines(target: str, info: ArrayInfo, contiguous: str) -> bool:
    return len(info.shape) == 1 and fills_lines(target, dtype(info.dtype).itemsize, info.shape[0])


def _is_long(target: str, info: ArrayInfo, contiguous: str) -> bool:
    """Whether nothing but its length keeps block messages from an array of one dimension."""
    if len(info.shape) != 1 or not is_long(target, dtype(info.dtype).itemsize, info.shape[0]):
        return False
    rules = block_rules(target)
    return rules is not None and info.alignment % rules.base_alignment == 0


def _is_close(target: str, info: ArrayInfo, contiguous: str) -> bool:
    """Of columns no messages are a few columns wide in any case."""
    if len(info.shape) < 2 or contiguous == "F":
        return False
    return is_close(target, info.strides[-2] * dtype(info.dtype).itemsize)


def _is_far(target: str, info: ArrayInfo, contiguous: str) -> bool:
    if len(info.shape) < 2:
        return False
    return is_far(target, info.strides[-2 if contiguous == "C" else -1] * dtype(info.dtype).itemsize)


def _is_free(target: str, info: ArrayInfo, contiguous: str) -> bool:
    """Whether the planes of all pairs of axes, one of them the contiguous one, obey the rules of 2D block messages."""
    rules, unit = block_rules(target), len(info.shape) - (1 if contiguous == "C" else 2)
    if rules is None or len(info.shape) < 3:
        return False
    size = dtype(info.dtype).itemsize
    others = [(n, stride * size) for axis, (n, stride) in enumerate(zip(info.shape, info.strides)) if axis != unit]
    return all(
        pitch % rules.base_alignment == 0 and not rules.check(0, info.shape[unit] * size, n, pitch, elem_bytes=size)
        for n, pitch in others
    )


def _is_ragged(target: str, info: ArrayInfo, contiguous: str) -> bool:
    if not has_lane_runs(target):
        return False
    unit = len(info.shape) - (1 if contiguous == "C" else 2)
    others = (*info.strides[:unit], *info.strides[unit + 1 :])
    return is_ragged(target, dtype(info.dtype).itemsize, info.shape[unit], others)


_SEEN = {"ragged": _is_ragged, "close": _is_close, "lines": _fills_lines, "free": _is_free, "far": _is_far, "long": _is_long}
"""How a launch finds out each of the marks (`target.block_rules.MARKS`) but the first, which is why a rule is broken."""


def _contiguity(kernel: str, param: str, info: ArrayInfo) -> str:
    """Which of the last two dimensions is contiguous: "C", the last, or "F", the one before it.

    Arrays without elements have no neighbours, whatever their strides.
    """
    if not info.shape or 0 in info.shape or info.strides[-1] == 1 or info.shape[-1] <= 1:
        return "C"
    if len(info.shape) > 1 and (info.strides[-2] == 1 or info.shape[-2] <= 1):
        return "F"
    raise ArgumentError(
        f"{kernel}: {param} of shape {info.shape} has strides {info.strides} in elements: neither of its last dimensions is "
        "contiguous",
        hint=f"pass numpy.ascontiguousarray({param}); where the kernel writes it, keep that array and copy from it",
    )


def _broken_rule(target: str, info: ArrayInfo, contiguous: str) -> str:
    """The first rule of 2D block messages that an array breaks, in words; empty where it keeps them all.

    Arrays without elements break one: messages hold sizes less one.
    """
    if not info.shape:
        return ""
    if len(info.shape) < 2:
        rows, columns, pitch, outer = 1, info.shape[0], None, info.strides[:0]
    else:
        rows, columns = info.shape[-2:]
        pitch, outer = info.strides[-2], info.strides[:-2]
        if contiguous == "F":
            rows, columns, pitch = columns, rows, info.strides[-1]
    return _first_broken(target, info.dtype, rows, columns, pitch, tuple(outer), info.alignment)


@lru_cache(maxsize=4096)
def _first_broken(
    target: str, name: str, rows: int, columns: int, pitch: int | None, outer: tuple[int, ...], alignment: int
) -> str:
    rules = block_rules(target)
    if rules is None:
        return ""
    size = dtype(name).itemsize
    width = columns * size
    # One row: its pitch is never used, the kernel passes one that keeps the rules.
    pitch_bytes = (
        max(rules.min_pitch_bytes, -(-width // rules.pitch_multiple) * rules.pitch_multiple) if pitch is None else pitch * size
    )
    broken = rules.check(alignment % rules.base_alignment, width, rows, pitch_bytes, elem_bytes=size)
    for stride in outer:
        if stride * size % rules.base_alignment:
            broken.append(f"matrices must lie a multiple of {rules.base_alignment} bytes apart, not {stride * size}")
    return broken[0] if broken else ""


def _reach(info: ArrayInfo) -> int:
    """Elements from the first to behind the last; or the largest size: strides of zero make arrays larger than their memory."""
    return max((1 + sum((n - 1) * abs(s) for n, s in zip(info.shape, info.strides) if n), *info.shape, *info.strides))
