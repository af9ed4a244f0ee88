"""How long a kernel takes at least, by the target's peak rates: a roofline, computed from the compiler's own counts.

    for found in xt.rank(matmul, configs, "f16[4096,4096]", "f16[4096,4096]", target="pvc"):
        print(found)

A launch of W workgroups of S subgroups runs in rounds: a core holds R workgroups at a time, as many as its hardware threads (in the
kernel's register mode) and shared local memory allow; the busiest core runs K = ceil(W / cores) of them.  Its time is the longest of

    matrix    K * operations of a workgroup's matrix products / operations per clock of a core, by dtype
    vector    K * (vector instructions + 4 * those of the function unit) * lanes / lanes per clock of a core
    l1        K * bytes that a workgroup's messages move, shared local memory and spilled registers too / (bandwidth / cores)
    l3        W * bytes that a workgroup needs from beyond its core (each block once, however many subgroups load it; spilled
              registers, which are written through) / bandwidth
    memory    bytes from memory / bandwidth.  The workgroups of a round load each block once.  An array is read once where all
              arrays together fit the last cache, else again in every round.
    latency   ceil(K / R) * clocks of one thread: its own instructions, and for each round of a loop that loads the latency of
              the cache (where the loop prefetches) or of memory

Address and trip counts are evaluated for the launch's own sizes (xetile.estimate); where a program's work depends on which it is
(causal attention), it is the mean over programs.  Terms whose rate the target does not tell are left out and named in `missing`.
The result is a bound, not a forecast: use it to compare configurations of one kernel.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from math import ceil, prod
from typing import Any

import numpy as np

from xetile.estimate import Estimate, Section
from xetile.estimate.work import Message
from xetile.records import dataclass
from xetile.target import Roofline, Target

SAMPLES = 256  # programs over which work that depends on the program is averaged
Grid = tuple[int, int, int]


@dataclass(frozen=True)
class Launch:
    """What a launch is of: workgroups along x, y, z, subgroups of each, shapes and bytes of arrays, and scalars, by name."""

    grid: Grid
    num_subgroups: int
    shapes: Mapping[str, tuple[int, ...]]
    nbytes: Mapping[str, int]
    scalars: Mapping[str, int] = field(default_factory=dict)
    slm_bytes: int = 0


@dataclass(frozen=True)
class Prediction:
    """What the model says of a launch.

    terms     seconds of each term, by its name; missing: those whose rate is not known.
    resident  workgroups that a core holds at a time.
    beyond, moved  bytes of all workgroups from beyond their core, and to and from the core's own cache.
    spills    whether registers are spilled.
    """

    terms: Mapping[str, float]
    resident: int
    beyond: float
    moved: float
    spills: bool
    missing: tuple[str, ...] = ()

    @property
    def seconds(self) -> float:
        """The longest term."""
        return max(self.terms.values(), default=0.0)

    @property
    def bound(self) -> str:
        """Its name."""
        return max(self.terms, key=lambda name: self.terms[name], default="")

    @property
    def order(self) -> tuple[float, ...]:
        """For sorting, best first.

        What spills comes last: what that costs beyond bytes no term tells. Times that agree to two digits are told apart by
        traffic, which matters for targets whose caches' rates are not known, then by all terms together.
        """
        return float(self.spills), float(f"{self.seconds:.1e}"), self.beyond, self.moved, sum(self.terms.values())


@dataclass
class Totals:
    """Of one workgroup, on average; bytes unless the name says otherwise."""

    operations: dict[str, float] = field(default_factory=dict)
    simple: float = 0.0
    math: float = 0.0
    moved: float = 0.0  # by messages to the core's own cache
    stored: float = 0.0
    beyond: float = 0.0  # from beyond the core
    from_memory: dict[str, float] = field(default_factory=dict)  # of all workgroups of a round together, by array
    thread_clocks: float = 0.0


def predict(estimate: Estimate, target: Target, launch: Launch) -> Prediction:
    """The roofline of a launch; see the module's docstring."""
    rates = target.roofline
    resident = resident_workgroups(estimate, target, launch)
    totals = _Walk(estimate, target, launch, resident).run()
    count, cores = prod(launch.grid), rates.cores or 1
    busiest = ceil(count / cores)
    terms: dict[str, float | None] = {
        "matrix": _matrix(totals, rates, busiest),
        "vector": _vector(totals, target, busiest),
        "l1": _over(busiest * totals.moved, rates.l1_bytes_per_second, 1 / cores),
        "l3": _over(count * (totals.beyond + totals.stored), rates.last_level_bytes_per_second),
        "memory": _over(_memory(totals, rates, launch, resident * cores), rates.memory_bytes_per_second),
        "latency": _over(ceil(busiest / resident) * totals.thread_clocks, rates.hertz),
    }
    known = {name: seconds for name, seconds in terms.items() if seconds is not None}
    missing = tuple(name for name in terms if name not in known)
    return Prediction(known, resident, count * (totals.beyond + totals.stored), count * totals.moved, estimate.spills, missing)


