"""The library: a layer of a transformer by `xt.ops`, and its kernels opened where more is wanted.

    python tutorials/17_library.py

`xt.ops` has functions of whole arrays with the names and the argument order of numpy and of PyTorch's functional API. Each checks its
arguments, allocates its result (or writes `out=`), and calls a kernel of `xetile/ops/kernels`. Those kernels are written as users write
theirs, so where a function is nearly what is wanted, its kernel is the place to begin: the end of this tutorial calls one by itself,
with tiles of our own.
"""

from typing import Any

import numpy as np

import xetile as xt
from xetile.ops.kernels import rows

Array = np.ndarray[Any, Any]
HEADS, WIDTH, LENGTH = 4, 32, 50
rng = np.random.default_rng(0)


def normal(*shape: int) -> Array:
    return np.asarray(rng.standard_normal(shape) / np.sqrt(shape[0]), np.float32)


def layer(x: Array, weights: dict[str, Array], cos: Array, sin: Array) -> Array:
    """x[N, C] after attention with rotary embedding, and after a hidden layer; what is added up stays in the products' registers."""
    columns = HEADS * WIDTH
    normed = xt.ops.rms_norm(x, columns, weights["first"])
    together = xt.ops.matmul(normed, weights["qkv"]).reshape(1, LENGTH, 3, HEADS, WIDTH)
    q, k = (xt.ops.rotary_embedding(together[:, :, i], cos, sin) for i in range(2))
    # Heads lie side by side in memory: transposed views, no copies.
    q, k, v = (part.swapaxes(1, 2) for part in (q, k, together[:, :, 2]))
    seen = xt.ops.scaled_dot_product_attention(q, k, v, is_causal=True)
    x = xt.ops.matmul(xt.ops.transpose(seen[0], (1, 0, 2)).reshape(LENGTH, columns), weights["out"], residual=x)
    hidden = xt.ops.matmul(xt.ops.rms_norm(x, columns, weights["second"]), weights["up"], activation="gelu")
    return np.asarray(xt.ops.matmul(hidden, weights["down"], residual=x))


def exact(x: Array, weights: dict[str, Array], cos: Array, sin: Array) -> Array:
    """The same in double precision."""
    x, w = x.astype(np.float64), {name: value.astype(np.float64) for name, value in weights.items()}

    def norm(x: Array, weight: Array) -> Array:
        return np.asarray(x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * weight)

    def rotated(x: Array) -> Array:
        a, b = np.split(x, 2, -1)
        return np.concatenate([a * cos - b * sin, b * cos + a * sin], -1)

    q, k, v = (norm(x, w["first"]) @ w["qkv"]).reshape(LENGTH, 3, HEADS, WIDTH).transpose(1, 2, 0, 3)
    scores = rotated(q) @ rotated(k).swapaxes(-1, -2) / np.sqrt(WIDTH)
    scores = np.exp(np.where(np.tri(LENGTH, dtype=bool), scores, -np.inf))
    seen = scores / scores.sum(-1, keepdims=True) @ v
    x = x + seen.transpose(1, 0, 2).reshape(LENGTH, -1) @ w["out"]
    hidden = norm(x, w["second"]) @ w["up"]
    hidden = 0.5 * hidden * (1 + np.tanh(np.sqrt(2 / np.pi) * (hidden + 0.044715 * hidden**3)))
    return np.asarray(x + hidden @ w["down"])


def main() -> None:
    columns = HEADS * WIDTH
    weights = {"first": np.ones(columns, np.float32), "second": np.ones(columns, np.float32), "qkv": normal(columns, 3 * columns),
               "out": normal(columns, columns), "up": normal(columns, 2 * columns), "down": normal(2 * columns, columns)}  # fmt: skip
    angles = np.arange(LENGTH)[:, None] / 100 ** (np.arange(WIDTH // 2) / (WIDTH // 2))
    cos, sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
    x = normal(LENGTH, columns)
    error = np.abs(layer(x, weights, cos, sin) - exact(x, weights, cos, sin)).max()
    print(f"a layer of {LENGTH} tokens: off by {error:.1e}")
    if not error < 1e-4:
        raise SystemExit("the layer is wrong")

    # A kernel of the library, called by itself: its output is given, its tiles are ours.
    y = np.empty_like(x)
    rows.softmax(x, y, BM=2, BN=128)
    print(f"each row of softmax adds up to {y.sum(1).mean():.5f}")
    if not np.allclose(y.sum(1), 1, atol=1e-5):
        raise SystemExit("softmax is wrong")


if __name__ == "__main__":
    main()
