"""Makes a case that fails smaller: its generator is told fewer and smaller random numbers than those of its seed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import Any

Number = int | float


class Told(Random):
    """Numbers of a seed, which are written down; or those of a list, then zeros."""

    def __init__(self, seed: int, numbers: list[Number] | None = None) -> None:
        super().__init__(seed)
        self.numbers, self.given = numbers, [] if numbers is None else list(numbers)
        self.place = 0

    def random(self) -> float:
        return float(self._next(super().random)) % 1.0

    def getrandbits(self, k: int) -> int:
        return int(self._next(lambda: super(Told, self).getrandbits(k))) % (1 << k)

    def _next(self, draw: Callable[[], Number]) -> Number:
        if self.numbers is None:
            self.given.append(draw())
            return self.given[-1]
        self.place += 1
        return self.given[self.place - 1] if self.place <= len(self.given) else 0


def smaller(generator: Callable[[Random], Any], seed: int, end: float) -> Iterator[tuple[Any, Exception]]:
    """Cases that raise an exception of the same kind as that of a seed, each with fewer or smaller numbers than the one before;
    until the clock (`time.monotonic`) shows `end`, or nothing can be left out. Of a case of several programs, the first that fails
    without the others is made smaller alone.
    """
    first = Told(seed)
    case = generator(first)
    kind, numbers = type(_error(case)), first.given
    for number, program in enumerate(_programs(case)):
        if type(error := _error(program)) is kind and error is not None:
            generator = partial(_one_of, generator, number)
            yield program, error
            break
    tried: set[tuple[Number, ...]] = set()
    size = len(numbers) // 2
    while size and time.monotonic() < end:
        found = None
        for candidate in _candidates(numbers, size):
            if time.monotonic() >= end:
                break
            if tuple(candidate) in tried:
                continue
            tried.add(tuple(candidate))
            case, error = _made(generator, seed, candidate)
            if type(error) is kind and error is not None:
                found = candidate
                yield case, error
                break
        if found is None:
            size //= 2
        else:
            numbers = found
            size = min(size, len(numbers))


def _programs(case: Any) -> list[Any]:
    """Of a case that holds several, each as a case of its own."""
    return case.alone() if hasattr(case, "alone") else []


def _one_of(generator: Callable[[Random], Any], number: int, random: Random) -> Any:
    return _programs(generator(random))[number]


def _candidates(numbers: list[Number], size: int) -> Iterator[list[Number]]:
    for start in range(0, len(numbers), size):
        yield numbers[:start] + numbers[start + size :]
    for start in range(0, len(numbers), size):
        if any(numbers[start : start + size]):
            yield numbers[:start] + [0] * len(numbers[start : start + size]) + numbers[start + size :]
    if size == 1:
        for start, number in enumerate(numbers):
            if number:
                yield [*numbers[:start], number // 2 if isinstance(number, int) else number / 2, *numbers[start + 1 :]]


def _made(generator: Callable[[Random], Any], seed: int, numbers: list[Number]) -> tuple[Any, Exception | None]:
    try:
        case = generator(Told(seed, numbers))
    except Exception:  # the generator cannot make a case of these
        return None, None
    return case, _error(case)


def _error(case: Any) -> Exception | None:
    try:
        case.check()
    except Exception as error:
        return error
    return None
