"""A tile transposed in memory: elements of every width come by transposing messages (words of neighbours where they are narrow)."""

import numpy as np
import pytest

import xetile as xt
from tests.tools import isa_counts, ocloc_compile


@xt.jit(grid=lambda X, BM, BN: (xt.cdiv(X.shape[1], BN), xt.cdiv(X.shape[0], BM)))
def transposed(X, Y, BM: xt.constexpr = 64, BN: xt.constexpr = 64):
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    xt.store_tile(xt.load_tile(xt.init_tile(X, (m, n), (BM, BN))).T, xt.init_tile(Y, (n, m), (BN, BM)))


@pytest.mark.every(2)
@pytest.mark.parametrize(("dtype", "most"), [("f32", 64), ("f16", 109), ("bf16", 109), ("i8", 165)])
def test_instructions(dtype, most):
    compiled = transposed.compile(f"{dtype}[?,?]", f"{dtype}[?,?]", target="pvc")
    found = isa_counts(ocloc_compile(compiled.spirv, "pvc", compiled.build_options), "pvc").whole
    assert (found.loads, found.scratch) == (3, 0)
    assert found.total <= most


@pytest.mark.parametrize("shape", [(64, 64), (70, 96), (33, 51)], ids=str)
@pytest.mark.parametrize("dtype", [np.float16, np.int8], ids=lambda t: t.__name__)
@pytest.mark.simulated
def test_values(dtype, shape):
    X = np.arange(shape[0] * shape[1]).reshape(shape).astype(dtype)
    Y = np.zeros(shape[::-1], dtype)
    with xt.device("sim:pvc"):
        transposed(X, Y)
    np.testing.assert_array_equal(Y, X.T)
