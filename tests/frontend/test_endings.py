"""Functions that return, and iterations that end, in nested branches: each statement is traced once, and means what Python means."""

from __future__ import annotations

import importlib.util
import itertools
import random

import numpy as np
import pytest

import xetile as xt
from tests.generators import plain
from xetile.errors import XetileError
from xetile.frontend import trace
from xetile.signature import Signature

HEAD = "import xetile as xt\n\n\n"


def kernel_of(folder, text, name="kernel"):
    path = folder / f"endings_{abs(hash(text)):x}.py"
    path.write_text(HEAD + text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


KERNEL = """
@xt.jit
def kernel(Out, a):
    for i in range({count}):
        x, y = choose(xt.cast(i, xt.i32), a)
        xt.store_tile(xt.full((1, 16), x, xt.i32) + y, xt.init_tile(Out, (i, 0), (1, 16)))
"""

INSIDE = "            if a % {k} == {r}:\n                {end}\n"


def nested(count: int, loop: bool) -> str:
    """Ifs one after the other, in each of which a condition ends the function, or the iteration."""
    lines = ["@xt.jit", "def choose(i, a):", "    x, y = i, a + 1"]
    space, end = ("    ", "return x + {k}, y")
    if loop:
        lines, space, end = [*lines, "    for j in range(3):"], "        ", "continue"
    for k in range(2, 2 + count):
        lines += [f"{space}if (i + {k}) % 3 == 0:", f"{space}    if (a + i) % {k} == 1:", f"{space}        {end.format(k=k)}",
                  f"{space}    y += {k}", f"{space}x += y % 5"]  # fmt: skip
    return "\n".join([*lines, "    return x, y"]) + "\n" + KERNEL.format(count=20)


def size_of(kernel) -> int:
    module = trace(kernel, Signature.of(Out="i32[?,?]", a="i32"))
    return sum(1 for _ in module.walk())


@pytest.mark.every(2)
@pytest.mark.parametrize("loop", [False, True], ids=["return", "continue"])
def test_code_grows_with_the_text(tmp_path, loop):
    few, many = (size_of(kernel_of(tmp_path, nested(count, loop))) for count in (10, 20))
    assert many < 2.2 * few


@pytest.mark.every(2)
@pytest.mark.parametrize("loop", [False, True], ids=["return", "continue"])
def test_twenty_in_a_row_are_right(tmp_path, loop):
    check(kernel_of(tmp_path, nested(20, loop)), nested(20, loop), 7)


def check(kernel, text, a, where="numpy"):
    out, expected = np.zeros((20, 16), np.int32), np.zeros((20, 16), np.int32)
    plain.run(text, "kernel", (1,), {"Out": expected, "a": a})
    with xt.device(where):
        kernel[(1,)](out, np.int32(a))
    assert np.array_equal(out, expected)


class Writer:
    """Random functions of ifs, loops, returns, `break` and `continue`; every variable has a value before it is read."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.numbers = itertools.count(2)

    def text(self) -> str:
        body = [line for _ in range(4) for line in self.statement(3, False)]
        lines = ["@xt.jit", "def choose(i, a):", "    x, y = i, a + 1", *("    " + line for line in body), "    return x, y"]
        return "\n".join(lines) + "\n" + KERNEL.format(count=20)

    def statement(self, depth: int, loop: bool) -> list[str]:
        pick = self.random.choice
        kinds = ["x += y % 7", "y = (x + i) % 50", "t = x + 1", "x, y = y, x"] + ["if"] * 5 * (depth > 0)
        kind = pick(kinds + ["for"] * (depth > 1 and not loop))
        if kind == "for":
            head = pick([f"for j{next(self.numbers)} in range(i % 4):", f"for j{next(self.numbers)} in xt.static_range(2):"])
            return [head, *self.block(depth, True)]
        if kind != "if":
            return ["t = x + 1", "x += t"] if kind.startswith("t") else [kind]
        lines = [f"if {self.condition()}:", *self.block(depth, loop)]
        return lines + (["else:", *self.block(depth, loop)] if pick([0, 1]) else [])

    def condition(self) -> str:
        k = next(self.numbers) % 9 + 2
        return self.random.choice([f"(x + i) % {k} == 1", f"y % {k} < 2", f"a > x + {k}", "i > 9", "1 < 2"])

    def block(self, depth: int, loop: bool) -> list[str]:
        lines = [line for _ in range(self.random.choice([1, 2])) for line in self.statement(depth - 1, loop)]
        end = self.random.choice(["break", "continue", ""] if loop else ["return x, y + 1", "return y, 3", "", ""])
        return ["    " + line for line in [*lines, *([end] if end else [])]]


@pytest.mark.every(8)
@pytest.mark.parametrize("seed", range(40))
def test_random_functions(tmp_path, seed):
    text = Writer(seed).text()
    kernel = kernel_of(tmp_path, text)
    for a in (3, 14):
        check(kernel, text, a)


@pytest.mark.every(2)
@pytest.mark.parametrize("seed", range(40, 43))
def test_random_functions_on_devices(tmp_path, seed, device):
    text = Writer(seed).text()
    check(kernel_of(tmp_path, text), text, 14, device)


TILES = """
@xt.jit
def pick(A, a):
    tile = xt.init_tile(A, (0, 0), (8, 16))
    if a > 1:
        if a > 5:
            return tile, xt.load_tile(tile) + 1
        tile = xt.update_tile_offset(tile, (8, 0))
        other = xt.init_tile(A, (16, 0), (8, 16))
    else:
        other = xt.init_tile(A, (24, 0), (8, 16))
    if a > 3:
        return other, xt.load_tile(tile)
    return tile, xt.load_tile(other)

@xt.jit
def kernel(A, Out, a):
    tile, value = pick(A, a)
    xt.store_tile(value + xt.load_tile(tile) * 64, xt.init_tile(Out, (0, 0), (8, 16)))
"""


@pytest.mark.every(2)
@pytest.mark.parametrize("a", [0, 2, 4, 6])
def test_tiles_are_returned_too(tmp_path, a, device):
    A, out, expected = np.arange(512, dtype="f4").reshape(32, 16), np.zeros((8, 16), "f4"), np.zeros((8, 16), "f4")
    plain.run(TILES, "kernel", (1,), {"A": A, "Out": expected, "a": a})
    with xt.device(device):
        kernel_of(tmp_path, TILES)[(1,)](A, out, np.int32(a))
    assert np.array_equal(out, expected)


def returned_tiles(count: int, made: str) -> str:
    """Ifs one after the other, in each of which a function may return a tile that is made there."""
    lines = ["@xt.jit", "def pick(A, a):", "    tile = xt.init_tile(A, (0, 0), (8, 16))"]
    for k in range(count):
        lines += [f"    if a > {k}:", f"        if a % {k + 2} == 1:", f"            return {made.format(k=k)}, xt.load_tile(tile) + {k}",
                  "        tile = xt.update_tile_offset(tile, (1, 0))"]  # fmt: skip
    return "\n".join([*lines, "    return tile, xt.load_tile(tile)", ""]) + TILES[TILES.index("\n@xt.jit\ndef kernel") :]


MADE = {
    "elsewhere": "xt.init_tile(A, ({k}, a), (8, 16))", "moved": "xt.update_tile_offset(tile, ({k}, 1))",
    "moved twice": "xt.update_tile_offset(xt.init_tile(A, (a % 3, {k}), (8, 16)), (1, 0))",
    "part": "xt.init_tile(A[0 : a + 9], ({k}, 0), (8, 16))",
    "chosen": "(xt.init_tile(A, (a, 0), (8, 16)) if a % 2 == 0 else tile)",
}  # fmt: skip


@pytest.mark.every(2, 1)
@pytest.mark.parametrize("made", MADE)
def test_returned_tiles_are_traced_once(tmp_path, made):
    few, many = (
        sum(
            1
            for _ in trace(
                kernel_of(tmp_path, returned_tiles(n, MADE[made])), Signature.of(A="f32[?,?]", Out="f32[?,?]", a="i32")
            ).walk()
        )
        for n in (4, 12)
    )
    assert many < 3.6 * few


@pytest.mark.every(4)
@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("a", [0, 3, 5])
def test_returned_tiles_are_right(tmp_path, made, a):
    text = returned_tiles(4, MADE[made])
    A, out, expected = np.arange(512, dtype="f4").reshape(32, 16), np.zeros((8, 16), "f4"), np.zeros((8, 16), "f4")
    plain.run(text, "kernel", (1,), {"A": A, "Out": expected, "a": a})
    with xt.device("numpy"):
        kernel_of(tmp_path, text)[(1,)](A, out, np.int32(a))
    assert np.array_equal(out, expected)


SCATTERED = """
@xt.jit
def pick(A, a):
    n = a
IFS    return xt.init_tile(A, xt.arange(16) + n)

@xt.jit
def kernel(A, Out, a):
    xt.store_tile(xt.load_gather(pick(A, a))[None, :], xt.init_tile(Out, (0, 0), (1, 16)))
"""


def scattered(count: int) -> str:
    end = "return xt.init_tile(A, xt.arange(16) * 2 + n)"
    ifs = (f"    if n > {k}:\n        if a % {k + 2} == 1:\n            {end}\n        n += 1\n" for k in range(count))
    return SCATTERED.replace("IFS", "".join(ifs))


@pytest.mark.parametrize("a, first, step", [(5, 5, 2), (7, 7, 2), (4, 5, 2), (0, 0, 1)])
def test_returned_scattered_tiles_are_traced_once_and_right(tmp_path, a, first, step):
    signature = Signature.of(A="f32[?]", Out="f32[?,?]", a="i32")
    few, many = (sum(1 for _ in trace(kernel_of(tmp_path, scattered(n)), signature).walk()) for n in (4, 12))
    assert many < 3.6 * few
    out = np.zeros((1, 16), "f4")
    with xt.device("numpy"):
        kernel_of(tmp_path, scattered(4))[(1,)](np.arange(64, dtype="f4"), out, np.int32(a))
    assert np.array_equal(out[0], first + step * np.arange(16))


def test_parts_to_which_memory_gives_a_size_are_not_traced_again_for_ever(tmp_path):
    text = returned_tiles(16, "xt.init_tile(A[0 : A[{k}, 0]], (0, 0), (8, 16))")
    with pytest.raises(XetileError, match="too many nested branches return parts of arrays"):
        trace(kernel_of(tmp_path, text), Signature.of(A="i32[?,?]", Out="i32[?,?]", a="i32"))
