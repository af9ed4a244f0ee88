"""Reductions, places of extremes, running sums."""

import numpy as np
import pytest

import xetile as xt
from tests.language.running import apply, body_of, ops_of, scalars
from xetile.errors import CompileError, DtypeError, TileShapeError

RNG = np.random.default_rng(8)
SHAPE = (6, 16)
KINDS = {
    "add": np.add.reduce, "mul": np.multiply.reduce, "max": np.maximum.reduce, "min": np.minimum.reduce, "maxnum": np.fmax.reduce,
    "minnum": np.fmin.reduce, "and": np.bitwise_and.reduce, "or": np.bitwise_or.reduce, "xor": np.bitwise_xor.reduce,
}  # fmt: skip


def random(dtype):
    if dtype.kind == "b":
        return RNG.random(SHAPE) < 0.8
    return RNG.integers(-3 if dtype.is_signed else 0, 4, SHAPE).astype(dtype.numpy)


@pytest.mark.every(6)
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [xt.i32, xt.u32, xt.i8, xt.f32, xt.f64], ids=str)
def test_tile_reduce(kind, dtype, axis):
    if dtype.is_float and kind in ("and", "or", "xor"):
        with pytest.raises(DtypeError, match="there is no reduction"):
            apply(lambda x: xt.tile_reduce(kind, x, axis), random(dtype), result=dtype)
        return
    a = random(dtype)
    with np.errstate(over="ignore"):
        expected = np.expand_dims(KINDS[kind](a, axis=axis, dtype=a.dtype), axis)
    np.testing.assert_array_equal(apply(lambda x: xt.tile_reduce(kind, x, axis), a, result=dtype, shape=expected.shape), expected)


@pytest.mark.parametrize("name,kinds", [("max", ("maximumf", "maxsi", "maxui")), ("minnum", ("minnumf", "minsi", "minui"))])
def test_kinds_follow_the_dtype(name, kinds):
    def kernel(A, KIND: xt.constexpr):
        xt.store_tile(xt.tile_reduce(KIND, xt.load_tile(xt.init_tile(A, (0, 0), (8, 8))), 1), xt.init_tile(A, (0, 0), (8, 1)))

    for dtype, kind in zip(("f32", "i32", "u32"), kinds):
        assert f"tile_reduce <{kind}>" in "\n".join(body_of(kernel, {"KIND": name}, A=f"{dtype}[?,?]"))
        assert f"tile_reduce <{kind}>" in "\n".join(body_of(kernel, {"KIND": kind}, A=f"{dtype}[?,?]"))


def test_nan_rules():
    a = random(xt.f32)
    a[2, 3] = np.nan
    for name, kind in (("max", "max"), ("min", "min")):
        got = apply(lambda x, name=name: getattr(xt, name)(x, axis=1), a, result=xt.f32, shape=(6, 1))
        np.testing.assert_array_equal(got, getattr(a, kind)(axis=1, keepdims=True))
    got = apply(lambda x: xt.tile_reduce("maxnum", x, 1), a, result=xt.f32, shape=(6, 1))
    np.testing.assert_array_equal(got, np.nanmax(a, axis=1, keepdims=True))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("name", ["sum", "max", "min", "any", "all"])
def test_sugar(name, axis):
    a = random(xt.bool if name in ("any", "all") else xt.i32)
    expected = getattr(a, name)(axis=axis)
    dtype = xt.bool if name in ("any", "all") else xt.i32
    kept = apply(lambda x: getattr(xt, name)(x, axis), a, result=dtype, shape=np.expand_dims(expected, axis).shape)
    np.testing.assert_array_equal(kept, np.expand_dims(expected, axis))
    dropped = apply(lambda x: getattr(xt, name)(x, axis, keepdims=False), a, result=dtype, shape=expected.shape)
    np.testing.assert_array_equal(dropped, expected)


def test_all_elements_give_a_scalar():
    def kernel(a, b):
        value = xt.arange(16) * a
        total = 0
        if xt.max(value) > 20:
            total = xt.sum(value) + b
        return total, xt.min(value), int(xt.any(value == 3)), int(xt.all(value >= 0)), xt.sum(value[:, None] * value[None, :])

    assert scalars(xt.jit(kernel), 3, 5, n=5) == [365, 0, 1, 1, 360**2]


