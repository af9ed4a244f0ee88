"""What a long process keeps: memory, open files and objects over thousands of kernels and launches; and how large a module may be.

    python -m xetile benchmarks endurance [--compiles N] [--builds N] [--launches N] [--sizes N,N,...] [--json OUT.json]

Each part runs in a process of its own, on kernels that nobody keeps.  Numbers count from where a tenth of a part is done, or 50 steps,
when everything is loaded and allocators have taken what they keep (8 to 12 MB over the first dozens of builds).  Exit status 1 where
a kernel or a launch leaves more behind than its bar.
"""

from __future__ import annotations

import argparse
import gc
import importlib.util
import json
import linecache
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .environment import describe, write_results
from .tables import Table

# KiB that one of a kind may leave behind.  The driver itself keeps some 20 for each program that it has built and released.
BARS = {"compiles": 4.0, "numpy kernels": 4.0, "builds": 64.0, "launches, numpy arrays": 0.02, "launches, device arrays": 0.02}
WARM = 50  # steps before any are counted, where there are as many again
KERNEL = """
import xetile as xt

@xt.jit(grid=1, num_subgroups=1)
def kernel_{i}(X, Y, BM: xt.constexpr = 16):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (BM, 16)))
    xt.store_tile(x * {i} + {i}.5, xt.init_tile(Y, (0, 0), (BM, 16)))
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all parts. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m xetile benchmarks endurance", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--compiles", type=int, default=2000, help="kernels compiled for pvc, and run on numpy")
    parser.add_argument("--builds", type=int, default=200, help="kernels built and run on the CPU device (0.3 s each)")
    parser.add_argument("--launches", type=int, default=100_000, help="of one kernel, on numpy and on device arrays")
    parser.add_argument("--sizes", default="10,100,400,1600", help="steps of kernels of growing size")
    parser.add_argument("--json", type=Path, metavar="OUT.json", help="write results with machine, versions and date")
    parser.add_argument("--part", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.part:
        print(json.dumps(PARTS[given.part[0]](given.part[1])))
        return 0
    counts = {"compiles": given.compiles, "numpy kernels": given.compiles, "builds": given.builds,
              "launches, numpy arrays": given.launches, "launches, device arrays": given.launches}  # fmt: skip
    growth = [{"what": name, **_in_process(name, str(count)), "bar_kib": BARS[name]} for name, count in counts.items()]
    sizes = [_in_process("size", steps) for steps in given.sizes.split(",") if steps]
    kept, large = _growth_table(growth), _size_table(sizes)
    kept.show()
    large.show()
    if given.json is not None:
        found = describe(benchmark="endurance", load=os.getloadavg()[0], growth=growth, sizes=sizes)
        write_results(given.json, found, "What a long process keeps", f"{kept.markdown()}\n{large.markdown()}")
    return 0 if all(row["kib_each"] <= row["bar_kib"] for row in growth) else 1


def _in_process(part: str, count: str) -> dict[str, Any]:
    command = [sys.executable, "-m", str(__package__), "endurance", "--part", part, count]
    environment = {**os.environ, "XETILE_CACHE": "0"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise SystemExit(f"{part} of {count} failed:\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _growth_table(rows: Sequence[dict[str, Any]]) -> Table:
    table = Table(("what", "count", "MiB first", "MiB last", "KiB each", "bar", "files", "objects each", "lines of text", "s"))
    for row in rows:
        table.add(row["what"], row["count"], f"{row['first_mib']:.1f}", f"{row['last_mib']:.1f}", f"{row['kib_each']:.3f}",
                  row["bar_kib"], f"{row['files']:+}", f"{row['objects_each']:.2f}", f"{row['linecache']:+}",
                  f"{row['seconds']:.1f}")  # fmt: skip
    return table


def _size_table(rows: Sequence[dict[str, Any]]) -> Table:
    table = Table(("steps", "SPIR-V KiB", "compiled in s", "built in s", "peak MiB", "driver MiB"))
    for row in rows:
        table.add(row["steps"], f"{row['spirv_bytes'] / 1024:.0f}", f"{row['compile_seconds']:.2f}",
                  f"{row['build_seconds']:.2f}", f"{row['peak_mib']:.0f}", f"{row['driver_mib']:.0f}")  # fmt: skip
    return table


# The parts, each in a process of its own.


def _state() -> tuple[float, int, int, int]:
    """Memory in MiB, open files, Python's objects, files whose text is kept."""
    gc.collect()
    memory = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") / 2**20
    return memory, len(os.listdir("/proc/self/fd")), len(gc.get_objects()), len(linecache.cache)


