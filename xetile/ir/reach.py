"""Walks from some things to what they lead to: from values to what they are computed of, or to what is computed of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

_T = TypeVar("_T", bound=Hashable)


def reached(first: Iterable[_T], beyond: Callable[[_T], Iterable[_T]]) -> Iterator[_T]:
    """Some things and all that is reached from them, each once; `beyond`: what one leads to, asked when the walk goes on behind it."""
    ahead, seen = list(first), set[_T]()
    while ahead:
        each = ahead.pop()
        if each not in seen:
            seen.add(each)
            yield each
            ahead += beyond(each)
