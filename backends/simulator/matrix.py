"""`dpas`: rows of src2 times src1 plus src0.

Depth d of src1 is one register (of the narrow device's size): each channel has there a dword of consecutive K elements. A row of src2
has a dword for each depth.  Sums are exact and rounded once; the hardware rounds sums of floats in an order that is not public.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from xetile.records import dataclass

from .errors import UnsupportedError
from .isa import TYPES, Array, Instruction, Operand
from .operands import mask_of
from .state import Layout, Step, Threads

with np.errstate(all="ignore"):
    _HALF = np.arange(65536, dtype=np.uint16).view(np.float16).astype(np.float64)
Key = tuple[str, str, int, int, str]


@dataclass(frozen=True, slots=True)
class Kept:
    """Where the threads keep an operand's elements: under its key and the position of the product that takes them; `made`: by this one."""

    name: tuple[Key, int]
    made: bool


# tf32 has 10 bits of fraction; the hardware does not look at the others.
_TF32 = np.uint32(0xFFFFE000)

_TO_DOUBLE: dict[str, Callable[[Array], Array]] = {
    "hf": _HALF.take,
    "bf": lambda bits: (bits.astype(np.uint32, order="C") << np.uint32(16)).view(np.float32).astype(np.float64),
    "tf32": lambda bits: (np.ascontiguousarray(bits) & _TF32).view(np.float32).astype(np.float64),
    "b": lambda bits: bits.astype(np.float64, order="C"),
    "ub": lambda bits: bits.astype(np.float64, order="C"),
}
"""From an operand's elements, whose bits `_BITS` names the type of."""
_BITS = {"hf": "uw", "bf": "uw", "tf32": "ud", "b": "b", "ub": "ub"}
_FROM_DOUBLE: dict[str, Callable[[Array], Array]] = {
    "f": lambda sums: sums.astype(np.float32),
    "d": lambda sums: sums.astype(np.int64).astype(np.int32),
    "ud": lambda sums: sums.astype(np.int64).astype(np.uint32),
    "hf": lambda sums: sums.astype(np.float16),
    "bf": lambda sums: sums.astype(np.float32).astype(TYPES["bf"]),
}


_NONE: Mapping[Key, Kept] = {}


def dimensions(inst: Instruction) -> tuple[int, int]:
    """The systolic depth and the repeat count that the suffix gives."""
    depth, _, repeat = inst.suffix.partition("x")
    return int(depth), int(repeat)


def dpas(layout: Layout, inst: Instruction, kept: Mapping[Key, Kept] = _NONE) -> Step:
    """The instruction as a function.  `kept`: operands that others take too (`reuse.py`).

    In a macro (dpas with {Atomic} up to the next without) the sources of the next are read before a result lands.  IGC's workaround
    for DG2 rests on that: a dpas that spoils its destination, right before the one that accumulates into it.  Those farther behind
    see the result: IGC lets a macro accumulate into a register again four dpas later.  (Inferred from IGC's code; not published.)
    """
    dst, src0, src1, src2 = inst.operands
    _, repeat = dimensions(inst)
    if src1.type not in _TO_DOUBLE or src2.type not in _TO_DOUBLE or dst.type not in _FROM_DOUBLE:
        raise UnsupportedError(f"dpas of types {dst.type}, {src1.type}, {src2.type}")
    count = repeat * inst.width
    old = None if src0.file == "null" else _bytes(layout, src0, count * src0.dtype.itemsize)
    mask, chained, store = mask_of(inst), "Atomic" in inst.swsb, _storer(layout, dst, count)
    finish = _FROM_DOUBLE[dst.type]
    left, right = (_kept(kept.get(key), get) for key, get in zip(keys(inst), (_left(layout, inst), _right(layout, inst))))

    def step(t: Threads) -> None:
        where = mask(t)
        if where is not None and not where.all():
            raise UnsupportedError("dpas with some channels off")
        sums = (left(t) @ right(t)).reshape(t.count, count)
        if old is not None:
            sums += old(t).view(src0.dtype)
        result = finish(sums)
        for land, value in t.pending:
            land(t, value)
        t.pending.clear()
        if chained:
            t.pending.append((store, result))
        else:
            store(t, result)

    return step


