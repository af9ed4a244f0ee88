"""The estimate of registers against Intel's compiler, for every kernel of `tools/compared_kernels.py`.

    python tools/check_estimate.py [--only TEXT] [--targets pvc,bmg,dg2] [--every N] [--full SHARE] [--jobs N] [--all] [--json FILE]
        [--page FILE] [--varied N [--seed SEED]]

A table of the kernels where they differ: a spill that no SpillWarning announces, a warning of none, and registers of which the estimate is
more than 24 from the report where nothing is spilled (`--all`: each kernel). Ends with 1 where a spill is not announced, or announced
in vain. `--varied`: of so many kernels of the tests in other sizes, types and numbers of subgroups (`tools/varied_kernels.py`; of these
`--full 0.85` finds those near the limit). `--page`: the same as Markdown, with all kernels in a plot beside it
(`benchmarks/results/estimate.md`). Needs ocloc.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache
from itertools import repeat
from pathlib import Path

from compared_kernels import TARGETS, Case, cases
from varied_kernels import varied

from benchmarks import gpu_compiler
from xetile.errors import XetileError

TOLERANCE = 24
HEADERS = ("estimated", "least", "reported", "GRF", "spilled", "announced")


@dataclass(frozen=True)
class Row:
    """One kernel for one target: registers by the estimate and by the compiler, and bytes that are spilled by either.

    announced: bytes that a SpillWarning tells, 0 for none.
    """

    name: str
    target: str
    estimated: int
    least: int
    reported: int
    grf: int
    spilled: int
    announced: int

    @property
    def verdict(self) -> str:
        """What is wrong with the estimate; "" for nothing."""
        if bool(self.spilled) != bool(self.announced):
            return "SILENT" if self.spilled else "FALSE ALARM"
        return "" if self.spilled or abs(self.estimated - self.reported) <= TOLERANCE else f"{self.estimated - self.reported:+}"


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only kernels whose name holds this")
    parser.add_argument("--targets", default=",".join(TARGETS), help="names, with commas between them")
    parser.add_argument("--every", type=int, default=1, help="one of so many kernels, evenly spread")
    parser.add_argument(
        "--full", type=float, default=0, help="only kernels that by the estimate take such a share of the registers"
    )
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--all", action="store_true", help="show kernels whose estimate is right, too")
    parser.add_argument("--json", type=Path, help="write all rows to this file")
    parser.add_argument("--page", type=Path, help="write a page with a plot to this file")
    parser.add_argument("--varied", type=int, default=0, help="so many kernels in other sizes, types and numbers of subgroups")
    parser.add_argument("--seed", type=int, default=0, help="of what is changed in them")
    options = parser.parse_args()
    chosen = options.varied, options.seed
    names = [name for name in _cases(*chosen) if options.only in name]
    keys = [(name, target) for name in names for target in options.targets.split(",")][:: options.every]
    rows: list[Row] = []
    for row in _measured(keys, options.jobs, options.full, chosen):
        rows.append(row)
        if row.verdict or options.all:
            print(_line(row), flush=True)
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1))
    if options.page:
        write_page(options.page, rows, options.only)
    print(_summary(rows))
    return 1 if any(bool(row.spilled) != bool(row.announced) for row in rows) else 0


@cache
def _cases(number: int, seed: int) -> dict[str, Case]:
    return {case.name: case for case in (varied(seed, number) if number else cases())}


def _measured(keys: list[tuple[str, str]], jobs: int, full: float, chosen: tuple[int, int]) -> Iterator[Row]:
    with ProcessPoolExecutor(jobs) as pool:
        yield from filter(None, pool.map(measure, keys, repeat(full), repeat(chosen)))


def measure(key: tuple[str, str], full: float = 0, chosen: tuple[int, int] = (0, 0)) -> Row | None:
    """The row of one kernel, by name, for a target; None where it is refused, or takes less than that share of the registers."""
    name, target = key
    case = _cases(*chosen)[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compiled = case.compile(target)
            binary, found = compiled.binary, compiled.estimate
        except XetileError:
            return None
    if found.registers < full * compiled.grf:
        return None
    try:
        report = gpu_compiler.build(compiled.spirv, compiled.target.ocloc_device, compiled.build_options).report
    except subprocess.TimeoutExpired:
        print(f"{name} for {target}: the compiler takes longer than {gpu_compiler.SECONDS} s")
        return None
    except gpu_compiler.CompilerError as error:  # as where more is spilled than a thread has memory for
        said = next((line for line in str(error).splitlines() if line.startswith("error:")), str(error))
        print(f"{name} for {target}, announced {binary.spill_bytes}: {said}")
        return None
    assert report is not None
    return Row(name, target, found.registers, found.least, report.pressure, compiled.grf, report.spill_bytes, binary.spill_bytes)


def _line(row: Row) -> str:
    shown = [row.estimated, row.least, row.reported, row.grf, row.spilled, row.announced]
    said = ", ".join(f"{header} {value}" for header, value in zip(HEADERS, shown, strict=True))
    return f"{row.verdict:>11}  {row.target}  {row.name}: {said}"


def write_page(path: Path, rows: list[Row], only: str) -> None:
    """A table of what is counted, one of the kernels whose estimate is wrong, and all kernels in a plot."""
    from benchmarks.plots import plot_estimates

    found = [(row.target, row.estimated, row.reported, row.spilled > 0) for row in rows]
    plot_estimates(path.with_suffix(".png"), found, TOLERANCE)
    said = [f"![estimate against report]({path.stem}.png)", "", "| target | " + " | ".join(COUNTED) + " |"]
    said.append("| --- " * (len(COUNTED) + 1) + "|")
    for name, own in [(name, [row for row in rows if row.target == name]) for name in TARGETS] + [("all", rows)]:
        said.append(f"| {name} | " + " | ".join(map(str, _counts(own))) + " |")
    said += ["", "| kernel | target | " + " | ".join(HEADERS) + " | verdict |", "| --- " * (len(HEADERS) + 3) + "|"]
    for row in sorted((row for row in rows if row.verdict), key=lambda row: (row.verdict.isupper(), row.name), reverse=True):
        shown = [row.estimated, row.least, row.reported, row.grf, row.spilled, row.announced]
        said.append(f"| `{row.name}` | {row.target} | " + " | ".join(map(str, shown)) + f" | {row.verdict.lower()} |")
    head = [
        "# Registers: the estimate against Intel's compiler", "",
        f"`python tools/check_estimate.py{f' --only {only}' if only else ''}`, with {gpu_compiler.version()}.",
        "Registers that live at once, of the compiler's report where nothing is spilled; bytes that are spilled, by the compiler and as a "
        "`SpillWarning` announces them. A kernel is far where the two differ by more than "
        f"{TOLERANCE} registers, silent where a spill is not announced, a false alarm where one is announced in vain.", "",
    ]  # fmt: skip
    path.write_text("\n".join([*head, *said, ""]), encoding="utf-8")


COUNTED = ("builds", "spill", "silent", "false alarms", "far")


def _counts(rows: list[Row]) -> tuple[int, ...]:
    verdicts = [row.verdict for row in rows]
    silent, false = verdicts.count("SILENT"), verdicts.count("FALSE ALARM")
    return len(rows), sum(1 for row in rows if row.spilled), silent, false, sum(map(bool, verdicts)) - silent - false


def _summary(rows: list[Row]) -> str:
    builds, spilling, silent, false, far = _counts(rows)
    return (
        f"{builds} kernels: {spilling} spill, {silent} of these untold; {false} false alarms; "
        f"{far} estimates more than {TOLERANCE} registers from the report"
    )


if __name__ == "__main__":
    sys.exit(main())
