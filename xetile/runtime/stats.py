"""Counters of what calls cost: compiles, cache hits, transfers.  `xt.stats()` reads them, `xt.reset_stats()` zeroes them."""

from __future__ import annotations

import threading
from dataclasses import asdict

from xetile.records import dataclass

_lock = threading.Lock()


@dataclass
class Stats:
    """Counts since the process started, or since `reset_stats()`.

    compiles            kernels that the frontend and the passes ran for; compile_seconds, the time they took.
    builds              kernels that a driver built from SPIR-V; build_seconds, the time it took.
    loads               kernels made ready on a device, however they came about.
    cache_hits          kernels whose SPIR-V came from disk; native_hits, whose driver binary did.
    cache_misses        kernels looked for on disk and not found.
    cache_corrupt       entries found damaged, and removed; cache_failures, entries that could not be written.
    fast_misses         calls whose arguments were inspected in full: a new kind, shape or constant.
    to_device, from_device, on_device (and _bytes)
                        copies between host and device, and within the device; reading an array in place counts nothing.
    """

    compiles: int = 0
    compile_seconds: float = 0.0
    builds: int = 0
    build_seconds: float = 0.0
    loads: int = 0
    cache_hits: int = 0
    native_hits: int = 0
    cache_misses: int = 0
    cache_corrupt: int = 0
    cache_failures: int = 0
    fast_misses: int = 0
    to_device: int = 0
    to_device_bytes: int = 0
    from_device: int = 0
    from_device_bytes: int = 0
    on_device: int = 0
    on_device_bytes: int = 0


_counters = Stats()


def count(name: str, amount: float = 1) -> None:
    """Add to a counter."""
    with _lock:
        setattr(_counters, name, getattr(_counters, name) + amount)


def stats() -> Stats:
    """The counters as they are now.

    Example:
        before = xt.stats()
        print(xt.stats() == before)

    Prints:
        True
    """
    from xetile.runtime.arrays import stats as transfers

    with _lock:
        return Stats(**{**asdict(_counters), **transfers.as_dict()})


def reset_stats() -> None:
    """Start all counters at zero.

    Example:
        xt.reset_stats()
        print(xt.stats().compiles)

    Prints:
        0
    """
    global _counters
    from xetile.runtime.arrays import stats as transfers

    with _lock:
        _counters = Stats()
    transfers.reset()
