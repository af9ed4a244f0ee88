"""The forms of one product give the same numbers, at every level and on each device."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.kernels.product_forms import FORMS
from tests.parity.run import assert_levels_agree, request

TYPES = {"A": "f16[?,?]", "B": "f16[?,?]", "C": "f32[?,?]"}
SMALL = {"BM": 32, "BN": 32, "BK": 32}


def values(m=40, n=64, k=104):
    """Small whole numbers, whose sums are exact in any order; rows and depths that tiles do not divide."""
    rng = np.random.default_rng(2)
    a, b = (rng.integers(-3, 4, shape).astype(np.float16) for shape in ((m, k), (k, n)))
    return {"A": a, "B": b, "C": np.zeros((m, n), np.float32)}


@pytest.mark.every(8, 4)
@pytest.mark.parametrize("name", FORMS)
def test_devices(device, name):
    given = values()
    with xt.device(device):
        FORMS[name][2, 2](*given.values(), **SMALL)
    np.testing.assert_array_equal(given["C"], given["A"].astype("f4") @ given["B"].astype("f4"))


@pytest.mark.every(6)
@pytest.mark.parametrize("target", ["pvc", "dg2"])
@pytest.mark.parametrize("name", FORMS)
def test_levels(name, target):
    given = values(33, 64, 96)
    found = assert_levels_agree(request(FORMS[name], TYPES, target, 4 if target == "dg2" else 1, **SMALL), (2, 2, 1), given, "C")
    np.testing.assert_array_equal(found, given["A"].astype("f4") @ given["B"].astype("f4"))
