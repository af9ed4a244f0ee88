"""Random lane-level modules for `tests.generators.xegpu`: a value is what a lane holds of a block, one message for each access.

Lanes go apart: in branches that each decides by its number or by what it holds, and in loops of as many turns as its number says. In
these no message is one of the whole subgroup.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random

from tests.generators.xegpu_program import EXACT, Program, Val

HEIGHTS = {1: (1,), 2: (2,), 4: (4,), 8: (8,)}
LANES = 16


def cdiv(a: int, b: int) -> int:
    return -(-a // b)


def grown(before: int, after: int, turns: int) -> int:
    """How large a number becomes that each turn makes as many times larger as the first one does."""
    return before * cdiv(after, before) ** turns


class LaneProgram(Program):
    """Draws a kernel of lanes."""

    def __init__(self, random: Random, grid: int = 1) -> None:
        super().__init__(random, "lane", grid=grid)
        self.apart = False  # whether what is drawn stands where some lanes are missing

    def block(self, value: Val) -> str:
        return f"!xegpu.tensor_desc<{value.shape[0]}x{LANES}x{value.element}>"

    def load(self, *_: object) -> Val:
        """One block, a column of it in each lane."""
        rows, element = self.pick(*HEIGHTS), self.pick("f32", "f16", "i32")
        return self.loaded(self.add((rows,), element, None, 4))

    def loaded(self, value: Val) -> Val:
        a, type = self.array((64, 64), value.element)
        d, kind = self.fresh("t"), self.block(value)
        early, late = ([self.constant(self.pick(0, 4, 16, 60)) for _ in range(2)] for _ in range(2))
        given = self.pick((True, False), (False, True), (True, True))
        first, second = (f"[{', '.join(o)}]" if g else "" for o, g in zip((early, late), given))
        self.emit(f"{d} = xegpu.create_nd_tdesc {a}{first} : {type} -> {kind}")
        if self.random.random() < 0.4:
            moved = self.fresh("t")
            self.emit(f"{moved} = xegpu.update_nd_offset {d}, [{', '.join(late)}] : {kind}")
            d = moved
        self.emit(f"{value.name} = xegpu.load_nd {d}{second} : {kind} -> {value.type}")
        return self.keep(value)

    def like(self, x: Val) -> Val:
        found = [v for v in self.values if v.type == x.type]
        return (
            self.random.choice(found)
            if self.apart or self.random.random() < 0.6
            else self.loaded(self.add(x.shape, x.element, None, 4))
        )

    def store(self, value: Val) -> None:
        r, type = self.array((8 * self.grid + 8, 64), value.element, "R")
        d, kind = self.fresh("t"), self.block(value)
        first, column = self.own(8), self.constant(self.pick(0, 16))
        self.emit(f"{d} = xegpu.create_nd_tdesc {r}[{first}, {column}] : {type} -> {kind}")
        self.emit(f"xegpu.store_nd {value.name}, {d} : {value.type}, {kind}")

    def product(self) -> Val:
        """One matrix instruction: A 8x16, B 16x16 packed."""
        a, b = self.loaded(self.add((8,), "f16", None, 4)), self.fresh("v")
        array, type = self.array((64, 64), "f16")
        d, kind = self.fresh("t"), "!xegpu.tensor_desc<16x16xf16>"
        self.emit(f"{d} = xegpu.create_nd_tdesc {array} : {type} -> {kind}")
        zero = self.constant(0)
        self.emit(f"{b} = xegpu.load_nd {d}[{zero}, {zero}] <{{packed}}> : {kind} -> vector<16xf16>")
        z, acc = self.add((8,), "f32", None, 16 * 16 + 4), self.loaded(self.add((8,), "f32", None, 4))
        types = f"{a.type}, vector<16xf16>, {acc.type} -> {z.type}"
        self.emit(f"{z.name} = xegpu.dpas {a.name}, {b}, {acc.name} : {types}")
        return self.keep(z)

    def one(self) -> Val:
        """One element of a lane's into another place."""
        x = self.any()
        s, z = self.fresh("e"), self.add(x.shape, x.element, None, x.most)
        first, second = (self.random.randrange(x.shape[0]) for _ in range(2))
        self.emit(f"{s} = vector.extract {x.name}[{first}] : {x.element} from {x.type}")
        self.emit(f"{z.name} = vector.insert {s}, {x.name}[{second}] : {x.element} into {x.type}")
        return self.keep(z)

    def reordered(self) -> Val:
        """A value's elements in another order, some several times, and at times what the value differs from that by."""
        x = self.any()
        count = x.shape[0]
        rows = list(range(count))
        mask = self.pick(rows[::-1], rows[1:] + rows[:1], rows[count // 2 :] * 2, [self.random.choice(rows) for _ in rows])[
            :count
        ]
        y, z = self.add(x.shape, x.element, None, x.most), self.add(x.shape, x.element, None, 2 * x.most)
        self.emit(f"{y.name} = vector.shuffle {x.name}, {x.name} {mask} : {x.type}, {x.type}")
        self.keep(y)
        if z.most > EXACT[x.element] or self.random.random() < 0.3:
            return y
        kind = "subf" if x.element.startswith("f") else "subi"
        self.emit(f"{z.name} = arith.{kind} {x.name}, {y.name} : {x.type}")
        return self.keep(z)

    def place(self) -> tuple[str, str]:
        """A place of a lane's own in an array of 256, and which lanes go there."""
        who, at, m, limit = (self.fresh(n) for n in ("w", "o", "m", "l"))
        factor = self.constant(self.pick(1, 3, 7))
        self.emit(f"{who} = gpu.lane_id")
        self.emit(f"{at} = arith.muli {who}, {factor} : index")
        self.emit(f"{limit} = arith.constant {self.pick(16, 11)} : index")
        self.emit(f"{m} = arith.cmpi ult, {who}, {limit} : index")
        return at, m

    def read(self, element: str) -> tuple[str, str, str]:
        """An element of a lane's own, with its place and mask."""
        (a, type), (at, m), v = self.array((256,), element), self.place(), self.fresh("v")
        self.emit(f"{v} = xegpu.load {a}[{at}], {m} : {type}, index, i1 -> {element}")
        return v, at, m

    def lane(self) -> None:
        """Each lane moves an element of its own."""
        v, at, m = self.read("f32")
        r, whole = self.array((256 * self.grid,), "f32", "R")
        w, to = self.fresh("w"), self.fresh("p")
        self.emit(f"{w} = arith.addf {v}, {v} : f32")
        self.emit(f"{to} = arith.addi {at}, {self.own(256)} : index")
        self.emit(f"xegpu.store {w}, {r}[{to}], {m} : f32, {whole}, index, i1")

    # Lanes apart.

    def condition(self, x: Val) -> str:
        """What each lane decides by its number, or by an element that it holds of x."""
        c = self.fresh("c")
        if self.random.random() < 0.5:
            who, limit = self.fresh("w"), self.constant(self.pick(0, 1, 5, 8, 15, 16))
            self.emit(f"{who} = gpu.lane_id")
            self.emit(f"{c} = arith.cmpi {self.pick('ult', 'eq', 'ne')}, {who}, {limit} : index")
            return c
        y = self.like(x)
        first, second = self.fresh("e"), self.fresh("e")
        for name, value in ((first, x), (second, y)):
            self.emit(f"{name} = vector.extract {value.name}[{self.random.randrange(x.shape[0])}] : {x.element} from {x.type}")
        compare = "arith.cmpf olt" if x.element.startswith("f") else "arith.cmpi slt"
        self.emit(f"{c} = {compare}, {first}, {second} : {x.element}")
        return c

    def mixed(self, x: Val, depth: int) -> Val:
        """A value of x's type that some lanes make: of what they hold, of memory, in branches and loops of theirs."""
        for _ in range(self.pick(0, 1, 1, 2)):
            kind = self.pick("sum", "read", "one", "store", *(["branch", "turns"] if depth else []))
            if kind == "sum":
                x = self.combined(x, 1)
            elif kind == "read":
                v, _, _ = self.read(x.element)
                z = self.add(x.shape, x.element, None, max(x.most, 4))
                self.emit(
                    f"{z.name} = vector.insert {v}, {x.name}[{self.random.randrange(x.shape[0])}] : {x.element} into {x.type}"
                )
                x = self.keep(z)
            elif kind == "one":
                self.one()
            elif kind == "store":
                self.lane()
            else:
                x = (self.split if kind == "branch" else self.turns)(x, depth - 1)
        return x

    def missing(self, make: Callable[[], Val]) -> tuple[list[str], Val]:
        """`inside` of a region that some lanes do not enter."""
        before, self.apart = self.apart, True
        made = self.inside(make)
        self.apart = before
        return made

    def split(self, x: Val | None = None, depth: int = 1) -> Val:
        """A branch that lanes take apart."""
        x = x or self.any()
        condition = self.condition(x)
        ways = [self.missing(partial(self.mixed, x, depth)) for _ in range(2)]
        z = self.add(x.shape, x.element, None, max(v.most for _, v in ways))
        self.emit(f"{z.name} = scf.if {condition} -> ({z.type}) {{")
        self.lines += [*ways[0][0], f"scf.yield {ways[0][1].name} : {z.type}", "} else {"]
        self.lines += [*ways[1][0], f"scf.yield {ways[1][1].name} : {z.type}", "}"]
        return self.keep(z)

    def turns(self, x: Val | None = None, depth: int = 1) -> Val:
        """A loop of as many turns as a lane's number says, which carries two values that change places."""
        x = x or self.any()
        y = self.like(x)
        r, i, u, w, who = (self.fresh(c) for c in "riuwn")
        first, by = self.pick(0, 1, 6), self.pick(1, 2, 5)
        low, step = self.constant(first), self.constant(by)
        self.emit(f"{who} = gpu.lane_id")
        start = max(x.most, y.most)

        def body() -> Val:
            carried = [self.keep(Val(name, x.shape, x.element, None, start)) for name in (u, w)]
            return self.mixed(carried[0], depth)

        lines, made = self.missing(body)
        most = grown(start, made.most, cdiv(LANES - 1 - first, by))
        if most > EXACT[x.element]:
            return x
        types = f"{x.type}, {x.type}"
        self.emit(f"{r}:2 = scf.for {i} = {low} to {who} step {step} iter_args({u} = {x.name}, {w} = {y.name}) -> ({types}) {{")
        self.lines += [*lines, f"scf.yield {w}, {made.name} : {types}", "}"]
        for n in range(2):
            z = self.keep(Val(f"{r}#{n}", x.shape, x.element, None, most))
        return z

    def loop(self) -> Val:
        """Descriptors that move and change places, values that are added up; at times lanes go apart in it."""
        x = self.any()
        turns = self.pick(1, 2, 4)
        if x.most + 4 * turns > EXACT[x.element]:
            return x
        a, type = self.array((64, 64), x.element)
        kind, y = self.block(x), self.like(x)
        p, q, r, s, t, u, w, n, i = (self.fresh(c) for c in "pqrstuwni")
        for name in (p, q):
            at = ", ".join(self.constant(k) for k in (self.pick(0, 8), self.pick(0, 16)))
            self.emit(f"{name} = xegpu.create_nd_tdesc {a}[{at}] : {type} -> {kind}")
        low, high, step = (self.constant(k) for k in (0, turns, 1))
        by = ", ".join(self.constant(self.pick(0, 8, 16)) for _ in range(2))
        types = f"{kind}, {kind}, {x.type}, {x.type}"
        first = self.random.random() < 0.5
        summed = Val(s, x.shape, x.element, None, max(x.most, y.most) + 4 * turns)
        lines, made = self.inside(partial(self.split, summed)) if self.random.random() < 0.4 else ([], summed)
        most = grown(summed.most, made.most, turns)
        if most > EXACT[x.element]:
            lines, made, most = [], summed, summed.most
        self.lines += [
            f"{r}:4 = scf.for {i} = {low} to {high} step {step} iter_args({p}i = {p}, {q}i = {q}, {u} = {x.name}, {w} = {y.name})"
            f" -> ({types}) {{",
            f"{t} = xegpu.load_nd {p}i : {kind} -> {x.type}",
            f"{s} = arith.{'addf' if x.element.startswith('f') else 'addi'} {u}, {t} : {x.type}",
            *lines,
            f"{n} = xegpu.update_nd_offset {p}i, [{by}] : {kind}",
            f"scf.yield {f'{q}i, {n}' if first else f'{n}, {q}i'}, {w}, {made.name} : {types}",
            "}",
        ]
        z = self.loaded_from(f"{r}#{self.pick(0, 1)}", kind, x)
        for k in (2, 3):
            self.keep(Val(f"{r}#{k}", x.shape, x.element, None, most))
        return z

    def loaded_from(self, desc: str, kind: str, x: Val) -> Val:
        z = self.add(x.shape, x.element, None, 4)
        self.emit(f"{z.name} = xegpu.load_nd {desc} : {kind} -> {z.type}")
        return self.keep(z)

    def chosen(self) -> Val:
        """One of two places of an array."""
        x = self.any()
        a, type = self.array((64, 64), x.element)
        kind, condition, who, d = self.block(x), self.fresh("b"), self.fresh("x"), self.fresh("d")
        zero = self.constant(0)
        self.emit(f"{who} = gpu.block_id x")
        self.emit(f"{condition} = arith.cmpi eq, {who}, {zero} : index")

        def made(at: tuple[int, int]) -> Val:
            places = ", ".join(self.constant(k) for k in at)
            name = self.fresh("t")
            self.emit(f"{name} = xegpu.create_nd_tdesc {a}[{places}] : {type} -> {kind}")
            return Val(name, (), "", None, 0)

        ways = [self.inside(partial(made, at)) for at in ((0, 16), (8, 0))]
        self.lines += [
            f"{d} = scf.if {condition} -> ({kind}) {{",
            *ways[0][0],
            f"scf.yield {ways[0][1].name} : {kind}",
            "} else {",
        ]
        self.lines += [*ways[1][0], f"scf.yield {ways[1][1].name} : {kind}", "}"]
        return self.loaded_from(d, kind, x)


STEPS = ("elementwise", "elementwise", "select", "cast", "branch", "loop", "loop", "chosen", "product", "one", "lane", "reordered",
         "split", "split", "turns")  # fmt: skip
