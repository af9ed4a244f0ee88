"""Intel's offline GPU compiler and disassembler: SPIR-V to a device binary, its machine code to text.

Both are found on PATH (tools/fetch_gpu_compiler.sh fetches them).
"""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from datetime import datetime, timezone
from functools import lru_cache
from pathlib import Path

from xetile.errors import BuildError

from .isa import PLATFORMS

TOOLS = ("ocloc", "iga64")
INSTALL = "tools/fetch_gpu_compiler.sh FOLDER fetches them; then put FOLDER/bin on PATH"
SECONDS = 300
"""Of the processor that a tool may take; and PATIENCE times as long by the clock, for busy machines."""
PATIENCE = 6


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
    """The device binary of a module.  Raises BuildError with the compiler's whole log."""
    with tempfile.TemporaryDirectory(prefix="xetile-sim-") as folder:
        source = Path(folder) / "module.spv"
        source.write_bytes(spirv)
        command = ["ocloc", "compile", "-spirv_input", "-file", str(source), "-device", device, "-output", "kernel",
                   "-out_dir", folder, *(["-options", options] if options else [])]  # fmt: skip
        done = _run(command)
        binaries = sorted(Path(folder).glob("kernel*.bin"))
        if done.returncode or not binaries:
            raise BuildError(f"Intel's GPU compiler refuses the module for {device}\n  options: {options or '(none)'}\n"
                             f"  compiler: {version()}\n  log:\n{(done.stdout + done.stderr).strip()}")  # fmt: skip
        return binaries[0].read_bytes()


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


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    try:
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace") as process:
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
