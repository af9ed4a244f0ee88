"""Random chains of operations, as tuples of numbers, and the kernel that carries them out.

A step is (operation, a, b, c); the numbers choose among what there is, modulo how many there are, so that every tuple means
something. Numbers are kept small and whole: every level and device gives the same bits, in whatever order it adds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import xetile as xt
from xetile.layout import Layout

ROWS, COLUMNS = (1, 8, 16, 32), (1, 16, 32)
LARGEST = (32, 32)
KEPT = 3  # values of a program that are stored: the last ones
DTYPES = (xt.f32, xt.f16, xt.i32, xt.i16, xt.u8)
SIZE = (40, 96)
Step = tuple[str, int, int, int]
Program = tuple[Step, ...]


def arrays() -> list[np.ndarray]:
    """A[M, N] of each dtype: whole numbers from -3, or 0, to 3."""
    rng = np.random.default_rng(77)
    return [rng.integers(0 if d is xt.u8 else -3, 4, SIZE).astype(d.numpy) for d in DTYPES]


@xt.jit
def kernel(F32, F16, I32, I16, U8, Out, n, PROGRAMS: xt.constexpr, SUBGROUPS: xt.constexpr, MAPPED: xt.constexpr):
    """Out[p, k, 32, 32]: the last values of each program."""
    for p in xt.static_range(len(PROGRAMS)):
        values = carry_out(PROGRAMS[p], (F32, F16, I32, I16, U8), n, SUBGROUPS, MAPPED)
        for k in xt.static_range(len(values)):
            xt.store_tile(values[k].to(xt.f32), xt.init_tile(Out[p, k], (0, 0), values[k].shape))


@xt.jit
def carry_out(program, bases, n, subgroups, mapped):
    """The last values of a program."""
    state = State(bases, n, subgroups, mapped)
    state.keep(state.load(0, len(program), 1))
    for name, a, b, c in program:
        state.keep(OPERATIONS[name](state, a, b, c))
    return tuple(state.values[-KEPT:])


class State:
    """The values so far."""

    def __init__(self, bases: tuple[Any, ...], n: Any, subgroups: int, mapped: bool) -> None:
        self.bases, self.n, self.subgroups, self.mapped = bases, n, subgroups, mapped
        self.values: list[Any] = []

    def keep(self, value: Any) -> None:
        self.values.append(self.tame(value))

    def value(self, number: int) -> Any:
        return self.values[-1 - number % min(4, len(self.values))]

    def tame(self, value: Any) -> Any:
        """Small whole numbers again; masks as they are."""
        if value.dtype is xt.bool:
            return value
        value = value.to(xt.i32) if value.dtype is xt.index else value
        return xt.clamp(value, 0 if value.dtype.kind == "u" else -7, 7)

    def number(self, value: Any) -> Any:
        return value.to(xt.i32) if value.dtype is xt.bool else value

    def map(self, shape: tuple[int, int], a: int) -> Layout | None:
        """A map with round robin, sharing or neither, where one fits."""
        if not self.mapped:
            return None
        rows = [d for d in (1, 2, 4, 8) if self.subgroups % d == 0][a % self.subgroups.bit_length()]
        grid = (rows, self.subgroups // rows)
        data = tuple(size if a % 5 == 0 else max(1, size // count // (1 + a % 2)) for size, count in zip(shape, grid))
        return xt.wg_map(grid, data) if all(s % d == 0 for s, d in zip(shape, data)) else None

    def load(self, a: int, b: int, c: int, shape: tuple[int, int] | None = None) -> Any:
        """A tile inside, at an edge or outside of an array, of it as it is or transposed."""
        shape = shape or (ROWS[a % len(ROWS)], COLUMNS[b % len(COLUMNS)])
        base = self.bases[c % len(self.bases)]
        base = base.T if b % 7 == 3 else base
        place = ((a * 5 + c) % 50 - 8, (b * 13 + a) % 100 - 12)
        tile = xt.init_tile(base, place, shape, wg_map=self.map(shape, a + b) if c % 3 == 0 else None)
        return xt.load_tile(tile, padding=c % 2)

    def partner(self, x: Any, b: int, c: int) -> Any:
        """A value that goes with another: of a fitting shape, or a fresh one."""
        y = self.number(self.value(b))
        fits = all(p == q or 1 in (p, q) for p, q in zip(x.shape, y.shape))
        return y if fits else self.load(b, c, b + c, x.shape)


OPERATIONS: dict[str, Callable[[State, int, int, int], Any]] = {}


def operation(function: Callable[[State, int, int, int], Any]) -> Callable[[State, int, int, int], Any]:
    OPERATIONS[getattr(function, "fn", function).__name__] = function
    return function


operation(State.load)


@operation
def combine(s: State, a: int, b: int, c: int) -> Any:
    x = s.number(s.value(a))
    y = s.partner(x, b, c)
    return (lambda: x + y, lambda: x - y, lambda: x * y, lambda: xt.maximum(x, y), lambda: xt.minimum(x, y))[c % 5]()


@operation
def choose(s: State, a: int, b: int, c: int) -> Any:
    x = s.number(s.value(a))
    y = s.partner(x, b, c)
    mask = (lambda: x < y, lambda: x == y, lambda: ~(x >= y) | (y > 2), lambda: (x != y) ^ (x > 0))[c % 4]()
    return mask if c % 3 == 0 else xt.where(mask, x, y)


@operation
def convert(s: State, a: int, b: int, c: int) -> Any:
    target = DTYPES[b % len(DTYPES)]
    x = s.number(s.value(a))
    return xt.abs(x).to(target) if target is xt.u8 else x.to(target)


@operation
def integers(s: State, a: int, b: int, c: int) -> Any:
    x = s.number(s.value(a)).to(xt.i32)
    y = s.partner(x, b, c).to(xt.i32)
    return (lambda: x & y, lambda: x | y, lambda: x ^ 5, lambda: x // 3, lambda: x % 4, lambda: x << 1, lambda: y >> 1)[c % 7]()


@operation
def floats(s: State, a: int, b: int, c: int) -> Any:
    x = s.number(s.value(a)).to(xt.f32)
    half = x * 0.5
    return (lambda: xt.floor(half), lambda: xt.ceil(half), lambda: xt.round(half), lambda: xt.sqrt(x * x), lambda: -xt.abs(x),
            lambda: xt.fma(x, x, 1.0))[c % 6]()  # fmt: skip


@operation
def turn(s: State, a: int, b: int, c: int) -> Any:
    x = s.value(a)
    return x.T if x.shape[0] in COLUMNS else x


@operation
def reduce(s: State, a: int, b: int, c: int) -> Any:
    x = s.number(s.value(a))
    return xt.tile_reduce(("add", "max", "min", "minnum")[c % 4], x, b % 2)


@operation
def scan(s: State, a: int, b: int, c: int) -> Any:
    return xt.cumsum(s.number(s.value(a)), b % 2)


@operation
def find(s: State, a: int, b: int, c: int) -> Any:
    return (xt.argmax if c % 2 else xt.argmin)(s.number(s.value(a)), b % 2)


@operation
def stretch(s: State, a: int, b: int, c: int) -> Any:
    x = s.value(a)
    shape = (ROWS[b % len(ROWS)] if x.shape[0] == 1 else x.shape[0], COLUMNS[c % len(COLUMNS)] if x.shape[1] == 1 else x.shape[1])
    return xt.tile_broadcast(x, shape)


@operation
def relay(s: State, a: int, b: int, c: int) -> Any:
    """Another map."""
    x = s.value(a)
    layout = s.map(x.shape, b + c)
    return x if layout is None else xt.tile_conv_layout(x, layout)


@operation
def product(s: State, a: int, b: int, c: int) -> Any:
    x = s.number(s.value(a))
    x = x if x.shape[1] % 16 == 0 else s.load(a, 1 + b % 2, c)
    y = s.load(b, c, 1, (x.shape[1], (16, 32)[c % 2]))
    return xt.tile_mma(x.to(xt.f16), y, xt.full((x.shape[0], y.shape[1]), float(c % 3), xt.f32) if b % 2 else None)


@operation
def thin(s: State, a: int, b: int, c: int) -> Any:
    """A product of depth 1, or of one column: sizes that no map of the user's takes."""
    if s.mapped:
        return product(s, a, b, c)
    x = s.number(s.value(a))
    if c % 2:
        x = x if x.shape[1] == 1 else s.load(a, 0, c)
    else:
        x = x if x.shape[1] % 16 == 0 else s.load(a, 1, c)
    y = s.load(b, c, 1, (x.shape[1], (16, 32)[b % 2] if c % 2 else 1))
    return xt.tile_mma(x.to(xt.f16), y, xt.full((x.shape[0], y.shape[1]), 2.0, xt.f32) if b % 3 else None)


