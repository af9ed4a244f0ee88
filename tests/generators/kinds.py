"""Flows of values in one dtype other than f32, or with maps, or both: what `flows` draws, in all that numbers can be.

What is stored, exchanged, reduced, scanned, chosen and carried has another size there, and another instruction. Products take operands of
all dtypes that DPAS has, kernels may have a grid of three axes, `fast_math`, which changes nothing of whole numbers, and no number of
subgroups; maps of the user stand at any of their ops.

    python -m tests.generators.kinds --cases 1000 --jobs 2 --on sim:bmg
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random

from tests.generators import flows, runner
from tests.generators.program import ARRAYS, Numbers, Program, heading, program

KINDS = ("f16", "bf16", "f64", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32")
SINGLE = "single"
"""Stands for f32 in the text until that is another dtype."""
PRODUCTS = ("f16", "bf16", SINGLE, "tf32", "i8", "u8")
LARGEST = {"bf16": 3}
"""Of the numbers that values are made of, where it is not 7: their sums are whole in the dtype."""
HEAD = "xt.program_id(0) + xt.num_programs(0) * (xt.program_id(1) + xt.num_programs(1) * xt.program_id(2))"
Shape = tuple[int, int]


class Writer(flows.Writer):
    """Writes one kernel, whose values have the dtype `kind`; `subgroups`: how many there are, for maps."""

    def __init__(self, random: Random, kind: str, subgroups: int | None) -> None:
        super().__init__(random)
        self.kind, self.subgroups = kind, subgroups
        self.largest = LARGEST.get(kind, 7)

    def value(self, shape: Shape, depth: int) -> str:
        made = super().value(shape, depth)
        if self.subgroups is None or self.random.random() > 0.06:
            return made
        return f"xt.tile_conv_layout({made}, {self.map(shape)})"

    def map(self, shape: Shape) -> str:
        """A map of the user: subgroups share a value where they hold more than it has."""
        assert self.subgroups is not None
        rows = self.random.choice([n for n in range(1, self.subgroups + 1) if self.subgroups % n == 0])
        layout = rows, self.subgroups // rows
        data = []
        for size, count in zip(shape, layout):
            fitting = [d for d in range(1, size + 1) if size % d == 0 and (size // d % count == 0 or count % (size // d) == 0)]
            data.append(self.random.choice(fitting[-2:]))
        return f"xt.wg_map({layout}, ({data[0]}, {data[1]}))"

    def mapped(self, shape: Shape) -> str:
        """The option of an op that gives a value of this shape, or none."""
        return f", wg_map={self.map(shape)}" if self.subgroups is not None and self.random.random() < 0.15 else ""

    def small(self, text: str) -> str:
        low = 0 if self.kind[0] == "u" else -self.largest
        return f"xt.clamp({text}, {low}, {self.largest}).to(xt.f32)"

    def limit(self) -> str:
        return f"xt.cast({self.number()}, xt.f32)"

    def forms(self, shape: Shape, depth: int) -> list[str]:
        added = ["scanned", "turned", "accumulated", "reduced_along", "masked", "masked", "line"] + ["paired"] * (shape[1] == 2)
        every = [*super().forms(shape, depth), *added]
        whole = self.subgroups is None or (shape[0] % 8 == 0 and shape[1] % 16 == 0)  # nothing is padded where there are maps
        return [form for form in every if whole or form not in ("product", "accumulated")]

    def depth(self) -> int:
        """Of a product."""
        return self.random.choice(flows.DEPTHS if self.subgroups is None else (32, 64))

    def _leaf(self, shape: Shape) -> str:
        places = f"({self.choose('0', '8', '-2', '35', self.number())}, {self.choose('0', '16', '3', '64', self.number())})"
        if self.random.random() < 0.4:
            options = self.choose(
                "", ", padding=1", ", l1_hint='streaming', l3_hint='uncached'", ", padding=1, l1_hint='uncached'"
            )
            array = self.choose("A", "A.T", "K", "K.T")
            row = f"{self.choose('', '2 * ')}{array}.stride({int('.T' in array)})"
            strides = f"(1, {row})" if ".T" in array else f"({row}, 1)"
            sizes = self.choose(
                "", "", f", base_shape=({self.choose('20', '13', f'{self.number()} + 9')}, 18), base_strides={strides}"
            )
            tile = f"xt.init_tile({array}, {places}, {shape}{sizes}{self.mapped(shape)})"
            return self.small(f"xt.load_tile({tile}{options}).to(xt.f32)")
        made = super()._leaf(shape)
        return made if made in self.values else self.small(made)

    def _where(self, shape: Shape, depth: int) -> str:
        made = super()._where(shape, depth)
        return made.replace(", 0.0)", ", 0)")

    def _product(self, shape: Shape, depth: int) -> str:
        """Of operands of another dtype; bytes of both kinds may be mixed."""
        k, kind = self.depth(), self.choose(*PRODUCTS)
        a = self.value((shape[0], k), depth) if self.random.random() < 0.7 else f"{self.value((k, shape[0]), depth)}.T"
        b = self.value((k, shape[1]), depth - 1) if self.random.random() < 0.7 else f"{self.value((shape[1], k), depth - 1)}.T"
        other = self.choose("i8", "u8") if kind in ("i8", "u8") else kind
        return self.small(f"xt.tile_mma({self.operand(a, kind)}, {self.operand(b, other)}{self.mapped(shape)})")

    def operand(self, text: str, kind: str) -> str:
        if kind == "u8":
            return f"xt.abs({text}).to(xt.u8)"
        coded = f"({text}).to(xt.f16).to(xt.f8e4m3).to(xt.{kind})"
        return coded if kind != "i8" and self.random.random() < 0.2 else f"({text}).to(xt.{kind})"

    def _accumulated(self, shape: Shape, depth: int) -> str:
        """A product that adds to a value."""
        k, kind = self.depth(), self.choose("f16", "bf16", "i8")
        a, b, c = (self.value(of, depth - 1) for of in ((shape[0], k), (k, shape[1]), shape))
        acc = f"({c}).to(xt.{'i32' if kind == 'i8' else SINGLE})"
        return self.small(f"xt.tile_mma(({a}).to(xt.{kind}), ({b}).to(xt.{kind}), {acc}{self.mapped(shape)})")

    def _whole(self, shape: Shape, depth: int) -> str:
        made = super()._whole(shape, depth)
        return (
            made.replace("xt.cast(xt.sum(", "xt.cast(xt.max(") if self.kind in ("f16", "bf16") else made
        )  # no whole number there

    def _scanned(self, shape: Shape, depth: int) -> str:
        scan, axis = self.choose("xt.maximum", "xt.minimum", "lambda x, y: y"), self.random.randrange(2)
        return f"xt.associative_scan({scan}, {self.value(shape, depth)}, {axis}, reverse={self.random.random() < 0.5})"

    def _turned(self, shape: Shape, depth: int) -> str:
        return f"xt.tile_transpose({self.value(shape[::-1], depth)}, (1, 0){self.mapped(shape)})"

    def _reduced_along(self, shape: Shape, depth: int) -> str:
        axis, kind = self.random.randrange(2), self.choose("add", "max", "min", "mul" if self.kind[0] in "iu" else "max")
        line = (1, shape[1]) if axis == 0 else (shape[0], 1)
        made = self.small(f"xt.tile_reduce('{kind}', {self.value(shape, depth)}, {axis}{self.mapped(line)})")
        return f"xt.tile_broadcast({made}, {shape}{self.mapped(shape)})"

    def _masked(self, shape: Shape, depth: int) -> str:
        return f"xt.where({self.mask(shape, depth + 1)}, {self.value(shape, depth)}, {self.value(shape, depth - 1)})"

    def mask(self, shape: Shape, depth: int) -> str:
        """Booleans, which come to their places as numbers do."""
        if depth <= 0 or shape[0] * shape[1] > flows.LARGEST:
            loaded = (
                f"xt.load_tile(xt.init_tile({self.choose('M', 'M.T')}, ({self.number()}, {self.choose('0', '16')}), {shape}))"
            )
            return self.choose(loaded, f"({self._leaf(shape)} > {self.limit()})")
        x, axis, count = self.mask, self.random.randrange(2), shape[0] * shape[1]
        rows = self.random.choice([n for n in range(1, min(count, 64) + 1) if count % n == 0])
        line, less = (1, shape[1]) if axis == 0 else (shape[0], 1), depth - 1
        forms = [
            lambda: f"({x(shape, less)} {self.choose('&', '|', '^')} {x(shape, less - 1)})",
            lambda: f"~{x(shape, less)}",
            lambda: f"({x(shape[::-1], less)}).T",
            lambda: f"xt.reshape({x((rows, count // rows), less)}, {shape})",
            lambda: f"xt.roll({x(shape, less)}, {self.number()}, {axis})",
            lambda: f"({x((shape[0] + 2, shape[1] + 3), less)})[1:{shape[0] + 1}, 2:{shape[1] + 2}]",
            lambda: f"xt.tile_broadcast(xt.{self.choose('any', 'all')}({x(shape, less)}, {axis}), {shape})",
            lambda: f"xt.where({x(line, less)}, {x(shape, less)}, {x(shape, less - 1)})",
            lambda: f"(xt.sum({x(shape, less)}, {axis}) > xt.cumsum({x(shape, less - 1)}, {axis}))",
            lambda: f"({self.value(shape, less)} {self.choose('>', '<=', '==', '!=')} {self.value(line, less - 1)})",
        ]
        return self.random.choice(forms)()

    def _line(self, shape: Shape, depth: int) -> str:
        """Beside a value of one axis, which is loaded or left of a reduction."""
        axis = self.random.randrange(2)
        spread = "[None, :]" if axis == 0 else "[:, None]"
        loaded = self.small(f"xt.load_tile(xt.init_tile(L, {self.number()} - 2, ({shape[1 - axis]},))).to(xt.f32)")
        kind = self.choose("sum", "max", "min")
        left = self.small(f"xt.{kind}({self.value(shape, depth - 1)}, {axis}, keepdims=False)")
        return self.small(f"{self.value(shape, depth)} {self.choose('+', '-', '*')} ({self.choose(loaded, left)}){spread}")

    def _paired(self, shape: Shape, depth: int) -> str:
        """Columns that are parted and joined the other way round."""
        a, b = (f"xt.reshape({self.value((1, shape[0]), depth)}, ({shape[0]},))" for _ in range(2))
        return f"xt.join(*xt.split(xt.join({a}, {b}))[::-1])"

    def kernel(self, fast: bool, several: bool) -> str:
        """The source; numbers of f32 in the text of `flows` are of this dtype."""
        text = self.source().replace("p = xt.program_id(0)", f"p = {HEAD}") if several else self.source()
        text = text.replace(heading(), heading(ARRAYS | arrays(self.kind)))
        text = text.replace("xt.f32", f"xt.{self.kind}").replace(f"xt.{SINGLE}", "xt.f32")
        return text.replace("@xt.jit\n", "@xt.jit(fast_math=True)\n") if fast else text


def arrays(kind: str) -> Mapping[str, Numbers]:
    """The arrays of a kernel: those of `flows`, with results and one more to read in its dtype."""
    return {
        **ARRAYS,
        "M": Numbers("bool", (40, 72), 0, 1),
        "K": Numbers(kind, (40, 72), 0 if kind[0] == "u" else -3, 3),
        "O": replace(ARRAYS["O"], dtype=kind),
    }


def kinds(random: Random) -> Program:
    """A random kernel."""
    kind, subgroups = random.choice(KINDS), random.choice((None, 1, 2, 4, 8, 8, 16))
    mapped = subgroups is not None and random.random() < 0.4
    across = random.choice(((1, 1), (1, 1), (2, 1), (1, 2), (2, 2)))
    several = across != (1, 1)
    source = Writer(random, kind, subgroups if mapped else None).kernel(random.random() < 0.2, several)
    made = program(random, source, arrays(kind), ("pvc", "bmg") if "f64" in source or "tf32" in source else ("pvc", "bmg", "dg2"))
    grid = across[0] * across[1] * random.choice((1, 2)) if several else made.grid
    return replace(made, subgroups=subgroups, grid=grid, across=across)


if __name__ == "__main__":
    runner.main(kinds)
