"""The register mode: chosen from what lives at once."""

import pytest

import xetile as xt
from xetile.ops.kernels.matmul import matmul


@pytest.mark.parametrize(("element", "acc", "grf"), [("f16", xt.f16, 256), ("bf16", xt.bf16, 256), ("f16", xt.f32, 256)])
def test_slices_keep_the_whole_load_alive(element, acc, grf):
    """Accumulator 4096 or 8192 bytes, A 2048, B twice 2048: the parts of B are used until the end of the step."""
    k = matmul.compile(f"{element}[?,?]", f"{element}[?,?]", f"{acc}[?,?]", target="pvc", num_subgroups=32, ACC=acc)
    assert k.grf == grf


def test_small_tiles_take_the_small_file():
    k = matmul.compile("f16[?,?]", "f16[?,?]", "f32[?,?]", target="pvc", num_subgroups=4, BM=32, BN=32, BK=32)
    assert k.grf == 128
