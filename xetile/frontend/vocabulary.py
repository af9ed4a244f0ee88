"""What people write in numpy, torch and Triton, and how kernels say it: hints for names that are not there."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from xetile.errors import CompileError
from xetile.language.arrays import Array, Handle
from xetile.language.values import HOST_ARRAY, Value, describe

# Names that xetile does not have, by what to write instead.
_WORDS = {
    "dot": "a @ b multiplies matrices, xt.tile_mma(a, b, acc) adds to a sum",
    "matmul": "a @ b multiplies matrices, xt.tile_mma(a, b, acc) adds to a sum",
    "store": "xt.store_tile(value, xt.init_tile(array, offsets, shape)) stores a tile, xt.store_scatter single elements",
    "atomic_add": 'xt.atomic_rmw_tile("add", value, tile)',
    "astype": "x.to(dtype)",
    "type": "x.to(dtype)",
    "view": "x.bitcast(dtype) keeps the bits, x.to(dtype) the values",
    "cat": "xt.concatenate((a, b), axis)",
    "ravel": "x.reshape(-1)",
    "flatten": "x.reshape(-1)",
    "flip": "x[::-1] and x[:, ::-1]",
    "take": "x[rows] and x[:, columns]",
    "take_along_axis": "xt.gather(x, index, axis)",
    "mean": "xt.sum(x, axis) / n",
    "var": "mean = xt.sum(x, axis) / n; xt.sum((x - mean) * (x - mean), axis) / n",
    "softmax": "e = xt.exp(x - xt.max(x, axis)); e / xt.sum(e, axis)",
    "relu": "xt.maximum(x, 0)",
    "gelu": "0.5 * x * (1 + xt.erf(x * 0.5**0.5))",
    "silu": "x * xt.sigmoid(x)",
    "clip": "xt.clamp(x, low, high)",
    "zeros_like": "xt.zeros(x.shape, x.dtype)",
    "full_like": "xt.full(x.shape, value, x.dtype)",
    "ones": "xt.full(shape, 1, dtype)",
    "broadcast_to": "xt.tile_broadcast, or an operation that broadcasts",
    "trans": "x.T",
    "transpose": "x.T",
    "debug_barrier": "xt.barrier()",
    "syncthreads": "xt.barrier()",
    "sync": "xt.barrier()",
    "device_id": "xt.program_id(axis)",
    "linspace": "start + step * xt.arange(n)",
    "sort": "kernels do not sort; xt.max, xt.argmax and xt.min find extremes",
    "argsort": "kernels do not sort; xt.argmax and xt.argmin find extremes",
    "topk": "kernels do not sort; take xt.argmax repeatedly",
    "make_block_ptr": "xt.init_tile(A, (m, n), (64, 32))",
    "advance": "xt.update_tile_offset(tile, (rows, columns))",
    "atomic_max": 'xt.atomic_rmw_tile("max", value, tile)',
    "atomic_min": 'xt.atomic_rmw_tile("min", value, tile)',
    "atomic_xchg": 'xt.atomic_rmw_tile("assign", value, tile)',
    "umulhi": "xt.mulhi(a, b)",
    "expand_dims": "x[:, None] or x[None, :]",
    "multiple_of": "leave it out: alignment is found when the kernel is called",
    "max_contiguous": "leave it out: alignment is found when the kernel is called",
    "pointer_type": "parameters are arrays: their dtypes come with the call",
    "pi": "math.pi",
    "square": "x * x",
    "power": "x ** y",
    "pow": "x ** y",
    "stack": "xt.concatenate((a, b), axis), xt.join(a, b)",
    "unsqueeze": "x[:, None] or x[None, :]",
    "squeeze": "x.item() of one element; reductions drop their axis with keepdims=False",
    "permute": "x.T",
    "size": "the sizes are x.shape; xt.num_programs(axis) counts programs",
    "numel": "the sizes are x.shape",
    "fill": "xt.full(shape, value, dtype)",
    "empty_like": "xt.zeros(x.shape, x.dtype)",
    "std": "mean = xt.sum(x, axis) / n; xt.sqrt(xt.sum((x - mean) * (x - mean), axis) / n)",
    "norm": "xt.sqrt(xt.sum(x * x, axis))",
    "prod": 'xt.tile_reduce(x, "mul", axis)',
    "Layout": "xt.wg_map(sg_layout, sg_data) of a tile, xegpu.layout(sg_layout=..., sg_data=...) of a descriptor",
    "do_bench": "xt.bench(lambda: kernel(A, B))",
}
# What the words for memory mean of arrays and tiles.
_MEMORY = {
    "load": "xt.load_tile(tile), of an array xt.load_tile(A[m:m + 64, 0:32])",
    "store": "xt.store_tile(value, tile), or A[m:m + 64, 0:32] = value",
    "advance": "tile = xt.update_tile_offset(tile, (rows, columns))",
    "prefetch": "xt.prefetch_tile(tile)",
    "update": "tile = xt.update_tile_offset(tile, (rows, columns))",
    "offset": "tile = xt.update_tile_offset(tile, (rows, columns))",
    "size": "the sizes are A.shape",
    "numel": "the sizes are A.shape",
    "to": "load it first: xt.load_tile(tile).to(dtype)",
    "astype": "load it first: xt.load_tile(tile).to(dtype)",
    "transpose": "A.T",
    "permute": "A.T",
    "data_ptr": "arrays are passed as they are, without pointers",
}
# Keywords of others' functions, by what ours say instead.
_KEYWORDS = {
    "other": "padding=0 is what elements outside of the array give",
    "mask": "leave it out: elements outside of the array are padded by loads and left by stores; xt.load_gather and xt.store_scatter "
    "take a mask",
    "boundary_check": "leave it out: tiles may reach outside of the array",
    "padding_option": "padding=0 is what elements outside of the array give",
    "cache_modifier": 'l1_hint="streaming"',
    "eviction_policy": 'l1_hint="streaming"',
    "dim": "axis=",
    "keep_dims": "keepdims=",
    "keepdim": "keepdims=",
    "allow_tf32": "convert the operands: .to(xt.tf32)",
    "input_precision": "convert the operands: .to(xt.tf32)",
    "out_dtype": "the accumulator says it: xt.tile_mma(a, b, xt.zeros((64, 64), xt.f32))",
    "block_shape": "shape=",
    "strides": "they come with the array; base_strides= gives others",
    "warmup": "leave it out: the first runs do not count",
    "rep": "samples=",
}
_DTYPES = {"float": "f", "bfloat": "bf", "int": "i", "uint": "u"}


def hint_for(held: Any, name: str) -> str | None:
    """What to write instead of `held.name`, where that is known."""
    import xetile

    if isinstance(held, (Array, Handle)) and name in _MEMORY:
        return _MEMORY[name]
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


def hint_for_keyword(name: str, known: Sequence[str]) -> str | None:
    """What to write instead of an argument by a name that a function does not have."""
    close = get_close_matches(name, known, n=1, cutoff=0.75)
    return f"did you mean {close[0]}?" if close else _KEYWORDS.get(name)


def hint_for_module(name: str) -> str | None:
    """What to write instead of `xetile.name`, which is not there, outside of kernels."""
    import xetile

    kind = name.rstrip("0123456789")
    ours = f"{_DTYPES.get(kind, '?')}{name[len(kind) :]}"
    if ours in xetile.__all__:
        return f"it is xt.{ours}"
    if name == "do_bench" or hasattr(importlib.import_module("xetile.errors"), name):
        return _WORDS.get(name, f"it is xetile.errors.{name}")
    if name in _WORDS:
        return f"in kernels: {_WORDS[name]}"
    close = get_close_matches(name, xetile.__all__, n=1)
    return f"did you mean xt.{close[0]}?" if close else None


def hint_for_name(name: str, known: Iterable[str], scope: Mapping[str, Any]) -> str:
    """What to write instead of a name that is not there: ours with its module's name, a word of others', or a name much like it."""
    import xetile

    ours = next((n for n, held in scope.items() if held is xetile), "xt")
    if name in xetile.__all__:
        return f"did you mean {ours}.{name}?"
    names = (*known, *(n for n in scope if not n.startswith("__")))
    close = get_close_matches(name, names, n=1) or [
        f"{ours}.{n}" for n in get_close_matches(name, xetile.__all__, n=1, cutoff=0.75)
    ]
    if name in _WORDS:
        return _WORDS[name]
    return f"did you mean {close[0]}?" if close else "define or import it"


_POINTERS = ("arrays are no pointers: xt.load_tile(A[off:off + 64]) loads neighbours, and nothing outside of the array; "
             "xt.load_gather(xt.init_tile(A, offsets), mask) loads any elements")  # fmt: skip


def hint_for_operands(left: Any, right: Any) -> str | None:
    """What to write instead of arithmetic that operands do not take."""
    if left is None or right is None:
        return "what a call leaves out is None: use it where it was given, if A is not None: ..."
    if isinstance(left, complex) or isinstance(right, complex):
        return "keep real and imaginary parts in values of their own"
    if any(getattr(each, "shape", ()) and hasattr(each, "tobytes") for each in (left, right)):
        return HOST_ARRAY
    if any(isinstance(each, (tuple, str)) for each in (left, right)):
        return "a row comes from xt.arange(n), xt.full((n,), number), or an argument of the kernel, of which a tile is loaded"
    if isinstance(left, Array) or isinstance(right, Array):
        return _hint_for_array(left, right)
    if isinstance(left, Handle) or isinstance(right, Handle):
        return "load it first: xt.load_tile(tile)"
    return None


def _hint_for_array(left: Any, right: Any) -> str:
    """Arithmetic on an array: on a part of it as numpy has it, on offsets as Triton has it."""
    array, other = (left, right) if isinstance(left, Array) else (right, left)
    if isinstance(other, (Array, Handle)):
        return "load a tile of each first: xt.load_tile(A[m:m + 64, 0:32])"
    offsets = isinstance(other, Value) and other.dtype.kind in "iun"
    if offsets and array.is_whole:
        return _POINTERS
    if all(isinstance(n, int) for n in array.shape):
        return f"load it first: xt.load_tile({array.name}[...]), with the same subscript"
    part = f"{array.name}[m:m + 64{', 0:32' * (array.ndim > 1)}]"
    return f"load a tile of constant size first: xt.load_tile({part}); arrays are no pointers"


def check_foreign(function: Any, args: list[Any]) -> None:
    """Functions of numpy and math compute now; values of kernels are known later.

    Raises CompileError.
    """
    import xetile

    home = (getattr(function, "__module__", None) or type(function).__module__).split(".")[0]
    if function is xetile.load and any(isinstance(a, (Value, Array, Handle)) for a in args):
        raise CompileError(
            "xt.load reads a kernel from a file, outside of kernels",
            hint="xt.load_tile(A[m:m + 64, 0:32]), or xt.load_tile(tile), loads a tile; elements outside of the array are 0, "
            "so that no mask is needed",
        )
    value = next((a for a in args if isinstance(a, (Value, Array, Handle))), None)
    name = getattr(function, "__name__", "function")
    if value is not None and (getattr(function, "__module__", None) or "").startswith("xetile.ops"):
        inside = xetile.ops.__name__
        raise CompileError(
            f"{inside.replace('xetile', 'xt')}.{name.rstrip('_')} takes whole arrays, outside of kernels, not {describe(value)}",
            hint=_WORDS.get(name.rstrip("_")) or f"in kernels xt.{name.rstrip('_')}, or operators on values",
        )
    if not isinstance(value, Value) or home not in ("numpy", "math", "torch", "scipy", "triton"):
        return
    hint = f"use xt.{name}" if name in dir(xetile) else hint_for(xetile, name)
    if isinstance(function, type) and hint and hint.startswith("xt."):
        hint = f"convert a value: .to({hint})"
    raise CompileError(f"{home}'s {name} cannot take {describe(value)}, which is known at run time only", hint=hint)
