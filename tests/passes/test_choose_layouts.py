"""Layouts of tiles that nothing shapes: few messages, and whole rows where ops along rows ask for them."""

import re
from math import prod

import numpy as np
import pytest

import xetile as xt
from tests.kernels.plain_attention import CASES as ATTENTION
from tests.kernels.plain_quantized import CASES as QUANTIZED
from tests.kernels.plain_rows import CASES as BY_PLACES
from tests.kernels.plain_sequences import CASES as RECURRENT
from tests.kernels.plain_windows import in_two_loops
from tests.ops.run import Launch
from tests.parity.run import uncompiled
from xetile.passes.analysis.products import MmaTypes
from xetile.passes.workgroup.layouts.choose import Product, Traffic, choose_plain, choose_product
from xetile.target import get_target

PVC, DG2 = get_target("pvc"), get_target("dg2")
ELEMENTWISE = (Traffic("load", 4), Traffic("load", 4), Traffic("store", 4))


def messages(layout, traffic):
    return sum(t.messages(*layout.sg_data, PVC) for t in traffic)


@pytest.mark.parametrize("subgroups", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("traffic", [ELEMENTWISE, (Traffic("load", 2), Traffic("store", 4)), (Traffic("store", 2),)])
def test_no_other_share_takes_fewer_messages(subgroups, traffic):
    shape = (32, 128)
    chosen = choose_plain(shape, subgroups, PVC, None, traffic)
    shares = [(shape[0] // r, shape[1] // (subgroups // r)) for r in (1, 2, 4, 8, 16) if subgroups % r == 0]
    least = min(sum(t.messages(*share, PVC) for t in traffic) for share in shares if share[1] % 16 == 0)
    assert messages(chosen, traffic) == least


def test_one_message_loads_a_share_of_a_sum():
    chosen = choose_plain((32, 128), 8, PVC, None, ELEMENTWISE)
    assert chosen.sg_data == (32, 16)
    assert messages(chosen, ELEMENTWISE) == 1 + 1 + 4


def test_what_is_reduced_stays_whole():
    assert choose_plain((8, 512), 8, PVC, 1, ELEMENTWISE).sg_data == (1, 512)
    assert choose_plain((512, 128), 8, PVC, 0, ELEMENTWISE).sg_data == (512, 16)


def test_without_block_messages_rows_are_long():
    assert choose_plain((32, 128), 8, DG2, None, ELEMENTWISE).sg_data == (4, 128)


def test_sums_that_fill_the_registers_are_worked_out_once_though_all_multiply_by_them():
    case = RECURRENT["retention"]
    kernel = uncompiled(case.kernel, *case.types, target="pvc", num_subgroups=8)
    (carried,) = re.findall(r"wg_maps = \[([^>]*)>", kernel.ir["layout"])
    rows, columns = map(int, re.search(r"sg_data = \[(\d+), (\d+)\]", carried).groups())
    assert 8 * rows * columns == 64 * 64


def test_loops_one_after_the_other_hold_their_sums_once():
    types = ("f16[?,?,?]",) * 4 + ("f32",)
    assert uncompiled(in_two_loops, *types, target="pvc").local_size == (256, 1, 1)


def subgroups(case, target, **constants):
    kernel = uncompiled(case.kernel, *case.types, target=target, **{**case.constants, **constants})
    return prod(kernel.local_size) // get_target(target).subgroup_size


@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_products_are_divided_by_odd_numbers_where_powers_of_two_leave_some_of_it_to_several(target):
    product = BY_PLACES["matmul by places"]
    assert subgroups(product, target, BM=80, BN=80) == 5
    assert subgroups(product, target, BM=160, BN=160) == 20
    assert subgroups(product, target, BM=128, BN=96) == 8  # a power of two, with as few loads


@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_columns_that_are_worked_out_are_divided_by_three(target):
    """Of eight subgroups two would work the same 48 columns out that six have a third of."""
    assert subgroups(QUANTIZED["weights f8e4m3"], target, BN=96) == 6
    assert subgroups(QUANTIZED["weights f8e4m3"], target) == 8


@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_rows_that_are_reduced_stay_in_one_subgroup(target):
    assert subgroups(ATTENTION["attention"], target, BM=96) == 6


def test_as_many_subgroups_share_a_part_as_do_not_divide_the_blocks():
    """Twelve blocks by six, for 32 subgroups that have all rows: two halves of three blocks."""
    product = Product(96, 96, 64, MmaTypes("f16", "f16", "f32"), bound=0)
    assert choose_product(product, 32, PVC).sg_data == (96, 48)


@xt.jit
def later(one, other):
    return one[0] * other[0], one[1] * other[0] + other[1]


@xt.jit
def recurrence(A, B, Y, M: xt.constexpr = 32, N: xt.constexpr = 16):
    """Y[i] = A[i] * Y[i - 1] + B[i], and what was there a row before."""
    a, b = xt.load_tile(A[0:M, 0:N]), xt.load_tile(B[0:M, 0:N])
    y = xt.associative_scan(later, (a, b), axis=0)[1]
    Y[0:M, 0:N] = y + xt.where(xt.arange(M)[:, None] > 0, xt.roll(y, 1, 0), 0)


F = "f32[?,?]"


@pytest.mark.parametrize(("columns", "subgroups"), [(16, 1), (64, 4)])
@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_rows_that_change_places_stay_in_one_subgroup(target, columns, subgroups):
    kernel = uncompiled(recurrence, F, F, F, target=target, N=columns)
    assert f"num_subgroups = {subgroups} " in kernel.ir["layout"]
    assert not any(name in kernel.ir["lane"] for name in ("gpu.barrier", "alloca", "gpu.shuffle"))


def test_rows_that_fit_no_subgroup_do_not():
    assert "num_subgroups = 16 " in uncompiled(recurrence, F, F, F, target="pvc", M=64, N=64).ir["layout"]


@pytest.mark.every(3)
@pytest.mark.parametrize("shape", [(32, 16), (32, 64), (20, 40)], ids=str)
def test_rows_that_change_places(device, shape):
    rng = np.random.default_rng(0)
    a, b, y = *(rng.integers(-1, 2, shape).astype(np.float32) for _ in "ab"), np.zeros(shape)
    for i in range(shape[0]):
        y[i] = b[i] + (a[i] * y[i - 1] if i else 0)
    expected = (y + np.concatenate((0 * y[:1], y[:-1]))).astype(np.float32)
    constants = {"M": shape[0], "N": shape[1]}
    Launch(recurrence, {"A": a, "B": b, "Y": np.zeros_like(a)}, {"Y": expected}, (1,), constants).on_device(device)


@xt.jit
def summed_area(X, Y, FIRST: xt.constexpr, M: xt.constexpr = 64, N: xt.constexpr = 256):
    """Y[i, j] = the sum of X above and to the left."""
    x = xt.load_tile(xt.init_tile(X, (0, 0), (M, N)))
    y = xt.cumsum(xt.cumsum(x, axis=FIRST), axis=1 - FIRST)
    xt.store_tile(y, xt.init_tile(Y, (0, 0), (M, N)))


@pytest.mark.parametrize("target", ["pvc", "bmg", "dg2"])
def test_sums_along_both_axes_take_one_map_whichever_comes_first(target):
    """Rows first took a subgroup for each row, of which the last one added 63 others: 6,394 instructions and 13 KB spilled on PVC."""
    kernels = [uncompiled(summed_area, F, F, target=target, FIRST=first) for first in (0, 1)]
    assert len({re.search(r"tile_scan.*(sg_layout = [^>]*)", kernel.ir["layout"])[1] for kernel in kernels}) == 1
    assert all(kernel.ir["lane"].count("\n") < 2000 for kernel in kernels)


@pytest.mark.every(2)
@pytest.mark.parametrize("first", [0, 1])
def test_sums_along_both_axes(device, first):
    x = np.random.default_rng(0).integers(-4, 5, (16, 96)).astype(np.float32)
    values = {"X": x, "Y": np.zeros_like(x)}
    Launch(summed_area, values, {"Y": x.cumsum(0).cumsum(1)}, (1,), {"FIRST": first, "M": 16, "N": 96}).on_device(device)
