"""Constant vectors whose elements differ, as the offsets of seed 002's scattered examples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.lowering.gemms import Module, memref
from tests.lowering.run import check_device, check_levels
from tests.spirv.device import Device
from xetile.dialects import arith, xegpu
from xetile.dialects.types import F32, I1, INDEX, VectorType

OFFSETS = {
    "of seed 002": (0, 16, 32, 64),
    "without rule": (0, 5, 1, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 7),
    "mostly one": (3,) * 11 + (60, 3, 61, 3, 62),
    "of two registers": tuple((7 * i * i + i) % 64 for i in range(32)),
}
SCALES = (0.5, 2.0, -1.0)
CASES = pytest.mark.parametrize("offsets", OFFSETS.values(), ids=list(OFFSETS))


def scaled(offsets: tuple[int, ...]) -> Any:
    """C[0, n] of A at constant offsets, each by a constant of its own."""
    w = Module({"A": memref(128, element=F32), "C": memref(128, element=F32)})
    count = len(offsets)
    kind, value, mask = (VectorType((count,), element) for element in (INDEX, F32, I1))
    on = w.const(True, mask)
    loaded = w.build(xegpu.Load, w.A, w.const(offsets, kind), on, value=value)
    times = w.build(arith.MulF, loaded, w.const(factors(count), value))
    w.build(xegpu.Store, times, w.C, w.const(tuple(range(count)), kind), on)
    return w.done()


def factors(count: int) -> tuple[float, ...]:
    return tuple(SCALES[i * i % 3] for i in range(count))


def wanted(offsets: tuple[int, ...]) -> Any:
    def expected(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        result = arrays["C"].copy()
        result[: len(offsets)] = arrays["A"][list(offsets)] * np.array(factors(len(offsets)), np.float32)
        return {"C": result}

    return expected


@CASES
def test_every_level(offsets: tuple[int, ...]) -> None:
    check_levels(lambda: scaled(offsets), wanted(offsets))


@CASES
def test_emulated_on_the_cpu(cpu: Device, offsets: tuple[int, ...]) -> None:
    check_device(cpu, lambda: scaled(offsets), wanted(offsets))
