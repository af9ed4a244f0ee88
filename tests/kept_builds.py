"""What drivers and Intel's GPU compiler made of a module, kept by its content for the next run of the tests.

A build takes a hundred times what loading takes, and most of a run's time.  The product keeps builds too, by xetile's own sources:
each edit of the compiler makes all of them anew, of which most become the very modules that they were.  As `tools.ocloc_compile` does,
files lie in a folder of this user's under the temporary one, until no run has asked for them for some days; an empty TMPDIR begins anew.
Refusals are not kept.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

DAYS = 7
FOLDER = Path(tempfile.gettempdir()) / f"xetile-builds-{os.getuid()}"


def place(*content: object) -> Path:
    """Where it is kept."""
    parts = (part if isinstance(part, bytes) else str(part).encode() for part in content)
    return FOLDER / hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()[:32]


def kept(make: Callable[[], bytes], *content: object) -> bytes:
    """What was made of such content before, else what is made now."""
    file = place(*content)
    try:
        os.utime(file)
        return file.read_bytes()
    except FileNotFoundError:
        made = make()
    if made:
        FOLDER.mkdir(parents=True, exist_ok=True)
        unfinished = file.with_suffix(f".{os.getpid()}")
        unfinished.write_bytes(made)
        unfinished.rename(file)  # when whole: processes of one run build the same module at the same time
    return made


def forget() -> None:
    """Remove what no run has asked for in some days."""
    for file in FOLDER.glob("*"):
        with suppress(FileNotFoundError):  # another run removes them too
            if file.stat().st_mtime < time.time() - DAYS * 86400:
                file.unlink()


def of_drivers(patch: pytest.MonkeyPatch) -> None:
    """Keep what the CPU's driver makes of modules."""
    from xetile.backends.opencl import capi
    from xetile.backends.opencl.driver import Session

    from xetile.runtime.loading import device_identity

    def keeps(build: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(build)
        def built(self: Session, *module: Any) -> Any:
            if self.info.kind != "cpu":
                return build(self, *module)
            fresh = []

            def make() -> bytes:
                fresh.append(build(self, *module))
                return capi.native_binary(fresh[0])

            native = kept(make, build.__name__, *device_identity(self.info), *module)
            return fresh[0] if fresh else self._from_native(native, "") or build(self, *module)

        return built

    for name in ("_built", "_linked"):
        patch.setattr(Session, name, keeps(getattr(Session, name)))


def of_gpu_compiler(patch: pytest.MonkeyPatch) -> None:
    """Keep what ocloc makes of modules for simulated GPUs."""
    from xetile.backends.simulator import toolchain

    compile_spirv = toolchain.compile_spirv

    @wraps(compile_spirv)
    def compiled(spirv: bytes, device: str, options: str) -> bytes:
        return kept(lambda: compile_spirv(spirv, device, options), "ocloc", toolchain.version(), device, options, spirv)

    patch.setattr(toolchain, "compile_spirv", compiled)