@pytest.mark.parametrize("dtype,result", [(xt.i8, xt.i32), (xt.u16, xt.u32), (xt.bool, xt.i32), (xt.i64, xt.i64),
                                          (xt.f16, xt.f16),
                                          (xt.bf16, xt.bf16), (xt.f32, xt.f32)], ids=str)  # fmt: skip
def test_dtype_of_sums(dtype, result):
    def function(x):
        total = xt.sum(x, axis=1)
        assert total.dtype is result
        return total

    a = random(dtype)
    got = apply(function, a, result=result, shape=(6, 1))
    np.testing.assert_array_equal(got.astype(np.float64), a.astype(np.float64).sum(1, keepdims=True))


def test_small_floats_are_summed_wide():
    a = np.full((1, 64), 1 + 2**-10, np.float16)
    got = apply(lambda x: xt.sum(x, axis=1, dtype=xt.f32), a, result=xt.f32, shape=(1, 1))
    assert got[0, 0] == 64 * (1 + 2**-10)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("dtype", [xt.i32, xt.u8, xt.f32, xt.f16], ids=str)
def test_places_of_extremes(name, axis, dtype):
    a = random(dtype)
    if dtype.is_float:
        a[3, 5] = a[3, 9] = np.nan
    expected = getattr(np, name)(a, axis=axis)
    got = apply(lambda x: getattr(xt, name)(x, axis, keepdims=False), a, result=xt.i32, shape=expected.shape)
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("dtype", [xt.i32, xt.u8, xt.f32], ids=str)
def test_the_place_of_an_extreme_among_all_elements(name, dtype):
    """Once an axis had to be given, to `xt.argmax` alone."""
    a = random(dtype)
    assert apply(lambda x: getattr(xt, name)(x) + xt.zeros((1,), xt.i32), a, result=xt.i32, shape=(1,)) == getattr(a, name)()
    row = a[3, :7].copy()
    assert apply(lambda x: getattr(xt, name)(x) + xt.zeros((1,), xt.i32), row, result=xt.i32, shape=(1,)) == getattr(row, name)()
    if dtype.is_float:
        a[3, 5] = a[3, 9] = a[5, 1] = np.nan
        assert apply(lambda x: getattr(xt, name)(x) + xt.zeros((1,), xt.i32), a, result=xt.i32, shape=(1,)) == getattr(a, name)()


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", [xt.i32, xt.f32, xt.f64], ids=str)
def test_running_sums(axis, dtype):
    a = random(dtype)
    np.testing.assert_array_equal(apply(lambda x: xt.cumsum(x, axis), a, result=dtype), a.cumsum(axis, dtype=dtype.numpy))


def test_scans_of_rows_need_no_axis():
    row = random(xt.i32)[2]
    for scan in (xt.cumsum, lambda x: xt.associative_scan(lambda a, b: a + b, x)):
        np.testing.assert_array_equal(apply(scan, row, result=xt.i32), row.cumsum(dtype=np.int32))


@pytest.mark.every(2)
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize(("dtype", "wide"), [(xt.i8, xt.i32), (xt.u8, xt.u32), (xt.u16, xt.u32), (xt.f16, xt.f16), (xt.bf16, xt.bf16)],
                         ids=str)  # fmt: skip
def test_running_sums_are_added_up_as_sums_are(axis, dtype, wide):
    a = (np.abs(random(dtype).astype(np.float64)) * 40 + 40).astype(dtype.numpy)
    summed = a.astype(np.float32 if dtype.is_float else wide.numpy).cumsum(axis).astype(wide.numpy)
    np.testing.assert_array_equal(apply(lambda x: xt.cumsum(x, axis), a, result=wide), summed)
    asked = a.astype(np.float64).cumsum(axis).astype(np.float32)
    np.testing.assert_array_equal(apply(lambda x: xt.cumsum(x, axis, dtype=xt.f32), a, result=xt.f32), asked)


