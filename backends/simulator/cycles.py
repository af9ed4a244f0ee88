"""Clocks that threads of one vector engine take along a path through the code, estimated.

Threads issue in order, one instruction a clock; a pipe (F, I, L, M, dpas, send) takes one instruction at a time, of the thread that
could go first. An instruction waits for the tokens and distances that it names, for its pipe, and at barriers for the others. All
threads go the same path. Rates and latencies: `rates.py`; not calibrated on hardware: use it to compare, not to promise.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import field
from typing import Literal

from xetile.records import dataclass

from .isa import BRANCHES, SENDS, TYPES, Code, Instruction
from .matrix import dimensions
from .messages import FENCE, STORE, STORE_2D, STORE_QUAD, answer_registers
from .messages import field as bits_of
from .rates import LATENCIES, rates
from .scoreboard import PIPES, Use, use_of
from .state import Layout

Cause = Literal["token", "send", "distance", "barrier", "branch", "pipe"]
CAUSES: tuple[Cause, ...] = ("send", "token", "distance", "barrier", "branch", "pipe")
DTYPES = {"hf": "f16", "bf": "bf16", "tf32": "tf32", "b": "i8", "ub": "u8"}
FOREVER = float("inf")
Amounts = defaultdict[str, float]


@dataclass(frozen=True, slots=True)
class Cost:
    """What an instruction takes: its pipe for so many clocks; its result is there after `latency` more; bytes that it moves."""

    pipe: str
    taken: float
    latency: float
    moved: int = 0
    memory: str = ""


@dataclass
class Spent:
    """Of one instruction, for all threads together: how often it was issued, and the clocks that threads waited before it."""

    issued: int = 0
    stalls: Amounts = field(default_factory=lambda: defaultdict(float))


@dataclass
class Cycles:
    """An estimate.

    cycles  from the first instruction to the end of the last; threads: of the engine, on the path.
    busy    clocks in which each pipe works; spent: by position in the code; moved: bytes of a thread, by memory.
    """

    cycles: float
    threads: int
    busy: Amounts
    spent: dict[int, Spent]
    moved: Amounts

    @property
    def stalls(self) -> dict[str, float]:
        """Clocks that a thread waited, by cause, on average."""
        return {c: sum(spent.stalls.get(c, 0.0) for spent in self.spent.values()) / self.threads for c in CAUSES}

    def since(self, before: Cycles, rounds: int) -> Cycles:
        """One of `rounds` by which this estimate is longer than another one of the same loop."""
        busy, moved = (_per(a, b, rounds) for a, b in ((self.busy, before.busy), (self.moved, before.moved)))
        spent = {at: Spent((s.issued - before.spent[at].issued) // rounds, _per(s.stalls, before.spent[at].stalls, rounds))
                 for at, s in self.spent.items()}  # fmt: skip
        return Cycles((self.cycles - before.cycles) / rounds, self.threads, busy, spent, moved)

    @property
    def dpas_share(self) -> float:
        """Of the clocks, those in which XMX works."""
        return self.busy["dpas"] / self.cycles if self.cycles else 0.0


def _per(after: Amounts, before: Amounts, rounds: int) -> Amounts:
    return defaultdict(float, {name: (n - before.get(name, 0.0)) / rounds for name, n in after.items()})


class Costs:
    """What each instruction of a kernel takes, and what it waits for."""

    def __init__(self, code: Code, layout: Layout, *, cached: bool) -> None:
        """`cached`: loads find their data in the first cache."""
        self._code, self._layout, self._rates = code, layout, rates(layout.target)
        self._load = "load, from the first cache" if cached else "load, from the last cache"
        self._found: dict[int, tuple[Use, Cost]] = {}

    def of(self, at: int) -> tuple[Use, Cost]:
        """Of the instruction at a position."""
        if at not in self._found:
            inst = self._code.instructions[at]
            use = use_of(self._layout, inst)
            self._found[at] = use, self._cost(inst, use)
        return self._found[at]

    def _cost(self, inst: Instruction, use: Use) -> Cost:
        if inst.opcode in SENDS:
            return self._message(inst)
        if inst.opcode == "dpas":
            return self._product(inst)
        if not inst.operands or inst.opcode in BRANCHES or (not use.pipe and inst.opcode != "math"):
            return Cost("", 0, 0)
        pipe = "M" if inst.opcode == "math" else use.pipe
        size = max((TYPES[o.type].itemsize for o in inst.operands if o.type), default=4)
        rate = self._rates["math" if pipe == "M" else "vector"].value
        wider = max(0, inst.width // 8 - 1)
        if pipe == "M":
            latency = _latency("result of the math unit") + wider * _latency("each further 8 channels there")
        else:
            kind = "result in an accumulator" if inst.operands[0].file == "acc" else "result of an instruction"
            latency = _latency(kind) + wider * _latency("each further 8 channels")
        return Cost(pipe, max(1.0, inst.width * size / rate), latency)

    def _product(self, inst: Instruction) -> Cost:
        depth, repeat = dimensions(inst)
        source = inst.operands[3]
        operations = 2 * repeat * inst.width * depth * (4 // source.dtype.itemsize)
        rate = self._rates[f"dpas {DTYPES.get(source.type, 'f16')}"].value
        latency = _latency("first row of dpas") + (repeat - 1) * _latency("each further row of dpas")
        return Cost("dpas", operations / rate, latency)

    def _message(self, inst: Instruction) -> Cost:
        operation, grf = inst.desc & 63, self._layout.grf_bytes
        if inst.suffix == "gtwy":
            return Cost("send", 1, 0)
        if operation == FENCE:
            return Cost("send", 1, _latency("fence"))
        store = operation in (STORE, STORE_QUAD, STORE_2D)
        answer = answer_registers(inst) * grf
        moved = answer or (inst.operands[2].length or 0) * grf
        memory = "shared local memory" if inst.suffix == "slm" else "scratch" if bits_of(inst.desc, 29, 2) == 2 else "first cache"
        latency = "shared local memory" if inst.suffix == "slm" else "store" if store or not answer else self._load
        taken = max(self._rates["message"].value, moved / self._rates["messages"].value)
        return Cost("send", taken, _latency(latency), moved, memory)


def _latency(name: str) -> int:
    return LATENCIES[name][0]


@dataclass
class _Thread:
    """A thread on its way: where on the path, from when on it can go on, and what it waits for there."""

    place: int = 0
    ready: float = 0.0
    start: float = 0.0
    cause: Cause = "pipe"
    barriers: int = 0
    tokens: dict[int, tuple[float, float, Cause]] = field(default_factory=dict)
    done: dict[str, deque[float]] = field(default_factory=lambda: {p: deque(maxlen=8) for p in PIPES})


class _Engine:
    def __init__(self, costs: Costs, code: Code, path: Sequence[int], threads: int) -> None:
        self.costs, self.code, self.path = costs, code, path
        self.threads = [_Thread() for _ in range(threads)]
        self.free: dict[str, float] = defaultdict(float)
        self.arrived: dict[int, list[float]] = defaultdict(list)
        self.busy: Amounts = defaultdict(float)
        self.moved: Amounts = defaultdict(float)
        self.spent: dict[int, Spent] = defaultdict(Spent)
        self.end = 0.0

    def run(self) -> Cycles:
        going = list(self.threads)
        while going:
            # Threads at barriers wait for others: what they can start at is known when those have come.
            thread, at = min(((t, self._can_go(t)) for t in going), key=lambda found: (found[1], found[0].ready))
            self._issue(thread, at)
            if thread.place == len(self.path):
                going.remove(thread)
        count = len(self.threads)
        moved: Amounts = defaultdict(float, {memory: n / count for memory, n in self.moved.items()})
        return Cycles(self.end, count, self.busy, dict(self.spent), moved)

    def _can_go(self, thread: _Thread) -> float:
        use_cost = self.costs.of(self.path[thread.place])[1]
        if thread.cause == "barrier":
            come = self.arrived[thread.barriers]
            thread.start = max(thread.ready, max(come) + _latency("barrier")) if len(come) == len(self.threads) else FOREVER
        return max(thread.start, self.free[use_cost.pipe]) if use_cost.pipe else thread.start

    def _issue(self, thread: _Thread, at: float) -> None:
        position = self.path[thread.place]
        inst, (use, cost) = self.code.instructions[position], self.costs.of(position)
        spent = self.spent[position]
        spent.issued += 1
        if thread.start > thread.ready:
            spent.stalls[thread.cause] += thread.start - thread.ready
        if at > thread.start:
            spent.stalls["pipe"] += at - thread.start
        if cost.pipe:
            self.free[cost.pipe] = at + cost.taken
            self.busy[cost.pipe] += cost.taken
        if cost.memory:
            self.moved[cost.memory] += cost.moved
        finished = at + cost.taken + cost.latency
        if use.token is not None:
            thread.tokens[use.token] = at + cost.taken, finished, "send" if inst.opcode in SENDS else "token"
        elif use.pipe:
            thread.done[use.pipe].append(finished)
        if inst.opcode in SENDS and inst.suffix == "gtwy" and not inst.ends_thread:
            self.arrived[thread.barriers].append(at)
        if inst.opcode == "sync" and inst.suffix == "bar":
            thread.barriers += 1
        self.end = max(self.end, at + max(1.0, cost.taken))
        self._go_on(thread, position, at + 1)

    def _go_on(self, thread: _Thread, position: int, ready: float) -> None:
        """What the thread's next instruction waits for."""
        thread.place += 1
        thread.ready = thread.start = ready
        thread.cause = "pipe"
        if thread.place == len(self.path):
            return
        after = self.path[thread.place]
        if after != position + 1:
            thread.start, thread.cause = ready + _latency("taken branch"), "branch"
        use, inst = self.costs.of(after)[0], self.code.instructions[after]
        if inst.opcode == "sync" and inst.suffix == "bar":
            thread.cause = "barrier"
            return
        waits = use.waits if use.token is None else (*use.waits, (use.token, "dst"))
        for number, what in waits:
            read, written, cause = thread.tokens.get(number, (0.0, 0.0, "token"))
            if (done := written if what == "dst" else read) > thread.start:
                thread.start, thread.cause = done, cause
        for pipe, distance in use.distances:
            for name in PIPES if pipe == "A" else pipe:
                past = thread.done[name]
                if len(past) >= distance and past[-distance] > thread.start:
                    thread.start, thread.cause = past[-distance], "distance"


def estimate(code: Code, layout: Layout, path: Sequence[int], threads: int, *, cached: bool) -> Cycles:
    """Clocks of `threads` threads that all go along `path` (positions in the code).

    cached: loads find their data in the first cache, as behind prefetches; else in the last one.
    """
    return _Engine(Costs(code, layout, cached=cached), code, path, threads).run()
