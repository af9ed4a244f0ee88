"""Walks from some things to what they lead to: from values to what they are computed of, or to what is computed of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

_T = TypeVar("_T", bound=Hashable)
_F = TypeVar("_F")


def reached(first: Iterable[_T], beyond: Callable[[_T], Iterable[_T]]) -> Iterator[_T]:
    """Some things and all that is reached from them, each once; `beyond`: what one leads to, asked when the walk goes on behind it."""
    ahead, seen = list(first), set[_T]()
    while ahead:
        each = ahead.pop()
        if each not in seen:
            seen.add(each)
            yield each
            ahead += beyond(each)


def evaluate(one: _T, known: dict[_T, _F], needs: Callable[[_T], Iterable[_T]], find: Callable[[_T], _F]) -> _F:
    """A fact of one thing, which is found from facts of what it needs: these are found first, and `known` then. No function calls itself."""
    ahead = [one]
    while ahead:
        needed = [each for each in needs(ahead[-1]) if each not in known]
        if needed:
            ahead += needed
        elif (last := ahead.pop()) not in known:
            known[last] = find(last)
    return known[one]
