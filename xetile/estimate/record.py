"""What an estimate says: plain values, which print as a table."""

from __future__ import annotations

from dataclasses import field

from xetile.errors import Location
from xetile.estimate.work import Section
from xetile.records import dataclass


@dataclass(frozen=True)
class Held:
    """What one expression of the kernel's source holds at the fullest place.

    registers   of the target's size, for one subgroup.
    variables   how many variables of IGC these are.
    made_by     the op that fills them; "loop" for what a loop carries.
    dtype       of the elements.
    at, until   where it is made, and where it is taken last.
    """

    registers: float
    variables: int
    made_by: str
    dtype: str
    at: Location | None
    until: Location | None

    @property
    def expression(self) -> str:
        """The source text; what makes it where there is none."""
        return (self.at.text if self.at is not None else "") or self.made_by


@dataclass(frozen=True)
class Estimate:
    """What a kernel asks of one hardware thread (a subgroup), counted in the compiler; nothing is built for it.

    target       the target's name.
    grf          registers of a thread in the mode that was chosen, of `grf_bytes` each; 0 where the target is no GPU, and registers
                 are its compiler's own matter.
    registers    what the kernel takes of them: values, and what every thread holds besides. IGC says the same
                 where it neither spills nor has so many registers left that it takes them to load earlier.
    least        what no order of the code that was tried goes below.
    spill_bytes  memory a thread for what finds no register: 0 where everything fits.
    slm_bytes    shared local memory of a workgroup.
    ops          how many ops the code at lane level has: what compiling it takes, here and in the driver, grows with that.
    held         the fullest place of the order with `least`, largest first.
    work         messages and arithmetic, loop by loop.
    """

    kernel: str
    target: str
    grf: int
    grf_bytes: int
    registers: int
    least: int
    spill_bytes: int
    slm_bytes: int
    ops: int
    held: tuple[Held, ...] = field(repr=False)
    work: Section = field(repr=False)

    @property
    def spills(self) -> bool:
        """Whether values will lie in memory."""
        return self.spill_bytes > 0

    def __str__(self) -> str:
        registers = f": {self.registers} of {self.grf} registers, at least {self.least}" if self.grf else ""
        spilled = f"; {self.spill_bytes} bytes spilled" if self.spills else ""
        lines = [f"{self.kernel} for {self.target}{registers}{spilled}"]
        for held in self.held:
            if held.registers < 1:
                break
            where = f"line {held.at.line}" if held.at is not None else ""
            until = _until(held.at, held.until)
            lines.append(f"  {held.registers:6.1f}  {held.dtype:5}  {held.expression}  ({where}{until})")
        return "\n".join([*lines, *self.work.lines()])


def _until(at: Location | None, until: Location | None) -> str:
    """Where a value is taken last, if on another line: behind the line that makes it, or before, in the next iteration or in a helper."""
    if at is None or until is None or (at.file, at.line) == (until.file, until.line):
        return ""
    return f" to {until.line}" if until.line > at.line and until.file == at.file else f", last used at line {until.line}"
