"""Turn a kernel's argument list into Python code that sets exactly those arguments.

One call of a kernel passes arrays and scalars; the device wants pointers, dims, strides and scalars by position.  What is where
is known when the kernel is loaded, so a function is generated for it (as pyopencl does for its own kernels).

Measured with 3 arrays and 9 dims and strides (pyopencl 2026.1, CPU runtime), microseconds a call; the bare enqueue takes 2.6:
    kernel.set_args(np.int32(...), ...)                     24    (6 arguments)
    kernel.set_args after set_scalar_arg_dtypes              1.2  (6 arguments; needs pyopencl's cache on disk)
    clSetKernelArg through ctypes                            0.7  for each argument
    _set_arg_multi + _set_arg_buf_pack_multi                 0.84
    the same, dims and strides only when they changed        0.32
The last is what is generated; the `_set_arg...` functions are those that pyopencl's own generated code calls.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from pyopencl.array import Array

from xetile import dtypes
from xetile.errors import ArgumentError, DtypeError
from xetile.runtime.artifact import ArgSpec

# Format characters of `struct` for what pyopencl packs itself; the others are packed here, as little-endian bytes.
PACKED = {"i8": "b", "u8": "B", "i16": "h", "u16": "H", "i32": "i", "u32": "I", "f32": "f", "f64": "d", "index32": "i"}
INTEGER_64 = {"i64": "q", "u64": "Q", "index64": "q", "index": "q"}
# C's long has 64 bits wherever pyopencl's own packing can be used for it.
if struct.calcsize("l") == 8:
    PACKED |= {name: {"q": "l", "Q": "L"}[code] for name, code in INTEGER_64.items()}


def _pack_bool(value: Any) -> bytes:
    # OpenCL 3.0, 6.11.1: bool cannot be a kernel argument; it arrives as a byte.
    return bytes([bool(value)])


def _pack_numpy(name: str) -> Callable[[Any], bytes]:
    scalar = dtypes.dtype(name).numpy.type
    return lambda value: bytes(np.asarray(scalar(value)).tobytes())


def packer(dtype: str) -> Callable[[Any], bytes]:
    """The function that gives a scalar's bytes in memory.  Raises DtypeError for a dtype that is no scalar argument."""
    if dtype in ("bool", "i1"):
        return _pack_bool
    if code := PACKED.get(dtype) or INTEGER_64.get(dtype):
        return struct.Struct(code).pack
    return _pack_numpy(dtype)


@dataclass(frozen=True)
class ArrayArgument:
    """An array parameter: its place among the call's arguments, its places among the kernel's, its element type."""

    name: str
    position: int
    indices: tuple[int, ...]
    dtype: np.dtype[Any]
    rank: int
    written: bool


@dataclass(frozen=True)
class ArgumentCode:
    """What is generated for one argument list.

    arrays        its array parameters.
    set_values    (state, *args): sets dims, strides and scalars; arrays may be of any kind.
    enqueue       (state, enqueue, grid, *args): for pyopencl arrays on `state.queue`; sets everything and enqueues.  Returns None,
                  having done nothing, for any other arguments.
    """

    arrays: tuple[ArrayArgument, ...]
    set_values: Callable[..., None]
    enqueue: Callable[..., Any]


def generate(args: Sequence[ArgSpec], parameters: Sequence[str], written: frozenset[str], local_size: tuple[int, ...]) -> ArgumentCode:
    """The code for one kernel's arguments.  Raises DtypeError for a dtype that cannot be passed."""
    arrays = _array_arguments(args, parameters, written)
    writer = _Writer(args, {name: f"p{i}" for i, name in enumerate(parameters)})
    scope: dict[str, Any] = {"Array": Array, "local_size": local_size, **writer.constants}
    scope |= {f"dtype{array.position}": array.dtype for array in arrays}
    exec(compile(writer.source(arrays), "<xetile argument code>", "exec"), scope)  # noqa: S102
    return ArgumentCode(arrays, scope["set_values"], scope["enqueue"])


def _array_arguments(args: Sequence[ArgSpec], parameters: Sequence[str], written: frozenset[str]) -> tuple[ArrayArgument, ...]:
    found = []
    for position, name in enumerate(parameters):
        own = [(index, spec) for index, spec in enumerate(args) if spec.param == name]
        indices = tuple(index for index, spec in own if spec.kind == "array")
        if not indices:
            continue
        dtype = dtypes.dtype(args[indices[0]].dtype).numpy
        rank = max((spec.axis + 1 for _, spec in own if spec.kind in ("dim", "stride")), default=0)
        found.append(ArrayArgument(name, position, indices, dtype, rank, name in written))
    return tuple(found)


