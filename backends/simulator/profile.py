"""Estimated clocks of a kernel's machine code: of its hot loop, by source line; of a launch, along the path of one workgroup.

Not calibrated on hardware (`rates.py` says where each number is from).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from copy import deepcopy
from math import ceil
from typing import Any

from xetile.errors import Location
from xetile.records import dataclass
from xetile.target import get_target

from .cycles import CAUSES, Cycles, estimate
from .execute import Executable, Result, decode, execute
from .isa import BRANCHES, SENDS, Code, Instruction
from .rates import rates

WARM_UP, ROUNDS = 4, 12
"""Rounds of a loop before its clocks are counted, and rounds that are."""
LEVELS = ("shared local memory", "scratch", "first cache", "second cache", "memory")
"""Of memory, from registers on."""
Lines = Mapping[str, tuple[int, int]]
"""Bytes of the cache lines that were touched of each buffer, and of all its lines."""
PROMISE = "estimated from published rates and latencies, not calibrated on hardware"


@dataclass(frozen=True)
class Loop:
    """A loop in the code: positions of its first instruction and of the branch back."""

    first: int
    last: int

    def encloses(self, other: Loop) -> bool:
        """Whether another loop lies in it."""
        return self is not other and self.first <= other.first and other.last <= self.last


def loops(code: Code) -> list[Loop]:
    """One for each instruction that a later branch goes back to."""
    ends: dict[int, int] = {}
    for at, inst in enumerate(code.instructions):
        for label in inst.labels if inst.opcode in BRANCHES else ():
            if (start := code.labels[label]) <= at:
                ends[start] = max(ends.get(start, 0), at)
    return [Loop(start, end) for start, end in sorted(ends.items())]


def hot_loop(code: Code, trace: Sequence[int] = ()) -> Loop | None:
    """Of the innermost loops that with most matrix products, of several that in which a thread was most, by the positions that it went
    through, or the shortest (see split_loops); without products the longest.
    """
    found, sign = _hottest(code), -1 if any(inst.opcode == "dpas" for inst in code.instructions) else 1
    passed = Counter(trace)

    def instructions(loop: Loop) -> int:
        return sum(passed[at] for at in range(loop.first, loop.last + 1))

    return max(found, key=lambda loop: (instructions(loop), sign * (loop.last - loop.first)), default=None)


def _hottest(code: Code) -> list[Loop]:
    """Of the innermost loops those with most matrix products."""

    def products(loop: Loop) -> int:
        return sum(inst.opcode == "dpas" for inst in code.instructions[loop.first : loop.last + 1])

    found = loops(code)
    pool = [loop for loop in found if products(loop)] or found
    innermost = [loop for loop in pool if not any(loop.encloses(other) for other in pool)]
    most = max(map(products, innermost), default=0)
    return [loop for loop in innermost if products(loop) == most]


def resident_workgroups(what: Executable, subgroups: int) -> int:
    """Workgroups that a core holds at a time."""
    target = get_target(what.target)
    threads = (target.engines_per_core or 1) * target.grf_mode(what.kernel.grf_count).threads_per_engine
    by_memory = target.slm_bytes // what.kernel.slm_size if what.kernel.slm_size else threads
    return max(1, min(threads // subgroups, by_memory))


def threads_of_engine(what: Executable, subgroups: int) -> int:
    """Threads that an engine holds at a time."""
    return max(1, resident_workgroups(what, subgroups) * subgroups // (get_target(what.target).engines_per_core or 1))


@dataclass(frozen=True)
class LoopProfile:
    """One round of the hot loop for all threads of an engine; printed, it is a table."""

    what: Executable
    loop: Loop
    cycles: Cycles

    @property
    def instructions(self) -> Sequence[Instruction]:
        """Of the loop."""
        return self.what.code.instructions[self.loop.first : self.loop.last + 1]

    def clocks_by_line(self) -> list[tuple[tuple[Location, ...], float]]:
        """Clocks of a thread, with its waits, for the places in the source that instructions come from, in the source's order."""
        return [(places, len(at) + sum(_waits(self, at).values())) for places, at in _by_place(self).items()]

    def __str__(self) -> str:
        return render(self)


def profile_loop(what: Executable, subgroups: int, loop: Loop | None = None) -> LoopProfile | None:
    """The steady state of a loop, or of the hot one; None for a kernel without loops."""
    found = loop or hot_loop(what.code)
    return None if found is None else _profile(what, subgroups, found)


