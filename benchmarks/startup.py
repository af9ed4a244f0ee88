"""How long it takes until a kernel runs: importing, compiling cold, starting warm from the cache on disk.

    python -m xetile benchmarks compile [--device D] [--cpu-time] [--json OUT.json]

Each sample is a process of its own, with bytecode there as in an installed package; with --cpu-time in the processor's seconds, for machines
that others use. Of the kernels that the tests hold in their plainest form, where these are, the slowest for each target is told, always in the
processor's seconds.  Exit status 1 where a bar is missed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from xetile import internal
from xetile.errors import CompileError, XetileError

from .bars import Measured, chosen, finish, options
from .timing import MIN_SAMPLES, WARM_UP, Timing

ROOT = Path(internal.__file__).parents[1]  # where processes of our own find xetile
IMPORT_BAR, COLD_BAR, WARM_BAR, SPILL_BAR = 80.0, 150.0, 500.0, 200.0  # milliseconds
COVER_BAR = 3.0  # percent
COVERED = ("matmul f16", "matmul f16, B transposed", "attention D=64", "softmax f16", "layer norm f16")
PLAIN_BAR = 1500.0
KERNEL_BARS = {"matmul": COLD_BAR, "attention": 300.0}  # by the first word of a benchmark kernel's name
GEMM = '"f16[?,?]", "f16[?,?]", "f32[?,?]", BM=256, BN=256, BK=32, num_subgroups=32, target="pvc"'

IMPORT = """
import json, sys, time, numpy
start = time.perf_counter()
from xetile.ops.kernels.matmul import matmul
seconds = time.perf_counter() - start
print(json.dumps({"import": seconds, "pyopencl": "pyopencl" in sys.modules}))
"""
COLD = f"""
import json, time, numpy
from xetile.ops.kernels.matmul import matmul
def once():
    start = time.perf_counter()
    matmul.compile({GEMM}).spirv
    return time.perf_counter() - start
print(json.dumps({{"cold": once(), "again": once()}}))
"""
WARM = f"""
import json, sys, time
import numpy as np, xetile as xt
from {__package__}.kernels.small import product
a = np.ones((16, 16), np.float32)
with xt.device(%r):
    c = product(a, a)
