"""`dpas`: rows of src2 times src1 plus src0.

Depth d of src1 is one register (of the narrow device's size): each channel has there a dword of consecutive K elements. A row of src2
has a dword for each depth.  Sums are exact and rounded once; the hardware rounds sums of floats in an order that is not public.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .errors import UnsupportedError
from .isa import TYPES, Array, Instruction, Operand
from .operands import mask_of
from .state import Layout, Step, Threads

with np.errstate(all="ignore"):
    _HALF = np.arange(65536, dtype=np.uint16).view(np.float16).astype(np.float64)
    _BRAIN = (np.arange(65536, dtype=np.uint32) << 16).view(np.float32).astype(np.float64)
# tf32 has 10 bits of fraction; the hardware does not look at the others.
_TF32 = np.uint32(0xFFFFE000)

_TO_DOUBLE: dict[str, Callable[[Array], Array]] = {
    "hf": lambda raw: _HALF.take(raw.view(np.uint16)),
    "bf": lambda raw: _BRAIN.take(raw.view(np.uint16)),
    "tf32": lambda raw: (raw.view(np.uint32) & _TF32).view(np.float32).astype(np.float64),
    "b": lambda raw: raw.view(np.int8).astype(np.float64),
    "ub": lambda raw: raw.astype(np.float64),
}
_FROM_DOUBLE: dict[str, Callable[[Array], Array]] = {
    "f": lambda sums: sums.astype(np.float32),
    "d": lambda sums: sums.astype(np.int64).astype(np.int32),
    "ud": lambda sums: sums.astype(np.int64).astype(np.uint32),
    "hf": lambda sums: sums.astype(np.float16),
    "bf": lambda sums: sums.astype(np.float32).astype(TYPES["bf"]),
}


def dimensions(inst: Instruction) -> tuple[int, int]:
    """The systolic depth and the repeat count that the suffix gives."""
    depth, _, repeat = inst.suffix.partition("x")
    return int(depth), int(repeat)


def dpas(layout: Layout, inst: Instruction) -> Step:
    """The instruction as a function.

    In a macro (dpas with {Atomic} up to the next without) the sources of the next are read before a result lands.  IGC's workaround
    for DG2 rests on that: a dpas that spoils its destination, right before the one that accumulates into it.  Those farther behind
    see the result: IGC lets a macro accumulate into a register again four dpas later.  (Inferred from IGC's code; not published.)
    """
    dst, src0, src1, src2 = inst.operands
    depth, repeat = dimensions(inst)
    if src1.type not in _TO_DOUBLE or src2.type not in _TO_DOUBLE or dst.type not in _FROM_DOUBLE:
        raise UnsupportedError(f"dpas of types {dst.type}, {src1.type}, {src2.type}")
    lanes, per, count = inst.width, 4 // src2.dtype.itemsize, repeat * inst.width
    left, right = _bytes(layout, src2, repeat * depth * 4), _bytes(layout, src1, depth * lanes * 4)
    old = None if src0.file == "null" else _bytes(layout, src0, count * src0.dtype.itemsize)
    mask, chained, store = mask_of(inst), "Atomic" in inst.swsb, _storer(layout, dst, count)
    finish = _FROM_DOUBLE[dst.type]
    to_left, to_right = _TO_DOUBLE[src2.type], _TO_DOUBLE[src1.type]

    def step(t: Threads) -> None:
        where = mask(t)
        if where is not None and not where.all():
            raise UnsupportedError("dpas with some channels off")
        a = to_left(left(t)).reshape(t.count, repeat, depth * per)
        b = to_right(right(t)).reshape(t.count, depth, lanes, per).transpose(0, 1, 3, 2).reshape(t.count, depth * per, lanes)
        sums = (a @ b).reshape(t.count, count)
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
