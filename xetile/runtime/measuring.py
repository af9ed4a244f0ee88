"""How long users' own kernels take."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from xetile.errors import ArgumentError
from xetile.records import dataclass
from xetile.runtime.told import told

SAMPLE_SECONDS = 2e-4
"""A sample lasts at least this long, by repetition, so that the clock does not count."""
WARM_UP = 3


@dataclass(frozen=True)
class Measured:
    """What a run takes: the median of `samples`, their 20th and 80th percentile and the least, in seconds.

    bytes, flops   that one run moves and computes, where they were given; `bytes_per_second` and `flops_per_second` follow.
    """

    median: float
    p20: float
    p80: float
    least: float
    samples: int
    bytes: float | None = None
    flops: float | None = None

    @property
    def bytes_per_second(self) -> float | None:
        """Bytes over the median; None where their number was not given."""
        return None if self.bytes is None else self.bytes / self.median

    @property
    def flops_per_second(self) -> float | None:
        """Operations over the median; None where their number was not given."""
        return None if self.flops is None else self.flops / self.median

    def __str__(self) -> str:
        unit, factor = next(((u, f) for u, f in (("s", 1.0), ("ms", 1e3)) if self.median * f >= 1), ("us", 1e6))
        parts = [
            f"{self.median * factor:.3g} {unit} ({self.p20 * factor:.3g} to {self.p80 * factor:.3g}, {self.samples} samples)"
        ]
        if self.bytes_per_second is not None:
            parts.append(f"{self.bytes_per_second / 1e9:.3g} GB/s")
        if self.flops_per_second is not None:
            parts.append(f"{self.flops_per_second / 1e9:.3g} GFLOP/s")
        return ", ".join(parts)


@told
def bench(run: Callable[[], Any], *, samples: int = 30, seconds: float = 2.0, bytes: float | None = None,
          flops: float | None = None) -> Measured:  # fmt: skip
    """How long `run()` takes: `xt.bench(lambda: matmul(A, B, C), flops=2 * M * N * K)`.

    samples   that are taken, fewer where they would take more than `seconds`; each is many runs where one is short.
    bytes, flops   that one run moves and computes, for GB/s and GFLOP/s.

    Runs that enqueue (on device arrays) are waited for. The first runs, which compile, do not count.
    Raises ArgumentError for what is no function of no arguments.

    Example:
        @xt.jit(grid=(1,))
        def double(X):
            xt.store_tile(xt.load_tile(X[0:8]) * 2, X[0:8])

        X = np.ones(8, np.float32)
        found = xt.bench(lambda: double(X), samples=5, bytes=2 * X.nbytes)
        print(found.samples, found.least <= found.median, found.bytes_per_second > 0)

    Prints:
        5 True True
    """
    if not callable(run) or samples < 1:
        raise ArgumentError(
            "bench takes a function without arguments, and a number of samples", hint="xt.bench(lambda: kernel(A, B))"
        )
    start = time.perf_counter()
    _wait(run())
    first = time.perf_counter() - start
    once = min((_timed(run, 1) for _ in range(WARM_UP if first < seconds else 1)), default=first)
    repeats = max(1, round(SAMPLE_SECONDS / max(once, 1e-9)))
    count = max(1, min(samples, int(seconds / max(once * repeats, 1e-9))))
    taken = sorted(_timed(run, repeats) for _ in range(count))
    return Measured(_quantile(taken, 0.5), _quantile(taken, 0.2), _quantile(taken, 0.8), taken[0], count, bytes, flops)


def _timed(run: Callable[[], Any], repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats - 1):
        run()
    _wait(run())
    return (time.perf_counter() - start) / repeats


def _wait(done: Any) -> None:
    """Until what a run has enqueued is done: an event, or device arrays, whose queue runs in order."""
    for each in done if isinstance(done, tuple) else (done,):
        if callable(getattr(each, "wait", None)):
            each.wait()
        elif callable(getattr(getattr(each, "queue", None), "finish", None)):
            each.queue.finish()


def _quantile(ordered: list[float], share: float) -> float:
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)
