"""Kernels of equal text in two files are two: each error names its own."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from xetile.errors import DtypeError

KERNEL = """
import xetile as xt


@xt.jit(grid=(1,))
def wrong(X):
    x = xt.init_tile(X, 0, (16,))
    xt.store_tile(xt.load_tile(x).to(xt.f16), x)
"""


def test_errors_name_the_file_of_the_kernel_that_was_compiled(tmp_path: Path) -> None:
    for name in ("first", "second"):
        file = tmp_path / f"{name}.py"
        file.write_text(KERNEL)
        spec = importlib.util.spec_from_file_location(name, file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        with pytest.raises(DtypeError) as raised:
            module.wrong.compile("f32[?]").spirv
        assert raised.value.at.file == str(file)
