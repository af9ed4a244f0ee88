"""What targets are called, where their numbers are, and how a driver's device is known to be one: all that a warm start asks of them."""

from __future__ import annotations

from typing import NamedTuple

DEFAULT = "pvc"
"""What kernels are compiled for where nobody says it."""


class Known(NamedTuple):
    """A target before its numbers are loaded.

    home           the module of this package that holds it, under its name in capitals.
    constants_of   the target whose constants of kernels (`defaults=` of `xt.jit`) serve it where it has none of its own.
    devices        what marketing names of its devices match; `architecture`, `releases`: their graphics IP, where the driver tells it.
    block_messages its kernels hold 2-D block messages.
    """

    home: str
    constants_of: str = ""
    devices: str = ""
    architecture: int = 0
    releases: range = range(0)
    block_messages: bool = False

    @property
    def is_cpu(self) -> bool:
        """Whether one work-item runs a whole workgroup, on a CPU."""
        return self.home == "cpu"


KNOWN: dict[str, Known] = {
    "pvc": Known("intel", "", r"Data Center GPU Max|Ponte Vecchio|\bPVC\b", 12, range(60, 62), True),
    "bmg": Known("intel", "", r"\bB(570|580|[5-7]0)\b|Arc.* Pro B|Battlemage|\bBMG\b", 20, range(1, 4), True),
    "lnl": Known("intel", "bmg", r"\b(130|140)V\b|Lunar Lake|\bLNL\b", 20, range(4, 5), True),
    "dg2": Known("intel", "", r"\bA(310|[357]80|7[57]0|[2-7]\d0M)\b|Arc.* Pro A|\bFlex\b|\bDG2\b", 12, range(55, 58)),
    "cpu": Known("cpu"),
    "avx512": Known("cpu", "cpu"),
    "avx2": Known("cpu", "cpu"),
    "amx": Known("cpu", "cpu"),
}
