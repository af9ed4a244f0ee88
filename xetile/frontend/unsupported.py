"""Python constructs that kernels cannot use, and what to write instead."""

from __future__ import annotations

import ast

_NO_GENERATOR = ("kernels cannot yield", "store results with store_tile, or return them from a function that the kernel calls")
_NO_ASYNC = ("kernels cannot be asynchronous", "programs of a grid already run side by side")

_REFUSALS: dict[str, tuple[str, str]] = {
    "Try": ("try is not supported in kernels", "a kernel cannot raise; device_assert checks conditions at run time"),
    "TryStar": ("try is not supported in kernels", "a kernel cannot raise; device_assert checks conditions at run time"),
    "Raise": ("raise is not supported in kernels", "use xt.static_assert for constants and xt.device_assert for run-time values"),
    "With": ("with is not supported in kernels", "call what it would set up outside of the kernel"),
    "AsyncWith": _NO_ASYNC,
    "AsyncFor": _NO_ASYNC,
    "Await": _NO_ASYNC,
    "AsyncFunctionDef": _NO_ASYNC,
    "ClassDef": ("a class cannot be defined inside a kernel", "define it at module level"),
    "Import": ("import is not supported in kernels", "import at the top of the module"),
    "ImportFrom": ("import is not supported in kernels", "import at the top of the module"),
    "Global": ("kernels cannot assign global variables", "store results with store_tile"),
    "Nonlocal": ("kernels cannot assign variables of an enclosing function", "return the value, and assign it there: x = f(x)"),
    "Delete": (
        "del is not supported in kernels",
        "leave the variable alone: unused values cost nothing; xs.pop(i) takes an element out of a list",
    ),
    "Match": ("match compares with constants in kernels, and takes nothing apart", "use if, elif and else"),
    "Yield": _NO_GENERATOR,
    "YieldFrom": _NO_GENERATOR,
    "Set": ("sets are not supported in kernels", "use a tuple"),
    "SetComp": ("sets are not supported in kernels", "use a tuple"),
    "Starred": ("* is not supported here", "write the elements out"),
}


def refusal(node: ast.AST) -> tuple[str, str]:
    """What is wrong with a construct, and what to do instead."""
    name = type(node).__name__
    return _REFUSALS.get(name, (f"{name} is not supported in kernels", "use assignments, if, for, while, calls and expressions"))
