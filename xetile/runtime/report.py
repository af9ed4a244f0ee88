"""What a kernel costs and what to change: loops with their share of matrix instructions, registers, spills, slow tiles, by source line.

Where Intel's compiler and the disassembler are on PATH loops are those of the machine code, with clocks of the simulated device; else
they are those that the estimate counts.
"""

from __future__ import annotations

import shutil
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from xetile.errors import DeviceError, Location
from xetile.estimate import Estimate, Section
from xetile.estimate.costs import Costly, costly_ops
from xetile.records import dataclass
from xetile.runtime.instead import instead, named

if TYPE_CHECKING:
    from xetile.estimate.profile import Step
    from xetile.runtime.artifact import Binary
    from xetile.runtime.request import Request
    from xetile.target import Target

TOOLS = ("ocloc", "iga64")  # that machine code takes; tools/fetch_gpu_compiler.sh fetches them
COSTLIEST = 3  # lines that are named of each loop
TOLD = 100  # instructions of a line's functions from which on they are told of
FULLEST = 5  # lines that are named of the whole kernel
GOOD_SHARE = 0.15
"""The share of matrix instructions in a loop from which on nothing is said of its other lines."""


@dataclass(frozen=True)
class Line:
    """A source line's part of something: clocks or instructions of a loop's round, registers that live behind it.

    others   further lines that it may be of instead: Intel's compiler gives matrix products none.
    """

    amount: float
    at: Location | None
    others: tuple[Location, ...] = ()

    @property
    def places(self) -> str:
        """Where that is, or may be, in the source."""
        return " or ".join(map(_place, (self.at, *self.others)))

    def __str__(self) -> str:
        return f"{self.amount:8.0f}  {self.places}"


@dataclass(frozen=True)
class LoopReport:
    """One round of a loop in one thread, without the loops inside of it.

    at            the line of most of its instructions; of the loop where it is estimated.
    dpas          matrix instructions; instructions: all of them.
    clocks        of a round of `threads` threads on one engine; None where it is estimated.
    lines         the costliest, by clocks; empty where it is estimated.
    """

    at: Location | None
    dpas: int
    instructions: int
    clocks: float | None = None
    threads: int = 1
    lines: tuple[Line, ...] = ()

    @property
    def dpas_share(self) -> float:
        """Of the instructions, 0 to 1."""
        return self.dpas / self.instructions if self.instructions else 0.0


@dataclass(frozen=True)
class Report:
    """What a kernel costs. Printed, it is a text.

    measured    whether loops and `scratch` are of machine code; else `why` says what is missing, and they are estimated.
    loops       in the order of the code.
    registers   the source lines behind which most registers live, fullest first: as the code is written, which the driver orders again.
    scratch     bytes of memory of a thread for what finds no register.
    costly      what takes many instructions of arithmetic, such as sines, that of most first.
    slow        (why, what to do, where) for each tile that is moved element by element.
    advice      what to change, the costliest first.
    """

    estimate: Estimate = field(repr=False)
    measured: bool
    why: str
    loops: tuple[LoopReport, ...]
    registers: tuple[Line, ...]
    scratch: int
    costly: tuple[Costly, ...]
    slow: tuple[tuple[str, str, Location], ...]
    advice: tuple[str, ...]

    def __str__(self) -> str:
        found = self.estimate
        lines = [f"{found.kernel} for {found.target}: {found.registers} of {found.grf} registers, "
                 + (f"{self.scratch} bytes spilled" if self.scratch else "nothing spilled"),
                 "loops, of the machine code:" if self.measured else f"loops, estimated ({self.why}):"]  # fmt: skip
        for loop in self.loops:
            clocks = f", {loop.clocks:.0f} clocks a round of {loop.threads} threads" if loop.clocks is not None else ""
            lines.append(
                f"  {loop.dpas} dpas of {loop.instructions} instructions ({loop.dpas_share:.1%}){clocks}: {_place(loop.at)}"
            )
            lines += [f"    {line}" for line in loop.lines]
        lines += ["  none"] * (not self.loops) + ["registers that live behind a line, as written:", *map(str, self.registers)]
        lines += ["instructions of functions and quotients, each once:"] * bool(self.costly)
        lines += [f"{c.instructions:8.0f}  {_place(c.at)}: {named(c)}" for c in self.costly]
        lines += [f"slow: {_place(at)}: {why}" for why, _, at in self.slow]
        return "\n".join([*lines, "to change:", *(f"  {text}" for text in self.advice or ("nothing",))]) + "\n"


