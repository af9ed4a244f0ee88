"""The kernels whose machine code is counted give right results as the module that a GPU gets, ragged sizes included."""

import numpy as np
import pytest

import xetile as xt
from benchmarks.kernels.attention import attention


def softmax(scores: np.ndarray) -> np.ndarray:
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


@pytest.mark.parametrize(("d", "subgroups", "causal"), [(64, 8, False), (64, 8, True), (128, 16, True)])
def test_attention(device, d, subgroups, causal):
    rng = np.random.default_rng(d)
    q, k, v = (rng.standard_normal((2, 150, d)).astype(np.float16) for _ in range(3))
    with xt.device(device):
        out = attention(q, k, v, D=d, causal=causal, scale=d**-0.5, num_subgroups=subgroups)
    scores = q.astype(np.float64) @ k.astype(np.float64).transpose(0, 2, 1) * d**-0.5
    if causal:
        scores = np.where(np.tri(150, dtype=bool), scores, -np.inf)
    np.testing.assert_allclose(out, softmax(scores) @ v.astype(np.float64), atol=1e-3)


@xt.jit(out={"C": lambda A: xt.empty((A.shape[0], 16), xt.f32)}, grid=lambda A: (xt.cdiv(A.shape[0], 32),))
def sums_by_product(A, C):
    """Each row's sum, 16 times: a product whose second operand is a constant."""
    m = xt.program_id(0) * 32
    acc = xt.zeros((32, 16), xt.f32)
    for k in range(0, A.shape[1], 32):
        acc = xt.tile_mma(xt.load_tile(xt.init_tile(A, (m, k), (32, 32))), xt.full((32, 16), 1.5, A.dtype), acc)
    xt.store_tile(acc, xt.init_tile(C, (m, 0), (32, 16)))


def test_constant_operand(device):
    a = np.arange(40 * 64).reshape(40, 64).astype(np.float16) % 7
    with xt.device(device):
        c = sums_by_product(a)
    np.testing.assert_array_equal(c, np.repeat(1.5 * a.astype(np.float32).sum(1, keepdims=True), 16, 1))
