"""What can go wrong in a simulated run; each says which instruction, the launch adds the kernel and its line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .isa import Instruction


class SimulationError(Exception):
    """Anything that stops a simulated kernel.

    inst    the instruction; other: a second one that has a part in it.
    """

    def __init__(self, message: str, other: Instruction | None = None) -> None:
        super().__init__(message)
        self.inst: Instruction | None = None
        self.other = other


class UnsupportedError(SimulationError):
    """The simulator does not know an instruction, message or argument: nothing is guessed."""


class ViolationError(SimulationError):
    """The code does what the hardware forbids, or what the kernel was given no right to: bounds, alignment, payloads, hazards."""


class DeadlockError(SimulationError):
    """All threads wait for each other."""


class RaceError(SimulationError):
    """Two threads use the same bytes of shared local memory without a barrier between them."""
