"""Random XeGPU modules of workgroups, subgroups and lanes: `python -m tests.generators.xegpu --cases 1000 --jobs 2`.

Layouts, shapes and the program are drawn; numbers are small and whole, so that every order of additions gives the same. A case runs
at every level on the reference backend, one in `CPU_SHARE` on the CPU device too.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from random import Random

from tests.generators import runner, xegpu_lanes
from tests.generators.generic import generic
from tests.generators.xegpu_nested import NestedProgram
from tests.generators.xegpu_program import ELEMENTS, Program
from tests.mlir.everywhere import Arrays, compare, everywhere
from xetile.errors import InternalError, VerifyError, XetileError
from xetile.mlir.generic import is_generic

CPU_SHARE = int(os.environ.get("XEGPU_CPU_SHARE", "10"))


@dataclass
class Case:
    """A module as text, and how it is launched."""

    text: str
    grid: tuple[int, ...]
    cpu: bool

    def describe(self) -> str:
        return f"grid {self.grid}\n{self.text}"

    def check(self) -> str | None:
        """Right, or refused by some or all levels with an error that has a place."""
        found = everywhere(self.text if is_generic(self.text) else generic(self.text), self.grid, cpu=self.cpu)
        for name, left in found.items():
            if isinstance(left, XetileError):
                assert left.at is not None, f"{name}: an error without a place: {left}"
        ran: dict[str, Arrays] = {name: left for name, left in found.items() if not isinstance(left, XetileError)}
        compare(ran, signs_of_zero="vector.multi_reduction" not in self.text)
        if not ran:
            return "refused"
        lost = [left for left in found.values() if isinstance(left, XetileError)]
        for left in lost:
            assert not isinstance(left, (InternalError, VerifyError)), f"what a level took is broken below: {left}"
        if lost:
            return f"refused below: {type(lost[0]).__name__}"
        return "too large for the CPU" if self.cpu and "cpu" not in found else None


STEPS = ("elementwise", "elementwise", "select", "cast", "transpose", "reduce", "convert", "dpas", "branch", "branch", "loop",
         "loop", "nested", "nested", "matrix", "scattered", "cube", "cube", "cut")  # fmt: skip


def generate(random: Random, elements: int = ELEMENTS) -> Case:
    """A module of a level that is drawn; a subgroup's part of a value is of at most so many elements (128 or more)."""
    grid = random.choice((1, 2))
    level = random.choice(("workgroup", "workgroup", "subgroup", "lane"))
    if level == "lane":
        program: Program = xegpu_lanes.LaneProgram(random, grid)
        steps: tuple[str, ...] = xegpu_lanes.STEPS
    else:
        program = NestedProgram(random, level, random.choice((1, 2, 4, 8, 16)) if level == "workgroup" else 1, grid, elements)
        steps = STEPS
    program.load()
    for _ in range(random.randint(1, 5)):
        getattr(program, random.choice(steps))()
    for value in {v.name: v for v in program.values[-3:]}.values():
        program.store(value)
    return Case(program.text(), (grid,), random.randrange(CPU_SHARE) == 0)


if __name__ == "__main__":
    runner.main(generate)
