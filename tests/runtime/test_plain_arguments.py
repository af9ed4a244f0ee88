"""What people pass: None, lists, numpy's numbers, arrays without axes; the second call of each kind is a warm one."""

import numpy as np
import pytest

import xetile as xt
from xetile.errors import CompileError, ConstexprError

X = np.arange(32, dtype=np.float32)


@xt.jit(out={"Y": lambda X: xt.empty(X.shape, X.dtype)}, grid=1)
def scaled(X, Y, B=None, by=1, factors: xt.constexpr = (1, 2), N: xt.constexpr = 32):
    x = xt.load_tile(xt.init_tile(X, (0,), (N,))) * by * factors[1]
    if B is not None:
        x = x + xt.load_tile(xt.init_tile(B, (0,), (N,)))
    xt.store_tile(x, xt.init_tile(Y, (0,), (N,)))


@pytest.fixture(autouse=True)
def on_numpy():
    with xt.device("numpy"):
        yield


def test_none_is_known_when_the_kernel_is_compiled():
    for _ in range(2):
        np.testing.assert_array_equal(scaled(X, None, None), X * 2)
        np.testing.assert_array_equal(scaled(X, B=X), X * 3)
        np.testing.assert_array_equal(scaled(X, B=None), X * 2)
    out = np.zeros_like(X)
    assert scaled(X, out, None) is None and out[1] == 2


def test_none_has_no_type_ahead_of_time():
    compiled = scaled.compile("f32[?]", "f32[?]", None, "i32", target="bmg")
    assert list(compiled.binary.parameters) == ["X", "Y", "by"]


def test_lists_are_taken_as_they_are_at_the_call():
    factors = [1, 3]
    for _ in range(2):
        np.testing.assert_array_equal(scaled(X, factors=factors), X * 3)
    factors[1] = 4
    np.testing.assert_array_equal(scaled(X, factors=factors), X * 4)


def test_numpy_integers_are_integers():
    for _ in range(2):
        np.testing.assert_array_equal(scaled[np.int64(1)](X, N=np.int32(32), by=np.int64(3)), X * 6)


def test_arrays_without_axes_are_numbers():
    for _ in range(2):
        np.testing.assert_array_equal(scaled(X, by=np.array(3.0, np.float32)), X * 6)
        np.testing.assert_array_equal(scaled(X, by=np.array(2)), X * 4)
        np.testing.assert_array_equal(scaled(X, B=X, by=np.array(2)), X * 5)


def test_none_where_a_number_is_needed_is_told_at_the_line():
    with pytest.raises(CompileError, match=r"mul does not take f32\[32\] and NoneType"):
        scaled(X, by=None)


def test_a_dict_may_change():
    with pytest.raises(ConstexprError, match="factors is a dict, which may change"):
        scaled(X, factors={1: 2})
