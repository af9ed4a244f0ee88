"""What holds while a kernel is traced or called, for all that runs meanwhile; this file imports no compiler module."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

allocator: ContextVar[Callable[[Any, Any, Any], Any] | None] = ContextVar("xetile_allocator", default=None)
"""While a call with device arrays runs its `out` rules: the function that allocates beside them, of a shape, a numpy dtype and the
number that fills the array (None: undefined contents)."""

traced: ContextVar[Any] = ContextVar("xetile_kernel", default=None)
"""The kernel that is being traced: a `language.context.Kernel`."""

inliner: ContextVar[Callable[[Any, Any, list[Any], dict[str, Any]], Any] | None] = ContextVar("xetile_inliner", default=None)
"""While a kernel is traced calls plain Python: what a call of a kernel in there is, a function of it, a grid and arguments."""
