"""The device's peak rates, measured in the same run as what is compared with them.

Arithmetic: fused multiply-adds on registers, in OpenCL C through the device's own compiler; on a GPU with DPAS also its
products on registers, by a kernel of ours.  Bandwidth: copying (on CPUs also past the caches) and reading, with a working set of the
size that is asked about. The numpy device runs on this machine's processor: there numpy's own product and copy stand in.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import xetile as xt
from xetile.runtime.backend import DeviceInfo

from . import timing
from .kernels.peak import mma_peak

SAMPLES = 15
MOVED = 1 << 27  # bytes that one sample moves at least, so that its launch does not count
CHAINS, ROUNDS = 12, 40_000

SOURCE = """
kernel void multiply_add(global float *out, float a, float b) {
  float16 c[CHAINS];
  for (int i = 0; i < CHAINS; ++i) c[i] = (float16)(get_global_id(0) + i);
  for (int round = 0; round < ROUNDS; ++round) {
    #pragma unroll
    for (int i = 0; i < CHAINS; ++i) c[i] = fma(c[i], (float16)a, (float16)b);
  }
  float16 s = 0;
  for (int i = 0; i < CHAINS; ++i) s += c[i];
  out[get_global_id(0)] = s.s0 + s.s1 + s.s2 + s.s3 + s.s4 + s.s5 + s.s6 + s.s7
                        + s.s8 + s.s9 + s.sa + s.sb + s.sc + s.sd + s.se + s.sf;
}
// A CPU's work-items each walk a part of their own, a GPU's walk side by side.
#ifdef APART
#define EACH(i, n) ulong part = (n) / get_global_size(0), i = part * get_global_id(0); i < part * (get_global_id(0) + 1); ++i
#else
#define EACH(i, n) ulong i = get_global_id(0); i < (n); i += get_global_size(0)
#endif
kernel void copy(global const float16 *x, global float16 *y, ulong n, uint passes) {
  for (uint pass = 0; pass < passes; ++pass)
    for (EACH(i, n)) y[i] = x[i];
}
#ifdef APART
kernel void stream(global const float16 *x, global float16 *y, ulong n, uint passes) {
  for (uint pass = 0; pass < passes; ++pass)
    for (EACH(i, n)) __builtin_nontemporal_store(x[i], &y[i]);
}
#endif
kernel void read(global const float16 *x, global float16 *y, ulong n, uint passes) {
  float16 s = 0, t = 0;
  for (uint pass = 0; pass < passes; ++pass)
    for (EACH(i, n / 2)) { s += x[2 * i]; t += x[2 * i + 1]; }
  y[get_global_id(0)] = s + t;
}
"""


class Peaks:
    """Rates of one device, per second of a clock; each is measured when it is first asked for."""

    def __init__(self, device: DeviceInfo, clock: timing.Clock = time.perf_counter) -> None:
        self.device = device
        self.clock = clock
        self._rates: dict[str, float] = {}
        self._bandwidths: dict[int, float] = {}
        self._opencl = _OpenCL(device, clock) if device.backend == "opencl" else None

    def arithmetic(self, dtype: str) -> tuple[str, float]:
        """What the peak for products of a dtype is called, and operations per second (a multiply and an add are two)."""
        name = f"{dtype} DPAS" if self._has_matrix_unit(dtype) else "f32 multiply-add"
        if name not in self._rates:
            if name.endswith("DPAS"):
                self._rates[name] = _matrix_rate(self.device, dtype)
            else:
                self._rates[name] = self._opencl.multiply_adds() if self._opencl else _numpy_product(self.clock)
        return name, self._rates[name]

    def bandwidth(self, size: int) -> float:
        """Bytes per second with a working set of about `size` bytes."""
        rounded = 1 << max(18, min(28, size.bit_length()))
        if rounded not in self._bandwidths:
            self._bandwidths[rounded] = self._opencl.bandwidth(rounded) if self._opencl else _numpy_copy(rounded, self.clock)
        return self._bandwidths[rounded]

    def document(self) -> dict[str, Any]:
        """What was measured, for JSON."""
        widths = {str(size): round(rate / 1e9, 2) for size, rate in sorted(self._bandwidths.items())}
        return {"GFLOP/s": {n: round(r / 1e9, 2) for n, r in self._rates.items()}, "GB/s by working set": widths}

    def _has_matrix_unit(self, dtype: str) -> bool:
        from xetile.target import get_target

        if self.device.kind != "gpu" or self.device.emulated:
            return False
        return get_target(self.device.target).find_mma("tf32" if dtype == "f32" else dtype) is not None


class _OpenCL:
    def __init__(self, device: DeviceInfo, clock: timing.Clock) -> None:
        import pyopencl as cl

        self.clock = clock

        self.cl: Any = cl
        self.queue = xt.Queue(device).handle
        options = [f"-DCHAINS={CHAINS}", f"-DROUNDS={ROUNDS}", "-cl-fast-relaxed-math"]
        options += ["-DAPART"] if device.kind == "cpu" else []
        with warnings.catch_warnings():  # pyopencl warns of any text that a driver's compiler writes
            warnings.simplefilter("ignore")
            self.program = cl.Program(self.queue.context, SOURCE).build(options)
        self.items, self.local = _work(device)
        self.streams: tuple[tuple[str, int], ...] = (("stream", 2),) if device.kind == "cpu" else ()

    def multiply_adds(self) -> float:
        """Operations per second."""
        out = self.cl.Buffer(self.queue.context, self.cl.mem_flags.READ_WRITE, 4 * self.items)
        kernel = self.cl.Kernel(self.program, "multiply_add")
        kernel.set_args(out, np.float32(0.999), np.float32(0.5))
        return 2.0 * 16 * CHAINS * ROUNDS * self.items / self._least(kernel)

    def bandwidth(self, size: int) -> float:
        """The best of copying (both sides count), on CPUs also past the caches, and reading."""
        flags = self.cl.mem_flags.READ_WRITE
        rates = []
        for name, arrays in (("copy", 2), ("read", 1), *self.streams):
            n = size // arrays // 64 // (2 * self.items) * 2 * self.items
            x, y = (self.cl.Buffer(self.queue.context, flags, max(n, self.items) * 64) for _ in range(2))
            self.cl.enqueue_fill_buffer(self.queue, x, np.float32(0), 0, n * 64)
            kernel = self.cl.Kernel(self.program, name)
            passes = max(1, MOVED // (arrays * n * 64))
            kernel.set_args(x, y, np.uint64(n), np.uint32(passes))
            rates.append(arrays * n * 64 * passes / self._least(kernel))
        return max(rates)

    def _least(self, kernel: Any) -> float:
        def run() -> None:
            self.cl.enqueue_nd_range_kernel(self.queue, kernel, (self.items,), self.local).wait()

        return _least(run, self.clock)


def _work(device: DeviceInfo) -> tuple[int, tuple[int, ...] | None]:
    """Work-items and those of a workgroup; on a CPU one, which keeps its compiler from packing work-items' vectors together."""
    return (device.compute_units * 16, (1,)) if device.kind == "cpu" else (device.compute_units * 512, None)


