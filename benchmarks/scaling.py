"""What more cores give, and what more work costs: `python -m benchmarks scaling`.

Processes that may use one core and processes that may use all take turns. Wall time tells what a quiet machine gives; on a busy one the
CPU seconds of all cores do: work that is spread evenly and costs no more takes as many of them as on one core.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import xetile as xt
from xetile.errors import XetileError

from .cases import Prepared
from .environment import cpu_name, describe, write_results
from .suites.cpu import lines
from .tables import Table

CASES = ("f32 square 1024x1024x1024", "f32 square 2048x2048x2048", "f32 square 4096x4096x4096", "softmax f32 4096x4096",
         "attention f32 D=64 8x1024x64", "exp f32 512x512")  # fmt: skip
ROUNDS, SECONDS, LEAST = 3, 1.0, 3
Seconds = dict[str, tuple[float, float]]
"""Of a case: wall and CPU seconds of one run."""


def main(arguments: Sequence[str]) -> int:
    """Measure in processes of their own, show, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks scaling", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", type=Path, metavar="OUT.json", help="write results with machine, versions and date")
    parser.add_argument("--measure", action="store_true", help="print the seconds of this process, which is what the others run")
    options = parser.parse_args(arguments)
    if options.measure:
        try:
            print(json.dumps(_measured()))
        except XetileError as error:
            parser.error(str(error))
        return 0
    cores = sorted(os.sched_getaffinity(0))
    found: dict[int, list[Seconds]] = {1: [], len(cores): []}
    for _ in range(ROUNDS):
        for count, rounds in found.items():
            rounds.append(_by_process(cores[:count]))
    rows = [_row(name, {count: _median(name, rounds) for count, rounds in found.items()}) for name in CASES]
    page = _page(rows, len(cores))
    print(page)
    if options.json:
        document = describe(benchmark="scaling", load=os.getloadavg()[0], cores=len(cores), rows=rows)
        write_results(options.json, document, f"What more cores give on {cpu_name()}", page)
    return 0


def _measured() -> Seconds:
    """In this process."""
    found: Seconds = {}
    with xt.device("cpu"):
        for case in (line.case for line in lines() if line.case.name in CASES):
            run = Prepared(case.steps, case.inputs(np.random.default_rng(0)), [{} for _ in case.steps]).run
            run()
            samples: list[tuple[float, float]] = []
            start = time.perf_counter()
            while len(samples) < LEAST or time.perf_counter() - start < SECONDS:
                wall, cpu = time.perf_counter(), time.process_time()
                run()
                samples.append((time.perf_counter() - wall, time.process_time() - cpu))
            walls, cpus = zip(*samples, strict=True)
            found[case.name] = (float(np.median(walls)), float(np.median(cpus)))
    return found


def _by_process(cores: Sequence[int]) -> Seconds:
    command = [sys.executable, "-m", "xetile", "benchmarks", "scaling", "--measure"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, preexec_fn=lambda: os.sched_setaffinity(0, cores))
    return {name: (wall, cpu) for name, (wall, cpu) in json.loads(done.stdout).items()}


def _median(name: str, rounds: Sequence[Seconds]) -> tuple[float, float]:
    walls, cpus = zip(*(found[name] for found in rounds), strict=True)
    return float(np.median(walls)), float(np.median(cpus))


def _row(name: str, seconds: dict[int, tuple[float, float]]) -> dict[str, Any]:
    all_cores = max(seconds)
    (wall, cpu), (wall_all, cpu_all) = seconds[1], seconds[all_cores]
    flops = next(line.case.flops for line in lines() if line.case.name == name)
    return {"case": name, "one core": [wall, cpu], "all cores": [wall_all, cpu_all], "by wall time": wall / wall_all,
            "by CPU time": all_cores * cpu / cpu_all, "GFLOP per CPU second": flops / cpu_all / 1e9}  # fmt: skip


def _page(rows: Sequence[dict[str, Any]], cores: int) -> str:
    table = Table(
        ("what", "CPU ms, 1 core", f"CPU ms, {cores} cores", "gain by CPU time", "gain by wall time", "GFLOP per CPU second")
    )
    for row in rows:
        times = (f"{row[name][1] * 1e3:.3f}" for name in ("one core", "all cores"))
        table.add(row["case"], *times, *(f"{row[name]:.2f}" for name in ("by CPU time", "by wall time")),
                  f"{row['GFLOP per CPU second']:.1f}")  # fmt: skip
    return (
        f"{table.markdown()}\nMedians of {ROUNDS} processes that may use one core and {ROUNDS} that may use all, in turns. gain: how many "
        f"times as fast all cores are, at best {cores}; by CPU time: {cores} times the CPU seconds on one core over those of all, which "
        "other work on the machine disturbs little. The same GFLOP per CPU second at each size of a product: cost grows as the work does.\n"
    )
