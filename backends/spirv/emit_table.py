"""Which function writes which op: `@emits(arith.AddI)`; a class's function serves its subclasses too."""

from __future__ import annotations

import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

from xetile.ir.core import Op

Handler = Callable[[Any, Any], Any]
HandlerT = TypeVar("HandlerT", bound=Handler)

HANDLERS: dict[type[Op], Handler] = {}

_THEMES = (
    "flow",
    "arith",
    "integers",
    "cast",
    "math",
    "reduce",
    "vector",
    "gpu",
    "memory",
    "flat",
    "dot",
    "joint_matrix",
    "views",
    "atomic",
    "slm",
    "nbarrier",
    "xegpu",
    "prefetch",
    "dpas",
    "look_up",
)


def emits(*kinds: type[Op]) -> Callable[[HandlerT], HandlerT]:
    """Register `function(emitter, op)`: it writes the op and returns what its result became (a tuple for several)."""

    def register(function: HandlerT) -> HandlerT:
        for kind in kinds:
            HANDLERS[kind] = function
        return function

    return register


def find_handler(kind: type[Op]) -> Handler | None:
    """The function for an op class, or for the nearest of its bases; loads the files of this package by theme at first use."""
    if not _loaded:
        with _loading:  # no thread may see a part of the table
            for theme in _THEMES:
                import_module(f".emit_{theme}", __package__)
            _loaded.append(True)
    for base in kind.__mro__:
        if base in HANDLERS:
            HANDLERS[kind] = HANDLERS[base]
            return HANDLERS[base]
    return None


_loaded: list[bool] = []
_loading = threading.RLock()
