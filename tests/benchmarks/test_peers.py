"""What kernels are compared with computes the same."""

from __future__ import annotations

import numpy as np
import pytest
from xetile.benchmarks.suites.cpu import NUMBA, lines


@pytest.mark.slow
def test_loops_for_numba_mean_what_the_kernels_mean():
    pytest.importorskip("numba")
    cases = [line.case for line in lines() if "numba" in line.case.peers]
    assert len(cases) == len(NUMBA)
    rng = np.random.default_rng(0)
    for case in cases:
        arrays = {name: array[:37, :530] for name, array in case.inputs(rng).items()}
        run = case.peers["numba"](arrays)
        run()
        np.testing.assert_allclose(run.args[-1], case.reference(arrays).reshape(run.args[-1].shape), rtol=1e-4, atol=1e-4)
