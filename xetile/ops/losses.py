"""Cross entropy, and its gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from xetile.errors import ArgumentError
from xetile.ops.arguments import INDICES, array, new, sums_in, tiled, tiles_of_rows
from xetile.ops.kernels import losses as kernels
from xetile.runtime.arrays import is_device_array

REDUCTIONS = ("mean", "sum", "none")


def cross_entropy(logits: Any, target: Any, *, reduction: str = "mean", ignore_index: int = -100, label_smoothing: float = 0.0,
                  return_grad: bool = False) -> Any:  # fmt: skip
    """-log(softmax(logits)) at the target classes, in f32 (f64 for f64), as in PyTorch.

    logits          [N, C]; f16, bf16, f32, f64.
    target          [N] classes, from 0 to C - 1 or ignore_index; i32, i64.
    reduction       "mean" of the rows that are not ignored, "sum", or "none": [N].
    label_smoothing     the share of each target that goes to all classes alike.
    return_grad     also give the gradient of the result ("none": of the sum) by logits, in their dtype.

    Raises ArgumentError (also for a class that is not there, of host arrays), DtypeError.

    Example:
        print(xt.ops.cross_entropy(np.zeros((2, 4), np.float32), np.int64([3, -100])).round(3))

    Prints:
        1.386
    """
    function = "cross_entropy"
    x = array(function, "logits", logits, shape=(None, None))
    classes = array(function, "target", target, INDICES, (x.shape[0],))
    if reduction not in REDUCTIONS or not 0 <= label_smoothing <= 1:
        raise ArgumentError(f"{function}: reduction is {reduction!r}, label_smoothing {label_smoothing}",
                            hint=f"one of {', '.join(REDUCTIONS)}; from 0 to 1")  # fmt: skip
    if is_device_array(x) or is_device_array(classes):
        raise ArgumentError(f"{function} takes host arrays", hint="call xetile.ops.kernels.losses.cross_entropy")
    counted = classes != ignore_index
    kept = classes[counted]
    if kept.size and not (kept.min() >= 0 and kept.max() < x.shape[1]):
        raise ArgumentError(f"{function}: target has classes from {kept.min()} to {kept.max()}; there are {x.shape[1]}")
    acc = sums_in(x)
    losses, grad = new((x.shape[0], 1), acc, x, 0), new(x.shape, x.dtype, x, 0) if return_grad else None
    if x.size:
        view = tiled(x)
        kernels.cross_entropy(view, classes.reshape(-1, 1), losses, grad, ignore_index, SMOOTHING=float(label_smoothing), ACC=acc,
                              **tiles_of_rows(view))  # fmt: skip
    count = int(counted.sum())
    with np.errstate(invalid="ignore", divide="ignore"):  # the mean of no rows is NaN, as in PyTorch
        result = losses[:, 0] if reduction == "none" else np.sum(losses) / losses.dtype.type(count if reduction == "mean" else 1)
    if grad is None:
        return result
    return result, (grad / count).astype(x.dtype) if reduction == "mean" and count else grad
