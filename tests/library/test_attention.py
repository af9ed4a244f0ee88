"""Attention of the library against double precision: forward, backward, of sequences of several lengths, and paged."""

import numpy as np
import pytest

import xetile as xt
from tests.library.numbers import assert_near, normal, wide
from xetile.errors import ArgumentError, DtypeError
from xetile.ops.kernels import masked_attention

ops = xt.ops
# B, H, G, N, M, D
SHAPES = [(2, 4, 2, 37, 53, 40), (1, 1, 1, 1, 1, 8), (1, 3, 1, 130, 7, 64), (1, 2, 2, 20, 300, 128), (1, 1, 1, 530, 20, 16)]


def weights(q, k, causal, scale):
    scores = q @ k.swapaxes(-1, -2) * scale
    if causal:
        scores = np.where(np.arange(k.shape[-2]) <= np.arange(q.shape[-2])[:, None], scores, -np.inf)
    found = np.exp(scores - scores.max(-1, keepdims=True))
    return found / found.sum(-1, keepdims=True)


def exact(q, k, v, causal=False, scale=None):
    group = q.shape[-3] // k.shape[-3]
    k, v = (np.repeat(wide(x), group, -3) for x in (k, v))
    return weights(wide(q), k, causal, scale or q.shape[-1] ** -0.5) @ v


def arrays(b, h, g, n, m, d, dtype="f32"):
    return normal(0, (b, h, n, d), dtype), normal(1, (b, g, m, d), dtype), normal(2, (b, g, m, d), dtype)


@pytest.mark.every(36, 9)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_attention_of_each_shape(device, shape, causal):
    q, k, v = arrays(*shape)
    with xt.device(device):
        assert_near(ops.scaled_dot_product_attention(q, k, v, is_causal=causal), exact(q, k, v, causal), factor=4)
        assert ops.scaled_dot_product_attention(q[:, :, :0], k, v).shape == q[:, :, :0].shape


@pytest.mark.every(2)
@pytest.mark.parametrize("dtype", ["f16", "bf16"])
def test_attention_of_each_dtype(device, dtype):
    q, k, v = arrays(*SHAPES[0], dtype)
    with xt.device(device):
        result = ops.scaled_dot_product_attention(q[0], k[0], v[0], scale=0.3)
    assert result.dtype == q.dtype
    assert_near(result, exact(q[0], k[0], v[0], scale=0.3), dtype, 2)


def masked(q, k, v, mask, causal=False):
    """Queries that see no key give 0."""
    group = q.shape[1] // k.shape[1]
    k, v = (np.repeat(wide(x), group, 1) for x in (k, v))
    scores = wide(q) @ k.swapaxes(-1, -2) * q.shape[-1] ** -0.5
    scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + wide(mask)
    if causal:
        scores = np.where(np.arange(k.shape[-2]) <= np.arange(q.shape[-2])[:, None], scores, -np.inf)
    found = np.exp(scores - np.maximum(scores.max(-1, keepdims=True), -1e30))
    return found / np.maximum(found.sum(-1, keepdims=True), 1e-30) @ v


def hidden(shape, share=0.5):
    return np.random.default_rng(3).random(shape) > share


MASKS = {
    "of each pair": lambda b, h, n, m, dtype: hidden((b, h, n, m)),
    "most hidden": lambda b, h, n, m, dtype: hidden((n, m), 0.97),
    "of keys": lambda b, h, n, m, dtype: hidden((b, 1, 1, m)),
    "of queries": lambda b, h, n, m, dtype: hidden((n, 1)),
    "added": lambda b, h, n, m, dtype: normal(5, (b, 1, n, m), dtype) * 4,
    "added in f32": lambda b, h, n, m, dtype: normal(5, (h, 1, m), "f32") * 4,
}


@pytest.mark.every(36, 9)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("kind", MASKS)
@pytest.mark.parametrize("dtype,causal", [("f32", False), ("f16", True)])
def test_attention_with_a_mask(device, kind, shape, dtype, causal):
    b, h, _, n, m, _ = shape
    q, k, v = arrays(*shape, dtype)
    mask = MASKS[kind](b, h, n, m, dtype)
    with xt.device(device):
        found = ops.scaled_dot_product_attention(q, k, v, mask, is_causal=causal)
    assert_near(found, masked(q, k, v, mask, causal), dtype, 4)


