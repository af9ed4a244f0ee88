"""Matrix products of the library against double precision."""

from itertools import pairwise

import ml_dtypes
import numpy as np
import pytest

import xetile as xt
from tests.library.numbers import DTYPES, assert_near, layouts, normal, wide
from xetile.errors import ArgumentError, DtypeError
from xetile.ops import products
from xetile.runtime.devices import current_device
from xetile.runtime.settings import override

ops = xt.ops
SHAPES = [((5, 70), (70, 9)), ((1, 1), (1, 1)), ((40, 33), (33, 130)), ((0, 4), (4, 3)), ((4, 0), (0, 3)), ((70,), (70, 9)), ((5, 70), (70,)),
          ((7,), (7,)), ((2, 3, 5, 16), (16, 8)), ((2, 1, 5, 16), (3, 16, 8)), ((5, 16), (3, 16, 8))]  # fmt: skip


def test_products_of_each_shape(device):
    for first, second in SHAPES:
        a, b = normal(0, first), normal(1, second)
        with xt.device(device):
            assert_near(ops.matmul(a, b), wide(a) @ wide(b), factor=4)


@pytest.mark.every(6, 3)
@pytest.mark.parametrize("dtype", DTYPES)
def test_products_of_each_dtype(device, dtype):
    a, b = normal(0, (40, 70), dtype), normal(1, (70, 33), dtype)
    with xt.device(device):
        result = ops.matmul(a, b)
        assert result.dtype == a.dtype
        assert_near(result, wide(a) @ wide(b), dtype, 2)
        if dtype in ("f16", "bf16"):
            assert_near(ops.matmul(a, b, dtype=xt.f32), wide(a) @ wide(b), factor=4)


def test_operands_as_they_lie(device):
    a, b = normal(0, (3, 20, 32)), normal(1, (3, 32, 24))
    with xt.device(device):
        for x, y in zip(layouts(a).values(), reversed(layouts(b).values()), strict=True):
            assert_near(ops.matmul(x, y), wide(a) @ wide(b), factor=4)
        assert_near(ops.matmul(a[0].T, b[0, :20]), wide(a[0].T) @ wide(b[0, :20]), factor=4)


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


@pytest.mark.every(6)
@pytest.mark.parametrize("activation", ["none", "relu", "gelu", "silu"])
def test_what_follows_a_product(device, activation):
    a, b, bias, residual = normal(0, (2, 20, 32), "f16"), normal(1, (32, 24), "f16"), normal(2, (24,)), normal(3, (2, 20, 24))
    rows, columns = np.abs(normal(4, (20,))), np.abs(normal(5, (24,)))
    exact = {"none": lambda x: x, "relu": lambda x: np.maximum(x, 0), "gelu": gelu,
             "silu": lambda x: x / (1 + np.exp(-x))}[activation]  # fmt: skip
    plain = wide(a) @ wide(b)
    with xt.device(device):
        assert_near(ops.matmul(a, b, bias=bias, activation=activation), exact(plain + wide(bias)), "f16")
        scaled = ops.matmul(a, b, bias=bias, activation=activation, residual=residual, row_scales=rows, column_scales=columns,
                            dtype=np.float32)  # fmt: skip
    assert_near(scaled, exact(plain * wide(rows)[:, None] * wide(columns) + wide(bias)) + wide(residual), factor=20)


def test_bytes(device):
    rng = np.random.default_rng(0)
    for first, second in [(np.int8, np.int8), (np.uint8, np.int8)]:
        a, b = (rng.integers(np.iinfo(t).min, np.iinfo(t).max, s, t) for t, s in ((first, (33, 70)), (second, (70, 20))))
        rows, columns = np.abs(normal(0, (33,))), np.abs(normal(1, (20,)))
        exact = a.astype(np.int64) @ b.astype(np.int64)
        with xt.device(device):
            result = ops.matmul(a, b)
            assert result.dtype == np.int32
            np.testing.assert_array_equal(result, exact)
            assert_near(ops.matmul(a, b, row_scales=rows, column_scales=columns), exact * wide(rows)[:, None] * wide(columns))


