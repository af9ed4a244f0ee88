"""Attention, forward: Z heads of N queries and keys with D features; with and without a causal mask."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import xetile as xt
from xetile.ops.kernels.attention import MANY_QUERIES, attention, attention_whole

from ..cases import NUMPY, Array, Arrays, Case, Run, Step, normal, torch_of

HEADS, FEATURES = 8, (64, 128)
# Weights are rounded to the operands' type before the second product.
ERROR = {"f32": 1e-4, "f16": 2e-3, "bf16": 2e-2}
SPACE = tuple(xt.autotune_space(BM=(128, 64), BN=(64, 32), num_subgroups=(8, 4)))


def cases(sizes: list[tuple[int, ...]]) -> Iterator[Case]:
    """A size is N, or ZxNxD."""
    for size in sizes:
        for features in FEATURES if len(size) == 1 else size[2:]:
            shape = (HEADS, size[0], features) if len(size) == 1 else (size[0], size[1], features)
            for causal in (False, True):
                yield case(shape, causal)


def case(shape: tuple[int, int, int], causal: bool, dtype: str = "f16") -> Case:
    """One size."""
    z, n, d = shape
    scale = d**-0.5
    kernel = attention if causal or n < MANY_QUERIES else attention_whole
    step = Step(kernel, ("Q", "K", "V"), "Out", {"D": d, "scale": scale, "causal": causal}, space=SPACE)
    # facts of the peers: 4 Z N^2 D, halved for a causal mask.
    flops = 4.0 * z * n * n * d / (2 if causal else 1)
    return Case(
        f"{dtype} D={d}{' causal' if causal else ''}", shape, dtype, flops, z * n * d * (3 * NUMPY[dtype].itemsize + 4.0),
        inputs=lambda rng: {name: normal(rng, shape, dtype) for name in "QKV"}, steps=(step,),
        reference=partial(_attention, scale, causal, np.float64), error=ERROR[dtype],
        peers={"numpy": partial(_numpy_peer, scale, causal), "torch": partial(_torch_peer, scale, causal)},
    )  # fmt: skip


def _attention(scale: float, causal: bool, dtype: type, arrays: Arrays) -> Array:
    return _of(scale, causal, *(arrays[name].astype(dtype) for name in "QKV"))


def _of(scale: float, causal: bool, q: Array, k: Array, v: Array) -> Array:
    scores = q @ k.swapaxes(1, 2) * scale
    if causal:
        scores = np.where(np.tri(q.shape[1], k.shape[1], dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(2, keepdims=True))
    return np.asarray(weights @ v / weights.sum(2, keepdims=True))


def _numpy_peer(scale: float, causal: bool, arrays: Arrays) -> Run:
    """In f32, converted before."""
    return partial(_of, scale, causal, *(arrays[name].astype(np.float32) for name in "QKV"))


def _torch_peer(scale: float, causal: bool, arrays: Arrays) -> Any:
    import torch

    q, k, v = (torch_of(arrays[name])[None] for name in "QKV")
    return partial(torch.nn.functional.scaled_dot_product_attention, q, k, v, is_causal=causal, scale=scale)
