"""Random calls of `xt.ops`: arrays of any layout, shape and type, some calls again with the same arrays or with others like them.

Each result is numpy's in double precision, operands stay what they were, and so does the memory around the result that is asked for.
`python -m tests.generators.library --cases 10000 --jobs 2`
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import numpy as np

import xetile as xt
from tests.generators.arguments import COMMON, GUARD, view
from tests.generators.runner import main
from tests.library.numbers import ALLOWED, DTYPES
from xetile.runtime.settings import override
from xetile.runtime.specialize import PerformanceWarning

warnings.simplefilter("ignore", PerformanceWarning)
Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]

FLOATS = ("f16", "bf16", "f32", "f64")
HALVES = ("f16", "bf16", "f32")
EXTENTS = (1, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 40, 64, 65, 100, 129, 300)
LAYOUTS = (*COMMON, "repeated")


@dataclass(frozen=True)
class Operand:
    """An array: how it lies in memory, its shape and its type; between which its numbers are if they are whole, and whether they rise from
    the one to the other.
    """

    layout: str
    shape: Shape
    dtype: str
    whole: tuple[int, int] | None = None
    rising: bool = False

    def made(self, seed: int) -> tuple[Array, Array]:
        """The bytes of its memory, and the array in it."""
        rng = np.random.default_rng(seed)
        numbers: Array = rng.standard_normal(self.shape) if self.whole is None else rng.integers(*self.whole, self.shape)
        if self.rising and self.whole is not None:
            numbers = np.sort(numbers)
            numbers[0], numbers[-1] = self.whole
        memory, array = _laid(self.layout, self.shape, DTYPES.get(self.dtype) or np.dtype(self.dtype))
        if not array.flags.writeable:  # one row, seen as all of them
            view("plain", self.shape[-1:], array.dtype, memory)[...] = numbers.reshape(-1, self.shape[-1])[0].astype(array.dtype)
        else:
            array[...] = numbers.astype(array.dtype)
        return memory, array


def _laid(layout: str, shape: Shape, kind: np.dtype[Any]) -> tuple[Array, Array]:
    """Bytes that nobody has written, and an array of that shape in them; one without axes has no layout."""
    memory = np.full(256 + 4 * (kind.itemsize + 1) * math.prod(n + 5 for n in shape), GUARD, np.uint8)
    return memory, view(layout if shape else "plain", shape, kind, memory)


@dataclass(frozen=True)
class Call:
    """A function of the library, its operands, its options, and how its result is asked for."""

    name: str
    operands: tuple[Operand, ...]
    options: tuple[tuple[str, Any], ...] = ()
    out: str = ""  # how the result's memory lies; "": the library's own
    times: int = 1
    shared: bool = False  # operands that are alike are one array

    def check(self, seed: int) -> None:
        """Make the call so many times, each time on other numbers."""
        function, meaning = getattr(xt.ops, self.name), MEANINGS[self.name]
        for again in range(self.times):
            made = [each.made(seed + 17 * again + i) for i, each in enumerate(self.operands)]
            if self.shared:
                made = [made[self.operands.index(each)] for each in self.operands]
            before = [memory.copy() for memory, _ in made]
            arrays, options = [array for _, array in made], dict(self.options)
            expected, dtype = meaning(*arrays, **options)
            around: tuple[Array, Array] | None = None
            if self.out:
                around = _laid(self.out, expected.shape, dtype)
                options["out"] = around[1]
            found = function(*arrays, **options)
            self._compare(found, expected, dtype)
            if around is not None:
                assert found is around[1], f"{self}: another array than out"
                memory, array = _laid(self.out, expected.shape, dtype)
                array[...] = found
                np.testing.assert_array_equal(around[0], memory, err_msg=f"{self}: written around out")
            for (memory, _), old in zip(made, before):
                np.testing.assert_array_equal(memory, old, err_msg=f"{self}: an operand has changed")

    def _compare(self, found: Any, expected: Array, dtype: np.dtype[Any]) -> None:
        assert found.dtype == dtype and found.shape == expected.shape, (
            f"{self}: {found.dtype}{found.shape}, not {dtype}{expected.shape}"
        )
        name = next((name for name, kind in DTYPES.items() if kind == dtype), "")
        if not name:
            np.testing.assert_array_equal(found, expected, err_msg=str(self))
            return
        of = [ALLOWED[each.dtype] for each in self.operands if each.dtype in ALLOWED]
        allowed = max(ALLOWED[name], *of) if of and self.name in ROUNDED else ALLOWED[name]
        largest = max(1.0, float(np.abs(expected).max(initial=0)))
        worst = float(np.abs(found.astype(np.float64) - expected).max(initial=0))
        assert worst <= 4 * allowed * largest, f"{self}: off by {worst:.2e} of {largest:.2e}"


@dataclass(frozen=True)
class LibraryCase:
    """Calls on one device, one after the other."""

    device: str
    calls: tuple[Call, ...]
    seed: int

    def describe(self) -> str:
        """The case as its constructor takes it."""
        return repr(self)

    def check(self) -> str | None:
        """Make all calls."""
        with override(cpu="vector"), xt.device(self.device), np.errstate(all="ignore"):
            for number, call in enumerate(self.calls):
                call.check(self.seed + 1000 * number)
        return self.calls[0].name


# What the functions mean, in double precision, and of what type their results are.


def _wide(x: Array) -> Array:
    return x.astype(np.float64) if x.dtype.kind not in "iub" else x.astype(np.int64)


def _summed(x: Array) -> np.dtype[Any]:
    return np.dtype(np.uint64 if x.dtype.kind == "u" else np.int64) if x.dtype.kind in "iu" else x.dtype


def _reduced(function: Callable[..., Any], kind: Callable[[Array], Any]) -> Callable[..., Any]:
    return lambda x, axis=None, keepdims=False: (np.asarray(function(_wide(x), axis=axis, keepdims=keepdims)), np.dtype(kind(x)))


def _softmax(x: Array, axis: int = -1) -> Any:
    e = np.exp(_wide(x) - _wide(x).max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True), x.dtype


def _softmax_backward(grad: Array, y: Array, axis: int = -1) -> Any:
    g, wide = _wide(grad), _wide(y)
    return wide * (g - (g * wide).sum(axis, keepdims=True)), grad.dtype


def _layer_norm(x: Array, *, normalized_shape: int, eps: float = 1e-5) -> Any:
    wide = _wide(x) - _wide(x).mean(-1, keepdims=True)
    return wide / np.sqrt((wide * wide).mean(-1, keepdims=True) + eps), x.dtype


def _rms_norm(x: Array, *, normalized_shape: int, eps: float = 1e-6) -> Any:
    wide = _wide(x)
    return wide / np.sqrt((wide * wide).mean(-1, keepdims=True) + eps), x.dtype


_ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "none": lambda x: x,
    "relu": lambda x: np.maximum(x, 0),
    "silu": lambda x: x / (1 + np.exp(-x)),
    "gelu": lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
}


def _matmul(a: Array, b: Array, activation: str = "none") -> Any:
    made = _ACTIVATIONS[activation](_wide(a) @ _wide(b))
    return made, np.dtype(np.int32) if a.dtype.kind in "iu" else a.dtype


def _attention(q: Array, k: Array, v: Array, is_causal: bool = False) -> Any:
    q, k, v, kind = _wide(q), _wide(k), _wide(v), q.dtype
    group = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, group, 1), np.repeat(v, group, 1)
    scores = q @ np.swapaxes(k, -1, -2) / math.sqrt(q.shape[-1])
    if is_causal:
        scores = np.where(np.arange(q.shape[2])[:, None] >= np.arange(k.shape[2]), scores, -np.inf)
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ v, kind


def _conv2d(x: Array, w: Array, stride: int = 1, padding: int = 0, dilation: int = 1, groups: int = 1) -> Any:
    wide = np.pad(_wide(x), ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    filters, each, taps = _wide(w), w.shape[1], w.shape[2:]
    rows, columns = ((n - dilation * (t - 1) - 1) // stride + 1 for n, t in zip(wide.shape[2:], taps))
    made = np.zeros((x.shape[0], w.shape[0], rows, columns))
    for r in range(taps[0]):
        for s in range(taps[1]):
            part = wide[
                :,
                :,
                r * dilation : r * dilation + rows * stride : stride,
                s * dilation : s * dilation + columns * stride : stride,
            ]
            for o in range(w.shape[0]):
                first = o // (w.shape[0] // groups) * each
                made[:, o] += np.einsum("bcpq,c->bpq", part[:, first : first + each], filters[o, :, r, s])
    return made, x.dtype


def _grouped(a: Array, b: Array, offsets: Array) -> Any:
    made = np.zeros((a.shape[0], b.shape[2]))
    for g in range(b.shape[0]):
        rows = slice(int(offsets[g]), int(offsets[g + 1]))
        made[rows] = _wide(a)[rows] @ _wide(b)[g]
    return made, a.dtype


MEANINGS: dict[str, Callable[..., Any]] = {
    "sum": _reduced(np.sum, _summed),
    "mean": _reduced(np.mean, lambda x: x.dtype),
    "max": _reduced(np.max, lambda x: x.dtype),
    "min": _reduced(np.min, lambda x: x.dtype),
    "argmax": _reduced(np.argmax, lambda x: np.int64),
    "argmin": _reduced(np.argmin, lambda x: np.int64),
    "cumsum": lambda x, axis=-1: (np.cumsum(_wide(x), axis), np.dtype(_summed(x))),
    "softmax": _softmax,
    "softmax_backward": _softmax_backward,
    "transpose": lambda x, axes=None: (x.transpose(axes).astype(np.float64), x.dtype),
    "layer_norm": _layer_norm,
    "rms_norm": _rms_norm,
    "matmul": _matmul,
    "scaled_dot_product_attention": _attention,
    "conv2d": _conv2d,
    "embedding": lambda at, table: (_wide(table)[at], table.dtype),
    "grouped_matmul": _grouped,
}
ROUNDED = ("softmax_backward",)
"""Functions whose error is that of their operands' type."""


