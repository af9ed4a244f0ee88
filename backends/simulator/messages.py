"""What all messages share.

Descriptors are decoded from their bits, as IGA's MessageDecoderLSC.cpp does: operation [5:0], address size [8:7], data size [11:9],
vector size [14:12], transpose [15], registers of the answer [24:20] and of the message [28:25], kind of address [30:29].
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .errors import UnsupportedError, ViolationError
from .isa import XE2, Array, Dtype, Instruction
from .memory import Surface
from .state import Layout, Threads

DATA_UNITS = ("ugm", "ugml", "slm")
LOAD, LOAD_QUAD, LOAD_2D, STORE, STORE_QUAD, STORE_2D, FENCE = 0, 2, 3, 4, 6, 7, 31
ATOMIC = range(0x08, 0x1B)
VECTORS = (1, 2, 3, 4, 8, 16, 32, 64)
FLAT, BSS, SS, BTI = range(4)
STATELESS = (0xFF, 0xFD)
SLM_TAG = 0x10000000
"""IGC sets this bit in addresses of shared local memory so that none is null (VALID_LOCAL_HIGH_BITS); the hardware ignores it."""
DATA = {0: (1, 1), 1: (2, 2), 2: (4, 4), 3: (8, 8), 4: (1, 4), 5: (2, 4)}
"""Bytes in memory and in a register, by data size."""
ADDRESSES: dict[int, Dtype] = {2: np.dtype(np.uint32), 3: np.dtype(np.int64)}


def field(value: int, low: int, width: int) -> int:
    """Bits of a descriptor as an unsigned number."""
    return value >> low & ((1 << width) - 1)


def signed_field(value: int, low: int, width: int) -> int:
    """Bits of a descriptor as a signed number."""
    bits = field(value, low, width)
    return bits - (1 << width) if bits >> (width - 1) else bits


def answer_registers(inst: Instruction) -> int:
    """Registers that a message writes: 31 stands for 32 of them."""
    count = field(inst.desc, 20, 5)
    return 32 if count == 31 else count


def lane_registers(layout: Layout, width: int, size: int) -> int:
    """Registers that one element of each lane takes."""
    return -(-width * size // layout.grf_bytes)


def addresses_of(layout: Layout, inst: Instruction, width: int) -> Callable[[Threads], Array]:
    """The addresses that a message carries, threads by lanes, as int64."""
    dtype = ADDRESSES.get(field(inst.desc, 7, 2))
    if dtype is None:
        raise UnsupportedError("addresses of 16 bits")
    first, size = inst.operands[1].reg, width * dtype.itemsize
    count = lane_registers(layout, width, dtype.itemsize)
    return lambda t: np.ascontiguousarray(t.registers(first, count)[:, :size]).view(dtype).astype(np.int64)


def base_of(layout: Layout, inst: Instruction) -> Callable[[Threads], tuple[Array | int, list[Surface] | None]]:
    """What is added to a message's addresses, and the threads' surfaces where they have one: a single one that all have."""
    kind, extended, later = field(inst.desc, 29, 2), inst.ex_desc, layout.target in XE2
    if inst.suffix == "slm" or kind == FLAT:
        if isinstance(extended, str):
            raise UnsupportedError("an extended descriptor in a register")
        offset = signed_field(extended, 12, 20) if later else 0
        return lambda t: (offset, None)
    if kind == BTI and isinstance(extended, int):
        if extended >> 24 not in STATELESS:
            raise UnsupportedError("a surface of the binding table")
        offset = signed_field(extended, 12, 12) if later else 0
        return lambda t: (t.world.low_base + offset, None)
    if kind == BSS and isinstance(extended, str):
        return _surfaces(layout, extended)
    raise UnsupportedError("this kind of address")


def _surfaces(layout: Layout, extended: str) -> Callable[[Threads], tuple[Array | int, list[Surface]]]:
    file, _, sub = extended.partition(".")
    if file != "a0":
        raise UnsupportedError(f"a surface whose handle is in {file}")
    row, column = layout.base["a0"], int(sub or 0)

    def base(t: Threads) -> tuple[Array | int, list[Surface]]:
        handles = t.views["ud"][row, :, column] & np.uint32(0xFFFFFFC0)
        same = bool((handles == handles[0]).all())
        found = [t.world.surfaces.get(int(h)) for h in (handles[:1] if same else handles)]
        known = [s for s in found if s is not None]
        if len(known) < len(found):
            raise ViolationError(f"no surface has the handle {int(handles[found.index(None)]):#x}")
        return known[0].address if same else np.array([[s.address] for s in known], np.int64), known

    return base
