"""Products of any size: what DPAS does not take is padded by what changes no sum."""

import numpy as np
import pytest

import xetile as xt

DTYPES = {"f16": (np.float16, xt.f32), "i8": (np.int8, xt.i32)}
CASES = [("f16", (24, 24, 24), 1), ("f16", (1, 1, 1), 1), ("f16", (33, 65, 17), 8), ("f16", (3, 40, 24), 4),
         ("i8", (7, 5, 3), 1), ("i8", (24, 24, 40), 4), ("i8", (16, 100, 8), 8)]  # fmt: skip


@xt.jit(grid=(1,))
def product(A, B, C, M: xt.constexpr, N: xt.constexpr, K: xt.constexpr, dtype: xt.constexpr):
    acc = xt.zeros((M, N), dtype)
    for k in range(0, A.shape[1], K):
        acc += xt.load_tile(xt.init_tile(A, (0, k), (M, K))) @ xt.load_tile(xt.init_tile(B, (k, 0), (K, N)))
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (M, N)))


@pytest.mark.every(16, 4)
@pytest.mark.parametrize("dtype,size,subgroups", CASES, ids=str)
def test_products_of_any_size(dtype, size, subgroups, device):
    m, n, k = size
    element, wide = DTYPES[dtype]
    random = np.random.default_rng(0)
    a, b = (random.integers(-8, 8, shape).astype(element) for shape in ((m + 1, 2 * k + 1), (2 * k + 1, n + 2)))
    c = np.full((m + 2, n + 3), 77, wide.numpy)
    with xt.device(device):
        product(a, b, c[1:-1, 1:-2], m, n, k, wide, num_subgroups=subgroups)
    exact = a.astype(np.float64) @ b
    assert np.array_equal(c[1:-1, 1:-2], exact[:m, :n])
    assert np.all(c[0] == 77) and np.all(c[-1] == 77) and np.all(c[:, 0] == 77) and np.all(c[:, -2:] == 77)


@xt.jit(grid=(1,))
def distances(A, C, N: xt.constexpr, K: xt.constexpr):
    """A product of a tile and its own transpose, with its columns reduced beside it."""
    acc, squares = xt.zeros((N, N)), xt.zeros((N, 1))
    for k in range(0, A.shape[1], K):
        a = xt.load_tile(xt.init_tile(A, (0, k), (N, K)))
        acc += a @ a.T
        squares += xt.sum(a.to(xt.f32) * a.to(xt.f32), 1)
    xt.store_tile(squares + squares.T - 2 * acc, xt.init_tile(C, (0, 0), (N, N)))


@pytest.mark.every(4, 1)
@pytest.mark.parametrize("n,k", [(24, 24), (7, 9)])
def test_a_product_with_its_own_transpose(n, k, device):
    a = np.random.default_rng(1).integers(-4, 5, (n, 3 * k - 2)).astype(np.float16)
    c = np.zeros((n, n), np.float32)
    with xt.device(device):
        distances(a, c, n, k)
    exact = a.astype(np.float64)
    assert np.array_equal(c, ((exact[:, None] - exact[None]) ** 2).sum(-1))