def profile_loops(what: Executable, subgroups: int) -> list[LoopProfile]:
    """The steady state of each innermost loop, in the order of the code, and of each that multiplies matrices outside of those in it.

    Where a condition leaves steps out, going on to the next one is to IGC a loop in the loop.
    """
    found = loops(what.code)

    def counts(loop: Loop) -> bool:
        inside = [other for other in found if loop.encloses(other)]
        own = [at for at in range(loop.first, loop.last + 1) if not any(other.first <= at <= other.last for other in inside)]
        return not inside or any(what.code.instructions[at].opcode == "dpas" for at in own)

    return [_profile(what, subgroups, loop) for loop in found if counts(loop)]


def _profile(what: Executable, subgroups: int, found: Loop) -> LoopProfile:
    body, threads = list(range(found.first, found.last + 1)), threads_of_engine(what, subgroups)
    short, long = (
        estimate(what.code, what.program.layout, body * rounds, threads, cached=_prefetches(what.code, body))
        for rounds in (WARM_UP, WARM_UP + ROUNDS)
    )
    return LoopProfile(what, found, long.since(short, ROUNDS))


def profile_binary(binary: bytes, target: str, subgroups: int) -> LoopProfile | None:
    """The hot loop of a device binary's kernel.  Raises UnsupportedError, BuildError."""
    return profile_loop(decode(binary, target), subgroups)


def _prefetches(code: Code, body: Sequence[int]) -> bool:
    """Whether loads find what was asked for ahead of time."""
    return any(_is_prefetch(code.instructions[at]) for at in body)


def _is_prefetch(inst: Instruction) -> bool:
    return inst.opcode in SENDS and inst.suffix == "ugm" and inst.desc & 63 in (0, 2, 3) and inst.operands[0].file == "null"


@dataclass(frozen=True)
class LaunchProfile:
    """A launch, estimated: clocks of a core's workgroups in one round, rounds, and the seconds that follow.

    workgroup  clocks along the path of the first thread of the workgroup in the middle of the grid.
    moved      bytes that this workgroup moves, by level: between registers and shared local memory, scratch and the first cache, along
               that path; lines that it needs of the second cache, each once; its share of the lines that the launch needs from memory,
               each once, as if the last cache held all.
    loop       the hot loop; of several with as many products that in which the thread was most.
    each_round  bytes of the second cache and of memory for one round of the hot loop, where the first thread goes round: the lines that
               the loop's instructions touch, each once, over its rounds; of memory the same share as above.
    """

    workgroup: Cycles
    resident: int
    rounds: int
    seconds: float
    moved: Mapping[str, float]
    each_round: Mapping[str, float]
    loop: Loop | None = None

    def beyond_first_cache(self, target: str) -> str:
        """What a round of the hot loop moves, and the clocks that takes at least at the published rates, as text."""
        shown = []
        for level, n in self.each_round.items():
            rate = rates(target).get(level)
            least = f", {ceil(n / rate.value)} clocks at least ({rate.source})" if rate else ", at a rate that is not published"
            shown.append(f"{level} {n / 1024:.1f} KiB{least}")
        return "; ".join(shown) or "nothing"

    def __str__(self) -> str:
        moved, in_loop = (
            ", ".join(f"{level} {found[level] / 1024:.1f} KiB" for level in LEVELS if found.get(level))
            for found in (self.moved, self.each_round)
        )
        return (f"{self.workgroup.cycles:.0f} clocks a workgroup, {self.resident} at a time on a core, {self.rounds} rounds, "
                f"{self.seconds * 1e6:.1f} us; {PROMISE}\nmoved by a workgroup: {moved or 'nothing'}\n"
                + f"each round of its hot loop: {in_loop}\n" * bool(in_loop))  # fmt: skip


