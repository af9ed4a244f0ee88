"""The kernels whose machine code is counted give right results as the module that a GPU gets, ragged sizes included."""

import numpy as np
import pytest

import xetile as xt
from xetile.ops.kernels.attention import attention


def softmax(scores: np.ndarray) -> np.ndarray:
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


def attention_of(q: np.ndarray, k: np.ndarray, v: np.ndarray, causal: bool) -> np.ndarray:
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    scores = q @ k.transpose(0, 2, 1) * q.shape[2] ** -0.5
    if causal:
        scores = np.where(np.tri(*scores.shape[1:], dtype=bool), scores, -np.inf)
    return softmax(scores) @ v


@pytest.mark.every(2)
@pytest.mark.covering
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("d", [64, 128])
def test_attention(device, d, causal):
    rng = np.random.default_rng(d)
    q, k, v = (rng.standard_normal((2, 150, d)).astype(np.float16) for _ in range(3))
    with xt.device(device):
        out = attention(q, k, v, D=d, causal=causal, scale=d**-0.5)
    np.testing.assert_allclose(out, attention_of(q, k, v, causal), atol=1e-3)


@pytest.mark.every(2)
@pytest.mark.covering
@pytest.mark.parametrize("dtype", ["f16", "bf16"])
@pytest.mark.parametrize("causal", [False, True])
def test_attention_whose_largest_scores_the_sample_misses(device, causal, dtype):
    """One key among 300, not of the sample, outweighs all others for some queries of one workgroup: by more than f16 holds."""
    rng = np.random.default_rng(3)
    q, k, v = (rng.standard_normal((2, 300, 64)).astype(xt.dtypes.dtype(dtype).numpy) for _ in range(3))
    k[0, 100] = (6 * q[0, 140].astype(np.float32)).astype(k.dtype)
    exact = attention_of(q, k, v, causal)
    scores = q[0, 140].astype(np.float64) @ k[0].astype(np.float64).T / 8 * np.log2(np.e)
    assert scores[100] - scores[[*range(16), *range(256, 272)]].max() > 16  # infinite as a weight in f16
    with xt.device(device):
        out = attention(q, k, v, causal=causal)
    np.testing.assert_allclose(out, exact, atol=0.01 if dtype == "f16" else 0.06)


def test_attention_with_what_is_no_number(device):
    """Where a score is no number, or infinite, the row is none; other rows are as they were. (And it ends.)"""
    rng = np.random.default_rng(4)
    q, k, v = (rng.standard_normal((1, 40, 64)).astype(np.float16) for _ in range(3))
    q[0, 3], q[0, 5] = np.nan, np.inf
    with xt.device(device):
        out = attention(q, k, v)
    others = [i for i in range(40) if i not in (3, 5)]
    assert np.isnan(out[0, [3, 5]]).all()
    np.testing.assert_allclose(out[:, others], attention_of(q[:, others], k, v, False), atol=1e-3)


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
