"""Functions on CPUs: at most two units in the last place off, over all of f32; what is no number, and the ends of the range."""

from __future__ import annotations

import os
import subprocess
import sys
from math import erf

import numpy as np
import pytest

import xetile as xt
from tests.language.test_functions import TILE, apply, ordered
from xetile.runtime.settings import override

FUNCTIONS = {"exp": np.exp, "exp2": np.exp2, "tanh": np.tanh, "erf": np.vectorize(erf), "sin": np.sin, "cos": np.cos}
WAYS = ("vector", "avx2")
SHAPE = (128, 1024)


def computed(name: str, x: np.ndarray, way: str) -> np.ndarray:
    found = np.zeros((1, *x.shape), x.dtype)
    with override(cpu=way), xt.device("cpu"):
        apply[(x.shape[1] // TILE[1], x.shape[0] // TILE[0])](x, found, F=(getattr(xt, name),))
    return found[0]


def numbers() -> np.ndarray:
    """Every size of both signs, and more of those whose results are neither 0 nor infinite."""
    rng = np.random.default_rng(16)
    x = rng.integers(0, 1 << 32, SHAPE, np.uint32).view(np.float32)
    x[32:64] = rng.uniform(-20, 20, (32, SHAPE[1]))
    x[64:96] = rng.uniform(-155, 130, (32, SHAPE[1]))
    x[48:64] = np.exp(rng.uniform(np.log(1e-3), np.log(1e5), (16, SHAPE[1])))  # what waves reduce, and where they no longer do
    x[60:64] *= -1
    x[96:] = np.exp(rng.uniform(np.log(1e-3), np.log(10), (32, SHAPE[1])))
    return x


@pytest.mark.every(4)
@pytest.mark.device
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_two_units_in_the_last_place(name, way):
    x = numbers()
    expected = FUNCTIONS[name](x.astype(np.float64)).astype(np.float32)
    found = computed(name, x, way)
    assert (np.isnan(found) == np.isnan(expected)).all()
    wrong = np.where(np.isnan(expected), 0, np.abs(ordered(expected) - ordered(found)))
    assert wrong.max() <= 2, f"{name} of {x.flat[wrong.argmax()]} is off by {wrong.max()} units"


@pytest.mark.every(2)
@pytest.mark.device
@pytest.mark.parametrize("way", WAYS)
def test_the_ends_of_the_range(way):
    inf, nan, least = np.inf, np.nan, 2.0**-149
    x = np.zeros((16, 64), np.float32)
    x[0, :9] = [nan, inf, -inf, 0.0, -0.0, least, -least, 3.4e38, -3.4e38]
    exp, exp2, tanh, erf, sin, cos = (computed(name, x, way)[0, :9] for name in FUNCTIONS)
    for found in (exp, exp2):
        np.testing.assert_array_equal(found, np.float32([nan, inf, 0, 1, 1, 1, 1, inf, 0]))
    np.testing.assert_array_equal(tanh, np.float32([nan, 1, -1, 0, 0, least, -least, 1, -1]))
    np.testing.assert_array_equal(erf, np.float32([nan, 1, -1, 0, 0, least, -least, 1, -1]))
    np.testing.assert_array_equal(sin[:7], np.float32([nan, nan, nan, 0, 0, least, -least]))
    np.testing.assert_array_equal(cos[:7], np.float32([nan, nan, nan, 1, 1, 1, 1]))
    assert np.signbit(sin[3:7]).tolist() == [False, True, False, True]
    for found in (tanh, erf):
        assert np.signbit(found[1:]).tolist() == [False, True, False, True, False, True, False, True]


@pytest.mark.slow
@pytest.mark.device
@pytest.mark.parametrize("architecture", ["core-avx2", "corei7", "skx"])
def test_code_for_other_cpus(architecture, tmp_path):
    """Intel's runtime has other vector functions for other CPUs, and no registers for instructions that those lack."""
    environment = {**os.environ, "CL_CONFIG_CPU_TARGET_ARCH": architecture, "XETILE_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", __file__, "-k", "last_place"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and "passed" in done.stdout, done.stdout