def profile_launch(
    what: Executable, grid: Sequence[int], args: Sequence[Any], local_size: Sequence[int], **names: Any
) -> LaunchProfile:
    """Execute the workgroup in the middle of a grid, and estimate the launch from its path.  Raises SimulationError."""
    sizes = (*grid, 1, 1)[:3]
    middle = (sizes[0] // 2, sizes[1] // 2, sizes[2] // 2)

    def run(given: Sequence[Any], body: range) -> Result:
        return execute(what, sizes, given, local_size=local_size, only=[middle], traffic=True, loop=body, **names)

    # Which of several loops is hot is known when the workgroup has run, and lines are counted for one loop.
    trace = run(deepcopy(args), range(0)).trace if len(_hottest(what.code)) > 1 else ()
    loop = hot_loop(what.code, trace)
    body = range(loop.first, loop.last + 1) if loop else range(0)
    done = run(args, body)
    subgroups, target = done.threads, get_target(what.target)
    resident = resident_workgroups(what, subgroups)
    found = estimate(what.code, what.program.layout, done.trace, threads_of_engine(what, subgroups),
                     cached=_prefetches(what.code, sorted(set(done.trace))))  # fmt: skip
    groups = sizes[0] * sizes[1] * sizes[2]
    rounds = ceil(groups / (resident * (target.roofline.cores or 1)))
    moved = {level: n * subgroups for level, n in found.moved.items()}
    moved["second cache"] = sum(touched for touched, _ in done.lines.values())
    moved["memory"] = sum(min(touched, whole / groups) for touched, whole in done.lines.values())
    iterations = done.trace.count(body.start) if body else 0
    each_round = _moved_in_a_round(done.lines, done.loop_lines, groups, iterations) if iterations else {}
    # A workgroup may have more threads than an engine holds of it, when it is alone on a core.
    return LaunchProfile(found, resident, rounds, rounds * found.cycles / (target.roofline.hertz or 1), moved, each_round, loop)


def _moved_in_a_round(whole: Lines, of_loop: Lines, groups: int, rounds: int) -> dict[str, float]:
    """Bytes of lines that a loop's instructions touch, over its rounds: from the second cache, and its share from memory."""
    shares = {name: min(1.0, size / groups / touched) for name, (touched, size) in whole.items()}
    second = sum(touched for touched, _ in of_loop.values())
    memory = sum(touched * shares[name] for name, (touched, _) in of_loop.items())
    return {"second cache": second / rounds, "memory": memory / rounds} if second else {}


def render(found: LoopProfile) -> str:
    """The hot loop as text: clocks and what threads wait for at each source line, then at each instruction."""
    cycles, threads = found.cycles, found.cycles.threads
    out = [f"hot loop, {len(found.instructions)} instructions, on {found.what.target}: {cycles.cycles:.0f} clocks a round of {threads} threads"
           f" on an engine; {PROMISE}",
           "busy: " + ", ".join(f"{pipe} {n / cycles.cycles:.0%}" for pipe, n in sorted(cycles.busy.items(), key=lambda p: -p[1])),
           "moved by a thread: " + (", ".join(f"{n:.0f} bytes {memory}" for memory, n in cycles.moved.items() if n) or "nothing"), "",
           _row("clocks", *CAUSES, "source")]  # fmt: skip
    for places, positions in _by_place(found).items():
        stalls = _waits(found, positions)
        shown = " or ".join(_shown(place) for place in places) or "(no line)"
        out.append(_row(f"{len(positions) + sum(stalls.values()):.0f}", *(f"{stalls[c]:.0f}" for c in CAUSES), shown))
    out += ["", _row("", *CAUSES, " line  instruction")]
    for at in range(found.loop.first, found.loop.last + 1):
        waits, inst = cycles.spent[at].stalls, found.what.code.instructions[at]
        lines = "/".join(str(line) for line in dict.fromkeys(place.line for place in found.what.places_of(inst)))
        out.append(_row("", *(f"{waits[c] / threads:.0f}" if waits.get(c) else "" for c in CAUSES),
                        f"{lines:>5}  {inst.text}"))  # fmt: skip
    return "\n".join(line.rstrip() for line in out) + "\n"


def _waits(found: LoopProfile, positions: Sequence[int]) -> dict[str, float]:
    """Clocks that a thread waits before instructions, by cause."""
    spent, threads = found.cycles.spent, found.cycles.threads
    return {c: sum(spent[p].stalls.get(c, 0.0) for p in positions) / threads for c in CAUSES}


def _row(clocks: str, *rest: str) -> str:
    *causes, text = rest
    return f"{clocks:>7}" + "".join(f"{cause:>9}" for cause in causes) + f"  {text}"


def _by_place(found: LoopProfile) -> dict[tuple[Location, ...], list[int]]:
    """Positions of the loop's instructions by line, in the order of the source."""
    by_place: dict[tuple[Location, ...], list[int]] = {}
    for at in range(found.loop.first, found.loop.last + 1):
        places = found.what.places_of(found.what.code.instructions[at])
        lines = tuple(dict.fromkeys(Location(p.file, p.line) for p in places))
        by_place.setdefault(lines, []).append(at)
    return dict(sorted(by_place.items(), key=lambda item: [(p.file, p.line) for p in item[0]]))


def _shown(place: Location) -> str:
    return f"{place.file.rpartition('/')[2]}:{place.line}  {place.text}"
