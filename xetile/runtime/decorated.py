"""What `@xt.jit` and `@xt.autotune` are given, and what a kernel is asked for that it does not have: mistakes, in our words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import FunctionType
from typing import Any, NoReturn

from xetile.errors import ArgumentError, CompileError
from xetile.runtime.head import OTHERS_OPTIONS

TUNED = ("best_config", "retune", "export_tuning", "import_tuning", "table", "configs", "outcomes")
OTHERS_METHODS = {
    "warmup": "kernel.compile(A, B) compiles, and runs nothing",
    "lower": "kernel.compile(A, B).ir holds the levels",
    **dict.fromkeys(("asm", "ptx", "cache"), "kernel.compile(A, B) has .ir, .spirv and .report"),
    "run": "kernel(A, B), or kernel[grid](A, B)",
    "launch": "kernel[grid](A, B)",
    "forall": "kernel[grid](A, B)",
}
"""What kernels of Triton, Numba and JAX are asked for."""

OTHERS_RESULTS = {
    **dict.fromkeys(("asm", "isa", "ptx", "sass", "cubin", "ttir", "ttgir", "llir", "as_text"),
                    ".ir holds the levels, .spirv the module; machine code: python -m xetile compile FILE.py:KERNEL --emit isa"),
    **dict.fromkeys(("n_regs", "n_spills", "registers", "occupancy", "metadata", "cost_analysis", "memory_analysis"),
                    ".grf is the number of registers, .report says what the kernel needs and spills"),
    "shared": ".slm_bytes is the shared local memory",
    **dict.fromkeys(("num_warps", "block_size", "threads"), ".local_size says how many work-items run a program"),
    **dict.fromkeys(("run", "launch"), "call the kernel itself, which takes what is compiled already"),
}  # fmt: skip
"""What compiled kernels of Triton, Numba and JAX are asked for."""


class MissingAttributeError(ArgumentError, AttributeError):
    """A kernel is asked for what it does not have; `hasattr` and its like see Python's own error."""


def check_function(fn: Any) -> FunctionType:
    """The function that becomes a kernel. Raises CompileError for what is none."""
    if getattr(fn, "__xetile_kernel__", False):
        raise CompileError(f"{fn.__name__} is a kernel already", hint="one @xt.jit is enough")
    if isinstance(fn, (int, tuple, str, dict)):
        hint = "@xt.jit(grid=...)" if isinstance(fn, (int, tuple)) else "@xt.jit(out={...}, grid=...)"
        raise CompileError(f"xt.jit takes options by name, not {fn!r} alone", hint=hint)
    if not isinstance(fn, FunctionType):
        raise CompileError(f"{fn!r} is not a Python function", hint="decorate a function made with def")
    if fn.__code__.co_flags & (CO_VARARGS | CO_VARKEYWORDS):
        raise CompileError(
            f"{fn.__name__} has * or ** parameters",
            hint="kernels take named parameters; a function that kernels call needs no @xt.jit; @xt.jit stands below other decorators",
        )
    return fn


def check_options(others: Iterable[str], known: Iterable[str]) -> None:
    """Raise ArgumentError for options that `xt.jit` does not have."""
    for name in others:
        close = _close(name, known)
        usual = f"did you mean {close[0]}?" if close else f"its options are {', '.join(known)}"
        hint = usual if name in known else OTHERS_OPTIONS.get(name, usual)
        raise ArgumentError(f"xt.jit has no option {name}", hint=hint)


def refuse_attribute(kernel: Any, name: str) -> NoReturn:
    """Raise what `kernel.name` is answered, which is not there."""
    if name in TUNED:
        raise MissingAttributeError(
            f"{kernel.__name__} has no {name}: it has no configurations to choose from",
            hint="@xt.autotune(configs=[xt.Config(...), ...]) above @xt.jit",
        )
    _refuse(f"the kernel {kernel.__name__}", kernel, name, OTHERS_METHODS)


def refuse_attribute_of_compiled(compiled: Any, name: str) -> NoReturn:
    """Raise what `kernel.compile(...).name` is answered, which is not there."""
    _refuse(f"{compiled.request.fn.__name__} compiled for {compiled.request.target}", compiled, name, OTHERS_RESULTS)


def _refuse(held: str, of: Any, name: str, others: Mapping[str, str]) -> NoReturn:
    close = _close(name, [n for n in dir(of) if not n.startswith("_")])
    hint = others.get(name, f"did you mean {close[0]}?" if close else None)
    raise MissingAttributeError(f"{held} has no attribute {name!r}", hint=hint)


def _close(name: str, known: Iterable[str]) -> list[str]:
    from difflib import get_close_matches  # only on an error: it costs a millisecond

    return get_close_matches(name, list(known), 1)
