"""Indices kept inside of an array by `% size`, as in Triton's matmul: tiles where nobody sees what wraps, gathers where somebody does."""

from dataclasses import replace

import numpy as np
import pytest
from xetile.backends.reference.interpret import interpret

import xetile as xt
from tests.parity.run import arguments, request
from xetile.dialects import xetile as dialect
from xetile.dialects.rows import LoadRows
from xetile.passes import pipeline
from xetile.passes.analysis.index_ranges import index_ranges
from xetile.runtime.compiler import trace
from xetile.runtime.settings import override
from xetile.target import get_target

M, N, K, T = 20, 24, 24, 32


@xt.jit
def wrapped(A, B, V, C, S, USE: xt.constexpr):
    """C: rows of A times columns of B, plus V's elements, all of which wrap; S: sums of its rows or columns."""
    m, n, k = xt.arange(T), xt.arange(T), xt.arange(T)
    rows, columns = m % A.shape[0], n % B.shape[1]
    a = xt.load_gather(xt.init_tile(A, rows[:, None] * A.stride(0) + k[None, :]), k[None, :] < A.shape[1])
    b = xt.load_gather(xt.init_tile(B, k[:, None] * B.stride(0) + columns[None, :]), k[:, None] < B.shape[0])
    product = a @ b + xt.load_gather(xt.init_tile(V, columns))[None, :]
    if USE == "branches":
        for _ in range(2):
            if A.shape[0] > 3:
                product += xt.where(m[:, None] > 4, product, 1)
            else:
                product *= 2
    if USE == "sum of columns":
        xt.store_scatter(xt.sum(product, axis=0), xt.init_tile(S, n[None, :]), n[None, :] < B.shape[1])
    elif USE == "sum of rows":
        product = product * (n[None, :] < B.shape[1])
        xt.store_scatter(xt.sum(product, axis=1), xt.init_tile(S, m[:, None]), m[:, None] < A.shape[0])
    elif USE == "transposed":
        there = (n[:, None] < B.shape[1]) & (m[None, :] < A.shape[0])
        xt.store_scatter(product.T, xt.init_tile(C, n[:, None] * C.stride(0) + m[None, :]), there)
    elif USE == "tile":
        xt.store_tile(product, xt.init_tile(C, (0, 0), (T, T)))
    else:
        more = 5 if USE == "further" else -2 if USE == "nearer" else 0
        there = (m[:, None] < A.shape[0] + more) & (n[None, :] < B.shape[1])
        first = C.stride(0) if USE == "next row" else 0
        places = xt.init_tile(C, first + m[:, None] * C.stride(0) + n[None, :])
        if USE == "added":
            xt.atomic_rmw_tile("add", product, places, there)
        else:
            xt.store_scatter(product, places, there)


def expected(a, b, v, use):
    whole = np.tile(a, (2, 1))[:T].astype(np.float32) @ np.tile(b, 2)[:, :T] + np.tile(v, 2)[:T]
    if use == "branches":
        for _ in range(2):
            whole += np.where(np.arange(T)[:, None] > 4, whole, 1)
    shape = {"transposed": (N, M), "tile": (T, T), "further": (M + 5, N), "next row": (M + 1, N)}.get(use, (M, N))
    c, s = np.zeros(shape, np.float32), np.zeros({"sum of columns": N}.get(use, M), np.float32)
    if use == "sum of columns":
        s[:] = whole.sum(0)[:N]
    elif use == "sum of rows":
        s[:] = whole[:M, :N].sum(1)
    elif use == "transposed":
        c[:] = whole[:M, :N].T
    elif use == "tile":
        c[:] = whole
    else:
        last, first = M + {"further": 5, "nearer": -2}.get(use, 0), use == "next row"
        c[first : last + first, :N] = whole[:last, :N]
    return c, s


HIDDEN = ("ends", "added", "transposed", "branches", "next row")
SEEN = ("sum of rows", "sum of columns", "tile", "further", "nearer")
TYPES = {"A": "f16[?,?]", "B": "f16[?,?]", "V": "f32[?]", "C": "f32[?,?]", "S": "f32[?]"}


