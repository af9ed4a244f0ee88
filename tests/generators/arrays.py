"""Arrays: random kernels that load, gather, store, scatter and update in every way, in arrays of all dtypes that they read again.

Each program has parts of its own of some arrays (`Y0`), which it reads, writes and updates in any order; others all programs read
(`X0`), or update in one way alone, whose order does not matter (`S0`). What is computed in between are the values of `flows`, and
integers of any size. Each kernel is run in plain Python on numpy (`plain`) and as `program` runs it.

    python -m tests.generators.arrays --cases 1000 --jobs 2 --on sim:bmg
"""

from __future__ import annotations

from math import gcd
from random import Random

from tests.generators import flows, runner
from tests.generators.parts import COLUMNS, LIMITS, ROWS, Held, Parts, Shape, array
from tests.generators.program import Numbers, Program, heading, program

FLOATS = ("f16", "bf16", "f32", "f64")
KINDS = (*LIMITS, *FLOATS)
UPDATED = ("i32", "u32", "i64", "u64", "f32", "f64")
UPDATES = {"i": ("add", "max", "min", "and", "or", "xor"), "f": ("add", "max", "min", "maxnum", "minnum")}
ALONE = {"i": ("mul", "assign"), "f": ("assign",)}  # of an array that no other program updates
BITS = {kind: 8 if kind == "bool" else int("".join(c for c in kind if c.isdigit())) for kind in KINDS}
SCANS = ("xt.maximum", "xt.minimum", "lambda x, y: x + y - 1", "lambda x, y: y")
MOST = 6  # values at a time
LARGE = 1024  # elements of a value


