"""One page of all that a CPU is measured by: `python -m benchmarks all --device cpu`.

Times are CPU seconds, so that a busy machine disturbs them little; what is compared takes turns. All is measured in a process that
may use one core: threads of OpenBLAS, PyTorch and Numba that wait for one another spin, and where another process has the other core that
took up to 20 times the CPU seconds of the work. What more cores give, `scaling` measures.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import xetile as xt
from xetile.errors import XetileError
from xetile.runtime.devices import find_device

from . import choosing
from .cases import Prepared
from .cpu_verdicts import HOW, Other, kept, others_table, reason, starts
from .environment import describe, kept_on_interrupt, write_results
from .peaks import Peaks
from .plots import plot_shares
from .suites.cpu import Line, lines
from .tables import Table
from .timing import Subject, Timing, compare

PEERS = ("numpy", "torch", "numba")
SAMPLES = 6
_OTHERS = Path(__file__).parent / "results"
MEMORY_BYTES = 1 << 28  # that arrays in turns take at least: several times the largest cache of a CPU that was measured
BLOCK_SECONDS = 0.8  # a block of samples of one subject takes about so long


@dataclass
class Result:
    """What a line gave. rate: GFLOP or GB per CPU second; roof: share of what arithmetic and bandwidth allow.

    beyond: the bar against a peer asks for more than the roof.
    """

    name: str
    bar: str
    error: float = float("nan")
    rate: float = 0.0
    unit: str = ""
    roof: float = 0.0
    ours: Timing | None = None
    peers: dict[str, Timing] = field(default_factory=dict)
    failure: str = ""
    held: bool | None = None
    beyond: bool = False

    def gain(self, peer: str) -> float | None:
        """How many times as fast as a peer."""
        return self.peers[peer].median / self.ours.median if self.ours and peer in self.peers else None

    def share(self, peer: str) -> float | None:
        """What a peer has of the roof."""
        gain = self.gain(peer)
        return None if gain is None else self.roof / gain


def main(arguments: Sequence[str]) -> int:
    """Measure, show, write; 1 where a result is wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks all", description=__doc__)
    parser.add_argument("--device", default="cpu", choices=["cpu"], help="what has a page (%(default)s)")
    parser.add_argument("--only", default="", metavar="TEXT", help="lines whose name holds TEXT")
    parser.add_argument("--json", type=Path, metavar="OUT.json", help="write results with machine, versions and date")
    parser.add_argument("--all-cores", action="store_true", help="let all threads of this process run, on a quiet machine")
    options = parser.parse_args(arguments)
    choosing.check_chosen(
        parser, options.only, (x for x in lines() if options.only in x.case.name), (x.case.name for x in lines())
    )
    if not options.all_cores and len(os.sched_getaffinity(0)) > 1:
        return _on_one_core(arguments)
    try:
        with xt.device(find_device(options.device)) as device:
            peaks = Peaks(device, time.process_time)
            results: list[Result] = []
            with kept_on_interrupt() as ending:
                for line in (line for line in lines() if options.only in line.case.name):
                    results.append(measure(line, peaks, results))
                    print("  ".join(_cells(results[-1])), flush=True)
    except XetileError as error:
        print(f"all: {error}", file=sys.stderr)
        return 2
    others = [] if options.only or ending.early else [*starts(), *kept(_OTHERS)]
    if options.json:
        found = describe(
            benchmark="all", load=os.getloadavg()[0], peaks=peaks.document(), rows=[vars(r) | _plain(r) for r in results],
            others=[asdict(other) for other in others], interrupted=ending.early,
        )  # fmt: skip
        title = f"All that a CPU is measured by, on {device.name}"
        write_results(options.json, found, title, _page(results, found, others, options.json.with_suffix(".png")))
    return ending.status(1 if any(r.failure for r in results) else 0)


