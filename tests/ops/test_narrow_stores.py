"""Stores of a few columns: a surface that ends behind them has less bytes in a row than block messages take."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import xetile as xt
from tests.ops.test_shapes import DTYPES
from tests.parity.run import request, run_levels
from xetile.errors import ArgumentError
from xetile.runtime.specialize import PerformanceWarning
from xetile.target.names import is_close


@xt.jit
def scaled(A, Out, X, SHAPE: xt.constexpr):
    """Out = A * 3 + 1, from a column on that is known at run time only"""
    x = xt.load_tile(xt.init_tile(A, (0, 0), SHAPE))
    start = xt.clamp(X, 0, 1000) * 4  # neither in front of the array, nor so large that it would wrap
    xt.store_tile(x * 3 + 1, xt.init_tile(Out, (1, start), SHAPE))


@xt.jit
def doubled(A, Out):
    at = (0, xt.program_id(0) * 12)
    xt.store_tile(xt.load_tile(xt.init_tile(A, at, (1, 12))) * 2, xt.init_tile(Out, at, (1, 12)))


def case(dtype, shape, columns, start):
    """A tile and an array of so many columns, which is 77 but where the tile is written."""
    given = np.random.default_rng(3).integers(0, 9, (shape[0], 64 // np.dtype(DTYPES[dtype]).itemsize * 2)).astype(DTYPES[dtype])
    wanted = np.full((shape[0] - 1, columns), 77, given.dtype)
    written = given[: shape[0] - 2, : min(shape[1], max(0, columns - start))] * 3 + 1
    wanted[1:, start : start + shape[1]] = written
    return given, wanted


# Rows of 512, 128 and 80 bytes; the last lie too close. Starts: from those that make surfaces narrow to those beyond the array.
CASES = [("f16", (33, 9), 256, 0), ("f16", (33, 9), 256, 20), ("f16", (33, 9), 256, 28), ("f16", (9, 21), 64, 4),
         ("f16", (9, 21), 40, 4), ("f16", (9, 21), 64, 52), ("f16", (9, 8), 64, 64), ("f32", (17, 11), 32, 0),
         ("f32", (17, 11), 20, 8), ("f32", (17, 3), 128, 12), ("i8", (9, 20), 128, 40), ("i8", (9, 20), 80, 40),
         ("i8", (9, 21), 512, 4), ("i8", (17, 67), 512, 0), ("i8", (16, 21), 512, 4), ("i8", (33, 23), 128, 108),
         ("i8", (33, 29), 80, 0), ("i8", (17, 18), 512, 0)]  # fmt: skip


@pytest.mark.every(3, 1)
@pytest.mark.parametrize("dtype, shape, columns, start", CASES)
def test_every_level(dtype, shape, columns, start):
    given, wanted = case(dtype, shape, columns, start)
    mark = ";close" if is_close("pvc", columns * given.itemsize) else ""
    what = request(scaled, {"A": f"{dtype}[?,?]", "Out": f"{dtype}[?,?{mark}]", "X": "i32"}, SHAPE=shape)
    for level, after in run_levels(what, (1,), {"A": given, "Out": np.full_like(wanted, 77), "X": start // 4}):
        np.testing.assert_array_equal(after["Out"], wanted, err_msg=f"level {level}")


@pytest.mark.every(30, 6)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize("dtype, shape, columns, start", CASES)
def test_machine_code(dtype, shape, columns, start, target):
    """The simulator holds what a surface may be."""
    given, wanted = case(dtype, shape, columns, start)
    out = np.full_like(wanted, 77)
    with xt.device(f"sim:{target}"), warnings.catch_warnings():
        warnings.simplefilter("ignore", PerformanceWarning)
        scaled[(1,)](given, out, start // 4, SHAPE=shape)
    np.testing.assert_array_equal(out, wanted)


def test_saved_kernels_say_which_rows_they_take():
    """Compiled for rows that lie far apart; those of an array whose rows lie close are told how to compile."""
    made = scaled.compile("f16[?,?]", "f16[?,?]", "i32", SHAPE=(9, 21), target="pvc")
    (one,) = made.binary.requires.asserted
    assert "Out.stride(0) >= 64" in one.text
    close = scaled.compile("f16[?,?]", "f16[?,?;close]", "i32", SHAPE=(9, 21), target="pvc")
    assert not close.binary.requires.asserted
    with pytest.raises(ArgumentError, match="without the mark close"):
        made.binary.requires.check("scaled", {"A": np.zeros((9, 64), "f2"), "Out": np.zeros((9, 40), "f2"), "X": 0})


@pytest.mark.every(2)
@pytest.mark.parametrize("columns, target", [(5, "bmg"), (29, "pvc"), (29, "bmg"), (200, "pvc")])
def test_arrays_of_one_row_are_as_far_apart_as_they_are_passed(columns, target):
    """numpy notes the length of the row as the stride of its only row; a launch passes another one."""
    given, out = np.arange(columns, dtype="f4")[None], np.zeros((1, columns), "f4")
    with xt.device(f"sim:{target}"), warnings.catch_warnings():
        warnings.simplefilter("ignore", PerformanceWarning)
        doubled[(-(-columns // 12),)](given, out)
    np.testing.assert_array_equal(out, given * 2)


def test_arrays_without_block_messages_may_have_any_pitch():
    made = scaled.compile("f16[?,?]", "f16[?,?;scattered]", "i32", SHAPE=(9, 21), target="pvc")
    assert not made.binary.requires.asserted
