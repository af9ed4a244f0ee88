"""Intel's offline GPU compiler and disassembler: SPIR-V to a device binary, its machine code to text.

Both are found on PATH (tools/fetch_gpu_compiler.sh fetches them).
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timezone
from functools import lru_cache
from pathlib import Path

from xetile.errors import BuildError

from .errors import UnsupportedError
from .isa import PLATFORMS
from .lines import rows_of_listing, with_rows
from .zebin import read_kernel

TOOLS = ("ocloc", "iga64")
INSTALL = "tools/fetch_gpu_compiler.sh FOLDER fetches them; then put FOLDER/bin on PATH"
SECONDS = 300
"""Of the processor that a tool may take; and PATIENCE times as long by the clock, for busy machines."""
PATIENCE = 6
PADDING = 512
"""Bytes behind a kernel's code that are not of its listing, fewer than these."""


def missing() -> str:
    """Why kernels cannot be compiled and read here; "" when they can."""
    absent = [tool for tool in TOOLS if shutil.which(tool) is None]
    return f"{' and '.join(absent)} {'is' if len(absent) == 1 else 'are'} not on PATH: {INSTALL}" if absent else ""


def version() -> str:
    """What tells one compiler from another: IGC's version where its package says it, and the file's date."""
    found = shutil.which("ocloc")
    return _version(found) if found else ""


@lru_cache
def _version(ocloc: str) -> str:
    path = Path(ocloc).resolve()
    date = datetime.fromtimestamp(path.stat().st_mtime, timezone.utc).strftime("%Y-%m-%d %H:%M:%S")
    packages = next((folder / "VERSIONS" for folder in path.parents[:3] if (folder / "VERSIONS").exists()), None)
    igc = re.search(r"libigc2_([\d.]+)", packages.read_text()) if packages else None
    return f"IGC {igc[1]}, {date}" if igc else f"ocloc of {date}"


def compile_spirv(spirv: bytes, device: str, options: str) -> bytes:
    """The device binary of a module, with the lines of IGC's listing behind it where the options ask for debug information.

    Raises BuildError with the compiler's whole log.
    """
    lines = "-g" in options.split()
    with tempfile.TemporaryDirectory(prefix="xetile-sim-") as folder:
        source = Path(folder) / "module.spv"
        source.write_bytes(spirv)
        command = ["ocloc", "compile", "-spirv_input", "-file", str(source), "-device", device, "-output", "kernel",
                   "-out_dir", folder, *(["-options", options] if options else [])]  # fmt: skip
        listings = {"IGC_ShaderDumpEnable": "1", "IGC_DumpToCustomDir": f"{folder}/listings"} if lines else {}
        done = _run(command, listings)
        binaries = sorted(Path(folder).glob("kernel*.bin"))
        if done.returncode or not binaries:
            raise BuildError(f"Intel's GPU compiler refuses the module for {device}\n  options: {options or '(none)'}\n"
                             f"  compiler: {version()}\n  log:\n{(done.stdout + done.stderr).strip()}")  # fmt: skip
        binary = binaries[0].read_bytes()
        return _with_lines(binary, Path(folder) / "listings") if lines else binary


def _with_lines(binary: bytes, listings: Path) -> bytes:
    """A binary with the lines of the listing of its kernel; as it is where no listing is of that code."""
    try:
        size = len(read_kernel(binary).code)
    except UnsupportedError:  # who reads it will be told
        return binary
    for listing in sorted(listings.glob("*.asm")):
        rows, end = rows_of_listing(listing.read_text(errors="replace"))
        if rows and end <= size < end + PADDING:
            return with_rows(binary, rows)
    return binary


def disassemble(code: bytes, target: str) -> str:
    """iga64's text of a kernel's machine code.  Raises BuildError."""
    with tempfile.TemporaryDirectory(prefix="xetile-sim-") as folder:
        source, text = Path(folder) / "code.bin", Path(folder) / "code.asm"
        source.write_bytes(code)
        flags = ["-Xprint-pc", "-Xprint-hex-floats"]
        done = _run(["iga64", "-d", "-p", PLATFORMS[target], *flags, str(source), "-o", str(text)])
        if not text.exists():
            raise BuildError(f"iga64 does not read the machine code for {target}:\n{(done.stdout + done.stderr).strip()}")
        return text.read_text()


def _run(command: list[str], environment: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    try:
        with subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env={**os.environ, **(environment or {})},
        ) as process:
            _limit(process.pid)
            try:
                output, errors = process.communicate(timeout=PATIENCE * SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BuildError(f"{command[0]} does not run: {error}") from error
    over = getattr(signal, "SIGXCPU", 0)
    if over and process.returncode in (-over, 128 + over):
        raise BuildError(f"{command[0]} takes longer than {SECONDS} seconds of the processor")
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def _limit(pid: int) -> None:
    """A limit of the processor's time, where the system has such."""
    with suppress(ImportError, AttributeError, ProcessLookupError):
        import resource

        resource.prlimit(pid, resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
