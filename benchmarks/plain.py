"""Kernels as people write them beside the functions of numpy and PyTorch that do the same, in turns in one run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from .cases import Array, normal
from .kernels import plain
from .library import Case, common_rows, layer_norm_of, run, softmax_of


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    return run("plain", "Plain kernels", (_elements, _rows, _places), (__doc__ or "").partition("\n")[0], arguments)


def _elements(rng: np.random.Generator) -> Iterator[Case]:
    x, square = normal(rng, (1 << 20,), "f32"), normal(rng, (1024, 1024), "f32")
    yield Case("gelu of 1 M", (x,), plain.gelu, _gelu, lambda t, x: t.nn.functional.gelu(x))
    yield Case("f32 to f16", (square,), plain.to_f16, lambda x: x.astype(np.float16), lambda t, x: x.half())
    yield Case("each element four times", (square,), plain.doubled, lambda x: x.repeat(2, 0).repeat(2, 1),
               lambda t, x: t.nn.functional.interpolate(x[None, None], scale_factor=2)[0, 0])  # fmt: skip


def _gelu(x: Array) -> Array:
    """By the sum that numpy, which has no erf, needs for it: Abramowitz and Stegun, 7.1.26."""
    z = np.abs(x) * np.float32(0.70710678)
    t = 1 / (1 + np.float32(0.3275911) * z)
    tail = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t * np.exp(-z * z)
    return np.asarray(0.5 * x * (1 + np.sign(x) * (1 - tail)))


def _rows(rng: np.random.Generator) -> Iterator[Case]:
    for size, x, w, b in common_rows(rng):
        yield Case(f"softmax {size}", (x,), plain.softmax, softmax_of, lambda t, x: t.softmax(x, -1))
        yield Case(f"layer norm {size}", (x, w, b), plain.layer_norm, layer_norm_of,
                   lambda t, x, w, b: t.nn.functional.layer_norm(x, w.shape, w, b))  # fmt: skip
        yield Case(f"sums of columns {size}", (x,), plain.column_sums, lambda x: x.sum(0, keepdims=True),
                   lambda t, x: x.sum(0, keepdim=True), 1e-3)  # fmt: skip


def _places(rng: np.random.Generator) -> Iterator[Case]:
    places, table = rng.integers(0, 10000, 4096, dtype=np.int32), normal(rng, (10000, 512), "f32")
    yield Case("4096 rows of a table", (places, table), plain.rows_of_table, lambda i, x: x[i],
               lambda t, i, x: t.nn.functional.embedding(i, x))  # fmt: skip
    yield Case("columns turned", (table,), plain.turned, lambda x: np.ascontiguousarray(x[:, ::-1]), lambda t, x: x.flip(1))
    bins = rng.integers(0, 4096, 1 << 20, dtype=np.int32)
    yield Case(
        "counts of 1 M in 4096",
        (bins,),
        _counts,
        lambda i: np.bincount(i, minlength=4096),
        lambda t, i: t.bincount(i, minlength=4096),
    )


def _counts(bins: Array) -> Array:
    counts = np.zeros(4096, np.int32)
    plain.counted(bins, counts)
    return counts
