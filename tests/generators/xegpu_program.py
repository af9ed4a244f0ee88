"""Random XeGPU modules as text: `Program` draws a kernel of workgroups or of subgroups op by op."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from math import prod
from random import Random
from typing import Any

from xetile.layout import Layout, Slice

Shape = tuple[int, ...]
AnyLayout = Layout | Slice
EXACT = {"f32": 1 << 22, "f16": 1 << 10, "i32": 1 << 30}
"""Whole numbers up to this are exact."""
ELEMENTS = 1024
"""A subgroup's part of a value, at most: half of the registers of a thread, where an element takes four bytes."""


def by(shape: Shape) -> str:
    return "x".join(map(str, shape))


@dataclass
class Val:
    """A vector: its name, type, layout, and the largest number that it may hold."""

    name: str
    shape: Shape
    element: str
    layout: AnyLayout | None
    most: int

    @property
    def type(self) -> str:
        return f"vector<{by(self.shape)}x{self.element}>"


def held_once(value: Val) -> bool:
    """Whether each element is one subgroup's: those who share one must not make two of it."""
    layout = value.layout
    return isinstance(layout, Layout) and all(k * n <= size for k, n, size in zip(layout.sg_layout, layout.sg_data, value.shape))


@dataclass
class Program:
    """Draws a kernel op by op."""

    random: Random
    level: str
    subgroups: int = 1
    grid: int = 1
    elements: int = ELEMENTS
    lines: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    values: list[Val] = field(default_factory=list)
    count: int = 0

    def __post_init__(self) -> None:
        if self.grid > 1:
            self.emit("%block = gpu.block_id x")

    def fresh(self, start: str = "v") -> str:
        self.count += 1
        return f"%{start}{self.count}"

    def emit(self, line: str) -> None:
        self.lines.append(line)

    def pick(self, *items: Any) -> Any:
        return self.random.choice(items)

    def constant(self, number: int) -> str:
        name = self.fresh("c")
        self.emit(f"{name} = arith.constant {number} : index")
        return name

    def own(self, rows: int) -> str:
        """Where a workgroup's own rows of an array begin."""
        if self.grid == 1:
            return self.constant(0)
        many, first = self.constant(rows), self.fresh("b")
        self.emit(f"{first} = arith.muli %block, {many} : index")
        return first

    # Layouts.

    def counts(self, shape: Shape) -> list[Shape]:
        """Grids of all subgroups that divide a shape."""
        counts: list[Shape] = [(self.subgroups,)]
        if len(shape) > 1:
            counts = [(a, self.subgroups // a) for a in range(1, self.subgroups + 1) if self.subgroups % a == 0]
        return [c for c in counts if all(n % k == 0 for n, k in zip(shape, c))]

    def layout(self, shape: Shape) -> Layout | None:
        """One that distributes a shape: at workgroup level over subgroups, round robin or shared at times."""
        if self.level != "workgroup":
            return None
        lay = self.random.choice(self.counts(shape))
        data: list[int] = []
        way = self.pick("even", "round robin", "shared")  # MLIR has no layout that is both of the latter
        room = self.elements // (prod(shape) // self.subgroups)  # how often a part may be held
        for extent, k in zip(shape, lay):
            choices = [extent // k]
            if way == "round robin" and extent // k % 2 == 0 and extent // k >= 16:
                choices.append(extent // k // 2)
            if way == "shared" and extent <= 32 and k <= room:
                choices.append(extent)
            data.append(self.random.choice(choices))
            room //= k if data[-1] == extent else 1
        order: Shape = self.random.choice([(), (), (0, 1)]) if len(shape) == 2 else ()
        inst: Shape = ()
        if len(shape) == 2 and self.random.random() < 0.2 and data[0] % 8 == 0 and data[1] % 16 == 0:
            inst = (8, 16)
        lanes = {"lane_layout": (1, 16), "lane_data": (1, 1)} if inst and self.random.random() < 0.5 else {}
        return Layout(lay, tuple(data), inst, order=order, **lanes)

    def said(self, layout: AnyLayout | None, *others: str, number: int = 0) -> str:
        """An op's attributes."""
        parts = [f"layout_result_{number} = {layout}"] if layout is not None else []
        return f" {{{', '.join([*parts, *others])}}}" if parts or others else ""

    def add(self, shape: Shape, element: str, layout: AnyLayout | None, most: int, *, start: str = "v") -> Val:
        """A new value; the caller emits its op."""
        return Val(self.fresh(start), shape, element, layout, most)

    def keep(self, value: Val) -> Val:
        self.values.append(value)
        return value

    # Memory.

    def array(self, shape: Shape, element: str, name: str = "A") -> tuple[str, str]:
        type = f"memref<{by(shape)}x{element}>"
        self.count += 1
        argument = f"%{name}{self.count}"
        self.arguments.append(f"{argument}: {type}")
        return argument, type

    def desc(self, shape: Shape, element: str, layout: AnyLayout | None) -> str:
        return f"!xegpu.tensor_desc<{by(shape)}x{element}{f', {layout}' if layout is not None else ''}>"

    def shape(self) -> Shape:
        """One that subgroups can share, and no larger than may be."""
        while True:
            first = self.pick(self.subgroups * 8, self.subgroups * 16, 32, 64, 16)
            shape: Shape = self.pick((first, self.pick(32, 64, 128)), (first, self.pick(16, 64)), (64, 64), (128, 32))
            if self.level != "workgroup":
                rows = self.pick(1, 2, 4, 8, 12, 13, 16, 24, 32, 48, 64)
                shape = self.pick((rows, self.pick(16, 16, 32, 32, 64)), (8, 16), (64, 32))
            if self.counts(shape) and prod(shape) <= self.elements * self.subgroups:
                return shape

    def load(self, shape: Shape | None = None, element: str = "", layout: AnyLayout | None = None) -> Val:
        shape, element = shape or self.shape(), element or self.pick("f32", "f32", "f16", "i32")
        layout = layout or self.layout(shape)
        memory = tuple(n + self.pick(0, 0, 16, 32) for n in shape)
        a, type = self.array(memory, element)
        d, kind = self.fresh("t"), self.desc(shape, element, layout)
        offsets = [self.constant(self.pick(0, 0, 0, 8, 16)) for _ in shape]
        if self.random.random() < 0.3:
            offsets[0] = self.own(self.pick(1, 8))
        early = self.random.random() < 0.3
        where = f"[{', '.join(offsets)}]"
        self.emit(f"{d} = xegpu.create_nd_tdesc {a}{where if early else ''} : {type} -> {kind}")
        value = self.add(shape, element, layout, 4)
        said = f" <{{layout = {layout}}}>" if layout is not None and self.random.random() < 0.5 else ""
        self.emit(f"{value.name} = xegpu.load_nd {d}{'' if early else where}{said} : {kind} -> {value.type}")
        return self.keep(value)

    def store(self, value: Val) -> None:
        r, type = self.array((value.shape[0] * self.grid, *value.shape[1:]), value.element, "R")
        layout = value.layout if isinstance(value.layout, Layout) and self.random.random() < 0.7 else self.layout(value.shape)
        d, kind = self.fresh("t"), self.desc(value.shape, value.element, layout)
        where = f"[{', '.join([self.own(value.shape[0]), *['0'] * (len(value.shape) - 1)])}]"
        early = self.random.random() < 0.3
        self.emit(f"{d} = xegpu.create_nd_tdesc {r}{where if early else ''} : {type} -> {kind}")
        self.emit(f"xegpu.store_nd {value.name}, {d}{'' if early else where} : {value.type}, {kind}")

    # Ops on values.

    def any(self, test: Callable[[Val], bool] = lambda v: True) -> Val:
        found = [v for v in self.values if test(v)]
        return self.random.choice(found) if found else self.load()

    def like(self, x: Val) -> Val:
        """A value of the same type, in the same layout or another one."""
        found = [v for v in self.values if v.type == x.type]
        if found and self.random.random() < 0.7:
            return self.random.choice(found)
        layout = x.layout if isinstance(x.layout, Layout) and self.random.random() < 0.5 else None
        return self.load(x.shape, x.element, layout) if len(x.shape) == 2 else x

    def elementwise(self) -> Val:
        x = self.any()
        y = self.like(x)
        kind = "f" if x.element.startswith("f") else "i"
        name = self.pick(f"add{kind}", f"sub{kind}", "maximumf" if kind == "f" else "maxsi", f"mul{kind}")
        most = x.most * y.most if name.startswith("mul") else x.most + y.most
        if most > EXACT[x.element]:
            return x
        z = self.add(x.shape, x.element, x.layout, most)
        self.emit(f"{z.name} = arith.{name} {x.name}, {y.name}{self.said(x.layout)} : {x.type}")
        return self.keep(z)

    def select(self) -> Val:
        x = self.any()
        y = self.like(x)
        c = self.add(x.shape, "i1", x.layout, 1)
        compare = "arith.cmpf olt" if x.element.startswith("f") else "arith.cmpi slt"
        self.emit(f"{c.name} = {compare}, {x.name}, {y.name}{self.said(x.layout)} : {x.type}")
        z = self.add(x.shape, x.element, x.layout, max(x.most, y.most))
        self.emit(f"{z.name} = arith.select {c.name}, {x.name}, {y.name}{self.said(x.layout)} : {c.type}, {x.type}")
        return self.keep(z)

    def cast(self) -> Val:
        x = self.any()
        to = self.pick(*({"f16": ["f32"], "f32": ["f16", "i32"], "i32": ["f32"]}[x.element]))
        if x.most > EXACT[to] or x.most > EXACT["f32"]:
            return x
        op = {("f16", "f32"): "extf", ("f32", "f16"): "truncf", ("f32", "i32"): "fptosi", ("i32", "f32"): "sitofp"}[x.element, to]
        z = self.add(x.shape, to, x.layout, x.most)
        self.emit(f"{z.name} = arith.{op} {x.name}{self.said(x.layout)} : {x.type} to {z.type}")
        return self.keep(z)

    def transpose(self) -> Val:
        x = self.any(lambda v: len(v.shape) == 2)
        layout = x.layout.transpose((1, 0)) if isinstance(x.layout, Layout) else None
        z = self.add(x.shape[::-1], x.element, layout, x.most)
        self.emit(f"{z.name} = vector.transpose {x.name}, [1, 0]{self.said(layout)} : {x.type} to {z.type}")
        return self.keep(z)

    def reduce(self) -> Val:
        """Along a dimension, and back by a broadcast."""
        x = self.any(lambda v: len(v.shape) == 2 and (v.layout is None or isinstance(v.layout, Layout)))
        dim = self.pick(0, 1)
        floats = x.element.startswith("f")
        name = self.pick("add", "maximumf" if floats else "maxsi", "minimumf" if floats else "minsi")
        most = x.most * x.shape[dim] if name == "add" else x.most
        if most + 4 > EXACT[x.element]:
            return x
        line = None if x.layout is None else x.layout.slice((dim,))
        start = self.add((x.shape[1 - dim],), x.element, line, 4, start="z")
        said = self.said(line).strip()
        number = self.pick(0, 3)
        self.emit(f"{start.name} = arith.constant {said} dense<{f'{number}.0' if floats else number}> : {start.type}")
        s = self.add(start.shape, x.element, line, most + 4)
        text = f"vector.multi_reduction <{name}>, {x.name}, {start.name}{self.said(line)} [{dim}] : {x.type} to {s.type}"
        self.emit(f"{s.name} = {text}")
        if dim == 0:
            z = self.add(x.shape, x.element, x.layout, s.most)
            self.emit(f"{z.name} = vector.broadcast {s.name}{self.said(x.layout)} : {s.type} to {z.type}")
            return self.keep(z)
        ones = None if x.layout is None else x.layout.unsplit((1,))
        column = self.add((x.shape[0], 1), x.element, ones, s.most)
        self.emit(f"{column.name} = vector.shape_cast {s.name}{self.said(ones)} : {s.type} to {column.type}")
        z = self.add(x.shape, x.element, x.layout, s.most)
        self.emit(f"{z.name} = vector.broadcast {column.name}{self.said(x.layout)} : {column.type} to {z.type}")
        return self.keep(z)

    def convert(self) -> Val:
        x = self.any(lambda v: isinstance(v.layout, Layout))
        layout = self.layout(x.shape)
        if layout is None or x.layout is None:
            return x
        z = self.add(x.shape, x.element, layout, x.most)
        both = f"input_layout = {x.layout}, target_layout = {layout}"
        self.emit(f"{z.name} = xegpu.convert_layout {x.name} <{{{both}}}> : {x.type}")
        return self.keep(z)

    def dpas(self) -> Val:
        m, n, k = self.pick(8, 16, 32, 64), self.pick(16, 32, 64), self.pick(16, 32, 64)
        if self.level == "workgroup":
            m, n = m * self.pick(1, 2), max(n, 32)
            rows = self.pick(*[a for a in (1, 2, 4, 8) if self.subgroups % a == 0 and m % (8 * a) == 0] or [1])
            columns = self.subgroups // rows
            if n % (16 * columns):
                n = 16 * columns * self.pick(1, 2)
            if max(m // rows * k, k * n // columns, m // rows * n // columns) > self.elements:
                m, n, k = 8 * rows, 16 * columns, 16
            lay = (rows, columns)
            a, b = Layout(lay, (m // rows, k)), Layout(lay, (k, n // columns))
            c: Layout | None = Layout(lay, (m // rows, n // columns))
            x, y = self.load((m, k), "f16", a), self.load((k, n), "f16", b)
        else:
            if max(m * k, k * n, m * n) > self.elements:
                m, n, k = 8, 16, 16
            c, x, y = None, self.load((m, k), "f16"), self.load((k, n), "f16")
        acc = self.load((m, n), "f32", c) if self.random.random() < 0.6 else None
        z = self.add((m, n), "f32", c, 16 * k + 4)
        layouts = f" {{layout_a = {x.layout}, layout_b = {y.layout}, layout_cd = {c}}}" if c is not None else ""
        given, types = (f", {acc.name}", f", {acc.type}") if acc else ("", "")
        self.emit(f"{z.name} = xegpu.dpas {x.name}, {y.name}{given}{layouts} : {x.type}, {y.type}{types} -> {z.type}")
        return self.keep(z)

    # Control flow.

    def inside(self, make: Callable[[], Val]) -> tuple[list[str], Val]:
        """The lines of a region and what it gives; its values are not seen outside."""
        lines, values = self.lines, list(self.values)
        self.lines = []
        given = make()
        body, self.lines, self.values = self.lines, lines, values
        return body, given

    def branch(self) -> Val:
        """One that a whole workgroup takes, or each subgroup for itself: then of values that it has without the others."""
        x = self.any()
        condition = self.fresh("b")
        apart = held_once(x) and self.random.random() < 0.4
        number, who = self.constant(self.pick(0, 1, self.subgroups - 1) if apart else 0), self.fresh("x")
        self.emit(f"{who} = gpu.subgroup_id : index" if apart else f"{who} = gpu.block_id x")
        self.emit(f"{condition} = arith.cmpi {self.pick('eq', 'ne')}, {who}, {number} : index")
        ways = [self.inside(partial(self.combined, x, steps, apart)) for steps in self.pick((0, 1), (1, 0), (1, 1))]
        z = self.add(x.shape, x.element, x.layout, max(v.most for _, v in ways))
        self.emit(f"{z.name} = scf.if {condition} -> ({z.type}) {{")
        self.lines += [*ways[0][0], f"scf.yield {ways[0][1].name} : {z.type}", "} else {"]
        self.lines += [*ways[1][0], f"scf.yield {ways[1][1].name} : {z.type}", f"}}{self.said(x.layout)}"]
        return self.keep(z)

    def combined(self, x: Val, steps: int, alike: bool = False) -> Val:
        """A value of x's type made from it; `alike`: and from values of its layout that are there."""
        for _ in range(steps):
            y = self.pick(*(v for v in self.values if (v.type, v.layout) == (x.type, x.layout))) if alike else self.like(x)
            if x.most + y.most > EXACT[x.element]:
                return x
            z = self.add(x.shape, x.element, x.layout, x.most + y.most)
            name = "addf" if x.element.startswith("f") else "addi"
            self.emit(f"{z.name} = arith.{name} {x.name}, {y.name}{self.said(x.layout)} : {x.type}")
            x = z
        return x

    def loop(self) -> Val:
        """Values that are added up and change places, and a descriptor that moves."""
        x = self.any(lambda v: len(v.shape) == 2)
        turns = self.pick(1, 2, 3)
        if x.most * 2 + 4 * (turns + 1) > EXACT[x.element] // 2:
            return x
        layout = x.layout if isinstance(x.layout, Layout) else None
        y = self.like(x)
        memory = (x.shape[0] + 24, x.shape[1] + 24)
        a, type = self.array(memory, x.element)
        kind = self.desc(x.shape, x.element, layout)
        two = self.random.random() < 0.5
        starts = [self.fresh("t") for _ in range(2)]
        for start in starts:
            self.emit(
                f"{start} = xegpu.create_nd_tdesc {a}[{self.constant(self.pick(0, 8))}, {self.constant(0)}] : {type} -> {kind}"
            )
        low, high, step = self.constant(0), self.constant(turns), self.constant(1)
        by_rows, by_columns = self.constant(self.pick(0, 1, 8)), self.constant(self.pick(0, 8, 4, 1))
        names = {n: self.fresh(n) for n in ("r", "p", "q", "u", "w", "l", "s", "n")}
        said = "" if layout is None else f" {{layout_result_2 = {layout}, layout_result_3 = {layout}}}"
        init = f"{names['p']} = {starts[0]}, {names['q']} = {starts[1]}, {names['u']} = {x.name}, {names['w']} = {y.name}"
        self.lines += [
            f"{names['r']}:4 = scf.for {self.fresh('k')} = {low} to {high} step {step} iter_args({init})"
            f" -> ({kind}, {kind}, {x.type}, {x.type}) {{",
            f"{names['l']} = xegpu.load_nd {names['p']} : {kind} -> {x.type}",
            f"{names['s']} = arith.{'addf' if x.element.startswith('f') else 'addi'} {names['u']}, {names['l']}{self.said(layout)}"
            f" : {x.type}",
            f"{names['n']} = xegpu.update_nd_offset {names['p']}, [{by_rows}, {by_columns}] : {kind}",
            f"scf.yield {names['q'] if two else names['n']}, {names['n'] if two else names['q']}, {names['w']}, {names['s']}"
            f" : {kind}, {kind}, {x.type}, {x.type}",
            f"}}{said}",
        ]
        most = max(x.most, y.most) + 4 * turns
        self.keep(Val(f"{names['r']}#2", x.shape, x.element, layout, most))
        return self.keep(Val(f"{names['r']}#3", x.shape, x.element, layout, most))

    # Other memory.

    def matrix(self) -> Val:
        """Through shared local memory: stored in one layout, loaded in another."""
        x = self.any(lambda v: len(v.shape) == 2 and v.element != "i1")
        if isinstance(x.layout, Slice):
            return x
        size = x.shape[0] * x.shape[1] * {"f16": 2}.get(x.element, 4)
        if size > 32768 or self.count > 150:
            return x
        memory, desc = self.fresh("s"), self.fresh("m")
        kind = f"!xegpu.mem_desc<{by(x.shape)}x{x.element}>"
        self.emit(f"{memory} = memref.alloca() : memref<{size}xi8, 3>")
        self.emit(f"{desc} = xegpu.create_mem_desc {memory} : memref<{size}xi8, 3> -> {kind}")
        layout = self.layout(x.shape)
        z = self.add(x.shape, x.element, layout, x.most)
        first, second = ("" if v is None else f" <{{layout = {v}}}>" for v in (x.layout, layout))
        self.emit(f"xegpu.store_matrix {x.name}, {desc}[0, 0]{first} : {x.type}, {kind}")
        self.emit("gpu.barrier")
        self.emit(f"{z.name} = xegpu.load_matrix {desc}[0, 0]{second} : {kind} -> {z.type}")
        return self.keep(z)

    def scattered(self) -> None:
        """Twice the elements at some offsets, to the same places."""
        count = 16 * self.subgroups * self.pick(1, 2)
        layout = self.layout((count,))
        if layout is not None and count // layout.sg_data[0] % self.subgroups:
            layout = Layout((self.subgroups,), (count // self.subgroups,))
        factor, size, inside = self.pick(1, 2, 3), count * 4, self.pick(count, count - 5)
        a, type = self.array((size,), "f32")
        r, whole = self.array((size * self.grid,), "f32", "R")
        o, f, i, m, v, w, b, own = (self.fresh(n) for n in "ofimvwbo")
        lanes, mask, of = f"vector<{count}xindex>", f"vector<{count}xi1>", f"vector<{count}xf32>"
        said = self.said(layout)
        by_desc, first = self.random.random() < 0.5, self.own(size)
        self.emit(f"{i} = vector.step{said} : {lanes}")
        self.emit(f"{f} = arith.constant{said} dense<{factor}> : {lanes}")
        self.emit(f"{o} = arith.muli {i}, {f}{said} : {lanes}")
        self.emit(f"{b} = vector.broadcast {first}{said} : index to {lanes}")
        self.emit(f"{own} = arith.addi {o}, {b}{said} : {lanes}")
        self.emit(f"{m} = vector.constant_mask [{inside}]{said} : {mask}")
        if by_desc:
            extra = "" if layout is None else f", {layout}"
            kind = f"!xegpu.tensor_desc<{count}xf32, #xegpu.scatter_tdesc_attr<>{extra}>"
            ta, tr = self.fresh("t"), self.fresh("t")
            self.emit(f"{ta} = xegpu.create_tdesc {a}, {o} : {type}, {lanes} -> {kind}")
            self.emit(f"{tr} = xegpu.create_tdesc {r}, {own} : {whole}, {lanes} -> {kind}")
            self.emit(f"{v} = xegpu.load {ta}, {m} : {kind}, {mask} -> {of}")
        else:
            attr = "" if layout is None else f" <{{layout = {layout}}}>"
            self.emit(f"{v} = xegpu.load {a}[{o}], {m}{attr} : {type}, {lanes}, {mask} -> {of}")
        self.emit(f"{w} = arith.addf {v}, {v}{said} : {of}")
        if by_desc:
            self.emit(f"xegpu.store {w}, {tr}, {m} : {of}, {kind}, {mask}")
        else:
            self.emit(f"xegpu.store {w}, {r}[{own}], {m}{attr} : {of}, {whole}, {lanes}, {mask}")

    def text(self) -> str:
        body = "\n".join(f"    {line}" for line in self.lines)
        attributes = "" if self.level == "workgroup" else f' attributes {{xetile.level = "{self.level}"}}'
        head = f"gpu.func @k({', '.join(self.arguments)}) kernel{attributes}"
        return f"gpu.module @m {{\n  {head} {{\n{body}\n    gpu.return\n  }}\n}}\n"
