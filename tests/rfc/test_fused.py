"""Softmax, layer norm and attention: right on all devices, and machine code without scratch at their default tiles."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import xetile as xt
from tests.kernels.attention import attention
from tests.kernels.layer_norm import layer_norm
from tests.kernels.softmax import softmax
from tests.parity.run import assert_levels_agree, request
from tests.tools import isa_counts, ocloc_compile, spirv_val

BF16 = ml_dtypes.bfloat16
pytestmark = pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")


def random(*shape: int, dtype: type = np.float32, seed: int = 0) -> np.ndarray:
    return np.random.default_rng([seed, *shape]).standard_normal(shape).astype(dtype)


def softmax_of(x: np.ndarray) -> np.ndarray:
    weights = np.exp(x - x.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def attention_of(q: np.ndarray, k: np.ndarray, v: np.ndarray, causal: bool) -> np.ndarray:
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    scores = q @ k.swapaxes(-1, -2) * 0.125
    if causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)
    return softmax_of(scores) @ v


@pytest.mark.covering
@pytest.mark.every(40)
@pytest.mark.parametrize("dtype", [np.float32, np.float16, BF16])
@pytest.mark.parametrize("shape", [(40, 300), (3, 64), (32, 1)], ids=str)
def test_softmax(device, dtype, shape):
    x = random(*shape, dtype=dtype)
    with xt.device(device):
        np.testing.assert_allclose(softmax(x), softmax_of(x.astype(np.float64)), rtol=1e-4, atol=1e-6)


@pytest.mark.every(4)
@pytest.mark.covering
@pytest.mark.parametrize("shape", [(40, 300), (5, 256)], ids=str)
def test_layer_norm(device, shape):
    x, weight, bias = random(*shape), random(shape[1], seed=1), random(shape[1], seed=2)
    wide = x.astype(np.float64)
    expected = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5) * weight + bias
    with xt.device(device):
        np.testing.assert_allclose(layer_norm(x, weight, bias), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.every(16)
@pytest.mark.covering
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("n, dtype", [(160, np.float16), (40, BF16)])
def test_attention(device, causal, n, dtype):
    q, k, v = (random(2, n, 64, dtype=dtype, seed=i) for i in range(3))
    with xt.device(device):
        out = attention(q, k, v, causal=causal)
    np.testing.assert_allclose(out, attention_of(q, k, v, causal), rtol=2e-2, atol=2e-2)


def test_levels_of_causal_attention():
    q, k, v = (random(1, 72, 64, dtype=np.float16, seed=i) for i in range(3))
    types = {"Q": "f16[?,?,?]", "K": "f16[?,?,?]", "V": "f16[?,?,?]", "Out": "f32[?,?,?]"}
    what = request(attention, types, num_subgroups=4, causal=True, BM=64)
    values = {"Q": q, "K": k, "V": v, "Out": np.zeros((1, 72, 64), np.float32)}
    out = assert_levels_agree(what, (2, 1, 1), values, "Out", rtol=1e-2, atol=1e-2)
    np.testing.assert_allclose(out, attention_of(q, k, v, True), rtol=2e-2, atol=2e-2)


CASES = [
    pytest.param(softmax, ("f32[?,?]", "f32[?,?]"), {}, id="softmax f32"),
    pytest.param(softmax, ("f16[?,?]", "f32[?,?]"), {}, id="softmax f16"),
    pytest.param(layer_norm, ("f32[?,?]", "f32[?]", "f32[?]", "f32[?,?]"), {}, id="layer norm f32"),
    pytest.param(layer_norm, ("bf16[?,?]", "f32[?]", "f32[?]", "f32[?,?]"), {}, id="layer norm bf16"),
    pytest.param(attention, ("f16[?,?,?]",) * 3 + ("f32[?,?,?]",), {"causal": True}, id="causal attention f16"),
    pytest.param(attention, ("bf16[?,?,?]",) * 3 + ("f32[?,?,?]",), {"causal": True}, id="causal attention bf16"),
]


@pytest.mark.covering
@pytest.mark.every(5, 1)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize("kernel, types, constants", CASES)
def test_no_scratch(kernel, types, constants, target):
    compiled = kernel.compile(*types, target=target, **constants)
    spirv_val(compiled.spirv)
    code = isa_counts(ocloc_compile(compiled.spirv, target, compiled.build_options), target)
    assert code.whole.scratch == 0
    assert code.whole["load_block2d"] > 0
