"""Loops and branches around other steps, for `tests.generators.xegpu`: products, reductions, layouts and shared memory inside of them."""

from __future__ import annotations

from functools import partial

from tests.generators.xegpu_program import EXACT, Val
from tests.generators.xegpu_ranks import RankProgram

INSIDE = ("elementwise", "select", "cast", "transpose", "reduce", "convert", "dpas", "branch", "loop", "matrix")


class NestedProgram(RankProgram):
    """Draws a kernel of workgroups or of subgroups whose loops and branches have others inside."""

    def nested(self, depth: int = 2) -> Val:
        """A loop or a branch of the whole workgroup around some steps, others of these among them."""
        x = self.any(lambda v: len(v.shape) == 2)
        most = max(x.most, EXACT[x.element] // 64)
        u, r = self.fresh("u"), self.fresh("r")

        def steps(first: Val) -> Val:
            before = len(self.values)
            self.keep(first)
            for _ in range(self.random.randint(1, 3)):
                name = self.pick(*INSIDE, *(["nested"] * 3 if depth > 1 else []))
                self.nested(depth - 1) if name == "nested" else getattr(self, name)()
            made = [v for v in self.values[before:] if (v.type, v.layout) == (x.type, x.layout) and v.most <= most]
            return made[-1] if made else first

        said = self.said(x.layout)
        if self.random.random() < 0.5:
            low, high, step = (self.constant(n) for n in (0, self.pick(1, 2, 3), 1))
            lines, made = self.inside(partial(steps, Val(u, x.shape, x.element, x.layout, most)))
            self.emit(f"{r} = scf.for {self.fresh('k')} = {low} to {high} step {step} iter_args({u} = {x.name}) -> ({x.type}) {{")
            self.lines += [*lines, f"scf.yield {made.name} : {x.type}", f"}}{said}"]
            return self.keep(Val(r, x.shape, x.element, x.layout, most))
        condition, zero, who = self.fresh("b"), self.constant(0), self.fresh("x")
        self.emit(f"{who} = gpu.block_id x")
        self.emit(f"{condition} = arith.cmpi {self.pick('eq', 'ne')}, {who}, {zero} : index")
        ways = [self.inside(partial(steps, x)) for _ in range(2)]
        self.emit(f"{r} = scf.if {condition} -> ({x.type}) {{")
        self.lines += [*ways[0][0], f"scf.yield {ways[0][1].name} : {x.type}", "} else {"]
        self.lines += [*ways[1][0], f"scf.yield {ways[1][1].name} : {x.type}", f"}}{said}"]
        return self.keep(Val(r, x.shape, x.element, x.layout, max(v.most for _, v in ways)))
