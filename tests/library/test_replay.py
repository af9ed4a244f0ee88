"""Calls like earlier ones, which follow a record of them: of every kind of argument, and where there must be none."""

from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from itertools import pairwise

import numpy as np
import pytest

import xetile as xt
from tests.library.numbers import assert_near, normal, wide
from xetile.errors import ArgumentError
from xetile.ops import norms, reductions, rows, tokens
from xetile.runtime import hooks
from xetile.runtime.settings import override

pytestmark = pytest.mark.device
ops = xt.ops


@pytest.fixture(autouse=True)
def vectors():
    with override(cpu="vector"), xt.device("cpu"):
        yield


def calls(function, count=6):
    """The same call on arrays of its own each time: `function(number)` gives the result and the right one."""
    for number in range(count):
        found, exact = function(number)
        assert_near(found, exact, factor=4)
        yield found


def product(a, b):
    return wide(a) @ wide(b)


def test_a_call_is_worked_out_no_more(monkeypatch):
    def call(number):
        x = normal(number, (5, 70))
        return ops.sum(x, axis=1), wide(x).sum(1)

    results = calls(call, 9)
    kept = [next(results) for _ in range(4)]
    monkeypatch.setattr(reductions, "_reduced", None)
    kept += results
    assert len({found.ctypes.data for found in kept}) == 9


@pytest.mark.parametrize("axis", [0, 1, 2, -1, None])
def test_results_of_views(axis):
    def call(number):
        x = normal(number, (3, 40, 7))
        return (ops.max(x, axis), wide(x).max(axis)) if number % 2 else (ops.max(x, axis=axis), wide(x).max(axis))

    list(calls(call, 9))


def test_what_calls_differ_in():
    for number in range(5):
        a, b = normal(number, (40, 24)), normal(number + 9, (24, 33))
        assert_near(ops.matmul(a, b), product(a, b), factor=4)
        assert_near(ops.matmul(np.asfortranarray(a), b), product(a, b), factor=4)
        assert_near(
            ops.matmul(a.astype(np.float16), b.astype(np.float16)), product(a.astype(np.float16), b.astype(np.float16)), "f16"
        )
        assert_near(ops.matmul(a[::2], b), product(a[::2], b), factor=4)
        assert_near(ops.matmul(a, b, activation="relu"), np.maximum(product(a, b), 0), factor=4)
        assert_near(ops.matmul(a, b, bias=b[0]), product(a, b) + b[0], factor=4)
        assert_near(ops.matmul(a, b, bias=list(b[1])), product(a, b) + b[1], factor=4)
        assert ops.matmul(a, b, dtype=xt.f64).dtype == np.float64 and ops.matmul(a, b, dtype=np.float32).dtype == np.float32
        assert_near(ops.rms_norm(a, 24, eps=0.5), wide(a) / np.sqrt((wide(a) ** 2).mean(1, keepdims=True) + 0.5), factor=4)
        assert_near(ops.rms_norm(a, 24, eps=0), wide(a) / np.sqrt((wide(a) ** 2).mean(1, keepdims=True)), factor=4)


def test_arrays_that_share_memory():
    for number in range(6):
        a, b = normal(number, (32, 32)), normal(number + 9, (32, 32))
        assert_near(ops.matmul(a, a), product(a, a), factor=4)
        assert_near(ops.matmul(a, b), product(a, b), factor=4)
        exact = product(a, b)
        assert ops.matmul(a, b, out=b) is b
        assert_near(b, exact, factor=4)


def test_one_array_for_two_arguments_is_worked_out_once(monkeypatch):
    def normed(x, weight, bias):
        centred = wide(x) - wide(x).mean(1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-5) * wide(weight) + wide(bias)

    def call(number):
        x, weight, bias = normal(number, (6, 30)), normal(number + 9, (30,)), normal(number + 19, (30,))
        assert_near(ops.layer_norm(x, 30, weight, bias), normed(x, weight, bias), factor=8)
        return ops.layer_norm(x, 30, weight, weight), normed(x, weight, weight)

    results = calls(call, 9)
    kept = [next(results) for _ in range(4)]
    monkeypatch.setattr(norms, "_forward", None)
    assert len(kept + list(results)) == 9


def test_results_go_where_out_says():
    for number in range(6):
        x, out, spread = normal(number, (9, 50)), np.empty((9, 50), np.float32), np.empty((9, 100), np.float32)[:, ::2]
        exact = np.exp(wide(x)) / np.exp(wide(x)).sum(1, keepdims=True)
        for place in (out, spread):
            assert ops.softmax(x, out=place) is place
            assert_near(place, exact, factor=4)
        out.flags.writeable = False
        with pytest.raises(ArgumentError, match="read-only"):
            ops.softmax(x, out=out)
        out.flags.writeable = True
        assert ops.softmax(x, out=x) is x
        assert_near(x, exact, factor=4)


