"""Numbers from 0 to 1: IGC makes saturated numbers of them, 0 where there was NaN, and -0 where there was 0."""

import ml_dtypes
import numpy as np
import pytest

import xetile as xt
from tests import tools

SHAPE = (4, 32)
FORMS = {
    "clamp": lambda x: xt.clamp(x, 0.0, 1.0),
    "minimum of maximum": lambda x: xt.minimum(xt.maximum(x, 0.0), 1.0),
    "maximum of minimum": lambda x: xt.maximum(xt.minimum(x, 1.0), 0.0),
    "constants first": lambda x: xt.minimum(1.0, xt.maximum(0.0, x)),
    "NaN kept, then dropped": lambda x: xt.fmin(xt.maximum(x, 0.0), 1.0),
    "NaN dropped, then kept": lambda x: xt.maximum(xt.fmin(x, 1.0), 0.0),
    "of a sum": lambda x: xt.clamp(x * 0.5 + 0.25, 0.0, 1.0) * 2.0,
    "chosen": lambda x: smaller(xt.where(x > 0, x, 0.0)),
    "chosen by the opposite": lambda x: smaller(xt.where(~(x > 0), 0.0, x)),
    "chosen, NaN kept": lambda x: smaller(xt.where(x < 0, 0.0, x)),
    "chosen by more": lambda x: smaller(xt.where((x <= 0) | (x != x), 0.0, x)),
    "chosen from above": lambda x: larger(xt.where(x < 1, x, 1.0)),
    "wider": lambda x: xt.where(xt.maximum(x, 0.0) >= 1.0, 1.0, xt.maximum(x, 0.0).to(xt.f32)),
    "narrower": lambda x: xt.where(xt.maximum(x, 0.0) >= 1.0, 1.0, xt.maximum(x, 0.0).to(xt.f16)),
    "ReLU of 1 less": lambda x: 1.0 - xt.maximum(1.0 - xt.maximum(x, 0.0), 0.0),
}
DTYPES = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}


def smaller(x):
    return xt.where(x >= 1.0, 1.0, x)


def larger(x):
    return xt.where(x > 0, x, 0.0)


@xt.jit(num_subgroups=1, grid=(1,))
def ended(A, Out, FORM: xt.constexpr):
    """Out = a form of A."""
    xt.store_tile(FORM(xt.load_tile(xt.init_tile(A, (0, 0), SHAPE))).to(Out.dtype), xt.init_tile(Out, (0, 0), SHAPE))


@pytest.mark.every(9, 2)
@pytest.mark.simulated
@pytest.mark.parametrize("device", ["sim:pvc", "sim:bmg", "sim:dg2"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("form", FORMS)
def test_numbers_from_0_to_1(device, dtype, form):
    tools.require_tool("ocloc")
    kind = DTYPES[dtype]
    numbers = np.array([0.0, -0.0, 1.0, -1.0, 0.5, np.nan, 2.0, -2.0, np.inf, -np.inf, 0.25], np.float32)
    x = np.random.default_rng(0).choice(numbers, SHAPE).astype(kind)
    results = []
    for on in ("numpy", device):
        results.append(np.zeros(SHAPE, kind))
        with xt.device(on):
            ended(x, results[-1], FORM=FORMS[form])
    expected, out = (result.astype(np.float32) for result in results)
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(np.signbit(out)[out == 0], np.signbit(expected)[expected == 0])
