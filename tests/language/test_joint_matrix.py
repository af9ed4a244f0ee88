"""Joint matrices in kernels, as in SYCL: the seed's example, and a product with what follows it."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import xetile as xt
from xetile.errors import CompileError, DtypeError, TileShapeError, UncoveredError
from xetile.runtime.cpus import host_target
from xetile.runtime.settings import override


@xt.jit(grid=(1,), num_subgroups=1)
def scale(C, alpha, R: xt.constexpr, N: xt.constexpr):
    """C *= alpha (seed 004, get_wi_data)."""
    c = xt.joint_matrix.load(C, (0, 0), (R, N))
    for i in range(c.wi_data.length):
        c.wi_data[i] *= alpha
    xt.joint_matrix.store(c, C, (0, 0))


@xt.jit(grid=lambda C, M, N: (C.shape[1] // N, C.shape[0] // M), num_subgroups=1)
def product(A, B, C, bias, M: xt.constexpr, N: xt.constexpr, K: xt.constexpr, ACC: xt.constexpr):
    """C = max(A @ B + bias, 0)."""
    m, n = xt.program_id(1) * M, xt.program_id(0) * N
    c = xt.joint_matrix.fill((M, N), 0, ACC)
    for k in range(0, A.shape[1], K):
        a = xt.joint_matrix.load(A, (m, k), (M, K), use="a")
        b = xt.joint_matrix.load(B, (k, n), (K, N), use="b")
        c = xt.joint_matrix.mad(a, b, c)
    for i in range(c.wi_data.length):
        x = c.wi_data[i] + bias
        c.wi_data[i] = xt.where(x > 0, x, 0)
    xt.joint_matrix.store(c, C, (m, n))


HAS_AMX = pytest.mark.skipif(host_target() != "amx", reason="the CPU has no AMX")
ON_CPUS = [pytest.param("cpu", way, marks=pytest.mark.device) for way in ("vector", "avx2")]
WAYS = [("numpy", ""), *ON_CPUS, pytest.param("cpu", "amx", marks=[pytest.mark.device, HAS_AMX])]


@pytest.mark.parametrize("device, way", WAYS)
@pytest.mark.parametrize("rows, columns", [(4, 4), (16, 16), (12, 20)])
def test_every_element_is_scaled(device, way, rows, columns):
    c = np.arange(24 * 24, dtype=np.float32).reshape(24, 24)
    expected = c.copy()
    expected[:rows, :columns] *= 2.5
    with override(cpu=way), xt.device(device):
        scale(c, 2.5, R=rows, N=columns)
    np.testing.assert_array_equal(c, expected)


def test_places_behind_the_last_element_are_dropped():
    """35 elements by 16 work-items."""
    c = np.arange(64, dtype=np.float32).reshape(8, 8)
    expected = c.copy()
    expected[:5, :7] *= 3
    with xt.device("numpy"):
        scale(c, 3.0, R=5, N=7)
    np.testing.assert_array_equal(c, expected)


@pytest.mark.device
@pytest.mark.cpus
def test_cpus_refuse_what_row_slices_do_not_cover():
    with override(cpu="vector"), xt.device("cpu"), pytest.raises(UncoveredError, match="do not cover"):
        scale(np.zeros((8, 8), np.float32), 3.0, R=5, N=7)


@pytest.mark.every(2)
@pytest.mark.parametrize("device, way", WAYS)
@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16, np.int8])
def test_a_product_and_what_follows(device, way, dtype):
    rng = np.random.default_rng(0)
    a, b = rng.integers(-4, 4, (32, 64)).astype(dtype), rng.integers(-4, 4, (64, 48)).astype(dtype)
    wide = np.int32 if dtype is np.int8 else np.float32
    c = np.zeros((32, 48), wide)
    with override(cpu=way), xt.device(device):
        product(a, b, c, 3, M=16, N=16, K=32, ACC=xt.i32 if dtype is np.int8 else xt.f32)
    np.testing.assert_array_equal(c, np.maximum(a.astype(wide) @ b.astype(wide) + 3, 0))


def test_on_amx_products_are_the_matrix_unit_s():
    made = product.compile("bf16[?,?]", "bf16[?,?]", "f32[?,?]", "i32", target="amx", M=16, N=16, K=32, ACC=xt.f32)
    assert "joint_matrix.mad" in made.ir["vectors"]
    assert "row_slice" not in made.ir["vectors"]


def test_gpus_have_none():
    with pytest.raises(UncoveredError, match="joint matrices: pvc has none"):
        _ = scale.compile("f32[?,?]", "f32", target="pvc", R=4, N=4).ir["lane"]


@pytest.mark.parametrize(
    "body, error, match",
    [
        (lambda C: xt.joint_matrix.fill((4, 4), 1.0, xt.f32, use="c"), CompileError, "no use 'c'"),
        (lambda C: xt.joint_matrix.load(C[0], (0, 0), (4, 4)), CompileError, "rank 2"),
        (lambda C: xt.joint_matrix.mad(*[xt.joint_matrix.load(C, (0, 0), (4, 4))] * 3), CompileError, "of use 'a'"),
        (
            lambda C: xt.joint_matrix.mad(
                xt.joint_matrix.load(C, (0, 0), (4, 8), use="a"),
                xt.joint_matrix.load(C, (0, 0), (4, 4), use="b"),
                xt.joint_matrix.load(C, (0, 0), (4, 4)),
            ),
            TileShapeError,
            "by joint matrix",
        ),
        (lambda C: xt.joint_matrix.store(xt.joint_matrix.fill((4, 4), 1, xt.i32), C, (0, 0)), DtypeError, "into C"),
    ],
)
def test_mistakes_are_told(body, error, match):
    def kernel(C):
        body(C)

    with pytest.raises(error, match=match):
        xt.jit(grid=(1,))(kernel).compile("f32[?,?]").ir["xetile"]
