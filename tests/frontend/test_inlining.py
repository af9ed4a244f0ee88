"""Kernels that call other kernels: traced in place, with results, defaults, keywords, and early returns of their own."""

import pytest

import xetile as xt
from tests.language.running import ops_of, scalars, traced
from xetile.errors import CompileError, ConstexprError, TileShapeError

OFFSET = 40
TABLE = (5, 6)


@xt.jit
def scaled(x, factor=3, *, plus=0):
    return x * factor + plus


@xt.jit
def clipped(x, low, high):
    """Ends early in two places."""
    if x < low:
        return low
    if x > high:
        return high
    return x


@xt.jit
def both(x, y):
    return clipped(x, 0, 9), clipped(y, -1, 1)


@xt.jit
def store_first(A, value):
    xt.store_tile(value, xt.init_tile(A, 0, (1,)))


@xt.jit
def repeated(x, times: xt.constexpr):
    for _ in xt.static_range(times):
        x = x * 2
    return x


def test_defaults_and_keywords():
    def kernel(a):
        return scaled(a), scaled(a, 2), scaled(factor=4, x=a), scaled(a, plus=a)

    assert scalars(xt.jit(kernel), 5, n=4) == [15, 10, 20, 20]


def test_early_returns_end_the_inner_function_only():
    def kernel(a, b):
        x, y = both(a, b)
        total = 0
        for i in range(12):
            total += clipped(i, 3, 5)
        return x, y, total

    assert scalars(xt.jit(kernel), -4, 7, n=3) == [0, 1, 3 * 4 + 4 + 5 * 7]
    assert scalars(xt.jit(kernel), 4, 0, n=3) == [4, 0, 3 * 4 + 4 + 5 * 7]


def test_constexpr_parameters_take_constants():
    assert scalars(xt.jit(lambda_free), 3) == [24]


def lambda_free(a):
    return repeated(a, 3)


def test_constexpr_parameters_refuse_run_time_values():
    def kernel(n):
        repeated(n, n)

    with pytest.raises(ConstexprError, match="times of repeated is a constexpr, and i32 scalar is known at run time only"):
        ops_of(kernel, n="i32")


def test_closures_and_globals_are_constants():
    factor = 7

    def kernel(a):
        return a * factor + OFFSET + TABLE[1]

    assert scalars(xt.jit(kernel), 2) == [14 + 40 + 6]


def test_plain_functions_run_while_tracing():
    def twice(x):
        return x + x

    def kernel(a):
        return twice(a) + twice(4)

    assert scalars(xt.jit(kernel), 3) == [14]


def test_functions_without_a_result_give_none():
    def kernel(A, n):
        assert store_first(A, n) is None

    assert "xetile.store_tile" in ops_of(kernel, A="i32[?]", n="i32")


def test_errors_show_the_chain_of_calls():
    @xt.jit
    def inner(x):
        return x @ x

    def outer(A):
        inner(xt.load_tile(xt.init_tile(A, (0, 0), (16, 32))))

    with pytest.raises(TileShapeError) as caught:
        ops_of(outer, A="f16[?,?]")
    text = str(caught.value)
    assert text.splitlines()[2].endswith("in inner")
    assert "  called from" in text and "inner(xt.load_tile(" in text


def test_ops_know_who_called():
    def outer(A):
        store_first(A, 3)

    (store,) = [op for op in traced(outer, A="i32[?]").walk() if op.opname == "xetile.store_tile"]
    assert store.loc.function == "store_first" and store.loc.caller.function == "outer"


@xt.jit
def endless(a):
    return endless(a)


def test_recursion_is_refused():
    with pytest.raises(CompileError, match="calls are nested more than 40 deep"):
        ops_of(endless, a="i32")


def no_arguments(a):
    scaled()


def too_many(a):
    scaled(a, 1, 2)


def twice_given(a):
    scaled(a, x=a)


def unknown_name(a):
    scaled(a, fctor=3)


@pytest.mark.parametrize(
    "kernel,message",
    [
        (no_arguments, "scaled needs x"),
        (too_many, "scaled takes 2 arguments, not 3"),
        (twice_given, "scaled is given x twice"),
        (unknown_name, "scaled has no parameter fctor"),
    ],
)
def test_wrong_arguments(kernel, message):
    with pytest.raises(CompileError, match=message):
        ops_of(kernel, a="i32")


def through_python(x, *factors):
    """Plain Python, which runs while the kernel is traced."""
    return [scaled(x, factor) for factor in factors]


def test_plain_python_may_call_kernels():
    def kernel(a):
        two, four = through_python(a, 2, 4)
        return two, four, scaled(a)

    assert scalars(xt.jit(kernel), 5, n=3) == [10, 20, 15]


def test_mistakes_in_kernels_that_plain_python_calls_show_the_way():
    def kernel(a):
        return through_python(a, "x")

    with pytest.raises(CompileError) as error:
        traced(xt.jit(kernel), a="i32")
    at = error.value.at
    assert at is not None and at.text == "x * factor" and at.caller is not None and at.caller.text == 'through_python(a, "x")'


def test_kernels_launch_no_kernels():
    def launch(a):
        return scaled[(4,)](a)

    def kernel(a):
        return launch(a)

    def directly(a):
        return scaled[(4,)](a)

    for wrong in (kernel, directly):
        with pytest.raises(CompileError, match="only the host can") as error:
            traced(xt.jit(wrong), a="i32")
        assert "without a grid" in str(error.value)
