"""Calls that the library refuses, in words of its own, and results that lie where an operand does."""

import pickle
import re
from types import ModuleType

import numpy as np
import pytest

import xetile as xt
from xetile.errors import ArgumentError, XetileError

X = np.random.default_rng(0).standard_normal((16, 16), dtype=np.float32)
IMAGE, FILTER = np.ones((1, 3, 8, 8), np.float32), np.ones((4, 3, 3, 3), np.float32)
HEADS = np.ones((1, 2, 4, 8), np.float32)

REFUSED = {
    "a size that is no whole number": (lambda: xt.ops.layer_norm(X, 16.0), "normalized_shape is 16.0", "a whole number"),
    "a size as a text": (lambda: xt.ops.rms_norm(X, "16"), "normalized_shape is '16'", "a whole number"),
    "eps below zero": (lambda: xt.ops.layer_norm(X, 16, eps=-1.0), "eps is -1.0", "a number from 0 on"),
    "eps as a text": (lambda: xt.ops.rms_norm(X, 16, eps="1"), "eps is '1'", "a number from 0 on"),
    "half an element": (lambda: xt.ops.topk(X, 2.5), "k is 2.5", "a whole number from 0 on"),
    "fewer than none": (lambda: xt.ops.topk(X, -1), "k is -1", "a whole number from 0 on"),
    "no step": (lambda: xt.ops.conv2d(IMAGE, FILTER, stride=0), "stride is 0", "from 1 on"),
    "padding by a word": (lambda: xt.ops.conv2d(IMAGE, FILTER, padding="same"), "padding is 'same'", "from 0 on"),
    "padding below zero": (lambda: xt.ops.conv2d(IMAGE, FILTER, padding=-1), "padding is -1", "from 0 on"),
    "three steps": (lambda: xt.ops.conv2d(IMAGE, FILTER, stride=(1, 1, 1)), "stride is (1, 1, 1)", "one for rows and one for columns"),
    "half a step": (lambda: xt.ops.conv2d(IMAGE, FILTER, stride=1.5), "stride is 1.5", "a whole number"),
    "a scale as a text": (lambda: xt.ops.scaled_dot_product_attention(HEADS, HEADS, HEADS, scale="x"), "scale is 'x'", "a number"),
    "a number of rows that is none": (lambda: xt.ops.embedding_backward(X, np.arange(16), 16.0), "num_weights is 16.0", "whole number"),
    "a dtype that is none": (lambda: xt.ops.matmul(X, X, dtype="foo"), "dtype is 'foo'", "another float"),
    "an output that cannot be written": (lambda: xt.ops.softmax(X, out=np.broadcast_to(np.float32(0), X.shape)), "out is read-only",
                                         "numpy.empty"),
    "an axis of a number": (lambda: xt.ops.softmax(np.asarray(1, np.float32)), "an array with 0 axes", "x.reshape(1)"),
    "indices in 64 bits": (lambda: xt.ops.grouped_matmul(X, X[None], np.array([0, 16])), "offsets is int64; it takes i32",
                           "offsets.astype('int32')"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    call, message, hint = REFUSED[name]
    with xt.device("numpy"), pytest.raises(XetileError) as raised:
        call()
    assert message in raised.value.message and hint in (raised.value.hint or "")


def test_results_may_lie_where_any_operand_does():
    a, b, c = X.copy(), X.T.copy(), X * 2
    product, grad = X.astype(np.float64) @ X.T, X * (X - (X * X).sum(1, keepdims=True))
    with xt.device("numpy"):
        for out in (a, b):
            assert xt.ops.matmul(a, b, out=out) is out
            np.testing.assert_allclose(out, product, rtol=1e-4, atol=1e-4)
            a[...], b[...] = X, X.T
        np.testing.assert_allclose(xt.ops.matmul(a, b, residual=c, out=c), product + X * 2, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(xt.ops.softmax_backward(a, X, out=a), grad, rtol=1e-4, atol=1e-4)
        table = X.copy()
        np.testing.assert_array_equal(xt.ops.embedding(np.arange(16)[::-1].copy(), table, out=table), X[::-1])


def test_a_number_is_its_own_transpose():
    with xt.device("numpy"):
        assert xt.ops.transpose(np.asarray(3.0)) == 3.0


def test_functions_have_the_names_by_which_they_are_called():
    for name in ("sum", "max", "min"):
        function = getattr(xt.ops, name)
        assert function.__name__ == name and pickle.loads(pickle.dumps(function)) is function
        with pytest.raises(TypeError, match=rf"{name}\(\) got an unexpected keyword argument 'dim'"):
            function(X, dim=1)
    with pytest.raises(ArgumentError, match="sum: x is list"):
        xt.ops.sum([1])


@pytest.mark.parametrize(("name", "instead"), [
    ("attention", "xt.ops.scaled_dot_product_attention(q, k, v)"), ("relu", "activation='relu'"), ("linear", "xt.ops.matmul(x, weight.T"),
    ("softmaxx", "did you mean softmax?"),
])  # fmt: skip
def test_words_of_other_libraries_are_answered(name, instead):
    """`attention` was the module of that name, which is no function."""
    with pytest.raises(AttributeError, match=re.escape(instead)):
        getattr(xt.ops, name)


def test_no_module_hides_behind_a_word_for_a_function():
    modules = {name for name, held in vars(xt.ops).items() if isinstance(held, ModuleType)}
    assert not modules & {*xt.ops._ELSEWHERE}
