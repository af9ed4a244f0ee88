"""Machine code of Xe GPUs as data: operands, instructions, programs, and the table of types."""

from __future__ import annotations

from dataclasses import field
from functools import lru_cache
from typing import Any

import ml_dtypes
import numpy as np

from xetile.records import dataclass
from xetile.target import TARGETS

Array = np.ndarray[Any, Any]
Dtype = np.dtype[Any]

PLATFORMS = {name: target.iga_platform for name, target in TARGETS.items() if target.iga_platform}
"""What IGA calls each target."""
XE_HPC, XE_HPG, XE2 = (
    frozenset(name for name, target in TARGETS.items() if target.family == family) for family in ("xe-hpc", "xe-hpg", "xe2")
)

TYPES: dict[str, Dtype] = {
    "uq": np.dtype(np.uint64), "q": np.dtype(np.int64), "ud": np.dtype(np.uint32), "d": np.dtype(np.int32),
    "uw": np.dtype(np.uint16), "w": np.dtype(np.int16), "ub": np.dtype(np.uint8), "b": np.dtype(np.int8),
    "f": np.dtype(np.float32), "hf": np.dtype(np.float16), "df": np.dtype(np.float64), "bf": np.dtype(ml_dtypes.bfloat16),
    "tf32": np.dtype(np.float32), "bf8": np.dtype(ml_dtypes.float8_e5m2), "hf8": np.dtype(ml_dtypes.float8_e4m3fn),
}  # fmt: skip
FLOATS = frozenset({"f", "hf", "df", "bf", "tf32", "bf8", "hf8"})
SENDS = frozenset({"send", "sendc", "sends", "sendsc"})
BRANCHES = frozenset(
    {"jmpi", "goto", "join", "if", "else", "endif", "while", "break", "cont", "brd", "brc", "call", "calla", "ret"}
)


@dataclass(frozen=True, slots=True)
class Indirect:
    """Where an address register says which register: `a0.sub` plus `offset` bytes; `by_row`: each row has its own address."""

    sub: int
    offset: int
    by_row: bool


@dataclass(frozen=True, slots=True)
class Operand:
    """A register region, an immediate, or null.

    file    "r", "acc", "f", "a0", "cr0", ..., "null", "imm".
    region  of a source (vertical stride, width, horizontal stride); of a destination (0, 0, stride).
    length  registers of a send's operand where the text says so.
    macro   number of the extra accumulator bits that `math.invm` and its kind carry along; None for other operands.
    """

    file: str
    reg: int = 0
    sub: int = 0
    region: tuple[int, int, int] | None = None
    type: str = ""
    value: Any = None
    negate: bool = False
    absolute: bool = False
    invert: bool = False
    saturate: bool = False
    length: int | None = None
    indirect: Indirect | None = None
    macro: int | None = None

    def offsets(self, count: int) -> tuple[int, ...]:
        """Elements from the first one, channel by channel."""
        return _offsets(self.region, count)

    @property
    def dtype(self) -> Dtype:
        """The numpy type of an element."""
        return TYPES[self.type]


@lru_cache(maxsize=1024)
def _offsets(region: tuple[int, int, int] | None, count: int) -> tuple[int, ...]:
    if region is None:
        return tuple(range(count))
    vertical, width, horizontal = region
    if not width:
        return tuple(i * horizontal for i in range(count))
    return tuple((i // width) * vertical + (i % width) * horizontal for i in range(count))


@dataclass(frozen=True, slots=True)
class Predicate:
    """Channels that execute: flag f`reg`.`sub`, inverted or not; `group`: "" or any/all with a number of channels."""

    reg: int
    sub: int
    inverted: bool
    group: str


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison whose result goes to flag f`reg`.`sub`."""

    name: str
    reg: int
    sub: int


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction.

    swsb     items of the braces: tokens, distances, options.
    labels   where a branch may go.
    desc     descriptor of a send; ex_desc: the other one, a number, or the register that holds it, with an offset of addresses.
    sync     operand of `sync`.
    """

    address: int
    opcode: str
    suffix: str
    width: int
    channel: int
    nomask: bool
    predicate: Predicate | None
    condition: Condition | None
    operands: tuple[Operand, ...]
    swsb: tuple[str, ...]
    comment: str
    text: str
    labels: tuple[str, ...] = ()
    desc: int = 0
    ex_desc: int | str = 0
    offset: int = 0
    sync: str = ""

    def __str__(self) -> str:
        return f"[{self.address:04X}] {self.text}" + (f" // {self.comment}" if self.comment else "")

    @property
    def ends_thread(self) -> bool:
        """Whether the thread is over behind it."""
        return "EOT" in self.swsb


@dataclass(frozen=True, slots=True)
class Code:
    """Instructions in order, and where the labels are (as positions in them)."""

    instructions: tuple[Instruction, ...]
    labels: dict[str, int] = field(default_factory=dict)
