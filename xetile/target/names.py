"""What targets are called, where their numbers are, and how a driver's device is known to be one: all that a warm start asks of them."""

from __future__ import annotations

from typing import NamedTuple

from xetile.errors import DeviceError
from xetile.target.block_rules import WORD_RULES, XE_BLOCK_RULES, BlockRules

DEFAULT = "pvc"
"""What kernels are compiled for where nobody says it."""
DEFAULT_LANES = 16
"""Lanes of its subgroups, for modules and kernels that say neither their target nor their lanes."""


class Known(NamedTuple):
    """A target before its numbers are loaded.

    home           the module of this package that holds it, under its name in capitals.
    constants_of   the target whose constants of kernels (`defaults=` of `xt.jit`) serve it where it has none of its own.
    devices        what marketing names of its devices match; `architecture`, `releases`: their graphics IP, where the driver tells it.
    block_messages its kernels hold 2-D block messages.
    rules          what an array must obey to be reached by its block messages or by its runs of words; None: any array will do.
    lane_run       neighbours in a row that a lane loads at once.
    """

    home: str
    constants_of: str = ""
    devices: str = ""
    architecture: int = 0
    releases: range = range(0)
    block_messages: bool = False
    rules: BlockRules | None = None
    lane_run: int = 1

    @property
    def is_cpu(self) -> bool:
        """Whether one work-item runs a whole workgroup, on a CPU."""
        return self.home == "cpu"


KNOWN: dict[str, Known] = {
    "pvc": Known("intel", "", r"Data Center GPU Max|Ponte Vecchio|\bPVC\b", 12, range(60, 62), True, XE_BLOCK_RULES),
    "bmg": Known("intel", "", r"\bB(570|580|[5-7]0)\b|Arc.* Pro B|Battlemage|\bBMG\b", 20, range(1, 4), True, XE_BLOCK_RULES),
    "lnl": Known("intel", "bmg", r"\b(130|140)V\b|Lunar Lake|\bLNL\b", 20, range(4, 5), True, XE_BLOCK_RULES),
    "dg2": Known(
        "intel",
        "",
        r"\bA(310|[357]80|7[57]0|[2-7]\d0M)\b|Arc.* Pro A|\bFlex\b|\bDG2\b",
        12,
        range(55, 58),
        rules=WORD_RULES,
        lane_run=8,
    ),
    "cpu": Known("cpu"),
    "avx512": Known("cpu", "cpu"),
    "avx2": Known("cpu", "cpu"),
    "amx": Known("cpu", "cpu"),
}


def block_rules(target: str) -> BlockRules | None:
    """The rules that arrays must obey on a target, by its name; None where any array will do.

    Raises DeviceError for an unknown target.
    """
    if target not in KNOWN:
        raise DeviceError(f"there is no target {target!r}", hint="the targets are " + ", ".join(KNOWN))
    return KNOWN[target].rules


def has_lane_runs(target: str) -> bool:
    """Whether a lane of a target loads several neighbours of a row at once."""
    return target in KNOWN and KNOWN[target].lane_run > 1


def fills_lines(target: str, elem_bytes: int, columns: int) -> bool:
    """Whether an array of so many elements, of one dimension, is rows of the least length that a target's block messages take."""
    known = KNOWN.get(target)
    if known is None or known.rules is None or not known.block_messages:
        return False
    return columns * elem_bytes % known.rules.min_width_bytes == 0


def is_long(target: str, elem_bytes: int, columns: int) -> bool:
    """Whether an array of so many elements, of one dimension, is longer than a row of a target's block messages, but not than all lines."""
    known = KNOWN.get(target)
    if known is None or known.rules is None or not known.block_messages:
        return False
    size, rules = columns * elem_bytes, known.rules
    return size > rules.longest_row and size % rules.width_multiple == 0 and size < rules.max_extent * rules.min_width_bytes


def is_ragged(target: str, elem_bytes: int, columns: int, strides: tuple[int, ...]) -> bool:
    """Whether rows of so many elements end inside of a lane's run, or begin inside of a word: `strides` in elements."""
    if not has_lane_runs(target):
        return False
    run = KNOWN[target].lane_run
    return columns % run != 0 or any(stride * elem_bytes % WORD_RULES.base_alignment for stride in strides)


def is_close(target: str, pitch_bytes: int) -> bool:
    """Whether rows lie so close that a surface which ends inside of an array may be too narrow for block messages."""
    rules = block_rules(target)
    return rules is not None and rules.min_width_bytes > 0 and pitch_bytes < rules.far_pitch_bytes


def is_far(target: str, pitch_bytes: int) -> bool:
    """Whether rows lie so far apart that a surface of every n-th row may be none of block messages."""
    rules = block_rules(target)
    return rules is not None and pitch_bytes >= rules.near_pitch_bytes
