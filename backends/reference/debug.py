"""Debug mode: finds what hardware hides.

While it is on, every access goes element by element and passes through a `Monitor`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xetile.ir.core import Op

from .values import Array

if TYPE_CHECKING:
    from .machine import Machine
    from .memory import Memory


class Monitor:
    """Sees every access to memory, every barrier and every buffer."""

    def read(self, m: Machine, memory: Memory, address: Array, inside: Array | None) -> None:
        """Elements are read."""

    def write(self, m: Machine, memory: Memory, address: Array, inside: Array | None, value: Array) -> None:
        """Elements are written."""

    def atomic(self, m: Machine, memory: Memory, address: Array, inside: Array) -> None:
        """Elements are read and written as one."""

    def fence(self, m: Machine, op: Op) -> None:
        """What was written is seen by others."""

    def barrier(self, m: Machine, op: Op) -> None:
        """All subgroups have met."""

    def arrive(self, m: Machine, op: Op) -> None:
        """First half of a barrier."""

    def wait(self, m: Machine, op: Op) -> None:
        """Second half of a barrier."""

    def allocated(self, memory: Memory, op: Op) -> None:
        """Shared local memory exists; nothing is in it."""
