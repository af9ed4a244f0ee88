"""Propagation from results to operands: the seeds' examples, and that owners keep their elements."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from xetile.errors import LayoutError
from xetile.layout import (
    Layout,
    Movement,
    derive_broadcast,
    derive_mma,
    derive_reduce,
    derive_shape_cast,
    derive_transpose,
    movement,
    table,
)


def test_mma_operands_as_in_the_rfc():
    a, b = derive_mma(Layout((8, 4), (32, 64)), 256, 256, 32)
    assert a == Layout((8, 4), (32, 32))
    assert b == Layout((8, 4), (32, 64))
    assert derive_mma(Layout((8, 4)), 256, 256, 32) == (a, b)
    ordered, _ = derive_mma(Layout((8, 4), (32, 64), lane_layout=(1, 16), order=(0, 1)), 256, 256, 32)
    assert ordered == Layout((8, 4), (32, 32), order=(0, 1))


@pytest.mark.parametrize(
    "result", [Layout((2, 2), (4, 8)), Layout((2, 2), (2, 8)), Layout((4, 1), (2, 16)), Layout((2, 4), (8, 4), order=(0, 1))]
)
def test_each_subgroup_has_the_operands_of_its_result(result):
    m, n, k = 8, 16, 4
    a, b = derive_mma(result, m, n, k)
    for sg in range(result.num_subgroups):
        rows = {i for i, _ in result.elements((m, n), sg)}
        columns = {j for _, j in result.elements((m, n), sg)}
        assert set(a.elements((m, k), sg)) == set(product(rows, range(k)))
        assert set(b.elements((k, n), sg)) == set(product(range(k), columns))


def test_reduce_source_without_the_dimension():
    result = Layout((32,), (8,), lane_layout=(16,), lane_data=(1,))
    expected = Layout((32, 1), (8, 128), lane_layout=(1, 16), lane_data=(1, 1))
    assert derive_reduce(result, (1,), (256, 128)) == expected
    result = Layout((8, 4), (1, 32), lane_layout=(1, 16), lane_data=(1, 1))
    expected = Layout((8, 1, 4), (1, 32, 32), lane_layout=(1, 1, 16), lane_data=(1, 1, 1))
    assert derive_reduce(result, (1,), (8, 32, 128)) == expected


def test_broadcast_source():
    assert derive_broadcast(Layout((16, 1), (16, 256)), (1,)) == Layout((16, 1), (16, 1))


def test_a_sliced_source_serves_a_broadcast_over_split_dimensions():
    result = Layout((8, 4), (4, 8))
    source = result.slice((0,))
    for sg in range(32):
        assert set(source.elements((32,), sg)) == {(j,) for _, j in result.elements((32, 32), sg)}


def test_transpose_source():
    result = Layout((4, 8), (32, 64), lane_layout=(1, 16), lane_data=(1, 1))
    expected = Layout((8, 4), (64, 32), lane_layout=(16, 1), lane_data=(1, 1), order=(0, 1))
    assert derive_transpose(result, (1, 0)) == expected
    assert derive_transpose(Layout((4, 8), (32, 64)), (1, 0)).with_order() == Layout((8, 4), (64, 32))


@pytest.mark.parametrize("perm", [(0, 1, 2), (1, 0, 2), (2, 0, 1), (1, 2, 0), (2, 1, 0)])
def test_owners_keep_their_elements_in_a_transposition(perm):
    source = Layout((2, 1, 4), (2, 4, 2), (1, 4, 2), (1, 2, 2), (1, 2, 1))
    shape = (4, 4, 8)
    result = source.transpose(perm)
    moved = tuple(shape[p] for p in perm)
    for sg, lane in product(range(8), range(4)):
        held = {tuple(index[p] for p in perm) for index in source.elements(shape, sg, lane)}
        assert set(result.elements(moved, sg, lane)) == held
    assert derive_transpose(result, perm) == source


def test_transposing_without_an_order_moves_elements():
    """A wg_map is row-major only, so the RFC's source map of a transposition needs shared memory."""
    result = Layout((4, 8), (32, 64))
    source = derive_transpose(result, (1, 0))
    assert movement(source.with_order(), source, (512, 128)) is Movement.SUBGROUPS
    assert movement(source, source, (512, 128)) is Movement.NONE


