"""What a process loads is what its kernels need."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
from xetile.ops.kernels.matmul import matmul
matmul.compile("f16[?,?]", "f16[?,?]", "f32[?,?]", BM=64, BN=64, BK=32, num_subgroups=4, target="pvc").spirv
print(*sys.modules)
"""
OTHERS = {
    "xetile.passes.vectors.lower": "CPUs",
    "xetile.passes.xegpu_order": "XeGPU modules",
    "xetile.passes.xegpu.raise_xegpu": "XeGPU modules",
    "xetile.backends.spirv.emit.packed": "narrow operands",
    "xetile.backends.spirv.emit.math": "exponentials and the like",
    "xetile.backends.spirv.emit.reduce": "sums over lanes",
    "xetile.backends.spirv.module.binary": "modules that are read",
    "xetile.ops.kernels.attention": "attention",
    "xetile.mlir": "text that is read",
    "difflib": "mistakes",
}


def test_a_product_on_a_gpu_loads_nothing_of_other_kernels(monkeypatch):
    monkeypatch.setenv("XETILE_CACHE", "0")
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "xetile.backends.spirv.emit.dpas" in loaded
    assert {name: what for name, what in OTHERS.items() if name in loaded} == {}