# Random calls.


class Writer:
    """Draws calls."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def shape(self, rank: int, most: int = 40_000) -> Shape:
        """Sizes of so many axes, of at most so many elements in all."""
        while True:
            sizes = tuple(self.random.choice(EXTENTS) for _ in range(rank))
            if math.prod(sizes) <= most:
                return sizes

    def operand(self, shape: Shape, dtype: str, whole: tuple[int, int] | None = None) -> Operand:
        """An operand in some layout."""
        return Operand(self.random.choice(LAYOUTS), shape, dtype, whole)

    def call(self) -> Call:
        """Some call."""
        name = self.random.choice(list(MEANINGS))
        operands, options = getattr(self, _DRAWN.get(name, name))(name)
        out = self.random.choice(COMMON) if self.random.random() < 0.3 else ""
        times, shared = self.random.choice((1, 1, 2, 5)), self.random.random() < 0.3  # the fourth follows a record of the third
        if shared:
            operands = [next(o for o in operands if replace(o, layout=each.layout) == each) for each in operands]
        return Call(name, tuple(operands), tuple(options.items()), out, times, shared)

    def reduction(self, name: str) -> tuple[Sequence[Operand], dict[str, Any]]:
        """Along an axis or over all; sums and comparisons of whole numbers are exact."""
        shape = self.shape(self.random.choice((1, 2, 2, 3, 4)))
        dtypes = FLOATS if name == "mean" else (*FLOATS, "int8", "uint8", "int16", "int32", "int64")
        axis = self.random.choice((None, *range(-len(shape), len(shape))))
        keeps = {"keepdims": True} if self.random.random() < 0.3 else {}
        whole = None if name == "mean" else (0, 4)
        return [self.operand(shape, self.random.choice(dtypes), whole)], {"axis": axis} | keeps

    def along(self, name: str) -> tuple[Sequence[Operand], dict[str, Any]]:
        """Along an axis that stays."""
        shape = self.shape(self.random.choice((1, 2, 2, 3)))
        dtypes = (*FLOATS, "int8", "int32") if name == "cumsum" else FLOATS
        dtype, count = self.random.choice(dtypes), 1 + (name == "softmax_backward")
        whole = (0, 3) if name == "cumsum" else None
        return [self.operand(shape, dtype, whole) for _ in range(count)], {"axis": self.random.randrange(-len(shape), len(shape))}

    def transpose(self, name: str) -> tuple[Sequence[Operand], dict[str, Any]]:
        """Of axes in any order."""
        shape = self.shape(self.random.choice((1, 2, 3, 4)))
        axes = self.random.choice((None, tuple(self.random.sample(range(len(shape)), len(shape)))))
        return [self.operand(shape, self.random.choice((*FLOATS, "int8", "int64")), (0, 100))], {"axes": axes}

    def norm(self, name: str) -> tuple[Sequence[Operand], dict[str, Any]]:
        """Over the last axis, of whole numbers: what is left of two that are close to their mean has few digits."""
        shape = (*self.shape(self.random.choice((1, 2))), self.random.choice(EXTENTS))
        return [self.operand(shape, self.random.choice(FLOATS), (-8, 9))], {"normalized_shape": shape[-1]}

    def matmul(self, name: str) -> tuple[Sequence[Operand], dict[str, Any]]:
        """With leading axes that broadcast."""
        m, k, n = (self.random.choice(EXTENTS) for _ in range(3))
        few = self.random.choice(((), (), (2,), (3, 2)))
        leading = [few, self.random.choice((few, (), tuple(1 for _ in few)))]
        self.random.shuffle(leading)
        dtype = self.random.choice((*FLOATS, "f32", "int8", "uint8"))
        whole = (0, 4) if dtype in ("int8", "uint8") else None
        options = {} if whole else {"activation": self.random.choice(("none", "none", *_ACTIVATIONS))}
        return [self.operand((*leading[0], m, k), dtype, whole), self.operand((*leading[1], k, n), dtype, whole)], options

    def attention(self, name: str) -> tuple[Sequence[Operand], dict[str, Any]]:
        """Of heads of several sizes, some of which share keys."""
        batch, group, heads = self.random.choice((1, 2)), self.random.choice((1, 1, 2)), self.random.choice((1, 2))
        n, m, d = (self.random.choice(EXTENTS) for _ in range(3))
        causal = self.random.random() < 0.4
        q, k = (batch, heads * group, n, min(d, 256)), (batch, heads, m, min(d, 256))
        dtype = self.random.choice(HALVES)
        return [self.operand(shape, dtype) for shape in (q, k, k)], {"is_causal": True} if causal else {}

    def conv2d(self, name: str) -> tuple[Sequence[Operand], dict[str, Any]]:
        """Of small images."""
        groups, taps = self.random.choice((1, 1, 2)), (self.random.choice((1, 2, 3)), self.random.choice((1, 3)))
        channels, filters = groups * self.random.choice((1, 3, 8, 20)), groups * self.random.choice((1, 2, 17))
        size = tuple(self.random.choice((7, 8, 16, 19, 36)) for _ in range(2))
        options = {"stride": self.random.choice((1, 2)), "padding": self.random.choice((0, 1, 2)), "groups": groups}
        options["dilation"] = self.random.choice((1, 1, 2))
        dtype, batch = self.random.choice(HALVES), self.random.choice((1, 2))
        return [self.operand((batch, channels, *size), dtype), self.operand((filters, channels // groups, *taps), dtype)], options

    def embedding(self, name: str) -> tuple[Sequence[Operand], dict[str, Any]]:
        """Rows of a table."""
        rows, columns = self.random.choice(EXTENTS), self.random.choice(EXTENTS)
        at = self.operand(self.shape(self.random.choice((1, 2)), 2000), self.random.choice(("int32", "int64")), (0, rows))
        return [at, self.operand((rows, columns), self.random.choice(HALVES), (0, 100))], {}

    def grouped_matmul(self, name: str) -> tuple[Sequence[Operand], dict[str, Any]]:
        """Some groups have no rows."""
        m, k, n = (self.random.choice(EXTENTS) for _ in range(3))
        dtype, groups = self.random.choice(HALVES), self.random.choice((1, 2, 5))
        offsets = Operand("plain", (groups + 1,), "int32", (0, m), rising=True)
        return [self.operand((m, k), dtype), self.operand((groups, k, n), dtype), offsets], {}


_DRAWN = {
    **dict.fromkeys(("sum", "mean", "max", "min", "argmax", "argmin"), "reduction"),
    **dict.fromkeys(("cumsum", "softmax", "softmax_backward"), "along"),
    **dict.fromkeys(("layer_norm", "rms_norm"), "norm"),
    "scaled_dot_product_attention": "attention",
}


def library(random: Random) -> LibraryCase:
    """A case from random numbers."""
    writer = Writer(random)
    return LibraryCase(random.choice(("numpy", "cpu", "cpu")), tuple(writer.call() for _ in range(3)), random.randrange(2**30))


if __name__ == "__main__":
    main(library)
