"""Kernels that are bound by memory: softmax, layer norm, sums of rows, transposition, addition."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

import xetile as xt
from xetile.ops.kernels import norms
from xetile.ops.kernels import rows as kernels

from ..cases import Array, Arrays, Case, Run, Step, normal, torch_of

EPSILON = 1e-5
ERROR = 1e-5
# What --autotune tries: rows and columns of a program's tile.
SPACE = tuple(xt.autotune_space(BM=(8, 16, 32), BN=(128, 256, 512), num_subgroups=(8, 4)))

Sizes = list[tuple[int, ...]]
Peers = Mapping[str, Callable[[Arrays], Run]]


def softmax(sizes: Sizes) -> Iterator[Case]:
    """Rows of M x N, f32; one array in, one out."""
    peers = {"numpy": _with_x(_softmax), "torch": _with_torch(lambda torch, x: torch.softmax(x, 1))}
    for shape in map(_pair, sizes):
        yield _case("f32", shape, Step(kernels.softmax, ("X",), "Y"), 5, 2, lambda a: _softmax(a["X"].astype(np.float64)), peers)


def layer_norm(sizes: Sizes) -> Iterator[Case]:
    """Rows of M x N, f32, with weight and bias."""
    step = Step(norms.layer_norm, ("X", "weight", "bias"), "Y", {"eps": EPSILON})
    for shape in map(_pair, sizes):
        yield _case("f32", shape, step, 8, 2, _exact_layer_norm, {"numpy": _numpy_layer_norm, "torch": _torch_layer_norm},
                    extra=("weight", "bias"))  # fmt: skip


def reduction(sizes: Sizes) -> Iterator[Case]:
    """The sum of each row of M x N, f32."""
    peers = {"numpy": _with_x(lambda x: x.sum(1, keepdims=True)), "torch": _with_torch(lambda torch, x: x.sum(1, keepdim=True))}
    for shape in map(_pair, sizes):
        yield _case("f32", shape, Step(kernels.row_sum, ("X",), "Y"), 1, 1,
                    lambda a: a["X"].astype(np.float64).sum(1, keepdims=True), peers)  # fmt: skip


def transpose(sizes: Sizes) -> Iterator[Case]:
    """M x N to N x M, f32."""
    peers = {"numpy": _with_x(lambda x: np.ascontiguousarray(x.T)), "torch": _with_torch(lambda torch, x: x.t().contiguous())}
    for shape in map(_pair, sizes):
        yield _case("f32", shape, Step(kernels.transpose, ("X",), "Y"), 0, 2, lambda a: a["X"].T, peers)


def vector_add(sizes: Sizes) -> Iterator[Case]:
    """Two arrays of M x N into a third, f32."""
    peers: Peers = {"numpy": lambda a: lambda: a["X"] + a["Y"], "torch": _torch_add}
    for shape in map(_pair, sizes):
        yield _case("f32", shape, Step(kernels.vector_add, ("X", "Y"), "Z"), 1, 3,
                    lambda a: a["X"].astype(np.float64) + a["Y"], peers, second=True)  # fmt: skip


def _case(variant: str, shape: tuple[int, int], step: Step, flops: int, arrays: int, reference: Any, peers: Peers,
          extra: tuple[str, ...] = (), *, second: bool = False) -> Case:  # fmt: skip
    """flops for an element; arrays of the whole shape that are read or written; `extra` are vectors of N."""
    m, n = shape

    def inputs(rng: np.random.Generator) -> dict[str, Array]:
        whole = {name: normal(rng, (m, n), "f32") for name in ("XY" if second else "X")}
        return {**whole, **{name: normal(rng, (n,), "f32") for name in extra}}

    tuned = Step(step.kernel, step.args, step.output, step.constants, space=_space(step.kernel))
    return Case(variant, shape, "f32", float(flops * m * n), 4.0 * (arrays * m * n + len(extra) * n), inputs, (tuned,),
                reference, ERROR, peers)  # fmt: skip


def _space(kernel: Any) -> tuple[Any, ...]:
    default = xt.Config(**{name: kernel.head.defaults[name] for name in ("BM", "BN")}, num_subgroups=kernel.num_subgroups)
    return tuple(dict.fromkeys((default, *SPACE)))


def _pair(size: tuple[int, ...]) -> tuple[int, int]:
    """M x N; one number stands for both."""
    return (size[0], size[-1]) if len(size) <= 2 else (size[0] * size[1], size[2])


def _softmax(x: Array) -> Array:
    e = np.exp(x - x.max(1, keepdims=True))
    return np.asarray(e / e.sum(1, keepdims=True))


def _layer_norm(x: Array, weight: Array, bias: Array) -> Array:
    d = x - x.mean(1, keepdims=True)
    return np.asarray(d / np.sqrt((d * d).mean(1, keepdims=True) + EPSILON) * weight + bias)


def _exact_layer_norm(arrays: Arrays) -> Array:
    return _layer_norm(*(arrays[name].astype(np.float64) for name in ("X", "weight", "bias")))


def _numpy_layer_norm(arrays: Arrays) -> Run:
    return partial(_layer_norm, arrays["X"], arrays["weight"], arrays["bias"])


def _torch_layer_norm(arrays: Arrays) -> Run:
    import torch

    x, weight, bias = (torch_of(arrays[name]) for name in ("X", "weight", "bias"))
    return partial(torch.nn.functional.layer_norm, x, x.shape[1:], weight, bias, EPSILON)


def _torch_add(arrays: Arrays) -> Run:
    import torch

    return partial(torch.add, torch_of(arrays["X"]), torch_of(arrays["Y"]))


def _with_x(function: Callable[[Array], Array]) -> Callable[[Arrays], Run]:
    return lambda arrays: partial(function, arrays["X"])


def _with_torch(function: Callable[[Any, Any], Any]) -> Callable[[Arrays], Run]:
    def peer(arrays: Arrays) -> Run:
        import torch

        return partial(function, torch, torch_of(arrays["X"]))

    return peer
