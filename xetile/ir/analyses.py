"""The one place to ask for an analysis: it is computed once, and dropped when the IR changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from xetile.ir.core import Op, changes

A = TypeVar("A")


def get(kind: Callable[..., A], root: Op, *args: Any) -> A:
    """What `kind(root, *args)` finds out about a module or kernel: `analyses.get(Alignment, kernel)`.

    Any change of IR drops it, in this module or another one; whoever changes what he asked about asks again.
    """
    now = changes()
    known: tuple[int, dict[Any, Any]] = vars(root).get("_analyses") or (-1, {})
    if known[0] != now:
        known = (now, {})
        vars(root)["_analyses"] = known
    key = (kind, *args)
    if key not in known[1]:
        known[1][key] = kind(root, *args)
    found: A = known[1][key]
    return found


def forget(*roots: Op) -> None:
    """Drop what was found out, where an attribute says more than it did."""
    for root in roots:
        vars(root).pop("_analyses", None)