def keys(inst: Instruction) -> tuple[Key, Key]:
    """What tells src2 and src1 from other operands, with how they are taken apart."""
    _, _, src1, src2 = inst.operands
    return ("src2", inst.suffix, src2.reg, src2.sub, src2.type), ("src1", inst.suffix, src1.reg, src1.sub, src1.type)


def _kept(kept: Kept | None, get: Callable[[Threads], Array]) -> Callable[[Threads], Array]:
    if kept is None:
        return get
    name = kept.name
    if not kept.made:
        return lambda t: t.doubles[name]

    def make(t: Threads) -> Array:
        made = t.doubles[name] = get(t)
        return made

    return make


def _left(layout: Layout, inst: Instruction) -> Callable[[Threads], Array]:
    """Elements of src2: threads by rows by depth."""
    operand, (depth, repeat) = inst.operands[3], dimensions(inst)
    size, name, to_double = repeat * depth * 4, _BITS[operand.type], _TO_DOUBLE[operand.type]
    columns = depth * 4 // operand.dtype.itemsize
    first, at = divmod(layout.place(operand), layout.grf_bytes)
    count = size // layout.grf_bytes
    if at or size % layout.grf_bytes or first + count > layout.registers:
        raw, dtype = _bytes(layout, operand, size), TYPES[name]
        return lambda t: to_double(raw(t).view(dtype)).reshape(t.count, repeat, columns)
    rows = slice(first, first + count)
    return lambda t: to_double(t.views[name][rows].transpose(1, 0, 2)).reshape(t.count, repeat, columns)


def _right(layout: Layout, inst: Instruction) -> Callable[[Threads], Array]:
    """Elements of src1: threads by depth by channels."""
    operand, (depth, _), lanes = inst.operands[2], dimensions(inst), inst.width
    name, to_double, per = _BITS[operand.type], _TO_DOUBLE[operand.type], 4 // operand.dtype.itemsize
    first, at = divmod(layout.place(operand), layout.grf_bytes)
    if at or lanes * 4 != layout.grf_bytes or first + depth > layout.registers:
        raw, dtype = _bytes(layout, operand, depth * lanes * 4), TYPES[name]

        def some(t: Threads) -> Array:
            bits = raw(t).view(dtype).reshape(t.count, depth, lanes, per)
            return to_double(bits.transpose(0, 1, 3, 2)).reshape(t.count, depth * per, lanes)

        return some
    rows = slice(first, first + depth)

    def whole(t: Threads) -> Array:
        bits = t.views[name][rows].reshape(depth, t.count, lanes, per)
        return to_double(bits.transpose(1, 0, 3, 2)).reshape(t.count, depth * per, lanes)

    return whole


def _bytes(layout: Layout, operand: Operand, size: int) -> Callable[[Threads], Array]:
    """An operand's bytes, a row for each thread."""
    first, at = divmod(layout.place(operand), layout.grf_bytes)
    count = -(-(at + size) // layout.grf_bytes)
    if at == 0 and size % layout.grf_bytes == 0:
        return lambda t: t.registers(first, count)
    return lambda t: np.ascontiguousarray(t.registers(first, count)[:, at : at + size])


def _storer(layout: Layout, operand: Operand, count: int) -> Callable[[Threads, Array], None]:
    size = count * operand.dtype.itemsize
    first, at = divmod(layout.place(operand), layout.grf_bytes)
    registers = -(-(at + size) // layout.grf_bytes)

    def store(t: Threads, values: Array) -> None:
        raw = np.ascontiguousarray(values).view(np.uint8)
        if at or size % layout.grf_bytes:
            whole = t.registers(first, registers).copy()
            whole[:, at : at + size] = raw
            raw = whole
        t.set_registers(first, raw)

    return store