@operation
def onto_itself(s: State, a: int, b: int, c: int) -> Any:
    """A product that is added to one of its operands."""
    x = s.number(s.value(a)).to(xt.f32)
    x = x if x.shape == LARGEST else s.load(a, b, 0, LARGEST)
    y = s.load(b, c, 0, LARGEST)
    return (lambda: xt.tile_mma(x, y, x), lambda: xt.tile_mma(y, x, x), lambda: x @ x + x)[c % 3]()


@operation
def places(s: State, a: int, b: int, c: int) -> Any:
    row = xt.arange(COLUMNS[a % len(COLUMNS)])[None, :] + s.n
    return row if b % 2 else row * 3 % 8 - xt.arange(ROWS[c % len(ROWS)])[:, None] % 5


@operation
def gather(s: State, a: int, b: int, c: int) -> Any:
    x = s.number(s.value(a)).to(xt.i32)
    where = xt.abs(x) * 4 + b % 16
    return xt.load_gather(xt.init_tile(s.bases[c % len(s.bases)][c % SIZE[0]], where), where > 5, padding=2)


@operation
def whole(s: State, a: int, b: int, c: int) -> Any:
    """A scalar of all elements, and back."""
    x = s.number(s.value(a))
    top = xt.clamp(xt.sum(x.to(xt.i32)), -3, 3) if c % 2 else xt.max(x).to(xt.i32)
    return x.to(xt.i32) - top


