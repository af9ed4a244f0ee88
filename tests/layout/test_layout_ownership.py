"""Ownership by Layout equals a table that acts the seeds' words out, for all small layouts."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

from tests.layout import layout_oracle as oracle
from xetile.errors import LayoutError
from xetile.layout import Layout, Spread, table
from xetile.layout.spread import spread

NAMES = ("sg_layout", "sg_data", "the tile")


def legal(extent: int, count: int, size: int) -> bool:
    """The rule of seed 001, and that no piece crosses the edge."""
    unit = count * min(size, extent) if size % extent == 0 else count * size
    return (extent % size == 0 or size % extent == 0) and (unit % extent == 0 or extent % unit == 0)


LEGAL_AXES = [axis for axis in product((1, 2, 3, 4, 6, 8), (1, 2, 3, 4), (1, 2, 3, 4, 8)) if legal(*axis)]


@pytest.mark.parametrize("extent", range(1, 13))
def test_a_spread_deals_like_the_rfc(extent):
    for count, size in product(range(1, 9), range(1, 15)):
        if not legal(extent, count, size):
            with pytest.raises(LayoutError):
                spread(extent, count, size, NAMES, 0)
            continue
        one = spread(extent, count, size, NAMES, 0)
        hands = oracle.distribute(extent, count, size)
        assert [list(one.elements(c)) for c in range(count)] == hands
        assert [one.mask(c) for c in range(count)] == [sum(1 << i for i in set(hand)) for hand in hands]
        assert one.wraps == (hands.count(hands[0]) > 1)
        assert one.whole == (len(hands[0]) == extent)
        if not one.wraps:
            assert max(one.origin(c, r) for c in range(count) for r in range(one.rounds)) < extent


@pytest.mark.parametrize("extent", range(1, 13))
def test_the_symbolic_form_gives_the_same_origins(extent):
    """What a pass emits: the coordinate modulo `distinct` only where it wraps, then scale and add the round."""
    for count, size in product(range(1, 9), range(1, 13)):
        if not legal(extent, count, size):
            continue
        one = spread(extent, count, size, NAMES, 0)
        for coordinate, turn in product(range(count), range(one.rounds)):
            part = coordinate % one.distinct if one.wraps else coordinate
            assert part * one.size + turn * one.round_stride == one.origin(coordinate, turn)


@pytest.mark.every(2)
@pytest.mark.parametrize("order", list(permutations(range(2))))
def test_subgroups_of_all_small_tiles(order):
    for (n0, c0, s0), (n1, c1, s1) in product(LEGAL_AXES[::2], LEGAL_AXES[::3]):
        layout = Layout((c0, c1), (s0, s1), order=order)
        shape = (n0, n1)
        expected = oracle.held(shape, (c0, c1), (s0, s1), order)
        for sg, elements in enumerate(expected):
            piece = layout.piece_shape(shape)
            corners = layout.pieces(shape, sg)
            assert [oracle.add(corner, e) for corner in corners for e in product(*map(range, piece))] == elements


RANK_1 = [Layout((c,), (s,), (i,), (cl,), (sl,)) for c, s, i, cl, sl in product((1, 2), (2, 4, 8), (2, 4), (1, 2, 4), (1, 2))]
RANK_2 = [
    Layout((c0, c1), (s0, s1), (i0, i1), (l0, l1), (d0, d1), order)
    for (c0, s0, i0, l0, d0), (c1, s1, i1, l1, d1), order in product(
        [(1, 4, 2, 1, 2), (2, 2, 2, 2, 1), (2, 4, 4, 1, 1), (4, 4, 2, 2, 1), (1, 8, 4, 2, 2)],
        [(1, 8, 4, 4, 1), (2, 4, 4, 2, 2), (2, 2, 2, 4, 1), (4, 2, 2, 2, 1), (1, 1, 1, 4, 1)],
        [(), (0, 1)],
    )
]
RANK_3 = [
    Layout((2, 1, 2), (2, 4, 4), (1, 4, 2), (1, 2, 2), (1, 2, 1), order)
    for order in ((), (0, 1, 2), (1, 2, 0), (2, 0, 1), (1, 0, 2))
]
TILES = {1: [(8,), (16,), (4,)], 2: [(8, 8), (4, 8), (16, 8), (8, 1), (1, 8)], 3: [(4, 4, 8), (2, 8, 4)]}
CASES = [(layout, shape) for layout in RANK_1 + RANK_2 + RANK_3 for shape in TILES[layout.rank]]


def is_legal(layout: Layout, shape) -> bool:
    try:
        layout.check(shape)
    except LayoutError:
        return False
    return True


def test_most_cases_are_legal():
    assert sum(is_legal(*case) for case in CASES) > 200


def test_every_lane_holds_what_the_table_says():
    for layout, shape in CASES:
        if not is_legal(layout, shape):
            continue
        expected = oracle.fragments(shape, layout)
        for (sg, lane), elements in expected.items():
            assert layout.elements(shape, sg, lane) == elements, (layout, shape, sg, lane)
        fragment = layout.fragment_length(layout.piece_shape(shape))
        rounds = len(layout.pieces(shape, 0))
        assert {len(elements) for elements in expected.values()} == {fragment * rounds}


def test_owners_is_the_inverse():
    for layout, shape in CASES[::7]:
        if not is_legal(layout, shape):
            continue
        expected = {index: set() for index in product(*map(range, shape))}
        for owner, elements in oracle.fragments(shape, layout).items():
            for index in elements:
                expected[index].add(owner)
        assert layout.owners(shape) == {index: tuple(sorted(owners)) for index, owners in expected.items()}
        assert all(expected.values()), "each element has an owner"


def test_the_table_distributes_a_tile():
    for layout, shape in CASES[::5]:
        if not is_legal(layout, shape):
            continue
        tile = np.arange(oracle.size(shape)).reshape(shape)
        distributed = tile.reshape(-1)[table(layout, shape)]
        for (sg, lane), elements in oracle.fragments(shape, layout).items():
            assert distributed[sg, lane].tolist() == [tile[e] for e in elements]


@pytest.mark.parametrize("layout", [(4,), (2, 3), (4, 4), (2, 3, 4), (1, 4, 1)])
def test_ids_and_coordinates(layout):
    for order in permutations(range(len(layout))):
        both = Layout(sg_layout=layout, lane_layout=layout, order=order)
        coordinates = oracle.number(layout, order)
        assert [both.sg_coords(i) for i in range(len(coordinates))] == coordinates
        assert [both.lane_coords(i) for i in range(len(coordinates))] == coordinates
        assert [both.sg_id(c) for c in coordinates] == list(range(len(coordinates)))
        assert [both.lane_id(c) for c in coordinates] == list(range(len(coordinates)))
    assert Layout(sg_layout=layout).sg_strides == Layout(sg_layout=layout, order=tuple(range(len(layout)))[::-1]).sg_strides


def test_default_sg_data_is_an_even_share():
    assert Layout((8, 4)).piece_shape((256, 256)) == (32, 64)
    assert Layout((8, 4)).piece_shape((256, 1)) == (32, 1)
    assert Layout((8, 4)).sg_spread((256, 1))[1] == Spread(1, 4, 1)


def test_a_slice_holds_what_its_parent_holds_of_the_kept_dimensions():
    for layout in RANK_3:
        for dims in ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2)):
            kept = [d for d in range(3) if d not in dims]
            for shape in TILES[3]:
                if not is_legal(layout, shape):
                    continue
                small = tuple(shape[d] for d in kept)
                for sg, lane in product(range(layout.num_subgroups), range(layout.num_lanes)):
                    whole = {tuple(index[d] for d in kept) for index in layout.elements(shape, sg, lane)}
                    assert set(layout.slice(dims).elements(small, sg, lane)) == whole


def test_a_slice_of_a_slice():
    layout = RANK_3[0]
    nested = layout.slice((0,)).slice((1,))
    assert nested.kept == (1,)
    assert nested.flat() == layout.slice((0, 2))
    assert nested.rank == 1
    assert nested.elements((8,), 1, 2) == layout.slice((0, 2)).elements((8,), 1, 2)
