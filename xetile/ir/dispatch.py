"""Dispatch by op class: what a pass or an analysis does with each kind of op."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from xetile.ir.core import Op

Handler = Callable[[Any, Any], Any]
HandlerT = TypeVar("HandlerT", bound=Callable[..., Any])


class Table:
    """The functions of a pass by op class: `@LOWER(xetile.TileMma)`; a base class serves its subclasses.

    A pass in several files has a table in each, and puts them together: `Table(values.LOWER, memory.LOWER)`.
    """

    def __init__(self, *parts: Table) -> None:
        self._handlers: dict[type[Op], Handler] = {}
        self._found: dict[type[Op], Handler | None] = {}
        for part in parts:
            assert self._handlers.keys().isdisjoint(part._handlers), "two parts of a table serve one op class"
            self._handlers.update(part._handlers)

    def __call__(self, *kinds: type[Op]) -> Callable[[HandlerT], HandlerT]:
        """Register a function for op classes."""

        def register(handler: HandlerT) -> HandlerT:
            self._found.clear()
            for kind in kinds:
                self._handlers[kind] = handler
            return handler

        return register

    def find(self, kind: type[Op]) -> Handler | None:
        """The function for an op class or the nearest of its bases."""
        try:
            return self._found[kind]
        except KeyError:
            found = self._found[kind] = next((self._handlers[base] for base in kind.__mro__ if base in self._handlers), None)
            return found