@operation
def shared(s: State, a: int, b: int, c: int) -> Any:
    """Through shared local memory of the kernel's own, moved or transposed."""
    x = s.number(s.value(a))
    memory = xt.alloc_slm(LARGEST, x.dtype)
    xt.store_tile(0, xt.init_tile(memory, (0, 0), LARGEST))
    xt.barrier()
    xt.store_tile(x, xt.init_tile(memory, (b % 5, c % 5), x.shape))
    xt.barrier()
    view = memory.T if c % 2 else memory
    return xt.load_tile(xt.init_tile(view, (c % 5, b % 5), x.shape))


@operation
@xt.jit
def loop(s, a, b, c):
    x = s.number(s.value(a)).to(xt.f32)
    y = s.partner(x, b, c).to(xt.f32)
    y = y if all(q in (1, p) for p, q in zip(x.shape, y.shape)) else x
    for i in range(s.n + c % 3):
        if i % 2 == 0:
            x = xt.clamp(x + y, -7, 7)
        else:
            x = xt.clamp(x - i, -7, 7)
    return x


@operation
@xt.jit
def again(s, a, b, c):
    """A while loop and a branch on what a value holds."""
    x = s.number(s.value(a)).to(xt.i32)
    steps = 0
    while xt.max(x) > c % 5 and steps < 4:
        x = x - 1
        steps += 1
    if s.n + steps > b % 6:
        x = x + 1
    return x
