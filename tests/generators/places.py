"""Random gathers and scatters by places of a tile, as people bring them from pointers.

Rows wrap around, masks are by sizes of other arrays or by numbers, pitches are lengths of rows, and some places nothing masks. Where sizes are
not what they are taken for, results stay right.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import numpy as np

from tests.generators import runner
from tests.generators.program import MORE_SCALARS, Numbers, Program, heading, program
from tests.ops.run import GUARD

FREE = 64
"""Elements in front of an array and behind it, so that it begins at whole lines, as what users allocate."""


@dataclass
class Placed(Program):
    """A program whose arrays lie row by row, and which may ask for places outside of them."""

    def check(self) -> str | None:
        try:
            return super().check()
        except IndexError:
            return "outside"

    def _framed(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        return {name: _alone(array) for name, array in self._arrays().items()}


def _alone(array: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    whole = np.full(array.size + 2 * FREE, GUARD(array.dtype), array.dtype)
    view = whole[FREE : FREE + array.size].reshape(array.shape)
    view[...] = array
    return whole, view


class Writer:
    """Writes a kernel of arrays whose sizes it knows."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.rows, self.columns, self.depth = (random.choice(sizes) for sizes in ((8, 16, 32), (16, 32), (16, 32)))
        self.grid = random.choice((1, 2, 3))
        m, n, k = (self.about(size) for size in (self.rows * self.grid, self.columns, random.choice((1, 2)) * self.depth))
        other = self.about(k) if random.random() < 0.3 else k
        self.sizes = {"A": (m, k), "B": (other, n), "O": (self.about(m) if random.random() < 0.2 else m, n)}
        self.numbers = (m, random.choice((n, k)), random.choice((1, 1, 1, 2)))

    def about(self, size: int) -> int:
        """A size, or one a little smaller or larger, of whole words."""
        return max(8, size + self.random.choice((0, 0, 0, -8, 8, -4, -1)))

    def bounds(self, size: int) -> list[str]:
        """What has a size: an axis of some array, or a number."""
        found = [f"{name}.shape[{axis}]" for name, shape in self.sizes.items() for axis in (0, 1) if shape[axis] == size]
        return [*found, *(name for name, number in zip(MORE_SCALARS, self.numbers) if number == size)]

    def bound(self, name: str, axis: int) -> str:
        """The size of an array as its own, as what is the same, or another one."""
        others = [f"{other}.shape[{a}]" for other in self.sizes for a in (0, 1)]
        own = f"{name}.shape[{axis}]"
        return self.random.choice((own, self.random.choice(self.bounds(self.sizes[name][axis])), own, self.random.choice(others)))

    def pitch(self, name: str) -> str:
        return self.random.choice((f"{name}.stride(0)", f"{name}.stride(0)", *self.bounds(self.sizes[name][1])))

    def place(self, first: str, vector: str, name: str, axis: int) -> tuple[str, str]:
        """(what counts on, the place that is made of it) along an axis."""
        counted = f"{first} + {vector}" if first else vector
        wraps = self.random.random() < 0.3
        return counted, f"({counted}) % {self.random.choice(self.bounds(self.sizes[name][axis]))}" if wraps else f"({counted})"

    def load(self, name: str, row: tuple[str, str], column: tuple[str, str], known: tuple[bool, bool] = (False, False)) -> str:
        """The load of an array; `known`: which of row and column need no mask."""
        terms = []
        for axis, (counted, place) in enumerate((row, column)):
            if "%" in place and self.random.random() < 0.8:
                continue
            if known[axis] and self.random.random() < 0.5:
                continue
            if self.random.random() < 0.95:
                terms.append(f"({counted} < {self.bound(name, axis)})")
        mask, step = " & ".join(terms), self.random.choice(("", "", " * c"))
        at = f"{row[1]} * {self.pitch(name)} + {column[1]}{step}"
        return f"xt.load_gather(xt.init_tile({name}, {at}){', ' + mask if mask else ''})"

    def product(self) -> list[str]:
        m, n = self.place(f"p * {self.rows}", "i", "A", 0), self.place("", "j", "B", 1)
        x, y = (f"xt.arange({self.depth}){axes}" for axes in ("[None, :]", "[:, None]"))
        whole = self.sizes["A"][1] % self.depth == 0 and self.sizes["A"][1] == self.sizes["B"][0]
        a = self.load("A", m, (f"k + {x}", f"(k + {x})"), (self.rows * self.grid <= self.sizes["A"][0], whole))
        b = self.load("B", (f"k + {y}", f"(k + {y})"), n, (whole, self.columns <= self.sizes["B"][1]))
        end = self.random.choice(self.bounds(self.sizes["A"][1]))
        return [
            f"v = xt.zeros(({self.rows}, {self.columns}), xt.f32)",
            f"for k in range(0, {end}, {self.depth}):",
            f"    v += {a} @ {b}",
        ]

    def stored_late(self) -> list[str]:
        """What an iteration makes, and the next one stores, by tiles from the last to the first."""
        self.sizes["O"] = self.about(2 * self.rows), self.about(self.columns)
        times, step = self.random.choice((1, 2, 3)), self.rows + self.random.choice((0, 0, 8))
        first, across = (times - 1) * step - self.random.choice((0, 3, self.rows - 1)), self.random.choice((0, 0, 8, -8))
        shape, count = f"({self.rows}, {self.columns})", self.random.choice((f"{times}", f"{times} * c"))
        made = self.random.choice(
            ("x @ y", "x @ y", "(x @ y) * 2 + v", "xt.sum(x.to(xt.f32), axis=1) + xt.sum(y.to(xt.f32), axis=0)")
        )
        return [
            f"x = xt.load_tile(xt.init_tile(A, (0, 0), ({self.rows}, {self.depth})))",
            f"y = xt.load_tile(xt.init_tile(B, (0, {across}), ({self.depth}, {self.columns})))",
            f"v = xt.zeros({shape}, xt.f32)",
            f"for k in range({count}):",
            f"    xt.store_tile(v, xt.init_tile(O, ({first} - {step} * k, {across}), {shape}))",
            f"    v = {made} + k",
            f"xt.store_tile(v, xt.init_tile(O, ({first + step}, {across}), {shape}))",
        ]

    def loaded(self) -> list[str]:
        """A tile of B, and a row of it or of what wraps."""
        row, column = (
            self.place(self.random.choice(("", "p")), "i", "B", 0),
            self.place(self.random.choice(("", "2")), "j", "B", 1),
        )
        lines = [f"v = {self.load('B', row, column)}.to(xt.f32)"]
        if self.random.random() < 0.5:
            lines.append(f"v += {self.load('B', ('p', 'p'), self.place('', 'j', 'B', 1), (True, False))}.to(xt.f32)")
        return lines

    def seen(self) -> list[str]:
        """What becomes of it on the way: what wraps may be seen elsewhere."""
        return self.random.choice((
            [], [], [],
            ["v = xt.where(v > 3, v * 2, v - 1)"],
            ["v = v - xt.max(v, axis=1)"],
            ["v = v + xt.sum(v, axis=0)"],
            ["v = v.T.T + 1"],
            ["v = xt.cumsum(v, axis=0)"],
            ["for _ in range(2):", "    if p > 0:", "        v = v * 2", "    else:", "        v = v - 1"],
        ))  # fmt: skip

    def store(self) -> list[str]:
        """Stores to O: columns stay in their rows, so that no element is stored twice."""
        row, column = f"p * {self.rows} + i", "j"
        masks = [f"({row} < {bound})" for bound in (self.bound("O", 0),)]
        columns = [bound for size in range(1, self.sizes["O"][1] + 1) for bound in self.bounds(size)]
        if self.columns > self.sizes["O"][1] or self.random.random() < 0.7:
            masks.append(f"({column} < {self.random.choice(['O.shape[1]', *columns])})")
        if self.random.random() < 0.3:
            return [f"xt.store_tile(v, xt.init_tile(O, (p * {self.rows}, 0), ({self.rows}, {self.columns})))"]
        write = self.random.choice(("store_scatter(", "store_scatter(", 'atomic_rmw_tile("add", '))
        return [f"xt.{write}v, xt.init_tile(O, ({row}) * {self.pitch('O')} + {column}), {' & '.join(masks)})"]

    def source(self) -> tuple[str, dict[str, Numbers]]:
        axes = f"xt.arange({self.rows})[:, None], xt.arange({self.columns})[None, :]"
        lines = ["p = xt.program_id(0)", f"i, j = {axes}"]
        if self.grid == 1 and self.random.random() < 0.3:  # several programs would store to one place
            lines += self.stored_late()
        else:
            lines += [*self.random.choice((self.product, self.product, self.loaded))(), *self.seen(), *self.store()]
        arrays = {name: Numbers("f32" if name == "O" else "f16", size, -3, 3) for name, size in self.sizes.items()}
        return f"import xetile as xt\n\n\n{heading(arrays, MORE_SCALARS)}\n" + "\n".join(
            "    " + line for line in lines
        ) + "\n", arrays


def places(random: Random) -> Program:
    """A random kernel."""
    writer = Writer(random)
    source, arrays = writer.source()
    made = program(random, source, arrays)
    fields = vars(made) | {"numbers": writer.numbers, "grid": writer.grid, "apart": ("", ""), "tight": False}
    return Placed(**fields)


if __name__ == "__main__":
    runner.main(places)
