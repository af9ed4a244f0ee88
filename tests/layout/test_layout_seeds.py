"""The examples of the seeds, as explicit tables."""

from __future__ import annotations

import pytest

from xetile.layout import Layout, parse


def lane_grid(layout: Layout, shape) -> list[list[int]]:
    """The first lane that holds each element of one subgroup's tile."""
    owners = layout.drop_sg().owners(shape)
    return [[owners[i, j][0][1] for j in range(shape[1])] for i in range(shape[0])]


# Seed 002, LayoutAttr, examples 1 to 6.


def test_example_1_lanes_row_major():
    layout = parse("#xegpu.layout<lane_layout = [2, 8], lane_data = [1, 1]>")
    assert lane_grid(layout, (2, 8)) == [[0, 1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 13, 14, 15]]
    assert layout.unit_shape((2, 8)) == (1, 1)


def test_example_2_lanes_column_major():
    layout = parse("#xegpu.layout<lane_layout = [2, 8], lane_data = [1, 1], order = [0, 1]>")
    assert lane_grid(layout, (2, 8)) == [[0, 2, 4, 6, 8, 10, 12, 14], [1, 3, 5, 7, 9, 11, 13, 15]]


def test_example_3_units_of_2x2_round_robin():
    layout = parse("#xegpu.layout<inst_data = [8, 16], lane_layout = [2, 8], lane_data = [2, 2]>")
    row0, row1 = ([first + i // 2 for i in range(16)] for first in (0, 8))
    assert lane_grid(layout, (8, 16)) == [row0, row0, row1, row1, row0, row0, row1, row1]
    # One 8x16 block gives each lane two units of 2x2; the text's four units are those of two such blocks, as in a 16x16 tile.
    assert layout.lane_elements((8, 16), 9) == [(2, 2), (2, 3), (3, 2), (3, 3), (6, 2), (6, 3), (7, 2), (7, 3)]
    assert layout.fragment_length((16, 16)) == 16
    assert layout.lane_elements((16, 16), 9)[8:] == [(10, 2), (10, 3), (11, 2), (11, 3), (14, 2), (14, 3), (15, 2), (15, 3)]


def test_example_4_subgroups_and_lanes():
    layout = parse("#xegpu.layout<sg_layout = [2, 4], sg_data = [16, 16], lane_layout = [2, 8], lane_data = [1, 1]>")
    assert [[layout.sg_id((i, j)) for j in range(4)] for i in range(2)] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert [layout.pieces((32, 64), sg) for sg in range(8)] == [[(16 * i, 16 * j)] for i in range(2) for j in range(4)]
    assert layout.lane_elements((16, 16), 11)[:3] == [(1, 3), (1, 11), (3, 3)]
    assert layout.owners((32, 64))[17, 35] == ((6, 11),)


def test_example_5_order_for_subgroups_and_lanes():
    text = "#xegpu.layout<sg_layout = [2, 4], sg_data = [16, 16], lane_layout = [2, 8], lane_data = [1, 1], order = [0, 1]>"
    layout = parse(text)
    assert [[layout.sg_id((i, j)) for j in range(4)] for i in range(2)] == [[0, 2, 4, 6], [1, 3, 5, 7]]
    assert lane_grid(layout, (2, 8)) == [[0, 2, 4, 6, 8, 10, 12, 14], [1, 3, 5, 7, 9, 11, 13, 15]]


def test_example_6_two_instructions():
    layout = parse(
        "#xegpu.layout<sg_layout = [2, 4], sg_data = [16, 16], inst_data = [8, 16], lane_layout = [2, 8], lane_data = [1, 1]>"
    )
    assert layout.blocks((16, 16)) == [(0, 0), (8, 0)]
    assert layout.block_shape((16, 16)) == (8, 16)
    first, second = layout.lane_elements((16, 16), 0)[:8], layout.lane_elements((16, 16), 0)[8:]
    assert first == [(0, 0), (0, 8), (2, 0), (2, 8), (4, 0), (4, 8), (6, 0), (6, 8)]
    assert second == [(i + 8, j) for i, j in first]


# Seed 002, SliceAttr.


def test_slice_shares_along_the_removed_dimension():
    layout = parse("#xegpu.layout<sg_layout = [8, 4], sg_data = [32, 32]>")
    reduced = layout.slice((0,))
    for sg in range(32):
        assert reduced.pieces((128,), sg) == [(sg % 4 * 32,)]
    # Groups of eight subgroups, those of one column of sg_layout, share one vector<32xf32>.
    assert reduced.owners((128,))[40,] == tuple((sg, 0) for sg in range(32) if sg % 4 == 1)


# Seed 002, TensorDescType: 1-D examples.


def test_one_dimensional_lanes():
    pairs = Layout(lane_layout=(16,), lane_data=(2,))
    assert pairs.lane_elements((32,), 3) == [(6,), (7,)]
    strided = Layout(lane_layout=(16,), lane_data=(1,))
    assert strided.lane_elements((32,), 3) == [(3,), (19,)]


# Seed 001, workgroup level: [128, 128] by [2, 2] and [32, 128].


def test_the_workgroup_table_of_the_rfc():
    wg_map = parse("#xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 128]>")
    subtiles = {0: [0, 1], 32: [2, 3], 64: [0, 1], 96: [2, 3]}
    for row, subgroups in subtiles.items():
        for i, j in ((row, 0), (row + 31, 127)):
            assert [sg for sg, _ in wg_map.owners((128, 128))[i, j]] == subgroups
    assert wg_map.rounds((128, 128)) == (2, 1)
    assert wg_map.pieces((128, 128), 3) == [(32, 0), (96, 0)]
    rows, columns = wg_map.sg_spread((128, 128))
    assert (rows.wraps, rows.round_stride, rows.size) == (False, 64, 32)
    assert (columns.wraps, columns.distinct) == (True, 1)


# Seed 000, order.


@pytest.mark.parametrize(
    ("order", "table"),
    [
        ((1, 0), [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15]]),
        ((0, 1), [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]]),
    ],
)
def test_order_of_4x4_subgroups(order, table):
    layout = Layout((4, 4), order=order)
    assert [[layout.sg_id((i, j)) for j in range(4)] for i in range(4)] == table


