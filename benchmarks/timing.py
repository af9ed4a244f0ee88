"""Timing: what is compared takes turns in blocks of samples, so that all meet the same machine; median, 20th and 80th percentile.

Blocks, with a pause before each: thread pools (OpenBLAS's, torch's OpenMP) keep spinning for up to 200 milliseconds after their
work, which takes cores from whoever comes next: a product of numpy's right after a kernel took a hundred times its time, and a
kernel right after one of torch's half of the machine.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Clock = Callable[[], float]

MIN_SAMPLES = 30
# A sample lasts at least this long, by repetition, so that the clock does not count.
SAMPLE_SECONDS = 2e-4
# Runs before the first sample of a block: caches, clocks, lazily made memory.
WARM_UP = 2
ROUNDS = 3
PAUSE_SECONDS = 0.4


@dataclass(frozen=True)
class Timing:
    """Seconds of one run: median, 20th and 80th percentile, least, of `samples` samples."""

    median: float
    p20: float
    p80: float
    least: float
    samples: int

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Timing:
        """From samples."""
        p20, p50, p80 = (float(value) for value in np.percentile(seconds, (20, 50, 80)))
        return cls(p50, p20, p80, min(seconds), len(seconds))


@dataclass(frozen=True)
class Subject:
    """What is timed. runs: equal work on other memory, in rotation. seconds: the time of one run, from what it returned and
    the seconds that the clock saw.  limit: seconds that a block of samples may take, for others that are very slow; fewer samples
    are taken then."""

    runs: Sequence[Callable[[], Any]]
    seconds: Callable[[Any, float], float] | None = None
    samples: int = MIN_SAMPLES
    limit: float = math.inf


def compare(subjects: Mapping[str, Subject], clock: Clock = time.perf_counter) -> dict[str, Timing]:
    """The timings of all subjects, by name. clock: `time.process_time` counts the seconds of all of the process's cores."""
    queues = {name: itertools.cycle(subject.runs) for name, subject in subjects.items()}
    found: dict[str, list[float]] = {name: [] for name in subjects}
    for _ in range(ROUNDS):
        for name, subject in subjects.items():
            time.sleep(PAUSE_SECONDS)
            found[name] += _block(subject, queues[name], -(-subject.samples // ROUNDS), clock)
    return {name: Timing.of(seconds) for name, seconds in found.items()}


def _block(subject: Subject, runs: Iterator[Callable[[], Any]], samples: int, clock: Clock) -> list[float]:
    once = _sample(subject, runs, 1, clock)
    for _ in range(WARM_UP - 1 if once < subject.limit else 0):
        once = min(once, _sample(subject, runs, 1, clock))
    repeats = max(1, round(SAMPLE_SECONDS / max(once, 1e-9)))
    samples = max(1, int(min(samples, subject.limit / max(once, 1e-9))))
    return [_sample(subject, runs, repeats, clock) for _ in range(samples)]


def _sample(subject: Subject, runs: Iterator[Callable[[], Any]], count: int, clock: Clock) -> float:
    start = clock()
    if subject.seconds is not None:
        done = next(runs)()
        return subject.seconds(done, clock() - start)
    for _ in range(count):
        next(runs)()
    return (clock() - start) / count
