"""Random calls: views of every kind, numbers of every type at their limits, one after the other on the same kernels.

Each call must do what numpy does, on every device, to the last byte of the memory around the views; or be refused where it must.
Later calls of a case take the fast path of earlier ones.  `python -m tests.generators.arguments --cases 100000 --jobs 64`
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

import xetile as xt
from tests.generators.runner import main
from xetile.errors import ArgumentError, CompileError, DtypeError
from xetile.runtime import devices
from xetile.runtime.specialize import PerformanceWarning

warnings.simplefilter("ignore", PerformanceWarning)
GRID2 = lambda Y: (xt.cdiv(Y.shape[-1], 16), xt.cdiv(Y.shape[-2], 8))  # noqa: E731


@xt.jit(grid=GRID2)
def added(X, Z, Y, n):
    """Y = X + Z + n, in Y's type, of rank 2."""
    at = xt.program_id(1) * 8, xt.program_id(0) * 16
    x, z = (xt.load_tile(xt.init_tile(A, at, (8, 16))) for A in (X, Z))
    xt.store_tile(x + z + n.to(Y.dtype), xt.init_tile(Y, at, (8, 16)))


@xt.jit(grid=lambda Y: xt.cdiv(Y.shape[0], 32))
def row(X, Z, Y, n):
    """Y = X + Z + n, in Y's type, of rank 1."""
    at = (xt.program_id(0) * 32,)
    x, z = (xt.load_tile(xt.init_tile(A, at, (32,))) for A in (X, Z))
    xt.store_tile(x + z + n.to(Y.dtype), xt.init_tile(Y, at, (32,)))


@xt.jit(grid=lambda Y: (xt.cdiv(Y.shape[2], 16), xt.cdiv(Y.shape[1], 8), Y.shape[0]))
def batched(X, Z, Y, n):
    """Y = X + Z + n, in Y's type, of rank 3."""
    b, at = xt.program_id(2), (xt.program_id(1) * 8, xt.program_id(0) * 16)
    x, z = (xt.load_tile(xt.init_tile(A[b], at, (8, 16))) for A in (X, Z))
    xt.store_tile(x + z + n.to(Y.dtype), xt.init_tile(Y[b], at, (8, 16)))


KERNELS = {1: row, 2: added, 3: batched}
DTYPES = ("float32", "float64", "float16", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
KINDS = ("plain", "plain", "sliced", "steps", "backwards", "fortran", "transposed", "unaligned", "columns", "mirrored", "reversed",
         "repeated", "one column", "read-only", "swapped", "structured", "field", "overlapping")  # fmt: skip
COMMON = KINDS[:11]
EXTENTS = (0, 1, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 40)
GOOD = (0, 1, -3, True, np.bool_(True), 2.0, np.float64(5), np.float32(3), np.float16(4), 2**31 - 1, 2**31, -(2**31) - 1, 2**63 - 1,
        -(2**63), *(t(n) for t in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64)
                    for n in (np.iinfo(t).min, np.iinfo(t).max)))  # fmt: skip
BAD = (2**63, 10**30, -(2**64), "1", None, 1j, 10**400)
GUARD = 0x5B
Shape = tuple[int, ...]


