"""2D block messages: a rectangle of a surface to and from registers; what lies outside reads as zero and is not written.

The payload: base address (64 bits), width - 1, height - 1, pitch - 1 in bytes, x, y in elements, then width - 1 [7:0], height - 1
[15:8] and count - 1 [19:16] of the blocks, which lie side by side.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from math import gcd

import numpy as np

from xetile.records import dataclass

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
    """What the threads' messages say; sizes in bytes, x and y in elements.

    x and y have a number for each thread, the others too, or one for all.
    """

    base: Array
    width: Array
    height: Array
    pitch: Array
    x: Array
    y: Array

    def take(self, which: Array) -> Payload:
        """Of some of the threads."""
        given = [getattr(self, name) for name in self.__slots__]
        return Payload(*(numbers if numbers.size == 1 else numbers[which] for numbers in given))

    @property
    def pitches(self) -> int:
        """The pitch of all; 0 where they differ."""
        first = int(self.pitch[0])
        return first if self.pitch.size == 1 or bool((self.pitch == first).all()) else 0


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
        found, word = payload(chosen)
        shape = _shape(word & 0xFFFFF, size, transposed, packed, store)
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


def stored_bytes(layout: Layout, inst: Instruction) -> Callable[[Threads], Array]:
    """What a block store takes of its data's registers: bytes, counted from the first; all where threads' blocks differ."""
    size, address = DATA[field(inst.desc, 9, 3)][0], inst.operands[1].reg
    every = np.arange((inst.operands[2].length or 0) * layout.grf_bytes)

    @cache
    def taken(word: int) -> Array:
        order = _order(_shape(word & 0xFFFFF, size, False, False, True), layout.grf_bytes)
        made: Array = (order.place[:, None] * size + np.arange(size)).reshape(-1)
        return made if order.bytes == every.size else every

    def read(t: Threads) -> Array:
        words = t.views["ud"][address, :, 7]
        return taken(int(words[0])) if (words == words[0]).all() else every

    return read


@cache
def _shape(word: int, size: int, transposed: bool, packed: bool, store: bool) -> Shape:
    columns, rows, count = (field(word, low, bits) + 1 for low, bits in ((0, 8), (8, 8), (16, 4)))
    return Shape(size, columns, rows, count, transposed, packed, store)


Surface = tuple[Array, Array, Array, Array]


def _payload(layout: Layout, inst: Instruction) -> Callable[[Threads], tuple[Payload, int]]:
    """Reads what a message says, and its shape's word.  Numbers of the surface are one for all threads where all have the same."""
    dx = dy = 0
    if isinstance(inst.ex_desc, str):
        raise UnsupportedError("an extended descriptor in a register")
    if layout.target in XE2:
        dx, dy = signed_field(inst.ex_desc, 12, 10), signed_field(inst.ex_desc, 22, 10)
    first = inst.operands[1].reg

    def read(t: Threads) -> tuple[Payload, int]:
        raw = t.views["ud"][first, :, : PAYLOAD_BYTES // 4]
        same, one = (raw == raw[0]).all(0).tolist(), raw[0].tolist()
        if not same[7]:
            raise UnsupportedError("blocks of different shapes in one message")
        places = t.views["d"][first, :, 5:7].astype(np.int64)
        x, y = places[:, 0] + dx, places[:, 1] + dy
        surface = _one_surface(*one[:5]) if all(same[:5]) else _surface(raw[:, :5].astype(np.int64))
        return Payload(*surface, x, y), one[7]

    return read


@lru_cache(maxsize=1024)
def _one_surface(*words: int) -> Surface:
    return _surface(np.array([words], np.int64))


def _surface(words: Array) -> Surface:
    """Base, width, height and pitch, from rows of five words.  Raises ViolationError."""
    if (words[:, 2:] >= SIZE_LIMIT).any():
        raise ViolationError("a size of the surface does not fit 24 bits")
    width, height, pitch = words[:, 2:].T + 1
    return words[:, 0] | words[:, 1] << 32, width, height, pitch


def _misfit(p: Payload, s: Shape) -> str:
    """The first restriction that a payload breaks; "" where it breaks none (the multiple of 16 for pitches: inferred)."""
    between = s.size < 4 and bool((p.x * s.size & 3).any())
    if not between and p.base.size == 1 and _fits(int(p.base[0]), int(p.width[0]), int(p.pitch[0]), s.size):
        return _misshapen(s)
    rules = (
        (p.base % 64 == 0, "the base address is no multiple of 64 bytes"),
        (p.width >= 64, "the surface is less than 64 bytes wide"),
        (p.width % max(4, s.size) == 0, "the surface's width is no multiple of 4 bytes"),
        (p.pitch >= p.width, "the pitch is less than the width"),
        (p.pitch % 16 == 0, "the pitch is no multiple of 16 bytes"),
        (p.x * s.size % 4 == 0, "x is no multiple of 4 bytes"),
    )
    return next((text for holds, text in rules if not holds.all()), "") or _misshapen(s)


def _fits(base: int, width: int, pitch: int, size: int) -> bool:
    """Whether no rule for surfaces is broken."""
    return not (base & 63 or width & (max(4, size) - 1) or pitch & 15) and 64 <= width <= pitch


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
    """Of each element of the blocks, block by block and row by row: its place in the registers, in elements.

    source  where the registers' elements come from, or None: they lie in the same order.  whole: there is no gap between them.
    """

    place: Array
    bytes: int
    source: Array | None
    whole: bool


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
    flat, size = place.reshape(-1), s.count * stride
    whole = flat.size * s.size == size
    same = whole and bool((np.diff(flat) == 1).all())
    return Order(flat, size, None if same else np.argsort(flat), whole)


def _power(n: int) -> int:
    return 1 << (n - 1).bit_length()


def _inside(p: Payload, s: Shape) -> Array:
    """Threads whose blocks lie in the surface as a whole."""
    return (p.x >= 0) & (p.y >= 0) & ((p.x + s.columns * s.count) * s.size <= p.width) & (p.y + s.rows <= p.height)


def _load(world: World, p: Payload, s: Shape, order: Order) -> Array:
    """Rows of bytes as they go to registers."""
    inside = _inside(p, s)
    if inside.all():
        return _placed(_rows(world, p, s), s, order)
    out = np.zeros((p.x.size, order.bytes), np.uint8)
    if inside.any():
        some = np.nonzero(inside)[0]
        out[some] = _placed(_rows(world, p.take(some), s), s, order)
    # Blocks that lie outside as a whole are all zeros.
    rest = np.nonzero(~inside & _touching(p, s))[0]
    if rest.size:
        out[rest] = _placed(_clipped(world, p.take(rest), s), s, order)
    return out


def _touching(p: Payload, s: Shape) -> Array:
    """Threads whose blocks have an element in the surface."""
    columns = (p.x + s.columns * s.count > 0) & (p.x * s.size + s.size <= p.width)
    return columns & (p.y + s.rows > 0) & (p.y < p.height)


def _placed(values: Array, s: Shape, order: Order) -> Array:
    """Elements, block by block and row by row, as the registers hold them."""
    if order.source is not None:
        if order.whole:
            values = values.take(order.source, axis=1)
        else:
            spread = np.zeros((values.shape[0], order.bytes // s.size), values.dtype)
            spread[:, order.place] = values
            values = spread
    elif not values.flags.c_contiguous:
        values = np.ascontiguousarray(values)
    return values.view(np.uint8)


def _rows(world: World, p: Payload, s: Shape) -> Array:
    """Elements of blocks that lie within their surfaces, in large pieces: threads by elements, block by block and row by row."""
    width, pitch = s.columns * s.size, p.pitches
    start = p.base + p.y * p.pitch + p.x * s.size
    _check_rows(world, p, s, start, store=False)
    if pitch:
        unit = gcd(width, 16, int(np.bitwise_or.reduce(start)) | pitch | 16)
        made = world.memory.gather(start[:, None] + _offsets(s, pitch, unit), unit)
        return made.view(UNITS[s.size])
    return np.concatenate([_rows(world, p.take(np.array([i])), s) for i in range(start.size)])


def _check_rows(world: World, p: Payload, s: Shape, start: Array, *, store: bool) -> None:
    """Of blocks that begin at `start` and lie within their surfaces.  Raises ViolationError."""
    width = s.columns * s.count * s.size
    world.memory.check_spans(start, start + (s.rows - 1) * p.pitch + width, store=store)
    if world.memory.touched is not None:
        world.memory.note((start[:, None] + np.arange(s.rows) * p.pitch[:, None]).reshape(-1), width)


@lru_cache(maxsize=1024)
def _offsets(s: Shape, pitch: int, unit: int) -> Array:
    """From a block's first byte to each piece of `unit` bytes."""
    blocks, steps = np.arange(s.count) * s.columns * s.size, np.arange(0, s.columns * s.size, unit)
    return (blocks[:, None, None] + (np.arange(s.rows) * pitch)[:, None] + steps).reshape(-1)


def _elements(p: Payload, s: Shape) -> tuple[Array, Array]:
    """Addresses of all elements, block by block and row by row, and which lie in the surface."""
    across = (np.arange(s.count)[:, None] * s.columns + np.arange(s.columns))[:, None, :]
    x, y = p.x[:, None, None, None] + across, p.y[:, None, None, None] + np.arange(s.rows)[:, None]
    columns = (x >= 0) & (x * s.size + s.size <= p.width[:, None, None, None])
    rows = (y >= 0) & (y < p.height[:, None, None, None])
    address = (p.base[:, None, None, None] + y * p.pitch[:, None, None, None]) + x * s.size
    return address.reshape(p.x.size, -1), (rows & columns).reshape(p.x.size, -1)


def _clipped(world: World, p: Payload, s: Shape) -> Array:
    address, inside = _elements(p, s)
    chosen = address[inside]
    world.memory.check(chosen, s.size, store=False)
    values = np.zeros(address.shape, UNITS[s.size])
    values[inside] = world.memory.gather(chosen, s.size)
    return values


def _store(t: Threads, first: int, p: Payload, s: Shape, order: Order) -> None:
    raw = np.ascontiguousarray(t.registers(first, order.bytes // t.layout.grf_bytes)).view(UNITS[s.size])
    if order.source is not None:
        raw = raw[:, order.place]
    width, pitch, memory = s.columns * s.size, p.pitches, t.world.memory
    if pitch and _inside(p, s).all():
        start = p.base + p.y * p.pitch + p.x * s.size
        _check_rows(t.world, p, s, start, store=True)
        unit = gcd(width, 16, int(np.bitwise_or.reduce(start)) | pitch | 16)
        memory.scatter(start[:, None] + _offsets(s, pitch, unit), np.ascontiguousarray(raw).view(UNITS[unit]))
        return
    address, inside = _elements(p, s)
    memory.check(address[inside], s.size, store=True)
    memory.scatter(address[inside], raw[inside])
