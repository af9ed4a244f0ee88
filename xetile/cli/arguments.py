"""Arguments of a kernel from words of a command line: `A=random:64x32xf16`, `C=zeros`, `data.npy`, `0.5`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from xetile.dtypes import DTYPES, DType
from xetile.errors import ArgumentError, LimitError
from xetile.records import dataclass

if TYPE_CHECKING:
    from xetile.dialects.gpu import GpuModule

Array = np.ndarray[Any, np.dtype[Any]]
SYNTAX = "[NAME=]KIND[:SHAPE][xTYPE], KIND one of random, zeros, ones, arange; [NAME=]FILE.npy; or [NAME=]NUMBER"
_NAMED = re.compile(r"([A-Za-z_][\w.]*)=(.*)", re.S)
_FILLED = re.compile(r"(random|zeros|ones|arange)(?::(\d+(?:x\d+)*)?x?([A-Za-z]\w*)?)?")
_PART = 1 << 20
_MOST_RANK, _MOST_DIGITS = 32, 19  # numpy's, of all versions
RANDOM_BELOW = 4
"""Random elements are whole numbers from -4 to below 4 (to below 4 where the type has no sign), so that sums are exact."""


def _random(shape: tuple[int, ...], dtype: DType, rng: np.random.Generator) -> Array:
    low, high = 0 if dtype.kind in "bu" else -RANDOM_BELOW, 2 if dtype.kind == "b" else RANDOM_BELOW
    array = np.empty(shape, dtype.numpy)
    flat = array.reshape(-1)
    for start in range(0, flat.size, _PART):  # the numbers are those of one draw, which would take eight bytes each
        part = flat[start : start + _PART]
        part[...] = rng.integers(low, high, part.size).astype(dtype.numpy)
    return array


def _arange(shape: tuple[int, ...], dtype: DType, rng: np.random.Generator) -> Array:
    array = np.empty(shape, dtype.numpy)
    flat = array.reshape(-1)
    for start in range(0, flat.size, _PART):
        flat[start : start + _PART] = np.arange(start, min(start + _PART, flat.size)).astype(dtype.numpy)
    return array


_FILL: dict[str, Callable[[tuple[int, ...], DType, np.random.Generator], Array]] = {
    "random": _random,
    "arange": _arange,
    "zeros": lambda shape, dtype, rng: np.zeros(shape, dtype.numpy),
    "ones": lambda shape, dtype, rng: np.ones(shape, dtype.numpy),
}


def values(module: GpuModule, words: Sequence[str], seed: int = 0, most: int = 1 << 62) -> dict[str, Any]:
    """A value for each argument of the kernel: words with a name, then the others in order.

    most: bytes of all arrays together, which are counted before any is made.
    Raises LimitError for more; ArgumentError for a word that is none of `SYNTAX`, a name that the kernel has not, and arguments
    that are left over.
    """
    types = parameter_types(module)
    names = list(types)
    given: dict[str, str] = {}
    plain: list[str] = []
    for word in words:
        found = _NAMED.fullmatch(word)
        if not found:
            plain.append(word)
        elif found[1] not in types:
            raise ArgumentError(f"the kernel has no argument {found[1]!r}", hint=f"it takes {', '.join(names)}")
        else:
            given[found[1]] = found[2]
    left = [name for name in names if name not in given]
    if len(left) != len(plain):
        raise ArgumentError(f"{module.kernel.sym_name} takes {len(names)} arguments, not {len(words)}",
                            hint="; ".join(f"{name}: {types[name]}" for name in names))  # fmt: skip
    given |= dict(zip(left, plain))
    rng = np.random.default_rng(seed)
    budget = _Budget(most)
    return {name: value(name, given[name], types[name], rng, budget) for name in names}


@dataclass
class _Budget:
    """Bytes that are left for arrays."""

    left: int

    def take(self, name: str, shape: Sequence[int], itemsize: int) -> None:
        """Raise LimitError where an array does not fit."""
        if len(shape) > _MOST_RANK:
            raise ArgumentError(f"{name}: an array has at most {_MOST_RANK} dimensions, not {len(shape)}")
        size = prod(shape) * itemsize
        if size > self.left or max(shape, default=0) >= 1 << 62:
            raise LimitError(f"{name} would take {size} bytes, and {self.left} are left", hint="--memory MIB allows more")
        self.left -= size


def parameter_types(module: GpuModule) -> dict[str, Any]:
    """Names and types of what a call passes: arrays and numbers; sizes and strides of arrays come with them."""
    kernel = module.kernel
    specs = kernel.specs.items()
    return {spec.param: value.type for value, spec in specs if spec.kind in ("array", "scalar")}


def value(name: str, word: str, type: Any, rng: np.random.Generator, budget: _Budget) -> Any:
    """The value that a word means for an argument of a type."""
    found = _FILLED.fullmatch(word)
    if found:
        return _filled(name, found, type, rng, budget)
    if word.endswith(".npy"):
        return _from_file(name, word, budget)
    try:
        return {"true": True, "false": False}.get(word.lower()) if word.lower() in ("true", "false") else _number(word)
    except ValueError:
        raise ArgumentError(f"{name}: {word!r} is no value", hint=SYNTAX) from None


def _number(word: str) -> int | float:
    try:
        return int(word, 0)
    except ValueError:
        return float(word)


def _from_file(name: str, file: str, budget: _Budget) -> Array:
    if not os.path.isfile(file):
        raise ArgumentError(f"{name}: cannot read {file}: there is no such file")
    try:
        mapped = np.load(file, mmap_mode="r", allow_pickle=False)  # looks at sizes before anything is allocated
    except (OSError, ValueError, EOFError, SyntaxError, TypeError, KeyError, OverflowError, MemoryError) as error:
        raise ArgumentError(f"{name}: cannot read {file}: {error}") from error
    if not isinstance(mapped, np.ndarray):
        raise ArgumentError(f"{name}: {file} holds no array")
    budget.take(name, mapped.shape, mapped.itemsize)
    return np.array(mapped)


def _filled(name: str, found: re.Match[str], type: Any, rng: np.random.Generator, budget: _Budget) -> Array:
    kind, shape_text, dtype_text = found.groups()
    if dtype_text is not None and dtype_text not in DTYPES:
        raise ArgumentError(f"{name}: there is no element type {dtype_text!r}", hint=f"one of {', '.join(DTYPES)}")
    element = getattr(type, "element", type)
    dtype = DTYPES[dtype_text] if dtype_text else next((d for d in DTYPES.values() if d.ir_name == element.name), None)
    if dtype is None:
        raise ArgumentError(f"{name} is {type}: pass a number")
    if max(map(len, (shape_text or "").split("x"))) > _MOST_DIGITS:
        raise ArgumentError(f"{name}: no array has such sizes")
    shape = tuple(int(n) for n in shape_text.split("x")) if shape_text else getattr(type, "shape", ())
    if None in shape:
        raise ArgumentError(f"{name} is {type}, so its size must be given", hint=f"{name}={kind}:64x64x{dtype.name}")
    budget.take(name, shape, dtype.itemsize)
    return _FILL[kind](shape, dtype, rng)