def report(request: Request, estimate: Estimate, binary: Binary, target: Target) -> Report:
    """The report of a kernel for a GPU, from what is compiled of it.  Raises as building the machine code does."""
    from xetile.estimate.profile import over_program
    from xetile.runtime import compiler

    why, loops, scratch = _measured(request, target)
    kernel = compiler.lowered(request).kernel
    steps, costly = over_program(kernel, target), costly_ops(kernel, target)
    costly = tuple(c for c in costly if c.instructions >= TOLD)[:COSTLIEST]
    if why:
        loops, scratch = tuple(map(_estimated, _loops(estimate.work))), estimate.spill_bytes
    advice = (
        *_about_spills(request, binary, estimate, scratch),
        *(f"{_place(at)}: {hint}" for _, hint, at in binary.slow),
        *_about(loops),
        *(f"{_place(c.at)}: {instead(c, target)}" for c in costly),
    )
    return Report(estimate, not why, why, loops, _fullest(steps), scratch, costly, binary.slow, advice)


def _measured(request: Request, target: Target) -> tuple[str, tuple[LoopReport, ...], int]:
    """Why there is no machine code, else its loops and its scratch memory."""
    from xetile.runtime import devices, loading

    try:
        device = devices.find_device(f"sim:{target.name}")
        backend = devices.backend_of(device)
    except DeviceError as error:
        missing = [tool for tool in TOOLS if shutil.which(tool) is None]
        return f"not on PATH: {', '.join(missing)}" if missing else error.message, (), 0
    loaded: Any = loading.build(loading.binary(replace(request, lines=True))[0], device, backend)
    return "", tuple(_machine_loop(found) for found in loaded.loops()), loaded.executable.kernel.scratch_size


def _machine_loop(found: Any) -> LoopReport:
    lines = sorted(
        (Line(clocks, places[0] if places else None, places[1:]) for places, clocks in found.clocks_by_line()),
        key=lambda x: -x.amount,
    )
    dpas = sum(inst.opcode == "dpas" for inst in found.instructions)
    at = next((line.at for line in lines if line.at is not None), None)
    return LoopReport(at, dpas, len(found.instructions), found.cycles.cycles, found.cycles.threads, tuple(lines[:COSTLIEST]))


def _loops(work: Section) -> list[Section]:
    """The innermost loops."""
    return [s for s in work.walk() if s.kind == "loop" and not any(i.kind == "loop" for i in s.walk() if i is not s)]


def _estimated(section: Section) -> LoopReport:
    parts = list(section.walk())
    dpas = sum(s.dpas for s in parts)
    return LoopReport(section.at, dpas, round(dpas + sum(s.simple + s.math + s.barriers + len(s.messages) for s in parts)))


def _fullest(steps: tuple[Step, ...]) -> tuple[Line, ...]:
    most: dict[tuple[str, int], Line] = {}
    for step in steps:
        if step.at is not None:
            key = step.at.file, step.at.line
            most[key] = max(most.get(key, Line(0, None)), Line(step.registers, step.at), key=lambda line: line.amount)
    return tuple(sorted(most.values(), key=lambda line: -line.amount)[:FULLEST])


def _about_spills(request: Request, binary: Binary, estimate: Estimate, scratch: int) -> list[str]:
    from xetile.runtime import spilling

    if estimate.spills:
        return spilling.explain(request, binary)[0]
    if not scratch:
        return []
    held = estimate.held[0] if estimate.held else None
    most = f"; most is held by {_place(held.at)}" if held is not None else ""
    return [f"{scratch} bytes are spilled: use smaller tiles, or more subgroups{most}"]


def _about(loops: tuple[LoopReport, ...]) -> list[str]:
    """Where the clocks of loops with products go, if few of their instructions are products."""
    found = []
    for loop in loops:
        if loop.dpas and loop.dpas_share < GOOD_SHARE and loop.clocks:
            lines = ", ".join(f"{line.amount / loop.clocks:.0%} at {line.places}" for line in loop.lines if line.at is not None)
            found.append(f"{loop.dpas_share:.1%} of a loop are matrix instructions; its clocks go: {lines}")
        elif loop.dpas and loop.dpas_share < GOOD_SHARE:
            found.append(f"{loop.dpas_share:.1%} of the loop at {_place(loop.at)} are matrix instructions: more of them for each load "
                         "and for each row's arithmetic come with larger tiles")  # fmt: skip
    return found


def _place(at: Location | None) -> str:
    return "(no line)" if at is None else f"{at.file.rpartition('/')[2]}:{at.line}  {at.text}".rstrip()
