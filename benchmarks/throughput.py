"""Run the cases of a suite: check the result, time ours and the others' in turns, show how near the device's peak it comes."""

from __future__ import annotations

import argparse
import importlib.util
import math
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import xetile as xt
from xetile.errors import XetileError
from xetile.runtime.autotune.progress import progress_bar
from xetile.runtime.backend import DeviceInfo
from xetile.runtime.devices import current_device, find_device

from .cases import Array, Arrays, Case, Prepared, tuned_configs
from .environment import describe, kept_on_interrupt, memory_objection, write_results
from .peaks import Peaks
from .tables import Table
from .timing import MIN_SAMPLES, Subject, Timing, compare

PEERS = ("numpy", "torch", "triton-interpreter")
# Copies of the inputs, taken in turns, until they fill the last-level cache twice, or there are so many, or they take so much.
COPIES, COPIES_BYTES = 8, 1 << 29
DEFAULT_CACHE = 32 << 20
REFERENCE_SHARE = 8
LEFT_OUT = "left out"
SLOW_SECONDS = 1.0  # a block of samples of what ours is compared with


@dataclass(frozen=True)
class Suite:
    """A benchmark: what it is, its cases at some sizes, default sizes by kind of device, and whether GB/s is its measure."""

    name: str
    summary: str
    cases: Callable[[list[tuple[int, ...]]], Iterable[Case]]
    sizes: Mapping[str, Sequence[int | tuple[int, ...]]]
    by_bandwidth: bool = False

    @property
    def unit(self) -> str:
        """What the rate is given in."""
        return "GB/s" if self.by_bandwidth else "GFLOP/s"


@dataclass
class Row:
    """One case's results. rate in the suite's unit; roof: the share of what peak and bandwidth allow; peers: name to timing."""

    name: str
    variant: str
    shape: tuple[int, ...]
    dtype: str
    error: float
    allowed: float
    flops: float
    traffic: float
    ours: Timing | None = None
    rate: float = 0.0
    roof: float = 0.0
    bound: str = ""
    peak: str = ""
    working_set: int = 0
    peers: dict[str, Timing] = field(default_factory=dict)
    config: list[dict[str, Any]] = field(default_factory=list)
    failure: str = ""


