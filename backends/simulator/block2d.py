"""2D block messages: a rectangle of a surface to and from registers; what lies outside reads as zero and is not written.

The payload: base address (64 bits), width - 1, height - 1, pitch - 1 in bytes, x, y in elements, then width - 1 [7:0], height - 1
[15:8] and count - 1 [19:16] of the blocks, which lie side by side.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import gcd

import numpy as np

from .errors import UnsupportedError, ViolationError
from .isa import XE2, Array, Instruction
from .memory import UNITS, World
from .messages import DATA, FLAT, answer_registers, field, signed_field
from .operands import mask_of
from .state import Layout, Step, Threads

SIZE_LIMIT = 1 << 24
PAYLOAD_BYTES = 32


@dataclass(frozen=True, slots=True)
class Shape:
    """The blocks of a message: elements of `size` bytes, so many columns, rows and blocks; how they lie in registers."""

    size: int
    columns: int
    rows: int
    count: int
    transposed: bool
    packed: bool
    store: bool


@dataclass(frozen=True, slots=True)
class Payload:
    """What the threads' messages say, one number for each thread; sizes in bytes, x and y in elements."""

    base: Array
    width: Array
    height: Array
    pitch: Array
    x: Array
    y: Array

    def take(self, which: Array) -> Payload:
        """Of some of the threads."""
        return Payload(*(getattr(self, name)[which] for name in self.__slots__))


def block(layout: Layout, inst: Instruction, *, store: bool) -> Step:
    """A 2D block load, store or prefetch."""
    if field(inst.desc, 29, 2) != FLAT:
        raise UnsupportedError("a 2D block message on a surface")
    size = DATA[field(inst.desc, 9, 3)][0]
    data = inst.operands[2] if store else inst.operands[0]
    moved = (data.length or 0) if store else answer_registers(inst)
    mask, payload = mask_of(inst), _payload(layout, inst)
    transposed, packed = bool(field(inst.desc, 15, 1)), bool(field(inst.desc, 7, 1))

    def step(t: Threads) -> None:
        where, chosen = mask(t), t
        if where is not None and not where[:, 0].all():
            if not where[:, 0].any():
                return
            chosen = t.take(np.nonzero(where[:, 0])[0])
        found, words = payload(chosen)
        if (words != words[0]).any():
            raise UnsupportedError("blocks of different shapes in one message")
        columns, rows, count = (field(int(words[0]), low, bits) + 1 for low, bits in ((0, 8), (8, 8), (16, 4)))
        shape = Shape(size, columns, rows, count, transposed, packed, store)
        check(found, shape)
        if data.file == "null":
            return
        order = _order(shape, layout.grf_bytes)
        if moved != order.bytes // layout.grf_bytes:
            raise ViolationError(f"the message moves {moved} registers, its block has {order.bytes // layout.grf_bytes}")
        if store:
            _store(chosen, data.reg, found, shape, order)
            return
        chosen.set_registers(data.reg, _load(t.world, found, shape, order))
        if chosen is not t:
            t.file[:, where[:, 0]] = chosen.file  # type: ignore[index]  # where is an array here

    return step