def resident_workgroups(estimate: Estimate, target: Target, launch: Launch) -> int:
    """Workgroups that one core holds at a time: its hardware threads and its shared local memory are distributed."""
    if target.engines_per_core is None or not estimate.grf:
        return 1
    threads = target.engines_per_core * target.grf_mode(estimate.grf).threads_per_engine
    by_threads = threads // max(1, launch.num_subgroups)
    by_memory = target.slm_bytes // launch.slm_bytes if launch.slm_bytes else by_threads
    return max(1, min(by_threads, by_memory))


def _over(amount: float, rate: float | None, share: float = 1.0) -> float | None:
    return None if rate is None else amount / (rate * share)


def _matrix(totals: Totals, rates: Roofline, workgroups: int) -> float | None:
    per_clock = dict(rates.matrix_ops_per_clock)
    if rates.hertz is None or any(dtype not in per_clock for dtype in totals.operations):
        return None
    return workgroups * sum(n / per_clock[dtype] for dtype, n in totals.operations.items()) / rates.hertz


def _vector(totals: Totals, target: Target, workgroups: int) -> float | None:
    rates = target.roofline
    lanes = dict(rates.vector_ops_per_clock).get("f32", 0) / 2  # a multiply-add counts as two operations
    if rates.hertz is None or not lanes:
        return None
    instructions = totals.simple + rates.function_clocks * totals.math
    return workgroups * instructions * target.subgroup_size / lanes / rates.hertz


def _memory(totals: Totals, rates: Roofline, launch: Launch, at_once: int) -> float:
    count = prod(launch.grid)
    rounds = count / min(count, at_once)
    fits = rates.last_level_bytes is not None and sum(launch.nbytes.values()) <= rates.last_level_bytes
    read = 0.0
    for array, once in totals.from_memory.items():
        whole = launch.nbytes.get(array)
        read += min(rounds * once, whole) if fits and whole is not None else rounds * once
    return read + count * totals.stored


