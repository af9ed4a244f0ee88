"""Values of three dimensions, and slices that begin anywhere, for `tests.generators.xegpu`."""

from __future__ import annotations

from itertools import permutations, product
from math import prod

from tests.generators.xegpu_program import EXACT, Program, Shape, Val, by
from xetile.layout import Layout

DIMS = (0, 1, 2)


class RankProgram(Program):
    """Draws a kernel of workgroups or of subgroups."""

    def grids(self, shape: Shape) -> list[Shape]:
        """How all subgroups share three dimensions."""
        found = product(*(range(1, self.subgroups + 1) for _ in shape))
        return [g for g in found if prod(g) == self.subgroups and all(n % k == 0 for n, k in zip(shape, g))]

    def deep(self, shape: Shape) -> Layout | None:
        """A layout of three dimensions, round robin at times."""
        if self.level != "workgroup":
            return None
        grid = self.pick(*self.grids(shape))
        data = tuple(n // k // (2 if n // k % 2 == 0 and self.random.random() < 0.3 else 1) for n, k in zip(shape, grid))
        return Layout(grid, data, order=self.pick((), *permutations(DIMS)))

    def cube(self) -> Val:
        """A matrix as planes, worked on, and back."""
        x = self.any(lambda v: len(v.shape) == 2 and v.shape[0] % 2 == 0 and not hasattr(v.layout, "dims"))
        planes = self.pick(*(n for n in (2, 4) if x.shape[0] % n == 0)) if x.shape[0] % 2 == 0 else 1
        shape = (planes, x.shape[0] // planes, x.shape[1])
        if self.level == "workgroup" and not self.grids(shape):
            return x
        z = self.shaped(x, shape, self.deep(shape))
        for _ in range(self.pick(1, 2, 2, 3)):
            z = self.pick(self.turned, self.moved, self.sums, self.doubled)(z)
        flat = (z.shape[0] * z.shape[1], z.shape[2])
        return self.keep(self.shaped(z, flat, self.layout(flat))) if self.counts(flat) else x

    def shaped(self, x: Val, shape: Shape, layout: Layout | None) -> Val:
        z = self.add(shape, x.element, layout, x.most)
        self.emit(f"{z.name} = vector.shape_cast {x.name}{self.said(layout)} : {x.type} to {z.type}")
        return z

    def doubled(self, x: Val) -> Val:
        if 2 * x.most > EXACT[x.element]:
            return x
        z = self.add(x.shape, x.element, x.layout, 2 * x.most)
        self.emit(f"{z.name} = arith.add{'f' if x.element[0] == 'f' else 'i'} {x.name}, {x.name}{self.said(x.layout)} : {x.type}")
        return z

    def moved(self, x: Val) -> Val:
        if x.layout is None:
            return x
        z = self.add(x.shape, x.element, self.deep(x.shape), x.most)
        self.emit(
            f"{z.name} = xegpu.convert_layout {x.name} <{{input_layout = {x.layout}, target_layout = {z.layout}}}> : {x.type}"
        )
        return z

    def turned(self, x: Val) -> Val:
        """Transposed, to the layout that needs no exchange or to another one."""
        order = self.pick(*permutations(DIMS))
        shape = tuple(x.shape[d] for d in order)
        if self.level == "workgroup" and not self.grids(shape):
            return x
        z = self.add(shape, x.element, self.deep(shape), x.most)
        self.emit(f"{z.name} = vector.transpose {x.name}, {list(order)}{self.said(z.layout)} : {x.type} to {z.type}")
        return z

    def sums(self, x: Val) -> Val:
        """Over one or two dimensions, and back by a broadcast."""
        dims = self.pick((0,), (1,), (2,), (0, 1), (0, 2), (1, 2))
        kept = [d for d in DIMS if d not in dims]
        most = x.most * prod(x.shape[d] for d in dims) + 4
        if most > EXACT[x.element]:
            return x
        line = x.layout.slice(dims) if isinstance(x.layout, Layout) else None
        start = self.add(tuple(x.shape[d] for d in kept), x.element, line, 4, start="z")
        said, number = self.said(line).strip(), "3.0" if x.element[0] == "f" else "3"
        self.emit(f"{start.name} = arith.constant {said} dense<{number}> : {start.type}")
        s = self.add(start.shape, x.element, line, most)
        text = f"vector.multi_reduction <add>, {x.name}, {start.name}{self.said(line)} {list(dims)} : {x.type} to {s.type}"
        self.emit(f"{s.name} = {text}")
        if dims not in ((0,), (0, 1)):
            ones = tuple(1 if d in dims else n for d, n in enumerate(x.shape))
            s = self.shaped(s, ones, x.layout.unsplit(dims) if isinstance(x.layout, Layout) else None)
        z = self.add(x.shape, x.element, x.layout, most)
        self.emit(f"{z.name} = vector.broadcast {s.name}{self.said(x.layout)} : {s.type} to {z.type}")
        return z

    def cut(self) -> Val:
        """A part of a subgroup's value at another place of it."""
        x = self.any(lambda v: len(v.shape) == 2)
        if self.level == "workgroup":
            return x
        size = [self.random.randint(1, n) for n in x.shape]
        first, last = ([self.random.randint(0, n - m) for n, m in zip(x.shape, size)] for _ in range(2))
        part = f"vector<{by(tuple(size))}x{x.element}>"
        p, z = self.fresh("p"), self.add(x.shape, x.element, None, x.most)
        self.emit(
            f"{p} = vector.extract_strided_slice {x.name} {{offsets = {first}, sizes = {size}, strides = [1, 1]}} : {x.type} to {part}"
        )
        self.emit(
            f"{z.name} = vector.insert_strided_slice {p}, {x.name} {{offsets = {last}, strides = [1, 1]}} : {part} into {x.type}"
        )
        return self.keep(z)
