"""Random lane-level modules for `tests.generators.xegpu`: a value is what a lane holds of a block, one message for each access."""

from __future__ import annotations

from functools import partial
from random import Random

from tests.generators.xegpu_program import EXACT, Program, Val

HEIGHTS = {1: (1,), 2: (2,), 4: (4,), 8: (8,)}
LANES = 16


class LaneProgram(Program):
    """Draws a kernel of lanes."""

    def __init__(self, random: Random, grid: int = 1) -> None:
        super().__init__(random, "lane", grid=grid)

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
        return self.random.choice(found) if self.random.random() < 0.6 else self.loaded(self.add(x.shape, x.element, None, 4))

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

    def lane(self) -> None:
        """Each lane moves an element of its own."""
        a, type = self.array((256,), "f32")
        r, whole = self.array((256 * self.grid,), "f32", "R")
        who, at, m, v, w, limit, to = (self.fresh(n) for n in ("w", "o", "m", "v", "w", "l", "p"))
        factor = self.constant(self.pick(1, 3, 7))
        self.emit(f"{who} = gpu.lane_id")
        self.emit(f"{at} = arith.muli {who}, {factor} : index")
        self.emit(f"{limit} = arith.constant {self.pick(16, 11)} : index")
        self.emit(f"{m} = arith.cmpi ult, {who}, {limit} : index")
        self.emit(f"{v} = xegpu.load {a}[{at}], {m} : {type}, index, i1 -> f32")
        self.emit(f"{w} = arith.addf {v}, {v} : f32")
        self.emit(f"{to} = arith.addi {at}, {self.own(256)} : index")
        self.emit(f"xegpu.store {w}, {r}[{to}], {m} : f32, {whole}, index, i1")

    def loop(self) -> Val:
        """Descriptors that move and change places, values that are added up."""
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
        self.lines += [
            f"{r}:4 = scf.for {i} = {low} to {high} step {step} iter_args({p}i = {p}, {q}i = {q}, {u} = {x.name}, {w} = {y.name})"
            f" -> ({types}) {{",
            f"{t} = xegpu.load_nd {p}i : {kind} -> {x.type}",
            f"{s} = arith.{'addf' if x.element.startswith('f') else 'addi'} {u}, {t} : {x.type}",
            f"{n} = xegpu.update_nd_offset {p}i, [{by}] : {kind}",
            f"scf.yield {f'{q}i, {n}' if first else f'{n}, {q}i'}, {w}, {s} : {types}",
            "}",
        ]
        z = self.loaded_from(f"{r}#{self.pick(0, 1)}", kind, x)
        self.keep(Val(f"{r}#2", x.shape, x.element, None, max(x.most, y.most) + 4 * turns))
        self.keep(Val(f"{r}#3", x.shape, x.element, None, max(x.most, y.most) + 4 * turns))
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


STEPS = ("elementwise", "elementwise", "select", "cast", "branch", "loop", "loop", "chosen", "product", "one", "lane")
