"""Columns of products on DG2, where lanes load what products take: powers of two, which a workgroup shares out evenly."""

import re

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch


@xt.jit
def product(A, B, C, BN: xt.constexpr, BK: xt.constexpr):
    acc = xt.zeros((32, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        acc += xt.load_tile(xt.init_tile(A, (0, k), (32, BK))) @ xt.load_tile(xt.init_tile(B, (k, 0), (BK, BN)))
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (32, BN)))


def launch(columns: int, depth: int) -> Launch:
    rng = np.random.default_rng(columns)
    a, b = (rng.integers(-2, 3, shape).astype(np.float16) for shape in ((32, 100), (100, columns - 5)))
    expected = a.astype(np.float32) @ b.astype(np.float32)
    values = {"A": a, "B": b, "C": np.zeros_like(expected)}
    return Launch(product, values, {"C": expected}, constants={"BN": columns, "BK": depth}, num_subgroups=8)


def multiplied(case: Launch, target: str) -> set[str]:
    """Depth and columns of what a workgroup multiplies in a step."""
    lines = [line for line in case.compiled(target).ir["layout"].splitlines() if "xetile.tile_mma" in line]
    return {re.search(r", vector<(\d+x\d+)xf16>", line)[1] for line in lines}


@pytest.mark.parametrize("columns,whole", [(48, 64), (72, 128), (96, 128)])
def test_columns_are_powers_of_two(columns, whole):
    assert multiplied(launch(columns, 32), "dg2") == {f"32x{whole}"}


def test_columns_of_block_messages_are_whole_steps():
    assert multiplied(launch(96, 32), "pvc") == {"32x96"}


def test_what_tiles_move_on_by_stays():
    assert multiplied(launch(48, 48), "dg2") == {"48x48"}


@pytest.mark.parametrize("columns,depth", [(48, 32), (72, 32), (48, 48)])
def test_the_same_numbers(columns, depth):
    case = launch(columns, depth)
    case.at_levels("dg2")
    case.on_device("cpu", "dg2")