def test_masks_of_wide_heads_and_of_calls_alike(device):
    """Calls that are launched again see the mask of their own."""
    q, k, v = arrays(1, 2, 1, 9, 40, 200)
    with xt.device(device):
        for number in range(6):
            mask = np.roll(hidden((9, 40)), number, 1)
            assert_near(ops.scaled_dot_product_attention(q, k, v, mask), masked(q, k, v, mask), factor=4)
            column = np.roll(hidden((9, 1)), number, 0)
            assert_near(ops.scaled_dot_product_attention(q, k, v, column), masked(q, k, v, column), factor=4)


def test_arguments_come_in_the_order_of_pytorch():
    """(query, key, value, attn_mask, dropout_p, is_causal, *, scale, enable_gqa)"""
    by_name = ops.scaled_dot_product_attention(
        Q, K, K, attn_mask=None, dropout_p=0.0, is_causal=True, scale=0.5, enable_gqa=False
    )
    assert np.array_equal(ops.scaled_dot_product_attention(Q, K, K, None, 0.0, True, scale=0.5), by_name)


@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize("dtype,width", [("f16", 64), ("f16", 128), ("bf16", 256), ("f32", 64), ("f32", 256)])
def test_attention_with_a_mask_keeps_its_registers(target, dtype, width):
    kernel, each = masked_attention.attention_masked, f"{dtype}[?,?,?,?]"
    tiles = {"BM": 32} if dtype == "f32" or width > 128 else {}
    for mask in ("bool[?,?,?,?]", each):
        assert not kernel.compile(each, each, each, mask, each, D=width, target=target, **tiles).binary.spill_bytes


def test_heads_that_lie_side_by_side(device):
    """[B, N, H, D] in memory, as projections give them: no copy is asked for."""
    q, k, v = (normal(i, (2, 20, 2, 32)).swapaxes(1, 2) for i in range(3))
    with xt.device(device):
        assert_near(ops.scaled_dot_product_attention(q, k, v), exact(q, k, v), factor=4)


@pytest.mark.every(16)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("shape", SHAPES[:2], ids=str)
def test_gradients_of_attention(device, shape, causal):
    check_gradients(device, "f32", shape, causal)


@pytest.mark.every(24)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("shape", [(1, 2, 1, 70, 85, 64), (1, 1, 1, 33, 40, 128)], ids=str)
def test_gradients_by_matrix_instructions(device, shape, causal):
    """Queries and keys that end inside of blocks, and blocks that the diagonal leaves without masks."""
    check_gradients(device, "f16", shape, causal)


