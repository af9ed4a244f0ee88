"""Targets: every hardware number in one frozen value per kind of device. Passes ask; no number is written in a pass.

`get_target("pvc")` finds one by name; `Target` tells of registers, workgroups, shared memory, DPAS (`Mma`), 2-D block
messages (`Block2D`), other messages, cache hints, atomics and peak rates (`Roofline`). The names below are loaded when they are
first used: a warm start asks `block_rules` alone.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xetile.target.blocks import Block2D, Message, MessageShapes, Placed
    from xetile.target.mma import DTYPE_BITS, Mma, MmaShape, OperandLayout
    from xetile.target.model import CacheHints, GrfMode, Roofline, Target
    from xetile.target.table import TARGETS, get_target

_HOMES = {
    "blocks": ("Block2D", "Message", "MessageShapes", "Placed"),
    "mma": ("DTYPE_BITS", "Mma", "MmaShape", "OperandLayout"),
    "model": ("CacheHints", "GrfMode", "Roofline", "Target"),
    "table": ("TARGETS", "get_target"),
}

__all__ = [
    "DTYPE_BITS",
    "TARGETS",
    "Block2D",
    "CacheHints",
    "GrfMode",
    "Message",
    "MessageShapes",
    "Mma",
    "MmaShape",
    "OperandLayout",
    "Placed",
    "Roofline",
    "Target",
    "get_target",
]


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            found = getattr(importlib.import_module(f"{__name__}.{home}"), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
