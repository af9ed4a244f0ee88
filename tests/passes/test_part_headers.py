"""Loads of a loop at places that differ by constants get headers of their own where messages add none, and registers are left."""

import re

import pytest

import xetile as xt
from tests.passes.golden_kernels import PRODUCT, rows_in_turn


@xt.jit(grid=(1,))
def steps(A, B, C, N: xt.constexpr):
    """Second operands of `N` rows, which move, and of two blocks of columns, which do not."""
    a, acc = xt.load_tile(xt.init_tile(A, (0, 0), (8, 32))), xt.zeros((8, N), xt.f32)
    for n in range(0, B.shape[0], N):
        acc += a @ xt.load_tile(xt.init_tile(B, (n, 0), (N, 32))).T
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (8, N)))


@xt.jit(grid=(1,))
def skipped(A, B, C, n: xt.i32):
    """The same in rounds that a condition skips."""
    a, acc = xt.load_tile(xt.init_tile(A, (0, 0), (8, 32))), xt.zeros((8, 32), xt.f32)
    for i in range(0, B.shape[0], 32):
        if (i // 32) % 3 < n:
            acc += a @ xt.load_tile(xt.init_tile(B, (i, 0), (32, 32))).T
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (8, 32)))


@xt.jit(grid=(1,))
def columns(A, B, C):
    """Rows that move, of blocks whose columns lie a constant apart and stay."""
    acc = xt.zeros((8, 64), xt.f32)
    for k in range(0, A.shape[1], 16):
        acc += xt.load_tile(xt.init_tile(A, (0, k), (8, 16))) @ xt.load_tile(xt.init_tile(B, (k, 0), (16, 64)))
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (8, 64)))


def headers(kernel) -> list[int]:
    """The numbers of the loads in a kernel's loop, as they come."""
    loop = kernel.ir["lane"].split("scf.for")[1]
    return [int((re.findall(r"xetile.header = (\d+)", line) or "0")[0]) for line in loop.splitlines() if "load_nd" in line]


@pytest.mark.parametrize("rows", [16, 128])
def test_each_place_among_rows_that_move_has_a_header(rows):
    """Of each block of columns: two of them here."""
    found = headers(steps.compile(*PRODUCT, N=rows, target="pvc", num_subgroups=1))
    assert sorted(found) == sorted(2 * list(range(rows // 16)))


def test_columns_that_stay_have_headers_anyway():
    assert set(headers(columns.compile(*PRODUCT, target="pvc", num_subgroups=1))) == {0}


def test_messages_that_add_constants_share_theirs():
    assert set(headers(rows_in_turn.compile(*PRODUCT, target="bmg", num_subgroups=1))) == {0}


def test_loads_in_branches_have_none():
    assert "xetile.header" not in skipped.compile(*PRODUCT, "i32", target="pvc", num_subgroups=1).ir["lane"]


@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.SpillWarning")
def test_registers_that_are_taken_give_none():
    """Sums of 8x512 f32 take all of them."""
    counts = [len(set(headers(steps.compile(*PRODUCT, N=n, target="pvc", num_subgroups=1)))) for n in (128, 512)]
    assert counts == [8, 1]
