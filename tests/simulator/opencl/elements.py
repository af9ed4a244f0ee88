"""Small OpenCL C programs on the elements of arrays, by family, each with what OpenCL C says that it computes.

A program is one kernel of its family's module: conversions between all types, integers, floats, comparisons, subgroup functions,
shuffles, atomics.  Values are chosen so that OpenCL defines the result to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
TYPES = {"char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16, "int": np.int32, "uint": np.uint32,
         "long": np.int64, "ulong": np.uint64, "half": np.float16, "float": np.float32}  # fmt: skip
INTEGERS = tuple(TYPES)[:8]
FLOATS = ("half", "float")
ITEMS = 64
"""Work-items of a program: two workgroups of 32."""


@dataclass(frozen=True)
class Program:
    """A kernel: of x, y and z, elements of three arrays of type `given`, `text` is what goes to `out`, of type `made`.

    expected  that of numpy arrays; `lanes` is the size of a subgroup.
    """

    name: str
    given: str
    made: str
    text: str
    expected: Callable[[Array, Array, Array, int], Array]
    atomic: bool = False

    @property
    def source(self) -> str:
        """Its kernel."""
        head = f"__attribute__((intel_reqd_sub_group_size(SIMD))) kernel void {self.name}"
        arguments = ", ".join(f"global {self.given} *{name}" for name in "abc")
        body = f"int i = get_global_id(0); {self.given} x = a[i], y = b[i], z = c[i];"
        if self.atomic:
            return f"{head}({arguments}, global {self.made} *out) {{ {body} {self.text} }}\n"
        return f"{head}({arguments}, global {self.made} *out) {{ {body} out[i] = {self.text}; }}\n"


def _wide(x: Array) -> Array:
    """As integers that no sum or product of two leaves."""
    return x.astype(object)


def _wrapped(values: Any, kind: str) -> Array:
    bits = 8 * np.dtype(TYPES[kind]).itemsize
    unsigned = np.array([int(v) & ((1 << bits) - 1) for v in values], dtype=f"u{bits // 8}")
    return unsigned.view(TYPES[kind])


def _clamped(values: Any, kind: str) -> Array:
    info = np.iinfo(TYPES[kind])
    return np.array([min(max(int(v), int(info.min)), int(info.max)) for v in values], dtype=TYPES[kind])


def conversions() -> Iterator[Program]:
    """From each type to each other one; of floats to integers the saturating ones, which all values have."""
    for given in TYPES:
        for made in TYPES:
            if given == made:
                continue
            saturates = given in FLOATS and made in INTEGERS
            yield Program(
                f"convert_{given}_{made}", given, made, f"convert_{made}{'_sat' if saturates else ''}(x)", _converter(made)
            )


def _converter(made: str) -> Callable[[Array, Array, Array, int], Array]:
    def convert(x: Array, y: Array, z: Array, lanes: int) -> Array:
        if made in INTEGERS:
            if x.dtype.kind == "f":
                return _clamped(
                    np.where(np.isnan(x), 0, np.trunc(np.nan_to_num(x.astype(np.float64), posinf=1e30, neginf=-1e30))), made
                )
            return _wrapped(x, made)
        with np.errstate(over="ignore"):
            # Halves from float64, which holds all integers that a half can: one rounding.
            return (x.astype(np.float64) if made == "half" else x).astype(TYPES[made])

    return convert


_INTEGER: dict[str, tuple[str, Callable[[Any, Any, Any, str], Any]]] = {
    "sum": ("x + y", lambda x, y, z, t: _wrapped(x + y, t)),
    "difference": ("x - y", lambda x, y, z, t: _wrapped(x - y, t)),
    "product": ("x * y", lambda x, y, z, t: _wrapped(x * y, t)),
    "quotient": ("x / (y | 1)", lambda x, y, z, t: [_quotient(a, b | 1) for a, b in zip(x, y)]),
    "remainder": ("x % (y | 1)", lambda x, y, z, t: [a - (b | 1) * _quotient(a, b | 1) for a, b in zip(x, y)]),
    "bits": ("(x & y) ^ (z | ~x)", lambda x, y, z, t: _wrapped([(a & b) ^ (c | ~a) for a, b, c in zip(x, y, z)], t)),
    "shifts": ("(x << (y & 7)) ^ (x >> (z & 7))",
               lambda x, y, z, t: _wrapped([(a << (b & 7)) ^ (a >> (c & 7)) for a, b, c in zip(x, y, z)], t)),
    "least": ("min(x, y)", lambda x, y, z, t: np.minimum(x, y)),
    "most": ("max(x, y)", lambda x, y, z, t: np.maximum(x, y)),
    "high": ("mul_hi(x, y)", lambda x, y, z, t: [(a * b) >> _bits(t) for a, b in zip(x, y)]),
    "saturated": ("add_sat(x, y)", lambda x, y, z, t: _clamped(x + y, t)),
    "subtracted": ("sub_sat(x, y)", lambda x, y, z, t: _clamped(x - y, t)),
    "halved": ("hadd(x, y)", lambda x, y, z, t: [(a + b) >> 1 for a, b in zip(x, y)]),
    "rotated": ("rotate(x, y)", lambda x, y, z, t: _wrapped([_rotated(a, b, _bits(t)) for a, b in zip(x, y)], t)),
    "zeros": ("clz(x)", lambda x, y, z, t: [_bits(t) - (int(a) & ((1 << _bits(t)) - 1)).bit_length() for a in x]),
    "ones": ("popcount(x)", lambda x, y, z, t: [(int(a) & ((1 << _bits(t)) - 1)).bit_count() for a in x]),
    "chosen": ("x < y ? z : x", lambda x, y, z, t: np.where(x < y, z, x)),
}  # fmt: skip


def _bits(kind: str) -> int:
    return 8 * np.dtype(TYPES[kind]).itemsize


def _quotient(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _rotated(a: int, by: int, bits: int) -> int:
    value, by = a & ((1 << bits) - 1), by % bits
    return value << by | value >> (bits - by)


def integers() -> Iterator[Program]:
    """Operators and functions of integers, for every type."""
    for kind in INTEGERS:
        for name, (text, function) in _INTEGER.items():
            yield Program(f"{name}_{kind}", kind, kind, text, _of_integers(function, kind))


def _of_integers(function: Callable[[Any, Any, Any, str], Any], kind: str) -> Callable[[Array, Array, Array, int], Array]:
    return lambda x, y, z, lanes: np.array([int(v) for v in function(_wide(x), _wide(y), _wide(z), kind)], TYPES[kind])


_FLOAT: dict[str, tuple[str, Callable[[Array, Array, Array], Array]]] = {
    "sum": ("x + y", lambda x, y, z: x + y),
    "difference": ("x - y", lambda x, y, z: x - y),
    "product": ("x * y", lambda x, y, z: x * y),
    # Of small whole numbers: exact, fused or not.
    "fused": ("fma(rint(x), rint(y), rint(z))", lambda x, y, z: np.rint(x) * np.rint(y) + np.rint(z)),
    "least": ("fmin(x, y)", lambda x, y, z: np.fmin(x, y)),
    "most": ("fmax(x, y)", lambda x, y, z: np.fmax(x, y)),
    "down": ("floor(x)", lambda x, y, z: np.floor(x)),
    "up": ("ceil(x)", lambda x, y, z: np.ceil(x)),
    "cut": ("trunc(x)", lambda x, y, z: np.trunc(x)),
    "even": ("rint(x)", lambda x, y, z: np.rint(x)),
    "positive": ("fabs(x)", lambda x, y, z: np.abs(x)),
    "signed": ("copysign(x, y)", lambda x, y, z: np.copysign(x, y)),
    "first_if_equal": ("x == y ? x : y", lambda x, y, z: np.where(x == y, x, y)),
    "first_unless_equal": ("x != y ? x : y", lambda x, y, z: np.where(x != y, x, y)),
    "first_if_greater": ("x > y ? x : y", lambda x, y, z: np.where(x > y, x, y)),
    "compared": ("(x < y) + 2 * (x == y) + 4 * (x > z) + 8 * (x >= y) + 16 * isnan(x)",
                 lambda x, y, z: (x < y) + 2 * (x == y) + 4 * (x > z) + 8 * (x >= y) + 16 * np.isnan(x)),
}  # fmt: skip


def floats() -> Iterator[Program]:
    """Operators and functions of floats whose result OpenCL defines exactly."""
    for kind in FLOATS:
        for name, (text, function) in _FLOAT.items():
            yield Program(f"{name}_{kind}", kind, kind, text, _of_floats(function, kind))


def _of_floats(function: Callable[[Array, Array, Array], Array], kind: str) -> Callable[[Array, Array, Array, int], Array]:
    return lambda x, y, z, lanes: np.asarray(function(x, y, z)).astype(TYPES[kind])


_SCANS = {"add": np.add, "min": np.minimum, "max": np.maximum}


def subgroups() -> Iterator[Program]:
    """Reductions and scans over subgroups, of numbers whose sums are exact in any order."""
    for kind in ("int", "uint", "long", "ulong", "half", "float"):
        for name, function in _SCANS.items():
            for form in ("reduce", "scan_inclusive", "scan_exclusive"):
                # Small whole numbers: x & 15, or rint(x) of floats.
                text = "rint(x)" if kind in FLOATS else "(x & 15)"
                yield Program(f"{form}_{name}_{kind}", kind, kind, f"sub_group_{form}_{name}(({kind}){text})",
                              _of_lanes(function, form, name, kind))  # fmt: skip


def _identity(name: str, kind: str) -> Any:
    if name == "add":
        return TYPES[kind](0)
    if kind in FLOATS:
        return TYPES[kind](np.inf if name == "min" else -np.inf)
    info = np.iinfo(TYPES[kind])
    return info.max if name == "min" else info.min


def _of_lanes(function: np.ufunc, form: str, name: str, kind: str) -> Callable[[Array, Array, Array, int], Array]:
    def of(x: Array, y: Array, z: Array, lanes: int) -> Array:
        rows = (np.rint(x) if kind in FLOATS else x & TYPES[kind](15)).reshape(-1, lanes)
        scanned = function.accumulate(rows, axis=1, dtype=rows.dtype)
        if form == "reduce":
            scanned = np.broadcast_to(scanned[:, -1:], rows.shape)
        elif form == "scan_exclusive":
            scanned = np.concatenate([np.full((len(rows), 1), _identity(name, kind), rows.dtype), scanned[:, :-1]], axis=1)
        return scanned.reshape(-1).astype(TYPES[kind])

    return of


_SHUFFLES: dict[str, tuple[str, Callable[[Array, Array, int], Array]]] = {
    "any": ("intel_sub_group_shuffle(x, (get_sub_group_local_id() * 5 + 3) % SIMD)", lambda x, y, n: x[:, (np.arange(n) * 5 + 3) % n]),
    "third": ("intel_sub_group_shuffle(x, 3)", lambda x, y, n: np.broadcast_to(x[:, 3:4], x.shape)),
    "crossed": ("intel_sub_group_shuffle_xor(x, 5)", lambda x, y, n: x[:, np.arange(n) ^ 5]),
    "down": ("intel_sub_group_shuffle_down(x, y, 3)", lambda x, y, n: np.concatenate([x, y], 1)[:, 3 : 3 + n]),
    "up": ("intel_sub_group_shuffle_up(x, y, 3)", lambda x, y, n: np.concatenate([x, y], 1)[:, n - 3 : 2 * n - 3]),
}  # fmt: skip


def shuffles() -> Iterator[Program]:
    """Values of other lanes."""
    for kind in ("char", "short", "int", "long", "half", "float"):
        for name, (text, function) in _SHUFFLES.items():
            yield Program(f"shuffle_{name}_{kind}", kind, kind, text, _of_rows(function))


def _of_rows(function: Callable[[Array, Array, int], Array]) -> Callable[[Array, Array, Array, int], Array]:
    def of(x: Array, y: Array, z: Array, lanes: int) -> Array:
        first, second = x.reshape(-1, lanes), y.reshape(-1, lanes)
        if function is _SHUFFLES["up"][1]:
            # intel_sub_group_shuffle_up(previous, current): what comes from below is of the first one.
            return np.concatenate([first, second], 1)[:, lanes - 3 : 2 * lanes - 3].reshape(-1)
        return np.ascontiguousarray(function(first, second, lanes)).reshape(-1)

    return of


_ATOMICS: dict[str, Callable[[int, int], int]] = {
    "add": lambda old, v: old + v, "sub": lambda old, v: old - v, "min": min, "max": max, "and": lambda old, v: old & v,
    "or": lambda old, v: old | v, "xor": lambda old, v: old ^ v,
}  # fmt: skip
PLACES = 5


def atomics() -> Iterator[Program]:
    """Of many work-items on few places, whose result no order changes; in global and in local memory."""
    for kind in ("int", "uint"):
        for name, change in _ATOMICS.items():
            yield Program(
                f"atomic_{name}_{kind}", kind, kind, f"atomic_{name}(&out[i % {PLACES}], x);", _of_places(change, kind), True
            )
            local = (f"local {kind} t[{PLACES}]; if (get_local_id(0) < {PLACES}) t[get_local_id(0)] = 0; barrier(CLK_LOCAL_MEM_FENCE);"
                     f" atomic_{name}(&t[get_local_id(0) % {PLACES}], x); barrier(CLK_LOCAL_MEM_FENCE);"
                     f" if (get_local_id(0) < {PLACES}) out[get_group_id(0) * {PLACES} + get_local_id(0)] = t[get_local_id(0)];")  # fmt: skip
            yield Program(f"local_atomic_{name}_{kind}", kind, kind, local, _of_local_places(change, kind), True)


def _of_places(change: Callable[[int, int], int], kind: str) -> Callable[[Array, Array, Array, int], Array]:
    def of(x: Array, y: Array, z: Array, lanes: int) -> Array:
        found = [0] * ITEMS
        for i, value in enumerate(_wide(x)):
            found[i % PLACES] = int(_wrapped([change(found[i % PLACES], int(value))], kind)[0])
        return np.array(found, TYPES[kind])

    return of


def _of_local_places(change: Callable[[int, int], int], kind: str) -> Callable[[Array, Array, Array, int], Array]:
    one = _of_places(change, kind)

    def of(x: Array, y: Array, z: Array, lanes: int) -> Array:
        found = np.zeros(ITEMS, TYPES[kind])
        for group in range(2):
            part = x[group * 32 : group * 32 + 32]
            found[group * PLACES : (group + 1) * PLACES] = one(part, part, part, lanes)[:PLACES]
        return found

    return of


FAMILIES: dict[str, Callable[[], Iterator[Program]]] = {
    "conversions": conversions, "integers": integers, "floats": floats, "subgroups": subgroups, "shuffles": shuffles,
    "atomics": atomics,
}  # fmt: skip


def source(family: str) -> str:
    """OpenCL C of a family's module."""
    extensions = "".join(f"#pragma OPENCL EXTENSION {name} : enable\n" for name in ("cl_khr_fp16", "cl_intel_subgroups"))
    return extensions + "".join(program.source for program in FAMILIES[family]())


def numbers(kind: str, seed: int) -> Array:
    """Numbers of a type: of all sizes, and the extreme ones."""
    rng = np.random.default_rng(seed)
    if kind in FLOATS:
        made = (rng.standard_normal(ITEMS) * 10.0 ** rng.integers(-3, 3, ITEMS)).astype(TYPES[kind])
        made[seed % 7 :: 9] = np.rint(made[seed % 7 :: 9]) + TYPES[kind](0.5)
        return made
    info = np.iinfo(TYPES[kind])
    made = rng.integers(info.min, info.max, ITEMS, dtype=TYPES[kind], endpoint=True) >> rng.integers(
        0, _bits(kind), ITEMS
    ).astype(TYPES[kind])
    made[:3] = info.min, info.max, 1
    return made
