"""Tiles that take much memory of each thread: a launch that cannot have it is refused, for the driver would run nothing and say nothing."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from xetile.backends.opencl import private

import xetile as xt
from xetile.errors import ResourceError
from xetile.runtime.settings import override

pytestmark = pytest.mark.device
PROGRAMS = 4


@xt.jit(grid=lambda Y: (Y.shape[0],))
def raised(X, Y, n, N: xt.constexpr):
    """Every row of Y = X + n, by way of a tile that a loop carries."""
    x = xt.load_tile(X[0:1, 0:N])
    for _ in range(n):
        x += 1
    p = xt.program_id(0)
    xt.store_tile(x, Y[p : p + 1, 0:N])


def launch(size, dtype=np.uint8):
    x, y = np.arange(8, dtype=dtype)[None], np.zeros((PROGRAMS, 20), dtype)
    with override(cpu="vector"), xt.device("cpu"):
        raised(x, y, 3, N=size)
    np.testing.assert_array_equal(y[:, :9], np.tile([3, 4, 5, 6, 7, 8, 9, 10, 3], (PROGRAMS, 1)))


def refuse(*_):
    raise OSError("Cannot allocate memory")


def test_what_cannot_be_mapped_is_refused(monkeypatch):
    monkeypatch.setattr(private, "LARGE", 1 << 16)
    monkeypatch.setattr(private.mmap, "mmap", refuse)
    with pytest.raises(
        ResourceError, match=r"the tiles of kernel raised take \d+ MiB for each program, and \d+ may run at a time"
    ):
        launch(1 << 20)


def test_what_was_mapped_once_is_not_looked_for_again(monkeypatch):
    monkeypatch.setattr(private, "LARGE", 1 << 16)
    launch(1 << 19)
    monkeypatch.setattr(private.mmap, "mmap", refuse)
    launch(1 << 19)


@pytest.mark.slow
@pytest.mark.parametrize("megabytes", [1300, 1700, 2100, 2500])
def test_a_process_with_little_memory_gives_right_numbers_or_says_why(megabytes):
    code = f"""
import resource; resource.setrlimit(resource.RLIMIT_AS, ({megabytes} << 20,) * 2)
from tests.opencl.test_private import ResourceError, launch, np
try:
    launch(1 << 24, np.float64)
except ResourceError:
    pass
"""
    subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[2], check=True, timeout=300)
