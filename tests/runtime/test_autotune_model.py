"""Autotuning that measures only what the roofline model puts first."""

import numpy as np
import pytest

import xetile as xt
from tests.runtime.tuned import CONFIGS, double
from xetile.errors import ArgumentError


@pytest.mark.device
@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
def test_autotune_prunes_by_the_model(cpu):
    x = np.arange(200, dtype=np.float32)
    with xt.device(cpu):
        kernel = xt.autotune(configs=list(CONFIGS), keep=1, samples=3, isolate=False)(double)
        assert np.array_equal(kernel(x), x * 2)
    assert sorted(outcome.status for outcome in kernel.outcomes) == ["ok", "pruned"]
    (pruned,) = (outcome for outcome in kernel.outcomes if outcome.status == "pruned")
    assert pruned.reason.startswith("the model expects ")
    kept = next(outcome.config for outcome in kernel.outcomes if outcome.status == "ok")
    assert kept == xt.rank(kernel, None, x)[0].config


def test_models_that_do_not_exist():
    with pytest.raises(ArgumentError, match="no model 'oracle'"):
        xt.autotune(configs=list(CONFIGS), model="oracle")
