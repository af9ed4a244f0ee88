"""What people write in numpy, torch and Triton, and how kernels say it: hints for names that are not there."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from xetile.errors import CompileError
from xetile.language.values import Value, describe

# Names that xetile does not have, by what to write instead.
_WORDS = {
    "dot": "a @ b multiplies matrices, xt.tile_mma(a, b, acc) adds to a sum",
    "matmul": "a @ b multiplies matrices, xt.tile_mma(a, b, acc) adds to a sum",
    "store": "xt.store_tile(value, xt.init_tile(array, offsets, shape)) stores a tile, xt.store_scatter single elements",
    "atomic_add": 'xt.atomic_rmw_tile("add", value, tile)',
    "astype": "x.to(dtype)",
    "type": "x.to(dtype)",
    "view": "x.bitcast(dtype) keeps the bits, x.to(dtype) the values",
    "reshape": "x[:, None] and x[None, :] add an axis, xt.tile_transpose exchanges two",
    "concatenate": "keep the parts apart in a tuple, or store them side by side",
    "cat": "keep the parts apart in a tuple, or store them side by side",
    "mean": "xt.sum(x, axis) / n",
    "var": "mean = xt.sum(x, axis) / n; xt.sum((x - mean) * (x - mean), axis) / n",
    "softmax": "e = xt.exp(x - xt.max(x, axis)); e / xt.sum(e, axis)",
    "relu": "xt.maximum(x, 0)",
    "gelu": "0.5 * x * (1 + xt.erf(x * 0.5**0.5))",
    "silu": "x * xt.sigmoid(x)",
    "clip": "xt.clamp(x, low, high)",
    "power": "x ** y",
    "zeros_like": "xt.zeros(x.shape, x.dtype)",
    "full_like": "xt.full(x.shape, value, x.dtype)",
    "ones": "xt.full(shape, 1, dtype)",
    "broadcast_to": "xt.tile_broadcast, or an operation that broadcasts",
    "trans": "x.T",
    "transpose": "x.T",
    "debug_barrier": "xt.barrier()",
    "device_id": "xt.program_id(axis)",
}
_DTYPES = {"float": "f", "bfloat": "bf", "int": "i", "uint": "u"}


def hint_for(held: Any, name: str) -> str | None:
    """What to write instead of `held.name`, where that is known."""
    import xetile

    if isinstance(held, Value) and name in dir(xetile) and not hasattr(held, name):
        return f"xt.{name}(x, ...)"
    if isinstance(held, Value) or held is xetile:
        kind = name.rstrip("0123456789")
        ours = f"{_DTYPES.get(kind, '?')}{name[len(kind) :]}"
        if hasattr(xetile, ours):
            return f"xt.{ours}"
        if name in _WORDS:
            return _WORDS[name]
    close = get_close_matches(name, [n for n in dir(held) if not n.startswith("_")], n=1)
    return f"did you mean {close[0]}?" if close else None


def check_foreign(function: Any, args: list[Any]) -> None:
    """Functions of numpy and math compute now; values of kernels are known later.

    Raises CompileError.
    """
    import xetile

    home = (getattr(function, "__module__", None) or type(function).__module__).split(".")[0]
    value = next((a for a in args if isinstance(a, Value)), None)
    if value is None or home not in ("numpy", "math", "torch", "scipy"):
        return
    name = getattr(function, "__name__", "function")
    hint = f"use xt.{name}" if name in dir(xetile) else hint_for(xetile, name)
    raise CompileError(f"{home}'s {name} cannot take {describe(value)}, which is known at run time only", hint=hint)
