"""Subgroups that go different ways and meet at barriers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .machine import Machine
    from .matrices import NamedBarrier


class Schedule:
    """Lets groups of subgroups take turns."""

    def arrive(self, m: Machine, barrier: NamedBarrier) -> None:
        """Signal."""

    def wait(self, m: Machine, barrier: NamedBarrier) -> None:
        """Let others run until enough have arrived."""