class Runner:
    """Measures cases on one device."""

    def __init__(self, device: DeviceInfo, options: argparse.Namespace, suite: Suite) -> None:
        self.device, self.options, self.suite = device, options, suite
        self.clock = time.process_time if options.cpu_time else time.perf_counter
        self.peaks = Peaks(device, self.clock)
        self.remote = device.kind == "gpu"
        self.queue = xt.Queue(device, profiling=True) if self.remote else None

    def measure(self, case: Case) -> Row:
        """Check and time one case."""
        row = Row(case.name, case.variant, case.shape, case.dtype, math.nan, case.error, case.flops, case.traffic)
        # The reference computes in f64, in one step or several: a few times what the kernel reads and writes.
        if why := memory_objection(REFERENCE_SHARE * int(case.traffic)):
            row.failure = f"{LEFT_OUT}: {why}"
            return row
        rng = np.random.default_rng(0)
        inputs = case.inputs(rng)
        try:
            row.config = self._configs(case, self._placed(inputs))
            prepared = self._prepared(case, inputs, row.config)
        except XetileError as failed:
            row.failure = f"{type(failed).__name__}: {failed}".splitlines()[0]
            return row
        row.error = self._error(case, inputs, prepared)
        if not row.error <= case.error:
            row.failure = f"wrong: differs by {row.error:.1e} of the largest magnitude, {case.error:.1e} is allowed"
            return row
        sets = [inputs, *(case.inputs(rng) for _ in range(self._copies(inputs, prepared) - 1))]
        runs = [prepared, *(self._prepared(case, arrays, row.config) for arrays in sets[1:])]
        self._time(case, row, sets, runs)
        return row

    def _configs(self, case: Case, arrays: Arrays) -> list[dict[str, Any]]:
        if not self.options.autotune:
            return [{} for _ in case.steps]
        return tuned_configs(case, arrays, samples=10, budget=self.options.budget)

    def _placed(self, arrays: Arrays) -> Arrays:
        return {name: self.queue.to_device(array) for name, array in arrays.items()} if self.queue else arrays

    def _prepared(self, case: Case, arrays: Arrays, configs: Sequence[Mapping[str, Any]]) -> Prepared:
        return Prepared(case.steps, self._placed(arrays), configs)

    def _error(self, case: Case, inputs: Arrays, prepared: Prepared) -> float:
        """Largest difference from the reference over the largest magnitude; NaN where there are some in the wrong places."""
        prepared.run()
        result = prepared.results
        given = np.asarray(result.get() if self.remote else result, np.float64)
        wanted: Array = np.asarray(case.reference(inputs), np.float64)
        return float(np.abs(given - wanted).max(initial=0.0)) / max(float(np.abs(wanted).max(initial=0.0)), 1e-30)

    def _copies(self, inputs: Arrays, prepared: Prepared) -> int:
        size = max(1, sum(array.nbytes for array in inputs.values()) + prepared.results.nbytes)
        return int(max(1, min(COPIES, math.ceil(2 * _last_level_cache() / size), COPIES_BYTES // size)))

    def _time(self, case: Case, row: Row, sets: list[dict[str, Array]], runs: list[Prepared]) -> None:
        subjects = {"xetile": Subject([p.run for p in runs], self._on_device if self.remote else None, self.options.samples)}
        with ExitStack() as stack:
            for name in self.options.vs:
                if name == "triton-interpreter":
                    subjects |= stack.enter_context(_triton(case, self.options.triton))
                elif name in case.peers:
                    runs_of = [case.peers[name](arrays) for arrays in sets]
                    subjects[name] = Subject(runs_of, None, self.options.samples, SLOW_SECONDS)
            timings = compare(subjects, self.clock)
        row.ours, row.peers = timings.pop("xetile"), timings
        row.peak, peak = self.peaks.arithmetic(case.dtype)
        row.working_set = int(case.traffic) * len(runs)
        bandwidth = self.peaks.bandwidth(row.working_set)
        least = max(case.flops / peak, case.traffic / bandwidth)
        row.bound = "arithmetic" if case.flops / peak >= case.traffic / bandwidth else "memory"
        row.roof = least / row.ours.median
        row.rate = (case.traffic if self.suite.by_bandwidth else case.flops) / row.ours.median / 1e9

    @staticmethod
    def _on_device(events: Any, clock: float) -> float:
        events[-1].wait()
        return float(events[-1].profile.end - events[0].profile.start) * 1e-9


@contextmanager
def _triton(case: Case, python: str) -> Iterator[dict[str, Subject]]:
    if case.triton is None:
        yield {}
        return
    from .fallback import triton

    with triton(python, *case.triton) as once:
        yield {"triton-interpreter": Subject([once], lambda seconds, clock: float(seconds), limit=SLOW_SECONDS)}


def _last_level_cache() -> int:
    try:
        text = Path("/sys/devices/system/cpu/cpu0/cache/index3/size").read_text(encoding="ascii").strip()
    except OSError:
        return DEFAULT_CACHE
    return int(text[:-1]) << {"K": 10, "M": 20}[text[-1]]


# What is shown


def table(suite: Suite, rows: Sequence[Row], peers: Sequence[str]) -> Table:
    """A row for each case; times in milliseconds, `x NAME` how many times as fast as NAME."""
    out = Table(("case", "ms", "p20", "p80", suite.unit, "of roof", "bound", *(f"x {peer}" for peer in peers), "error"))
    for row in rows:
        if row.ours is None:
            out.add(row.name, *[None] * 6, *[None] * len(peers), row.failure[:60])
            continue
        times = [f"{seconds * 1e3:.3f}" for seconds in (row.ours.median, row.ours.p20, row.ours.p80)]
        faster = [_faster(row.ours, row.peers[p]) if p in row.peers else None for p in peers]
        out.add(row.name, *times, f"{row.rate:.1f}", f"{row.roof:.1%}", row.bound, *faster, f"{row.error:.0e}")
    return out


def _page(suite: Suite, rows: Sequence[Row], peers: Sequence[str], found: Mapping[str, Any]) -> str:
    """The table in Markdown, and what its columns are."""
    clock = " Times are the processor's, of all threads." if found["clock"] == "processor" else ""
    return (
        f"{table(suite, rows, peers).markdown()}\nms: median of one run, 20th and 80th percentile. of roof: the share of what arithmetic and "
        "bandwidth, measured in the same run, allow. x NAME: how many times as fast as NAME, by medians; ~ where samples lie far "
        f"apart, because other work was in the way.{clock}\n\nPeaks: {found['peaks']}\n"
    )


def _faster(ours: Timing, other: Timing) -> str:
    """How many times as fast, by medians; `~` where samples of one of them lie far apart: other work was in the way."""
    noisy = any(timing.p80 > 1.5 * timing.p20 for timing in (ours, other))
    return f"{'~' if noisy else ''}{other.median / ours.median:.3g}"


def document(suite: Suite, runner: Runner, rows: Sequence[Row]) -> dict[str, Any]:
    """All of it for JSON."""
    device = runner.device
    about = {"name": device.name, "kind": device.kind, "driver": device.driver_version, "target": device.target,
             "emulated": device.emulated, "compute units": device.compute_units}  # fmt: skip
    clock = "processor" if runner.options.cpu_time else "wall"
    return describe(benchmark=suite.name, clock=clock, device=about, load=os.getloadavg()[0], unit=suite.unit, peaks=runner.peaks.document(),
                    rows=[asdict(row) for row in rows])  # fmt: skip


# The command line


def run(suite: Suite, arguments: Sequence[str]) -> int:
    """One benchmark from the command line: 1 where a result is wrong, 2 where it cannot run."""
    options = parse(suite, arguments)
    try:
        device = find_device(options.device) if options.device else current_device()
        chosen = [case for case in suite.cases(options.size or sizes_of(suite, device)) if options.only in case.name]
        if not chosen:
            print(f"{suite.name}: no case has {options.only!r} in its name", file=sys.stderr)
            return 2
        with xt.device(device):
            runner = Runner(device, options, suite)
            rows: list[Row] = []
            with kept_on_interrupt() as ending:
                measure_all(runner, chosen, options.quiet, rows)
    except XetileError as error:
        print(f"{suite.name}: {error}", file=sys.stderr)
        return 2
    title = f"{suite.name} on {device.name}{' (the GPU module, emulated)' if device.emulated else ''}"
    print(title)
    table(suite, rows, options.vs).show()
    found = document(suite, runner, rows) | {"interrupted": ending.early}
    print(f"peaks in this run: {found['peaks']}; load {found['load']:.1f}; xetile {found['revision']}, {found['date']}")
    if options.json:
        write_results(options.json, found, title, _page(suite, rows, options.vs, found))
    if options.plot:
        from .plots import plot

        plot(options.plot, found)
    return ending.status(1 if any(row.failure and not row.failure.startswith(LEFT_OUT) for row in rows) else 0)


def sizes_of(suite: Suite, device: DeviceInfo) -> list[tuple[int, ...]]:
    """The suite's default sizes for a kind of device."""
    return [size if isinstance(size, tuple) else (size,) for size in suite.sizes[device.kind]]


def measure_all(runner: Runner, cases: Sequence[Case], quiet: bool, rows: list[Row]) -> None:
    """Add all rows, with progress on a terminal."""
    with progress_bar(runner.suite.name, len(cases), False if quiet else None) as bar:
        for case in cases:
            rows.append(runner.measure(case))
            bar.step(f"{case.name}: {rows[-1].failure or f'{rows[-1].rate:.1f} {runner.suite.unit}'}")


def parse(suite: Suite, arguments: Sequence[str]) -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(prog=f"python -m xetile benchmarks {suite.name}", description=suite.summary)
    parser.add_argument("--device", metavar="D", help="gpu, cpu, numpy, or a number of `python -m xetile devices`")
    parser.add_argument("--vs", type=_names, default=[], metavar="NAMES", help=f"compare with some of {', '.join(PEERS)}")
    parser.add_argument("--size", type=_sizes, default=[], metavar="N,MxN,...", help="sizes (default: by device)")
    parser.add_argument("--only", default="", metavar="TEXT", help="cases whose name holds TEXT")
    parser.add_argument("--autotune", action="store_true", help="find each case's best configuration first")
    parser.add_argument("--budget", type=float, default=60.0, metavar="S", help="seconds of tuning for one case (%(default)s)")
    parser.add_argument("--samples", type=_at_least_30, default=MIN_SAMPLES, metavar="N", help="at least %(default)s (default)")
    parser.add_argument("--triton", default=sys.executable, metavar="PYTHON", help="an interpreter with triton and torch")
    parser.add_argument("--plot", type=Path, metavar="OUT.png", help="draw throughput over size, and a roofline")
    parser.add_argument("--json", type=Path, metavar="OUT.json", help="write results with machine, versions and date")
    parser.add_argument("--cpu-time", action="store_true", help="seconds of the processor: for machines that others use; peers' threads "
                        "that spin while they wait count, which makes small sizes look bad")  # fmt: skip
    parser.add_argument("--quiet", action="store_true", help="no progress")
    options = parser.parse_args(arguments)
    for name, module in (("torch", "torch"), ("numpy", "numpy")):
        if name in options.vs and importlib.util.find_spec(module) is None:
            parser.error(f"{module} is not installed here; leave it out of --vs")
    if options.cpu_time and options.device not in ("cpu", "numpy"):
        parser.error("--cpu-time needs --device cpu or numpy: a GPU's time is its own")
    if options.plot and importlib.util.find_spec("matplotlib") is None:
        parser.error("--plot needs matplotlib, which is not installed here: pip install -e '.[bench]'")
    return options


def _names(text: str) -> list[str]:
    names = [name for name in text.split(",") if name]
    if unknown := [name for name in names if name not in PEERS]:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join(PEERS)}")
    return names


def _sizes(text: str) -> list[tuple[int, ...]]:
    try:
        sizes = [tuple(int(part) for part in size.split("x")) for size in text.split(",") if size]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no list of sizes such as 1024,512x256") from None
    if not sizes or any(len(size) > 3 or min(size) < 1 for size in sizes):
        raise argparse.ArgumentTypeError("a size is one to three numbers from 1 on")
    return sizes


def _at_least_30(text: str) -> int:
    if int(text) < MIN_SAMPLES:
        raise argparse.ArgumentTypeError(f"at least {MIN_SAMPLES}, so that the percentiles mean something")
    return int(text)
