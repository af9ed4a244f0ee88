"""Running reductions, gathers and switches of workgroups whose subgroups split what they go along, at every level."""

from __future__ import annotations

import pytest

from tests import tools
from tests.mlir.everywhere import agree
from tests.mlir.workgroup import COLUMNS, PLAIN, ROWS, SQUARE, TWO, kernel, load, store
from xetile.layout import Layout

DEALT = Layout((2, 4), (8, 16))
LAYOUTS = {
    "plain": PLAIN,
    "column-major": Layout((2, 4), (32, 16), order=(0, 1)),
    "dealt": DEALT,
    "rows": ROWS,
    "columns": COLUMNS,
}
WHOLE, LINES = "vector<64x64xf32>", "vector<64xf32>"
ZERO = f"%z = arith.constant dense<0.0> : {LINES}"


def scan(source: str, dim: int) -> str:
    return f"vector.scan <add>, %{source}, %z {{inclusive = true, reduction_dim = {dim} : i64}} : {WHOLE}, {LINES}"


def beside_its_sums(layout: Layout) -> str:
    return kernel(TWO, load("a", "A", SQUARE, SQUARE, layout), f"""{ZERO}
        %s, %t = {scan("a", 1)}
        %w = vector.shape_cast %t : {LINES} to vector<64x1xf32>
        %v = vector.broadcast %w {{layout_result_0 = {layout}}} : vector<64x1xf32> to {WHOLE}
        %u = arith.subf %v, %s {{layout_result_0 = {layout}}} : {WHOLE}""", store("u", "R", SQUARE, SQUARE, layout))  # fmt: skip


def in_a_loop(layout: Layout) -> str:
    return kernel(TWO, load("a", "A", SQUARE, SQUARE, layout), f"""%c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        {ZERO}
        %q = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %a) -> ({WHOLE}) {{
        %s, %t = {scan("x", 0)}
        %k = vector.broadcast %t : {LINES} to {WHOLE}
        %y = arith.subf %s, %k : {WHOLE}
        scf.yield %y : {WHOLE}
        }}""", store("q", "R", SQUARE, SQUARE, layout))  # fmt: skip


def gathered(layout: Layout) -> str:
    """Offsets have the layout of the value that another layout stores."""
    return kernel("%A: memref<8192xf32>, %R: memref<64x64xf32>", f"""%n = vector.step : vector<64xindex>
        %column = vector.shape_cast %n : vector<64xindex> to vector<64x1xindex>
        %pitch = arith.constant dense<65> : vector<64x64xindex>
        %row = vector.broadcast %column : vector<64x1xindex> to vector<64x64xindex>
        %at = vector.broadcast %n : vector<64xindex> to vector<64x64xindex>
        %start = arith.muli %row, %pitch : vector<64x64xindex>
        %o = arith.addi %start, %at : vector<64x64xindex>
        %limit = arith.constant dense<40> : vector<64x64xindex>
        %m = arith.cmpi ult, %at, %limit : vector<64x64xindex>
        %g = xegpu.load %A[%o], %m <{{layout = {layout}}}> : memref<8192xf32>, vector<64x64xindex>, vector<64x64xi1> -> {WHOLE}
        %else = arith.constant dense<7.0> : {WHOLE}
        %r = arith.select %m, %g, %else : vector<64x64xi1>, {WHOLE}""", store("r", "R", SQUARE, SQUARE, PLAIN))  # fmt: skip


MODULES = {
    f"{made.__name__}, {name}": made(layout)
    for made in (beside_its_sums, in_a_loop, gathered)
    for name, layout in LAYOUTS.items()
}
HALF, OWN = Layout((8, 1), (8, 32)), (64, 32)
MODULES["interleave"] = kernel(
    "%A: memref<64x32xf32>, %B: memref<64x32xf32>, %R: memref<64x64xf32>", load("a", "A", OWN, OWN, HALF), load("b", "B", OWN, OWN, HALF),
    "%q = vector.interleave %a, %b : vector<64x32xf32> -> vector<64x64xf32>", store("q", "R", SQUARE, SQUARE, ROWS))  # fmt: skip
MODULES["deinterleave"] = kernel(
    "%A: memref<64x64xf32>, %R: memref<64x32xf32>", load("a", "A", SQUARE, SQUARE, ROWS),
    "%x, %y = vector.deinterleave %a : vector<64x64xf32> -> vector<64x32xf32>", "%q = arith.subf %x, %y : vector<64x32xf32>",
    store("q", "R", OWN, OWN, HALF))  # fmt: skip


@pytest.mark.every(24, 12)
@pytest.mark.parametrize("name", MODULES)
def test_all_levels_agree(name):
    tools.require_tool("mlir-opt")
    found = agree(MODULES[name], cpu=False)
    assert isinstance(found, dict), found


@pytest.mark.slow
@pytest.mark.parametrize("name", MODULES)
def test_all_levels_and_the_cpu_agree(name):
    tools.require_tool("mlir-opt")
    found = agree(MODULES[name])
    assert isinstance(found, dict), found
