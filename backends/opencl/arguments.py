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

import ctypes
import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyopencl as cl
from pyopencl.array import Array

from xetile import dtypes
from xetile.errors import ArgumentError, DtypeError
from xetile.index_ranges import stride_of
from xetile.records import dataclass
from xetile.runtime import scalars
from xetile.runtime.artifact import ArgSpec

# Format characters of `struct` for what pyopencl packs itself; the others are packed here, as little-endian bytes.
# (Bytes it would wrap, so they are not among them.)
PACKED = {"i16": "h", "u16": "H", "i32": "i", "u32": "I", "f32": "f", "f64": "d", "index32": "i"}
BYTES = {"i8": "b", "u8": "B"}
INTEGER_64 = {"i64": "q", "u64": "Q", "index64": "q", "index": "q"}
# C's long has 64 bits wherever pyopencl's own packing can be used for it.
if struct.calcsize("l") == 8:
    PACKED |= {name: {"q": "l", "Q": "L"}[code] for name, code in INTEGER_64.items()}


_Byte = ctypes.c_char * 1


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
    if code := PACKED.get(dtype) or INTEGER_64.get(dtype) or BYTES.get(dtype):
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
    on_device     (state, enqueue, grid, *args): for pyopencl arrays on `state.queue`; sets all, enqueues, returns the event.
    in_place      the same for numpy arrays on a device that reads the process's memory; returns when the kernel has run.
    alike         the same where dims, strides and scalars are set already, and nothing but the arrays' memory is new.
                  All of these return None, having started nothing, for arguments of any other kind.
    """

    arrays: tuple[ArrayArgument, ...]
    set_values: Callable[..., None]
    on_device: Callable[..., Any]
    in_place: Callable[..., Any]
    alike: Callable[..., Any]


def in_memory(array: np.ndarray[Any, Any]) -> Any:
    """The address of an array's first element as a kernel argument, for devices that read the process's memory.

    clSetKernelArgSVMPointer takes the address alone; cl.SVM also wants contiguous, writable memory, so others go by the address.
    """
    try:
        return cl.SVM(array)  # 0.2 us
    except ValueError:
        return at_address(int(array.__array_interface__["data"][0]))  # 1.5 us


def at_address(address: int) -> Any:
    """An address of the process as a kernel argument."""
    return cl.SVM(_Byte.from_address(address))


def generate(
    args: Sequence[ArgSpec], parameters: Sequence[str], written: frozenset[str], local_size: tuple[int, ...]
) -> ArgumentCode:
    """The code for one kernel's arguments.  Raises DtypeError for a dtype that cannot be passed."""
    arrays = _array_arguments(args, parameters, written)
    writer = _Writer(args, {name: f"p{i}" for i, name in enumerate(parameters)})
    source = writer.source(arrays)
    scope: dict[str, Any] = {
        "Array": Array,
        "stride_of": stride_of,
        "ndarray": np.ndarray,
        "in_memory": in_memory,
        "ONE": (1, 1, 1),
        "local_size": local_size,
    }
    scope |= writer.constants | {f"dtype{array.position}": array.dtype for array in arrays}
    exec(compile(source, "<xetile argument code>", "exec"), scope)  # noqa: S102
    return ArgumentCode(arrays, scope["set_values"], scope["on_device"], scope["in_place"], scope["alike"])


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


def _fits(arrays: Sequence[ArrayArgument]) -> list[tuple[str, str]]:
    """For each array its variable, and a test of element type and rank."""
    code = "({0}.dtype is {1} or {0}.dtype == {1}) and len({0}.shape) >= {2}"  # numpy has one object for each of its own dtypes
    return [(f"p{a.position}", code.format(f"p{a.position}", f"dtype{a.position}", a.rank)) for a in arrays]


