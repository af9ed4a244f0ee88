"""Intel's GPU compiler, offline: SPIR-V to a device binary, with the compiler's own statistics of it.

Needs `ocloc` on PATH (tools/fetch_gpu_compiler.sh fetches it). Results are kept by content in a folder under the temporary one:
a compile takes seconds, and the same module gives the same binary.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SECONDS = 300
# Makes the compiler write, beside its other dumps, one JSON file of statistics for each kernel.
STATISTICS = {"IGC_VISAOptions": "-dumpVISAJsonStats", "IGC_ShaderDumpEnable": "1"}
INSTALL = "tools/fetch_gpu_compiler.sh FOLDER fetches it; then put FOLDER/bin on PATH"


class CompilerError(Exception):
    """The GPU compiler is missing, or refuses a module; the message holds what it said."""


@dataclass(frozen=True)
class Report:
    """What the compiler says of a kernel it made, in registers of the target's size unless the name says bytes.

    pressure      registers that values need at once, before registers are given out; where nothing is spilled no more than are used
    used, total   registers that the code uses, and that a thread has
    spill_bytes   memory for values that found no register
    cycles        its own static guess of the kernel's length
    """

    pressure: int
    used: int
    total: int
    spill_bytes: int
    cycles: int


@dataclass(frozen=True)
class Built:
    """A device binary and the compiler's report; None where this version of the compiler writes none."""

    binary: bytes
    report: Report | None


def find() -> str:
    """Path of ocloc.  Raises CompilerError when it is not on PATH."""
    found = shutil.which("ocloc")
    if found is None:
        raise CompilerError(f"ocloc is not on PATH: {INSTALL}")
    return found


def version() -> str:
    """What the compiler calls itself: driver's version, and IGC's where its package tells."""
    ocloc = Path(find()).resolve()
    driver = _driver_version(str(ocloc))
    packages = next((folder / "VERSIONS" for folder in ocloc.parents[:3] if (folder / "VERSIONS").exists()), None)
    igc = re.search(r"libigc2_([\d.]+)", packages.read_text()) if packages else None
    return f"IGC {igc[1]} (driver {driver})" if igc else f"driver {driver}"


def _driver_version(ocloc: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([ocloc, "query", "OCL_DRIVER_VERSION"], cwd=folder, capture_output=True, timeout=SECONDS, check=False)
        answer = Path(folder) / "OCL_DRIVER_VERSION"
        return answer.read_text().strip("\0\n ") if answer.exists() else "unknown"


def build(spirv: bytes, device: str, options: str = "") -> Built:
    """The device binary of a module for `device` as ocloc names it (`pvc`, `bmg`, `lnl`, `dg2`), and the compiler's report.

    Raises CompilerError.
    """
    folder = Path(tempfile.gettempdir()) / f"xetile-isa-{os.getuid()}"
    stem = folder / f"{_key(spirv, device, options)}-{device}"
    binary, report = stem.with_suffix(".bin"), stem.with_suffix(".json")
    if not (binary.exists() and report.exists()):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            made, statistics = _run(spirv, device, options, Path(scratch))
            (Path(scratch) / "report").write_text(json.dumps(statistics))
            # Renamed when whole: several processes may make the same one.
            made.rename(binary)
            (Path(scratch) / "report").rename(report)
    return Built(binary.read_bytes(), _report(json.loads(report.read_text())))


def _key(spirv: bytes, device: str, options: str) -> str:
    ocloc = Path(find()).resolve()
    text = "\0".join((device, options, str(ocloc), str(ocloc.stat().st_mtime_ns)))
    return hashlib.sha256(text.encode() + spirv).hexdigest()[:32]


def _run(spirv: bytes, device: str, options: str, folder: Path) -> tuple[Path, dict[str, Any]]:
    source, dumps = folder / "module.spv", folder / "dumps"
    source.write_bytes(spirv)
    dumps.mkdir()
    command = [
        find(),
        "compile",
        "-spirv_input",
        "-file",
        str(source),
        "-device",
        device,
        "-output",
        "kernel",
        "-out_dir",
        str(folder),
    ]
    environment = {**os.environ, **STATISTICS, "IGC_DumpToCustomDir": str(dumps)}
    done = subprocess.run(
        [*command, *(["-options", options] if options else [])],
        capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False, env=environment,
    )  # fmt: skip
    binaries = sorted(folder.glob("kernel*.bin"))
    if done.returncode or not binaries:
        raise CompilerError(f"ocloc refuses the module for {device}:\n{(done.stdout + done.stderr).strip()}")
    return binaries[0], _largest(dumps)


def _largest(dumps: Path) -> dict[str, Any]:
    """The statistics of the largest kernel: helpers that the compiler adds have files of their own."""
    found = [entry for file in dumps.glob("*.stats.json") for entry in json.loads(file.read_text())]
    return max(found, key=lambda entry: entry.get("numAsmCount", 0), default={})


def _report(statistics: dict[str, Any]) -> Report | None:
    if "numGRFTotal" not in statistics:
        return None
    # Measured again once it had to make room: it computes cheap values anew where they are needed before it spills any.
    pressure = statistics.get("maxGRFPressure", 0) or statistics.get("maxGRFPressurePreRA", 0)
    used, spilled = statistics.get("numGRFUsed", 0), statistics.get("GRFSpillSize", 0)
    if used and not spilled:  # it is measured before instructions are put in another order, too
        pressure = min(pressure, used)
    return Report(pressure, used, statistics["numGRFTotal"], spilled, statistics.get("numCycles", 0))