def _least(run: Callable[[], Any], clock: timing.Clock) -> float:
    """Seconds of the fastest of some runs: a peak is what the machine can do."""
    time.sleep(timing.PAUSE_SECONDS)
    run()
    seconds = []
    for _ in range(SAMPLES):
        start = clock()
        run()
        seconds.append(clock() - start)
    return min(seconds)


def _matrix_rate(device: DeviceInfo, dtype: str) -> float:
    """Operations per second of DPAS, operands in registers."""
    queue = xt.Queue(device, profiling=True)
    tile = 64 if dtype in ("i8", "u8") else 32
    accumulator = xt.i32 if dtype in ("i8", "u8") else xt.f32
    a, b = (queue.empty((256, 256), getattr(xt, dtype)) for _ in range(2))
    c, groups = queue.empty((256, 256), accumulator), max(1, device.compute_units) * 4
    launch = mma_peak[groups].bind(a, b, c, 4096, BK=tile, ACC=accumulator)
    seconds: float = min(xt.elapsed(launch()) for _ in range(SAMPLES))
    return 2.0 * 256 * 256 * tile * 4096 * groups / seconds


def _numpy_product(clock: timing.Clock) -> float:
    a = np.ones((1024, 1024), np.float32)
    return 2.0 * 1024**3 / _least(lambda: a @ a, clock)


def _numpy_copy(size: int, clock: timing.Clock) -> float:
    x = np.zeros(size // 8, np.float32)
    y = x.copy()
    return 2 * x.nbytes / _least(lambda: np.copyto(y, x), clock)