def test_order_in_three_dimensions():
    d0, d1, d2 = 2, 3, 4
    x, y, z = 1, 2, 3
    assert Layout((d0, d1, d2), order=(2, 1, 0)).sg_id((x, y, z)) == z + d2 * y + d2 * d1 * x
    # The seed writes y + dim_2 * z here, which gives two subgroups one number unless dim_1 = dim_2: dim_1 is meant.
    assert Layout((d0, d1, d2), order=(1, 2, 0)).sg_id((x, y, z)) == y + d1 * z + d2 * d1 * x


# Seed 000, examples of WI distribution and the rules for PVC and ARC: tile, lane_layout, lane_data, elements of a lane.


@pytest.mark.parametrize(
    ("shape", "lanes", "data", "length"),
    [
        ((8, 16), (1, 16), (1, 1), 8),
        ((8, 32), (1, 16), (1, 2), 16),
        ((12, 32), (1, 16), (1, 1), 24),
        ((12, 32), (1, 16), (1, 2), 24),
        ((16, 16), (1, 16), (2, 1), 16),
        ((16, 8), (16, 1), (1, 1), 8),
        ((16, 16), (16, 1), (1, 2), 16),
        ((8, 8), (2, 8), (1, 1), 4),
        ((32, 16), (1, 16), (4, 1), 32),
        ((8, 16), (1, 8), (1, 2), 16),
        ((8, 32), (1, 8), (1, 4), 32),
        ((16, 8), (1, 8), (2, 1), 16),
        ((32, 8), (1, 8), (4, 1), 32),
    ],
)
def test_fragment_lengths(shape, lanes, data, length):
    layout = Layout(lane_layout=lanes, lane_data=data)
    assert layout.fragment_length(shape) == length
    assert len(layout.lane_elements(shape, 0)) == length


def test_a_fragment_of_b_has_rows_ascending():
    """VNNI pairs of rows are neighbours, which is the order of rows (SPV_INTEL_2d_block_io, transform)."""
    layout = Layout(lane_layout=(1, 16), lane_data=(2, 1))
    assert layout.lane_elements((16, 16), 5) == [(row, 5) for row in range(16)]


def test_a_fragment_of_tf32_a_has_every_other_row():
    """u32 blocks of width 8 on 16 lanes: lanes 0 to 7 hold even rows, 8 to 15 odd ones."""
    layout = Layout(lane_layout=(2, 8), lane_data=(1, 1))
    assert layout.lane_elements((8, 8), 3) == [(0, 3), (2, 3), (4, 3), (6, 3)]
    assert layout.lane_elements((8, 8), 11) == [(1, 3), (3, 3), (5, 3), (7, 3)]


def test_dimensions_smaller_than_the_lanes_are_shared():
    layout = Layout(lane_layout=(1, 16), lane_data=(1, 1))
    assert layout.lane_elements((4, 1), 0) == layout.lane_elements((4, 1), 13) == [(0, 0), (1, 0), (2, 0), (3, 0)]
    assert layout.lane_elements((1, 8), 2) == layout.lane_elements((1, 8), 10) == [(0, 2)]
    packed = Layout(lane_layout=(1, 16), lane_data=(2, 1))
    assert packed.lane_elements((1, 16), 7) == [(0, 7)]
