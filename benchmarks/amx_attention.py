"""Attention in bf16 by AMX: right, and how fast beside PyTorch and vectors, by the tiles of the kernel."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

import xetile as xt
from xetile.ops.kernels.attention import attention, attention_whole
from xetile.runtime.devices import find_device
from xetile.runtime.settings import override

from .cases import normal, torch_of
from .timing import Subject, compare

CHECKED = ((256, 64, False), (200, 64, True), (300, 128, False), (130, 128, True), (70, 32, True))
TIMED = ((1024, 64), (4096, 128))
HEADS = 8
TILES: dict[str, dict[str, int]] = {
    "its defaults": {},
    "64 queries": {"BM": 64},
    "256 queries": {"BM": 256},
    "128 keys": {"BN": 128, "STEP": 128},
    "256 queries, 128 keys": {"BM": 256, "BN": 128, "STEP": 128},
}
ALLOWED = 2e-2
SAMPLES, LIMIT = 12, 0.6


def checks() -> Iterator[dict[str, Any]]:
    """The library's function against softmax in f64."""
    rng = np.random.default_rng(1)
    for rows, width, causal in CHECKED:
        q, k, v = (normal(rng, (2, rows, width), "bf16") for _ in range(3))
        made = xt.ops.scaled_dot_product_attention(q, k, v, is_causal=causal).astype(np.float64)
        error = float(np.abs(made - _exact((q, k, v), causal)).max())
        yield {"dtype": "bf16", "attention": [rows, width, causal], "error": error, "allowed": ALLOWED}


def _exact(operands: Sequence[Any], causal: bool) -> Any:
    q, k, v = (x.astype(np.float64) for x in operands)
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    if causal:
        scores = np.where(np.tril(np.ones(scores.shape[-2:], bool)), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v


def times() -> Iterator[dict[str, Any]]:
    """Milliseconds of each way."""
    rng = np.random.default_rng(0)
    for rows, width in TIMED:
        q, k, v = (normal(rng, (HEADS, rows, width), "bf16") for _ in range(3))
        out = np.zeros((HEADS, rows, width), np.float32)
        for causal in (False, True):
            runs = {f"amx, {name}": _bound(q, k, v, out, causal, tiles) for name, tiles in TILES.items()}
            with override(cpu="avx512_bf16"), xt.device(find_device("cpu")):
                runs["vectors"] = _bound(q, k, v, out, causal, {})
            if importlib.util.find_spec("torch") is not None:
                runs["torch"] = _torch(q, k, v, causal)
            timings = compare({name: Subject([run], None, SAMPLES, LIMIT) for name, run in runs.items()})
            case = f"{HEADS}x{rows}x{width}{' causal' if causal else ''}"
            yield {"case": case, "ms": {name: round(t.median * 1e3, 3) for name, t in timings.items()}}


def _bound(q: Any, k: Any, v: Any, out: Any, causal: bool, tiles: dict[str, int]) -> Callable[[], Any]:
    kernel, width = attention if causal else attention_whole, q.shape[2]
    run: Callable[[], Any] = kernel.bind(q, k, v, Out=out, D=width, causal=causal, scale=width**-0.5, **tiles)
    return run


def _torch(q: Any, k: Any, v: Any, causal: bool) -> Callable[[], Any]:
    import torch

    x, y, z = (torch_of(part)[None] for part in (q, k, v))
    return partial(torch.nn.functional.scaled_dot_product_attention, x, y, z, is_causal=causal)
