"""What a process keeps of kernels that nobody has any more."""

from __future__ import annotations

import gc
import importlib.util
import weakref
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import xetile as xt
from xetile import source_text

TEXT = """
import xetile as xt

@xt.jit(grid=1, num_subgroups=1)
def double(X, Y, BM: xt.constexpr = 16):
    xt.store_tile(xt.load_tile(xt.init_tile(X, (0, 0), (BM, 16))) * 2, xt.init_tile(Y, (0, 0), (BM, 16)))
"""


def imported(folder: Path, name: str) -> ModuleType:
    (folder / f"{name}.py").write_text(TEXT)
    spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.every(3, 1)
@pytest.mark.parametrize("use", ["compile", "numpy", "cpu"])
def test_a_kernel_that_nobody_has_goes_with_all_that_was_made_of_it(tmp_path, use):
    module = imported(tmp_path, "gone")
    x, y = np.ones((16, 16), np.float32), np.zeros((16, 16), np.float32)
    if use == "compile":
        assert module.double.compile("f32[?,?]", "f32[?,?]").spirv
    else:
        with xt.device(use):
            module.double(x, y)
        assert (y == 2).all()
    kernel = weakref.ref(module.double)
    del module
    gc.collect()
    assert kernel() is None


def test_the_kernels_of_a_new_file_are_compared_with_its_text_compiled_once(tmp_path):
    """Anew for each kernel, 500 of them took two minutes to define."""
    path = tmp_path / "many_kernels.py"
    path.write_text(
        "import xetile as xt\n" + "".join(f"\n\n@xt.jit\ndef k{i}(X):\n    xt.store_tile({i}.0, X[0:16])\n" for i in range(20))
    )
    spec = importlib.util.spec_from_file_location("many_kernels", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    before = source_text._codes.cache_info().misses
    spec.loader.exec_module(module)
    assert source_text._codes.cache_info().misses == before + 1
    x = np.zeros(16, np.float32)
    with xt.device("numpy"):
        module.k19[1](x)
    assert (x == 19).all()
