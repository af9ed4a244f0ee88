"""Layouts of tiles that nothing shapes: few messages, and whole rows where ops along rows ask for them."""

import re

import pytest

from tests.kernels.plain_sequences import CASES as RECURRENT
from tests.kernels.plain_windows import in_two_loops
from tests.parity.run import uncompiled
from xetile.passes.workgroup.layouts.choose import Traffic, choose_plain
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