now, used, right = time.time(), time.process_time(), bool((c == 16).all())
compiler = [name for name in sys.modules if name.startswith(("xetile.ir", "xetile.passes", "xetile.frontend", "xetile.dialects"))]
counts = xt.stats()
print(json.dumps({{"now": now, "used": used, "right": right, "compiles": counts.compiles, "builds": counts.builds, "compiler": compiler}}))
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = options("compile", __doc__)
    parser.add_argument("--cpu-time", action="store_true", help="in the processor's seconds")
    given = parser.parse_args(arguments)
    clock = "process_time" if given.cpu_time else "perf_counter"
    try:
        device = chosen(given.device)
    except XetileError as error:
        print(f"compile: {error}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="xetile-benchmark-") as folder:
        rows = [
            *python_part(clock),
            *warm_start(Path(folder), device.kind, clock),
            *every_kernel(clock),
            *slowest_plain(),
            cover_checks(),
        ]
    told = "; in the processor's seconds" if given.cpu_time else ""
    return finish("compile", f"Starting and compiling, device {device.name}{told}", device, rows, given.json)


def python_part(clock: str = "perf_counter") -> Iterator[Measured]:
    """Importing, and compiling the GEMM: no device, no cache. clock: the function of `time` that tells seconds."""
    programs = [program.replace("perf_counter", clock) for program in (IMPORT, COLD)]
    found = [(_run(programs[0]), _run(programs[1], XETILE_CACHE="0")) for _ in _samples()]
    if any(one["pyopencl"] for one, _ in found):
        raise XetileError("importing a kernel imported pyopencl")
    imported, cold, again = (Timing.of(seconds) for seconds in zip(*((i["import"], c["cold"], c["again"]) for i, c in found)))
    yield _milliseconds("import xetile and define a kernel", imported, IMPORT_BAR, "numpy was there; imports no pyopencl")
    yield _milliseconds("cold compile of the GEMM, Python part", cold, COLD_BAR, "new process; imports the compiler")
    yield _milliseconds("the same, compiler imported", again)


def warm_start(folder: Path, device: str, clock: str = "perf_counter") -> Iterator[Measured]:
    """From the interpreter's start to the first result, with everything in the cache on disk."""
    seconds = []
    for _ in _samples():
        start = time.time()
        found = _run(WARM % device, XETILE_CACHE_DIR=str(folder / "cache"))
        seconds.append(found["used"] if clock == "process_time" else found["now"] - start)
        if not found["right"]:
            raise XetileError("a wrong result")
    if device != "numpy" and (found["compiles"] or found["builds"] or found["compiler"]):
        raise XetileError(f"a warm start compiled or imported the compiler: {found}")
    timing = Timing.of(seconds[1:])
    yield _milliseconds("warm start: interpreter to first result", timing, WARM_BAR, "no compiler module imported")
    yield _milliseconds("cold start, same program", Timing.of(seconds[:1]), remark="compiles and builds")


def every_kernel(clock: str = "perf_counter") -> Iterator[Measured]:
    """The Python part for each benchmark kernel, for PVC, with the compiler imported."""
    from xetile.runtime import settings

    from .isa_cases import CASES

    with settings.override(cache=False), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of kernels that do not fit the registers: `isa` tells
        for case in CASES:
            target = "pvc" if "pvc" in case.targets else case.targets[0]
            seconds = list(_clocked(lambda case=case, target=target: case.compile(target).spirv, 5, clock))  # type: ignore[misc]
            yield _milliseconds(f"{case.name} for {target}", Timing.of(seconds), KERNEL_BARS.get(case.name.split()[0]))
        for target in ("pvc", "dg2"):
            yield _milliseconds(f"spilling matmul f16 for {target}: what the warning adds", _warning(target, clock), SPILL_BAR)


def slowest_plain() -> Iterator[Measured]:
    """For each target the kernel that takes longest of those that the tests hold, beside how long all take, in the processor's seconds."""
    from xetile.runtime import settings

    from .isa_plain import plain_cases

    cases = plain_cases()
    with settings.override(cache=False), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for target in ("pvc", "bmg", "dg2") if cases else ():
            seconds = {}
            for case in cases:
                with suppress(CompileError):  # of types that the target lacks
                    seconds[case.name] = next(_clocked(partial(case.compile, target), 1, "process_time"))
            slowest = max(seconds, key=seconds.__getitem__)
            yield Measured(f"slowest of {len(seconds)} plain kernels for {target}", 1e3 * seconds[slowest], "ms",
                           Timing.of([*seconds.values()]), PLAIN_BAR, slowest)  # fmt: skip


def _warning(target: str, clock: str) -> Timing:
    """A matmul with and without the look for sizes that fit."""
    from xetile.ops.kernels.matmul import matmul
    from xetile.runtime.compiler import build

    def compiled() -> Any:
        return matmul.compile("f16[?,?]", "f16[?,?]", "f32[?,?]", target=target, BM=256, BN=256, num_subgroups=16)

    request = compiled().request
    alone = Timing.of(list(_clocked(lambda: build(request), 5, clock))).median
    return Timing.of([max(0.0, seconds - alone) for seconds in _clocked(lambda: compiled().spirv, 5, clock)])


def _clocked(run: Callable[[], Any], samples: int, clock: str) -> Iterator[float]:
    seconds: Callable[[], float] = getattr(time, clock)
    for _ in range(samples):
        start = seconds()
        run()
        yield seconds() - start


def _samples() -> range:
    return range(MIN_SAMPLES + WARM_UP)


def cover_checks() -> Measured:
    """What the check that pieces cover their value exactly once takes of compiling kernels that are seen for the first time."""
    from xetile.passes.block import matrices
    from xetile.runtime.compiler import build

    from .isa_cases import CASES

    requests = [case.compile("pvc").request for case in CASES if case.name in COVERED]
    check, spent, whole = matrices.Matrix.__post_init__, [0.0], []

    def timed(matrix: matrices.Matrix) -> None:
        start = time.process_time()
        check(matrix)
        spent[0] += time.process_time() - start

    matrices.Matrix.__post_init__ = timed  # type: ignore[method-assign,assignment]
    try:
        for request in requests:
            matrices.check_cover.cache_clear()
            start = time.process_time()
            build(request)
            whole.append(time.process_time() - start)
    finally:
        matrices.Matrix.__post_init__ = check  # type: ignore[method-assign]
    share = 100 * spent[0] / sum(whole)
    return Measured("checks that pieces cover their values", share, "%", Timing.of(whole), COVER_BAR, "of compiling, first time")


def _milliseconds(what: str, timing: Timing, bar: float | None = None, remark: str = "") -> Measured:
    return Measured(what, timing.median * 1e3, "ms", timing, bar, remark)


def _run(code: str, **settings: str) -> dict[str, Any]:
    """What a program prints; the first one leaves bytecode for the others."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": ""}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env={**environment, **settings}, capture_output=True, text=True,
                          check=False)  # fmt: skip
    if done.returncode:
        raise XetileError(f"a process failed: {done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    raise SystemExit(main())
