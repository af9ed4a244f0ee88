"""Control flow as people write it: break, continue, lists that grow, functions inside of kernels; against plain Python."""

import numpy as np
import pytest

import xetile as xt
from xetile.errors import CompileError, UnsupportedSyntaxError

X = np.arange(32, dtype=np.float32)
OUT = {"Y": lambda X: xt.empty(X.shape, X.dtype)}


def rows(x, n):
    """Leaves at the first number that n divides, passes over every third."""
    total, count = x, 0
    for i in range(1, 40, 2):
        if i % 3 == 0:
            continue
        total = total + i
        if i % n == 0:
            if n > 5:
                count = 100
                break
            count = count + 1
        total = total * 2
        if count == 2:
            break
    return total, count


def down(x, n):
    total, count = x, 0
    for i in range(30, 0, -1):
        if i == n:
            break
        total, count = total + i, i
    return total, count


def forever(x, n):
    total, i = x, 0
    while True:
        i = i + 1
        if i > n:
            break
        if i % 2 == 0:
            continue
        total = total * 2
    return total, i


def backwards(x, n):
    total, count = x, 0
    for i in reversed(range(n)):
        total = total * 2 + i
    for i in reversed(range(3, 4 * n, 7)):
        total, count = total + i, i - count
        if i == 10:
            break
    for i in reversed(range(2 * n, -n, -5)):
        count = 2 * i - count
    for i in reversed(range(1, 20, n)):
        count = i - count
    for i in reversed(range(n, n)):
        count = -i
    return total, count


def nested(x, n):
    total, last = x, 0
    for i in range(n):
        for j in range(10):
            if j > i:
                break
            if j == 2:
                continue
            total = total + j
        else_ = i * 2
        if else_ > 8:
            break
        last = i
    return total, last


def static(x, n):
    total, count = x, 0
    for i in (1, 5, 2, 7):
        if i == n:
            break
        if i == 5:
            continue
        total = total + i
        count = count + 1
    return total, count


def known(x, n):
    total, count = x, 0
    for i in (1, 5, 2, 7):
        if i == 2:
            continue
        if i == 7:
            break
        total = total + i * n
    return total, count


LOOPS = (rows, down, backwards, forever, nested, static, known)


@pytest.mark.covering
@pytest.mark.every(2)
@pytest.mark.parametrize("loop", LOOPS, ids=lambda loop: loop.__name__)
def test_loops_are_left_and_turns_passed_over(device, loop):
    body = xt.jit(loop)

    @xt.jit(out={**OUT, "Count": lambda X: xt.empty((1,), xt.i32)}, grid=1)
    def kernel(X, n, Y, Count):
        total, count = body(xt.load_tile(X[0:32]), n)
        xt.store_tile(total, Y[0:32])
        xt.store_tile(xt.full((1,), count).to(xt.i32), Count[0:1])

    with xt.device(device):
        for n in (1, 2, 7, 50):
            found, count = kernel(X, n)
            expected = loop(X, n)
            np.testing.assert_array_equal(found, np.float32(expected[0]))
            assert count[0] == expected[1], n


@xt.jit(out=OUT, grid=1)
def lists(X, Y, N: xt.constexpr = 4):
    parts = []
    for i in xt.static_range(N):
        parts.append(xt.load_tile(X[8 * i : 8 * i + 8]))
    for i in range(3):
        parts[0] = parts[0] + i
    parts.extend([parts[1] * 2])
    last = parts.pop()
    parts.insert(0, last)
    for i, part in enumerate(parts[:4]):
        xt.store_tile(part, Y[8 * i : 8 * i + 8])


def test_lists_grow_in_static_loops(device):
    expected = np.concatenate((X[8:16] * 2, X[:8] + 3, X[8:16], X[16:24]))
    with xt.device(device):
        np.testing.assert_array_equal(lists(X), expected)


@xt.jit(out=OUT, grid=1)
def first_left_out(X, Y):
    parts = [xt.load_tile(X[8 * i : 8 * i + 8]) for i in range(4)]
    named = {"first": parts[0], "last": parts[3]}
    parts.pop(0)
    named.pop("first")
    for i, part in enumerate(parts + list(named.values())):
        xt.store_tile(part, Y[8 * i : 8 * i + 8])


def test_what_pop_takes_out_may_be_left(device):
    with xt.device(device):
        np.testing.assert_array_equal(first_left_out(X), np.concatenate((X[8:32], X[24:32])))


@xt.jit
def grown(parts):
    parts.append(1)


@xt.jit(grid=1)
def through_a_call(X):
    parts = [0]
    grown(parts)


@xt.jit(grid=1)
def by_two_names(X):
    parts = [0]
    others = parts
    others.append(1)


@xt.jit(grid=1)
def in_one_branch(X):
    parts = [0]
    if X.shape[0] > 3:
        parts.append(1)
    xt.store_tile(xt.full((8,), parts[0], xt.f32), X[0:8])


@pytest.mark.parametrize("kernel, why", [
    (through_a_call, "holds too"), (by_two_names, "holds too"), (in_one_branch, "in one branch"),
])  # fmt: skip
def test_a_list_that_would_not_change_as_in_python_is_told(kernel, why):
    with pytest.raises(CompileError, match=why), xt.device("numpy"):
        kernel(X)


@xt.jit(out=OUT, grid=1)
def inner(X, Y, by: xt.constexpr = 2):
    def scaled(x, factor=by, *, shift=0):
        if factor == 2:
            return x * factor + shift + late
        return x

    late = 1
    total = xt.load_tile(X[0:32])
    for i in range(3):
        late = late + 1
        total = scaled(total, shift=i)
    xt.store_tile(scaled(total, 3), Y[0:32])


def test_functions_inside_of_kernels_see_their_variables_when_called(device):
    expected = ((X * 2 + 0 + 2) * 2 + 1 + 3) * 2 + 2 + 4
    with xt.device(device):
        np.testing.assert_array_equal(inner(X), expected)


def test_inner_functions_take_no_decorators():
    @xt.jit(grid=1)
    def kernel(X):
        @xt.jit
        def f(x):
            return x

    with pytest.raises(UnsupportedSyntaxError, match="take no decorators"), xt.device("numpy"):
        kernel(X)


class Layer:
    scale = 3

    @xt.jit(out=OUT, grid=1)
    def scaled(self, X, Y):
        xt.store_tile(self.helped(xt.load_tile(X[0:32])), Y[0:32])

    @xt.jit
    def helped(self, x):
        return x * self.scale

    @staticmethod
    @xt.jit(out=OUT, grid=1)
    def outside(X, Y):
        xt.store_tile(xt.load_tile(X[0:32]) * 2, Y[0:32])

    @xt.jit(out=OUT, grid=1)
    @staticmethod
    def inside(X, Y):
        xt.store_tile(xt.load_tile(X[0:32]) * 2, Y[0:32])


def test_methods_see_their_object_as_it_is(device):
    layer, other = Layer(), Layer()
    other.scale = 5
    with xt.device(device):
        for _ in range(2):
            np.testing.assert_array_equal(layer.scaled(X), X * 3)
            np.testing.assert_array_equal(other.scaled(X), X * 5)
        layer.scale = 4
        np.testing.assert_array_equal(layer.scaled(X), X * 4)
        np.testing.assert_array_equal(layer.scaled[1](X), X * 4)
        np.testing.assert_array_equal(Layer.outside(X), X * 2)
        np.testing.assert_array_equal(layer.inside(X), X * 2)
    assert layer.scaled.compile("f32[?]", "f32[?]", target="bmg").spirv
