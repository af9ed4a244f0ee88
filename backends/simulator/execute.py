"""Runs a kernel's machine code over a grid of workgroups."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np

from xetile.collection import paused
from xetile.errors import Location
from xetile.records import dataclass
from xetile.target import get_target

from . import dispatch, scoreboard, toolchain
from .errors import SimulationError
from .isa import Code, Instruction
from .memory import World
from .parse import parse
from .program import Program, Sharing
from .races import Races
from .schedule import Execution
from .state import Layout, Threads
from .zebin import Kernel, read_kernel, relocated

THREADS_AT_ONCE = 512
"""Workgroups run in batches of about so many threads: more cost memory and no longer save time."""
SECONDS = 1800.0
SEED = 0


@dataclass
class Result:
    """What a run took.

    instructions: of threads; steps: of the simulator; trace: positions that the watched thread went through; active: its channels, as
    bits, from which of these on; lines: by buffer, bytes of cache lines that were touched and of all, where that is asked for;
    loop_lines: by the instructions of one loop.
    """

    instructions: int = 0
    steps: int = 0
    seconds: float = 0.0
    threads: int = 0
    trace: list[int] = field(default_factory=list)
    active: Mapping[int, int] = field(default_factory=dict)
    lines: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    loop_lines: Mapping[str, tuple[int, int]] = field(default_factory=dict)


@dataclass
class Executable:
    """A kernel with its machine code decoded.

    checked: its waits have been found right.  reads_results: it was seen to load from arrays that it also stores to.
    """

    kernel: Kernel
    program: Program
    target: str
    checked: bool = False
    reads_results: bool = False

    @cached_property
    def watched(self) -> Program:
        """The same code, with registers watched."""
        return Program(self.program.code, self.program.layout, watched=True)

    def places_of(self, inst: Instruction | None) -> tuple[Location, ...]:
        """Where in the source an instruction comes from, or may come from, for kernels that were compiled with lines."""
        return () if inst is None else self.kernel.places_of(inst)

    @property
    def code(self) -> Code:
        """Its instructions."""
        return self.program.code


def disassembled(binary: bytes, target: str, name: str | None = None) -> str:
    """iga64's text of a kernel of a device binary.  Raises UnsupportedError, BuildError."""
    kernel = read_kernel(binary, name)
    return toolchain.disassemble(relocated(kernel, dispatch.data_addresses(kernel)[1]), target)


def decode(binary: bytes, target: str, name: str | None = None, listing: str = "") -> Executable:
    """A kernel of a device binary (`listing` is its disassembly of an earlier time).  Raises UnsupportedError, BuildError."""
    kernel = read_kernel(binary, name)
    layout = Layout.of(kernel.grf_count, get_target(target).grf_bytes, target)
    return Executable(kernel, Program(parse(listing or disassembled(binary, target, name)), layout), target)


@paused()
def execute(what: Executable, grid: Sequence[int], args: Sequence[Any], *, local_size: Sequence[int] | None = None,
            names: Sequence[str] = (), written: Sequence[bool] = (), debug: bool = False, seed: int = SEED,
            printed: Any = None, only: Sequence[tuple[int, int, int]] | None = None, traffic: bool = False,
            loop: Container[int] = ()) -> Result:  # fmt: skip
    """Run a kernel over `grid` workgroups.

    args     by index: numpy arrays (read and written in place), bytes of numbers, `dispatch.Local`.
    debug    report races in shared local memory, and registers that are read before they are written.
    seed     of the order of threads.
    printed  is called with the buffer for prints and the strings' memory when all is done.
    only     these workgroups of the grid.  traffic: note which cache lines they touch, and the path of the first thread.
    loop     positions of the instructions whose cache lines are counted by themselves.
    """
    local = tuple(local_size) if local_size is not None else what.kernel.workgroup
    if local is None:
        raise SimulationError("the kernel says no size of workgroups: pass local_size")
    names = names or [f"argument {i}" for i in range(len(args))]
    placed = dispatch.place(what.kernel, args, names, written or [True] * len(args))
    launch = _Launch(what, placed, (*grid, 1, 1)[:3], (*local, 1, 1)[:3], args, debug=debug)
    if traffic:
        placed.memory.touched = {}
    started = perf_counter()
    result = launch.run(seed, only, watched=traffic or not what.checked)
    result.lines, result.loop_lines = placed.memory.touched_lines(), placed.memory.touched_lines(loop)
    result.seconds = perf_counter() - started
    if not what.checked:
        scoreboard.check(what.program.layout, what.code.instructions, result.trace, what.program.use, result.active)
        what.checked = True
    dispatch.restore(placed)
    if printed is not None and placed.printed:
        printed(placed)
    return result


