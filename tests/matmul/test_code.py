"""What the main job compiles to: the instructions of the two extensions, and Intel's own compiler's machine code."""

from __future__ import annotations

import pytest
from xetile.backends.spirv.module.disassemble import disassemble
from xetile.backends.spirv.verify.verify import verify

from tests.kernels.matmul import matmul, matmul_prefetch
from tests.tools import isa_counts, mlir_opt, ocloc_compile, spirv_val

TYPES = ("{0}[?,?]", "{0}[?,?]", "f32[?,?]")
TARGETS = ("pvc", "bmg")
STEP = 32  # dpas of one K step: 32x64 by K 32 in products of 8x16x16


def compiled(kernel=matmul, dtype="f16", target="pvc", **constants):
    return kernel.compile(*(t.format(dtype) for t in TYPES), target=target, **constants)


@pytest.mark.covering
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", ["f16", "bf16"])
def test_spirv_is_valid_and_holds_the_extensions_instructions(target, dtype):
    for kernel in (matmul, matmul_prefetch):
        module = compiled(kernel, dtype, target).spirv
        spirv_val(module)
        verify(module)
        text = disassemble(module)
        for kind in ("Load", "LoadTransform", "Prefetch", "Store"):
            assert f"OpSubgroup2DBlock{kind}INTEL" in text
        assert "OpSubgroupMatrixMultiplyAccumulateINTEL" in text


@pytest.mark.every(2)
@pytest.mark.parametrize("kernel", [matmul, matmul_prefetch], ids=["matmul", "matmul_prefetch"])
def test_xegpu_text_is_accepted_by_upstream(kernel):
    for level in ("xegpu", "lane"):
        mlir_opt(compiled(kernel).ir[level])


def test_launch_facts():
    kernel = compiled()
    assert kernel.local_size == (512, 1, 1)
    assert kernel.grf == 256 and "256-GRF" in kernel.build_options
    small = compiled(BM=16, BN=16, BK=16)
    assert small.local_size == (16, 1, 1) and small.grf == 128 and small.build_options == ""


@pytest.mark.covering
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", ["f16", "bf16"])
def test_machine_code_of_the_hot_loop(target, dtype):
    kernel = compiled(dtype=dtype, target=target)
    code = isa_counts(ocloc_compile(kernel.spirv, target, kernel.build_options), target)
    assert code.hot is not None and code.hot.counts["dpas"] % STEP == 0
    step = code.per_kstep(STEP)
    assert step["load_block2d"] <= 16 and step.loads == step["load_block2d"]
    assert code.whole.scratch == 0
    assert code.whole["store_block2d"] == 16 and code.hot.counts["store_block2d"] == 0
    assert code.kernel.grf_count == 256