class _Walk:
    """Adds up what a workgroup does, loop by loop; every number is an array over sampled programs and subgroups."""

    def __init__(self, estimate: Estimate, target: Target, launch: Launch, resident: int) -> None:
        self.estimate, self.target, self.launch = estimate, target, launch
        self.totals = Totals()
        count = prod(launch.grid)
        step = max(1, count // SAMPLES) | 1  # odd: grids often have even sides, and programs of one column do alike
        fixed = {f"dim {name} {i}": n for name, shape in launch.shapes.items() for i, n in enumerate(shape)}
        fixed |= {f"scalar {name}": value for name, value in launch.scalars.items()}
        fixed |= {f"grid {i}": n for i, n in enumerate(launch.grid)}
        self.sampled = {**fixed, **self._programs(np.arange(0, count, step))}
        self.one = {**fixed, **self._programs(np.array([count // 2]))}
        cores = target.roofline.cores or 1
        self.round = {**fixed, **self._programs(np.arange(min(count, resident * cores)))}
        self.hot = estimate.work.hot

    def _programs(self, linear: Any) -> dict[str, Any]:
        x, y, _ = self.launch.grid
        at = (linear % x, linear // x % y, linear // (x * y))
        subgroups = np.arange(self.launch.num_subgroups)[None, :]
        return {**{f"program {i}": index[:, None] for i, index in enumerate(at)}, "subgroup": subgroups}

    def run(self) -> Totals:
        work = self.estimate.work
        self._section(work, np.ones((1, 1)), {})
        return self.totals

    def _section(self, section: Section, around: Any, loops: dict[str, float]) -> None:
        """`around`: how often it is reached; `loops`: mean trip counts of the loops around, by symbol."""
        found = section.trips.evaluate(self.sampled)
        # What only the run knows counts once.
        trips = np.maximum(0, np.asarray(1 if found is None else found, dtype=float))
        reached = around * trips
        mean = float(np.mean(reached))
        subgroups = self.launch.num_subgroups
        if section.symbol:
            loops = {**loops, section.symbol: float(np.mean(trips))}
            for symbols in (self.sampled, self.one, self.round):
                start = section.start.evaluate(symbols)
                symbols[section.symbol] = 0 if start is None else start
        self._arithmetic(section, mean * subgroups)
        self._messages(section, mean * subgroups, loops)
        self.totals.thread_clocks += mean * self._clocks(section)
        for inner in section.inner:
            self._section(inner, reached, loops)

    def _arithmetic(self, section: Section, times: float) -> None:
        totals = self.totals
        for dtype, operations in section.products:
            totals.operations[dtype] = totals.operations.get(dtype, 0.0) + times * operations
        totals.simple += times * section.simple
        totals.math += times * section.math

    def _messages(self, section: Section, times: float, loops: Mapping[str, float]) -> None:
        totals = self.totals
        moved = sum(m.bytes for m in section.messages if m.kind != "prefetch")
        if section is self.hot:
            spilled = 2 * self.estimate.spill_bytes  # written and read back in every round, and written through
            moved += spilled
            totals.beyond += times * spilled
        totals.moved += times * moved
        totals.stored += times * sum(m.bytes for m in section.messages if m.kind in ("store", "atomic"))
        groups: dict[tuple[str, int, int], list[Message]] = {}
        for message in section.messages:
            if message.kind == "load":
                groups.setdefault((message.array, message.rows, message.row_bytes), []).append(message)
        for (array, _, _), messages in groups.items():
            totals.beyond += self._distinct(messages, self.one, loops, times)
            totals.from_memory[array] = totals.from_memory.get(array, 0.0) + self._distinct(messages, self.round, loops, times)

    def _distinct(
        self, messages: Sequence[Message], symbols: Mapping[str, Any], loops: Mapping[str, float], times: float
    ) -> float:
        """Bytes of the different blocks that messages of one shape load in some workgroups together, over all rounds of loops."""
        programs = len(symbols["program 0"])
        shape = (programs, self.launch.num_subgroups)
        places, everything = [], 0.0
        moving: set[str] = set()
        for message in messages:
            at = _places(message, symbols, shape)
            if at is None:
                everything += times * programs * message.bytes
                continue
            places.append(at)
            moving |= {s for c in message.coordinates or () for s in c.symbols if s in loops}
        if not places:
            return everything
        rounds = prod(loops[symbol] for symbol in moving)
        return everything + rounds * len(np.unique(np.concatenate(places))) * messages[0].bytes

    def _clocks(self, section: Section) -> float:
        """Of one thread in one round of a section."""
        rates, target = self.target.roofline, self.target
        engines = rates.engines_per_core or 1
        per_clock = dict(rates.matrix_ops_per_clock)
        matrix = sum(n * engines / per_clock[dtype] for dtype, n in section.products if dtype in per_clock)
        lanes = dict(rates.vector_ops_per_clock).get("f32", 0) / 2 / engines
        vector = (section.simple + rates.function_clocks * section.math) * target.subgroup_size / lanes if lanes else 0.0
        kinds = {message.kind for message in section.messages}
        waits = 0 if "load" not in kinds else rates.cache_latency if "prefetch" in kinds else rates.memory_latency
        return matrix + vector + (waits or 0)


def _places(message: Message, symbols: Mapping[str, Any], shape: tuple[int, int]) -> Any:
    """A number for each block that a message loads, different for different blocks; None where they are not known."""
    if message.coordinates is None:
        return None
    memo: dict[Any, Any] = {}
    at = [c.evaluate(symbols, memo) for c in message.coordinates]
    if any(a is None for a in at):
        return None
    number = np.zeros(shape, np.int64)
    for coordinate in at:
        number = number * (1 << 24) + np.asarray(coordinate, np.int64)
    return number.ravel()
