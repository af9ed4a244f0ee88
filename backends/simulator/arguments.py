"""What a call passes, checked and packed: arrays as they lie, dims and strides read from them, scalars as bytes."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from xetile import dtypes
from xetile.failures import FAILURE_WORDS
from xetile.runtime import scalars
from xetile.runtime.arrays import fitting_array, padded_copy, spans_well
from xetile.runtime.artifact import ArgSpec, Binary, written_parameters

from .isa import Array

FORMATS = {"i8": "b", "u8": "B", "i16": "h", "u16": "H", "i32": "i", "u32": "I", "i64": "q", "u64": "Q", "f32": "f", "f64": "d",
           "index32": "i", "index64": "q", "index": "q"}  # fmt: skip


def moved(binary: Binary, args: Sequence[Any]) -> tuple[list[Any], list[tuple[Array, Array]]]:
    """The arguments as a driver gets them: views that cannot go to a device as they lie are copied, as `xetile.backends.opencl` does.

    And the pairs of a view and its copy whose elements go back when the kernel has run.
    """
    written, made, back = written_parameters(binary), list(args), []
    for i, (name, value) in enumerate(zip(binary.parameters, args)):
        frozen = name in written and isinstance(value, np.ndarray) and not value.flags.writeable  # which is refused
        if isinstance(value, np.ndarray) and value.ndim and not frozen and not spans_well(value):
            made[i] = padded_copy(value)
            if name in written:
                back.append((value, made[i]))
    return made, back


def packed(binary: Binary, args: Sequence[Any]) -> list[Array | bytes]:
    """The kernel's arguments in order: arrays, and the bytes of numbers.  Raises ArgumentError for what does not fit."""
    names = binary.parameters
    if (wrong := scalars.wrong_count(names, len(args))) is not None:
        raise wrong
    values = dict(zip(names, args))
    written = written_parameters(binary)
    arrays = {s.param: _array(s, values[s.param], s.param in written) for s in binary.args if s.kind == "array"}
    arrays |= {s.param: np.zeros(FAILURE_WORDS, np.int32) for s in binary.args if s.kind == "failures"}
    return [
        arrays[s.param] if s.kind in ("array", "failures") else _number(s, arrays.get(s.param, values.get(s.param)))
        for s in binary.args
    ]


def _array(spec: ArgSpec, value: Any, written: bool) -> Array:
    return fitting_array(spec.param, value, dtypes.dtype(spec.dtype).numpy, written=written)


def _number(spec: ArgSpec, value: Any) -> bytes:
    number = scalars.passed(spec, value)
    try:
        return pack(spec.dtype, number)
    except (struct.error, TypeError, ValueError, OverflowError) as error:
        raise scalars.misfit(spec, number, error) from error


def pack(dtype: str, value: Any) -> bytes:
    """A scalar's bytes in memory."""
    if dtype in ("bool", "i1"):
        return bytes([bool(value)])  # OpenCL 3.0, 6.11.1: bool cannot be a kernel argument; it arrives as a byte
    if dtype in FORMATS:
        return struct.pack("<" + FORMATS[dtype], int(value) if isinstance(value, np.bool_) else value)
    return bytes(np.asarray(dtypes.dtype(dtype).numpy.type(value)).tobytes())