class _Writer:
    """Writes the functions; `constants` are the packers they call.

    Of an argument list only whole numbers enter the text (`:d` takes nothing else), and names of formats that stand in a table here.
    """

    def __init__(self, args: Sequence[ArgSpec], variables: dict[str, str]) -> None:
        self.args = args
        self.variables = variables
        self.constants: dict[str, Callable[[Any], bytes]] = {}
        self._packers: dict[str, str] = {}

    def source(self, arrays: Sequence[ArrayArgument]) -> str:
        parameters = "".join(f", {name}" for name in self.variables.values())
        functions = {
            f"set_values(state{parameters})": self._values(),
            f"on_device(state, enqueue, grid{parameters})": self._on_device(arrays),
            f"in_place(state, enqueue, grid{parameters})": self._in_place(arrays),
            f"alike(state, enqueue, grid{parameters})": self._alike(arrays),
        }
        return "\n".join(f"def {head}:\n" + "\n".join(body) for head, body in functions.items())

    def _on_device(self, arrays: Sequence[ArrayArgument]) -> list[str]:
        if not arrays:  # nothing tells the queue
            return ["    return None"]
        tests = [f"type({a}) is Array and {a}.queue is queue and not {a}.offset and {fits}" for a, fits in _fits(arrays)]
        pointers = "".join(f"{index}, p{a.position}.base_data, " for a in arrays for index in a.indices)
        return [
            "    queue = state.queue",
            f"    if not ({' and '.join(tests)}): return None",
            f"    state.set_pointers(({pointers}))",
            *self._values(),
            # Positional: keywords cost a microsecond there.  The grid counts workgroups (g_times_l).
            "    return enqueue(queue, state.kernel, grid, local_size, None, None, True)",
        ]

    def _in_place(self, arrays: Sequence[ArrayArgument]) -> list[str]:
        if not arrays:
            return ["    return None"]
        tests = [f"type({a}) is ndarray and {fits}" for a, fits in _fits(arrays)]
        return [f"    if not ({' and '.join(tests)}): return None", *self._run_in_place(arrays, self._values())]

    def _alike(self, arrays: Sequence[ArrayArgument]) -> list[str]:
        return self._run_in_place(arrays, []) if arrays else ["    return None"]

    def _run_in_place(self, arrays: Sequence[ArrayArgument], values: list[str]) -> list[str]:
        """One program has one thread to run in: the calling one, which need not be told that it is done."""
        tests = [f"p{a.position}.flags.aligned" for a in arrays]
        tests += [f"p{a.position}.flags.writeable" for a in arrays if a.written]
        pointers = "".join(f"{index}, in_memory(p{a.position}), " for a in arrays for index in a.indices)
        return [
            f"    if not ({' and '.join(tests)}): return None",
            f"    state.set_pointers(({pointers}))",
            *values,
            "    if state.run_one is not None and grid == ONE: return state.run_one()",
            "    event = enqueue(state.home, state.kernel, grid, local_size, None, None, True)",
            "    event.wait()",
            "    return event",
        ]

    def _values(self) -> list[str]:
        """Lines that set everything but pointers; dims and strides only when an array's shape or strides are new.

        Scalars are always set: -0.0 == 0.0, so comparing cannot tell whether they changed.
        """
        sized = [(i, spec) for i, spec in enumerate(self.args) if spec.kind in ("dim", "stride")]
        scalars = [(i, spec) for i, spec in enumerate(self.args) if spec.kind == "scalar"]
        lines = ["    state.alike = None"]
        if sized:
            seen = dict.fromkeys(self.variables[spec.param] for _, spec in sized)
            key = "".join(f"{name}.shape, {name}.strides, " for name in seen)
            lines += [f"    layout = ({key})", "    if layout != state.layout:", "        state.layout = None"]
            lines += [f"        {line}" for line in self._setters(sized)] + ["        state.layout = layout"]
        return lines + [f"    {line}" for line in self._setters(scalars)]

    def _setters(self, specs: Sequence[tuple[int, ArgSpec]]) -> list[str]:
        packed = "".join(f"{i}, b'{PACKED[s.dtype]}', {self._value(s)}, " for i, s in specs if s.dtype in PACKED)
        others = "".join(f"{i}, {self._packer(s.dtype)}({self._value(s)}), " for i, s in specs if s.dtype not in PACKED)
        lines = [f"state.set_packed(({packed}))"] if packed else []
        return lines + ([f"state.set_bytes(({others}))"] if others else [])

    def _packer(self, dtype: str) -> str:
        """The name of a dtype's packer in the code; it counts packers, so that no text of the argument list gets in."""
        if dtype not in self._packers:
            self._packers[dtype] = f"pack{len(self._packers)}"
            self.constants[self._packers[dtype]] = packer(dtype)
        return self._packers[dtype]

    def _value(self, spec: ArgSpec) -> str:
        variable = self.variables[spec.param]
        if spec.kind == "dim":
            return f"{variable}.shape[{spec.axis:d}]"
        if spec.kind == "stride":
            return f"stride_of({variable}, {spec.axis:d})"
        whole = spec.dtype.startswith("index") or dtypes.dtype(spec.dtype).kind in "iu"
        return f"{variable} + 0" if whole else variable  # numpy's bool is no index: the sum is an integer


def explain(specs: Sequence[ArgSpec], parameters: Sequence[str], args: Sequence[Any]) -> ArgumentError | DtypeError | None:
    """After setting arguments failed: the argument at fault, in the user's words; None when each of them is fine."""
    if (wrong := scalars.wrong_count(parameters, len(args))) is not None:
        return wrong
    values = dict(zip(parameters, args, strict=True))
    for spec in specs:
        if (problem := _problem(spec, values.get(spec.param))) is not None:
            return problem
    return None


def _problem(spec: ArgSpec, value: Any) -> ArgumentError | None:
    if spec.kind in ("array", "failures"):
        return None
    try:
        number = scalars.passed(spec, value)
        packer(spec.dtype)(number)
    except ArgumentError as error:
        return error
    except (struct.error, TypeError, ValueError, OverflowError) as error:
        return scalars.misfit(spec, number, error)
    return None