def test_nothing_and_several_results():
    for number in range(6):
        assert ops.sum(np.empty((3, 0), np.float32), 1).tolist() == [0, 0, 0]
        with pytest.raises(ArgumentError, match="empty axis"):
            ops.max(np.empty((3, 0), np.float32), 1)
        q, k, v = (normal(number + i, (1, 2, 20, 16)) for i in range(3))
        out, lse = ops.scaled_dot_product_attention(q, k, v, return_lse=True)
        scores = np.exp(wide(q) @ wide(k).swapaxes(-1, -2) / 4)
        assert_near(out, scores / scores.sum(-1, keepdims=True) @ wide(v), factor=8)
        assert_near(lse, np.log2(scores.sum(-1)), factor=8)


def test_hooks_see_every_launch_and_devices_are_told_apart(monkeypatch):
    seen = []
    for number in range(6):
        x = normal(number, (4, 30))
        ops.argmax(x, 1)
        with hooks.added(after_launch=lambda event: seen.append(event.kernel)):
            assert ops.argmax(x, 1).tolist() == x.argmax(1).tolist()
        with xt.device("numpy"):
            assert ops.argmax(x, 1).tolist() == x.argmax(1).tolist()
    assert seen == ["where_extreme"] * 6


def test_a_mistake_is_told_after_right_calls():
    for number in range(5):
        ops.softmax(normal(number, (4, 30)), axis=1)
    with pytest.raises(ArgumentError, match="axis 2"):
        ops.softmax(normal(0, (4, 30)), axis=2)
    assert rows.softmax is not ops.softmax


def test_calls_of_several_threads():
    def work(first):
        for number in range(12):
            x, columns = normal(first + number, (6, 40 + first)), 3 + number % 2
            assert_near(ops.sum(x[:, :columns], 1), wide(x[:, :columns]).sum(1), factor=4)
            assert_near(ops.sum(normal(number, (2, 1 << 15))), wide(normal(number, (2, 1 << 15))).sum(), factor=200)
        return first

    with ThreadPoolExecutor(4) as threads:
        contexts = [copy_context() for _ in range(4)]
        assert sorted(threads.map(lambda i: contexts[i].run(work, i), range(4))) == [0, 1, 2, 3]


def test_what_is_asked_of_elements_is_asked_again(monkeypatch):
    """Rows that are not there, and groups that fall, are refused of calls that are worked out no more."""
    table, a, b = normal(0, (20, 70)), normal(1, (6, 24)), normal(2, (3, 24, 32))
    for number in range(7):
        if number == 4:
            monkeypatch.setattr(tokens, "_numbers", None)
        rows_of = np.random.default_rng(number).integers(0, 20, (3, 7))
        np.testing.assert_array_equal(ops.embedding(rows_of, table), table[rows_of])
        for wrong in (20, -1):
            with pytest.raises(ArgumentError, match="there are 20"):
                ops.embedding(np.where(rows_of == rows_of[1, 2], wrong, rows_of), table)
        ends = np.int32([0, 1 + number % 3, 5, 6])
        exact = np.concatenate([product(a[s:e], b[g]) for g, (s, e) in enumerate(pairwise(ends))])
        assert_near(ops.grouped_matmul(a, b, ends), exact, factor=4)
        for wrong in ([0, 4, 3, 6], [1, 2, 3, 6], [0, 1, 2, 5]):
            with pytest.raises(ArgumentError, match="never fall"):
                ops.grouped_matmul(a, b, np.int32(wrong))


def test_views_of_other_dtypes_and_several_results_in_order():
    for number in range(6):
        x, angles = normal(number, (2, 9, 3, 16), "f16"), normal(number, (9, 8))
        turned = ops.rotary_embedding(x, np.cos(angles), np.sin(angles), interleaved=True)
        pairs = wide(x[..., ::2]) + 1j * wide(x[..., 1::2])
        pairs = pairs * np.exp(1j * wide(angles))[None, :, None, :]
        assert_near(turned, np.stack([pairs.real, pairs.imag], -1).reshape(x.shape), "f16", 4)
        values, places = ops.topk(angles, 3, 1)
        order = np.argsort(-angles, axis=1, kind="stable")[:, :3]
        assert places.tolist() == order.tolist() and (values == np.take_along_axis(angles, order, 1)).all()
        np.testing.assert_array_equal(ops.transpose(x), x.T)
        np.testing.assert_array_equal(ops.transpose(x, (0, 2, 1, 3)), x.transpose(0, 2, 1, 3))
