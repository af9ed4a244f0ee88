"""Operands of products through shared local memory, for targets without block messages: right at every level and as code."""

import warnings

import ml_dtypes
import numpy as np
import pytest

import xetile as xt
from tests.kernels.matmul import matmul_by_one, powers
from tests.ops.run import Launch
from tests.parity.run import uncompiled
from xetile.ops.kernels.attention import attention
from xetile.ops.kernels.matmul import matmul, matmul_batched, matmul_bias
from xetile.runtime.specialize import PerformanceWarning

DTYPES = {
    "f16": (np.float16, np.float32),
    "bf16": (ml_dtypes.bfloat16, np.float32),
    "i8": (np.int8, np.int32),
    "u8": (np.uint8, np.int32),
}
# Inside of the arrays, reaching outside of them, with an odd number of steps, with rows that are no whole words, deeper than wide.
SIZES = [(64, 64, 128), (70, 72, 96), (33, 65, 41), (8, 32, 200)]


def launch(dtype: str, size: tuple[int, int, int], *, subgroups: int = 4, b_order: str = "C") -> Launch:
    m, n, k = size
    element, total = DTYPES[dtype]
    rng = np.random.default_rng(k)
    a, b = (rng.integers(-8 if dtype != "u8" else 0, 9, shape).astype(element) for shape in ((m, k), (k, n)))
    exact = (a.astype(np.float64) @ b.astype(np.float64)).astype(total)
    b = np.asarray(b, order=b_order)  # type: ignore[call-overload]
    constants = {"BM": 32, "BN": 32, "BK": 32, "ACC": xt.i32 if total is np.int32 else xt.f32}
    return Launch(matmul, {"A": a, "B": b, "C": np.zeros((m, n), total)}, {"C": exact}, (-(-n // 32), -(-m // 32)), constants,
                  subgroups, targets=("dg2",))  # fmt: skip


CASES = [*(("f16", size) for size in SIZES), ("bf16", SIZES[1]), ("i8", SIZES[1]), ("u8", SIZES[2])]


@pytest.mark.every(4, 3)
@pytest.mark.parametrize("dtype, size", CASES, ids=str)
def test_levels_agree(dtype, size):
    launch(dtype, size).at_levels("dg2")


@pytest.mark.every(8)
@pytest.mark.parametrize("dtype, size", CASES, ids=str)
def test_the_module_of_the_gpu_is_right(dtype, size):
    launch(dtype, size).on_device("cpu", "dg2")


@pytest.mark.every(2)
@pytest.mark.parametrize("dtype", ["f16", "u8"])
def test_the_gpu_compiler_takes_it(dtype):
    launch(dtype, SIZES[0]).as_code("dg2")


@pytest.mark.every(4)
@pytest.mark.parametrize("k", [32, 64, 72, 96])
def test_loops_that_run_again_wait_for_those_who_still_read(k):
    a, b = (np.random.default_rng(k).integers(-8, 9, shape).astype(np.float16) for shape in ((136, k), (k, 64)))
    exact = a.astype(np.float32) @ b.astype(np.float32)
    given = Launch(matmul_by_one, {"A": a, "B": b, "C": np.zeros((136, 64), np.float32)}, {"C": exact}, num_subgroups=4)
    for level in ("subgroup", "lane"):
        assert given.watched(level, "dg2") == 4


def test_what_a_step_stores_the_next_one_loads():
    rng = np.random.default_rng(3)
    a, b = np.zeros((32, 96), np.float16), np.eye(32, dtype=np.float16)[rng.permutation(32)]
    a[:, :32] = rng.integers(-8, 9, (32, 32))
    exact = np.concatenate([a[:, :32], a[:, :32] @ b, a[:, :32] @ b @ b], axis=1)
    given = Launch(powers, {"A": a, "B": b}, {"A": exact}, num_subgroups=2)
    assert "memref.alloca" not in given.compiled("dg2").ir["layout"]
    given.at_levels("dg2")


def test_operands_that_cannot_be_staged_are_read_otherwise():
    launch("f16", (70, 72, 96), b_order="F").at_levels("dg2")


@pytest.mark.slow
def test_the_module_is_right_where_operands_cannot_be_staged():
    launch("f16", (70, 72, 96), b_order="F").on_device("cpu", "dg2")


def test_what_is_staged():
    text = uncompiled(matmul, "f16[?,?]", "f16[?,?]", "f32[?,?]", BM=256, BN=128, num_subgroups=32, target="dg2").ir["layout"]
    assert "memref<512x32xf16, affine_map<" in text and "memref<64x128xf16, affine_map<" in text
    text = uncompiled(matmul, "f16[?,?]", "f16[?,?]", "f32[?,?]", BM=32, BN=32, num_subgroups=1, target="pvc").ir["layout"]
    assert "memref.alloca" not in text


def test_nothing_is_staged_for_a_cpu():
    """A CPU has caches for what shared memory is for; its kernels have no level "layout": there are no subgroups to share with."""
    levels = uncompiled(matmul, "f16[?,?]", "f16[?,?]", "f32[?,?]", BM=256, BN=128, num_subgroups=32, target="cpu").ir
    assert "layout" not in levels and "vectors" in levels
    assert not any(", 3>" in text or "gpu.barrier" in text for text in levels.values())


def test_tiles_beyond_shared_memory_are_staged_in_parts():
    """Two halves of a buffer, each of 128x64 and 64x128."""
    text = uncompiled(matmul, "f16[?,?]", "f16[?,?]", "f32[?,?]", BM=128, BN=128, BK=128, num_subgroups=32, target="dg2").ir[
        "layout"
    ]
    assert "memref<256x64xf16" in text and "memref<128x128xf16" in text


def test_epilogue_and_batches():
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 70, 96)).astype(np.float16), rng.standard_normal((2, 96, 72)).astype(np.float16)
    bias = rng.standard_normal(72).astype(np.float32)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    with xt.device("cpu"):
        c = matmul_batched(a, b, BM=32, BN=32, BK=16, num_subgroups=4, target="dg2")
        d = matmul_bias(a[0], b[0], bias, ACTIVATION="relu", BM=32, BN=32, BK=16, num_subgroups=4, target="dg2")
    np.testing.assert_allclose(c, exact, atol=1e-4)
    np.testing.assert_allclose(d, np.maximum(exact[0] + bias, 0), atol=1e-4)


