"""Tiles whose sizes are not what hardware blocks divide give every level, device and target the same numbers."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import xetile as xt
from tests.parity.run import request, run_levels
from xetile.runtime.devices import find_device
from xetile.runtime.specialize import PerformanceWarning, specialize

SHAPES = [(24, 16), (24, 32), (13, 16), (96, 64), (40, 64), (7, 7), (5, 33), (48, 24)]
DTYPES = {"f16": np.float16, "f32": np.float32, "i8": np.int8}
OUT = ("Twice", "Transposed", "Columns", "Rows", "Top", "Right", "Beside")


@xt.jit
def plain_ops(A, R, Twice, Transposed, Columns, Rows, Top, Right, Beside, SHAPE: xt.constexpr):
    """What is done most with a tile: added, transposed, summed and searched over an axis, joined with a column."""
    M, N = SHAPE
    x = xt.load_tile(xt.init_tile(A, (0, 0), SHAPE))
    column = xt.load_tile(xt.init_tile(R, 0, (M,)))[:, None]
    xt.store_tile(x + x, xt.init_tile(Twice, (1, 2), SHAPE))
    xt.store_tile(x.T, xt.init_tile(Transposed, (1, 2), (N, M)))
    xt.store_tile(xt.sum(x, 0).to(x.dtype), xt.init_tile(Columns, (1, 2), (1, N)))
    xt.store_tile(xt.sum(x, 1).to(x.dtype), xt.init_tile(Rows, (1, 2), (M, 1)))
    xt.store_tile(xt.max(x, 0), xt.init_tile(Top, (1, 2), (1, N)))
    xt.store_tile(xt.max(x, 1), xt.init_tile(Right, (1, 2), (M, 1)))
    xt.store_tile(x + column, xt.init_tile(Beside, (1, 2), SHAPE))


def inputs(shape, dtype):
    rng = np.random.default_rng(3)
    return {"A": rng.integers(-3, 4, shape).astype(dtype), "R": rng.integers(-3, 4, shape[0]).astype(dtype)}


def expected(a, r):
    sums = {"Columns": a.sum(0, keepdims=True), "Rows": a.sum(1, keepdims=True)}
    tops = {"Top": a.max(0, keepdims=True), "Right": a.max(1, keepdims=True)}
    return {"Twice": a + a, "Transposed": a.T, **sums, **tops, "Beside": a + r[:, None]}


def framed(wanted, dtype):
    """The results inside of a frame that nobody may write to."""
    found = {}
    for name, value in wanted.items():
        found[name] = np.full((value.shape[0] + 4, value.shape[1] + 5), 77, dtype)
        found[name][1:-3, 2:-3] = value
    return found


@pytest.mark.covering
@pytest.mark.every(4, 1)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_levels(shape, dtype):
    given = inputs(shape, DTYPES[dtype])
    wanted = framed(expected(*given.values()), DTYPES[dtype])
    out = {name: np.full_like(value, 77) for name, value in wanted.items()}
    types = dict(specialize("plain_ops", {**given, **out}, find_device("numpy"), "pvc").types)
    for level, after in run_levels(request(plain_ops, types, SHAPE=shape), (1,), {**given, **out}):
        for name, value in wanted.items():
            np.testing.assert_array_equal(after[name], value, err_msg=f"{name} at level {level}")


@pytest.mark.covering
@pytest.mark.every(20, 2)
@pytest.mark.parametrize(
    "shape, dtype", [((24, 32), "f16"), ((13, 16), "f16"), ((7, 7), "f32"), ((48, 24), "f32"), ((5, 33), "i8")]
)
def test_devices(shape, dtype, device):
    given = inputs(shape, DTYPES[dtype])
    wanted = framed(expected(*given.values()), DTYPES[dtype])
    out = {name: np.full_like(value, 77) for name, value in wanted.items()}
    with xt.device(device), warnings.catch_warnings():
        warnings.simplefilter("ignore", PerformanceWarning)
        plain_ops[(1,)](*given.values(), *out.values(), SHAPE=shape)
    for name, value in wanted.items():
        np.testing.assert_array_equal(out[name], value, err_msg=name)


@xt.jit
def scaled(A, Out, SHAPE: xt.constexpr):
    """Out = A * 3 + 1"""
    x = xt.load_tile(xt.init_tile(A, (0, 0), SHAPE))
    xt.store_tile(x * 3 + 1, xt.init_tile(Out, (1, 16), SHAPE))


@pytest.mark.covering
@pytest.mark.every(2)
@pytest.mark.parametrize("subgroups", [1, 2])
@pytest.mark.parametrize("shape", [(33, 17), (64, 21), (48, 35)], ids=str)
@pytest.mark.parametrize("dtype", ["f16", "i8"])
def test_rows_that_end_inside_of_a_word(dtype, shape, subgroups):
    """What is next to the last column, in its word, stays; so do rows that the array lacks."""
    rows, columns = shape
    a = np.random.default_rng(5).integers(0, 9, shape).astype(DTYPES[dtype])
    wanted = np.full((rows - 1, 128), 77, a.dtype)
    wanted[1:, 16 : 16 + columns] = a[:-2] * 3 + 1
    what = request(scaled, dict.fromkeys(("A", "Out"), f"{dtype}[?,?]"), num_subgroups=subgroups, SHAPE=shape)
    for level, after in run_levels(what, (1,), {"A": a, "Out": np.full_like(wanted, 77)}):
        np.testing.assert_array_equal(after["Out"], wanted, err_msg=f"level {level}")


@pytest.mark.covering
@pytest.mark.every(4)
@pytest.mark.parametrize("subgroups", [None, 4, 8])
@pytest.mark.parametrize("shape, lacks", [
    *((shape, lacks) for shape in ((64, 129), (33, 255), (16, 257), (40, 131)) for lacks in (0, 4, 40)),
    *((shape, 0) for shape in ((17, 33), (16, 35), (40, 21), (8, 7))),  # arrays of fewer than 64 bytes in a row have no block messages
], ids=str)  # fmt: skip
@pytest.mark.parametrize("dtype", ["f16", "i8"])
def test_rows_that_end_inside_of_a_word_of_some_subgroups(dtype, shape, subgroups, lacks):
    """Those whose part holds the last columns store them alone; the array may end in front of them."""
    rows, columns = shape
    a = np.random.default_rng(5).integers(0, 9, shape).astype(DTYPES[dtype])
    width = max(64, -(-(16 + columns) // 16) * 16) if not lacks else (16 + columns - lacks) // 4 * 4
    wanted = np.full((rows + 3, width), 77, a.dtype)
    wanted[1 : 1 + rows, 16 : 16 + columns] = (a * 3 + 1)[:, : width - 16]
    what = request(scaled, dict.fromkeys(("A", "Out"), f"{dtype}[?,?]"), num_subgroups=subgroups, SHAPE=shape)
    for level, after in run_levels(what, (1,), {"A": a, "Out": np.full_like(wanted, 77)}):
        np.testing.assert_array_equal(after["Out"], wanted, err_msg=f"level {level}")


@pytest.mark.covering
@pytest.mark.every(8, 2)
@pytest.mark.parametrize("shape", [(64, 129), (33, 255), (16, 257), (17, 33), (16, 35), (7, 7), (8, 6)], ids=str)
@pytest.mark.parametrize("dtype", ["f16", "i8"])
def test_last_columns_on_devices(dtype, shape, device):
    """What lies beside a tile, in the last word of its rows too, stays."""
    rows, columns = shape
    a = np.random.default_rng(5).integers(0, 9, (rows, 320)).astype(DTYPES[dtype])
    wanted = np.full((rows + 3, 320), 77, a.dtype)
    wanted[1 : 1 + rows, 16 : 16 + columns] = (a * 3 + 1)[:, :columns]
    out = np.full_like(wanted, 77)
    with xt.device(device):
        scaled[(1,)](a, out, SHAPE=shape)
    np.testing.assert_array_equal(out, wanted)


@xt.jit
def turned(A, Out, SHAPE: xt.constexpr):
    x = xt.load_tile(xt.init_tile(A, (0, 0), SHAPE))
    xt.store_tile(x.T, xt.init_tile(Out, (1, 16), (SHAPE[1], SHAPE[0])))


@pytest.mark.covering
@pytest.mark.every(8, 2)
@pytest.mark.parametrize("shape", [(33, 17), (7, 7), (35, 40), (5, 33), (21, 16), (33, 1), (33, 2), (19, 1)], ids=str)
@pytest.mark.parametrize("dtype", ["f16", "i8"])
def test_last_columns_of_transposed_tiles_on_devices(dtype, shape, device):
    """Subgroups share rows that are shorter than surfaces are wide; columns that are shorter than a word come element by element."""
    columns, rows = shape
    a = np.random.default_rng(5).integers(0, 9, (64, 64)).astype(DTYPES[dtype])
    wanted = np.full((rows + 3, 128), 77, a.dtype)
    wanted[1 : 1 + rows, 16 : 16 + columns] = a[:columns, :rows].T
    out = np.full_like(wanted, 77)
    with xt.device(device):
        turned[(1,)](a, out, SHAPE=shape)
    np.testing.assert_array_equal(out, wanted)


@pytest.mark.every(2)
@pytest.mark.parametrize("target", ["pvc", "bmg", "dg2"])
@pytest.mark.parametrize("dtype", ["f16", "i8"])
@pytest.mark.parametrize("shape", [(33, 1), (17, 1), (33, 2), (33, 3)], ids=str)
def test_columns_shorter_than_a_word_are_transposed(dtype, shape, target):
    """No message brings parts of words (hardware transposes 32 bits): the compiler found no parts at all for them, and stopped."""
    a = inputs(shape, DTYPES[dtype])["A"]
    wanted = np.full((shape[1] + 3, 128), 77, a.dtype)
    wanted[1 : 1 + shape[1], 16 : 16 + shape[0]] = a.T
    what = request(turned, dict.fromkeys(("A", "Out"), f"{dtype}[?,?]"), target, SHAPE=shape)
    for level, after in run_levels(what, (1,), {"A": a, "Out": np.full_like(wanted, 77)}):
        np.testing.assert_array_equal(after["Out"], wanted, err_msg=f"level {level}")
