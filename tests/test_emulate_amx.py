"""Code for AMX runs, on a CPU that has none, by a handler of the traps of its instructions."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from xetile.runtime import cpus

ROOT = Path(__file__).parents[1]
PRODUCTS = """
import ml_dtypes, numpy as np
import xetile as xt
from xetile.ops.kernels.matmul import matmul
from xetile.runtime.devices import find_device

rng = np.random.default_rng(0)
with xt.device("cpu"):
    assert find_device("cpu").target == "amx"
    for dtype, acc in ((ml_dtypes.bfloat16, xt.f32), (np.int8, xt.i32), (np.uint8, xt.i32)):
        a, b = (rng.integers(-3, 4, shape).astype(np.int8).astype(dtype) for shape in ((70, 90), (90, 50)))
        c = np.zeros((70, 50), np.float32 if acc is xt.f32 else np.int32)
        matmul(a, b, C=c, ACC=acc, BM=64, BN=64, BK=64)
        np.testing.assert_array_equal(c, a.astype(np.int64) @ b.astype(np.int64))
    q = (rng.integers(-8, 9, (1, 100, 64)) / 8).astype(ml_dtypes.bfloat16)
    made = xt.ops.scaled_dot_product_attention(q, q, q).astype(np.float64)
    x = q.astype(np.float64)
    weights = np.exp(x @ x.swapaxes(1, 2) / 8)
    np.testing.assert_allclose(made, weights / weights.sum(-1, keepdims=True) @ x, atol=1e-2)
print("right")
"""


@pytest.mark.device
@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
@pytest.mark.skipif(cpus.host_target() != "cpu", reason="the CPU lacks what Sapphire Rapids has besides AMX, or has AMX")
def test_products_by_emulated_tiles(tmp_path):
    script = tmp_path / "products.py"
    script.write_text(PRODUCTS)
    command = [sys.executable, str(ROOT / "tools/emulate_amx.py"), str(script)]
    # Registers of AMX are configured by the driver's own allocation alone.
    environment = {name: value for name, value in os.environ.items() if name != "CL_CONFIG_LLVM_OPTIONS"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment)
    assert done.stdout.split() == ["right"], done.stdout + done.stderr