def test_running_counts():
    a = random(xt.bool)
    np.testing.assert_array_equal(apply(lambda x: xt.cumsum(x, 1), a, result=xt.i32), a.cumsum(1))


def test_rows_reduce():
    a = RNG.integers(0, 9, 16).astype(np.int32)
    np.testing.assert_array_equal(apply(lambda x: xt.sum(x, 0), a, result=xt.i32, shape=(1,)), [a.sum()])
    np.testing.assert_array_equal(apply(lambda x: xt.cumsum(x, 0), a, result=xt.i32), a.cumsum())
    np.testing.assert_array_equal(apply(lambda x: x - xt.max(x, 0), a, result=xt.i32), a - a.max())
    np.testing.assert_array_equal(apply(lambda x: x * xt.sum(x, 0, keepdims=False), a, result=xt.i32), a * a.sum())


def test_maps_go_to_the_op():
    def kernel(A):
        value = xt.load_tile(xt.init_tile(A, (0, 0), (64, 32)))
        total = xt.tile_reduce("add", value, 1, wg_map=xt.wg_map((8, 1), (8, 1)))
        wide = xt.tile_broadcast(total, (64, 32), wg_map=xt.wg_map((8, 1), (8, 32)))
        wide = xt.tile_conv_layout(wide, xt.wg_map((4, 2), (16, 16)), xt.wg_map((8, 1), (8, 32)))
        xt.store_tile(xt.tile_transpose(wide, wg_map=xt.wg_map((2, 4), (16, 16))), xt.init_tile(A, (0, 0), (32, 64)))

    text = "\n".join(body_of(kernel, A="f32[?,?]"))
    for line in (
        "tile_reduce <add> %value [1] {wg_map = #xetile.wg_map<sg_layout = [8, 1], sg_data = [8, 1]>}",
        "tile_broadcast %total [1] {wg_map = #xetile.wg_map<sg_layout = [8, 1], sg_data = [8, 32]>}",
        "{input_map = #xetile.wg_map<sg_layout = [8, 1], sg_data = [8, 32]>, wg_map = #xetile.wg_map<sg_layout = [4, 2], sg",
        "[1, 0] {wg_map = #xetile.wg_map<sg_layout = [2, 4], sg_data = [16, 16]>}",
    ):
        assert line in text


@pytest.mark.parametrize("action,kind,message", [
    (lambda x: xt.tile_reduce("mean", x, 0), CompileError, "there is no reduction 'mean'"),
    (lambda x: xt.tile_reduce(lambda a, b: a + b, x, 0), CompileError, "takes the name of a reduction, not a function"),
    (lambda x: xt.tile_reduce("add", x > 0, 0), DtypeError, "convert it first: .to\\(xt.i32\\)"),
    (lambda x: xt.tile_reduce("maxsi", x, 0), DtypeError, "f32 has add, mul, max"),
    (lambda x: xt.tile_reduce("add", 3, 0), TileShapeError, "takes a value with elements, not 3"),
    (lambda x: xt.cumsum(x), TileShapeError, "has no axis None\\n  hint: its axes are 0, 1"),
    (lambda x: xt.argmax(x, 5), TileShapeError, "has no axis 5"),
    (lambda x: xt.tile_broadcast(x, (12, 16)), TileShapeError, "only axes of size 1 stretch"),
    (lambda x: xt.tile_broadcast(x, (16,)), TileShapeError, "more axes than"),
    (lambda x: xt.tile_transpose(x, (0, 2)), TileShapeError, "not a permutation"),
    (lambda x: xt.tile_transpose(xt.sum(x)), TileShapeError, "takes a 2-D value"),
    (lambda x: xt.tile_conv_layout(x, None), TileShapeError, "needs the map of the result"),
    (lambda x: xt.sum(x, 0, dtype=float), DtypeError, "not a dtype of kernels"),
])  # fmt: skip
def test_refused(action, kind, message):
    with pytest.raises(kind, match=message):
        ops_of(call, {"F": action}, A="f32[?,?]")


def call(A, F: xt.constexpr):
    F(xt.load_tile(xt.init_tile(A, (0, 0), (6, 16))))
