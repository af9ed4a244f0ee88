"""Arguments of a kernel from words of a command line: `A=random:64x32xf16`, `C=zeros`, `data.npy`, `0.5`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from xetile.dtypes import DTYPES, DType
from xetile.errors import ArgumentError

if TYPE_CHECKING:
    from xetile.dialects.gpu import GpuModule

Array = np.ndarray[Any, np.dtype[Any]]
SYNTAX = "[NAME=]KIND[:SHAPE][xTYPE], KIND one of random, zeros, ones, arange; [NAME=]FILE.npy; or [NAME=]NUMBER"
_NAMED = re.compile(r"([A-Za-z_][\w.]*)=(.*)", re.S)
_FILLED = re.compile(r"(random|zeros|ones|arange)(?::(\d+(?:x\d+)*)?x?([A-Za-z]\w*)?)?")
RANDOM_BELOW = 4
"""Random elements are whole numbers from -4 to below 4 (to below 4 where the type has no sign), so that sums are exact."""


def _random(shape: tuple[int, ...], dtype: DType, rng: np.random.Generator) -> Array:
    low = 0 if dtype.kind in "bu" else -RANDOM_BELOW
    return rng.integers(low, 2 if dtype.kind == "b" else RANDOM_BELOW, shape).astype(dtype.numpy)


def _arange(shape: tuple[int, ...], dtype: DType, rng: np.random.Generator) -> Array:
    return np.arange(int(np.prod(shape))).reshape(shape).astype(dtype.numpy)


_FILL: dict[str, Callable[[tuple[int, ...], DType, np.random.Generator], Array]] = {
    "random": _random,
    "arange": _arange,
    "zeros": lambda shape, dtype, rng: np.zeros(shape, dtype.numpy),
    "ones": lambda shape, dtype, rng: np.ones(shape, dtype.numpy),
}


def values(module: GpuModule, words: Sequence[str], seed: int = 0) -> dict[str, Any]:
    """A value for each argument of the kernel: words with a name, then the others in order.

    Raises ArgumentError for a word that is none of `SYNTAX`, a name that the kernel has not, and arguments that are left over.
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
    return {name: value(name, given[name], types[name], rng) for name in names}


def parameter_types(module: GpuModule) -> dict[str, Any]:
    """Names and types of what a call passes: arrays and numbers; sizes and strides of arrays come with them."""
    kernel = module.kernel
    specs = zip(kernel.body.args, kernel.args)
    return {spec.param: value.type for value, spec in specs if spec.kind in ("array", "scalar")}


def value(name: str, word: str, type: Any, rng: np.random.Generator) -> Any:
    """The value that a word means for an argument of a type."""
    found = _FILLED.fullmatch(word)
    if found:
        return _filled(name, found, type, rng)
    if word.endswith(".npy"):
        try:
            return np.load(word, allow_pickle=False)
        except (OSError, ValueError) as error:
            raise ArgumentError(f"{name}: cannot read {word}: {error}") from error
    try:
        return {"true": True, "false": False}.get(word.lower()) if word.lower() in ("true", "false") else _number(word)
    except ValueError:
        raise ArgumentError(f"{name}: {word!r} is no value", hint=SYNTAX) from None


def _number(word: str) -> int | float:
    try:
        return int(word, 0)
    except ValueError:
        return float(word)


def _filled(name: str, found: re.Match[str], type: Any, rng: np.random.Generator) -> Array:
    kind, shape_text, dtype_text = found.groups()
    if dtype_text is not None and dtype_text not in DTYPES:
        raise ArgumentError(f"{name}: there is no element type {dtype_text!r}", hint=f"one of {', '.join(DTYPES)}")
    element = getattr(type, "element", type)
    dtype = DTYPES[dtype_text] if dtype_text else next((d for d in DTYPES.values() if d.ir_name == element.name), None)
    if dtype is None:
        raise ArgumentError(f"{name} is {type}: pass a number")
    shape = tuple(int(n) for n in shape_text.split("x")) if shape_text else getattr(type, "shape", ())
    if None in shape:
        raise ArgumentError(f"{name} is {type}, so its size must be given", hint=f"{name}={kind}:64x64x{dtype.name}")
    return _FILL[kind](shape, dtype, rng)
