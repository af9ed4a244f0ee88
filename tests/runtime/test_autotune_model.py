"""Autotuning that measures only what the roofline model puts first."""

import numpy as np
import pytest

import xetile as xt
from tests.runtime.tuned import CONFIGS, double
from xetile.errors import ArgumentError


@pytest.mark.device
def test_where_the_model_knows_no_rates_all_are_measured(cpu, monkeypatch):
    """It would put none before another, and whichever stood first would be kept."""

    @xt.autotune(configs=xt.autotune_space(N=(16, 64)), keep=1, samples=3, isolate=False)
    @xt.jit(out={"Y": lambda X: xt.empty(X.shape, X.dtype)}, grid=lambda X, N: xt.cdiv(X.shape[0], N))
    def copied(X, Y, N: xt.constexpr):
        i = xt.program_id(0) * N
        xt.store_tile(xt.load_tile(xt.init_tile(X, i, (N,))), xt.init_tile(Y, i, (N,)))

    monkeypatch.setenv("XETILE_CPU", "")
    with xt.device("cpu"):
        assert np.array_equal(copied(np.arange(200, dtype=np.float32)), np.arange(200))
    assert [outcome.status for outcome in copied.outcomes] == ["ok", "ok"]


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


@pytest.mark.device
@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
@pytest.mark.parametrize("model", ["roofline", lambda config, binary, grid: {"right": 2.0, "wide": 1.0}[config.values["MODE"]]])
def test_what_the_model_left_out_is_not_measured_by_a_later_process(cpu, tmp_path, monkeypatch, model):
    def tuned(configs, keep=1):
        kernel = xt.autotune(configs=configs, model=model, keep=keep, samples=3, isolate=False)(double)
        kernel(np.arange(200, dtype=np.float32))
        return [(outcome.status, outcome.known) for outcome in kernel.outcomes], kernel

    with xt.device(cpu):
        first, kernel = tuned(CONFIGS)
        assert sorted(first) == [("ok", False), ("pruned", False)]
        later, _ = tuned(CONFIGS)
        assert [status for status, _ in later] == [status for status, _ in first]
        kernel.export_tuning(tmp_path / "double.json")
        monkeypatch.setenv("XETILE_CACHE_DIR", str(tmp_path / "elsewhere"))
        kernel.import_tuning(tmp_path / "double.json")
        there, _ = tuned(CONFIGS)
        assert [status for status, _ in there] == [status for status, _ in first]
        more, _ = tuned(CONFIGS, keep=2)  # another choice by the model is made anew
        assert sorted(more) == [("ok", False), ("ok", True)]


def test_models_that_do_not_exist():
    with pytest.raises(ArgumentError, match="no model 'oracle'"):
        xt.autotune(configs=list(CONFIGS), model="oracle")
