"""Spreads the cases of a generator over processes: a case that crashes or hangs costs its own process and is told by its seed."""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import multiprocessing
import os
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from itertools import islice, takewhile
from multiprocessing.connection import Connection, wait
from pathlib import Path
from random import Random
from typing import Any, Protocol

from tests.generators import shrink
from tests.stand_in import lacking, stand_in

COLLECT = 32  # cases between two collections of cycles, which take almost half of the time where Python places them
THREADS = {"OPENBLAS_NUM_THREADS": "1", "CL_CONFIG_CPU_TBB_NUM_WORKERS": "2"}
"""Of each process: numpy's and the CPU driver's pools take all cores each else, which gives 32 processes some 2,000 threads."""
CONTEXT = multiprocessing.get_context("spawn")  # a driver that the parent has loaded does not survive a fork


class Case(Protocol):
    """One program with its inputs, or several (`programs`: how many) that are built together."""

    def describe(self) -> str:
        """The whole case as text from which a person can write it down again."""

    def check(self) -> str | None:
        """Raises where something differs; else a word for what was seen, to be counted (say "refused"), or None."""


OTHER = "XETILE_GENERATORS_ON"
"""Names the device that answers for "cpu" in a generator's processes."""
THERE = {"way": "vector", "emulated": False, "cpu": True}
"""Fields of cases: run on that device, by its own module and by no other, and with what its target has."""
Generator = Callable[[Random], Case]
Seen = tuple[str, int]
"""What a case that is right saw, in a word, and how many programs it holds."""


@dataclass
class Failure:
    """A case that failed."""

    seed: int
    described: str
    reason: str

    def __str__(self) -> str:
        return f"seed {self.seed}: {self.described}\n{self.reason.rstrip()}\n"


@dataclass
class Report:
    """What a run saw."""

    counts: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)
    programs: int = 0

    def __str__(self) -> str:
        cases = sum(self.counts.values())
        held = f" of {self.programs} programs" if self.programs > cases else ""
        counted = ", ".join(f"{n} {what}" for what, n in self.counts.most_common())
        return f"{cases} cases{held}: {counted}"


def run(generator: Generator, seeds: Iterable[int], *, jobs: int = 1, limit: float = 60.0,
        tell: Callable[[Failure], None] | None = None) -> Report:  # fmt: skip
    """Check the cases of all seeds in `jobs` processes, each case in at most `limit` seconds.

    The generator is a function of a module. `tell` hears of each failure at once.
    """
    report = Report()
    for outcome in _outcomes(f"{_module(generator)}:{generator.__qualname__}", iter(seeds), jobs, limit):
        if isinstance(outcome, Failure):
            report.counts["failed"] += 1
            report.failures.append(outcome)
            if tell is not None:
                tell(outcome)
        else:
            word, programs = outcome
            report.counts[word] += 1
            report.programs += programs
    return report


def main(generator: Generator) -> None:
    """The command line of a generator's module; the exit status is 1 where a case failed."""
    options = _parser().parse_args()
    name = _module(generator).rpartition(".")[2]
    seed = _next_seeds(options.seeds_from).get(name, options.seed)
    seeds: Iterable[int] = range(seed, seed + options.cases)
    if options.show:
        for seed in seeds:
            print(f"seed {seed}: {generator(Random(seed)).describe()}")
        return
    os.environ["XETILE_CACHE"] = "0"  # no kernel is met twice
    if options.on:
        os.environ[OTHER] = options.on
    if options.jobs > 1:
        for variable, count in THREADS.items():
            os.environ.setdefault(variable, count)
    begin = time.monotonic()
    seeds = takewhile(lambda _: time.monotonic() < begin + options.seconds, seeds)
    report = run(generator, seeds, jobs=options.jobs, limit=options.limit, tell=lambda failure: print(failure, flush=True))
    end = seed + sum(report.counts.values())
    print(
        f"{name}: seeds {seed} to {end - 1} in {time.monotonic() - begin:.0f} s with {options.jobs} processes, {report}",
        flush=True,
    )
    if options.seeds_from is not None:
        options.seeds_from.write_text(json.dumps({**_next_seeds(options.seeds_from), name: end}) + "\n")
    if report.failures:
        print("failing seeds:", " ".join(str(f.seed) for f in sorted(report.failures, key=lambda f: f.seed)))
        _keep(generator, report.failures, options.keep / name, options.jobs, options.shrink)
    sys.exit(1 if report.failures else 0)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="check random cases")
    parser.add_argument("--cases", type=int, default=100, help="how many (default: 100)")
    parser.add_argument("--seed", type=int, default=0, help="of the first case; the others follow (default: 0)")
    parser.add_argument(
        "--seeds-from", type=Path, help="a file that tells the first seed, and is told where the next run goes on"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: 1)")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds that one case may take (default: 60)")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no case after so long (default: no limit)")
    parser.add_argument("--keep", type=Path, default=Path("failures"), help="folder for cases that failed (default: failures)")
    parser.add_argument("--shrink", type=float, default=60.0, help="seconds for making each of those smaller (default: 60)")
    parser.add_argument("--on", metavar="DEVICE", help='run each case on another device in place of "cpu", such as sim:bmg')
    parser.add_argument("--show", action="store_true", help="print the cases, check nothing")
    return parser


