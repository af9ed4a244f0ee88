"""Expressions that a program has written: as deep as Python's own frames allow, and refused at their line beyond."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import xetile as xt
from xetile.errors import CompileError


def summed(folder: Path, terms: int) -> ModuleType:
    path = folder / f"summed{terms}.py"
    path.write_text(
        "import xetile as xt\n\n"
        "@xt.jit(grid=1)\n"
        "def kernel(X, Y):\n"
        "    x = xt.load_tile(xt.init_tile(X, (0, 0), (8, 16)))\n"
        f"    y = x{' + 1' * terms}\n"
        "    xt.store_tile(y, xt.init_tile(Y, (0, 0), (8, 16)))\n"
    )
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_long_sum_is_computed(tmp_path):
    x, y = np.zeros((8, 16), np.float32), np.empty((8, 16), np.float32)
    with xt.device("numpy"):
        summed(tmp_path, 390).kernel(x, y)
    assert (y == 390).all()


@pytest.mark.parametrize("terms", [450, 900, 2500])
def test_a_longer_one_is_refused_at_its_line(tmp_path, terms):
    with pytest.raises(CompileError, match="more than 400 constructs deep") as caught:
        summed(tmp_path, terms).kernel.compile("f32[?,?]", "f32[?,?]")
    assert caught.value.at is not None and caught.value.at.line == 6
    assert "several statements" in (caught.value.hint or "")
