"""Kernels that do nothing where something is meant: told, and not passed over in silence."""

import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import xetile as xt
from xetile.errors import CompileError
from xetile.frontend.tracer import NoEffectWarning

X = np.arange(8, dtype=np.float32)


@xt.jit(out={"Y": lambda X: xt.empty(X.shape, X.dtype), "Z": lambda X: xt.empty(X.shape, X.dtype)}, grid=1)
def first_alone(X, Y, Z, BOTH: xt.constexpr = False):
    Y[0:8] = xt.load_tile(X[0:8])
    if BOTH:
        Z[0:8] = xt.load_tile(X[0:8]) * 2


@pytest.mark.parametrize("device", ["numpy", "cpu"])
def test_an_output_that_a_kernel_leaves_undefined_is_not_given_back(device):
    with xt.device(device):
        with pytest.raises(CompileError, match="first_alone stores nothing to its output Z") as raised:
            first_alone(X)
        assert (raised.value.at.line, raised.value.at.column) == (first_alone.fn.__code__.co_firstlineno + 1, 22)
        assert np.array_equal(first_alone(X, BOTH=True)[1], X * 2)
        with pytest.raises(CompileError, match="output Z"):
            first_alone(X)


def test_an_output_that_is_given_or_begins_as_zeros_may_stay():
    @xt.jit(out={"Y": lambda X: xt.zeros(X.shape, X.dtype)}, grid=1)
    def at_most(X, Y, WRITE: xt.constexpr = False):
        xt.device_assert(xt.max(xt.load_tile(X[0:8])) < 100)
        if WRITE:
            Y[0:8] = 1

    with xt.device("numpy"):
        assert not at_most(X).any()
        assert first_alone(X, None, np.ones(8, np.float32)).sum() == X.sum()


def test_a_kernel_that_stores_nothing_warns_at_what_it_computes_in_vain():
    @xt.jit(grid=1)
    def forgetful(X, Y):
        x = xt.load_tile(X[0:8])
        y = x * 2  # noqa: F841

    with xt.device("numpy"), pytest.warns(NoEffectWarning, match="forgetful reads arrays and stores nothing") as told:
        forgetful(X, X.copy())
    assert (told[0].filename, told[0].lineno) == (__file__, forgetful.fn.__code__.co_firstlineno + 3)


def test_kernels_that_print_assert_or_only_speak_do_not_warn(capsys):
    @xt.jit(grid=1)
    def speaks(X):
        xt.static_print(xt.load_tile(X[0:8]))

    @xt.jit(grid=1)
    def prints(X):
        xt.device_print(xt.max(xt.load_tile(X[0:8])))

    @xt.jit(grid=1)
    def asserts(X):
        xt.device_assert(xt.load_tile(X[0:8]) >= 0)

    with xt.device("numpy"), warnings.catch_warnings():
        warnings.simplefilter("error")
        for kernel in (speaks, prints, asserts):
            kernel(X)
    assert "f32[8]" in capsys.readouterr().out


@pytest.mark.parametrize(("n", "factor"), [(1, 2), (3, 2), (4, 1)])
def test_a_scalar_may_be_sought_in_a_tuple(n, factor):
    @xt.jit(out={"Y": lambda X: xt.empty(X.shape, X.dtype)}, grid=1)
    def chosen(X, Y, n):
        x = xt.load_tile(X[0:8])
        if n in (1, 3):
            x = x * 2
        Y[0:8] = x + 1 if n not in (1, 3) else x

    with xt.device("numpy"):
        assert np.array_equal(chosen(X, n=n), X * 2 if factor == 2 else X + 1)


@pytest.mark.parametrize("call", ["xt.device('numpy')", "xt.debug()"])
def test_a_block_that_is_none_says_so(call):
    """It changed nothing, without a word: kernels ran elsewhere, and unchecked."""
    with pytest.warns(NoEffectWarning, match="alone changes nothing: write `with xt") as told:
        exec(compile(f"\n\n{call}\n", "file.py", "exec"), {"xt": xt})
    assert (told[0].filename, told[0].lineno) == ("file.py", 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kept = eval(call)
        for _ in range(2):
            with kept as info, kept:
                assert info.kind == "numpy"
                assert first_alone(X, BOTH=True)[0].sum() == X.sum()

        @kept
        def decorated():
            return xt.runtime.devices.current_device().kind

        with ThreadPoolExecutor(4) as pool:
            assert set(pool.map(lambda _: decorated(), range(40))) == {"numpy"}


@pytest.mark.parametrize("call", [lambda a: xt.cumsum(a, 0), lambda a: xt.tile_mma(a, a), lambda a: xt.load_tile(a),
                                  lambda a: xt.init_tile(a, 0, (8,)), lambda a: xt.roll(a, 1, 0), lambda a: xt.tile_transpose(a),
                                  lambda a: xt.bitcast(a, xt.i32), lambda a: xt.associative_scan(a, a, 0)])  # fmt: skip
def test_functions_of_kernels_say_first_that_they_are(call):
    with pytest.raises(CompileError, match="works only inside a kernel"):
        call(X)