def _grown(count: int, step: Callable[[int], object]) -> dict[str, Any]:
    """How much more there is after all steps than after the first ones."""
    start, warm = time.perf_counter(), max(1, count // 10, min(WARM, count // 2))
    for i in range(warm):
        step(i)
    memory, files, objects, texts = _state()
    for i in range(warm, count):
        step(i)
    after, rest = _state(), max(1, count - warm)
    return {"count": count, "first_mib": memory, "last_mib": after[0], "kib_each": (after[0] - memory) * 1024 / rest,
            "files": after[1] - files, "objects_each": (after[2] - objects) / rest, "linecache": after[3] - texts,
            "seconds": time.perf_counter() - start}  # fmt: skip


def _kernels(count: str, use: Callable[[Any], object]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:

        def step(i: int) -> None:
            file = Path(folder, f"kernel_{i}.py")
            file.write_text(KERNEL.format(i=i))
            spec = importlib.util.spec_from_file_location(file.stem, file)
            assert spec is not None and spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            use(getattr(module, file.stem))
            del module
            if i % 10 == 9:  # modules and their functions refer to each other: what waits for the collector is not counted
                gc.collect()

        return _grown(int(count), step)


def _compiles(count: str) -> dict[str, Any]:
    return _kernels(count, lambda kernel: kernel.compile("f32[?,?]", "f32[?,?]", target="pvc").spirv)


def _on(device: str) -> Callable[[str], dict[str, Any]]:
    def run(count: str) -> dict[str, Any]:
        import numpy as np

        import xetile as xt

        x, y = np.ones((16, 16), np.float32), np.zeros((16, 16), np.float32)
        with xt.device(device):
            return _kernels(count, lambda kernel: kernel(x, y))

    return run


def _launches(remote: bool) -> Callable[[str], dict[str, Any]]:
    def run(count: str) -> dict[str, Any]:
        import numpy as np

        import xetile as xt

        from .kernels.small import product

        arrays = [np.ones((16, 16), np.float32) for _ in range(3)]
        with xt.device("cpu"):
            queue = xt.Queue()
            given = [queue.to_device(array) for array in arrays] if remote else arrays
            found = _grown(int(count), lambda i: product(*given))
        return found

    return run


def _size(steps: str) -> dict[str, Any]:
    """A kernel of so many steps, one after the other; the driver's memory is what its build adds to the process's peak."""
    import resource

    import numpy as np

    import xetile as xt

    from .kernels.steps import steps as kernel

    warnings.simplefilter("ignore")
    x, y = np.ones((16, 16), np.float32), np.zeros((16, 16), np.float32)
    with xt.device("cpu"):
        kernel(x, y, N=1)
        start = time.perf_counter()
        spirv = kernel.compile("f32[?,?]", "f32[?,?]", N=int(steps)).spirv
        seconds = time.perf_counter() - start
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        xt.reset_stats()
        kernel(x, y, N=int(steps))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"steps": int(steps), "spirv_bytes": len(spirv), "compile_seconds": seconds, "peak_mib": peak / 1024,
            "build_seconds": xt.stats().build_seconds, "driver_mib": (peak - before) / 1024}  # fmt: skip


PARTS: dict[str, Callable[[str], dict[str, Any]]] = {
    "compiles": _compiles,
    "numpy kernels": _on("numpy"),
    "builds": _on("cpu"),
    "launches, numpy arrays": _launches(remote=False),
    "launches, device arrays": _launches(remote=True),
    "size": _size,
}
