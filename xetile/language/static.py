"""What exists only while a kernel is compiled: constexpr, static_range. Imports nothing, as decorating needs this file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class constexpr:  # noqa: N801 (used as a word of the language)
    """Annotation of parameters that are constants: `def kernel(A, B, BM: xt.constexpr = 256)`.

    A kernel is compiled anew for each combination of their values, which may be anything hashable.
    """


def is_constexpr(annotation: Any) -> bool:
    """Whether a parameter's annotation (an object, or its text under `from __future__ import annotations`) says constexpr."""
    if isinstance(annotation, str):
        return annotation.strip().rpartition(".")[2] == "constexpr"
    return annotation is constexpr or isinstance(annotation, constexpr)


class static_range:  # noqa: N801 (used as a word of the language)
    """`for i in xt.static_range(4)` repeats the body while compiling, with `i` a constant: as `range`, bounds are constants."""

    def __init__(self, *bounds: int) -> None:
        if not all(isinstance(b, int) for b in bounds):
            raise TypeError("static_range takes constants; a loop with run-time bounds is written with range")
        self.range = range(*bounds)

    def __iter__(self) -> Iterator[int]:
        return iter(self.range)

    def __len__(self) -> int:
        return len(self.range)