class Writer(flows.Writer):
    """Writes one kernel. `kinds` are the dtypes of `values`; `lines` what must stand before the line that is being written."""

    def __init__(self, random: Random, lacks: tuple[str, ...]) -> None:
        super().__init__(random)
        self.parts = Parts(random, self.number, self.let)
        self.usual = [kind for kind in KINDS if kind not in lacks]
        self.kinds: dict[str, str] = {}
        self.lines: list[str] = []
        self.names = 0
        drawn = [random.choice(self.usual) for _ in range(4)]
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
        if kind < 0.16:
            return self.choose(f"xt.cdiv(abs({super().number()}), 2)", "xt.cast(xt.num_programs(0), xt.i32)")
        return super().number()

    # Values in f32.

    def forms(self, shape: Shape, depth: int) -> list[str]:
        kinds = [form for form in super().forms(shape, depth) if form not in ("looked", "product")]
        kinds += ["gathered", "typed", "typed", "scanned", "moving", "reduced"]
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
        padding = self.choose("", "", ", padding=1")
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
        whole = f"({column} * 0 + {line} * {step} + {self.number()})"
        return self.choose(whole, f"({column} + {line} * 0 + {self.number()})", f"({column} * {step} + {line})")

    def _gathered(self, shape: Shape, depth: int) -> str:
        rows = self.let(self.numbers(shape, depth))
        view, offsets = self.parts.places(self.array(), rows, self.numbers(shape, depth - 1))
        mask = self.choose("", "", f", {rows} % 5 != {self.number()}, padding=1",
                           f", {self.value(shape, depth - 1)} > {self.number()}")  # fmt: skip
        return self.small(f"xt.load_gather(xt.init_tile({view}, {offsets}){mask}).to(xt.f32)")

    def _typed(self, shape: Shape, depth: int) -> str:
        return self.small(f"({self.whole(self.choose(*LIMITS), shape, depth)}).to(xt.f32)")

    def _scanned(self, shape: Shape, depth: int) -> str:
        scan, axis = self.choose(*SCANS), self.random.randrange(2)
        return self.small(
            f"xt.associative_scan({scan}, {self.value(shape, depth)}, {axis}, reverse={self.random.random() < 0.5})"
        )

    def _moving(self, shape: Shape, depth: int) -> str:
        """A part of a value from a run-time place on, or elements of it by turns from the end."""
        x, at = self.value((shape[0] + 6, shape[1]), depth), self.let(f"({self.number()}) % 7")
        reverse = f"({self.value(shape, depth - 1)})[{self.choose('::-1', ':, ::-1')}]"
        return self.choose(f"({x})[{at}:{at} + {shape[0]}]", reverse)

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
        return f"{self.value(shape, 1)}.to(xt.{kind})" if kind[0] != "u" else f"xt.abs({self.value(shape, 1)}).to(xt.{kind})"

    # Statements.

    def made(self) -> list[str]:
        """A variable, new or in place of another."""
        shape, kind = self.shape(), self.choose("f32", "f32", *self.usual)
        text = self.value(shape, 2) if kind == "f32" else self.whole(kind, shape, 2)
        name = f"v{len(self.values)}" if len(self.values) < MOST and not self.loops else ""
        if not name:
            name = self.choose(*self.values)
            shape, kind = self.values[name], self.kinds[name]
            text = self.value(shape, 2) if kind == "f32" else self.whole(kind, shape, 2)
        lines = self.line(f"{name} = {text}")
        self.values[name], self.kinds[name] = shape, kind
        return lines

    def stored_as(self, held: Held) -> tuple[str, Shape]:
        """What is stored in an array: a variable, or a new value."""
        kind = held.numbers.dtype
        if self.values and self.random.random() < 0.6:
            name = self.choose(*self.values)
            its = self.kinds[name]
            text = (
                name
                if its == kind
                else f"{name}.to(xt.{kind})"
                if its in LIMITS and kind in LIMITS
                else f"{self.float(name)}.to(xt.{kind})"
            )
            return (f"({name} > 0)" if kind == "bool" and its != "bool" else text), self.values[name]
        shape = self.shape()
        return self.whole(kind, shape, 1) if kind != "f32" else self.value(shape, 1), shape

    def store(self) -> list[str]:
        held = self.random.choice(self.own)
        text, shape = self.stored_as(held)
        if self.random.random() < 0.5:
            return self.line(f"xt.store_tile({text}, {self.parts.tile(held, shape)})")
        place, found = self.parts.sliced(held, shape)
        text = text if len(found) == 2 else f"xt.reshape({text}, {found})"
        return self.line(self.choose(f"{place} = {text}", f"xt.store_tile({text}, {place})"))

    def scatter(self) -> list[str]:
        """To places that are all different, or one number to any places."""
        held = self.random.choice(self.own)
        text, shape = self.stored_as(held)
        rows, columns = held.numbers.shape[-2:]
        count, by = rows * columns, self.random.choice((1, 1, 3, 5, 7, 11))
        if shape[0] * shape[1] > count or gcd(by, count) > 1 or self.random.random() < 0.3:
            view, offsets = self.parts.places(held, self.numbers(shape, 1), self.numbers(shape, 1))
            kind = held.numbers.dtype
            text = "True" if kind == "bool" else f"xt.cast({self.number()}, xt.{kind})"
            mask = self.choose("", f", {self.value(shape, 1)} > {self.number()}")
            return self.line(f"xt.store_scatter({text}, xt.init_tile({view}, {offsets}){mask})")
        order = f"xt.arange({shape[1]})[None, :] + xt.arange({shape[0]})[:, None] * {shape[1]}"
        view, _ = self.parts.view(Held(held.name, Numbers(held.numbers.dtype, (rows, columns), each=held.numbers.each)))
        view = f"{held.name}[{', '.join(['p', *(self.parts.inside(n) for n in held.numbers.shape[:-2])])}]"
        place = self.let(f"(({order}) * {by} + {self.number()}) % {count}")
        mask = self.choose("", f", {place} % 3 != 1", f", {self.value(shape, 1)} > {self.number()}")
        offsets = f"{place} // {columns} * {view}.stride(0) + {place} % {columns}"
        return self.line(f"xt.store_scatter({text}, xt.init_tile({view}, {offsets}){mask})")

    def atomic(self) -> list[str]:
        """In an array of the program's own in any way; in one of all in the way that all take."""
        own = self.random.random() < 0.5
        held = self.own[2] if own else self.shared
        kind, shape = held.numbers.dtype, self.shape()
        group = "f" if kind in FLOATS else "i"
        how = self.choose(*UPDATES[group], *ALONE[group]) if own else self.update
        text = f"{self.value(shape, 1)}.to(xt.{kind})" if group == "f" else self.whole(kind, shape, 1)
        if self.random.random() < 0.4 and how != "assign":
            view, offsets = self.parts.places(held, self.numbers(shape, 1), self.numbers(shape, 1))
            mask = self.choose("", f", {self.value(shape, 1)} > {self.number()}")
            return self.line(f'xt.atomic_rmw_tile("{how}", {text}, xt.init_tile({view}, {offsets}){mask})')
        if own and len(self.values) < MOST and not self.loops and self.random.random() < 0.4:
            return self._found(held, how)
        return self.line(f'xt.atomic_rmw_tile("{how}", {text}, {self.parts.tile(held, shape)})')

    def _found(self, held: Held, how: str) -> list[str]:
        """What was there before, of a tile that lies inside."""
        rows, columns = held.numbers.shape[-2:]
        shape = self.random.randrange(1, rows + 1), self.random.randrange(1, columns + 1)
        at = self.random.randrange(rows - shape[0] + 1), self.random.randrange(columns - shape[1] + 1)
        kind, name = held.numbers.dtype, f"v{len(self.values)}"
        text = f"{self.value(shape, 1)}.to(xt.{kind})" if kind in FLOATS else self.whole(kind, shape, 1)
        view = f"{held.name}[{', '.join(['p', *(self.parts.inside(n) for n in held.numbers.shape[:-2])])}]"
        found = f'xt.atomic_rmw_tile("{how}", {text}, xt.init_tile({view}, {at}, {shape}))'
        lines = self.line(f"{name} = {self.small(found)}" if kind == "f32" else f"{name} = {found}")
        self.values[name], self.kinds[name] = shape, kind
        return lines

    def through_slm(self) -> list[str]:
        """A variable through shared memory, as it is or turned, and back to it."""
        name = self.choose(*self.values)
        shape, kind = self.values[name], self.kinds[name]
        if kind == "bool" or shape[0] * shape[1] * BITS[kind] > 2**15:
            return self.made()
        self.names += 1
        memory = f"m{self.names}"
        turned = f"xt.load_tile(xt.init_tile({memory}.T, (0, {self.choose('0', '1')}), {shape[::-1]})).T"
        rolled = (
            f"xt.load_gather(xt.init_tile({memory}, (xt.arange({shape[0]})[:, None] * {shape[1]} + xt.arange({shape[1]})[None, :]"
        )
        rolled += f" + {self.number()}) % {shape[0] * shape[1]}))"
        wait = self.choose(["xt.barrier()"], ["xt.barrier_arrive()", "xt.barrier_wait()"], ["xt.fence()", "xt.barrier()"])
        return self.line(f"{memory} = xt.alloc_slm({shape}, xt.{kind})", f"xt.store_tile({name}, xt.init_tile({memory}, (0, 0), {shape}))",
                         *wait, f"{name} = {self.choose(turned, rolled)}", "xt.barrier()")  # fmt: skip

    def asserted(self) -> list[str]:
        name = self.choose(*self.values)
        return [f'xt.device_assert({self.float(name)} <= 7, "small")']

    def count(self) -> str:
        return self.choose(f"{self.number()} % 4", "3", f"abs(L[{self.random.randrange(31)}]) % 4", f"{self.number()} % 3, 4")

    def loop(self) -> list[str]:
        name = f"i{len(self.loops)}"
        head = self.line(f"for {name} in range({self.count()}):")
        self.loops.append(name)
        body = [line for _ in range(self.random.randrange(1, 3)) for line in self.statement()]
        if self.random.random() < 0.25:
            body += [*self.line(f"if {self.number()} == {self.number()}:"), f"    {self.choose('break', 'continue')}"]
            body += self.statement()
        self.loops.pop()
        return [*head, *indented(body)]

    def branch(self) -> list[str]:
        held = self.choose(*self.values)
        head = self.line(
            f"if {self.choose(f'{self.number()} < {self.number()}', f'xt.max({self.float(held)}) > {self.number()}')}:"
        )
        self.loops.append("p")
        body = indented(self.statement())
        body += ["else:", *indented(self.statement())] if self.random.random() < 0.4 else []
        self.loops.pop()
        return [*head, *body]

    def moved(self) -> list[str]:
        """A tile, or scattered places, moved by a loop: read, and written in an array of the program's own."""
        held, name = self.random.choice([*self.read, *self.own, *self.own]), self.choose(*self.values)
        shape, kind, its = self.values[name], self.kinds[name], held.numbers.dtype
        tile, turn = self.let(self.parts.tile(held, shape, lines=False)), f"j{len(self.loops)}"
        by = (self.random.choice((0, shape[0], 1, 8)), self.random.choice((0, shape[1], 16, 3)))
        head = self.line(f"for {turn} in range({self.count()}):")
        added = f"({self.float(name)} + {self.small(f'xt.load_tile({tile}).to(xt.f32)')})"
        change = f"{name} = {self.small(added)}" if kind == "f32" else f"{name} = {self.float(name)}.to(xt.{kind})"
        change = change if kind != "bool" else f"{name} = {added} > 0"
        stores = {"bool": f"{self.float(name)} > 1"}.get(its, f"{self.float(name)}.to(xt.{its})")
        stores = stores if its[0] != "u" else f"xt.abs({self.float(name)}).to(xt.{its})"
        body = [change, *([f"xt.store_tile({stores}, {tile})"] if held in self.own and self.random.random() < 0.7 else [])]
        return [*head, *indented([*body, f"{tile} = xt.update_tile_offset({tile}, {by})"])]

    def tuples(self) -> list[str]:
        """Values that change places in a loop."""
        groups = [
            (x, y)
            for x in self.values
            for y in self.values
            if x < y and self.values[x] == self.values[y] and self.kinds[x] == self.kinds[y]
        ]
        if not groups:
            return self.made()
        x, y = self.random.choice(groups)
        head = self.line(f"pair = ({x}, {y})", f"for t in range({self.count()}):")
        body = indented(["pair = (pair[1], pair[0])", *self.statement(simple=True)])
        return [*head, *body, f"{x}, {y} = pair"]

    def statement(self, simple: bool = False) -> list[str]:
        forms = [
            self.made,
            self.store,
            self.store,
            self.store,
            self.scatter,
            self.scatter,
            self.atomic,
            self.atomic,
            self.asserted,
        ]
        if not simple and len(self.loops) < 2:
            forms += [self.loop, self.loop, self.branch, self.moved, self.moved]
            forms += [self.through_slm, self.tuples] if not self.loops else []
        return self.random.choice(forms)()

    def source(self) -> tuple[str, dict[str, Numbers]]:
        lines = ["p = xt.program_id(0)", *self.made()]
        for _ in range(self.random.randrange(2, 6)):
            lines += self.statement()
        results = {f"R{i}": Numbers(self.kinds[name], shape, each=True) for i, (name, shape) in enumerate(self.values.items())}
        lines += [
            f"xt.store_tile({name}, xt.init_tile(R{i}[p], (0, 0), {shape}))"
            for i, (name, shape) in enumerate(self.values.items())
        ]
        arrays = {held.name: held.numbers for held in (*self.read, *self.own, self.shared)} | results
        text = "\n".join(lines)
        used = {"L": Numbers("i32", (31,), -9, 9)} | {name: numbers for name, numbers in arrays.items() if name in text}
        return f"import xetile as xt\n\n\n{heading(used)}\n" + "\n".join(indented(lines)) + "\n", used


def indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


def arrays(random: Random) -> Program:
    """A random kernel."""
    target = random.choice(("pvc", "bmg", "dg2"))
    source, used = Writer(random, ("f64",) if target == "dg2" else ()).source()
    return program(random, source, used, (target,))


if __name__ == "__main__":
    runner.main(arrays)