class _Writer:
    """Writes the two functions; `constants` are the packers they call."""

    def __init__(self, args: Sequence[ArgSpec], variables: dict[str, str]) -> None:
        self.args = args
        self.variables = variables
        self.constants: dict[str, Callable[[Any], bytes]] = {}
        self.itemsize = {spec.param: dtypes.dtype(spec.dtype).itemsize for spec in args if spec.kind == "array"}

    def source(self, arrays: Sequence[ArrayArgument]) -> str:
        parameters = "".join(f", {name}" for name in self.variables.values())
        lines = [f"def set_values(state{parameters}):", *self._values()]
        lines += [f"def enqueue(state, enqueue, grid{parameters}):"]
        if not arrays:  # nothing tells a queue
            return "\n".join([*lines, "    return None"])
        tests = [
            f"type(p{a.position}) is Array and p{a.position}.queue is queue and not p{a.position}.offset"
            f" and p{a.position}.dtype == dtype{a.position} and len(p{a.position}.shape) >= {a.rank}"
            for a in arrays
        ]
        pointers = "".join(f"{index}, p{a.position}.base_data, " for a in arrays for index in a.indices)
        lines += ["    queue = state.queue", f"    if not ({' and '.join(tests)}): return None"]
        lines += [f"    state.set_pointers(({pointers}))", *self._values()]
        # Positional: keywords cost a microsecond there.  The grid counts workgroups (g_times_l).
        lines += ["    return enqueue(queue, state.kernel, grid, local_size, None, None, True)"]
        return "\n".join(lines)

    def _values(self) -> list[str]:
        """Lines that set everything but pointers; dims and strides only when an array's shape or strides are new.

        Scalars are always set: -0.0 == 0.0, so comparing cannot tell whether they changed.
        """
        sized = [(i, spec) for i, spec in enumerate(self.args) if spec.kind in ("dim", "stride")]
        scalars = [(i, spec) for i, spec in enumerate(self.args) if spec.kind == "scalar"]
        lines: list[str] = []
        if sized:
            seen = dict.fromkeys(self.variables[spec.param] for _, spec in sized)
            key = "".join(f"{name}.shape, {name}.strides, " for name in seen)
            lines += [f"    layout = ({key})", "    if layout != state.layout:", "        state.layout = None"]
            lines += [f"        {line}" for line in self._setters(sized)] + ["        state.layout = layout"]
        return lines + [f"    {line}" for line in self._setters(scalars)] or ["    pass"]

    def _setters(self, specs: Sequence[tuple[int, ArgSpec]]) -> list[str]:
        packed = "".join(f"{i}, b'{PACKED[s.dtype]}', {self._value(s)}, " for i, s in specs if s.dtype in PACKED)
        others = "".join(f"{i}, {self._packer(s.dtype)}({self._value(s)}), " for i, s in specs if s.dtype not in PACKED)
        lines = [f"state.set_packed(({packed}))"] if packed else []
        return lines + ([f"state.set_bytes(({others}))"] if others else [])

    def _packer(self, dtype: str) -> str:
        name = f"pack_{dtype}"
        self.constants[name] = packer(dtype)
        return name

    def _value(self, spec: ArgSpec) -> str:
        variable = self.variables[spec.param]
        if spec.kind == "dim":
            return f"{variable}.shape[{spec.axis}]"
        if spec.kind == "stride":
            return f"{variable}.strides[{spec.axis}] // {self.itemsize[spec.param]}"
        return variable


def explain(specs: Sequence[ArgSpec], parameters: Sequence[str], args: Sequence[Any]) -> ArgumentError | DtypeError | None:
    """After setting arguments failed: the argument at fault, in the user's words; None when each of them is fine."""
    if len(args) != len(parameters):
        return ArgumentError(f"the kernel takes {len(parameters)} arguments ({', '.join(parameters)}); {len(args)} were given")
    values = dict(zip(parameters, args, strict=True))
    for spec in specs:
        if (problem := _problem(spec, values[spec.param])) is not None:
            return problem
    return None


def _problem(spec: ArgSpec, value: Any) -> ArgumentError | None:
    if spec.kind == "array":
        return None
    if spec.kind == "scalar":
        wanted = f"a scalar of type {spec.dtype}"
        number = value
    else:
        wanted = f"{'fewer elements' if spec.kind == 'dim' else 'smaller strides'}: the kernel was compiled for 32-bit sizes"
        if spec.axis >= len(value.shape):
            return ArgumentError(f"{spec.param}: the kernel takes an array of {spec.axis + 1} or more dimensions, not {len(value.shape)}")
        number = value.shape[spec.axis] if spec.kind == "dim" else value.strides[spec.axis] // value.dtype.itemsize
    try:
        packer(spec.dtype)(number)
    except (struct.error, TypeError, ValueError, OverflowError) as error:
        return ArgumentError(f"{spec.param}: {number!r} does not fit ({error}); expected {wanted}")
    return None
