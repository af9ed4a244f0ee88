"""Exchanges by swaps of bits, against lanes simulated with numpy."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tests.passes.test_fragments import perform, spread
from xetile.layout import Layout
from xetile.passes.lane.lower.fragments import moves, same_moves, slice_moves
from xetile.passes.lane.lower.swaps import InWords, Swaps, in_words, swaps_of

SHAPES = [(8, 8), (16, 8), (8, 32)]
LAYOUTS = [
    Layout(lane_layout=lanes, lane_data=data) for lanes, data in product([(1, 8), (8, 1), (2, 4)], [(1, 1), (2, 1), (1, 4)])
]


def swapped(held: np.ndarray, swaps: Swaps) -> np.ndarray:
    """What each lane holds after the swaps, each done by all lanes at once."""
    values = held[:, list(swaps.first)].copy()
    lanes = np.arange(len(held))
    for bit, place in swaps.steps:
        upper = (lanes >> bit & 1).astype(bool)
        for low in range(values.shape[1]):
            if not low >> place & 1:
                high = low | 1 << place
                taken = np.where(upper, values[:, low], values[:, high])[lanes ^ 1 << bit]
                values[:, low], values[:, high] = np.where(upper, taken, values[:, low]), np.where(upper, values[:, high], taken)
    return values[:, list(swaps.order)]


def in_whole_words(held: np.ndarray, words: InWords) -> np.ndarray:
    """The same of words, whose parts stay side by side."""
    packed = held[:, list(words.before)].reshape(len(held), -1, words.count)
    moved = np.stack([swapped(packed[..., part], words.swaps) for part in range(words.count)], axis=-1)
    return moved.reshape(len(held), -1)[:, list(words.after)]


def conversions():
    for shape, source, target in product(SHAPES, LAYOUTS, LAYOUTS):
        if all(
            extent % (n * d) == 0
            for layout in (source, target)
            for extent, n, d in zip(shape, layout.lane_layout, layout.lane_data)
        ):
            yield shape, source, target


def test_swaps_give_what_the_plan_says():
    found = 0
    for shape, source, target in conversions():
        plan = same_moves(shape, source, target)
        swaps = swaps_of(tuple(plan), 8)
        if swaps is None:
            continue
        found += 1
        held = spread(np.arange(np.prod(shape)).reshape(shape), source)
        np.testing.assert_array_equal(swapped(held, swaps), perform(held, plan))
        for bits in (8, 16):
            words = in_words(swaps, bits)
            if words is not None:
                assert words.count <= 32 // bits
                assert words.swaps.exchanges * words.count == swaps.exchanges
                np.testing.assert_array_equal(in_whole_words(held, words), perform(held, plan))
    assert found > 30


def test_a_transpose_takes_a_swap_for_each_bit_of_the_lanes_number():
    rows, columns = Layout(lane_layout=(8, 1), lane_data=(1, 1)), Layout(lane_layout=(1, 8), lane_data=(1, 1))
    swaps = swaps_of(tuple(same_moves((8, 8), columns, rows)), 8)
    assert swaps.steps == ((0, 0), (1, 1), (2, 2)) and swaps.exchanges == 12


@pytest.mark.parametrize("case", ["own", "one lane's", "three rows", "a part"])
def test_what_is_no_trade_of_bits_is_left(case):
    rows, columns = Layout(lane_layout=(8, 1), lane_data=(1, 1)), Layout(lane_layout=(1, 8), lane_data=(1, 1))
    plans = {
        "own": lambda: same_moves((8, 8), columns, columns),
        "one lane's": lambda: moves((8, 8), columns, (8, 8), columns, lambda at: (at[0], 3)),
        "three rows": lambda: same_moves((24, 8), columns, Layout(lane_layout=(8, 1), lane_data=(3, 1))),
        "a part": lambda: slice_moves((16, 8), columns, (4, 8), rows, (4, 0)),
    }
    assert swaps_of(tuple(plans[case]()), 8) is None


def test_a_part_that_begins_later_is_taken_from_there():
    rows, columns = Layout(lane_layout=(8, 1), lane_data=(1, 1)), Layout(lane_layout=(1, 8), lane_data=(1, 1))
    plan = slice_moves((24, 8), columns, (8, 8), rows, (8, 0))
    held = spread(np.arange(24 * 8).reshape(24, 8), columns)
    swaps = swaps_of(tuple(plan), 8)
    assert min(swaps.first) == 8
    np.testing.assert_array_equal(swapped(held, swaps), perform(held, plan))


def test_elements_that_fill_no_word_are_not_moved_in_words():
    """Of pairs of bytes that stay together none is a word."""
    swaps = Swaps((0, 1, 2, 3), ((0, 1),), (0, 1, 2, 3))
    assert in_words(swaps, 16) is not None
    assert in_words(swaps, 8) is None
