"""Parts of arrays as text: of arrays with up to four axes, by every kind of view, wherever they lie."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from tests.generators.program import Numbers

ROWS = (1, 2, 5, 8, 8, 13, 16, 24, 33, 40)
COLUMNS = (1, 3, 8, 16, 16, 17, 20, 32, 48, 72)
LIMITS = {"bool": (0, 1), "i8": (-128, 127), "u8": (0, 255), "i16": (-(2**15), 2**15 - 1), "u16": (0, 2**16 - 1),
          "i32": (-(2**31), 2**31 - 1), "u32": (0, 2**32 - 1), "i64": (-(2**62), 2**62), "u64": (0, 2**63 - 1)}  # fmt: skip
Shape = tuple[int, int]
_RUN_TIME = re.compile(r"\b(a|b|p|L|i\d)\b")


@dataclass(frozen=True)
class Held:
    """An array, and how each program comes to its own part of it: "Y[p" or "X["."""

    name: str
    numbers: Numbers

    @property
    def leading(self) -> int:
        return int(self.numbers.each)


def array(random: Random, name: str, kind: str, *, each: bool, ranks: tuple[int, ...] = (2, 2, 3, 4)) -> Held:
    """An array of a dtype, of small numbers or of any."""
    low, high = LIMITS.get(kind, (-3, 3))
    if random.random() < 0.6:
        low, high = max(low, -3), min(high, 3)
    leading = tuple(random.randrange(1, 4) for _ in range(random.choice(ranks) - 2))
    return Held(name, Numbers(kind, (*leading, random.choice(ROWS), random.choice(COLUMNS)), low, high, each))


class Parts:
    """Draws parts of arrays; `number` gives a small run-time number, `let` a name for an expression."""

    def __init__(self, random: Random, number: Callable[[], str], let: Callable[[str], str]) -> None:
        self.random, self.number, self.let = random, number, let

    def view(self, held: Held) -> tuple[str, Shape]:
        """A view of two axes, and its sizes."""
        sizes = held.numbers.shape
        last = len(sizes) - 1
        kept = (self.random.randrange(last), last) if self.random.random() < 0.3 else (last - 1, last)
        items = ["p"] * held.leading
        items += [":" if axis in kept else self.inside(size) for axis, size in enumerate(sizes)]
        while items and items[-1] == ":":
            items.pop()
        text = f"{held.name}[{', '.join(items)}]" if items else held.name
        return text, (sizes[kept[0]], sizes[kept[1]])

    def inside(self, size: int) -> str:
        """A number of an axis, below 0 one that counts from the end."""
        if self.random.random() < 0.4:
            return str(self.random.randrange(-size, size))
        return f"({self.number()}) % {2 * size} - {size}" if self.random.random() < 0.4 else f"({self.number()}) % {size}"

    def start(self, size: int) -> str:
        """Where a tile begins along an axis: mostly inside."""
        kind = self.random.randrange(5)
        if kind == 0:
            return "0"
        if kind == 1:
            return str(self.random.choice((8, 16, 3, size, size - 1, 1)))
        number, back = self.number(), self.random.choice((0, 0, 2, 5))
        # A constant below zero counts from the end.
        return f"({number} * {self.random.choice((1, 1, 3, 8))} - {back if _RUN_TIME.search(number) else 0})"

    def slice(self, size: int, extent: int, steps: tuple[int, ...] = (1,)) -> str:
        """`begin : end` with so many elements, and a step."""
        step = self.random.choice(steps)
        begin = self.start(size)
        begin = begin if begin.isdigit() else self.let(begin)
        end = f"{begin} + {extent * step}" if not begin.isdigit() else str(int(begin) + extent * step)
        return f"{begin}:{end}" + (f":{step}" if step > 1 else "")

    def tile(self, held: Held, shape: Shape, *, lines: bool = True) -> str:
        """A tile, for all that takes one; `lines`: of a view of one axis, too."""
        text, size = self.view(held)
        kind = self.random.randrange(6) if lines else self.random.choice((0, 1, 3, 4))
        if kind == 0:
            text, size = f"{text}.T", size[::-1]
        elif kind == 1:
            begin = self.random.randrange(size[0]), self.random.randrange(size[1])
            end = (b + self.random.randrange(1, n + 6) for b, n in zip(begin, size))
            text += "[" + ", ".join(f"{b}:{e}" for b, e in zip(begin, end)) + "]"
            return f"xt.init_tile({text}, ({self.random.randrange(4)}, {self.random.choice((0, 1, 16))}), {shape})"
        elif kind == 2 and shape[1] == 1:
            return f"xt.init_tile({text}[:, {self.inside(size[1])}], {self.start(size[0])}, {shape})"
        elif kind == 2 and shape[0] == 1:
            return f"xt.init_tile({text}[{self.inside(size[0])}], {self.start(size[1])}, {shape})"
        return f"xt.init_tile({text}, ({self.start(size[0])}, {self.start(size[1])}), {shape})"

    def sliced(self, held: Held, shape: Shape) -> tuple[str, Shape | tuple[int]]:
        """A part of constant size, and its shape, which is a row's or a column's where that is all that is asked for."""
        text, size = self.view(held)
        if shape[0] == 1 and self.random.random() < 0.6:
            return f"{text}[{self.inside(size[0])}, {self.slice(size[1], shape[1], (1, 1, 2, 3))}]", (shape[1],)
        if shape[1] == 1 and self.random.random() < 0.6:
            return f"{text}[{self.slice(size[0], shape[0], (1, 1, 2))}, {self.inside(size[1])}]", (shape[0],)
        rows, columns = self.slice(size[0], shape[0], (1, 1, 2, 3)), self.slice(size[1], shape[1], (1, 1, 2, 4, 5))
        return f"{text}[{rows}, {columns}]", shape

    def places(self, held: Held, rows: str, columns: str) -> tuple[str, str]:
        """A view, and the offsets in it of a value of row numbers and one of column numbers, of any size: all of them inside."""
        text, size = self.view(held)
        strides = f"{text}.stride(0)", f"{text}.stride(1)"
        return text, f"({rows}) % {size[0]} * {strides[0]} + ({columns}) % {size[1]} * {strides[1]}"

    def rows(self, held: Held, numbers: str, shape: Shape) -> tuple[str, str, str]:
        """A view, and the offsets of whole rows of it with these numbers, from some column on; and which of their elements are inside."""
        text, size = self.view(held)
        first = self.random.choice((0, 0, 0, 16, 3)) if self.random.random() < 0.7 else f"({self.number()}) % 5"
        column = f"({first} + xt.arange({shape[1]}))[None, :]"
        place = f"(({numbers}) % {size[0]})[:, None] * {text}.stride(0) + {column}"
        return text, place, f"{column} < {self.random.choice((size[1], f'{text}.shape[1]'))}"
