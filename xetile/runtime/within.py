"""Functions for `with`: one that is called alone changes nothing, and says so."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ContextDecorator, contextmanager
from functools import wraps
from typing import Any, Generic, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Within(ContextDecorator, AbstractContextManager[T], Generic[T]):
    """What such a function gives: for `with`, or as a decorator of a function, any number of times."""

    def __init__(self, name: str, start: Callable[[], AbstractContextManager[T]]) -> None:
        self._name, self._start = name, start
        self._open: list[AbstractContextManager[T]] = []
        self._used = False

    def __enter__(self) -> T:
        self._used = True
        self._open.append(self._start())
        return self._open[-1].__enter__()

    def __exit__(self, *raised: Any) -> bool | None:
        return self._open.pop().__exit__(*raised)

    def __call__(self, function: Any) -> Any:
        """A function that runs within it."""
        self._used = True
        return super().__call__(function)

    def _recreate_cm(self) -> Within[T]:
        """Each call of such a function has its own, since threads may call it side by side."""
        return Within(self._name, self._start)

    def __del__(self) -> None:
        if not self._used and not sys.is_finalizing():
            from xetile.frontend.tracer import NoEffectWarning  # for those who err only

            warnings.warn(f"xt.{self._name}(...) alone changes nothing: write `with xt.{self._name}(...):` around what it is for",
                          NoEffectWarning, stacklevel=2)  # fmt: skip


def within(function: Callable[P, Iterator[T]]) -> Callable[P, Within[T]]:
    """`contextlib.contextmanager`, but for a call without `with`, which warns."""
    start = contextmanager(function)

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> Within[T]:
        return Within(function.__name__, lambda: start(*args, **kwargs))

    return call
