"""Rows of shared memory come by block messages where lanes read them side by side; other accesses stay."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from tests.passes.golden_kernels import ROWS, borrowed
from xetile.passes.lane.numbers.join_rows import _steps
from xetile.target import get_target


def product(dtype, rows):
    """Each subgroup takes all of what the others have added up as second operand."""

    @xt.jit(grid=(1,))
    def kernel(X, Y):
        total, state = xt.zeros((rows, 32), xt.f32), xt.zeros((32, 32), xt.f32)
        for i in range(2):
            x = xt.load_tile(xt.init_tile(X, (i, 0), (rows, 32))).to(xt.f32)
            state += xt.load_tile(xt.init_tile(X, (0, i), (32, 32))).to(xt.f32)
            total += x @ state
        xt.store_tile(total.to(dtype), xt.init_tile(Y, (0, 0), (rows, 32)))

    return kernel


@xt.jit(grid=(1,))
def linear_attention(Q, K, V, Out):
    """A state that subgroups share by rows and take as second operand whole."""
    state = xt.zeros((32, 32), xt.f32)
    for t in range(0, Q.shape[0], 16):
        q, k, v = (xt.load_tile(xt.init_tile(A, (t, 0), (16, 32))) for A in (Q, K, V))
        xt.store_tile(q @ state, xt.init_tile(Out, (t, 0), (16, 32)))
        state = state * 0.5 + k.T @ v


@xt.jit(grid=(1,), num_subgroups=2)
def shifted(X, Y, n):
    """Rows of a buffer from a place that is known to the launch only; each second one; with a column more."""
    halves = xt.wg_map((2, 1), (16, 16))
    shared = xt.alloc_slm((40, 16), xt.f32)
    xt.store_tile(xt.full((40, 16), 7.0), xt.init_tile(shared, (0, 0), (40, 16)))
    xt.barrier()
    xt.store_tile(
        xt.load_tile(xt.init_tile(X, (0, 0), (32, 16), wg_map=halves)), xt.init_tile(shared, (0, 0), (32, 16), wg_map=halves)
    )
    xt.barrier()
    here = xt.load_tile(xt.init_tile(shared, (n, 0), (32, 16), wg_map=halves))
    beside = xt.load_tile(xt.init_tile(shared, (1, 1), (32, 16), wg_map=halves))
    beyond = xt.load_tile(xt.init_tile(shared, (20, 0), (32, 16), wg_map=halves))
    xt.store_tile(here + beside * 10 + beyond * 100, xt.init_tile(Y, (0, 0), (32, 16), wg_map=halves))


def _shifted(x, n):
    shared = np.full((60, 32), 0, np.float32)
    shared[:40, :16] = 7
    shared[:32, :16] = x
    return shared[n : n + 32, :16] + shared[1:33, 1:17] * 10 + shared[20:52, :16] * 100


@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_rows_of_others_come_by_one_message(target):
    text = borrowed.compile(*ROWS, target=target, num_subgroups=2).ir["lane"]
    rows = 16 // 2 * (16 // get_target(target).subgroup_size)
    assert text.count("subgroup_block_io") == rows // 8
    assert " xegpu.load " not in text


@pytest.mark.device
@pytest.mark.every(3, 1)
@pytest.mark.parametrize("subgroups", [2, 3, 4])
def test_values_of_operands(device, subgroups):
    rows = 24 if subgroups == 3 else 32
    x = np.random.default_rng(0).integers(-4, 5, (40, 40)).astype(np.float32)
    first, both = x[:32, :32], x[:32, :32] + x[:32, 1:33]
    y = x[:rows, :32] @ first + x[1 : rows + 1, :32] @ both
    Launch(product(xt.f32, rows), {"X": x, "Y": np.zeros((rows, 32), np.float32)}, {"Y": y}, num_subgroups=subgroups).on_device(
        device
    )


@pytest.mark.every(2)
@pytest.mark.device
def test_values_of_a_state(device):
    q, k, v = (np.random.default_rng(i).integers(-4, 5, (48, 32)).astype(np.float32) for i in range(3))
    expected, state = np.zeros((48, 32), np.float32), np.zeros((32, 32), np.float32)
    for t in range(0, 48, 16):
        expected[t : t + 16] = q[t : t + 16] @ state
        state = state * 0.5 + k[t : t + 16].T @ v[t : t + 16]
    launch = Launch(linear_attention, {"Q": q, "K": k, "V": v, "Out": np.zeros_like(q)}, {"Out": expected}, num_subgroups=8)
    launch.on_device(device)


@pytest.mark.every(2)
@pytest.mark.device
@pytest.mark.parametrize("n", [0, 3, 8])
def test_values_of_shifted_rows(device, n):
    x = np.random.default_rng(0).integers(-4, 5, (32, 16)).astype(np.float32)
    Launch(shifted, {"X": x, "Y": np.zeros_like(x), "n": n}, {"Y": _shifted(x, n)}, num_subgroups=2).on_device(device)


@pytest.mark.parametrize(("numbers", "steps"), [
    ((0,), (1, 0, 0)),
    ((0, 16, 32, 48), (1, 0, 16)),
    ((0, 0, 0), (1, 0, 0)),
    ((0, 4, 32, 36), (2, 4, 32)),
    ((0, 4, 8, 0, 4, 8), (3, 4, 0)),
    ((0, -16), None),
    ((0, 16, 0, 32), None),
])  # fmt: skip
def test_how_subgroups_follow_each_other(numbers, steps):
    assert _steps(numbers) == steps
