"""Make the OpenCL loader see Intel's CPU runtime when it came from PyPI.

The wheel `intel-opencl-rt` installs <sys.prefix>/lib/libintelocl.so, but its .icd file holds a path of the machine that built it,
so no loader finds it.  The loader in pyopencl's wheel (ocl-icd) reads OCL_ICD_VENDORS, a directory of .icd files, which replaces
the system's directory; so we write one that has both.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping, MutableMapping
from pathlib import Path

from xetile.runtime import settings

VARIABLE = "OCL_ICD_VENDORS"
SYSTEM_VENDORS = Path("/etc/OpenCL/vendors")
RUNTIME_LIBRARY = "libintelocl.so"
OUR_FILE = "xetile-intel-cpu.icd"
DIRECTORY = "xetile-opencl-vendors"


def cpu_runtime() -> Path | None:
    """Where the wheel put Intel's CPU runtime, or None when it is not installed."""
    for prefix in (sys.prefix, sys.base_prefix, sys.exec_prefix):
        library = Path(prefix, "lib", RUNTIME_LIBRARY)
        if library.exists():
            return library.resolve()
    return None


def vendor_files(library: Path, system: Path) -> dict[str, str]:
    """The .icd files that the directory is to hold, name to content: the system's own, and one for `library`."""
    files: dict[str, str] = {}
    if system.is_dir():
        for path in sorted(system.glob("*.icd")):
            try:
                files[path.name] = path.read_text()
            except OSError:  # unreadable for this user: the loader could not use it either
                continue
    if not any(_names(text, library) for text in files.values()):
        files[OUR_FILE] = f"{library}\n"
    return files


def _names(text: str, library: Path) -> bool:
    """Whether a vendor file already leads to this very library (twice would show the device twice)."""
    line = text.strip()
    return bool(line) and os.path.isabs(line) and os.path.exists(line) and os.path.samefile(line, library)


def write_vendors(files: Mapping[str, str], root: Path) -> Path:
    """A directory below `root` with exactly these files.

    Its name is a digest of the contents, so that environments with different runtimes do not disturb each other; files are
    replaced atomically, so that processes starting together do not either.
    """
    digest = hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:16]
    directory = root / DIRECTORY / digest
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        place = directory / name
        if place.exists() and place.read_text() == text:
            continue
        handle, temporary = tempfile.mkstemp(dir=directory, prefix=".", suffix=".tmp")
        with os.fdopen(handle, "w") as file:
            file.write(text)
        os.replace(temporary, place)
    return directory


def prepare(environment: MutableMapping[str, str] = os.environ) -> str:
    """Point the OpenCL loader at Intel's CPU runtime; must run before the process's first OpenCL call.

    Leaves a user's own OCL_ICD_VENDORS alone.  Never raises; returns a remark when the runtime could not be registered.
    """
    if os.name == "nt" or _set_by_user(environment.get(VARIABLE, "")):  # on Windows loaders read the registry
        return ""
    library = cpu_runtime()
    if library is None:
        return "Intel's CPU runtime is not installed in this environment (pip install 'xetile[cpu]')"
    files = vendor_files(library, SYSTEM_VENDORS)
    for root in (settings.cache_directory, _temporary_directory):
        try:
            environment[VARIABLE] = str(write_vendors(files, root()))
        except OSError:  # a read-only home
            continue
        return ""
    return f"no directory could be written to register {library} with the OpenCL loader: set {VARIABLE}"


def _set_by_user(value: str) -> bool:
    """A value that a parent process of ours left in the environment is replaced: it may serve another installation."""
    return bool(value) and Path(value).parent.name != DIRECTORY


def _temporary_directory() -> Path:
    # Not a fixed name below /tmp: there somebody else could have put a library of theirs for us to load.
    directory = tempfile.mkdtemp(prefix="xetile-")
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return Path(directory)
