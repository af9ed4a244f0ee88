"""Operands that several products take are taken apart once, and again where anything wrote them in between."""

import numpy as np
import pytest
from xetile.backends.simulator.memory import Memory, World
from xetile.backends.simulator.parse import parse
from xetile.backends.simulator.program import Program
from xetile.backends.simulator.reuse import kept_operands
from xetile.backends.simulator.state import Layout, Threads

DPAS = "dpas.8x8 (16|M0)  r{}:f  r{}:f  r{}:{t}  r{}.0:{t}  {{{}}}"
MOVE = "mov (16|M0)  r{}.0<1>:ud  r{}.0<1;1,0>:ud"
INDIRECT = "mov (16|M0)  r[a0.0]<1>:ud  r{}.0<1;1,0>:ud"


def product(into: int, right: int, left: int, *options: str, type: str = "bf") -> str:
    return DPAS.format(into, into, right, left, ", ".join(options), t=type)


def program(*lines: str) -> Program:
    return Program(parse("\n".join(f"/* [{16 * i:04X}] */ {line}" for i, line in enumerate(lines))), Layout(128, 64, "pvc"))


def threads_of(code: Program) -> Threads:
    """Three threads; their registers hold anything, of small exponents."""
    threads = Threads(code.layout, World(Memory(), np.zeros(3, int), np.zeros((1, 0), np.uint8), 0, {}, 0), np.arange(3))
    threads.views["uw"][:128] = np.random.default_rng(0).integers(0x3C00, 0x4100, threads.views["uw"][:128].shape)
    threads.views["uw"][threads.layout.base["a0"]] = 100 * 64
    return threads


@pytest.mark.parametrize("type", ["hf", "bf", "tf32", "b", "ub"])
@pytest.mark.parametrize("between", [
    [], [MOVE.format(30, 90)], [MOVE.format(20, 90)], [product(20, 40, 60)], [INDIRECT.format(90)],
    [product(20, 40, 60, "Atomic"), product(70, 20, 30), product(70, 20, 30)],
])  # fmt: skip
def test_products_that_share_operands_compute_what_each_alone_does(type, between):
    products = [product(*at, type=type) for at in ((8, 20, 30), (48, 20, 34), (80, 36, 30), (8, 20, 34))]
    code = program(*products[:2], *between, *products[2:])
    together, alone = threads_of(code), threads_of(code)
    steps, end = code.block(0)
    with np.errstate(all="ignore"):
        for at, step in steps:
            step(together)
            code.step(at)(alone)
    assert end == len(code.code.instructions)
    np.testing.assert_array_equal(together.file, alone.file)


def test_operands_are_kept_until_something_writes_them():
    code = program(product(8, 20, 30), product(48, 20, 34), MOVE.format(21, 90), product(80, 20, 34), product(8, 20, 34))
    kept = kept_operands(code.layout, code.code.instructions, 0, 5, code.use)
    made = {at: sorted((key[0], slot.made) for key, slot in found.items()) for at, found in kept.items()}
    # What the first product takes is not kept: a macro before it could still write it.
    assert made == {1: [("src2", True)], 3: [("src1", True), ("src2", False)], 4: [("src1", False), ("src2", False)]}
