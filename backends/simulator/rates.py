"""Rates and latencies of one vector engine, each with where it is published; what no source tells is marked as assumed.

Nothing here was measured: `tools/calibrate.py`, run once on a GPU, says how far the estimates that are made of them are off.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from xetile.records import dataclass
from xetile.target import get_target

ASSUMED = "assumed"
IGC = "IGC, visa/LocalScheduler/LatencyTable.h"
TARGET = "published peak (xetile.target)"
GUIDE = "Intel's oneAPI GPU Optimization Guide"
HOT_CHIPS = "Intel at Hot Chips 34"

LATENCIES: Mapping[str, tuple[int, str]] = {
    "result of an instruction": (10, IGC),
    "result in an accumulator": (6, IGC),
    "each further 8 channels": (1, IGC),
    "result of the math unit": (17, IGC),
    "each further 8 channels there": (4, IGC),
    "first row of dpas": (21, IGC),
    "each further row of dpas": (1, IGC),
    "shared local memory": (28, IGC),
    "load, from the first cache": (45, IGC),
    "load, from the last cache": (200, IGC),
    "store": (50, IGC),
    "fence": (35, IGC),
    "barrier": (30, IGC),
    "taken branch": (23, IGC),
}
"""Clocks until a result is there, the same on all targets."""
ASSUMED_WIDTH = 256
"""Bytes that a core moves between registers and its cache or shared local memory in a clock, where no source tells."""


@dataclass(frozen=True)
class Rate:
    """A number, its unit, and its source."""

    value: float
    unit: str
    source: str


@cache
def rates(target: str) -> Mapping[str, Rate]:
    """All numbers that estimates for a target are made of, by name."""
    device = get_target(target)
    roofline, engines = device.roofline, device.engines_per_core or 1
    found = {f"dpas {dtype}": Rate(ops / engines, "operations a clock", TARGET) for dtype, ops in roofline.matrix_ops_per_clock}
    lanes = dict(roofline.vector_ops_per_clock)["f32"] / engines / 2
    known = roofline.core_bytes_per_clock
    width, source = (ASSUMED_WIDTH, ASSUMED) if known is None else (known, HOT_CHIPS)
    found |= {
        "vector": Rate(4 * lanes, "bytes of a result a clock", TARGET),
        "math": Rate(4 * lanes / roofline.function_clocks, "bytes of a result a clock", GUIDE),
        "messages": Rate(width / engines, "bytes a clock", source),
        "message": Rate(1, "clocks that each takes at least", ASSUMED),
        "issue of a thread": Rate(1, "instructions a clock", ASSUMED),
        "issue of a pipe": Rate(1, "instructions a clock, of any thread", ASSUMED),
        "clock": Rate(roofline.hertz or 0, "Hz", TARGET),
    }
    # What all cores share, by the share of one when all of them ask.
    shared = {"second cache": roofline.last_level_bytes_per_second, "memory": roofline.memory_bytes_per_second}
    each = (roofline.hertz or 0) * (roofline.cores or 0)
    found |= {
        name: Rate(bytes_ / each, "bytes a clock for each core", TARGET) for name, bytes_ in shared.items() if bytes_ and each
    }
    found |= {f"latency: {name}": Rate(clocks, "clocks", where) for name, (clocks, where) in LATENCIES.items()}
    return found
