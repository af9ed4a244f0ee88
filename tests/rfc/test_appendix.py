"""The kernels of the RFC's appendices (seed 001) with its maps: right on all devices, at all levels, and as machine code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from tests.kernels.rfc_cooperative import gemm_cooperative
from tests.kernels.rfc_fused import transpose_broadcast_reduce, transpose_in_place
from tests.kernels.rfc_gemm import gemm_prefetch, gemm_two_level_prefetch
from tests.kernels.rfc_transposed import column_major, row_major, transposed_value
from tests.ops.numbers import small
from tests.ops.run import Launch
from tests.tools import isa_counts, ocloc_compile, spirv_val
from xetile.dtypes import bf16, f16

TARGETS = ("pvc", "bmg")
# The RFC's tiles of 2.5 fill the registers with accumulators alone.
pytestmark = pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.SpillWarning")


def product(kernel: Any, m: int, n: int, k: int, tile: tuple[int, int], *, turned: bool = False, dtype: Any = f16) -> Launch:
    """C = A @ B of small whole numbers, whose sums are exact in any order; `turned`: memory holds B transposed."""
    a, b = small(dtype, (m, k), 1, 3), small(dtype, (k, n), 2, 3)
    c = a.astype(np.float32) @ b.astype(np.float32)
    names = ("A", "BT" if turned else "B", "C")
    values = dict(zip(names, (a, np.ascontiguousarray(b.T) if turned else b, np.zeros_like(c))))
    return Launch(kernel, values, {"C": c}, (-(-n // tile[1]), -(-m // tile[0])))


def fused(kernel: Any, m: int, n: int, k: int) -> Launch:
    """result[M] = sums of the rows of A @ BT.T + row."""
    a, bt, row = small(f16, (m, k), 1, 2), small(f16, (n, k), 2, 2), small(f16, (n,), 3).astype(np.float32)
    result = (a.astype(np.float32) @ bt.astype(np.float32).T + row).sum(axis=1)
    return Launch(kernel, {"A": a, "BT": bt, "row": row, "result": np.zeros_like(result)}, {"result": result}, (-(-m // 256),))


@dataclass(frozen=True)
class Appendix:
    """One appendix: its kernel as it is launched, the same where edges end inside of tiles, and what its machine code must hold."""

    name: str
    whole: Any
    edges: Any


APPENDICES = [
    Appendix("1 row-major", lambda: product(row_major, 128, 64, 64, (64, 64)),
             lambda: product(row_major, 72, 100, 40, (64, 64), dtype=bf16)),
    Appendix("1 column-major view", lambda: product(column_major, 128, 64, 64, (64, 64), turned=True),
             lambda: product(column_major, 72, 100, 40, (64, 64), turned=True, dtype=bf16)),
    Appendix("1 transposed value", lambda: product(transposed_value, 128, 64, 64, (64, 64), turned=True),
             lambda: product(transposed_value, 72, 100, 40, (64, 64), turned=True, dtype=bf16)),
    Appendix("2.1", lambda: product(gemm_prefetch, 256, 256, 160, (256, 256)),
             lambda: product(gemm_prefetch, 264, 300, 72, (256, 256), dtype=bf16)),
    Appendix("2.2", lambda: fused(transpose_broadcast_reduce, 256, 256, 64),
             lambda: fused(transpose_broadcast_reduce, 200, 300, 72)),
    Appendix("2.3", lambda: fused(transpose_in_place, 256, 256, 64), lambda: fused(transpose_in_place, 200, 300, 72)),
    Appendix("2.4", lambda: product(gemm_cooperative, 256, 256, 160, (256, 256)),
             lambda: product(gemm_cooperative, 240, 272, 104, (256, 256), dtype=bf16)),
    Appendix("2.5", lambda: product(gemm_two_level_prefetch, 512, 256, 256, (512, 256)),
             lambda: product(gemm_two_level_prefetch, 500, 200, 136, (512, 256), dtype=bf16)),
]  # fmt: skip
EACH = pytest.mark.parametrize("appendix", APPENDICES, ids=lambda a: a.name)


@pytest.mark.covering
@pytest.mark.every(5, 1)
@EACH
@pytest.mark.parametrize("form", ["whole", "edges"])
def test_results(device, appendix, form):
    getattr(appendix, form)().on_device(device)


@pytest.mark.every(5, 2)
@EACH
def test_levels(appendix):
    appendix.edges().at_levels()


@pytest.mark.covering
@pytest.mark.every(5, 3)
@EACH
@pytest.mark.parametrize("target", TARGETS)
def test_machine_code(appendix, target):
    compiled = appendix.whole().compiled(target)
    spirv_val(compiled.spirv)
    counts = isa_counts(ocloc_compile(compiled.spirv, target, compiled.build_options), target)
    assert counts.whole["dpas"] > 0
    assert counts.whole["load_block2d"] > 0


@pytest.mark.parametrize("kernel", [column_major, transposed_value], ids=["view", "value"])
def test_transposes_are_folded_into_loads(kernel):
    """Appendix 2.3: no exchange between subgroups, messages that transpose instead."""
    lane = product(kernel, 64, 64, 64, (64, 64), turned=True).compiled("pvc").ir["lane"]
    assert "transpose = array<i64: 1, 0>" in lane
    assert "memref.alloca" not in lane and "gpu.barrier" not in lane


@pytest.mark.parametrize("kernel", [transpose_broadcast_reduce, transpose_in_place], ids=["2.2", "2.3"])
def test_exchanges_of_the_fused_product(kernel):
    """Its loop exchanges nothing, with either map: the only two barriers are those of the conversion before the reduction."""
    compiled = fused(kernel, 256, 256, 64).compiled("pvc")
    barriers = [line for line in compiled.ir["subgroup"].splitlines() if "gpu.barrier" in line]
    assert len(barriers) == 2
    depth = len(barriers[0]) - len(barriers[0].lstrip())
    inner = [line for line in compiled.ir["subgroup"].splitlines() if "tile_mma" in line]
    assert all(len(line) - len(line.lstrip()) > depth for line in inner)