def check_gradients(device, dtype, shape, causal):
    """Against numpy in f64."""
    q, k, v = arrays(*shape, dtype)
    b, h, g, _, m, d = shape
    grad, scale = normal(3, q.shape, dtype), d**-0.5
    with xt.device(device):
        out, lse = ops.scaled_dot_product_attention(q, k, v, is_causal=causal, return_lse=True)
        found = ops.scaled_dot_product_attention_backward(grad, q, k, v, out, lse, is_causal=causal)
    keys, values = (np.repeat(wide(x), h // g, 1) for x in (k, v))
    p, slope = weights(wide(q), keys, causal, scale), wide(grad)
    ds = p * (slope @ values.swapaxes(-1, -2) - (slope * (p @ values)).sum(-1, keepdims=True)) * scale
    shared = (x.reshape(b, g, h // g, m, d).sum(2) for x in (ds.swapaxes(-1, -2) @ wide(q), p.swapaxes(-1, -2) @ slope))
    for ours, true in zip(found, (ds @ keys, *shared), strict=True):
        assert_near(ours, true, dtype, factor=10 if dtype == "f32" else 4)


@pytest.mark.every(2)
@pytest.mark.parametrize("causal", [False, True])
def test_sequences_of_several_lengths(device, causal):
    ends, others = np.int32([0, 5, 30, 30, 37]), np.int32([0, 9, 10, 10, 53])
    q, k, v = normal(0, (37, 4, 40)), normal(1, (53, 2, 40)), normal(2, (53, 2, 40))
    with xt.device(device):
        result = ops.varlen_attention(q, k, v, ends, others, 25, is_causal=causal)
    for a, b, c, d in zip(ends, ends[1:], others, others[1:], strict=False):
        if b > a:
            parts = (x.swapaxes(0, 1) for x in (q[a:b], k[c:d], v[c:d]))
            assert_near(result[a:b].swapaxes(0, 1), exact(*parts, causal), factor=4)


@pytest.mark.every(3)
@pytest.mark.parametrize("heads", [2, 6, 32])
def test_decoding_from_pages(device, heads):
    lengths = np.int32([0, 5, 16, 40])
    pages = np.random.default_rng(0).permutation(16).reshape(4, 4).astype(np.int32)
    keys, values, q = normal(1, (16, 16, 2, 24)), normal(2, (16, 16, 2, 24)), normal(0, (4, heads, 24))
    values[pages[1, 0], 5:] = np.nan  # behind the last key lies what nobody wrote
    with xt.device(device):
        result = ops.paged_attention(q, keys, values, pages, lengths)
    assert not result[0].any()
    for i in range(1, 4):
        k, v = (x[pages[i]].reshape(64, 2, 24)[: lengths[i]].swapaxes(0, 1) for x in (keys, values))
        assert_near(result[i], exact(q[i][:, None], k, v)[:, 0], factor=4)


Q, K = np.ones((2, 4, 8), np.float32), np.ones((2, 6, 8), np.float32)
T, E = np.ones((4, 2, 8), np.float32), np.int32([0, 1, 4])
CACHE = np.ones((3, 8, 1, 8), np.float32)
WRONG = {
    "heads": (lambda: ops.scaled_dot_product_attention(Q, K[[0, 0, 0]], K[[0, 0, 0]]), ArgumentError, "2 heads of queries and 3 of keys"),
    "widths": (lambda: ops.scaled_dot_product_attention(Q, K[..., :4], K), ArgumentError,
               "key has shape (2, 6, 4), and must have (any, any, 8)"),
    "dtypes": (lambda: ops.scaled_dot_product_attention(Q, K.astype("f2"), K), DtypeError, "key is float16, and must be float32"),
    "no keys": (lambda: ops.scaled_dot_product_attention(Q, K[:, :0], K[:, :0]), ArgumentError, "there are no keys: (2, 0, 8)"),
    "wide heads": (lambda: ops.scaled_dot_product_attention(*(np.ones((1, 2, 300), "f4"),) * 3), ArgumentError, "heads of 300 elements"),
    "a mask of other keys": (lambda: ops.scaled_dot_product_attention(Q, K, K, np.ones((4, 5), bool)), ArgumentError,
                             "attn_mask has shape (4, 5), and does not broadcast to (1, 2, 4, 6)"),
    "a mask of integers": (lambda: ops.scaled_dot_product_attention(Q, K, K, np.ones((4, 6), int)), DtypeError,
                           "attn_mask is int64; it takes bool, f32"),
    "a mask, and sums for a gradient": (lambda: ops.scaled_dot_product_attention(Q, K, K, np.ones((4, 6), bool), return_lse=True),
                                        ArgumentError, "return_lse with attn_mask"),
    "dropout": (lambda: ops.scaled_dot_product_attention(Q, K, K, dropout_p=0.1), ArgumentError, "dropout_p is 0.1, and nothing is dropped"),
    "a causal mask in the place of the dropout": (lambda: ops.scaled_dot_product_attention(Q, K, K, None, True), ArgumentError,
                                                  "dropout_p is True"),
    "heads that may not share": (lambda: ops.scaled_dot_product_attention(Q, K[:1], K[:1], enable_gqa=False), ArgumentError,
                                 "2 heads of queries and 1 of keys, with enable_gqa=False"),
    "sequences": (lambda: ops.varlen_attention(T, T, T, E, E[:2], 3), ArgumentError, "cu_seqlens_k has shape (2,), and must have (3,)"),
    "falling ends": (lambda: ops.varlen_attention(T, T, T, np.int32([0, 5, 4]), E, 3), ArgumentError, "never falls; it is [0 5 4]"),
    "longer than the longest": (lambda: ops.varlen_attention(T, T, T, E, E, 2), ArgumentError,
                                "a sequence has 3 queries, more than max_seqlen_q 2"),
    "queries alone": (lambda: ops.varlen_attention(T, T, T, E, np.int32([0, 0, 4]), 3), ArgumentError, "a sequence has queries and no keys"),
    "a page that is not there": (lambda: ops.paged_attention(T[:1], CACHE, CACHE, np.int32([[3]]), np.int32([2])), ArgumentError,
                                 "block_table names pages from 3 to 3; there are 3"),
    "more keys than pages": (lambda: ops.paged_attention(T[:1], CACHE, CACHE, np.int32([[1]]), np.int32([9])), ArgumentError,
                             "lengths [9] in 1 pages of 8"),
}  # fmt: skip


@pytest.mark.parametrize("call,kind,message", WRONG.values(), ids=WRONG)
def test_what_does_not_fit_is_refused(call, kind, message):
    with pytest.raises(kind) as error, xt.device("numpy"):
        call()
    assert message in error.value.message
