"""Functions of arrays with the names and the argument order of numpy and of PyTorch's functional API: `xt.ops.softmax(x, axis=-1)`.

    rows, norms          softmax, log_softmax, layer_norm, rms_norm and their gradients
    products             matmul with what follows it, bytes, f8 and int4 weights, groups
    heads                scaled_dot_product_attention and its gradient, varlen_attention, paged_attention
    reductions           sum, max, min, mean, argmax, argmin, cumsum
    moves, tokens        transpose; embedding and its gradient, rotary_embedding
    losses, images       cross_entropy; conv2d
    selection            topk, histogram
    distributed          matmul, softmax and attention over dask.array
    arguments            what all functions check
    kernels              the kernels themselves, one file each family, written as users write theirs

Functions take numpy arrays, and whatever else kernels take, and run on the present device (`xt.device`), for device arrays on theirs.
`out=` is written and returned. Arrays that do not fit raise ArgumentError, element types DtypeError, before anything runs.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xetile.ops.heads import (
        paged_attention,
        scaled_dot_product_attention,
        scaled_dot_product_attention_backward,
        varlen_attention,
    )  # fmt: skip
    from xetile.ops.images import conv2d
    from xetile.ops.losses import cross_entropy
    from xetile.ops.moves import transpose
    from xetile.ops.norms import layer_norm, layer_norm_backward, rms_norm, rms_norm_backward
    from xetile.ops.products import grouped_matmul, matmul, matmul_int4, pack_int4
    from xetile.ops.reductions import argmax, argmin, cumsum, mean
    from xetile.ops.reductions import max_ as max
    from xetile.ops.reductions import min_ as min
    from xetile.ops.reductions import sum_ as sum
    from xetile.ops.rows import log_softmax, softmax, softmax_backward
    from xetile.ops.selection import histogram, topk
    from xetile.ops.tokens import embedding, embedding_backward, rotary_embedding

__all__ = [
    "argmax", "argmin", "conv2d", "cross_entropy", "cumsum", "embedding", "embedding_backward", "grouped_matmul", "histogram",
    "layer_norm", "layer_norm_backward", "log_softmax", "matmul", "matmul_int4", "max", "mean", "min", "pack_int4", "paged_attention",
    "rms_norm", "rms_norm_backward", "rotary_embedding", "scaled_dot_product_attention", "scaled_dot_product_attention_backward", "softmax",
    "softmax_backward", "sum", "topk", "transpose", "varlen_attention",
]  # fmt: skip

_HOMES = {
    "heads": ("paged_attention", "scaled_dot_product_attention", "scaled_dot_product_attention_backward", "varlen_attention"),
    "images": ("conv2d",),
    "losses": ("cross_entropy",),
    "moves": ("transpose",),
    "norms": ("layer_norm", "layer_norm_backward", "rms_norm", "rms_norm_backward"),
    "products": ("grouped_matmul", "matmul", "matmul_int4", "pack_int4"),
    "reductions": ("argmax", "argmin", "cumsum", "max", "mean", "min", "sum"),
    "rows": ("log_softmax", "softmax", "softmax_backward"),
    "selection": ("histogram", "topk"),
    "tokens": ("embedding", "embedding_backward", "rotary_embedding"),
}
_REPLAYED = {
    "argmax", "argmin", "cumsum", "embedding", "grouped_matmul", "layer_norm", "log_softmax", "matmul", "matmul_int4", "max", "mean",
    "min", "rms_norm", "rotary_embedding", "scaled_dot_product_attention", "softmax", "softmax_backward", "sum", "topk", "transpose",
}  # fmt: skip
"""Functions that view arrays, check their elements, allocate some, and launch kernels, and do nothing else with them."""
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """A function, or `xt.ops.distributed`, imported when it is asked for: whoever takes one kernel loads no others."""
    if name == "distributed":
        return import_module("xetile.ops.distributed")
    if name in _HOME_OF:
        return _public(name)
    hint = _ELSEWHERE.get(name, "")
    if not hint and not name.startswith("_"):
        from difflib import get_close_matches

        close = get_close_matches(name, __all__, 1)
        hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(__all__)}"
    raise AttributeError(f"module 'xetile.ops' has no attribute {name!r}{f'; {hint}' if hint else ''}")


def _public(name: str) -> Any:
    """A function that tells mistakes at the user's call, with the name that help() and Python's own errors call it."""
    from xetile.ops.replay import replayed
    from xetile.runtime.told import told

    home = import_module(f"xetile.ops.{_HOME_OF[name]}")
    # Those that would hide Python's own where they are defined have another name there.
    own = getattr(home, f"{name}_" if hasattr(home, f"{name}_") else name)
    function = told(own)
    function.__module__, function.__name__, function.__qualname__ = __name__, name, name
    function = replayed(function) if name in _REPLAYED else function
    return globals().setdefault(name, function)  # one of each, also where threads ask at once


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


_FOLLOWS = "after a product: xt.ops.matmul(a, b, activation={!r})"
_ELSEWHERE = {
    **{name: _FOLLOWS.format(name) for name in ("relu", "gelu", "silu")},
    "linear": "xt.ops.matmul(x, weight.T, bias=bias)", "dot": "xt.ops.matmul(a, b)", "einsum": "xt.ops.matmul(a, b) on a.reshape(...)",
    "bmm": "xt.ops.matmul(a, b), which takes leading axes", "attention": "xt.ops.scaled_dot_product_attention(q, k, v)",
    "var": "xt.ops.mean((x - xt.ops.mean(x, axis, keepdims=True)) ** 2, axis)", "std": "the square root of xt.ops.mean((x - "
    "xt.ops.mean(x, axis, keepdims=True)) ** 2, axis)", "any": "xt.ops.sum(mask, axis) > 0", "all": "xt.ops.sum(~mask, axis) == 0",
    "count_nonzero": "xt.ops.sum(x != 0, axis)", "bincount": "xt.ops.histogram(a, bins, range)",
    "sort": "xt.ops.topk(x, k) gives the largest in order",
}  # fmt: skip
"""What people look for here under another name."""
