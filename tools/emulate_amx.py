"""Run Python code as on a CPU with AMX, on a CPU with AVX-512 without it: Intel's runtime compiles for Sapphire Rapids, and AMX's instructions
are computed by a handler of the trap that each is (`emulate_amx.c`, which needs a C compiler). Right or wrong, not how fast.

    python tools/emulate_amx.py -m pytest tests/vectors -k amx
    python tools/emulate_amx.py SCRIPT [ARGUMENT...]

f16 is computed by instructions that only Sapphire Rapids has (AVX512-FP16), which nobody emulates: kernels of f16 end the process.
"""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).with_suffix(".c")
FLAGS = ("-O3", "-mavx2", "-ffp-contract=off", "-shared", "-fPIC")
SHOWN = {"flags": "amx_tile amx_bf16 amx_int8", "cpu family": "6", "model": "143"}


def main() -> None:
    """Start again with the handler, then run what is asked for."""
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    if "libemulate_amx" not in os.environ.get("LD_PRELOAD", ""):
        os.execve(sys.executable, [sys.executable, *sys.argv], environment(build(Path(tempfile.gettempdir()))))
    show_amx()
    sys.path[0] = os.getcwd()
    if sys.argv[1] == "-m":
        sys.argv = sys.argv[2:]
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        sys.argv = sys.argv[1:]
        runpy.run_path(sys.argv[0], run_name="__main__")


def build(folder: Path) -> Path:
    """The handler as a library."""
    made = folder / f"libemulate_amx-{os.getuid()}.so"
    subprocess.run(["cc", *FLAGS, "-o", made, SOURCE, "-ldl"], check=True)
    return made


def environment(library: Path) -> dict[str, str]:
    """The environment of a process that emulates; what is compiled is kept apart, for it does not fit this machine."""
    told = {"LD_PRELOAD": str(library), "CL_CONFIG_CPU_TARGET_ARCH": "sapphirerapids", "XETILE_CPU": "amx", "XETILE_CACHE": "0"}
    return {**os.environ, **told}


def show_amx() -> None:
    """Let xetile see a CPU with AMX, too."""
    from xetile.runtime import cpus

    told = cpus._told
    cpus._told = lambda name: f"{told(name)} {SHOWN[name]}" if name == "flags" else SHOWN.get(name) or told(name)  # type: ignore[assignment]


if __name__ == "__main__":
    main()