def numbers():
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-3, 4, shape).astype(np.float16) for shape in ((M, K), (K, N)))
    return {"A": a, "B": b, "V": rng.integers(-9, 9, N).astype(np.float32)}


@pytest.mark.covering
@pytest.mark.parametrize("target", ["pvc", "dg2"])
@pytest.mark.parametrize("use", [*HIDDEN, *SEEN])
def test_what_wraps(use, target):
    given = numbers()
    c, s = expected(*given.values(), use)
    what, given = request(wrapped, TYPES, target, 2, USE=use), {**given, "C": np.zeros_like(c), "S": np.zeros_like(s)}
    if index_ranges(trace(what)).failing((1, 1, 1), given) is not None:  # as a launch does
        what = replace(what, index_bits=64)
    for level, module in pipeline.lower(trace(what), get_target(target)):
        after = {name: array.copy() for name, array in given.items()}
        interpret(module, (1, 1, 1), arguments(module.kernel, after), target=target)
        np.testing.assert_array_equal(after["C"], c, err_msg=level)
        np.testing.assert_array_equal(after["S"], s, err_msg=level)
        if level == "layout":
            assert module.has((dialect.LoadGather, LoadRows)) != (use in HIDDEN)


@xt.jit
def unfolded(X, W, Y, B: xt.constexpr = 32):
    """Y[i] = the row of X from its element i * pitch on, as long as W has rows, times W: windows overlap where W has more."""
    m, n, acc = xt.program_id(0) * B + xt.arange(B)[:, None], xt.arange(B)[None, :], xt.zeros((B, B), xt.f32)
    for k in range(0, W.shape[0], B):
        i, j = k + xt.arange(B)[:, None], k + xt.arange(B)[None, :]
        x = xt.load_gather(xt.init_tile(X, m * X.stride(0) + j), (m < Y.shape[0]) & (j < W.shape[0]))
        acc += x @ xt.load_gather(xt.init_tile(W, i * W.shape[1] + n), (i < W.shape[0]) & (n < W.shape[1]))
    xt.store_scatter(acc, xt.init_tile(Y, m * Y.shape[1] + n), (m < Y.shape[0]) & (n < Y.shape[1]))


@pytest.mark.covering
@pytest.mark.every(3)
@pytest.mark.parametrize("target", ["pvc", "bmg", "dg2"])
@pytest.mark.parametrize("depth", [16, 8, 40])
def test_what_was_taken_for_the_same_is_found_out(depth, target):
    """A mask by W's rows is taken for one by X's columns, and lengths of rows for pitches: launches of others get another kernel."""
    rng = np.random.default_rng(depth)
    x, w = rng.integers(-3, 4, (40, 16)).astype(np.float16), rng.integers(-3, 4, (depth, 32)).astype(np.float16)
    found = np.zeros((36, 32), np.float32)
    windows = np.lib.stride_tricks.sliding_window_view(x.reshape(-1), depth)[::16][:36]
    with override(cpu="emulate"), xt.device("cpu"):
        unfolded[2, 1](x, w, found, target=target)
    np.testing.assert_array_equal(found, windows.astype(np.float32) @ w.astype(np.float32))


def test_saved_kernels_say_what_they_were_compiled_for():
    ranges = unfolded.compile("f16[?,?]", "f16[?,?]", "f32[?,?]", target="pvc").binary.ranges
    arrays = {"X": np.zeros((40, 16), np.float16), "W": np.zeros((8, 32), np.float16), "Y": np.zeros((36, 32), np.float32)}
    check = ranges.failing((2, 1, 1), arrays)
    assert check is not None and ranges.assumed(check) == "X.shape[1] is W.shape[0]"
    arrays["W"] = np.zeros((16, 64), np.float16)[:, :32]
    check = ranges.failing((2, 1, 1), arrays)
    assert check is not None and ranges.assumed(check) == "W.shape[1] is W.stride(0)"