def view(kind: str, shape: Shape, dtype: np.dtype[Any], buffer: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A view of that kind somewhere in a buffer of bytes."""
    size = dtype.itemsize
    odd = 3 if kind == "unaligned" and size > 1 else 0
    whole = buffer[64 + odd : 64 + odd + (len(buffer) - 256) // size * size].view(dtype)

    def laid(sizes: Shape, order: Any = "C") -> np.ndarray[Any, Any]:
        return whole[: int(np.prod(sizes))].reshape(sizes, order=order)

    if kind == "sliced":
        return laid(tuple(n + 5 for n in shape))[tuple(slice(2, 2 + n) for n in shape)]
    if kind == "steps" and len(shape) > 1:
        return laid((*(2 * n for n in shape[:-1]), shape[-1]))[tuple(slice(None, None, 2) for _ in shape[:-1])]
    if kind == "backwards" and len(shape) > 1:
        return laid(shape)[tuple(slice(None, None, -1) for _ in shape[:-1])]
    if kind == "fortran" and len(shape) == 2:
        return laid(shape, "F")
    if kind == "transposed" and len(shape) > 1:
        return np.swapaxes(laid((*shape[:-2], shape[-1], shape[-2])), -1, -2)
    if kind == "repeated" and len(shape) > 1:
        return np.broadcast_to(laid(shape[-1:]), shape)
    if kind == "columns":
        return laid((*shape[:-1], 2 * shape[-1]))[..., ::2]
    if kind == "mirrored":
        return laid(shape)[..., ::-1]
    if kind == "reversed" and len(shape) > 1:
        return laid(shape[::-1]).transpose(range(len(shape))[::-1])[..., ::-1]
    if kind == "one column":
        return np.broadcast_to(laid((*shape[:-1], 3))[..., 1:2], shape)
    if kind == "swapped":
        return laid(shape).view(dtype.newbyteorder())
    if kind == "structured":
        return laid(shape).view([("value", dtype)])
    if kind == "field":
        return buffer[64 : 64 + (size + 1) * int(np.prod(shape))].view([("pad", "u1"), ("value", dtype)]).reshape(shape)["value"]
    found = laid(shape)
    if kind == "read-only":
        found = found.view()
        found.flags.writeable = False
    return found


def fill(kind: str, shape: Shape, dtype: np.dtype[Any], buffer: np.ndarray[Any, Any], rng: np.random.Generator) -> None:
    """Give the elements of a view small values."""
    if kind == "repeated" and len(shape) > 1:
        kind, shape = "plain", shape[-1:]
    if kind == "one column":
        kind, shape = "plain", (*shape[:-1], 3)
    target = view("plain" if kind in ("read-only", "structured") else kind, shape, dtype, buffer)
    target[...] = rng.integers(0, 4, shape)


def taken(array: np.ndarray[Any, Any], written: bool) -> bool:
    """Whether kernels take an array; what they do not, they refuse."""
    if array.dtype.names or not array.dtype.isnative or any(s % array.itemsize for s in array.strides):
        return False
    return array.flags.writeable or not written


@dataclass(frozen=True)
class Call:
    """One call: the kinds of its arrays X, Z and Y, their shape, and the number; remote: on rows of larger device arrays."""

    kinds: tuple[str, str, str]
    shape: Shape
    number: Any
    bound: bool
    remote: bool = False


@dataclass(frozen=True)
class ArgumentsCase:
    """Calls of one kernel on one device."""

    dtype: str
    rank: int
    device: str
    calls: tuple[Call, ...]
    seed: int

    def describe(self) -> str:
        """The case as its constructor takes it."""
        return repr(self)

    def check(self) -> str | None:
        """Make all calls; "refused" where one had to be."""
        seen = None
        with xt.device(self.device):
            for number, call in enumerate(self.calls):
                check = self._check_on_device if call.remote else self._check
                if not check(call, np.random.default_rng((self.seed, number))):
                    seen = "refused"
        return seen

    def _check(self, call: Call, rng: np.random.Generator) -> bool:
        dtype = np.dtype(self.dtype)
        length = 256 + 4 * (dtype.itemsize + 1) * int(np.prod([n + 5 for n in call.shape]))
        buffers = [np.full(length, GUARD, np.uint8) for _ in call.kinds]
        if "overlapping" in call.kinds:
            buffers[2] = buffers[0]
        arrays = [view(kind, call.shape, dtype, buffer) for kind, buffer in zip(call.kinds, buffers)]
        for kind, buffer in zip(call.kinds[:2], buffers):
            fill(kind, call.shape, dtype, buffer, rng)
        good = all(taken(a, i == 2) for i, a in enumerate(arrays)) and not np.shares_memory(arrays[2], arrays[0])
        good = good and not any(call.number is bad for bad in BAD)
        expected = [buffer.copy() for buffer in buffers]
        if buffers[2] is buffers[0]:
            expected[0] = expected[2]
        if good:
            view(call.kinds[2], call.shape, dtype, expected[2])[...] = self._answer(arrays, call.number, dtype)
        refusals = (ArgumentError, DtypeError)
        if call.number is None:  # known when the kernel is compiled, which then has no number to add
            refusals = (*refusals, CompileError)
        try:
            self._run(call, arrays)
        except refusals:
            if good:
                raise
        else:
            assert good, f"{call} must be refused"
        for name, buffer, wanted in zip("XZY", buffers, expected):
            assert np.array_equal(buffer, wanted), f"{call}: the memory of {name} is wrong"
        return good

    def _check_on_device(self, call: Call, rng: np.random.Generator) -> bool:
        import pyopencl.array as cl_array

        device = devices.find_device(self.device)
        queue = devices.backend_of(device).queue(device)
        hosts = [rng.integers(0, 4, (call.shape[0] + 5, *call.shape[1:])).astype(self.dtype) for _ in call.kinds]
        rows = slice(2, 2 + call.shape[0])
        wholes = [cl_array.to_device(queue, host) for host in hosts]
        self._run(call, [whole[rows] for whole in wholes])
        hosts[2][rows] = self._answer([host[rows] for host in hosts], call.number, np.dtype(self.dtype))
        for name, host, whole in zip("XZY", hosts, wholes):
            assert np.array_equal(whole.get(), host), f"{call}: the memory of {name} on the device is wrong"
        return True

    def _answer(self, arrays: list[np.ndarray[Any, Any]], number: Any, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
        with np.errstate(all="ignore"):
            if dtype.kind == "f":
                given: Any = dtype.type(np.float32(number) if isinstance(number, float) and dtype.itemsize < 8 else number)
            else:
                whole = int(number) % 2 ** (8 * dtype.itemsize)
                given = np.array(whole, np.uint64).astype(f"u{dtype.itemsize}").view(dtype)
            found: np.ndarray[Any, Any] = (arrays[0] + arrays[1] + given).astype(dtype)
        return found

    def _run(self, call: Call, arrays: list[np.ndarray[Any, Any]]) -> None:
        kernel = KERNELS[self.rank]
        if call.bound:
            launch = kernel.bind(*arrays, call.number)
            launch()
            launch()
        else:
            kernel(*arrays, call.number)


def arguments(random: Random) -> ArgumentsCase:
    """A case from random numbers."""
    dtype, rank, device = random.choice(DTYPES), random.choice((1, 2, 2, 3)), random.choice(("numpy", "cpu"))
    calls = tuple(_call(random, rank, device) for _ in range(random.randint(1, 5)))
    return ArgumentsCase(dtype, rank, device, calls, random.randrange(2**30))


def _call(random: Random, rank: int, device: str) -> Call:
    shape = tuple(random.choice(EXTENTS[:8] if axis < rank - 2 else EXTENTS) for axis in range(rank))
    common = random.random() < 0.75  # otherwise hardly a call would be taken
    kinds = tuple(random.choice(COMMON if common else KINDS) for _ in range(3))
    number = random.choice(GOOD) if random.random() < 0.9 else random.choice(BAD)
    bound, remote = random.random() < 0.2, device == "cpu" and 0 not in shape and random.random() < 0.15
    if remote:
        number = random.choice(GOOD)
    return Call((kinds[0], kinds[1], kinds[2]), shape, number, bound, remote)


if __name__ == "__main__":
    main(arguments)
