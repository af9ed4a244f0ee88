"""What a call costs beyond the kernel: warm calls and bound launches against pyopencl's own enqueue of the same kernel.

    python -m xetile benchmarks launch [--device D] [--cpu-time] [--json OUT.json]

Device arrays: a sample is the time that a few hundred launches take to be enqueued (waiting for them is not in it), divided; with
--cpu-time the processor's seconds of the thread that calls, for machines that others use.
numpy arrays: a call blocks, so the kernel's own time, by profiling events, is taken off.  Exit status 1 where a bar is missed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import xetile as xt
from xetile.errors import XetileError

from .bars import Measured, chosen, finish, options
from .kernels.small import combine, product
from .timing import Subject, Timing, compare

LAUNCHES, SAMPLES = 300, 60
CALL_BAR, BOUND_BAR, NUMPY_BAR = 5.0, 2.0, 25.0  # microseconds
SCALARS = (2.0, 3.0, 1.0)

Run = Callable[[], Any]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = options("launch", __doc__)
    parser.add_argument("--cpu-time", action="store_true", help="launches on device arrays in the calling thread's own seconds")
    given = parser.parse_args(arguments)
    try:
        device = chosen(given.device)
        if device.backend != "opencl":
            print(f"launch: {device.name} has no queue to enqueue on", file=sys.stderr)
            return 2
        with xt.device(device):
            rows = [
                *on_device(time.thread_time if given.cpu_time else time.perf_counter),
                *(on_numpy() if device.kind == "cpu" else []),
            ]
    except XetileError as error:
        print(f"launch: {error}", file=sys.stderr)
        return 2
    clock = "; device arrays in the calling thread's own seconds" if given.cpu_time else ""
    return finish("launch", f"Launching on {device.name}{clock}", device, rows, given.json)


def on_device(clock: Callable[[], float]) -> list[Measured]:
    """Three device arrays and three scalars."""
    import pyopencl as cl

    queue = xt.Queue()
    host = [np.random.default_rng(0).standard_normal((16, 16), dtype=np.float32) for _ in range(2)]
    x, y, z = (queue.to_device(array) for array in (*host, np.zeros((16, 16), np.float32)))
    combine(x, y, z, *SCALARS)
    if not np.allclose(z.get(), host[0] * 2 + host[1] * 3 + 1, rtol=1e-5):
        raise XetileError("the kernel computes something else")
    loaded: Any = combine._prepare(None, (x, y, z, *SCALARS), {}).loaded
    kernel, local = loaded._local.state.kernel, loaded.artifact.local_size
    bound = combine.bind(x, y, z, *SCALARS)
    tuned = xt.autotune(configs=[xt.Config(num_subgroups=1)], isolate=False, samples=3)(combine)
    tuned(x, y, z, *SCALARS)
    runs: dict[str, Run] = {
        "pyopencl's enqueue": lambda: cl.enqueue_nd_range_kernel(queue.handle, kernel, local, local),
        "call": lambda: combine(x, y, z, *SCALARS),
        "call of an autotuned kernel": lambda: tuned(x, y, z, *SCALARS),
        "call with a grid": lambda: combine[1,](x, y, z, *SCALARS),
        "call that allocates its output": lambda: product(x, y),
        "bound": bound,
    }
    found = compare({name: Subject([_many(run, queue, clock)], _given, SAMPLES) for name, run in runs.items()})
    base = found["pyopencl's enqueue"]
    rows = [Measured("pyopencl's enqueue, arguments set", base.median * 1e6, "us", base)]
    bars = {"call": CALL_BAR, "bound": BOUND_BAR}
    for name in list(runs)[1:]:
        over = (found[name].median - base.median) * 1e6
        rows.append(Measured(f"{name}, over that", over, "us", found[name], bars.get(name)))
    return rows


def on_numpy() -> list[Measured]:
    """A 16x16 matmul on numpy arrays, in place: what the call takes beyond the kernel's own time."""
    a, b = (np.random.default_rng(i).standard_normal((16, 16), dtype=np.float32) for i in range(2))
    if not np.allclose(product(a, b), a @ b, atol=1e-4):
        raise XetileError("the kernel computes something else")
    bound = product.bind(a, b)
    queue = xt.Queue(profiling=True)
    profiled = product.bind(queue.to_device(a), queue.to_device(b))
    own = Timing.of([xt.elapsed(profiled()) for _ in range(1000)])
    found = compare({"call": Subject([lambda: product(a, b)], None, SAMPLES), "bound": Subject([bound], None, SAMPLES)})
    return [
        Measured("16x16 matmul's own time, by events", own.median * 1e6, "us", own),
        Measured("call on numpy arrays, beyond that", (found["call"].median - own.median) * 1e6, "us", found["call"], NUMPY_BAR,
                 "output allocated; blocks"),
        Measured("bound on numpy arrays, beyond that", (found["bound"].median - own.median) * 1e6, "us", found["bound"]),
    ]  # fmt: skip


def _many(run: Run, queue: Any, clock: Callable[[], float]) -> Run:
    def sample() -> float:
        start = clock()
        for _ in range(LAUNCHES):
            run()
        seconds = clock() - start
        queue.finish()
        return seconds / LAUNCHES

    return sample


def _given(seconds: Any, clock: float) -> float:
    return float(seconds)


if __name__ == "__main__":
    raise SystemExit(main())
