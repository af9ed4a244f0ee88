"""Control flow: random kernels with values, tiles and numbers carried, swapped and joined by nested loops and branches.

Each is run in plain Python on numpy (`plain`), which shares no code with the compiler; then at levels of the pipeline, as numpy runs
it and in debug mode, and on the CPU device. All numbers are small and whole: every order of adding gives the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.generators import runner
from tests.generators.program import Program, heading, program

SHAPES = (*[(16, 16), (16, 32), (8, 16), (32, 16)] * 3, (32, 32), (8, 64), (24, 16), (13, 16), (5, 33), (1, 32), (16, 1))
UNCHANGED = 8  # one in so many variables that a program leaves alone is stored at its end
_ASSIGNED = re.compile(r" *((?:\w+(?:, \w+)* (?:[+-]|)= )+)")


@dataclass
class Names:
    """The variables that a block may use, by what they hold."""

    numbers: tuple[str, ...] = ("a", "b", "c", "d")
    floats: tuple[str, ...] = ("u", "v", "w")
    integers: tuple[str, ...] = ("m", "n")
    counts: tuple[str, ...] = ("e", "o")  # begin as numbers of Python's
    tiles: tuple[str, ...] = ("ta", "tb")
    rows: bool = True
    products: bool = True


IN_HELPERS = Names(("a", "b"), ("u", "v"), ("m",), ("e",), (), rows=False, products=False)


class Writer:
    """Writes the lines of one kernel; `choose` and its like draw from one source of randomness."""

    def __init__(self, random: Random, shape: tuple[int, int], depth: int) -> None:
        self.random = random
        self.rows, self.columns = shape
        self.depth = depth
        self.loops = 0
        self.inner = [f"i{n}" for n in range(8)]
        self.helpers = 0
        self.names = self.all = Names(products=shape[0] % 8 == 0 and shape[1] % 16 == 0)

    def choose(self, *items: Any) -> Any:
        return self.random.choice(items)

    def chance(self, of: int) -> bool:
        return self.random.randrange(of) == 0

    # Expressions.

    def number(self, depth: int = 2) -> str:
        """An i32 that is known at run time only, in most cases."""
        known = [*self.names.numbers, *self.inner[: self.loops]]
        kind = self.choose("name", "name", "literal", "binary", "binary", "choice", "call") if depth else "name"
        if kind == "name":
            name = self.choose(*known)
            return f"xt.cast({name}, xt.i32)" if name in self.inner else name
        if kind == "literal":
            return f"({self.choose(*self.names.numbers)} * 0 + {self.random.randrange(-4, 9)})"
        left, right = self.number(depth - 1), self.number(depth - 1)
        if kind == "binary":
            return f"(({left} {self.choose('+', '-', '*')} {right}) % {self.choose(7, 13, 31)})"
        if kind == "call":
            return f"{self.choose('min', 'max')}({left}, {right})"
        return f"({left} if {self.condition(0)} else {right})"

    def condition(self, depth: int = 1) -> str:
        kind = self.choose("compare", "compare", "odd", "any", "largest", "both", "not") if depth else "compare"
        if kind in ("any", "largest") and not (self.names.floats and self.names.integers):
            kind = "compare"
        if kind == "odd":
            return f"{self.number(0)} % 2 == {self.choose(0, 1)}"
        if kind == "any":
            x, y = self.choose(*self.names.floats), self.choose(*self.names.floats)
            return f"xt.{self.choose('any', 'all')}({x} {self.choose('>', '<=', '==')} {y} + {self.choose(-1, 0, 1)})"
        if kind == "largest":
            return f"xt.{self.choose('max', 'min')}({self.choose(*self.names.integers)}) {self.choose('>', '<')} {self.number(0)}"
        if kind == "both":
            return f"({self.condition(0)} {self.choose('and', 'or')} {self.condition(0)})"
        if kind == "not":
            return f"not {self.condition(0)}"
        return f"{self.number(1)} {self.choose('<', '<=', '==', '!=')} {self.number(1)}"

    def count(self) -> str:
        """A number of Python's, or what a loop or a branch has made of one."""
        return self.choose(*self.names.counts)

    def small(self, value: str) -> str:
        return f"xt.clamp({value}, -7, 7)"

    def float_value(self) -> str:
        """A value of the main shape in f32."""
        f, i = self.names.floats, self.names.integers
        x, y = self.choose(*f), self.choose(*f)
        forms = [f"{x} + {y}", f"{x} - {y} * 2", f"{x} * {y}", f"xt.maximum({x}, {y} - 1)",
                 f"xt.where({x} > {y}, {x} - 1, {y})", f"-{x}", f"{x} + xt.cast({self.number()}, xt.f32)",
                 f"{x} - xt.sum({y}, {self.choose(0, 1)})", f"{x} {self.choose('+', '-', '*')} {self.count()}"]  # fmt: skip
        forms += [f"{self.choose(*i)}.to(xt.f32)"] if i else []
        forms += [f"{x}.T"] * 2 if self.rows == self.columns else []
        if self.names.tiles:
            forms += [f"xt.load_tile({self.choose('tt', *self.names.tiles)}, padding={self.choose(0, 0, 3)})"] * 3
        if self.names.rows:
            forms += [f"{x} + r", f"{x} * q", f"{x} - (r + q)"]
        if self.names.products:
            forms += [f"xt.tile_mma(h, g, {x})", f"{x} + h @ g", f"{x} - h @ g", f"h @ g - {x}", "h @ g"]
        return self.small(self.choose(*forms))

    def integer_value(self) -> str:
        i = self.names.integers
        x, y = self.choose(*i), self.choose(*i)
        # What met a size is an index: so are values that meet it, in loops and branches too.
        count, number = (self.choose(n, f"xt.cast({n}, xt.i32)") for n in (self.count(), self.number()))
        forms = [f"{x} * 3 - {y}", f"{x} + {number}", f"xt.where({x} > {self.number(1)}, {x}, {y} + 1)", f"xt.abs({x}) - {y}",
                 f"xt.cumsum({x}, {self.choose(0, 1)})", f"{self.choose(*self.names.floats)}.to(xt.i32)",
                 f"{x} + {y} * {count}", f"xt.maximum({x}, {count})", f"{x} % ({count} % 5 + 2)"]  # fmt: skip
        forms += [f"xt.where({x} > {y}, xt.arange({self.columns})[None, :], {x})", f"{x} - xt.arange({self.rows})[:, None] % 5"]
        return self.small(self.choose(*forms))

    # Statements.

    def block(self, depth: int, *, loop: bool = False) -> list[str]:
        lines: list[str] = []
        for _ in range(self.random.randrange(1, 4)):
            lines += self.statement(depth, loop)
        return lines

    def statement(self, depth: int, loop: bool) -> list[str]:
        kinds = ["number", "float", "float", "integer", "swap", "swap", "pair", "count"]
        kinds += ["tile", "tile"] if self.names.tiles else []
        kinds += ["row"] if self.names.rows else []
        kinds += ["operand", "sum", "ahead", "alike", "alike"] if self.names.products else []
        kinds += ["add"] if self.names.tiles else []
        kinds += ["help"] * min(1, self.helpers) if self.names.tiles else []
        kinds += ["if", "if", "for", "for", "while", "unroll", "first"] if depth else []
        kinds += ["return"] if not loop else []
        lines: list[str] = getattr(self, f"_{self.choose(*kinds)}")(depth, loop)
        return lines

    def _number(self, depth: int, loop: bool) -> list[str]:
        name = self.choose(*self.names.numbers)
        forms = [f"{name} = {self.number()}", f"{name} = {self.number()}", f"{name} += {self.number(0)} % 5"]
        if self.names.tiles:
            size = self.choose("A.shape[0] - 33", "A.shape[1] % 31", "A.shape[0] // 5", "xt.program_id(0)")
            forms += [f"{name} = xt.load_tile(xt.init_tile(L, {self.number(1)}, (1,))).item()", f"{name} = {size}",
                      f"{name} = xt.cast(xt.max(u), xt.i32)"]  # fmt: skip
        return [self.choose(*forms)]

    def _count(self, depth: int, loop: bool) -> list[str]:
        name = self.count()
        changed = self.choose(
            f"{name} + 1", f"{name} * 3 - {self.count()}", f"{self.number(1)} + {name}", f"max({name}, {self.count()})"
        )
        return [self.choose(f"{name} = {self.choose(0, 1, 4)}", f"{name} = ({changed}) % 13",
                            f"{name} = {self.choose(2, self.count())} if {self.condition()} else {self.choose(5, self.count())}")]  # fmt: skip

    def _float(self, depth: int, loop: bool) -> list[str]:
        return [f"{self.choose(*self.names.floats)} = {self.float_value()}"]

    def _integer(self, depth: int, loop: bool) -> list[str]:
        return [f"{self.choose(*self.names.integers)} = {self.integer_value()}"]

    def _swap(self, depth: int, loop: bool) -> list[str]:
        groups = [g for g in (self.names.numbers, self.names.floats, self.names.integers, self.names.counts,
                              self.names.tiles) if len(g) > 1]  # fmt: skip
        group = list(self.choose(*groups))
        self.random.shuffle(group)
        return [self.choose(f"{group[0]}, {group[1]} = {group[1]}, {group[0]}", f"{group[0]} = {group[1]}")]

    def _pair(self, depth: int, loop: bool) -> list[str]:
        f, n = self.choose(*self.names.floats), self.choose(*self.names.numbers)
        return [
            self.choose(
                f"pair = ({f}, {n})",
                f"pair = (pair[0] - 1, pair[1] + {n} % 3)",
                f"{f}, {n} = {self.small('pair[0]')}, pair[1] % 31",
            )
        ]

    def _tile(self, depth: int, loop: bool) -> list[str]:
        tile = self.choose(*self.names.tiles)
        by = (self.choose(0, 8, self.rows, -self.rows, 1), self.choose(0, 16, self.columns, -16))
        place = self.choose(f"({self.number(1)}, {self.choose(0, 16, -16, 64)})", f"({self.choose(0, 8, 35)}, {self.number(0)})")
        return [self.choose(f"{tile} = xt.update_tile_offset({tile}, {by})",
                            f"{tile} = xt.update_tile_offset({tile}, ({self.number(0)} % 5, 0))",
                            f"{tile} = xt.init_tile(A, {place}, ({self.rows}, {self.columns}))", f"xt.prefetch_tile({tile})")]  # fmt: skip

    def _row(self, depth: int, loop: bool) -> list[str]:
        f = self.choose(*self.names.floats)
        kind = self.choose("sum", "max", "min")
        return [self.choose(f"r = {self.small(f'xt.{kind}({f}, 1)')}", f"q = {self.small(f'xt.{kind}({f}, 0)')}", f"r = {self.small('r + q')}"
                            if self.columns == 1 else "r = -r")]  # fmt: skip

    def _operand(self, depth: int, loop: bool) -> list[str]:
        tile, name = self.choose(("th", "h"), ("tg", "g"))
        return [
            f"{name} = xt.load_tile({tile})",
            f"{tile} = xt.update_tile_offset({tile}, {self.choose((0, 16), (16, 0), (-16, 16))})",
        ]

    def _sum(self, depth: int, loop: bool) -> list[str]:
        """A sum of products over a loop, which the compiler makes one."""
        name = self.choose(*self.names.floats)
        return [f"for k in range(0, {self.choose('H.shape[1]', self.number(0) + ' % 3 * 16')}, 16):",
                f"    {name} {self.choose('+=', '-=')} {self._product(0)}", f"{name} = {self.small(name)}"]  # fmt: skip

    def _product(self, row: int) -> str:
        return (f"xt.load_tile(xt.init_tile(H, ({row}, k), ({self.rows}, 16))) @ "
                f"xt.load_tile(xt.init_tile(G, (k, 0), (16, {self.columns})))")  # fmt: skip

    def _alike(self, depth: int, loop: bool) -> list[str]:
        """One number in several sums, a branch or a loop that changes one of them, and a loop that adds to more of them."""
        names = list(self.names.floats)
        self.random.shuffle(names)
        lines = [" = ".join([*names[: self.choose(2, 3)], self.float_value()])]
        for _ in range(self.choose(0, 1, 1, 2)):
            x, y = self.random.sample(names, 2)
            change = [self.choose(f"{x} += h @ g", f"{x}, {y} = {y}, {x}", f"{x} = {y}", f"{x} = {self.float_value()}")]
            lines += self.choose([f"if {self.condition()}:", *_indented(change)], [f"if {self.condition()}:", *_indented(change)], change,
                                 [f"for k in range(0, {self.number(0)} % 3 * 16, 16):", f"    {x} += {self._product(24)}"])  # fmt: skip
        body = [
            f"{name} {self.choose('+=', '-=')} {self._product(8 * i)}" for i, name in enumerate(names[: self.choose(1, 2, 3)])
        ]
        body += [f"{names[0]}, {names[1]} = {names[1]}, {names[0]}"] if self.chance(4) else []
        self.random.shuffle(body)
        ends = [f"if k == {self.number(0)} % 3 * 16:", f"    {self.choose('break', 'continue')}"] if self.chance(5) else []
        lines += [f"for k in range(0, {self.number(0)} % 4 * 16, 16):", *_indented([*ends, *body])]
        return [*lines, *(f"{name} = {self.small(name)}" for name in names)]

    def _ahead(self, depth: int, loop: bool) -> list[str]:
        """A sum of products whose operands are loaded a step before they are multiplied, or from where no step comes to."""
        name, d = self.choose(*self.names.floats), self.choose(0, 16, 16, 32)
        h, g = (
            f"xt.load_tile(xt.init_tile(H, (0, {{}}), ({self.rows}, 16)))",
            f"xt.load_tile(xt.init_tile(G, ({{}}, 0), (16, {self.columns})))",
        )
        start = self.choose(0, d - 16, d - 16)
        more = self.choose("ha, ga = hb, gb", "ha, ga = hb, gb", "ha = hb", f"ha, ga = hb, gb if {self.condition(0)} else ga")
        bound = self.choose("48", f"{self.number(0)} % 4 * 16")
        guard = [f"if k + {self.choose(16, 16, 32)} < {bound}:", "    ha, ga = hb, gb"]
        turn = self.choose([more], [more], guard)
        lines = [f"ha, ga = {h.format(start)}, {g.format(start)}", f"for k in range(0, {bound}, 16):",
                 f"    hb, gb = {h.format(f'k + {d}')}, {g.format(f'k + {d}')}", f"    {name} {self.choose('+=', '-=')} ha @ ga",
                 *_indented(turn)]  # fmt: skip
        return [*lines, *([f"{name} += ha @ ga"] if self.chance(2) else []), f"{name} = {self.small(name)}"]

    def _add(self, depth: int, loop: bool) -> list[str]:
        return [
            f'xt.atomic_rmw_tile("add", {self.choose(*self.names.integers)}, xt.init_tile(W[p], (0, 0), ({self.rows}, {self.columns})))'
        ]

    def _help(self, depth: int, loop: bool) -> list[str]:
        (u, v), (a, b) = (self.random.sample(g, 2) for g in (self.names.floats, self.names.numbers))
        return [
            f"{u}, {self.choose(a, b)} = help{self.random.randrange(self.helpers)}({u}, {v}, {self.choose(*self.names.integers)}, {a}, {b})"
        ]

    def _if(self, depth: int, loop: bool) -> list[str]:
        lines = [f"if {self.condition()}:", *_indented(self.block(depth - 1, loop=loop))]
        if self.chance(3):
            lines += [f"elif {self.condition()}:", *_indented(self.block(depth - 1, loop=loop))]
        if not self.chance(3):
            lines += ["else:", *_indented(self.block(depth - 1, loop=loop))]
        return lines

    def _for(self, depth: int, loop: bool) -> list[str]:
        n = self.number(0)
        bounds = self.choose(f"{n} % 4", f"{n} % 3, 5", f"0, {n} % 7, 2", f"{n} % 5, 0, -1", "3", f"{n} % 4 + 1, -2, -2", f"5, {n} % 3",
                             f"0, 6, {n} % 3 + 2", f"{n} % 5, {self.number(0)} % 7, {self.number(0)} % 3 * 2 - 3")  # fmt: skip
        return [f"for {self.inner[self.loops]} in range({bounds}):", *_indented(self._body(depth))]

    def _body(self, depth: int) -> list[str]:
        self.loops += 1
        lines = self.block(depth - 1, loop=True)
        self.loops -= 1
        return lines

    def _while(self, depth: int, loop: bool) -> list[str]:
        count = f"n{depth}"  # of its own: a loop inside must not start it again
        if self.chance(3):
            more = f"more{depth}"
            lines = [f"{count} = {self.choose(*self.names.numbers)} * 0", f"{more} = {self.condition()}", f"while {more}:"]
            turned = [f"{count} += 1", f"{more} = {count} < {self.choose(1, 2, 3)} and {self.condition()}"]
            return lines + _indented([*turned, *self.block(depth - 1, loop=True)])
        lines = [
            f"{count} = {self.choose(*self.names.numbers)} * 0",
            f"while {count} < {self.choose(1, 2, 3)} and {self.condition()}:",
        ]
        lines += _indented([*self.block(depth - 1, loop=True), f"{count} += 1"])
        return lines

    def _first(self, depth: int, loop: bool) -> list[str]:
        """A loop that runs once at least, in which a variable gets its first value that is read after it."""
        count, x, name = f"t{depth}", f"x{depth}", self.choose(*self.names.floats)
        used = f"{name} = {self.small(f'{name} - {x}')}"
        if self.chance(2):
            head = f"for {self.inner[self.loops]} in range({self.choose(1, 2, 3)}):"
            return [head, *_indented([*self._body(depth), f"{x} = {self.float_value()}"]), used]
        before, inside = self.choose(([], [f"{x} = {self.float_value()}"]), ([f"{x} = {self.float_value()}"], []))
        early = [f"if {self.condition()}:", f"    {x} = {self.float_value()}", "    break"] if self.chance(2) else []
        ends = [f"if {count} > {self.choose(0, 1, 2)} or {self.condition()}:", *_indented([*inside, "break"])]
        body = [*self.block(depth - 1, loop=True), f"{count} += 1", *early, *before, *ends]
        return [f"{count} = {self.choose(*self.names.numbers)} * 0", "while True:", *_indented(body), used]

    def _unroll(self, depth: int, loop: bool) -> list[str]:
        """A loop over constants that is unrolled: as it says so, or as its body needs them."""
        name = self.choose(*self.names.floats)
        needs = self.choose(f"{name} + len([k for k in range(3) if k <= s])", f"xt.max(xt.arange(s + 2)) - {name}")
        over, first = self.choose(("xt.static_range", []), ("range", [f"{name} = {self.small(needs)}"]))
        return [f"for s in {over}({self.choose(0, 1, 2)}):", *_indented([*first, *self.block(depth - 1, loop=True)])]

    def _return(self, depth: int, loop: bool) -> list[str]:
        if not self.names.tiles:
            return [f"if {self.condition()}:", f"    return {self.choose(*self.names.floats)}, {self.number(1)}"]
        # Less than what stands at the end, which would stand here again.
        main = f"xt.init_tile(O[p, 7], (0, 0), ({self.rows}, {self.columns}))"
        number = f"xt.zeros((1, 16), xt.f32) + xt.cast({self.number()}, xt.f32)"
        stores = (f"xt.store_tile({self.choose(*self.names.floats)}, {main})",
                  f"xt.store_tile({number}, xt.init_tile(O[p, 8], (5, 0), (1, 16)))")  # fmt: skip
        return [f"if {self.condition()}:", *_indented([*stores, "return"])]

    # The whole.

    def helper(self, number: int) -> list[str]:
        self.names = IN_HELPERS
        body = ["pair, e = (v, b), 0", *self.block(2), "return u, a"]
        self.names = self.all
        return ["@xt.jit", f"def help{number}(u, v, m, a, b):", *_indented(body), ""]

    def source(self) -> str:
        r, c = self.rows, self.columns
        helpers: list[str] = []
        for number in range(self.random.randrange(3)):
            helpers += self.helper(number)
            self.helpers += 1
        start = [
            "p = xt.program_id(0)", "c, d = a + xt.cast(p, xt.i32), b * 2 % 7",
            f"ta, tb = xt.init_tile(A, (p * 3, 0), ({r}, {c})), xt.init_tile(A, (0, 16), ({r}, {c}))",
            f"tt = xt.init_tile(A.T, (p * 2, 3), ({r}, {c}))",
            f"th, tg = xt.init_tile(H, (0, p * 16), ({r}, 16)), xt.init_tile(G, (0, 0), (16, {c}))",
            "h, g = xt.load_tile(th), xt.load_tile(tg)", "u, v = xt.load_tile(ta), xt.load_tile(tb)",
            f"w = xt.full(({r}, {c}), 2, xt.f32)", f"m, n = v.to(xt.i32), xt.zeros(({r}, {c}), xt.i32) + a",
            "r, q = xt.max(u, 1), xt.min(v, 0)", "pair, e, o = (v, b), 0, 3",
        ]  # fmt: skip
        body = [line for _ in range(self.random.randrange(2, 5)) for line in self.statement(self.depth, False)]
        finish, call = self.finished(changed(body))
        kernel = [heading(), *_indented([*start, *body, call])]
        return "import xetile as xt\n\n\n" + "\n".join([*finish, "", *helpers, *kernel]) + "\n"

    def finished(self, changed: set[str]) -> tuple[list[str], str]:
        """What stores all that changed, and some of the rest, which costs as much to compile as most programs do; and its call."""
        r, c = self.rows, self.columns
        shapes = {"u": (r, c), "v": (r, c), "w": (r, c), "m": (r, c), "n": (r, c), "r": (r, 1), "q": (1, c), "pair[0]": (r, c)}
        lines = {
            name: f"xt.store_tile({name}.to(xt.f32), xt.init_tile(O[p, {i}], (0, 0), {shape}))"
            for i, (name, shape) in enumerate(shapes.items())
        }
        for i, name in enumerate(("a", "b", "c", "d", "pair[1]", "e", "o")):
            number = f"xt.zeros((1, 16), xt.f32) + xt.cast({name}, xt.f32)"
            lines[name] = f"xt.store_tile({number}, xt.init_tile(O[p, 8], ({i}, 0), (1, 16)))"
        for i, name in enumerate(self.names.tiles):
            lines[name] = f"xt.store_tile(xt.load_tile({name}), xt.init_tile(O[p, {9 + i}], (0, 0), ({r}, {c})))"
        stored = [name for name in lines if name.partition("[")[0] in changed or self.chance(UNCHANGED)] or ["u"]
        names = ", ".join(dict.fromkeys(["O", "p", *(name.partition("[")[0] for name in stored)]))
        head = ["@xt.jit", f"def finish({names}):"]
        return head + _indented([lines[name] for name in stored]), f"finish({names})"


def changed(body: list[str]) -> set[str]:
    """The variables that lines of a program assign to."""
    found = (_ASSIGNED.match(line) for line in body)
    return {name for match in found if match for name in re.findall(r"\w+", match[1])}


def _indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


def control(random: Random) -> Program:
    """A random kernel."""
    return program(random, Writer(random, random.choice(SHAPES), random.choice((1, 1, 2, 2, 3))).source())


if __name__ == "__main__":
    runner.main(control)
