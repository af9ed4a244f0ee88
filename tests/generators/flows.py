"""Flows of values: random kernels in which values of many shapes are made of each other, by every kind of op on whole values.

Expressions grow from the shape that is asked for: a product asks for operands of some depth, a slice for something larger, a reduction
for lines of some length. Loops and branches change some variables. All numbers are small and whole, so that every order of adding gives
the same; each kernel is run in plain Python on numpy (`plain`) and as `program` runs it.

    python -m tests.generators.flows --cases 1000 --jobs 2 --on sim:bmg
"""

from __future__ import annotations

from random import Random

from tests.generators import runner
from tests.generators.control import changed
from tests.generators.program import Program, heading, program

ROWS = (1, 2, 5, 8, 8, 13, 16, 16, 24, 32, 40)
COLUMNS = (1, 3, 8, 16, 16, 20, 32, 32, 48, 64)
DEPTHS = (1, 5, 8, 16, 16, 32, 48)
LARGEST = 2048  # elements of a value
PLANES = 8  # of the results
SMALL = ("i8", "i16", "i64", "f16", "bf16", "u8")
Shape = tuple[int, int]


class Writer:
    """Writes one kernel; `values` are the variables with their shapes."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.values: dict[str, Shape] = {}
        self.loops: list[str] = []

    def choose(self, *items: str) -> str:
        return self.random.choice(items)

    def number(self) -> str:
        """A small number, known at run time only in most cases."""
        name = self.choose("a", "b", "xt.cast(p, xt.i32)", *(f"xt.cast({loop}, xt.i32)" for loop in self.loops))
        return self.choose(f"({name} % 5)", f"({name} * 3 % 7)", f"min(abs({name}), 6)", str(self.random.randrange(5)))

    def limit(self) -> str:
        """What numbers of values are compared with."""
        return self.number()

    def value(self, shape: Shape, depth: int) -> str:
        """An expression in f32 of numbers between -7 and 7."""
        if depth <= 0 or shape[0] * shape[1] > LARGEST:
            return self._leaf(shape)
        made: str = getattr(self, f"_{self.choose(*self.forms(shape, depth))}")(shape, depth - 1)
        return made

    def forms(self, shape: Shape, depth: int) -> list[str]:
        """Names of what a value of a shape can be made by."""
        kinds = ["binary", "binary", "spread", "spread", "where", "product", "product", "flipped", "part", "side", "bent", "rolled",
                 "summed", "narrowed", "bits", "best", "looked", "whole"]  # fmt: skip
        kinds += ["picked", "rows"] if depth > 1 else []
        return kinds + (["mixed"] if shape[1] % 2 == 0 else [])

    def small(self, text: str) -> str:
        return f"xt.clamp({text}, -7, 7)"

    def _leaf(self, shape: Shape) -> str:
        r, c = shape
        held = [name for name, its in self.values.items() if its == shape]
        if held and self.random.random() < 0.6:
            return self.choose(*held)
        places = f"({self.choose('0', '8', '-2', '35', self.number())}, {self.choose('0', '16', '3', '64', self.number())})"
        tile = f"xt.load_tile(xt.init_tile({self.choose('A', 'A', 'H', 'G', 'A.T')}, {places}, {shape}))"
        line = f"(xt.arange({c})[None, :] % 5 - xt.arange({r})[:, None] % 3).to(xt.f32)"
        return self.choose(f"{tile}.to(xt.f32)", f"{tile}.to(xt.f32)", line,
                           f"(xt.zeros({shape}, xt.f32) + xt.cast({self.number()}, xt.f32))")  # fmt: skip

    def _binary(self, shape: Shape, depth: int) -> str:
        x, y = self.value(shape, depth), self.value(shape, depth - 1)
        return self.small(self.choose(f"{x} + {y}", f"{x} - {y}", f"{x} * {y}", f"xt.maximum({x}, {y})", f"xt.minimum({y}, {x})"))

    def _spread(self, shape: Shape, depth: int) -> str:
        """A row, a column or one number beside the whole: often a reduction."""
        x, axis = self.value(shape, depth), self.random.randrange(2)
        line = (1, shape[1]) if axis == 0 else (shape[0], 1)
        if self.random.random() < 0.7:
            other = self._reduced(line, axis, depth)
        else:
            other = self.value(self.random.choice((line, (1, 1))), depth - 1)
        return self.small(f"{x} {self.choose('+', '-', '*')} {other}")

    def _reduced(self, line: Shape, axis: int, depth: int) -> str:
        n = self.random.choice(ROWS if axis == 0 else COLUMNS)
        x = self.value((n, line[1]) if axis == 0 else (line[0], n), depth - 1)
        kind = self.choose("sum", "max", "min", "sum", "argmax", "argmin", "any")
        found = f"xt.any({x} > {self.limit()}, {axis})" if kind == "any" else f"xt.{kind}({x}, {axis})"
        return self.small(found if kind in ("sum", "max", "min") else f"{found}.to(xt.f32)")

    def _whole(self, shape: Shape, depth: int) -> str:
        """One number of all elements."""
        x = self.value((self.random.choice(ROWS), self.random.choice(COLUMNS)), depth - 1)
        return self.small(f"{self.value(shape, depth)} + xt.cast(xt.{self.choose('sum', 'max', 'min')}({x}), xt.f32)")

    def _where(self, shape: Shape, depth: int) -> str:
        x, y = self.value(shape, depth), self.value(shape, depth - 1)
        mask = self.choose(f"{x} {self.choose('>', '<=', '==')} {y}", f"xt.arange({shape[1]})[None, :] < {self.number()} * 3",
                           f"(xt.arange({shape[0]})[:, None] >= xt.arange({shape[1]})[None, :])")  # fmt: skip
        return f"xt.where({mask}, {x}, {self.choose(y, '0.0', self.value((shape[0], 1), depth - 1))})"

    def _product(self, shape: Shape, depth: int) -> str:
        k, kind = self.random.choice(DEPTHS), self.choose("f16", "f16", "bf16", "f32")
        a = self.value((shape[0], k), depth) if self.random.random() < 0.7 else f"{self.value((k, shape[0]), depth)}.T"
        b = self.value((k, shape[1]), depth - 1) if self.random.random() < 0.7 else f"{self.value((shape[1], k), depth - 1)}.T"
        made = f"({a}).to(xt.{kind}) @ ({b}).to(xt.{kind})"
        return self.small(self.choose(made, f"{self.value(shape, depth - 1)} + {made}"))

    def _flipped(self, shape: Shape, depth: int) -> str:
        return f"({self.value(shape[::-1], depth)}).T"

    def _part(self, shape: Shape, depth: int) -> str:
        step, at = self.random.choice((1, 1, 1, 2)), (self.random.randrange(3), self.random.randrange(4))
        more = shape[0] + at[0] + self.random.randrange(3), step * shape[1] + at[1] + self.random.randrange(3)
        columns = f"{at[1]}:{at[1] + step * shape[1]}" + (f":{step}" if step > 1 else "")
        return f"({self.value(more, depth)})[{at[0]}:{at[0] + shape[0]}, {columns}]"

    def _side(self, shape: Shape, depth: int) -> str:
        axis = 0 if shape[1] == 1 or (shape[0] > 1 and self.random.random() < 0.5) else 1
        if shape[axis] == 1:
            return self.value(shape, depth)
        first = self.random.randrange(1, shape[axis])
        parts = [(n, shape[1]) if axis == 0 else (shape[0], n) for n in (first, shape[axis] - first)]
        return f"xt.concatenate(({', '.join(self.value(part, depth - 1) for part in parts)}), {axis})"

    def _bent(self, shape: Shape, depth: int) -> str:
        """Reshaped from another factoring of the same count."""
        count = shape[0] * shape[1]
        rows = self.random.choice([n for n in range(1, min(count, 64) + 1) if count % n == 0])
        return f"xt.reshape({self.value((rows, count // rows), depth)}, {shape})"

    def _rolled(self, shape: Shape, depth: int) -> str:
        return f"xt.roll({self.value(shape, depth)}, {self.number()}, {self.random.randrange(2)})"

    def _summed(self, shape: Shape, depth: int) -> str:
        return self.small(f"xt.cumsum({self.value(shape, depth)}, {self.random.randrange(2)})")

    def _narrowed(self, shape: Shape, depth: int) -> str:
        kind, x = self.random.choice(SMALL), self.value(shape, depth)
        return f"{f'xt.abs({x})' if kind == 'u8' else f'({x})'}.to(xt.{kind}).to(xt.f32)"

    def _bits(self, shape: Shape, depth: int) -> str:
        x, y = (f"({self.value(shape, d)}).to(xt.i32)" for d in (depth, depth - 1))
        made = self.choose(
            f"{x} & {y}", f"{x} | {y}", f"{x} ^ {y}", f"{x} >> 1", f"{x} // 3", f"{x} % 4", f"{x} * {self.number()}"
        )
        return self.small(f"({made}).to(xt.f32)")

    def _best(self, shape: Shape, depth: int) -> str:
        return self._reduced(shape, 0 if shape[0] == 1 else 1, depth) if 1 in shape else self._spread(shape, depth)

    def _looked(self, shape: Shape, depth: int) -> str:
        """Numbers of memory by numbers of the value."""
        places = f"xt.abs({self.value(shape, depth)}).to(xt.i32) * {self.choose('1', '3')}"
        return f"(xt.load_gather(xt.init_tile(L, {places})).to(xt.f32) % 5)"

    def _picked(self, shape: Shape, depth: int) -> str:
        axis, n = self.random.randrange(2), 8
        x = self.value((n, shape[1]) if axis == 0 else (shape[0], n), depth - 1)
        return f"xt.gather({x}, xt.abs({self.value(shape, depth - 1)}).to(xt.i32), {axis})"

    def _rows(self, shape: Shape, depth: int) -> str:
        """Whole rows by numbers."""
        numbers = self.choose(f"(xt.arange({shape[0]}) * 3 + {self.number()}) % 8",
                              f"xt.abs(xt.sum({self.value((shape[0], 4), depth - 1)}, 1, keepdims=False)).to(xt.i32) % 8")  # fmt: skip
        return f"({self.value((8, shape[1]), depth - 1)})[{numbers}]"

    def _mixed(self, shape: Shape, depth: int) -> str:
        half = shape[0], shape[1] // 2
        return f"xt.interleave({self.value(half, depth)}, {self.value(half, depth - 1)})"

    # Statements.

    def shape(self) -> Shape:
        return self.random.choice(ROWS), self.random.choice(COLUMNS)

    def made(self) -> list[str]:
        """A new variable."""
        name, shape = f"v{len(self.values)}", self.shape()
        line = f"{name} = {self.value(shape, 3)}"
        self.values[name] = shape
        return [line]

    def _changed(self) -> list[str]:
        names = self.random.sample(sorted(self.values), min(len(self.values), self.random.randrange(1, 3)))
        return [f"    {name} = {self.value(self.values[name], 2)}" for name in names]

    def loop(self) -> list[str]:
        name = f"i{len(self.loops)}"
        head = f"for {name} in range({self.choose('3', f'{self.number()} % 4', 'a % 3, 5, 2')}):"
        self.loops.append(name)
        lines = [head, *self._changed()]
        self.loops.pop()
        return lines

    def branch(self) -> list[str]:
        held = self.choose(*self.values)
        lines = [
            f"if {self.choose(f'{self.number()} < {self.number()}', f'xt.max({held}) > {self.limit()}')}:",
            *self._changed(),
        ]
        return [*lines, "else:", *self._changed()] if self.random.random() < 0.5 else lines

    def source(self) -> str:
        lines = ["p = xt.program_id(0)"]
        for _ in range(self.random.randrange(1, 4)):
            lines += self.made()
        for _ in range(self.random.randrange(3)):
            lines += self.random.choice((self.loop, self.branch, self.made))()
        stored = [name for name in self.values if name in changed([line.strip() for line in lines])][-PLANES:]
        lines += [f"xt.store_tile({name}, xt.init_tile(O[p, {i}], (0, 0), {self.values[name]}))" for i, name in enumerate(stored)]
        return f"import xetile as xt\n\n\n{heading()}\n" + "\n".join("    " + line for line in lines) + "\n"


def flows(random: Random) -> Program:
    """A random kernel."""
    return program(random, Writer(random).source())


if __name__ == "__main__":
    runner.main(flows)
