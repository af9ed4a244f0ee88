"""Random control flow (`control`), and what it found."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import xetile as xt
from tests.generators.control import control
from tests.ops.run import Launch


@given(st.randoms(use_true_random=False))
def test_levels_agree_with_plain_python(random):
    control(random, cpu_share=0.0).check()


@pytest.mark.device
@pytest.mark.parametrize("seed", range(4))
def test_the_device_agrees_with_plain_python(seed):
    control(Random(seed), cpu_share=1.0).check()


@xt.jit
def moved_by_what_a_value_holds(A, Out):
    """The way that a tile moves is worked out by every lane."""
    tile = xt.init_tile(A, (0, 16), (16, 32))
    d = xt.cast(xt.max(xt.load_tile(tile)), xt.i32)
    if xt.program_id(0) != 1:
        tile = xt.update_tile_offset(tile, (d % 5, 0))
    xt.store_tile(xt.load_tile(tile), xt.init_tile(Out[xt.program_id(0)], (0, 0), (16, 32)))


def test_a_tile_moved_in_a_branch_by_what_a_value_holds(device):
    a = np.random.default_rng(0).integers(-3, 4, (40, 64)).astype(np.float32)
    expected = np.stack([a[3:19, 16:48], a[:16, 16:48], a[3:19, 16:48]])
    case = Launch(moved_by_what_a_value_holds, {"A": a, "Out": np.zeros((3, 16, 32), np.float32)}, {"Out": expected}, grid=(3,))
    case.on_device(device)
    case.at_levels()


@xt.jit
def copied(A, Out, ROWS: xt.constexpr, COLUMNS: xt.constexpr):
    xt.store_tile(xt.load_tile(xt.init_tile(A, (0, 0), (ROWS, COLUMNS))), xt.init_tile(Out, (0, 0), (ROWS, COLUMNS)))


@pytest.mark.parametrize("shape", [(5, 16), (13, 20), (3, 12)], ids=str)
def test_stores_that_end_within_the_runs_of_lanes(shape):
    """DG2: lanes hold runs of eight elements of a row; the tile ends in rows, or within a run."""
    a = np.arange(40 * 64, dtype=np.float32).reshape(40, 64)
    expected = np.zeros_like(a)
    expected[: shape[0], : shape[1]] = a[: shape[0], : shape[1]]
    constants = {"ROWS": shape[0], "COLUMNS": shape[1]}
    Launch(copied, {"A": a, "Out": np.zeros_like(a)}, {"Out": expected}, constants=constants, num_subgroups=2).at_levels("dg2")
