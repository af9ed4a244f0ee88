"""Places in matrices by numbers of a launch, and what must be the same for them to be tiles."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.kernels.test_gathered_tiles import F, H, M, N, is_tile, layout_of, numbers
from tests.ops.run import Launch
from tests.passes.parity import traced
from xetile import errors
from xetile.dialects import arith
from xetile.ir.rewriter import Rewriter
from xetile.passes.workgroup.numbers.cast_once import cast_once


@xt.jit
def split(A, B, C, SPLIT: xt.constexpr = 2, BM: xt.constexpr = 32, BN: xt.constexpr = 32, BK: xt.constexpr = 32):
    """C += A @ B, of which each program adds every second step of K; rows and columns that wrap around are not added."""
    m, n = xt.program_id(1) * BM + xt.arange(BM), xt.program_id(0) * BN + xt.arange(BN)
    k = xt.program_id(2) * BK + xt.arange(BK)
    acc = xt.zeros((BM, BN), xt.f32)
    for step in range(xt.cdiv(A.shape[1], BK * SPLIT)):
        left = A.shape[1] - step * BK * SPLIT
        j = k + step * BK * SPLIT
        a = xt.load_gather(xt.init_tile(A, (m % A.shape[0])[:, None] * A.stride(0) + j[None, :]), k[None, :] < left)
        b = xt.load_gather(xt.init_tile(B, j[:, None] * B.stride(0) + (n % B.shape[1])[None, :]), k[:, None] < left)
        acc += a @ b
    mask = (m[:, None] < A.shape[0]) & (n[None, :] < B.shape[1])
    xt.atomic_rmw_tile("add", acc, xt.init_tile(C, m[:, None] * C.stride(0) + n[None, :]), mask)


def test_what_wraps_is_not_added(device):
    a, b = numbers(np.float16, 40, 72), numbers(np.float16, 72, 48, seed=1)
    c = np.zeros((40, 48), np.float32)
    with xt.device(device):
        split[2, 2, 2](a, b, c)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


@pytest.mark.every(2)
@pytest.mark.parametrize("target", ["pvc", "dg2"])
def test_products_that_are_added_are_of_tiles(target):
    text = layout_of(split, H, H, F, target=target)
    assert "gather" not in text and text.count("scatter = true") == text.count("xetile.atomic_rmw_tile") + 1


@xt.jit
def numbered(A, B, C, M, N, K, BM: xt.constexpr = 32, BN: xt.constexpr = 32, BK: xt.constexpr = 32):
    """C = A @ B by places, whose sizes and pitches are numbers that are used in the loop and behind it."""
    m, n = xt.program_id(1) * BM + xt.arange(BM)[:, None], xt.program_id(0) * BN + xt.arange(BN)[None, :]
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(xt.cdiv(K, BK)):
        i, j = k * BK + xt.arange(BK)[:, None], k * BK + xt.arange(BK)[None, :]
        a = xt.load_gather(xt.init_tile(A, m * K + j), (m < M) & (j < K))
        acc += a @ xt.load_gather(xt.init_tile(B, i * N + n), (i < K) & (n < N))
    xt.store_scatter(acc, xt.init_tile(C, m * N + n), (m < M) & (n < N))


@pytest.mark.every(2)
@pytest.mark.parametrize("target", ["pvc", "dg2"])
def test_products_by_numbers_are_of_tiles(target):
    assert is_tile(layout_of(numbered, H, H, F, "i32", "i32", "i32", target=target))


@xt.jit
def stated(X, Y, Z, BM: xt.constexpr = 16, BN: xt.constexpr = 32):
    """Z = X + Y, with one mask for all, whose sizes are the same."""
    assert X.shape == Y.shape
    assert Y.shape[0] == Z.shape[0] and Y.shape[1] == Z.shape[1]
    m, n = xt.program_id(1) * BM + xt.arange(BM)[:, None], xt.program_id(0) * BN + xt.arange(BN)[None, :]
    mask = (m < X.shape[0]) & (n < X.shape[1])
    x = xt.load_gather(xt.init_tile(X, m * X.stride(0) + n), mask)
    y = xt.load_gather(xt.init_tile(Y, m * Y.stride(0) + n), mask)
    xt.store_scatter(x + y, xt.init_tile(Z, m * Z.stride(0) + n), mask)


def test_sizes_that_are_stated_to_be_the_same(device):
    x, y = numbers(np.float32, M, N), numbers(np.float32, M, N, seed=1)
    Launch(stated, {"X": x, "Y": y, "Z": np.zeros_like(x)}, {"Z": x + y}, (3, 3), num_subgroups=4).on_device(device)
    text = layout_of(stated, F, F, F).split("xetile.requires", 1)[1].split("\n", 1)[1]
    assert is_tile(text) and "[%Z_d0, %Z_d1]" in text


def test_sizes_that_are_stated_to_be_others():
    """Nothing but a launch that keeps to it runs."""
    x = numbers(np.float32, M, N)
    with pytest.raises(errors.ArgumentError, match=r"X\.shape == Y\.shape"), xt.device("numpy"):
        stated[3, 3](x, x[:, :64].copy(), np.zeros_like(x))


@xt.jit
def by_numbers(X, Y, am, ak, bm, bk, B: xt.constexpr = 16):
    """Y = X + 1, with strides as numbers."""
    i, j = xt.arange(B)[:, None], xt.arange(B)[None, :]
    x = xt.load_gather(xt.init_tile(X, i * am + j * ak), (i < Y.shape[0]) & (j < Y.shape[1]))
    xt.store_scatter(x + 1, xt.init_tile(Y, i * bm + j * bk), (i < Y.shape[0]) & (j < Y.shape[1]))


@pytest.mark.parametrize(
    ("shape", "strides", "seen"),
    [
        ((12, 20), (20, 1), lambda x: x[:, :16]),
        ((16, 12), (1, 12), lambda x: x.T),  # the numbers of a transpose
        ((12, 40), (40, 2), lambda x: x[:, :32:2]),
        ((12, 48), (24, 1), lambda x: x.reshape(24, 24)[:12, :16]),
    ],
)
def test_strides_as_numbers(device, shape, strides, seen):
    """Kernels are compiled for strides in the order of axes, and are right with others."""
    x = numbers(np.float32, *shape)
    y = np.zeros((12, 16), np.float32)
    with xt.device(device):
        by_numbers[1](x, y, *strides, 16, 1)
    np.testing.assert_array_equal(y, seen(x) + 1)
    assert is_tile(layout_of(by_numbers, F, F, *["index"] * 4))


@xt.jit
def begun(X, Y, n):
    """A number that is a place, and counts."""
    x = xt.load_tile(xt.init_tile(X, (n, n), (8, 16)))
    for i in range(n):
        x += xt.load_tile(xt.init_tile(X, (i, n), (8, 16)))
    xt.store_tile(x, xt.init_tile(Y, (0, 0), (8, 16)))


def test_the_first_op_of_a_kernel_casts_its_number():
    """It stands in front of all else already."""
    module = traced(begun.fn, {"X": np.zeros((16, 32), np.float32), "Y": np.zeros((8, 16), np.float32), "n": np.int32(2)})
    (number,) = (arg for arg, spec in zip(module.kernel.body.args, module.kernel.args) if spec.kind == "scalar")
    casts = [op for op in number.users if isinstance(op, arith.IndexCast)]
    assert len(casts) > 1
    Rewriter().move_before(casts[0], module.kernel.body.ops[0])
    assert cast_once(module)
    assert len([op for op in number.users if isinstance(op, arith.IndexCast)]) == 1
    module.verify()
