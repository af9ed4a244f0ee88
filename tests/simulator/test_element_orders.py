"""Vectors of another vector's elements in another order: IGC's vectorizer takes one for the other (spirv/finished/element_orders.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import xetile as xt
from tests import tools
from tests.mlir.test_users import check_on
from tests.mlir.users import User, desc, kernel, load

ROWS = 8
MASKS = {
    "reversed": [7, 6, 5, 4, 3, 2, 1, 0],
    "halves changed": [4, 5, 6, 7, 0, 1, 2, 3],
    "pairs changed": [1, 0, 3, 2, 5, 4, 7, 6],
    "rotated": [1, 2, 3, 4, 5, 6, 7, 0],
    "even and odd": [0, 2, 4, 6, 1, 3, 5, 7],
    "two changed": [0, 1, 2, 3, 4, 5, 7, 6],
    "second half twice": [4, 5, 6, 7, 4, 5, 6, 7],
    "first half twice": [0, 1, 2, 3, 0, 1, 2, 3],
    "each twice": [0, 0, 1, 1, 2, 2, 3, 3],
    "one twice": [0, 0, 2, 3, 4, 5, 6, 7],
    "one alone": [3] * ROWS,
    "as it was": list(range(ROWS)),
}
BINARY = "{} = arith.{}{} {}, {} : {}"
Meaning = Callable[[Any, Any], Any]
SOURCES: dict[str, tuple[list[tuple[str, str, str, str]], Meaning]] = {
    "loaded": ([], lambda a, b: a),
    "a sum": ([("%x", "add", "%a", "%b")], lambda a, b: a + b),
}
USES: dict[str, tuple[list[tuple[str, str, str, str]], Meaning]] = {
    "x - y": ([("%z", "sub", "%x", "%y")], lambda x, y: x - y),
    "y - x": ([("%z", "sub", "%y", "%x")], lambda x, y: y - x),
    "products": ([("%p", "mul", "%x", "%x"), ("%q", "mul", "%y", "%y"), ("%z", "sub", "%p", "%q")], lambda x, y: x * x - y * y),
}


@pytest.mark.every(3)
@pytest.mark.simulated
@pytest.mark.covering(2)
@pytest.mark.parametrize("device", ["sim:pvc", "sim:bmg"])
@pytest.mark.parametrize("element, stored", [("f32", "f32"), ("f32", "bf16"), ("f32", "f16"), ("i32", "i32")])
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("mask", MASKS)
def test_elements_in_another_order(mask, use, source, element, stored, device):
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)
    check_on(ordered(MASKS[mask], use, source, element, stored), device)


def ordered(mask: list[int], use: str, source: str, element: str, stored: str) -> User:
    """R = what `use` says of x, and of y, which is x's elements by the mask."""
    kind, narrow = f"vector<{ROWS}x{element}>", f"vector<{ROWS}x{stored}>"
    memory, block = f"{ROWS}x16x{element}", f"{ROWS}x16x{stored}"
    made, x_of = SOURCES[source]
    used, z_of = USES[use]
    x = "%x" if made else "%a"
    arithmetic = [
        BINARY.format(to, op, element[0], *(x if given == "%x" else given for given in (first, second)), kind)
        for to, op, first, second in made + used
    ]
    lines = [
        *(load(name, name.upper(), memory, memory, gives=f"{ROWS}x{element}") for name in "ab"),
        *arithmetic[: len(made)],
        f"%y = vector.shuffle {x}, {x} {mask} : {kind}, {kind}",
        *arithmetic[len(made) :],
        *([f"%w = arith.truncf %z : {kind} to {narrow}"] if stored != element else []),
        f"%t = xegpu.create_nd_tdesc %R : memref<{block}> -> {desc(block)}",
        f"xegpu.store_nd {'%z' if stored == element else '%w'}, %t[0, 0] : {narrow}, {desc(block)}",
    ]

    def meaning(given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        value = x_of(given["A"], given["B"])
        return {"R": z_of(value, value[mask])}

    return User(kernel(f"%A: memref<{memory}>, %B: memref<{memory}>, %R: memref<{block}>", "\n".join(lines)), meaning)


@xt.jit
def by_segments(one, other):
    """Sums that begin anew where a flag is set, and whether one was."""
    return xt.where(other[1] != 0, other[0], one[0] + other[0]), one[1] | other[1]


@xt.jit(grid=lambda X: (X.shape[0],))
def segments(X, Flags, Y, N: xt.constexpr = 128):
    """Y = sums of X from the last flag on, row by row: in the last steps whole vectors of what assembly gives are rotated and added."""
    at = (xt.program_id(0), 0)
    x, flags = xt.load_tile(xt.init_tile(X, at, (1, N))), xt.load_tile(xt.init_tile(Flags, at, (1, N)))
    xt.store_tile(xt.associative_scan(by_segments, (x, flags), 1)[0], xt.init_tile(Y, at, (1, N)))


@pytest.mark.simulated
@pytest.mark.parametrize("device", ["sim:pvc", "sim:bmg"])
def test_vectors_of_assembly_in_another_order(device):
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)
    rng = np.random.default_rng(7)
    x, flags = rng.integers(-5, 6, (2, 128)).astype(np.float32), (rng.random((2, 128)) < 0.05).astype(np.int32)
    expected, sums = np.zeros_like(x), np.zeros(2, np.float32)
    for i in range(128):
        sums = np.where(flags[:, i], 0, sums) + x[:, i]
        expected[:, i] = sums
    found = np.zeros_like(x)
    with xt.device(device):
        segments(x, flags, found)
    np.testing.assert_array_equal(found, expected)
