"""A whole kernel made with the module writer: valid, emulated on the CPU, compiled by Intel's GPU compiler."""

import numpy as np
import pytest
from xetile.backends.spirv.finished.emulate import emulate
from xetile.backends.spirv.verify.verify import problems

from tests.spirv.gemm import LOCAL_SIZE, TILE, gemm
from tests.tools import isa_counts, ocloc_compile, spirv_val

GUARD = 8


def test_module_passes_both_validators():
    module = gemm()
    assert problems(module) == []
    spirv_val(module)


def test_emulated_module_passes_spirv_val():
    module, source = emulate(gemm())
    assert source.count("XETILE_MMA(xetile_mma_f16_f16_f32_m8_sg16") == 1
    spirv_val(module)


@pytest.fixture(scope="module")
def program(cpu):
    return cpu.build(gemm())


@pytest.mark.every(6, 4)
@pytest.mark.device
@pytest.mark.parametrize(("m", "n", "k"), [(8, 32, 32), (300, 200, 104), (7, 24, 40), (256, 256, 256), (513, 40, 72)])
def test_emulated_gemm_matches_numpy_and_keeps_guards(cpu, program, m, n, k):
    rng = np.random.default_rng(m)
    a, b = rng.standard_normal((m, k)).astype(np.float16), rng.standard_normal((k, n)).astype(np.float16)
    c = np.full((m + GUARD, n), 7, np.float32)
    groups = (-(-n // TILE), -(-m // TILE))
    *_, got = cpu.run(program, "gemm", groups, LOCAL_SIZE[:2], a, b, c, *map(np.int32, (m, n, k)))
    np.testing.assert_allclose(got[:m], a.astype(np.float64) @ b.astype(np.float64), rtol=1e-5, atol=1e-4)
    assert (got[m:] == 7).all()


@pytest.mark.parametrize("device", ["pvc", "bmg"])
def test_gpu_compiler_makes_one_instruction_of_each(device):
    found = isa_counts(ocloc_compile(gemm(), device, "-cl-intel-256-GRF-per-thread"), device)
    hot = found.hot.counts
    assert (hot["dpas"], hot["load_block2d"], hot["prefetch"]) == (32, 3, 1)
    assert (found.whole["store_block2d"], found.whole["scratch_read"], found.whole["scratch_write"]) == (16, 0, 0)
