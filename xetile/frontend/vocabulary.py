"""What people write in numpy, torch and Triton, and how kernels say it: hints for names that are not there."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from xetile.dtypes import DType
from xetile.errors import CompileError, ConstexprError
from xetile.frontend.words import HOST, KEYWORDS, MEMORY, OF_THE_LIBRARY, WORDS
from xetile.language.arrays import Array, Handle
from xetile.language.containers import Items
from xetile.language.texts import Template
from xetile.language.values import HOST_ARRAY, Value, describe

_REDUCTIONS = ("sum", "max", "min", "argmax", "argmin", "any", "all", "cumsum")
_LISTS = {
    "sort": "xs = sorted(xs)",
    "copy": "list(xs)",
    "remove": "[x for x in xs if ...] of what constants decide, or xs.pop(i)",
}
_DEBUGGERS = ("pdb", "ipdb", "pudb", "bdb", "debugpy", "pydevd")
_DTYPES = {"float": "f", "bfloat": "bf", "int": "i", "uint": "u"}


def hint_for(held: Any, name: str) -> str | None:
    """What to write instead of `held.name`, where that is known."""
    import xetile

    if isinstance(held, (Array, Handle)) and name in MEMORY:
        return MEMORY[name]
    if isinstance(held, Array) and name in _REDUCTIONS:
        return f"load it first: xt.{name}(xt.load_tile({_part(held)}), axis)"
    if isinstance(held, Items) and name in _LISTS:
        return _LISTS[name]
    if isinstance(held, DType) and name in ("element_ty", "scalar"):
        return "leave it out: X.dtype is the type of the elements"
    if isinstance(held, Value) and name in dir(xetile) and not hasattr(held, name):
        return f"xt.{name}(x, ...)"
    if isinstance(held, Value) or held is xetile:
        kind = name.rstrip("0123456789")
        ours = f"{_DTYPES.get(kind, '?')}{name[len(kind) :]}"
        if hasattr(xetile, ours):
            return f"xt.{ours}"
        if name in WORDS:
            return WORDS[name]
    close = _close(name, [n for n in dir(held) if not n.startswith("_")], cutoff=0.7 if held is xetile else 0.6)
    return f"did you mean {close[0]}?" if close else None


def _close(name: str, known: Iterable[str], *, cutoff: float = 0.6) -> list[str]:
    from difflib import get_close_matches  # only on an error: it costs a millisecond

    return get_close_matches(name, list(known), 1, cutoff)


def hint_for_keyword(name: str, known: Sequence[str], *, library: bool = False) -> str | None:
    """What to write instead of an argument by a name that a function does not have; `library`: one on whole arrays."""
    close = _close(name, known, cutoff=0.75)
    if close:
        return f"did you mean {close[0]}?"
    tables = (OF_THE_LIBRARY, KEYWORDS) if library else (KEYWORDS,)
    hints = (table[name] for table in tables if name in table)
    return next((hint for hint in hints if not hint.endswith("=") or hint[:-1] in known), None)


def hint_for_module(name: str) -> str | None:
    """What to write instead of `xetile.name`, which is not there, outside of kernels."""
    import xetile

    kind = name.rstrip("0123456789")
    ours = f"{_DTYPES.get(kind, '?')}{name[len(kind) :]}"
    if ours in xetile.__all__:
        return f"it is xt.{ours}"
    if name == "do_bench" or hasattr(importlib.import_module("xetile.errors"), name):
        return WORDS.get(name, f"it is xetile.errors.{name}")
    library = f"xt.ops.{name} on whole arrays" if name in getattr(xetile.ops, "__all__", ()) else HOST.get(name)
    if name in WORDS:
        return "; ".join(filter(None, (library, f"in kernels: {WORDS[name]}")))
    if library:
        return library
    close = _close(name, xetile.__all__, cutoff=0.7)
    return f"did you mean xt.{close[0]}?" if close else None


def hint_for_name(name: str, known: Iterable[str], scope: Mapping[str, Any]) -> str:
    """What to write instead of a name that is not there: ours with its module's name, a word of others', or a name much like it."""
    import xetile

    ours = next((n for n, held in scope.items() if held is xetile), "xt")
    if name in xetile.__all__:
        return f"did you mean {ours}.{name}?"
    names = (*known, *(n for n in scope if not n.startswith("__")))
    close = _close(name, names) or [f"{ours}.{n}" for n in _close(name, xetile.__all__, cutoff=0.75)]
    if name in WORDS:
        return WORDS[name]
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
    if any(isinstance(each, (str, Template)) for each in (left, right)):
        return 'text is for constants that are compared, activation == "relu", and for xt.device_print(f"n is {n}")'
    if any(isinstance(each, tuple) for each in (left, right)):
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
    return f"load a tile of constant size first: xt.load_tile({_part(array)}); arrays are no pointers"


def _part(array: Array) -> str:
    return f"{array.name}[m:m + 64{', 0:32' * (array.ndim > 1)}]"


def check_foreign(function: Any, args: list[Any]) -> None:
    """Functions of numpy and math compute now, debuggers stop now; values of kernels are known later.

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
    if home in _DEBUGGERS:
        raise CompileError(f"{name} of {home} would stop the compiler, and not the kernel",
                           hint="breakpoint(), within with xt.debug():, stops each program that comes there")  # fmt: skip
    if value is not None and (getattr(function, "__module__", None) or "").startswith("xetile.ops"):
        inside = xetile.ops.__name__
        raise CompileError(
            f"{inside.replace('xetile', 'xt')}.{name.rstrip('_')} takes whole arrays, outside of kernels, not {describe(value)}",
            hint=WORDS.get(name.rstrip("_")) or f"in kernels xt.{name.rstrip('_')}, or operators on values",
        )
    if not isinstance(value, Value) or home not in ("numpy", "math", "torch", "scipy", "triton"):
        return
    hint = f"use xt.{name}" if name in dir(xetile) else hint_for(xetile, name)
    if isinstance(function, type) and hint and hint.startswith("xt."):
        hint = f"convert a value: .to({hint})"
    raise ConstexprError(f"{home}'s {name} cannot take {describe(value)}, which is known at run time only", hint=hint)
