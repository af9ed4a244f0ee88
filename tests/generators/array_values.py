"""Values that are made of arrays of all dtypes, as text: small numbers in f32, those of `flows`, and integers of any size."""

from __future__ import annotations

from random import Random

from tests.generators import flows
from tests.generators.parts import COLUMNS, LIMITS, ROWS, Held, Parts, Shape, array

FLOATS = ("f16", "bf16", "f32", "f64")
KINDS = (*LIMITS, *FLOATS)
STORED = ("f8e4m3", "f8e5m2")
"""Dtypes of arrays alone: loads give f16."""
UPDATED = ("i32", "u32", "i64", "u64", "f32", "f64")
UPDATES = {"i": ("add", "max", "min", "and", "or", "xor"), "f": ("add", "max", "min", "maxnum", "minnum")}
ALONE = {"i": ("mul", "assign"), "f": ("assign",)}  # of an array that no other program updates
BITS = {kind: 8 if kind == "bool" else int("".join(c for c in kind if c.isdigit())) for kind in KINDS}
SCANS = ("xt.maximum", "xt.minimum", "lambda x, y: x + y - 1", "lambda x, y: y")
LARGE = 1024  # elements of a value


class Values(flows.Writer):
    """Writes values. `kinds` are the dtypes of variables; `lines` what must stand before the line that is being written."""

    def __init__(self, random: Random, lacks: tuple[str, ...]) -> None:
        super().__init__(random)
        self.parts = Parts(random, self.number, self.let)
        self.usual = [kind for kind in KINDS if kind not in lacks]
        self.kinds: dict[str, str] = {}
        self.lines: list[str] = []
        self.names = 0
        drawn = [random.choice((*self.usual, *STORED)) for _ in range(4)]
        self.read = [array(random, f"X{i}", drawn[i], each=False) for i in range(2)]
        self.own = [array(random, f"Y{i}", drawn[i + 1], each=True) for i in range(2)]
        kind = random.choice([kind for kind in UPDATED if kind not in lacks])
        self.own.append(array(random, "Y2", kind, each=True))
        kind = random.choice([kind for kind in UPDATED if kind not in lacks])
        self.shared = array(random, "S0", kind, each=False)
        self.update = self.choose(*UPDATES["f" if kind in FLOATS else "i"])

    # Names.

    def let(self, text: str) -> str:
        """A name for an expression, which is worked out before the line that is being written."""
        self.names += 1
        self.lines.append(f"k{self.names} = {text}")
        return f"k{self.names}"

    def line(self, *lines: str) -> list[str]:
        """Lines with what must stand before them."""
        before, self.lines = self.lines, []
        return [*before, *lines]

    def array(self) -> Held:
        return self.random.choice([*self.read, *self.own])

    def shape(self) -> Shape:
        shape = self.random.choice(ROWS), self.random.choice(COLUMNS)
        return shape if shape[0] * shape[1] <= LARGE else (8, shape[1])

    def number(self) -> str:
        kind = self.random.random()
        if kind < 0.12:
            return f"L[{self.random.randrange(31)}] % {self.choose('5', '7')}"
        if kind < 0.18:
            held = self.array()
            return f"xt.cast({self.inside(held)}, xt.i32) % {self.choose('5', '7')}"
        if kind < 0.22:
            return self.choose(f"xt.cdiv(abs({super().number()}), 2)", "xt.cast(xt.num_programs(0), xt.i32)")
        return super().number()

    def inside(self, held: Held) -> str:
        """An element."""
        return f"{held.name}[{', '.join([*['p'] * held.leading, *map(self.parts.inside, held.numbers.shape)])}]"

    def to(self, text: str, kind: str) -> str:
        """Small numbers in f32 as another dtype, which holds them."""
        if kind == "bool":
            return f"({text} > 0)"
        return f"xt.abs({text}).to(xt.{kind})" if kind[0] == "u" else f"{text}.to(xt.{kind})"

    # Values in f32.

    def forms(self, shape: Shape, depth: int) -> list[str]:
        kinds = [form for form in super().forms(shape, depth) if form not in ("looked", "product")]
        kinds += ["gathered", "gathered_rows", "gathered_rows", "typed", "typed", "scanned", "moving", "reduced"]
        return kinds + (["product"] if shape[0] * shape[1] > 64 else []) + (["joined"] if shape[1] == 2 else [])

    def value(self, shape: Shape, depth: int) -> str:
        return super().value(shape, depth) if shape[0] * shape[1] <= LARGE else self._leaf(shape)

    def _leaf(self, shape: Shape) -> str:
        held = [name for name, its in self.values.items() if its == shape]
        if held and self.random.random() < 0.5:
            return self.float(self.choose(*held))
        if self.random.random() < 0.2:
            return f"(xt.arange({shape[1]})[None, :] % 5 - xt.arange({shape[0]})[:, None] % 3).to(xt.f32)"
        return self.small(f"{self.loaded(self.array(), shape)}.to(xt.f32)")

    def float(self, name: str) -> str:
        """A variable as a small number in f32."""
        return self.small(f"{name}.to(xt.f32)") if self.kinds[name] != "f32" else name

    def loaded(self, held: Held, shape: Shape) -> str:
        """A load, in the array's dtype."""
        padding = self.choose("", "", ", padding=1", ", padding=2" if held.numbers.dtype[0] in "ub" else ", padding=-1")
        padding = padding if held.numbers.dtype != "bool" else ""
        if self.random.random() < 0.5:
            return f"xt.load_tile({self.parts.tile(held, shape)}{padding})"
        text, found = self.parts.sliced(held, shape)
        axis = "" if len(found) == 2 else "[None, :]" if shape[0] == 1 else "[:, None]"
        return f"xt.load_tile({text}{padding}){axis}"

    def numbers(self, shape: Shape, depth: int) -> str:
        """Numbers of elements, never negative: worked out, loaded, or those of rows and columns."""
        step, line, column = self.choose("1", "3", "7"), f"xt.arange({shape[1]})[None, :]", f"xt.arange({shape[0]})[:, None]"
        if self.random.random() < 0.4:
            return f"xt.abs({self.value(shape, depth)}).to(xt.i32) * {step} + {self.number()}"
        held = [a for a in (*self.read, *self.own) if a.numbers.dtype in LIMITS and a.numbers.dtype not in ("bool", "u64")]
        if held and self.random.random() < 0.3:
            return f"{self.loaded(self.random.choice(held), shape)}.to(xt.{self.choose('i32', 'i64')}) % 100 + {self.number()}"
        whole = f"({column} * 0 + {line} * {step} + {self.number()})"
        return self.choose(whole, f"({column} + {line} * 0 + {self.number()})", f"({column} * {step} + {line})")

    def _gathered(self, shape: Shape, depth: int) -> str:
        rows = self.let(self.numbers(shape, depth))
        view, offsets = self.parts.places(self.array(), rows, self.numbers(shape, depth - 1))
        mask = self.choose("", "", f", {rows} % 5 != {self.number()}, padding=1",
                           f", {self.value(shape, depth - 1)} > {self.number()}")  # fmt: skip
        return self.small(f"xt.load_gather(xt.init_tile({view}, {offsets}){mask}).to(xt.f32)")

    def line_numbers(self, count: int) -> str:
        """A row of numbers, never negative: of rows."""
        held = [a for a in (*self.read, *self.own) if a.numbers.dtype in LIMITS and a.numbers.dtype not in ("bool", "u64")]
        if held and self.random.random() < 0.4:
            loaded = self.loaded(self.random.choice(held), (1, count))
            return f"xt.reshape({loaded}, ({count},)).to(xt.{self.choose('i32', 'i64')}) % 64"
        every = self.choose("1", "2", "3", "8")
        return self.choose(
            f"(xt.arange({count}) * {every} + {self.number()})",
            f"xt.load_tile(xt.init_tile(L, {self.number()}, ({count},))) % 16",
        )

    def _gathered_rows(self, shape: Shape, depth: int) -> str:
        """Whole rows by their numbers, where they are inside."""
        rows = self.let(self.line_numbers(shape[0]))
        view, place, inside = self.parts.rows(self.array(), rows, shape)
        inside += self.choose("", "", f" & ({rows} % 3 != 1)[:, None]")
        mask = f"xt.tile_broadcast({inside}, {shape})" if "&" not in inside else f"({inside.replace(' & ', ') & (', 1)})"
        return self.small(f"xt.load_gather(xt.init_tile({view}, {place}), {mask}{self.choose('', ', 1')}).to(xt.f32)")

    def _typed(self, shape: Shape, depth: int) -> str:
        return self.small(f"({self.whole(self.choose(*LIMITS), shape, depth)}).to(xt.f32)")

    def _scanned(self, shape: Shape, depth: int) -> str:
        scan, axis = self.choose(*SCANS), self.random.randrange(2)
        return self.small(
            f"xt.associative_scan({scan}, {self.value(shape, depth)}, {axis}, reverse={self.random.random() < 0.5})"
        )

    def _moving(self, shape: Shape, depth: int) -> str:
        """A part of a value from a run-time place on, rows of it that a list names, or elements of it by turns from the end."""
        begin = self.choose("% 7", "% 7", f"% 6 - {shape[0] + 6}")  # numbers below 0 count from the end
        x, at = self.value((shape[0] + 6, shape[1]), depth), self.let(f"({self.number()}) {begin}")
        reverse = f"({self.value(shape, depth - 1)})[{self.choose('::-1', ':, ::-1')}]"
        rows = [self.random.randrange(-shape[0] - 6, shape[0] + 6) for _ in range(shape[0])]
        return self.choose(f"({x})[{at}:{at} + {shape[0]}]", f"({x})[{rows}]" if len(rows) <= 8 else reverse, reverse)

    def _reduced(self, line: Shape, axis: int, depth: int = 2) -> str:
        if 1 not in line:  # as a form of a value: one of its lines, spread
            x, along = self.value(line, axis), self.random.randrange(2)
            kind = self.choose("add", "max", "min", "maxnum", "minnum")
            return self.small(f"xt.tile_broadcast(xt.tile_reduce('{kind}', {x}, {along}), {line})")
        return super()._reduced(line, 0 if line[0] == 1 else 1, depth)

    def _flipped(self, shape: Shape, depth: int) -> str:
        return f"xt.tile_transpose({self.value(shape[::-1], depth)})"

    def _joined(self, shape: Shape, depth: int) -> str:
        a, b = (f"xt.reshape({self.value((1, shape[0]), depth)}, ({shape[0]},))" for _ in range(2))
        return f"xt.join({a}, {b})"

    # Values of other dtypes.

    def whole(self, kind: str, shape: Shape, depth: int) -> str:
        """An expression of a dtype; integers are any."""
        if kind == "bool":
            return f"({self.value(shape, depth)} {self.choose('>', '==', '<=')} {self.choose(self.number(), '1')})"
        if kind in STORED:
            return self.to(self.value(shape, depth), kind)
        if depth <= 0 or kind in FLOATS or shape[0] * shape[1] > LARGE:
            return self._leaf_of(kind, shape)
        x, y = self.whole(kind, shape, depth - 1), self.whole(kind, shape, depth - 2)
        few, axis = f"({y} & 7)", self.random.randrange(2)
        forms = [f"{x} {self.choose('+', '-', '*', '&', '|', '^')} {y}", f"{x} // ({y} & 15 | 1)", f"{x} % ({y} & 15 | 1)",
                 f"{x} >> {few}", f"{x} << {few}", f"xt.maximum({x}, {y})", f"xt.minimum({x}, {y})", f"~{x}", f"xt.mulhi({x}, {y})",
                 f"xt.where({x} < {y}, {x}, {y})", f"xt.cumsum({x}, {axis}).to(xt.{kind})", f"{x} // {self.choose('3', '8', '10')}",
                 f"xt.roll({x}, {self.number()}, {axis})", f"{x} % {self.choose('3', '8', '10')}",
                 f"xt.tile_reduce('{self.choose('and', 'or', 'xor', 'max', 'min', 'mul')}', {x}, {axis}) + {y}",
                 f"{x} + xt.{self.choose('argmax', 'argmin')}({y}, {axis}).to(xt.{kind})",
                 f"{x} + xt.sum({y}, {axis}).to(xt.{kind})", f"-({x})" if kind[0] == "i" else f"{x} - 1"]  # fmt: skip
        alike = [other for other in LIMITS if other not in (kind, "bool") and BITS[other] == BITS[kind]]
        forms += [f"({x}).bitcast(xt.{other})" for other in alike if False] + [
            f"(({x}).to(xt.{self.choose(*LIMITS)})).to(xt.{kind})"
        ]
        return f"({self.choose(*forms)})"

    def _leaf_of(self, kind: str, shape: Shape) -> str:
        held = [name for name, its in self.values.items() if its == shape and self.kinds[name] == kind]
        if held and self.random.random() < 0.5:
            return self.choose(*held)
        fitting = [a for a in (*self.read, *self.own) if a.numbers.dtype == kind]
        if fitting and self.random.random() < 0.8:
            return self.loaded(self.random.choice(fitting), shape)
        if self.random.random() < 0.5 and kind not in FLOATS:
            others = [a for a in (*self.read, *self.own) if a.numbers.dtype in LIMITS]
            if others:
                return f"{self.loaded(self.random.choice(others), shape)}.to(xt.{kind})"
        return self.to(self.value(shape, 1), kind)