@pytest.mark.slow
def test_attention():
    rng = np.random.default_rng(1)
    q, k, v = (rng.standard_normal((1, 70, 32)).astype(np.float16) for _ in range(3))
    with xt.device("cpu"):
        out = attention(q, k, v, D=32, BM=32, BN=32, scale=32**-0.5, num_subgroups=4, target="dg2")
    scores = q.astype(np.float64) @ k.astype(np.float64).transpose(0, 2, 1) * 32**-0.5
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    np.testing.assert_allclose(out, weights / weights.sum(-1, keepdims=True) @ v.astype(np.float64), atol=2e-3)


def test_rows_and_arrays_that_start_inside_of_words():
    """41 elements of 16 bits to a row, and an array that starts at an odd element: such loads are no wide ones, and right."""
    rng = np.random.default_rng(2)
    flat = rng.standard_normal(64 * 41 + 1).astype(np.float16)
    b = rng.standard_normal((41, 64)).astype(np.float16)
    for a in (flat[:-1].reshape(64, 41), flat[1:].reshape(64, 41)):
        with xt.device("cpu"), warnings.catch_warnings():
            warnings.simplefilter("ignore", PerformanceWarning)
            c = matmul(a, b, BM=32, BN=32, BK=32, num_subgroups=4, target="dg2")
        np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64), atol=1e-4)
