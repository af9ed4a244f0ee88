"""Arrays: random kernels that load, gather, store, scatter and update in every way, in arrays of all dtypes that they read again.

Each program has parts of its own of some arrays (`Y0`), which it reads, writes and updates in any order; others all programs read
(`X0`), or update in one way alone, whose order does not matter (`S0`). What is computed in between are the values of `flows`, and
integers of any size. Each kernel is run in plain Python on numpy (`plain`) and as `program` runs it.

    python -m tests.generators.arrays --cases 1000 --jobs 2 --on sim:bmg
"""

from __future__ import annotations

from math import gcd
from random import Random

from tests.generators import runner
from tests.generators.array_values import ALONE, BITS, FLOATS, STORED, UPDATES, Values
from tests.generators.parts import LIMITS, Held, Shape
from tests.generators.program import Numbers, Program, heading, program

MOST = 6  # values at a time


class Writer(Values):
    """Writes one kernel."""

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
            whole = its in LIMITS and kind in LIMITS and kind != "bool"
            text = name if its == kind else f"{name}.to(xt.{kind})" if whole else self.to(self.float(name), kind)
            return text, self.values[name]
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
            text = (
                "True" if kind == "bool" else self.choose("1", "3") if kind in STORED else f"xt.cast({self.number()}, xt.{kind})"
            )
            mask = self.choose("", f", {self.value(shape, 1)} > {self.number()}")
            return self.line(f"xt.store_scatter({text}, xt.init_tile({view}, {offsets}){mask})")
        order = f"xt.arange({shape[1]})[None, :] + xt.arange({shape[0]})[:, None] * {shape[1]}"
        view, _ = self.parts.view(Held(held.name, Numbers(held.numbers.dtype, (rows, columns), each=held.numbers.each)))
        view = f"{held.name}[{', '.join(['p', *(self.parts.inside(n) for n in held.numbers.shape[:-2])])}]"
        place = self.let(f"(({order}) * {by} + {self.number()}) % {count}")
        mask = self.choose("", f", {place} % 3 != 1", f", {self.value(shape, 1)} > {self.number()}")
        offsets = f"{place} // {columns} * {view}.stride(0) + {place} % {columns}"
        return self.line(f"xt.store_scatter({text}, xt.init_tile({view}, {offsets}){mask})")

    def scatter_rows(self) -> list[str]:
        """Whole rows, all of them different."""
        held = self.random.choice(self.own)
        text, shape = self.stored_as(held)
        count, by = held.numbers.shape[-2], self.random.choice((1, 1, 3, 5))
        if shape[0] > count or gcd(by, count) > 1:
            return self.scatter()
        rows = self.let(f"xt.arange({shape[0]}) * {by} + {self.number()}")
        alone = Held(held.name, Numbers(held.numbers.dtype, held.numbers.shape[-2:], each=held.numbers.each))
        _, place, inside = self.parts.rows(alone, rows, shape)
        view = f"{held.name}[{', '.join(['p', *(self.parts.inside(n) for n in held.numbers.shape[:-2])])}]"
        place, inside = (part.replace(f"{held.name}[p]", view) for part in (place, inside))
        return self.line(f"xt.store_scatter({text}, xt.init_tile({view}, {place}), xt.tile_broadcast({inside}, {shape}))")

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
        if self.random.random() < 0.3:
            size = shape[0] * shape[1]
            row = f"xt.init_tile({memory}, 0, ({size},))"
            return self.line(f"{memory} = xt.alloc_slm(({size},), xt.{kind})", f"xt.store_tile(xt.reshape({name}, (-1,)), {row})",
                             *wait, f"{name} = xt.reshape(xt.load_tile({row}), {shape})", "xt.barrier()")  # fmt: skip
        return self.line(f"{memory} = xt.alloc_slm({shape}, xt.{kind})", f"xt.store_tile({name}, xt.init_tile({memory}, (0, 0), {shape}))",
                         *wait, f"{name} = {self.choose(turned, rolled)}", "xt.barrier()")  # fmt: skip

    def element(self) -> list[str]:
        """One element, which later numbers may be."""
        held = self.random.choice(self.own)
        kind, place = held.numbers.dtype, self.inside(held)
        if kind == "bool" or kind in STORED:
            return self.line(f"{place} = {self.choose('0', '1')}")
        return self.line(f"{place} = xt.cast({self.number()}, xt.{kind})")

    def changed_in_place(self) -> list[str]:
        """`A[i:j] += x`, of integers."""
        held = self.random.choice(self.own)
        kind, shape = held.numbers.dtype, self.shape()
        if kind in ("bool", *FLOATS, *STORED):
            return self.store()
        view, size = self.parts.view(held)
        place = f"{view}[{self.parts.slice(size[0], shape[0])}, {self.parts.slice(size[1], shape[1], (1, 1, 2))}]"
        return self.line(f"{place} {self.choose('+=', '-=', '*=', '^=')} {self.whole(kind, shape, 1)}")

    def product(self) -> list[str]:
        """A loop over products of what it loads, which may store to where it loads from later."""
        (h, g), kind = (self.random.choice([*self.read, *self.own]) for _ in range(2)), self.choose("f16", "bf16", "f32")
        names = [name for name in self.values if self.kinds[name] == "f32"]
        if not names:
            return self.made()
        name, turn, depth = self.choose(*names), f"j{len(self.loops)}", self.random.choice((8, 16, 16, 32))
        (rows, columns), at = self.values[name], self.random.choice((0, 16))
        (left, _), (right, _) = self.parts.view(h), self.parts.view(g)
        a = f"xt.load_tile(xt.init_tile({left}, ({at}, {turn}), ({rows}, {depth}))).to(xt.f32)"
        b = f"xt.load_tile(xt.init_tile({right}, ({turn}, {at}), ({depth}, {columns}))).to(xt.f32)"
        head = self.line(f"for {turn} in range(0, {self.choose('48', f'{self.number()} % 4 * {depth}')}, {depth}):")
        body = [f"{name} += {self.small(a)}.to(xt.{kind}) @ {self.small(b)}.to(xt.{kind})"]
        if self.random.random() < 0.5:
            stored = self.random.choice([held for held in (h, g, *self.own) if held in self.own])
            place = f"({self.choose('0', turn, f'{turn} + {depth}')}, {self.choose('0', turn)})"
            text, shape = (self.small(name), (rows, columns)) if self.random.random() < 0.5 else (self._leaf((8, 16)), (8, 16))
            view, _ = self.parts.view(stored)
            body += self.line(f"xt.store_tile({self.to(text, stored.numbers.dtype)}, xt.init_tile({view}, {place}, {shape}))")
        return [*head, *indented(body), f"{name} = {self.small(name)}"]

    def on_both_sides(self) -> list[str]:
        """A loop that moves blocks between two arrays, at few places in branches and behind them."""
        shape, turn = self.random.choice(((8, 16), (8, 16), (16, 16), (8, 32), self.shape())), f"j{len(self.loops)}"
        held = [self.random.choice(self.own) for _ in range(2)]
        views = [self.parts.view(each)[0] for each in held]
        places = [
            f"({self.choose('0', '0', turn, self.number())}, {self.choose(turn, turn, f'32 - {turn}', '16')})" for _ in range(2)
        ]

        def tile(which: int) -> str:
            return f"xt.init_tile({views[which]}, {self.choose(*places)}, {shape})"

        body: list[str] = []
        within = ""
        for _ in range(self.random.randrange(2, 5)):
            source, target = self.random.randrange(2), self.random.randrange(2)
            text = self.choose(self._leaf(shape), *[self.small(f"xt.load_tile({tile(source)}).to(xt.f32)")] * 2)
            moved = [f"xt.store_tile({self.to(text, held[target].numbers.dtype)}, {tile(target)})"]
            within = self.random.choice(("", "if", "else" if within == "if" else "if"))
            if within == "if":
                body.append(f"if {self.choose(f'{turn} // 16', self.number())} % 2 == {self.number()}:")
            elif within:
                body.append("else:")
            body += indented(moved) if within else moved
        return [*self.line(f"for {turn} in range(0, {self.choose('48', f'{self.number()} % 4 * 16')}, 16):"), *indented(body)]

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
        change = f"{name} = {self.small(added) if kind == 'f32' else self.to(self.small(added), kind)}"
        stores = self.to(self.float(name), its)
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
            self.scatter_rows,
            self.scatter_rows,
            self.atomic,
            self.atomic,
            self.asserted,
            self.element,
            self.changed_in_place,
            self.product,
            self.product,
            self.on_both_sides,
            self.on_both_sides,
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