class _Launch:
    """One launch: batches of workgroups on the same memory."""

    def __init__(self, what: Executable, placed: dispatch.Placed, groups: Sequence[int], local: Sequence[int], args: Sequence[Any], *,
                 debug: bool) -> None:  # fmt: skip
        kernel, layout = what.kernel, what.program.layout
        self.what, self.placed, self.groups, self.debug = what, placed, groups, debug
        self.subgroups = -(-int(np.prod(local)) // kernel.simd_size)
        payload = dispatch.cross_thread(kernel, placed, args, groups, local)
        self.inline, rest = payload[: kernel.inline_size], payload[kernel.inline_size :]
        ids = b"".join(dispatch.local_ids(kernel, local, self.subgroups, layout.grf_bytes))
        payload = rest + ids + bytes(dispatch.READ_AHEAD)
        self.low_base = placed.memory.allocate("the kernel's arguments", payload, writable=False)
        self.left_out = False

    def run(self, seed: int, only: Sequence[tuple[int, int, int]] | None, *, watched: bool) -> Result:
        """All workgroups, or those of `only`; `watched`: note the path of the first thread.

        In code with barriers threads are taken to see each other's stores to arrays only when one was seen to load from such an array:
        the launch then begins anew.
        """
        mixed = self.subgroups > 1 and self.what.program.uses_barriers
        if not mixed or self.what.reads_results:
            return self._run(np.random.default_rng(seed), only, watched, Sharing.ARRAYS if mixed else Sharing.NOTHING)
        memory = self.placed.memory
        before = memory.contents()
        result = self._run(np.random.default_rng(seed), only, watched, Sharing.MEMORY)
        if not (self.left_out and memory.reads_results):
            return result
        memory.reset(before)
        self.what.reads_results = True
        return self._run(np.random.default_rng(seed), only, watched, Sharing.ARRAYS)

    def _run(
        self, random: np.random.Generator, only: Sequence[tuple[int, int, int]] | None, watched: bool, mixed: Sharing
    ) -> Result:
        x, y, z = self.groups
        order = only if only is not None else [(i, j, k) for k in range(z) for j in range(y) for i in range(x)]
        batch, result = max(1, THREADS_AT_ONCE // self.subgroups), Result()
        for begin in range(0, len(order), batch):
            # The scoreboard is checked along the path of the first thread, once.
            run = self._batch(order[begin : begin + batch], random, 0 if begin == 0 and watched else None, mixed)
            self.left_out = self.left_out or run.left_out
            result.instructions, result.steps = result.instructions + run.executed, result.steps + run.issued
            if run.trace:
                result.trace, result.active = run.trace, run.active
        result.threads = len(order) * self.subgroups
        return result

    def _batch(self, groups: Sequence[tuple[int, int, int]], random: np.random.Generator, watch: int | None,
               mixed: Sharing) -> Execution:  # fmt: skip
        # What atomics put in order is no race, and only barriers are followed.
        races = self.debug and not self.what.program.orders_by_atomics
        world = _world(self.placed, len(groups), self.subgroups, self.low_base, self.what.kernel, races=races)
        threads = Threads(self.what.program.layout, world, np.arange(len(groups) * self.subgroups))
        if self.debug:
            threads.watch()
        dispatch.start(threads, groups, self.subgroups, self.inline)
        program = self.what.watched if self.debug else self.what.program
        run = Execution(program, threads, random, mixed=mixed, seconds=SECONDS, watch=watch)
        run.run()
        return run


def _world(placed: dispatch.Placed, groups: int, subgroups: int, low_base: int, kernel: Kernel, *, races: bool) -> World:
    slm = np.full((groups, -(-placed.slm_size // 64) * 64), dispatch.SLM_POISON, np.uint8)
    world = World(placed.memory, np.repeat(np.arange(groups), subgroups), slm, placed.slm_size, placed.surfaces, low_base,
                  kernel.scratch_size)  # fmt: skip
    if races and slm.size:
        world.races = Races(world.slm, world.group, world.passed)
    return world