def _on_one_core(arguments: Sequence[str]) -> int:
    """The same in a process whose pools of threads find one core."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})  # the new process starts with this one's
    process = subprocess.Popen([sys.executable, "-m", "xetile", "benchmarks", "all", *arguments])
    os.sched_setaffinity(0, cores)
    while True:
        with contextlib.suppress(KeyboardInterrupt):  # which ends that process by itself, when it has written what it has
            return process.wait()


def measure(line: Line, peaks: Peaks, before: Sequence[Result]) -> Result:
    """Check and time one line; where the memory bounds it, on arrays in turns, of which no cache holds much."""
    case, result = line.case, Result(line.case.name, line.bar)
    inputs = case.inputs(np.random.default_rng(0))
    try:
        prepared = Prepared(case.steps, inputs, [{} for _ in case.steps])
        prepared.run()
    except XetileError as failed:
        result.failure = f"{type(failed).__name__}: {failed}".splitlines()[0]
        return result
    wanted = np.asarray(case.reference(inputs), np.float64)
    result.error = float(np.abs(np.asarray(prepared.results, np.float64) - wanted).max() / max(np.abs(wanted).max(), 1e-30))
    if not result.error <= case.error:
        result.failure = f"wrong by {result.error:.1e}, {case.error:.1e} is allowed"
        return result
    rng, copies = np.random.default_rng(1), math.ceil(MEMORY_BYTES / case.traffic) if line.bandwidth else 1
    sets = [inputs, *(case.inputs(rng) for _ in range(copies - 1))]
    runs = [prepared, *(Prepared(case.steps, arrays, [{} for _ in case.steps]) for arrays in sets[1:])]
    subjects = {"xetile": Subject([each.run for each in runs], None, SAMPLES, BLOCK_SECONDS)}
    subjects |= {
        name: Subject([peer(arrays) for arrays in sets], None, SAMPLES, BLOCK_SECONDS)
        for name, peer in case.peers.items()
        if _is_there(name)
    }
    result.peers = compare(subjects, time.process_time)
    result.ours = result.peers.pop("xetile")
    _, peak = peaks.arithmetic(case.dtype)
    bandwidth = peaks.bandwidth(int(case.traffic) * copies)
    least = max(case.flops / peak, case.traffic / bandwidth)
    by_bytes = case.flops / peak < case.traffic / bandwidth
    result.unit = "GB" if by_bytes else "GFLOP"
    result.rate = (case.traffic if by_bytes else case.flops) / result.ours.median / 1e9
    result.roof = least / result.ours.median
    result.beyond = any((line.best or bar) * (result.share(name) or 0.0) > 1 for name, bar in _bars(line).items())
    result.held = _held(line, result, before)
    return result


def _bars(line: Line) -> dict[str, float]:
    return {"numpy": line.numpy, "torch": line.torch}


def _held(line: Line, result: Result, before: Sequence[Result]) -> bool | None:
    """Whether the bar holds; None where a peer is missing."""
    other, share = line.ours
    if other:
        found = next((r for r in before if r.name == other), None)
        return None if found is None else result.rate >= share * found.rate
    gains = {name: result.gain(name) for name in ("numpy", "torch")}
    if line.best:
        known = [g for g in gains.values() if g is not None]
        return min(known) >= line.best if known else None
    wanted = _bars(line)
    compared = {name: g >= wanted[name] for name, g in gains.items() if wanted[name] and g is not None}
    if line.bandwidth and result.unit == "GB" and "numpy" in compared:
        compared["numpy"] |= result.roof >= line.bandwidth
    if line.roof:
        compared["roof"] = result.roof >= line.roof
    return all(compared.values()) if compared else None


def _is_there(peer: str) -> bool:
    import importlib.util

    return importlib.util.find_spec(peer) is not None


def _plain(result: Result) -> dict[str, Any]:
    return {"ours": result.ours and vars(result.ours), "peers": {name: vars(timing) for name, timing in result.peers.items()}}


def _cells(result: Result) -> list[str]:
    if result.ours is None:
        return [result.name, *[""] * 7, result.bar, result.failure[:70]]
    share = result.share("numpy")
    gains = [f"{gain:.2f}" if (gain := result.gain(name)) is not None else "" for name in PEERS]
    verdict = {True: "met", False: "missed: it is above the roof" if result.beyond else "missed", None: ""}[result.held]
    return [
        result.name,
        f"{result.ours.median * 1e3:.3f}",
        f"{result.rate:.1f} {result.unit}",
        f"{result.roof:.0%}",
        "" if share is None else f"{share:.0%}",
        *gains,
        result.bar,
        verdict,
    ]


def _page(results: Sequence[Result], found: dict[str, Any], others: Sequence[Other], picture: Path) -> str:
    table = Table(
        ("what", "CPU ms", "per CPU second", "of roof", "numpy of roof", *(f"x {name}" for name in PEERS), "bar", "verdict")
    )
    for result in results:
        table.add(*_cells(result))
    shares = {r.name: {"xetile": r.roof, **{n: s for n in PEERS if (s := r.share(n)) is not None}} for r in results if r.ours}
    plot_shares(picture, shares, f"Share of the roof on {found['machine']['cpu']}, {found['date']}")
    verdicts = [v for r in results if (v := _cells(r)[-1])] + [other.verdict for other in others]
    met = sum(v == "met" for v in verdicts)
    return (
        f"Of {len(verdicts)} bars {met} are met and {len(verdicts) - met} missed.\n\n{table.markdown()}\n{HOW}\n\n"
        f"![share of the roof]({picture.name})\n\n{others_table(others)}{_missed(results, others)}Peaks: {found['peaks']}\n"
    )


def _missed(results: Sequence[Result], others: Sequence[Other]) -> str:
    """For each missed bar what was measured, and what stands in the way."""
    said = [f"- {r.name}: {_measured(r)} {reason(r.name)}".rstrip() for r in results if r.held is False]
    said += [f"- {o.what}: {o.value}, the bar is {o.bar}. {reason(o.what)}".rstrip() for o in others if o.verdict == "missed"]
    return "## Missed\n" + "\n".join(said) + "\n\n" if said else ""


def _measured(result: Result) -> str:
    gains = ", ".join(f"{gain:.2f} x {name}" for name in PEERS[:2] if (gain := result.gain(name)) is not None)
    share = result.share("numpy")
    beyond = ""
    if result.beyond and share is not None:
        beyond = f" numpy has {share:.0%} of the roof measured in the same run, so that the bar asks for more than all of it."
    return f"{gains}, {result.roof:.0%} of the roof; the bar is {result.bar}.{beyond}"
