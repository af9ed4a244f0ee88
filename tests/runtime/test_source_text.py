"""Kernels are compiled from the text that they were defined by, whatever became of their file since."""

import importlib
import linecache
import os
import sys

import numpy as np
import pytest

import xetile as xt
from xetile.errors import CompileError

pytestmark = pytest.mark.device

MODULE_TEXT = """import xetile as xt
def helper(): return {number}
@xt.jit(out={{"Y": lambda X: xt.empty(X.shape, X.dtype)}}, grid=(1,))
def kernel(X, Y):
    xt.store_tile(xt.load_tile(xt.init_tile(X, (0,), (16,))) * {factor} * helper(), xt.init_tile(Y, (0,), (16,)))
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Write and import a module; called again, overwrite it."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    file = tmp_path / "edited_by_the_user.py"

    def write(text, stamp=None):
        file.write_text(text)
        if stamp is not None:
            os.utime(file, (stamp, stamp))
        return file.stem

    yield write
    sys.modules.pop(file.stem, None)


@pytest.mark.parametrize("stamp", [None, 1e9])  # 1e9: of all versions
def test_a_reloaded_module_has_its_new_text(module, stamp):
    x = np.ones(16, np.float32)
    with xt.device("numpy"):
        loaded = importlib.import_module(module(MODULE_TEXT.format(number=1, factor=2), stamp))
        assert loaded.kernel(x)[0] == 2
        old = loaded.kernel
        module(MODULE_TEXT.format(number=1, factor=3), stamp)
        assert old(np.ones(16, np.float64))[0] == 2  # not yet reloaded: compiled for the first time for f64
        importlib.reload(loaded)
        assert loaded.kernel(x)[0] == 3
        assert old(np.ones(16, np.float16))[0] == 2
        module(MODULE_TEXT.format(number=7, factor=3), stamp)
        importlib.reload(loaded)
        assert loaded.kernel(x)[0] == 21
        first = loaded.kernel.compile("f32[?]", "f32[?]").spirv
        module(MODULE_TEXT.format(number=9, factor=3))
        importlib.reload(loaded)
        assert loaded.kernel.compile("f32[?]", "f32[?]").spirv != first


def test_a_kernel_whose_file_was_edited_before_it_was_decorated_is_refused(module):
    name = module("import xetile as xt\ndef kernel(X):\n    X.shape\n")
    loaded = importlib.import_module(name)
    module("import xetile as xt\ndef kernel(X):\n    X.dtype\n")
    late = xt.jit(loaded.kernel)
    with pytest.raises(CompileError, match="cannot be read"), xt.device("numpy"):
        late[1](np.ones(4, np.float32))


def test_text_of_one_name_made_twice_in_one_process():

    results = []
    for factor in (2, 3):
        text = MODULE_TEXT.format(number=1, factor=factor)
        linecache.cache["<cell>"] = (len(text), None, text.splitlines(keepends=True), "<cell>")
        scope = {"__name__": "cell"}
        exec(compile(text, "<cell>", "exec"), scope)
        with xt.device("numpy"):
            results.append(scope["kernel"](np.ones(16, np.float32))[0])
    assert results == [2, 3]
