"""Moves between fragments, against lanes simulated with numpy."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from xetile.layout import Layout
from xetile.passes.lane.lower.fragments import Fetch, coordinate_functions, fit, fragments, moves

ROW = Layout(lane_layout=(1, 16), lane_data=(1, 1))
TWO_ROWS = Layout(lane_layout=(2, 8), lane_data=(1, 1))
PAIRS = Layout(lane_layout=(1, 16), lane_data=(1, 2))
VNNI = Layout(lane_layout=(1, 16), lane_data=(2, 1))
COLUMN = Layout(lane_layout=(16, 1), lane_data=(1, 1))


def spread(array: np.ndarray, layout: Layout) -> np.ndarray:
    """[lane, slot]: what each lane holds of an array."""
    return np.array([[array[at] for at in elements] for elements in fragments(array.shape, layout)])


def perform(held: np.ndarray, plan: list[Fetch]) -> np.ndarray:
    """What each lane holds after the moves."""
    lanes = range(len(held))
    out = np.empty((len(held), len(plan)), held.dtype)
    for slot, fetch in enumerate(plan):
        for lane in lanes:
            source = fetch.sources[fetch.choose(lane)]
            out[lane, slot] = held[lane if source.lane is None else source.lane(lane), source.slot]
    return out


LAYOUTS = (ROW, TWO_ROWS, PAIRS, VNNI)
CONVERSIONS = [
    pytest.param(shape, source, target, id=f"{shape}-{source}-{target}")
    for shape in [(8, 16), (16, 16), (8, 32), (32, 32)]
    for source, target in product(LAYOUTS, LAYOUTS)
    if shape[1] % 32 == 0 or PAIRS not in (source, target)  # pairs over 16 lanes need 32 columns
]


@pytest.mark.parametrize("shape, source, target", CONVERSIONS)
def test_conversions_give_each_lane_what_the_target_layout_says(shape, source, target):
    array = np.arange(np.prod(shape)).reshape(shape)
    plan = moves(shape, source, shape, target, lambda at: at)
    np.testing.assert_array_equal(perform(spread(array, source), plan), spread(array, target))


@pytest.mark.parametrize("layout", [ROW, TWO_ROWS], ids=str)
def test_a_column_of_a_block_reaches_every_lane(layout):
    array = np.arange(8 * 16).reshape(8, 16)
    everywhere = Layout(lane_layout=(1, 16), lane_data=(1, 1))
    plan = moves((8, 16), layout, (8, 1), everywhere, lambda at: (at[0], 5))
    got = perform(spread(array, layout), plan)
    np.testing.assert_array_equal(got, np.broadcast_to(array[:, 5], (16, 8)))


def test_rows_packed_for_vnni_lie_in_lanes_as_plain_rows_do():
    plan = moves((16, 16), ROW, (16, 16), VNNI, lambda at: at)
    assert all(fetch.own and fetch.sources[0].slot == slot for slot, fetch in enumerate(plan))


@pytest.mark.parametrize(
    "values",
    [
        [3] * 16,
        list(range(16)),
        [i // 8 for i in range(16)],
        [i % 8 for i in range(16)],
        [40 + 2 * (i // 4 % 2) for i in range(16)],
    ],
)
def test_fit_finds_functions_of_the_lane(values):
    function = fit(values)
    assert [function(lane) for lane in range(16)] == values


def test_fit_refuses_what_is_no_simple_function():
    with pytest.raises(ValueError, match="no simple function"):
        fit([0, 1, 3, 2, 7, 5, 4, 6, 9, 8, 10, 15, 11, 12, 14, 13])


def test_coordinates_of_a_fragment_follow_the_lane():
    rows, columns = (coordinate_functions((8, 8), TWO_ROWS, dim) for dim in (0, 1))
    for lane, elements in enumerate(fragments((8, 8), TWO_ROWS)):
        assert [(r(lane), c(lane)) for r, c in zip(rows, columns)] == list(elements)
