"""The one place to ask for an analysis: it is computed once, and dropped when the IR changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from xetile.ir.core import Op, changes, changes_but_of_order

A = TypeVar("A")
_FINAL = -1
"""When the IR of what is finished has changed last."""


def get(kind: Callable[..., A], root: Op, *args: Any) -> A:
    """What `kind(root, *args)` finds out about a module or kernel: `analyses.get(Alignment, kernel)`.

    Any change of IR drops it, in this module or another one; whoever changes what he asked about asks again. An analysis with
    `any_order = True` stays where ops of a block change places: it holds in any order of them.
    """
    any_order = getattr(kind, "any_order", False)
    now = _now(root, any_order)
    known: dict[bool, tuple[int, dict[Any, Any]]] = vars(root).setdefault("_analyses", {})
    if any_order not in known or known[any_order][0] != now:
        known[any_order] = (now, {})
    found = known[any_order][1]
    key = (kind, *args)
    if key not in found:
        found[key] = kind(root, *args)
    answer: A = found[key]
    return answer


def known(kind: Callable[..., A], root: Op) -> list[A]:
    """What has been found out by `kind` about a module or kernel, with whatever arguments, and still holds."""
    any_order = getattr(kind, "any_order", False)
    when, found = vars(root).get("_analyses", {}).get(any_order, (None, {}))
    if when != _now(root, any_order):
        return []
    return [answer for key, answer in found.items() if key[0] is kind]


def keep(root: Op) -> None:
    """Nobody changes a module or kernel any more: what is known of it now, and what will be found out, stays whatever else changes."""
    known: dict[bool, tuple[int, dict[Any, Any]]] = vars(root).get("_analyses", {})
    valid = {any_order: found for any_order, (when, found) in known.items() if when == _now(root, any_order)}
    vars(root)["_analyses"] = {any_order: (_FINAL, found) for any_order, found in valid.items()}
    vars(root)["_final"] = True


def _now(root: Op, any_order: bool) -> int:
    if "_final" in vars(root):
        return _FINAL
    return changes_but_of_order() if any_order else changes()


def forget(*roots: Op) -> None:
    """Drop what was found out, where an attribute says more than it did."""
    for root in roots:
        vars(root).pop("_analyses", None)
