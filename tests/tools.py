"""The outside tools that tests use: found on PATH, each wrapped in one function.

A tool that is missing skips the test; with XETILE_REQUIRE_TOOLS=1 it fails it, so that CI never passes by having tested nothing.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, NoReturn

import pytest

from benchmarks.isastat import Statistics, statistics
from xetile.runtime import settings

# Debian names MLIR's tools by version; the newest known to accept what we print comes first.
NAMES: dict[str, tuple[str, ...]] = {"mlir-opt": ("mlir-opt-22", "mlir-opt")}
HOW_TO_INSTALL = {
    "mlir-opt": "apt-get install mlir-22-tools",
    **dict.fromkeys(
        ("ocloc", "ocloc-12504", "iga64", "spirv-val", "spirv-as", "spirv-dis"),
        "tools/fetch_gpu_compiler.sh FOLDER, then FOLDER/bin on PATH",
    ),
}
# SPIR-V newer than 1.4 is refused by Intel's CPU runtime.
SPIRV_ENVIRONMENT = "spv1.4"
SECONDS = 300


def tools_required() -> bool:
    """Whether a missing tool, or a missing device, is a failure."""
    return bool(settings.get("require_tools"))


def missing(what: str, how: str) -> NoReturn:
    """Skip the running test for want of something outside the project, or fail it where that is required."""
    message = f"{what} is missing: {how}"
    if tools_required():
        pytest.fail(f"{message} (XETILE_REQUIRE_TOOLS is set)", pytrace=False)
    pytest.skip(message)


def find_tool(name: str) -> str | None:
    """Path of a tool, None when it is not on PATH."""
    return next((path for candidate in NAMES.get(name, (name,)) if (path := shutil.which(candidate))), None)


def require_tool(name: str) -> str:
    """Path of a tool; without it the test skips or fails."""
    return find_tool(name) or missing(name, HOW_TO_INSTALL.get(name, "put it on PATH"))


def run_tool(name: str, *arguments: str | Path, text: str | bytes = b"") -> bytes:
    """What a tool writes to its standard output, given `text` on its standard input.

    Raises AssertionError with everything it said when it fails.
    """
    data = text.encode() if isinstance(text, str) else text
    command = [require_tool(name), *map(str, arguments)]
    done = subprocess.run(command, input=data, capture_output=True, timeout=SECONDS, check=False)
    if done.returncode:
        said = (done.stdout + done.stderr).decode(errors="replace").strip()
        raise AssertionError(f"{' '.join([name, *command[1:]])} failed ({done.returncode}):\n{said}")
    return done.stdout


@lru_cache(256)
def mlir_opt(text: str, *flags: str) -> str:
    """Text of an MLIR module after mlir-opt has parsed and verified it and run `flags`; the same once for all tests of a process."""
    return run_tool("mlir-opt", *flags, text=text).decode()


class Answer(NamedTuple):
    """What a tool made of one text of several: its output, empty where it refused the text, and its messages."""

    printed: str
    said: str


@lru_cache(64)
def mlir_opt_each(texts: tuple[str, ...], *flags: str) -> tuple[Answer, ...]:
    """What mlir-opt makes of each text, by one run: it takes longer to start than all else takes.

    Places are of each text by itself.  Raises AssertionError where it crashes, for then it says nothing of the others.
    """
    command = [require_tool("mlir-opt"), "--split-input-file", *flags]
    joined = "// -----\n".join(f"{text}\n" for text in texts)
    done = subprocess.run(command, input=joined, capture_output=True, timeout=SECONDS, check=False, text=True)
    assert done.returncode >= 0, f"mlir-opt crashed (signal {-done.returncode}):\n{done.stderr}"
    printed = re.split(r"^// -----$", done.stdout, flags=re.MULTILINE)
    assert len(printed) == len(texts), f"{len(texts)} texts became {len(printed)}"
    lines = [text.count("\n") + 2 for text in texts]  # with the one that ends it and the mark
    starts = [sum(lines[:number]) for number in range(len(texts))]
    said = [""] * len(texts)
    for message in re.split(r"^(?=<stdin>:\d+:\d+: error:)", done.stderr, flags=re.MULTILINE):
        if found := _PLACE.match(message):
            said[bisect_right(starts, int(found[1]) - 1) - 1] += message
    return tuple(Answer(*(_earlier(text, start) for text in both)) for *both, start in zip(printed, said, starts, strict=True))


_PLACE = re.compile(r'<stdin>"?:(\d+)(?=:\d+)')


def _earlier(text: str, lines: int) -> str:
    """A text whose places stand some lines further up."""
    return _PLACE.sub(lambda at: at[0].replace(at[1], str(int(at[1]) - lines)), text).strip()


def spirv_val(module: bytes) -> None:
    """Check a SPIR-V module as an OpenCL consumer would see it.  Raises AssertionError with the validator's message."""
    run_tool("spirv-val", "--target-env", SPIRV_ENVIRONMENT, "-", text=module)


def spirv_as(text: str) -> bytes:
    """A SPIR-V module from its text."""
    return run_tool("spirv-as", "--target-env", SPIRV_ENVIRONMENT, "-o", "-", "-", text=text)


def spirv_dis(module: bytes) -> str:
    """The text of a SPIR-V module, ids as numbers."""
    return run_tool("spirv-dis", "--no-color", "--raw-id", "-", text=module).decode()


def ocloc_compile(module: bytes, device: str, options: str | Sequence[str] = "", outdir: Path | None = None, *,
                  compiler: str = "ocloc") -> Path:  # fmt: skip
    """The device binary that Intel's GPU compiler makes of a SPIR-V module for `device` (`pvc`, `bmg`, `lnl`, `dg2`).

    A compile takes seconds, so binaries are kept in `outdir` (a folder of this user's under the temporary one) by content.
    Raises AssertionError with the compiler's log when it refuses the module.
    """
    flags = options if isinstance(options, str) else " ".join(options)
    folder = outdir or Path(tempfile.gettempdir()) / f"xetile-ocloc-{os.getuid()}"
    binary = folder / f"{_content_key(module, device, flags, compiler)}-{device}.bin"
    if not binary.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            # Renamed when whole: workers of one test run compile the same module at the same time.
            _run_ocloc(module, device, flags, Path(scratch), compiler).rename(binary)
    return binary


def _content_key(module: bytes, device: str, flags: str, compiler: str) -> str:
    ocloc = Path(require_tool(compiler))
    which = f"{ocloc.resolve()} {ocloc.stat().st_mtime_ns}"
    return hashlib.sha256("\0".join((device, flags, which)).encode() + module).hexdigest()[:32]


def _run_ocloc(module: bytes, device: str, flags: str, folder: Path, compiler: str) -> Path:
    source = folder / "module.spv"
    source.write_bytes(module)
    arguments = ["compile", "-spirv_input", "-file", source, "-device", device, "-output", "kernel", "-out_dir", folder]
    said = run_tool(compiler, *arguments, *(("-options", flags) if flags else ())).decode(errors="replace")
    found = list(folder.glob("kernel*.bin"))
    assert found, f"ocloc wrote no binary for {device}:\n{said}"
    return found[0]


def isa_counts(binary: Path, device: str, kernel: str | None = None) -> Statistics:
    """Instruction counts of a device binary: `benchmarks.isastat`."""
    require_tool("iga64")
    return statistics(binary, device, kernel)
