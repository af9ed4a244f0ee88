"""A long process does not grow: what launches take is given back, and what was compiled goes with its kernel."""

import gc
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import xetile as xt
from xetile.runtime.jit import Kernel

MB = 1 << 20
REPOSITORY = Path(__file__).parents[2]


@xt.jit(grid=(1,))
def add(A, N: xt.constexpr):
    tile = xt.init_tile(A, (0, 0), (8, 16))
    xt.store_tile(xt.load_tile(tile) + N, tile)


def resident() -> int:
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def grown(first: int, count: int, step) -> int:
    """Bytes by which `count` steps make the process larger, after `first` that fill what is kept."""
    for n in range(first):
        step(n)
    before = resident()
    for n in range(first, first + count):
        step(n)
    return resident() - before


@pytest.mark.every(2)
@pytest.mark.parametrize("count", [500, pytest.param(100_000, marks=pytest.mark.slow)])
def test_launches(device, count):
    a = np.zeros((8, 16), np.float32)
    with xt.device(device):
        assert grown(200, count, lambda n: add(a, N=1)) < 2 * MB


@pytest.mark.parametrize("count", [4, pytest.param(2_000, marks=pytest.mark.slow)])
def test_compiles(count):
    assert grown(5, count, lambda n: add.compile("f32[?,?]", N=n, target="pvc")) < 4 * MB


@pytest.mark.device
@pytest.mark.slow
@pytest.mark.parametrize("count", [40, 2_000])
def test_builds_of_kernels_that_nobody_has_any_more(cpu, count):
    """In a process of its own. A program takes 2 MB of Intel's CPU runtime as long as its kernel is there."""
    command = f"from tests.runtime.test_growth import built; print(built({cpu!r}, {count}))"
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True, cwd=REPOSITORY)
    assert int(done.stdout) < 4 * MB + count * MB // 50


def built(device: str, count: int) -> int:
    """Bytes by which so many builds make this process larger."""
    a = np.zeros((8, 16), np.float32)
    with xt.device(device):
        return grown(20, count, lambda n: Kernel(add.fn, {}, (1,), 1)(a, N=n))
