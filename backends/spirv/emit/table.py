"""Which function writes which op: `@emits(arith.AddI)`; a class's function serves its subclasses too."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, TypeVar

from xetile.ir.core import Op

Handler = Callable[[Any, Any], Any]
HandlerT = TypeVar("HandlerT", bound=Handler)

HANDLERS: dict[type[Op], Handler] = {}
"""Of the op classes that have been asked for."""

_THEMES: dict[str, tuple[str, ...]] = {
    "arith": ("arith", "integers", "cast"),
    "math": ("math",),
    "scf": ("flow",),
    "vector": ("vector",),
    "vector.MultiReduction": ("reduce",),
    "gpu": ("gpu", "flow", "views"),
    "gpu.SubgroupReduce": ("reduce",),
    "gpu.Alloca": ("slm",),
    "memory": ("flat",),
    "dot": ("dot",),
    "joint_matrix": ("joint_matrix",),
    "xegpu.block": ("xegpu", "prefetch"),
    "xegpu.compute": ("dpas",),
    "xegpu.scattered": ("memory", "atomic"),
    "xegpu.matrix": ("slm",),
    "xegpu.sync": ("slm", "nbarrier"),
    "tables": ("look_up",),
    "xetile.ReduceLines": ("wide",),
}
"""The files of this package that write the ops of a dialect's file, or one of its classes: what a kernel has none of is not loaded."""

_registered: dict[type[Op], Handler] = {}


def emits(*kinds: type[Op]) -> Callable[[HandlerT], HandlerT]:
    """Register `function(emitter, op)`: it writes the op and returns what its result became (a tuple for several)."""

    def register(function: HandlerT) -> HandlerT:
        for kind in kinds:
            _registered[kind] = function
        return function

    return register


def find_handler(kind: type[Op]) -> Handler | None:
    """The function for an op class, or for the nearest of its bases; loads the files that hold it at first use."""
    with _loading:  # no thread may see a function of a file that is being loaded
        for base in kind.__mro__:
            for theme in themes_of(base):
                import_module(f".{theme}", __package__)
            if base in _registered:
                HANDLERS[kind] = _registered[base]
                return HANDLERS[kind]
    return None


def themes_of(kind: type[Op]) -> tuple[str, ...]:
    """The themes, that is files, with the functions for an op class."""
    file = kind.__module__.removeprefix("xetile.dialects.")
    return _THEMES.get(f"{file}.{kind.__name__}") or _THEMES.get(file, ())


def registered() -> Mapping[type[Op], Handler]:
    """The functions of the files that have been loaded."""
    return _registered


_loading = threading.RLock()
