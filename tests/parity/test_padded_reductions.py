"""Beside products of one column or of depth 1, which round sizes of 1 up to those of DPAS: reductions still have one, and what is spread."""

from __future__ import annotations

import numpy as np
import pytest
from xetile.backends.reference.interpret import interpret

import xetile as xt
from tests.parity.run import arguments, request, trace
from xetile.passes import pipeline
from xetile.target import get_target

N = 16


@xt.jit
def lines(X, A, P, Y, AXIS: xt.constexpr, USE: xt.constexpr, DEPTH: xt.constexpr):
    """P: a product of one column, or of depth 1. Y: what `USE` makes of the maxima of X and of numbers beside them."""
    x = xt.load_tile(X[0:N, 0:N])
    top = xt.max(x, axis=AXIS)
    if DEPTH == 1:
        P[0:N, 0:N] = xt.load_tile(A[0:N, 0:1]) @ xt.load_tile(A[0:1, 0:N])
    else:
        P[0:N, 0:1] = xt.load_tile(A[0:N, 0:N]) @ xt.load_tile(A[0:N, 0:1])
    if USE == "numbers":
        top = (top + 2) * 3
    if USE == "mask":
        top = xt.where(top > 2, 1.0, 0.0)
    if USE == "moved":
        top = top[xt.arange(N) ^ 1] if AXIS == 1 else top[:, xt.arange(N) ^ 1]
    if USE == "shared":
        shared = xt.alloc_slm((N, 1) if AXIS == 1 else (1, N), xt.f32)
        tile = xt.init_tile(shared, (0, 0), (N, 1) if AXIS == 1 else (1, N))
        xt.store_tile(top + 1, tile)
        xt.barrier()
        top = xt.load_tile(tile) + top
    if USE == "loaded":
        top = xt.load_tile(X[0:N, 2:3] if AXIS == 1 else X[2:3, 0:N]) + 1
    if USE == "halves":
        top = xt.load_tile(A[0:N, 2:3] if AXIS == 1 else A[2:3, 0:N]).to(xt.f32)
    if USE == "places":
        line = xt.load_tile(A[0:N, 2:3] if AXIS == 1 else A[2:3, 0:N]).to(xt.i32)
        places = (line & 7) * X.stride(0) + (xt.arange(N)[None, :] if AXIS == 1 else xt.arange(N)[:, None])
        x = x + xt.load_gather(xt.init_tile(X, places))
    if USE == "loop":
        for _ in range(X.shape[0] - N + 2):
            top = top * 0.5 + xt.max(x, axis=AXIS)
    Y[0:N, 0:N] = x + top
    if AXIS == 1:
        Y[0:N, N : N + 1] = top
    else:
        Y[N : N + 1, 0:N] = top


def made(x, a, use, axis):
    """What `lines` adds to X."""
    top = x.max(axis, keepdims=True)
    if use == "numbers":
        return (top + 2) * 3
    if use == "mask":
        return np.where(top > 2, 1.0, 0.0)
    if use == "moved":
        return np.take(top, np.arange(N) ^ 1, 1 - axis)
    if use == "shared":
        return top + 1 + top
    if use == "loaded":
        return np.take(x, [2], axis) + 1
    if use == "halves":
        return np.take(a, [2], axis).astype(np.float32)
    return top if use in ("plain", "places") else top * 1.75


TYPES = {"X": "f32[?,?]", "A": "f16[?,?]", "P": "f32[?,?]", "Y": "f32[?,?]"}


@pytest.mark.covering
@pytest.mark.parametrize("target", ["pvc", "bmg", "dg2"])
@pytest.mark.parametrize("subgroups", [1, 4])
@pytest.mark.parametrize("depth", [1, N])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("use", ["plain", "numbers", "mask", "moved", "shared", "loop", "loaded", "halves", "places"])
def test_a_reduction_beside_a_product_of_one_column_or_of_depth_one(use, axis, depth, subgroups, target):
    rng = np.random.default_rng(axis)
    x, a = rng.integers(-9, 9, (N, N)).astype(np.float32), rng.integers(-4, 4, (N, N)).astype(np.float16)
    product, result = np.full((N, N), 7, np.float32), np.full((N + 1, N + 1), 7, np.float32)
    given = {"X": x, "A": a, "P": product.copy(), "Y": result.copy()}
    wide, top = a.astype(np.float32), made(x, a, use, axis)
    product[:, : N if depth == 1 else 1] = wide[:, :1] @ wide[:1] if depth == 1 else wide @ wide[:, :1]
    rows = np.take(a, 2, axis).astype(int) & 7
    picked = (x[rows, :] if axis == 1 else x[rows, :].T) if use == "places" else 0
    result[:N, :N] = x + top + picked
    result[:N, N:] = top if axis == 1 else 7
    result[N:, :N] = top if axis == 0 else 7
    what, chip = request(lines, TYPES, target, subgroups, AXIS=axis, USE=use, DEPTH=depth), get_target(target)
    for level, module in pipeline.lower(trace(what), chip):
        after = {name: array.copy() for name, array in given.items()}
        interpret(module, (1, 1, 1), arguments(module.kernel, after), target=target)
        np.testing.assert_array_equal(after["P"], product, err_msg=level)
        np.testing.assert_array_equal(after["Y"], result, err_msg=level)


@xt.jit
def one_number(X, A, P, Y):
    """X and P as above; Y: an element of X times another, spread over rows and columns that are rounded otherwise."""
    P[0:N, 0:N] = xt.load_tile(A[0:N, 0:1]) @ xt.load_tile(A[0:1, 0:N])
    Y[0:N, 0 : 4 * N] = xt.zeros((N, 4 * N), xt.f32) - xt.load_tile(X[3:4, 2:3]) * xt.load_tile(X[5:6, 1:2])


@pytest.mark.parametrize("target", ["pvc", "bmg", "dg2"])
@pytest.mark.parametrize("subgroups", [1, 4])
def test_one_number_is_spread(subgroups, target):
    rng = np.random.default_rng(1)
    x, a = rng.integers(1, 9, (N, N)).astype(np.float32), rng.integers(-4, 4, (N, N)).astype(np.float16)
    given = {"X": x, "A": a, "P": np.zeros((N, N), np.float32), "Y": np.zeros((N, 4 * N), np.float32)}
    for level, module in pipeline.lower(trace(request(one_number, TYPES, target, subgroups)), get_target(target)):
        after = {name: array.copy() for name, array in given.items()}
        interpret(module, (1, 1, 1), arguments(module.kernel, after), target=target)
        np.testing.assert_array_equal(after["Y"], np.full((N, 4 * N), -x[3, 2] * x[5, 1]), err_msg=level)