def _next_seeds(file: Path | None) -> dict[str, int]:
    return json.loads(file.read_text()) if file is not None and file.exists() else {}


def _keep(generator: Generator, failures: Iterable[Failure], folder: Path, jobs: int, seconds: float) -> None:
    """Write each failure to a file of its own, and to a second one what is left of the case when it is made smaller."""
    folder.mkdir(parents=True, exist_ok=True)
    where, running = f"{_module(generator)}:{generator.__qualname__}", []
    for failure in failures:
        (folder / f"{failure.seed}.txt").write_text(str(failure))
        while len(running) >= jobs:
            _ended(running.pop(0))
        running.append((CONTEXT.Process(target=_shrink, args=(where, failure.seed, folder / f"{failure.seed}-small.txt", seconds)),
                        time.monotonic() + 2 * seconds))  # fmt: skip
        running[-1][0].start()
    for process in running:
        _ended(process)


def _ended(process: tuple[Any, float]) -> None:
    process[0].join(max(0.0, process[1] - time.monotonic()))
    process[0].kill()  # a case that hangs
    process[0].join()


def _shrink(where: str, seed: int, file: Path, seconds: float) -> None:
    for case, error in shrink.smaller(_load(where), seed, time.monotonic() + seconds):
        file.write_text(f"from seed {seed}: {case.describe()}\n{''.join(traceback.format_exception(error, limit=-12))}")


def _module(generator: Generator) -> str:
    if generator.__module__ != "__main__":
        return generator.__module__
    spec = sys.modules["__main__"].__spec__
    assert spec is not None, "start it as `python -m tests.generators.NAME`"
    return spec.name


class _Worker:
    """A process that checks one case after the other."""

    def __init__(self, where: str, limit: float) -> None:
        self.where, self.limit = where, limit
        self.pipe, other = CONTEXT.Pipe()
        self.process = CONTEXT.Process(target=_serve, args=(other, where), daemon=True)
        self.process.start()
        other.close()
        self.loaded = False

    def send(self, seed: int) -> None:
        """Hand out a case; its time begins when the process has imported what it needs."""
        if not self.loaded:
            self.pipe.recv()
            self.loaded = True
        self.seed, self.end = seed, time.monotonic() + self.limit
        self.pipe.send(seed)

    def stop(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()

    def outcome(self) -> Failure | Seen | None:
        """What came back; None while there is time left. After a crash or a hang the process is gone."""
        if self.pipe.poll():
            try:
                answer: Failure | Seen = self.pipe.recv()
            except EOFError:
                self.process.join()
                return self._lost(f"the process ended with status {self.process.exitcode}")
            return answer
        return self._lost(f"no answer in {self.limit:g} seconds") if time.monotonic() >= self.end else None

    def _lost(self, reason: str) -> Failure:
        self.stop()
        return Failure(self.seed, _described(self.where, self.seed), reason)


def _outcomes(where: str, seeds: Iterator[int], jobs: int, limit: float) -> Iterator[Failure | Seen]:
    first = list(islice(seeds, jobs))
    workers = [_Worker(where, limit) for _ in first]
    idle: list[_Worker] = []
    try:
        for worker, seed in zip(workers, first):
            worker.send(seed)
        while workers:
            wait([w.pipe for w in workers], max(0.0, min(w.end for w in workers) - time.monotonic()))
            for worker in list(workers):
                outcome = worker.outcome()
                if outcome is None:
                    continue
                yield outcome
                workers.remove(worker)
                idle += [] if worker.pipe.closed else [worker]
                for seed in islice(seeds, 1):
                    workers.append(idle.pop() if idle else _Worker(where, limit))
                    workers[-1].send(seed)
    finally:
        for worker in workers + idle:
            worker.stop()


def _load(where: str) -> Generator:
    module, name = where.split(":")
    generator: Generator = getattr(importlib.import_module(module), name)
    return generator


def _described(where: str, seed: int) -> str:
    try:
        return _load(where)(Random(seed)).describe()
    except Exception as error:
        return f"(not described: {error!r})"


def _serve(pipe: Connection, where: str) -> None:
    """The loop of a process: seeds in, outcomes out."""
    generator = _load(where)
    if other := os.environ.get(OTHER, ""):
        stand_in(other)
    gc.freeze()
    gc.disable()
    pipe.send("loaded")
    while True:
        try:
            seed: Any = pipe.recv()
        except (EOFError, KeyboardInterrupt):
            return
        pipe.send(_checked(generator, seed))
        if seed % COLLECT == 0:
            gc.collect()


def _there(case: Any) -> Any:
    """A case that runs on the device that answers for "cpu"."""
    there = {**THERE, "target": os.environ[OTHER].removeprefix("sim:")}
    return replace(case, **{f.name: there[f.name] for f in fields(case) if f.name in there})


def _checked(generator: Generator, seed: int) -> Failure | Seen:
    described = "(not made)"
    try:
        case = generator(Random(seed))
        if OTHER in os.environ:
            case = _there(case)
        described = case.describe()
        return case.check() or "right", getattr(case, "programs", 1)
    except Exception as error:
        if OTHER in os.environ and lacking(error):
            return "lacking", 1
        return Failure(seed, described, traceback.format_exc(limit=-12))