def test_shape_cast_as_in_the_seed():
    result = Layout((8, 1, 4), (1, 32, 32), lane_layout=(1, 1, 16), lane_data=(1, 1, 1))
    source = Layout((8, 4), (32, 32), lane_layout=(1, 16), lane_data=(1, 1))
    assert derive_shape_cast(result, (8, 32, 128), (256, 128)) == source
    assert derive_shape_cast(source, (256, 128), (8, 32, 128)) == result


CASTS = [
    ((8, 16), (128,)),
    ((128,), (8, 16)),
    ((8, 16), (8, 4, 4)),
    ((8, 4, 4), (8, 16)),
    ((8, 16), (8, 1, 16)),
    ((8, 1, 16), (8, 16)),
    ((1, 8, 16), (8, 16)),
    ((8, 16), (8, 16, 1)),
    ((4, 2, 16), (8, 16)),
]


@pytest.mark.parametrize(("new", "old"), CASTS)
def test_owners_keep_their_elements_in_a_shape_cast(old, new):
    """Every derived layout has the owners of the result; what cannot be said is refused, and not everything is."""
    derived = 0
    for layout in layouts_of_rank(len(new), new):
        try:
            source = derive_shape_cast(layout, new, old)
        except LayoutError:
            continue
        derived += 1
        mine, theirs = table(layout, new), table(source, old)
        for sg in range(layout.num_subgroups):
            assert set(mine[sg].ravel().tolist()) == set(theirs[sg].ravel().tolist()), (layout, source)
            for lane in range(layout.num_lanes):
                assert set(mine[sg, lane].tolist()) == set(theirs[sg, lane].tolist()), (layout, source)
    assert derived >= 4


def layouts_of_rank(rank, shape):
    choices = [1, 2, 4]
    for counts in product(choices, repeat=rank):
        if int(np.prod(counts)) > 8:
            continue
        for parts in product((1, 2), repeat=rank):
            data = tuple(max(1, e // c // p) for e, c, p in zip(shape, counts, parts, strict=True))
            for lanes in ((), (*[1] * (rank - 1), 4), (4, *[1] * (rank - 1))):
                layout = Layout(counts, data, lane_layout=lanes, lane_data=(1,) * rank if lanes else ())
                try:
                    layout.check(shape)
                except LayoutError:
                    continue
                yield layout


def test_shape_cast_refuses_scattered_pieces():
    with pytest.raises(LayoutError, match="not contiguous"):
        derive_shape_cast(Layout((2, 2), (4, 8)), (8, 16), (128,))
    with pytest.raises(LayoutError, match="number of elements"):
        derive_shape_cast(Layout((2, 2)), (8, 16), (64,))


def test_parts_come_and_go():
    full = Layout((8, 4), (32, 64), (8, 16), (1, 16), (1, 1), (0, 1))
    assert full.drop_sg() == Layout((), (), (8, 16), (1, 16), (1, 1), (0, 1))
    assert Layout((8, 4)).drop_sg() is None
    assert Layout((8, 4), inst_data=(8, 16), order=(0, 1)).drop_sg() == Layout(inst_data=(8, 16))
    assert full.slice((0,)).drop_sg() == full.drop_sg().slice((0,))
    assert full.unsplit((1,)) == Layout((8, 4), (32, 1), (8, 1), (1, 16), (1, 1), (0, 1))
    assert Layout((8, 4), (32, 64)).with_lanes((1, 16), (1, 1)).with_inst((8, 16)) == full.with_order()


def test_expanding_keeps_the_ids_of_subgroups():
    full = Layout((8, 4), (32, 64), (8, 16), (1, 16), (1, 1), (0, 1))
    for dim in range(3):
        grown = full.expand(dim, 7)
        assert grown.sg_data[dim] == 7
        assert grown.rank == 3
        assert [grown.sg_id((*c[:dim], 0, *c[dim:])) for c in product(range(8), range(4))] == [
            full.sg_id(c) for c in product(range(8), range(4))
        ]
