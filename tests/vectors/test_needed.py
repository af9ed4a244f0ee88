"""Products at the edges of what they are stored to: nobody sees the rest of a tile, which is not computed; of others all is."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from xetile.backends.reference.interpret import interpret

import xetile as xt
from tests.parity.run import arguments, uncompiled
from tests.vectors.kernels import product
from xetile.ir.core import Value
from xetile.passes import pipeline
from xetile.passes.vectors import products
from xetile.passes.vectors.needed import needed
from xetile.runtime.compiler import trace
from xetile.runtime.settings import override
from xetile.target import get_target

M, N, K = 32, 96, 16


@xt.jit
def summed(A, B, m, n):
    acc = xt.zeros((M, N), xt.f32)
    for k in range(0, A.shape[1], K):
        acc = xt.tile_mma(xt.load_tile(xt.init_tile(A, (m, k), (M, K))), xt.load_tile(xt.init_tile(B, (k, n), (K, N))), acc)
    return acc


@xt.jit
def stored(A, B, C, D):
    m, n = xt.program_id(1) * M, xt.program_id(0) * N
    xt.store_tile(summed(A, B, m, n) * 2.0 + 1.0, xt.init_tile(C, (m, n), (M, N)))


@xt.jit
def stored_twice(A, B, C, D):
    m, n = xt.program_id(1) * M, xt.program_id(0) * N
    acc = summed(A, B, m, n)
    xt.store_tile(acc, xt.init_tile(D, (m, n), (M, N)))
    xt.store_tile(acc * 2.0 + 1.0, xt.init_tile(C, (m, n), (M, N)))


@xt.jit
def reduced(A, B, C, D):
    m, n = xt.program_id(1) * M, xt.program_id(0) * N
    acc = summed(A, B, m, n)
    xt.store_tile(xt.sum(acc, axis=0), xt.init_tile(D, (0, n), (1, N)))
    xt.store_tile(acc * 2.0 + 1.0, xt.init_tile(C, (m, n), (M, N)))


@xt.jit
def stored_in_turns(A, B, C, D):
    """Each tile stored while the next one is not begun: what is needed changes from one to the next."""
    n = xt.program_id(0) * N
    for m in range(0, C.shape[0], M):
        xt.store_tile(summed(A, B, m, n) * 2.0 + 1.0, xt.init_tile(C, (m, n), (M, N)))


@xt.jit
def stored_as_it_grows(A, B, C, first, step):
    """What an iteration adds to is stored by the next one, to a place of its own."""
    acc = xt.zeros((M, N), xt.f32)
    for i in range(4):
        xt.store_tile(acc, xt.init_tile(C, (first + step * i, 0), (M, N)))
        acc = xt.tile_mma(
            xt.load_tile(xt.init_tile(A, (0, i * K), (M, K))), xt.load_tile(xt.init_tile(B, (i * K, 0), (K, N))), acc
        )


@xt.jit
def multiplied_again(A, B, C, D):
    """The first product is an operand: its columns are summed over, and what is outside of A or B is 0 there."""
    m, n = xt.program_id(1) * M, xt.program_id(0) * N
    again = xt.load_tile(xt.init_tile(D, (0, 0), (N, N)))
    xt.store_tile(xt.tile_mma(summed(A, B, m, n), again, xt.zeros((M, N), xt.f32)), xt.init_tile(C, (m, n), (M, N)))


def arrays(rows, columns, more=0):
    rng = np.random.default_rng(rows)
    a, b = (rng.integers(-8, 8, shape).astype(np.float32) for shape in ((rows, 21), (21, columns)))
    return a, b, np.full((rows + more, columns), 7, np.float32)


def grid(c):
    return -(-c.shape[1] // N), -(-c.shape[0] // M)


@pytest.mark.device
@pytest.mark.parametrize("way", ["vector", "avx2"])
@pytest.mark.parametrize("rows, columns", [(1, 1), (5, 40), (12, 32), (31, 95), (32, 96), (33, 97), (45, 200)])
@pytest.mark.parametrize("kernel", [stored, stored_in_turns])
def test_edges(kernel, rows, columns, way):
    a, b, c = arrays(rows, columns)
    with override(cpu=way), xt.device("cpu"):
        kernel[grid(c) if kernel is stored else grid(c)[:1]](a, b, c, c.copy())
    np.testing.assert_array_equal(c, 2 * (a @ b) + 1)


@pytest.mark.device
@pytest.mark.parametrize("rows", [5, 32, 40])
def test_rows_beyond_the_operands_are_stored_where_the_result_has_them(rows):
    a, b, c = arrays(rows, 50, more=30)
    with override(cpu="vector"), xt.device("cpu"):
        stored[grid(c)](a, b, c, c.copy())
    np.testing.assert_array_equal(c, np.concatenate([2 * (a @ b) + 1, np.ones((30, 50))]))


@pytest.mark.device
@pytest.mark.parametrize("more", [(0, 0), (20, 0), (0, 60)])
def test_the_larger_of_two_results_counts(more):
    a, b, c = arrays(10, 30)
    d = np.zeros((10 + more[0], 30 + more[1]), np.float32)
    with override(cpu="vector"), xt.device("cpu"):
        stored_twice[(1, 1)](a, b, c, d)
    np.testing.assert_array_equal(c, 2 * (a @ b) + 1)
    np.testing.assert_array_equal(d[:10, :30], a @ b)
    assert not d[10:].any() and not d[:, 30:].any()


@pytest.mark.device
def test_what_is_summed_or_multiplied_on_is_computed_whole():
    a, b, c = arrays(10, 30)
    d = np.zeros((1, 30), np.float32)
    with override(cpu="vector"), xt.device("cpu"):
        reduced[(1, 1)](a, b, c, d)
        np.testing.assert_array_equal(d[0], (a @ b).sum(0))
        square = np.random.default_rng(0).integers(-4, 4, (30, 30)).astype(np.float32)
        multiplied_again[(1, 1)](a, b, c, square)
    np.testing.assert_array_equal(c, a @ b @ square)


@pytest.mark.device
@pytest.mark.parametrize("first, step", [(120, -40), (0, 40), (3 * M, -M)])
def test_what_the_next_iteration_stores_is_needed_where_that_puts_it(first, step):
    rng = np.random.default_rng(5)
    a, b = (rng.integers(-8, 8, shape).astype(np.float32) for shape in ((M, 4 * K), (4 * K, N)))
    c, wanted = np.full((130, N), 7, np.float32), np.full((130, N), 7, np.float32)
    for i in range(4):
        rows = slice(first + step * i, min(first + step * i + M, 130))
        wanted[rows] = (a[:, : i * K] @ b[: i * K])[: rows.stop - rows.start]
    with override(cpu="vector"), xt.device("cpu"):
        stored_as_it_grows[(1,)](a, b, c, first, step)
    np.testing.assert_array_equal(c, wanted)


@pytest.mark.parametrize("kernel, limits", [(stored, {2}), (stored_twice, {2}), (reduced, {1}), (multiplied_again, {0, 2})])
def test_which_products_have_limits(kernel, limits, monkeypatch):
    found = []

    def noted(op, lower):
        found.append(needed(op, lower))
        return found[-1]

    monkeypatch.setattr(products, "needed", noted)
    assert uncompiled(kernel, *["f32[?,?]"] * 4, target="cpu").ir["vectors"]
    assert {sum(isinstance(size, Value) for size in sizes) for sizes in found} == limits


@pytest.mark.every(8)
@pytest.mark.parametrize("target", ["amx", "cpu", "avx2"])
@pytest.mark.parametrize("columns", [64, 128])
@pytest.mark.parametrize("m, k, n", [(33, 1, 60), (17, 16, 65), (40, 31, 200), (30, 33, 128), (32, 70, 130)])
@pytest.mark.parametrize("dtype", [np.int8, ml_dtypes.bfloat16])
def test_operands_that_are_packed_have_all_their_rows(dtype, m, k, n, columns, target):
    """Left operands, too, lie in panels where a matrix unit reads them: what the depth leaves out of a right one are rows there."""
    rng = np.random.default_rng(m)
    a, b = (rng.integers(-4, 5, shape).astype(dtype) for shape in ((m, k), (k, n)))
    c = np.full((m, n), 7, np.int32 if dtype is np.int8 else np.float32)
    request = uncompiled(product, a, b, c, target=target, BM=32, BN=columns, BK=64).request
    *_, (_, module) = pipeline.lower(trace(request), get_target(target))
    interpret(module, (-(-n // columns), -(-m // 32), 1), arguments(module.kernel, {"A": a, "B": b, "C": c}))
    np.testing.assert_array_equal(c, a.astype(np.int64) @ b.astype(np.int64))
