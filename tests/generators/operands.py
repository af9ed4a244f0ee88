"""Random operands of products, worked out in the loop of narrower numbers: numpy's arithmetic, the numpy device, levels and the CPU agree.

    python -m tests.generators.operands --on sim:bmg --cases 1000

The other operand picks one row or column for each of the result, so that each number that a product takes is seen, and no sum rounds.
Some are taken by another product besides, transposed: subgroups then work them out once, and hand them on.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import ml_dtypes
import numpy as np

import xetile as xt
from tests.generators.expression_ops import OPERATIONS, to
from tests.generators.runner import main
from tests.parity.run import request, run_levels
from xetile.dtypes import DTYPES
from xetile.runtime.settings import override
from xetile.runtime.specialize import PerformanceWarning

Node = tuple[Any, ...]
"""("in", dtype, "whole", "rows" or "columns"), ("number", dtype, number), ("to", dtype, node), or (operation, dtype, *nodes)."""
LEAVES = ("i8", "u8", "i8", "u8", "f8e4m3", "f8e5m2", "f16", "bf16")
SCALES = ("f32", "f16", "bf16")
NARROW = {"f8e4m3": ml_dtypes.float8_e4m3fn, "f8e5m2": ml_dtypes.float8_e5m2, "bf16": ml_dtypes.bfloat16}
EMULATED = 0.2
PICKED = 32
"""Rows or columns that the other product picks."""
NOWHERE = -(10**6)
"""A place that no step may read: lists are longer than what a loop takes of them."""


@xt.jit(grid=lambda C, BM, BN: (xt.cdiv(C.shape[1], BN), xt.cdiv(C.shape[0], BM)))
def kernel(X, R, S, Pick, Other, Steps, C, C2, turned: xt.i32, NODE: xt.constexpr, SECOND: xt.constexpr, TURNED: xt.constexpr,
           TWICE: xt.constexpr, LISTED: xt.constexpr, SUMMED: xt.constexpr, BM: xt.constexpr, BN: xt.constexpr, BK: xt.constexpr):  # fmt: skip
    """C = Pick @ NODE(X, R, S), or NODE(X, R, S) @ Pick where not SECOND; X may lie TURNED, which None leaves to an argument; R is of
    its rows, S of its columns. Where LISTED, Steps says where in X a step's part of the depth begins.

    Where TWICE, C2 = NODE(X, R, S).T @ Other, or Other @ NODE(X, R, S).T, too. SUMMED: each step adds what the operand adds up to, or takes
    away something that is worked out of that.
    """
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), C.dtype)
    acc2 = xt.zeros((BN, PICKED) if SECOND else (PICKED, BM), C.dtype)
    for k in range(0, Pick.shape[1 if SECOND else 0], BK):
        row, column, shape = (k, n, (BK, BN)) if SECOND else (m, k, (BM, BK))
        down, across = row, column
        if LISTED:
            down, across = (Steps[k // BK], n) if SECOND else (m, Steps[k // BK])
        if TURNED is None and turned != 0:
            x = xt.load_tile(xt.init_tile(X.T, (down, across), shape))
        elif TURNED:
            x = xt.load_tile(xt.init_tile(X, (across, down), shape[::-1])).T
        else:
            x = xt.load_tile(xt.init_tile(X, (down, across), shape))
        r, s = xt.load_tile(xt.init_tile(R, row, shape[0]))[:, None], xt.load_tile(xt.init_tile(S, column, shape[1]))[None, :]
        value = emitted(NODE, {"whole": x, "rows": r, "columns": s})
        pick = xt.load_tile(xt.init_tile(Pick, (m, k) if SECOND else (k, n), (BM, BK) if SECOND else (BK, BN)))
        product = pick @ value if SECOND else value @ pick
        if SUMMED:
            total = xt.sum(value, axis=0 if SECOND else 1)
            product = product + total if SUMMED == "added" else product - (total * 3 + 1)
        acc += product
        if TWICE:
            other = xt.load_tile(xt.init_tile(Other, (k, 0) if SECOND else (0, k), (BK, PICKED) if SECOND else (PICKED, BK)))
            acc2 += value.T @ other if SECOND else other @ value.T
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))
    if TWICE:
        xt.store_tile(acc2, xt.init_tile(C2, (n, 0) if SECOND else (0, m), (BN, PICKED) if SECOND else (PICKED, BM)))


def emitted(node: Node, parts: dict[str, Any]) -> Any:
    """An expression on tiles."""
    what, kind, *rest = node
    if what in ("in", "number"):
        return parts[rest[0]] if what == "in" else rest[0]
    operands = [emitted(child, parts) for child in rest]
    return operands[0].to(DTYPES[kind]) if what == "to" else OPERATIONS[what].emit(*operands)


def computed(node: Node, parts: dict[str, Any]) -> Any:
    """The same on arrays."""
    what, kind, *rest = node
    if what in ("in", "number"):
        return parts[rest[0]] if what == "in" else np.asarray(rest[0]).astype(numpy_type(kind))
    operands = [computed(child, parts) for child in rest]
    if what == "to":
        source = operands[0].astype(np.float32) if rest[0][1] in NARROW else operands[0]
        return source.astype(numpy_type(kind)) if kind in NARROW or rest[0][1] in NARROW else to(source, kind)
    return OPERATIONS[what].numpy(*np.broadcast_arrays(*operands))


def numpy_type(name: str) -> Any:
    return NARROW.get(name) or DTYPES[name].numpy


@dataclass
class Operands:
    """One product: its expression, where that stands, sizes of the arrays and tiles, and the seed of what they hold."""

    node: Node
    leaves: tuple[str, str, str]
    second: bool
    turned: bool
    sizes: tuple[int, int, int]
    tile: tuple[int, int, int]
    seed: int
    target: str
    emulated: bool
    twice: bool
    subgroups: int | None
    chosen: bool
    """Whether an argument says how it lies."""
    listed: bool
    """Whether a list says where a step's part lies."""
    vectors: str
    """For which CPU's vectors, or matrix unit, it is interpreted, which this machine's need not have; "": for none."""
    summed: str
    """What becomes of the operand's sums: "added", "worked out" of, or ""; of whole numbers."""

    def describe(self) -> str:
        where = (
            ("second" if self.second else "first")
            + " operand"
            + ", which lies turned" * self.turned
            + " by an argument" * self.chosen
        )
        where += (
            ", taken twice" * self.twice
            + ", at places of a list" * self.listed
            + (f", its sums {self.summed}" if self.summed else "")
        )
        how = f"{self.sizes} by tiles of {self.tile}, {self.subgroups} subgroups, for {self.target}, seed {self.seed}"
        return f"{where}, {how}: {text(self.node)}"

    def arrays(self) -> tuple[list[Any], Any]:
        """X, R, S, Pick, Other, and what comes out; None where some number is not finite, which is NaN times what does not pick it."""
        rng, (m, n, k) = np.random.default_rng(self.seed), self.sizes
        shape = (k, n) if self.second else (m, k)
        x, r, s = (_numbers(rng, kind, size) for kind, size in zip(self.leaves, (shape, shape[:1], shape[1:])))
        with np.errstate(all="ignore"):
            value = computed(self.node, {"whole": x, "rows": r[:, None], "columns": s[None, :]})
        value = np.broadcast_to(value, shape)
        result = self.node[1]
        pick = np.zeros((m, k) if self.second else (k, n), numpy_type(result))
        places = rng.permutation(max(k, m, n))[: m if self.second else n] % k
        if self.second:
            pick[np.arange(m), places] = 1
        else:
            pick[places, np.arange(n)] = 1
        other, picked = np.zeros((k, PICKED) if self.second else (PICKED, k), numpy_type(result)), rng.permutation(PICKED) % k
        other[(picked, np.arange(PICKED)) if self.second else (np.arange(PICKED), picked)] = 1
        wide = value.astype(np.int64 if result == "i8" else np.float64)
        expected = (wide[places], wide[picked].T) if self.second else (wide[:, places], wide[:, picked].T)
        if self.summed:
            expected = (expected[0] + self.sums(x, r, s), expected[1])
        x, steps = self.placed(x, rng)
        given = [np.ascontiguousarray(x.T) if self.turned else x, r, s, pick, other, steps]
        return given, expected if np.isfinite(wide).all() else None

    def sums(self, x: Any, r: Any, s: Any) -> Any:
        """What all steps add for the operand's sums, with what lies beyond the array."""
        along, depth = (0 if self.second else 1), self.tile[2]
        steps = -(-x.shape[along] // depth)
        beyond = (0, steps * depth - x.shape[along])
        x = np.pad(x, (beyond, (0, 0)) if self.second else ((0, 0), beyond))
        r, s = (np.pad(r, beyond), s) if self.second else (r, np.pad(s, beyond))
        value = computed(self.node, {"whole": x, "rows": r[:, None], "columns": s[None, :]})
        total = np.broadcast_to(value, x.shape).astype(np.int64).sum(along, keepdims=True)
        return total if self.summed == "added" else -(total * 3 + steps)

    def placed(self, x: Any, rng: Any) -> tuple[Any, Any]:
        """X as it lies in memory, and where each step's part begins there."""
        depth, axis = self.tile[2], 0 if self.second else 1
        count = -(-x.shape[axis] // depth)
        if not self.listed:
            return x, np.arange(count + 1, dtype=np.int32) * depth
        blocks = rng.permutation(count + 1)[:count]
        shape = ((count + 1) * depth, x.shape[1]) if self.second else (x.shape[0], (count + 1) * depth)
        lies = np.zeros(shape, x.dtype)
        for number, block in enumerate(blocks):
            part = x.take(range(number * depth, min(number * depth + depth, x.shape[axis])), axis)
            np.moveaxis(lies, axis, 0)[block * depth :][: part.shape[axis]] = np.moveaxis(part, axis, 0)
        return lies, np.append(blocks * depth, [NOWHERE] * 2).astype(np.int32)

    def check(self) -> str | None:
        given, expected = self.arrays()
        if expected is None:
            return "not finite"
        for where, found in self.results(given):
            for name, c, wanted in zip(("C", "C2"), found, expected if self.twice else expected[:1]):
                wrong = np.argwhere(c != wanted)
                if len(wrong):
                    at = tuple(int(i) for i in wrong[0])
                    raise AssertionError(f"{where}: {name} has {c[at]} for {wanted[at]} at {at}, and {len(wrong) - 1} more")
        return self.node[1]

    def results(self, given: list[Any]) -> Iterator[tuple[str, Any]]:
        """What comes out where."""
        bm, bn, bk = self.tile
        constants = {
            "NODE": self.node,
            "SECOND": self.second,
            "TURNED": None if self.chosen else self.turned,
            "TWICE": self.twice,
            "LISTED": self.listed,
            "SUMMED": self.summed,
            "BM": bm,
            "BN": bn,
            "BK": bk,
        }
        yield "numpy device", self.on_device("numpy", given, constants)
        yield "CPU with its own code", self.on_device("cpu", given, constants, "vector")
        if self.emulated:
            yield f"CPU with the module for {self.target}", self.on_device("cpu", given, constants, "emulate")
        names = ("X", "R", "S", "Pick", "Other", "Steps", "C", "C2")
        values = dict(zip(names, [*given, *self.empty()]))
        types = {name: f"{kind}[{','.join('?' * values[name].ndim)}]" for name, kind in zip(names, self.kinds)}
        values["turned"], types["turned"] = int(self.turned), "i32"
        grid = (-(-self.sizes[1] // bn), -(-self.sizes[0] // bm), 1)
        constants["num_subgroups"] = self.subgroups
        for level, after in run_levels(request(kernel, types, self.target, **constants), grid, values):
            yield f"level {level}", (after["C"], after["C2"])
        if self.vectors:
            constants["num_subgroups"] = None
            *_, (_, after) = run_levels(request(kernel, types, self.vectors, **constants), grid, values)
            yield f"vectors of {self.vectors}", (after["C"], after["C2"])

    @property
    def kinds(self) -> tuple[str, ...]:
        result = self.node[1]
        sums = "i32" if result == "i8" else "f32"
        return (*self.leaves, result, result, "i32", sums, sums)

    def empty(self) -> list[Any]:
        """C and C2."""
        shapes = self.sizes[:2], (self.sizes[1], PICKED) if self.second else (PICKED, self.sizes[0])
        return [np.zeros(shape, numpy_type(self.kinds[-1])) for shape in shapes]

    def on_device(self, device: str, given: list[Any], constants: dict[str, Any], way: str = "") -> Any:
        made, options = self.empty(), {} if way == "vector" else {"target": self.target, "num_subgroups": self.subgroups}
        with override(cpu=way), xt.device(device), warnings.catch_warnings():
            warnings.simplefilter("ignore", PerformanceWarning)
            kernel(*given, *made, int(self.turned), **constants, **options)
        return made


def _numbers(rng: Any, kind: str, shape: tuple[int, ...]) -> Any:
    if kind in ("i8", "u8"):
        return rng.integers(0, 256, shape).astype(np.uint8).view(numpy_type(kind))
    special = rng.choice([0.0, -0.0, 1.0, -1.0, 0.5, 2.0**-9, 3.0, -8.0], shape)
    return np.where(rng.random(shape) < 0.5, special, rng.normal(size=shape) * 4).astype(numpy_type(kind))


def text(node: Node) -> str:
    what, kind, *rest = node
    if what in ("in", "number"):
        return f"{kind}_{rest[0]}" if what == "in" else repr(rest[0])
    return f"{what if what != 'to' else kind}({', '.join(map(text, rest))})"


# Drawing.


class Drawer:
    """Draws an expression from leaves of three types."""

    def __init__(self, random: Random, leaves: tuple[str, str, str]) -> None:
        self.random, self.leaves = random, leaves

    def bytes(self, node: Node) -> Node:
        """Steps on bytes."""
        kind = node[1]
        for _ in range(self.random.choice((0, 0, 1, 1, 2))):
            name = self.random.choice(("&", "&", ">>", "<<", "|", "^", "+", "-"))
            number = (
                self.random.choice((15, -16 if kind == "i8" else 240, 3, 127)) if name in "&|^" else self.random.randrange(1, 5)
            )
            node = (name, kind, node, ("number", kind, number))
        return node

    def floats(self, node: Node, kind: str) -> Node:
        """Steps on floats, with numbers, or those of rows or columns, or of the expression itself."""
        for _ in range(self.random.choice((0, 1, 1, 2, 3, 4))):
            name = self.random.choice(("+", "-", "*", "*", "*", "maximum", "minimum"))
            other = self.random.choice(("number", "number", "rows", "columns", "itself"))
            if other == "number":
                taken: Node = ("number", kind, self.random.choice((8, 0.5, -1.0, 1.0, 0.0, 0.3)))
            elif other == "itself":
                taken = node
            else:
                source = self.leaves[1 if other == "rows" else 2]
                taken = ("in", source, other)
                taken = taken if source == kind else ("to", kind, taken)
            children = [node, taken]
            if self.random.random() < 0.2 and other != "number":
                children.reverse()
            node = (name, kind, *children)
        return node

    def whole(self, result: str) -> Node:
        node: Node = ("in", self.leaves[0], "whole")
        if node[1] in ("i8", "u8"):
            node = self.bytes(node)
        if result == "i8":
            return node if node[1] == "i8" else ("to", "i8", node)
        for kind in self.random.choice(((result,), ("f32", result), ("f32", result), ("f16", "f32", result))):
            node = node if node[1] == kind else ("to", kind, node)
            if kind != "bf16" or self.random.random() < 0.5:
                node = self.floats(node, kind)
        return node


def operands(random: Random) -> Operands:
    """A case."""
    result = random.choice(("f16", "f16", "bf16", "i8"))
    leaf = random.choice(("i8", "u8")) if result == "i8" else random.choice(LEAVES)
    leaves = (leaf, random.choice(SCALES), random.choice(SCALES))
    node = Drawer(random, leaves).whole(result)
    tile = (
        random.choice((16, 32, 32, 48, 64, 80)),
        random.choice((16, 32, 32, 48, 64, 80, 128)),
        random.choice((32, 32, 48, 64)),
    )
    sizes = tuple(size if random.random() < 0.6 else random.randrange(8, 80, 8) for size in (64, 64, 64))
    return Operands(
        node, leaves, random.random() < 0.6, random.random() < 0.3, sizes, tile, random.randrange(2**32),  # type: ignore[arg-type]
        random.choice(("pvc", "bmg", "dg2")), random.random() < EMULATED, random.random() < 0.4, random.choice((None, None, 3, 4, 5, 6, 8)),
        random.random() < 0.25, random.random() < 0.25, random.choice(("", "", "", "amx", "amx", "cpu", "avx2")),
        random.choice(("", "", "added", "worked out")) if result == "i8" else "",
    )  # fmt: skip


if __name__ == "__main__":
    main(operands)
