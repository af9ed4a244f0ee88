"""Where and when something was measured: machine, versions, date, revision. Part of every file of results."""

from __future__ import annotations

import contextlib
import datetime
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from xetile.cli.guard import INTERRUPTED

_OURS = Path(__file__).parent / "results"
RESULTS = _OURS if _OURS.is_dir() else Path("results")
"""Where tables are kept: in a checkout beside the benchmarks, else below the current folder."""
PACKAGES = ("numpy", "ml_dtypes", "pyopencl", "intel-opencl-rt", "torch", "triton", "numba", "matplotlib")


MEMORY_SHARE = 0.7
"""Of the memory that is free when a measurement starts, how much its arrays may take."""


def free_memory() -> int | None:
    """Bytes that can be taken without swapping, in this control group too; None where nothing tells."""
    found = []
    with contextlib.suppress(OSError, ValueError):
        lines = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines())
        found.append(int(lines["MemAvailable"].split()[0]) << 10)
    with contextlib.suppress(OSError, ValueError):
        limit, used = (int(Path(f"/sys/fs/cgroup/memory.{name}").read_text(encoding="ascii")) for name in ("max", "current"))
        found.append(max(0, limit - used))
    return min(found, default=None)


def memory_objection(needed: int) -> str:
    """Why arrays of so many bytes must not be made here; empty where they may be."""
    free = free_memory()
    if free is None or needed <= MEMORY_SHARE * free:
        return ""
    return f"needs {needed / 2**30:.1f} GiB of memory, and {free / 2**30:.1f} GiB are free"


def now() -> str:
    """The time, UTC, to the second."""
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def revision() -> str:
    """The git revision of this tree, with `+` where files differ from it; "unknown" outside of a checkout."""
    here = Path(__file__).parent
    try:
        head = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=here, capture_output=True, text=True, check=True)
        changed = subprocess.run(["git", "status", "--porcelain", "-uno"], cwd=here, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return head.stdout.strip() + ("+" if changed.stdout.strip() else "")


def versions() -> dict[str, str]:
    """Versions of xetile, Python and the packages that matter, as far as they are installed."""
    import xetile

    found = {"xetile": xetile.__version__, "python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def cpu_name() -> str:
    """What the processor calls itself."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


class Ending:
    """How a measurement ended. early: Ctrl-C ended it, and not all is there."""

    early = False

    def status(self, otherwise: int) -> int:
        """The exit status."""
        return INTERRUPTED if self.early else otherwise


@contextlib.contextmanager
def kept_on_interrupt() -> Iterator[Ending]:
    """Ctrl-C ends the block alone: what was measured in it until then can be shown and written."""
    ending = Ending()
    try:
        yield ending
    except KeyboardInterrupt:
        ending.early = True
        print("interrupted; what was measured:", file=sys.stderr)


def describe(**more: Any) -> dict[str, Any]:
    """The head of a file of results; `more` is added to it."""
    machine = {"cpu": cpu_name(), "cores": os.cpu_count(), "system": f"{platform.system()} {platform.release()}"}
    return {"date": now(), "revision": revision(), "machine": machine, "versions": versions(), **more}


def write_json(path: Path, document: Mapping[str, Any]) -> None:
    """Write results; the file appears whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_name(path.name + ".new")
    scratch.write_text(json.dumps(document, indent=1, sort_keys=False) + "\n", encoding="utf-8")
    scratch.replace(path)


def write_results(path: Path, found: Mapping[str, Any], title: str, shown: str) -> None:
    """Write results as JSON, and beside it a page of the same name: `shown` is its table in Markdown."""
    write_json(path, found)
    machine, versions = found["machine"], ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    title += " (interrupted: not all)" * found.get("interrupted", False)
    head = f"{machine['cpu']}, {machine['cores']} cores, {machine['system']}; load {found['load']:.1f}; {found['date']}"
    path.with_suffix(".md").write_text(
        f"# {title}\n\n{head}, revision {found['revision']}.\n{versions}.\n\n{shown}", encoding="utf-8"
    )
