"""Random control flow (`control`), and what it found."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import xetile as xt
from tests.generators.control import control
from tests.ops.run import Launch
from tests.sampling import few


@few(10)
@given(st.randoms(use_true_random=False))
def test_levels_agree_with_plain_python(random):
    replace(control(random), way="").check()


@pytest.mark.slow
@given(st.randoms(use_true_random=False))
def test_levels_agree_with_plain_python_on_more(random):
    replace(control(random), way="").check()


@pytest.mark.every(24)
@pytest.mark.device
@pytest.mark.parametrize("first", range(0, 120, 5))
def test_levels_and_the_cpu_agree_with_plain_python(first):
    for seed in range(first, first + 5):
        try:
            replace(control(Random(seed)), way="vector" if seed % 4 == 0 else "").check()
        except Exception as error:
            raise AssertionError(f"seed {seed}: {error}") from error


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


@xt.jit
def either_value_takes_a_product(H, G, A, Out, which):
    """The two values have maps that follow from each other's reductions."""
    u, v = xt.load_tile(xt.init_tile(A, (0, 0), (24, 16))), xt.load_tile(xt.init_tile(A, (24, 0), (24, 16)))
    n = xt.zeros((24, 16), xt.i32) + which
    r, q = xt.max(u, 1), xt.min(v, 0)
    if which % 2 == 1:
        u += xt.load_tile(xt.init_tile(H, (0, 0), (24, 16))) @ xt.load_tile(xt.init_tile(G, (0, 0), (16, 16)))
        r = xt.max(v, 1)
    else:
        v += xt.load_tile(xt.init_tile(H, (0, 0), (24, 16))) @ xt.load_tile(xt.init_tile(G, (0, 0), (16, 16)))
    xt.store_tile(u + r, xt.init_tile(Out[0], (0, 0), (24, 16)))
    xt.store_tile(v + q + n.to(xt.f32), xt.init_tile(Out[1], (0, 0), (24, 16)))


def _narrow() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.integers(-3, 4, (32, 48)).astype(np.float16), rng.integers(-3, 4, (48, 16)).astype(np.float16)


@pytest.mark.parametrize("which", [0, 1])
def test_narrow_products_in_one_of_two_branches(which):
    h, g = _narrow()
    a = (np.arange(48 * 16, dtype=np.float32) % 11 - 5).reshape(48, 16)
    u, v = a[:24], a[24:]
    product = h[:24, :16].astype(np.float32) @ g[:16]
    first = u + product + v.max(1, keepdims=True) if which else u + u.max(1, keepdims=True)
    second = v + (0 if which else product) + v.min(0) + which
    values = {"H": h, "G": g, "A": a, "Out": np.zeros((2, 24, 16), np.float32), "which": which}
    Launch(either_value_takes_a_product, values, {"Out": np.stack([first, second])}, num_subgroups=2).at_levels()


@xt.jit
def product_with_an_operand_that_a_branch_carries(H, G, Out, steps):
    """One load of the tile is an operand of a product alone, another is carried as well: both come in the blocks of the second."""
    h, tile = xt.load_tile(xt.init_tile(H, (0, 0), (32, 16))), xt.init_tile(G, (0, 0), (16, 32))
    g, w, step = xt.load_tile(tile), xt.zeros((32, 32), xt.f32), 0
    while step < steps:
        if step % 2 == 0:
            for _ in xt.static_range(2):
                w = w * 2 - h @ g
                g = xt.load_tile(tile)
                tile = xt.update_tile_offset(tile, (16, 0))
        step += 1
    xt.store_tile(w, xt.init_tile(Out, (0, 0), (32, 32)))


@pytest.mark.every(2)
@pytest.mark.parametrize("target", ["bmg", "pvc", "dg2"])
def test_loads_of_one_tile_for_products_and_to_carry(target):
    rng = np.random.default_rng(0)
    h, g = rng.integers(-3, 4, (32, 16)).astype(np.float16), rng.integers(-3, 4, (64, 32)).astype(np.float16)
    w, at = np.zeros((32, 32), np.float32), [0, 0, 16, 32]
    for row in at:
        w = w * 2 - h.astype(np.float32) @ g[row : row + 16]
    values = {"H": h, "G": g, "Out": np.zeros_like(w), "steps": 3}
    Launch(product_with_an_operand_that_a_branch_carries, values, {"Out": w}, num_subgroups=8).at_levels(target)