@pytest.mark.every(3)
@pytest.mark.parametrize("kind", [ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, np.int8])
def test_narrow_weights(device, kind):
    a, scales = normal(0, (33, 70), "f16"), np.abs(normal(2, (20,)))
    b = (normal(1, (70, 20)) * 9).astype(kind)
    with xt.device(device):
        result = ops.matmul(a, b, column_scales=scales, dtype=xt.f32)
        assert_near(result, wide(a) @ wide(b) * wide(scales), factor=4)
        if kind is not np.int8:
            assert_near(ops.matmul(a.astype(kind), b), wide(a.astype(kind)) @ wide(b), factor=4)


@pytest.mark.every(2)
@pytest.mark.parametrize("kind", ["f4", "f2"])
@pytest.mark.parametrize(("k", "groups"), [(128, 1), (128, 4), (192, 3), (192, 2)])
def test_weights_of_four_bits(device, k, groups, kind):
    a, scales = normal(0, (33, k), "f16"), normal(1, (groups, 20)).astype(kind)
    w = np.random.default_rng(0).integers(-8, 8, (k, 20))
    # A weight with its scale is one number of a's dtype.
    factors = (w * np.repeat(scales.astype(np.float32), k // groups, 0)).astype(np.float16)
    with xt.device(device):
        assert_near(ops.matmul_int4(a, ops.pack_int4(w), scales), wide(a) @ wide(factors), "f16")


@pytest.mark.every(3)
@pytest.mark.parametrize("ends", [[0, 0, 5, 40], [0, 40, 40, 40], [0, 13, 27, 40]])
def test_products_by_groups(device, ends):
    a, b = normal(0, (40, 64), "f16"), normal(1, (3, 64, 48), "f16")
    exact = np.concatenate([wide(a[p:q]) @ wide(b[g]) for g, (p, q) in enumerate(pairwise(ends))])
    with xt.device(device):
        assert_near(ops.grouped_matmul(a, b, np.array(ends, np.int32)), exact, "f16")


X, H = np.ones((4, 6), np.float32), np.ones((4, 64), np.float16)
W = np.zeros((32, 3), np.int8)
WRONG = {
    "columns and rows": (lambda: ops.matmul(X, X), ArgumentError, "matmul: a has 6 columns and b has 4 rows: (4, 6) @ (4, 6)"),
    "two dtypes": (lambda: ops.matmul(X, X.T.astype("f2")), DtypeError, "a is float32 and b is float16, which have no product"),
    "no axes": (lambda: ops.matmul(np.float32(1), X), ArgumentError, "a is float32, not an array"),
    "batches": (lambda: ops.matmul(np.ones((2, 4, 6)), np.ones((3, 6, 4))), ArgumentError, "leading axes (2,) and (3,) do not broadcast"),
    "an activation": (lambda: ops.matmul(X, X.T, activation="tanh"), ArgumentError, "matmul: activation is 'tanh'"),
    "a bias": (lambda: ops.matmul(X, X.T, bias=X[0]), ArgumentError, "matmul: bias has shape (6,), and must have (4,)"),
    "integers of floats": (lambda: ops.matmul(X, X.T, dtype=xt.i32), DtypeError, "dtype is i32; the result of float32 @ float32 can be f32"),
    "long integers": (lambda: ops.matmul(X.astype(int), X.T.astype(int)), DtypeError, "matmul: a is int64; it takes f16"),
    "falling offsets": (lambda: ops.grouped_matmul(H, np.ones((2, 64, 3), np.float16), np.int32([0, 5, 4])), ArgumentError,
                        "offsets go from 0 to 4 and never fall; they are [0 5 4]"),
    "an odd K": (lambda: ops.matmul_int4(H[:, :62], W[:31], np.ones((1, 3), "f4")), ArgumentError, "matmul_int4: 62 rows in 1 groups"),
    "scales of i8": (lambda: ops.matmul_int4(H[:, :64], W[:32], np.ones((1, 3), "i1")), DtypeError, "matmul_int4: scales"),
    "scales of bf16": (lambda: ops.matmul_int4(H[:, :64], W[:32], np.ones((1, 3), ml_dtypes.bfloat16)), DtypeError,
                       "scales are bfloat16; they must be float32 or of a's dtype, float16"),
    "five bits": (lambda: ops.pack_int4(np.full((2, 2), 8)), ArgumentError, "they must be integers from -8 to 7, [K, N], K even"),
}  # fmt: skip


@pytest.mark.parametrize("call,kind,message", WRONG.values(), ids=WRONG)
def test_what_does_not_fit_is_refused(call, kind, message):
    with pytest.raises(kind) as error, xt.device("numpy"):
        call()
    assert message in error.value.message


@pytest.mark.every(2, 1)
@pytest.mark.parametrize(
    "shapes", [((5, 0), (0, 7)), ((2, 5, 0), (0, 7)), ((2, 1, 5, 0), (3, 0, 7)), ((0,), (0, 7)), ((2, 5, 0), (0,))]
)
def test_sums_of_nothing(device, shapes):
    a, b = (np.zeros(shape, np.float32) for shape in shapes)
    with xt.device(device):
        np.testing.assert_array_equal(ops.matmul(a, b), a @ b)


@pytest.mark.parametrize(
    "size, tile", [(33, 64), (100, 128), (300, 192), (512, 256), (1000, 256), (1040, 192), (1280, 256), (4096, 256)]
)
def test_tiles_fit_sizes(size, tile):
    found = products.fitting(size, 256, 64)
    assert found == tile
    assert -(-size // found) * found <= -(-size // 256) * 256, "no more is computed than by the largest tile"


@pytest.mark.parametrize("size", [33, 300, 512, 1000, 1040, 1280, 4096])
@pytest.mark.parametrize("cores", [1, 2, 16, 64, 0.25])
def test_tiles_keep_cores_at_work(size, cores):
    """One core gets the largest tiles that leave little empty; more of them get a tile each, where there are so many."""
    rows, columns = products.shared_out(size, size, 512, 512, cores)
    programs = -(-size // rows) * -(-size // columns)
    assert programs >= min(cores, 4) or size <= 64
    if cores <= 1:
        assert programs * rows * columns <= 1.15 * (size + 31) ** 2 and rows * columns >= min(size, 256) ** 2


def test_products_of_several_tiles_that_fit(device):
    a, b = normal(0, (260, 70)), normal(1, (70, 530))
    with xt.device(device):
        assert_near(ops.matmul(a, b), wide(a) @ wide(b), factor=4)


@pytest.mark.vectors
def test_a_cpu_computes_few_rows_that_no_array_has(monkeypatch):
    calls = []
    monkeypatch.setattr(products.kernels, "linear", lambda *arrays, **constants: calls.append(constants))
    a, b = np.zeros((1040, 16), np.float32), np.zeros((16, 1040), np.float32)
    with xt.device("cpu"):
        xt.ops.matmul(a, b)
    rows, columns = calls[0]["BM"], calls[0]["BN"]
    assert -(-1040 // rows) * rows <= 1056 and -(-1040 // columns) * columns <= 1152


@pytest.mark.parametrize(
    ("m", "n", "depth"), [(1, 1024, 1024), (7, 33, 5), (512, 512, 512), (300, 100_000, 4096), (1, 1 << 22, 64)]
)
def test_tiles_that_numpy_computes(m, n, depth):
    """Few steps, which load little for all programs together; few rows and columns that are not there."""
    with xt.device("numpy"):
        tiles = products.fitted_tiles(m, n, xt.f32, depth=depth)
    rows, columns, deep = (tiles[name] for name in ("BM", "BN", "BK"))
    assert deep * max(m, n) <= products.HELD or deep == products.STEP
    assert deep >= min(depth, products.HELD // (2 * max(m, n)) // products.STEP * products.STEP)
    assert rows < 2 * m and columns < n + products.STEP


@pytest.mark.device
@pytest.mark.parametrize("dtype", ["f32", "i8"])
@pytest.mark.parametrize("depth", [1, 100, 200, 300])
def test_sums_that_one_step_adds_to_have_small_tiles(depth, dtype):
    """Of some that the array ends in too; deeper products keep large ones, into which what is packed is multiplied for long."""
    with override(cpu="vector"), xt.device("cpu"):
        tiles = products.fitted_tiles(600, 700, getattr(xt, dtype), depth=depth)
        by_amx = current_device().target == "amx" and getattr(xt, dtype) in products.BY_AMX
        a, b = normal(0, (300, depth), "f32"), normal(1, (depth, 270), "f32")
        found = xt.ops.matmul(a, b, bias=b[0], activation="relu")
    if not by_amx:
        small = depth <= products.ONCE
        assert (tiles["BM"] * tiles["BN"] <= products.ONCE**2) is small and tiles["BK"] <= products.ONCE
    assert_near(found, np.maximum(wide(a) @ wide(b) + wide(b[0]), 0), factor=4)