def _payload(layout: Layout, inst: Instruction) -> Callable[[Threads], tuple[Payload, Array]]:
    """Reads what a message says, and its shape's word."""
    dx = dy = 0
    if isinstance(inst.ex_desc, str):
        raise UnsupportedError("an extended descriptor in a register")
    if layout.target in XE2:
        dx, dy = signed_field(inst.ex_desc, 12, 10), signed_field(inst.ex_desc, 22, 10)
    first = inst.operands[1].reg

    def read(t: Threads) -> tuple[Payload, Array]:
        words = t.views["ud"][first, :, : PAYLOAD_BYTES // 4].astype(np.int64)
        if (words[:, 2:5] >= SIZE_LIMIT).any():
            raise ViolationError("a size of the surface does not fit 24 bits")
        places = words[:, 5:7].astype(np.uint32).view(np.int32).astype(np.int64)
        found = Payload(words[:, 0] | words[:, 1] << 32, words[:, 2] + 1, words[:, 3] + 1, words[:, 4] + 1,
                        places[:, 0] + dx, places[:, 1] + dy)  # fmt: skip
        return found, words[:, 7]

    return read


def _misfit(p: Payload, s: Shape) -> str:
    """The first restriction that a payload breaks; "" where it breaks none (the multiple of 16 for pitches: inferred)."""
    odd = (p.base & 63) | (p.width & (max(4, s.size) - 1)) | (p.pitch & 15) | (p.x * s.size & 3)
    if not odd.any() and not ((p.width < 64) | (p.pitch < p.width)).any():
        return _misshapen(s)
    rules = (
        (p.base % 64 == 0, "the base address is no multiple of 64 bytes"),
        (p.width >= 64, "the surface is less than 64 bytes wide"),
        (p.width % max(4, s.size) == 0, "the surface's width is no multiple of 4 bytes"),
        (p.pitch >= p.width, "the pitch is less than the width"),
        (p.pitch % 16 == 0, "the pitch is no multiple of 16 bytes"),
        (p.x * s.size % 4 == 0, "x is no multiple of 4 bytes"),
    )
    return next(text for holds, text in rules if not holds.all())


@cache
def _misshapen(s: Shape) -> str:
    """The first restriction that a shape breaks; "" where it breaks none."""
    rules = (
        (s.columns * s.size % 4 == 0, "a block's row is no multiple of 4 bytes"),
        (s.columns * s.count * s.size <= 64, "rows of all blocks together have more than 64 bytes"),
        (s.rows <= 32, "a block has more than 32 rows"),
        (not s.store or (s.rows <= 8 and s.count == 1), "a store of more than 8 rows or of several blocks"),
        (not s.transposed or (s.count == 1 and _transposable(s)), "a transposed block of this shape"),
        (not s.packed or (s.size <= 2 and 4 <= s.columns <= 16), "a packed block of this shape"),
    )
    return next((text for holds, text in rules if not holds), "")


def _transposable(s: Shape) -> bool:
    return (s.size == 4 and s.columns <= 8 and s.rows <= 32) or (s.size == 8 and s.columns <= 4 and s.rows == 8)


def check(p: Payload, s: Shape) -> None:
    """Raises ViolationError for a payload that the hardware does not take."""
    if text := _misfit(p, s):
        raise ViolationError(
            f"2D block message: {text} (block {s.rows}x{s.columns} x{s.count} of {s.size} bytes; {_described(p)})"
        )


def _described(p: Payload) -> str:
    return ", ".join(f"{name} {int(getattr(p, name)[0]):#x}" for name in p.__slots__) + " in the first thread"


@dataclass(frozen=True, slots=True)
class Order:
    """Of each element of the blocks, block by block and row by row: its x, its y, and its place in the registers, in elements."""

    x: Array
    y: Array
    place: Array
    bytes: int


@cache
def _order(s: Shape, grf_bytes: int) -> Order:
    n, r, c = np.meshgrid(np.arange(s.count), np.arange(s.rows), np.arange(s.columns), indexing="ij")
    width, height = _power(s.columns), _power(s.rows)
    if s.transposed:
        place, size = c * height + r, s.columns * height
    elif s.packed:
        per = 4 // s.size
        place, size = (r // per * width + c) * per + r % per, -(-s.rows // per) * per * width
    else:
        place, size = r * width + c, s.rows * width
    stride = -(-size * s.size // grf_bytes) * grf_bytes
    place = place + n * (stride // s.size)
    return Order((n * s.columns + c).reshape(-1), r.reshape(-1), place.reshape(-1), s.count * stride)


def _power(n: int) -> int:
    return 1 << (n - 1).bit_length()


def _inside(p: Payload, s: Shape) -> Array:
    """Threads whose blocks lie in the surface as a whole."""
    return (p.x >= 0) & (p.y >= 0) & ((p.x + s.columns * s.count) * s.size <= p.width) & (p.y + s.rows <= p.height)


def _load(world: World, p: Payload, s: Shape, order: Order) -> Array:
    """Rows of bytes as they go to registers."""
    out = np.zeros((p.base.size, order.bytes // s.size), UNITS[s.size])
    whole = _inside(p, s)
    if whole.all():
        out[:, order.place] = _rows(world, p, s)
        return out.view(np.uint8)
    if whole.any():
        some = np.nonzero(whole)[0]
        out[some[:, None], order.place] = _rows(world, p.take(some), s)
    rest = np.nonzero(~whole)[0]
    out[rest[:, None], order.place] = _clipped(world, p.take(rest), s, order)
    return out.view(np.uint8)


def _rows(world: World, p: Payload, s: Shape) -> Array:
    """Elements of blocks that lie within their surfaces, in large pieces: threads by elements, in the order of `Order`."""
    width = s.columns * s.size
    start = p.base + p.y * p.pitch + p.x * s.size
    unit = gcd(width, 16, int(np.gcd.reduce(start)), int(np.gcd.reduce(p.pitch)))
    chunks = width // unit
    blocks, rows, steps = np.arange(s.count) * width, np.arange(s.rows), np.arange(chunks) * unit
    at = start[:, None, None, None] + blocks[:, None, None] + (rows * p.pitch[:, None])[:, None, :, None] + steps
    world.memory.check(at, unit, store=False)
    return world.memory.gather(at, unit).reshape(p.base.size, -1).view(UNITS[s.size])


def _elements(p: Payload, s: Shape, order: Order) -> tuple[Array, Array]:
    """Addresses of all elements, and which lie in the surface."""
    x, y = p.x[:, None] + order.x, p.y[:, None] + order.y
    inside = (x >= 0) & (y >= 0) & (x * s.size + s.size <= p.width[:, None]) & (y < p.height[:, None])
    return p.base[:, None] + y * p.pitch[:, None] + x * s.size, inside


def _clipped(world: World, p: Payload, s: Shape, order: Order) -> Array:
    address, inside = _elements(p, s, order)
    world.memory.check(address[inside], s.size, store=False)
    values = np.zeros(address.shape, UNITS[s.size])
    values[inside] = world.memory.gather(address[inside], s.size)
    return values


def _store(t: Threads, first: int, p: Payload, s: Shape, order: Order) -> None:
    raw = np.ascontiguousarray(t.registers(first, order.bytes // t.layout.grf_bytes)).view(UNITS[s.size])[:, order.place]
    address, inside = _elements(p, s, order)
    t.world.memory.check(address[inside], s.size, store=True)
    t.world.memory.scatter(address[inside], raw[inside])
