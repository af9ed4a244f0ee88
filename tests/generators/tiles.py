"""Random tiles: any height and width, dtype, number of subgroups and map, partly outside of arrays that are aligned or not.

A case is one kernel with several operations on one tile, so that one build serves many checks. What the first level gives is what
the others, and the CPU device, must give, in whole arrays: what lies around the results is compared too.

    python -m tests.generators.tiles --cases 100000 --jobs 64 --seed 0
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import numpy as np
from xetile.backends.reference.interpret import interpret

import xetile as xt
from tests.generators.runner import main
from tests.parity.run import arguments
from xetile.errors import ResourceError
from xetile.ir.verifier import verify
from xetile.layout import Layout
from xetile.passes import pipeline
from xetile.runtime.compiler import trace
from xetile.runtime.devices import find_device
from xetile.runtime.request import Request
from xetile.runtime.settings import override
from xetile.runtime.specialize import specialize
from xetile.signature import Signature
from xetile.target import get_target

DTYPES = ("f16", "bf16", "f32", "f64", "i8", "u8", "i16", "i32", "i64")
SUBGROUPS = (None, 1, 1, 2, 3, 4, 5, 8, 12, 16, 32)
TARGETS = ("pvc", "bmg", "dg2")
FRAME = 77  # what every result lies in
ROOMS = ((3, 3), (3, 3), (0, 0), (1, 16), (3, 32))  # where a result lies in its frame
WORDS = 64  # elements of whole words in each dtype: block messages reach frames of such rows
Shape = tuple[int, int]


@dataclass(frozen=True)
class TileCase:
    """A tile of `shape` at `place` of an array of `size`, rows `pitch` elements apart, and what is done with it."""

    shape: Shape
    dtype: str
    size: Shape
    pitch: int
    place: Shape
    operations: tuple[tuple[str, int], ...]
    subgroups: int | None = None
    map: tuple[Shape, Shape] | None = None
    target: str = "pvc"
    way: str = ""  # how the CPU device runs it: "vector", "emulate" (the target's module), or not at all
    room: Shape = (3, 3)
    aligned: bool = False  # frames of whole words

    def describe(self) -> str:
        return repr(self)

    def check(self) -> str | None:
        """Raises AssertionError where a level, or the device, differs from the first level."""
        try:
            found = self.levels()
        except ResourceError:
            return "refused"
        first = found.pop("xetile")
        if self.way:
            found[f"cpu, {self.way}"] = self.launched()
        for where, values in found.items():
            for name, value in values.items():
                np.testing.assert_array_equal(value, first[name], err_msg=f"{name} at {where}: {self.operations}")
        return f"with cpu, {self.way}" if self.way else None

    @property
    def programs(self) -> int:
        return len(self.operations)

    def alone(self) -> list[TileCase]:
        return [replace(self, operations=(one,)) for one in self.operations]

    def values(self) -> dict[str, np.ndarray]:
        """Inputs and frames. Small whole numbers: sums are exact in whatever order."""
        rng = np.random.default_rng(self.shape[0] * 131 + self.shape[1])
        dtype, low = getattr(xt, self.dtype).numpy, 0 if self.dtype.startswith("u") else -1
        (rows, columns), (height, width) = self.size, self.shape
        padded = rng.integers(low, 2, (rows, self.pitch)).astype(dtype)
        longest = max(height, width) + 3 + max(self.room)
        if self.aligned:
            longest = -(-longest // WORDS) * WORDS
        return {
            "A": padded[:, :columns],
            "R": rng.integers(low, 2, longest).astype(dtype),
            "Out": np.full((len(self.operations), longest, longest), FRAME).astype(dtype),
            "Counts": np.full((longest, longest), FRAME, np.int32),
        }

    def case(self) -> dict[str, Any]:
        given = None if self.map is None else xt.wg_map(*self.map)
        return {"SHAPE": self.shape, "PLACE": self.place, "OPERATIONS": self.operations, "MAP": given, "ROOM": self.room}

    def levels(self) -> dict[str, dict[str, np.ndarray]]:
        """What every level leaves in the arrays."""
        seen = specialize("kernel", self.values(), find_device("numpy"), self.target)
        what = Request(kernel.fn, Signature(seen.types), self.case(), self.target, self.subgroups, seen.index_bits)
        found = {}
        for level, module in pipeline.lower(trace(what), get_target(self.target)):
            verify(module)
            values = self.values()
            interpret(module, (1, 1, 1), arguments(module.kernel, values), target=self.target)
            found[level] = {name: values[name] for name in ("Out", "Counts")}
        return found

    def launched(self) -> dict[str, np.ndarray]:
        values = self.values()
        target = {"target": self.target} if self.way == "emulate" else {}
        with override(cpu=self.way), xt.device("cpu"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            kernel[(1,)](*values.values(), num_subgroups=self.subgroups, **self.case(), **target)
        return {name: values[name] for name in ("Out", "Counts")}


@xt.jit
def kernel(A, R, Out, Counts, SHAPE: xt.constexpr, PLACE: xt.constexpr, OPERATIONS: xt.constexpr, MAP: xt.constexpr,
           ROOM: xt.constexpr):  # fmt: skip
    """Out[k]: what operation k makes of the tile."""
    for k in xt.static_range(len(OPERATIONS)):
        value = carry_out(OPERATIONS[k], Tile(A, R, Out[k], Counts, SHAPE, PLACE, MAP))
        xt.store_tile(value.to(A.dtype), xt.init_tile(Out[k], ROOM, value.shape))


@xt.jit
def carry_out(operation, tile):
    """The result of one operation."""
    return OPERATIONS[operation[0]](tile, operation[1])


@dataclass
class Tile:
    """What an operation works on."""

    A: Any
    R: Any
    frame: Any
    counts: Any
    shape: Shape
    place: Shape
    map: Layout | None

    def load(self, padding: int = 0) -> Any:
        return xt.load_tile(xt.init_tile(self.A, self.place, self.shape, wg_map=self.map), padding=padding)

    def counted(self) -> Any:
        """The tile as numbers in which sums of products are exact."""
        x = self.load()
        return x.to(xt.f32) if x.dtype.is_float and x.dtype is not xt.f64 else x


OPERATIONS: dict[str, Callable[[Tile, int], Any]] = {}


def operation(function: Callable[[Tile, int], Any]) -> Callable[[Tile, int], Any]:
    OPERATIONS[getattr(function, "fn", function).__name__] = function
    return function


@operation
def twice(t: Tile, n: int) -> Any:
    x = t.load(n % 3)
    return x + x if n % 2 else x * 3 + 1


@operation
def cast(t: Tile, n: int) -> Any:
    x = t.load()
    wide = (xt.f32, xt.i32, xt.f16, xt.i8, xt.f64, xt.i64)[n % 6]
    return (x.to(wide) * 2 + 1).to(x.dtype)


@operation
def total(t: Tile, n: int) -> Any:
    x = t.load(n % 2)
    return xt.sum(x, n // 2 % 2) if n < 40 else x + xt.sum(x.to(xt.i32)).to(x.dtype)


@operation
def extreme(t: Tile, n: int) -> Any:
    """Padding and places outside must not win: all elements are below zero, or above."""
    x = t.load() - 2 if n % 2 and t.A.dtype.kind != "u" else t.load() + 2
    return xt.tile_reduce(("max", "min", "maxnum", "minnum")[n // 2 % 4], x, n // 8 % 2)


@operation
def product_of_all(t: Tile, n: int) -> Any:
    return xt.tile_reduce("mul", t.load(1) * 0 + 1, n % 2)


@operation
def bits(t: Tile, n: int) -> Any:
    x = t.load().to(xt.i32) + 2
    return xt.tile_reduce(("and", "or", "xor")[n % 3], x, n // 3 % 2)


@operation
def mask(t: Tile, n: int) -> Any:
    x = t.load()
    held = xt.any(x > 0, n % 2) if n % 4 < 2 else xt.all(x >= 0, n % 2)
    return xt.where(held, x, x + x).to(xt.i32)


@operation
def where_best(t: Tile, n: int) -> Any:
    return (xt.argmax if n % 2 else xt.argmin)(t.load(), n // 2 % 2) % 8


@operation
def dropped(t: Tile, n: int) -> Any:
    """A reduction of rank 1, stretched again."""
    x = t.load()
    line = xt.sum(x.to(xt.i32), n % 2, keepdims=False)
    return x.to(xt.i32) + (line[None, :] if n % 2 == 0 else line[:, None])


@operation
def cut(t: Tile, n: int) -> Any:
    """Bytes with their sign of the largest number in each row or column, which one lane has and gives to all."""
    x = t.load().to(xt.i32) * 37 + (xt.arange(t.shape[0])[:, None] * 5 + xt.arange(t.shape[1])[None, :] * 3).to(xt.i32)
    top = xt.tile_broadcast(xt.max(x, n % 2), t.shape)
    return x + ((top << 24) >> (24 + n // 2 % 5) if n % 3 else top.to(xt.i8).to(xt.i32))


@operation
def running(t: Tile, n: int) -> Any:
    return xt.cumsum(t.counted(), n % 2)


@operation
def transposed(t: Tile, n: int) -> Any:
    x = t.load()
    return x.T if n % 2 else (x + 1).T


@operation
def of_transposed(t: Tile, n: int) -> Any:
    """The tile of the transposed array."""
    x = xt.load_tile(xt.init_tile(t.A.T, t.place[::-1], t.shape[::-1]), padding=n % 2)
    return x if n % 3 else x.T + 1


@operation
def row(t: Tile, n: int) -> Any:
    return t.load() + xt.load_tile(xt.init_tile(t.R, n % 5 - 2, (t.shape[1],)))[None, :]


@operation
def column(t: Tile, n: int) -> Any:
    r = xt.load_tile(xt.init_tile(t.R, n % 5 - 2, (t.shape[0],)))[:, None]
    return t.load() + r if n % 2 else xt.tile_broadcast(r, t.shape)


@operation
def slice_from_anywhere(t: Tile, n: int) -> Any:
    """A line of the tile at a place that memory holds, stretched again."""
    x, axis = t.load(), n % 2
    k = xt.minimum(xt.maximum(t.R[n % 7].to(xt.i32), -t.shape[axis]), t.shape[axis] - 1)
    k = xt.where(k < 0, k + t.shape[axis], k)
    return x + (x[k : k + 1, :] if axis == 0 else x[:, k : k + 1])


@operation
def column_tile(t: Tile, n: int) -> Any:
    return t.load() - xt.load_tile(xt.init_tile(t.A, (t.place[0], n % 4), (t.shape[0], 1)))


@operation
def alike(t: Tile, n: int) -> Any:
    """A column or a row of which all elements are one number of memory: so are those of all lanes."""
    line = xt.zeros((t.shape[0], 1) if n % 2 else (1, t.shape[1]), t.A.dtype) + t.R[n % 3]
    x = t.load()
    return (x - line, line * 3 + x, xt.where(line > 0, x, line), xt.minimum(x, line))[n // 2 % 4]


@operation
def outer(t: Tile, n: int) -> Any:
    """Rows and columns without a tile."""
    places = xt.arange(t.shape[0])[:, None] * 3 + xt.arange(t.shape[1])[None, :]
    return (places % (n + 2)).to(xt.i32)


@operation
def scalar(t: Tile, n: int) -> Any:
    return t.load() + xt.max(t.load()).to(t.A.dtype) if n % 2 else t.load() * 0 + xt.min(t.load(1))


@operation
def product(t: Tile, n: int) -> Any:
    """On DPAS where it takes such a depth and width, else by multiplying and adding."""
    M, N = t.shape
    if n % 4 and N % 16 == 0:
        a = xt.load_tile(xt.init_tile(t.A, t.place, (M, 16 * (1 + n % 3)))).to(xt.f16)
        b = xt.load_tile(xt.init_tile(t.A, t.place[::-1], (16 * (1 + n % 3), N)))
        return xt.tile_mma(a, b.to(xt.f16) if n % 2 else (b.to(xt.f32) * 2).to(xt.f16)).to(xt.i32) % 64
    a = xt.load_tile(xt.init_tile(t.A, t.place, (M, 1 + n % 7))).to(xt.f32)
    b = xt.load_tile(xt.init_tile(t.A, t.place[::-1], (1 + n % 7, N))).to(xt.f32)
    return a @ b + t.load().to(xt.f32)


@operation
def gathered(t: Tile, n: int) -> Any:
    x = t.load().to(xt.i32) + n % 3
    return xt.load_gather(xt.init_tile(t.R, xt.abs(x)), x > 0, padding=2)


@operation
def scattered(t: Tile, n: int) -> Any:
    """Every element to a place of its own, those above zero only."""
    M, N = t.shape
    places = (xt.arange(M)[:, None] + n % 3) * t.counts.stride(0) + xt.arange(N)[None, :]
    x = t.load()
    xt.store_scatter(x.to(xt.i32), xt.init_tile(t.counts, places), x > 0)
    return x


@operation
def added(t: Tile, n: int) -> Any:
    """Atomically; the old elements are those that lie there."""
    x = t.load()
    xt.atomic_rmw_tile("add", x.to(xt.i32), xt.init_tile(t.counts, (n % 7 - 1, n % 5 - 1), t.shape))
    return x


@operation
def edge(t: Tile, n: int) -> Any:
    """A store of which part is outside, on each of the four sides."""
    M, N = t.shape
    place = ((-2, 1), (1, -3), (t.frame.shape[0] - M + 1, 2), (2, t.frame.shape[1] - N + 2))[n % 4]
    x = t.load()
    xt.store_tile(x + 1, xt.init_tile(t.frame if n % 8 < 4 else t.frame.T, place, t.shape))
    return xt.tile_reduce("max", xt.tile_reduce("max", x, 0), 1)


@operation
@xt.jit
def moved(t, n):
    """A sum over tiles that move, some of them outside."""
    tile = xt.init_tile(t.A, t.place, t.shape)
    acc = xt.zeros(t.shape, xt.f32)
    for _ in range(3):
        acc = acc + xt.load_tile(tile).to(xt.f32)
        tile = xt.update_tile_offset(tile, (n % 3, t.shape[1] if n % 2 else 2))
    return acc


@operation
@xt.jit
def chosen(t, n):
    """Values that a loop and a branch carry, reduced after each step."""
    x = t.load().to(xt.i32)
    best = xt.tile_reduce("max", x, n % 2)
    for i in range(3):
        if i % 2 == n % 2:
            x = x + best
        else:
            x = xt.minimum(x, 5) - 1
        best = xt.tile_reduce("max", x, n % 2)
    return xt.tile_broadcast(best, t.shape) + x


def extent(random: Random) -> int:
    """Every size to 130, small ones more often, and sizes near those that hardware has."""
    kind = random.randrange(6)
    if kind == 0:
        return random.randint(1, 130)
    if kind == 1:
        return max(1, random.choice((8, 16, 24, 32, 48, 64, 96)) + random.randint(-1, 1))
    if kind == 2:
        return random.randint(1, 9) * random.choice((1, 3, 5, 8))
    return random.randint(1, 40)


def tiles(random: Random) -> TileCase:
    """A case from random numbers."""
    shape = extent(random), extent(random)
    most = random.choice((4000, *(600,) * 11))  # a case takes as long as its tile is large
    if shape[0] * shape[1] > most:
        shape = shape[0], max(1, most // shape[0])
    size = tuple(max(1, n + random.choice((0, 0, -1, -5, 7, 16))) for n in shape)
    pitch = size[1] + random.choice((0, 0, 0, 1, 3)) if random.random() < 0.5 else -(-(size[1] + 1) // 64) * 64
    place = random.choice(((0, 0), (0, 0), (random.randint(-6, 6), random.randint(-6, 6)), (1, 16)))
    count = random.randint(1, 3)
    operations = tuple((random.choice(sorted(OPERATIONS)), random.randrange(60)) for _ in range(count))
    subgroups = random.choice(SUBGROUPS)
    given = _map(random, shape) if random.random() < 0.2 else None
    if given is not None:
        subgroups = given[0][0] * given[0][1]
    dtype, target = random.choice(DTYPES), random.choice(TARGETS)
    if target == "dg2" and (dtype == "f64" or any(name == "cast" and n % 6 == 4 for name, n in operations)):
        target = "pvc"  # which has f64
    area = shape[0] * shape[1]
    # What takes the driver long is left to the levels.
    way = "" if area > 2000 else "emulate" if area < 200 and random.random() < 0.05 else "vector"
    room, aligned = random.choice(ROOMS), random.random() < 0.5
    return TileCase(shape, dtype, size, pitch, place, operations, subgroups, given, target, way, room, aligned)


def _map(random: Random, shape: Shape) -> tuple[Shape, Shape]:
    """A grid of subgroups whose pieces fit the tile."""
    data = tuple(random.choice([d for d in range(1, n + 1) if n % d == 0][-2:]) for n in shape)
    grid = tuple(random.choice([g for g in range(1, 9) if n // d % g == 0 or g % (n // d) == 0]) for n, d in zip(shape, data))
    return (grid[0], grid[1]), (data[0], data[1])


if __name__ == "__main__":
    main(tiles)
