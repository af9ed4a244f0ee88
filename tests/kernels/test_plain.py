"""Kernels in their plainest form against float64 numpy, on each device."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import xetile as xt

FAMILIES = [import_module(f"tests.kernels.{file.stem}") for file in sorted(Path(__file__).parent.glob("plain_*.py"))]
CASES = {name: case for family in FAMILIES for name, case in getattr(family, "CASES", {}).items()}


@pytest.mark.every(900, 53)
@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
@pytest.mark.parametrize("name", CASES)
def test_against_float64(device, name):
    case = CASES[name]
    arguments, expected = case.values()
    before = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    with xt.device(device):
        case.kernel(*arguments, **case.constants)
    for position, (old, new) in enumerate(zip(before, arguments)):
        if position in expected:
            wanted = expected[position]
            limit = case.tolerance * max(1.0, np.abs(wanted).max())
            np.testing.assert_allclose(new.astype(np.float64), wanted, rtol=0, atol=limit)
        else:
            np.testing.assert_array_equal(new, old)
