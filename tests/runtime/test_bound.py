"""A bound launch sees what the kernel sees outside of itself as other calls do: what changed since is compiled anew."""

import numpy as np
import pytest

import xetile as xt
from tests.runtime import test_captures

pytestmark = pytest.mark.device


@pytest.mark.parametrize("case", ["a_global", "an_attribute_of_a_class"])
def test_a_bound_launch_sees_it(device, case, monkeypatch):
    kernel = next(p.values[0] for p in test_captures.CASES if p.id == case)
    bound = kernel.bind(np.ones(16, np.float32))
    bound()
    results = bound.results
    assert results[0] == 2
    monkeypatch.setattr(
        test_captures if case == "a_global" else test_captures.Config, "NUMBER" if case == "a_global" else "number", 3.0
    )
    with xt.device("numpy"):  # what is chosen later does not move a launch
        bound()
    assert bound.results is results and results[0] == 3
    monkeypatch.undo()
    bound()
    assert results[0] == 2


def test_a_bound_launch_takes_the_grid_of_a_changed_global():
    scope = {"N": 4}

    @xt.jit(out=test_captures.OUT, grid=lambda X: (X.shape[0] // scope["N"],))
    def kernel(X, Y):
        i = xt.program_id(0) * scope["N"]
        xt.store_tile(xt.load_tile(xt.init_tile(X, i, (scope["N"],))) * 2, xt.init_tile(Y, i, (scope["N"],)))

    with xt.device("numpy"):
        bound = kernel.bind(np.ones(16, np.float32))
        scope["N"] = 8
        bound()
        assert bound.grid == (2, 1, 1)
        assert (bound.results == 2).all()
        del scope["N"]
        with pytest.raises((KeyError, xt.errors.XetileError)):
            bound()


def test_a_bound_launch_on_device_arrays_sees_it(cpu, monkeypatch):
    kernel = next(p.values[0] for p in test_captures.CASES if p.id == "a_global")
    with xt.device(cpu):
        bound = kernel.bind(xt.Queue().to_device(np.ones(16, np.float32)))
    monkeypatch.setattr(test_captures, "NUMBER", 3.0)
    bound()
    assert bound.results.get()[0] == 3
