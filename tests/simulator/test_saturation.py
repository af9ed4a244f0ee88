"""Numbers from 0 to 1: IGC makes saturated numbers of them, 0 where there was NaN, and -0 where there was 0."""

import numpy as np
import pytest

import xetile as xt
from tests.simulator.test_idioms import KINDS, both, check_zeros

FORMS = {
    "clamp": lambda x, _: xt.clamp(x, 0.0, 1.0),
    "minimum of maximum": lambda x, _: xt.minimum(xt.maximum(x, 0.0), 1.0),
    "maximum of minimum": lambda x, _: xt.maximum(xt.minimum(x, 1.0), 0.0),
    "constants first": lambda x, _: xt.minimum(1.0, xt.maximum(0.0, x)),
    "NaN kept, then dropped": lambda x, _: xt.fmin(xt.maximum(x, 0.0), 1.0),
    "NaN dropped, then kept": lambda x, _: xt.maximum(xt.fmin(x, 1.0), 0.0),
    "of a sum": lambda x, _: xt.clamp(x * 0.5 + 0.25, 0.0, 1.0) * 2.0,
    "chosen": lambda x, _: smaller(xt.where(x > 0, x, 0.0)),
    "chosen by the opposite": lambda x, _: smaller(xt.where(~(x > 0), 0.0, x)),
    "chosen, NaN kept": lambda x, _: smaller(xt.where(x < 0, 0.0, x)),
    "chosen by more": lambda x, _: smaller(xt.where((x <= 0) | (x != x), 0.0, x)),
    "chosen from above": lambda x, _: larger(xt.where(x < 1, x, 1.0)),
    "wider": lambda x, _: xt.where(xt.maximum(x, 0.0) >= 1.0, 1.0, xt.maximum(x, 0.0).to(xt.f32)),
    "narrower": lambda x, _: xt.where(xt.maximum(x, 0.0) >= 1.0, 1.0, xt.maximum(x, 0.0).to(xt.f16)),
    "ReLU of 1 less": lambda x, _: 1.0 - xt.maximum(1.0 - xt.maximum(x, 0.0), 0.0),
}


def smaller(x):
    return xt.where(x >= 1.0, 1.0, x)


def larger(x):
    return xt.where(x > 0, x, 0.0)


@pytest.mark.every(9, 2)
@pytest.mark.simulated
@pytest.mark.parametrize("device", ["sim:pvc", "sim:bmg", "sim:dg2"])
@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("form", FORMS)
def test_numbers_from_0_to_1(device, dtype, form):
    numbers = np.array([0.0, -0.0, 1.0, -1.0, 0.5, np.nan, 2.0, -2.0, np.inf, -np.inf, 0.25], np.float32)
    expected, found = both(FORMS[form], numbers.astype(KINDS[dtype]), KINDS[dtype], device)
    np.testing.assert_array_equal(found.astype(np.float32), expected.astype(np.float32))
    check_zeros(found.astype(np.float32), expected.astype(np.float32))
