"""Kernels typed into Python's shell."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TYPED = """import numpy as np, xetile as xt
@xt.jit(out={"Y": lambda X: xt.empty(X.shape, X.dtype)}, grid=1)
def double(X, Y):
    x = xt.load_tile(X[0:8])

    xt.store_tile(x * 2, Y[0:8])

with xt.device("numpy"): print("sum", double(np.arange(8, dtype=np.float32)).sum())

def helper(x): return x + 1

@xt.jit(out={"Y": lambda X: xt.empty(X.shape, X.dtype)}, grid=1)
def double(X, Y):
    xt.store_tile(xt.load_tile(X[0:8]) * 3, Y[0:8])

with xt.device("numpy"): print("sum", double(np.arange(8, dtype=np.float32)).sum())

"""


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal")
@pytest.mark.skipif(sys.version_info >= (3, 13), reason="the shell has an editor of its own")
def test_kernels_typed_into_the_shell_run(tmp_path):
    ours, theirs = os.openpty()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "dumb", "PYTHONSTARTUP": "", "HOME": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-i", "-q"], stdin=theirs, stdout=theirs, stderr=theirs, env=environment, cwd=tmp_path
    )
    os.close(theirs)
    os.write(ours, TYPED.replace("\n\n    xt", "\n    xt").encode() + b"exit()\n")
    shown = b""
    with contextlib.suppress(OSError):  # when the other end is closed
        while part := os.read(ours, 4096):
            shown += part
    assert process.wait(timeout=60) == 0
    os.close(ours)
    assert b"sum 56.0" in shown and b"sum 84.0" in shown, shown.decode()
