"""Who runs: the programs, subgroups and lanes of one chunk of the grid, and which of them are active."""

from __future__ import annotations

from dataclasses import field

from xetile.ir.core import Op
from xetile.records import dataclass

from .values import Array


@dataclass(kw_only=True)
class Executors:
    """The programs of one chunk of the grid, where they are.

    grid         programs of the whole launch along z, y, x; `start` and `extent` say which of them this chunk is.
    level        "workgroup", "subgroup" or "lane": who executes an op that stands once in the text.
    mask         who is active (batch axes only); None where all are.
    subgroup     the one subgroup that runs here, where subgroups are tasks of their own (`schedule`).
    op           what they execute now.
    """

    grid: tuple[int, int, int]
    num_subgroups: int
    subgroup_size: int
    level: str
    start: tuple[int, int, int] = (0, 0, 0)
    extent: tuple[int, int, int] = (1, 1, 1)
    index_bits: int = 32
    mask: Array | None = None
    subgroup: int | None = None
    op: Op = field(init=False)

    @property
    def executors(self) -> tuple[int, ...]:
        """The batch axes in full: everyone who executes an op of this level by itself."""
        subgroups = self.num_subgroups if self.level != "workgroup" and self.subgroup is None else 1
        return (*self.extent, subgroups, self.subgroup_size if self.level == "lane" else 1)
