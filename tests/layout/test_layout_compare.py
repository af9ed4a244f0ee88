"""What a conversion of layouts moves: against sets of elements counted out."""

from __future__ import annotations

import pickle
from itertools import product

import numpy as np
import pytest

from xetile.errors import LayoutError
from xetile.layout import Layout, Movement, movement, same_ownership

SHAPE = (8, 16)
LAYOUTS = [
    Layout(sg, data, inst, lanes, each, order)
    for sg, data in (((2, 2), (4, 8)), ((4, 1), (2, 16)), ((2, 2), (2, 8)), ((1, 4), (8, 4)), ((2, 2), (8, 8)), ((2, 2), (8, 16)))
    for inst in ((), (2, 4))
    for lanes, each in (((1, 4), (1, 1)), ((1, 4), (2, 1)), ((4, 1), (1, 1)), ((2, 2), (1, 1)), ((1, 4), (1, 2)))
    for order in ((), (0, 1))
]
LEGAL = [layout for layout in LAYOUTS if not any(s.size < 1 for s in layout.sg_spread(SHAPE))]


def expected(source: Layout, target: Layout) -> Movement:
    pairs = list(product(range(4), range(4)))
    mine = {p: source.elements(SHAPE, *p) for p in pairs}
    theirs = {p: target.elements(SHAPE, *p) for p in pairs}
    if mine == theirs:
        return Movement.NONE
    if all(set(theirs[p]) <= set(mine[p]) for p in pairs):
        return Movement.REGISTERS
    mine_sg = {sg: set().union(*(mine[sg, lane] for lane in range(4))) for sg in range(4)}
    if all(set(theirs[sg, lane]) <= mine_sg[sg] for sg, lane in pairs):
        return Movement.LANES
    return Movement.SUBGROUPS


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_movement_is_what_sets_say(step):
    seen = set()
    for source, target in list(product(LEGAL[::3], LEGAL[::2]))[::step]:
        try:
            source.check(SHAPE), target.check(SHAPE)
        except LayoutError:
            continue
        found = movement(source, target, SHAPE)
        assert found is expected(source, target), (source, target)
        assert same_ownership(source, target, SHAPE) == (found is Movement.NONE)
        seen.add(found)
    assert seen == set(Movement)


def test_subgroups_only():
    mma, rows = Layout((8, 4), (32, 64)), Layout((32, 1), (8, 256))
    assert movement(mma, rows, (256, 256)) is Movement.SUBGROUPS
    assert movement(mma, Layout((8, 4)), (256, 256)) is Movement.NONE
    # A value that every subgroup holds whole serves any other distribution of it.
    shared = Layout((8, 4), (256, 256))
    assert movement(shared, mma, (256, 256)) is Movement.REGISTERS
    assert movement(mma, shared, (256, 256)) is Movement.SUBGROUPS


def test_rounds_in_another_order_are_registers():
    interleaved, blocked = Layout((1, 1), (4, 16)), Layout((1, 1), (8, 8))
    assert movement(interleaved, blocked, SHAPE) is Movement.REGISTERS


def test_slices_compare_with_layouts():
    parent = Layout((8, 4), (4, 8))
    assert same_ownership(parent.slice((0,)), parent.slice((0,)), (32,))
    assert movement(parent.slice((0,)), Layout((32,), (1,)), (32,)) is Movement.SUBGROUPS
    assert movement(Layout((1, 4), (1, 8)), parent.slice((0,)).root.with_sg((1, 4), (1, 8)), (1, 32)) is Movement.NONE


def test_a_different_number_of_subgroups_is_an_exchange():
    assert movement(Layout((2, 2), (4, 8)), Layout((8, 1), (1, 16)), SHAPE) is Movement.SUBGROUPS


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"num_subgroups": 16}, "has 32 subgroups; the workgroup has 16"),
        ({"subgroup_size": 8}, "has 16 lanes; the subgroup has 8"),
    ],
)
def test_counts_must_fit_the_workgroup(arguments, words):
    layout = Layout((8, 4), (32, 64), lane_layout=(1, 16), lane_data=(1, 1))
    layout.check((256, 256), num_subgroups=32, subgroup_size=16)
    with pytest.raises(LayoutError, match=words):
        layout.check((256, 256), **arguments)


@pytest.mark.parametrize(
    ("layout", "shape", "words"),
    [
        (Layout((8, 4), (32, 64)), (256,), "rank 2; this tile, 256, has rank 1"),
        (Layout((8, 4), (32, 64)), (256, 192), r"sg_layout\[1\] \* sg_data\[1\] = 4 \* 64 = 256 neither divides dimension 1"),
        (Layout((8, 4), (48, 64)), (256, 256), r"sg_data\[0\] = 48 does not divide dimension 0 of the tile, which has 256"),
        (Layout((3, 4)), (256, 256), r"sg_layout\[0\] = 3 does not divide dimension 0"),
        (
            Layout((2, 2), (8, 8), inst_data=(3, 8)),
            (16, 16),
            r"inst_data\[0\] = 3 does not divide dimension 0 of the subgroup's piece, which has 8",
        ),
        (
            Layout(lane_layout=(1, 16), lane_data=(1, 3)),
            (8, 32),
            r"lane_data\[1\] = 3 does not divide dimension 1 of the block for one instruction",
        ),
    ],
)
def test_errors_speak_of_what_was_written(layout, shape, words):
    with pytest.raises(LayoutError, match=words):
        layout.check(shape)


def test_layouts_of_the_same_parameters_are_one_object():
    layout = Layout([8, 4], sg_data=np.array([32, 32]))
    assert layout is Layout(sg_layout=(8, 4), sg_data=(32, 32))
    assert layout is pickle.loads(pickle.dumps(layout))
    assert layout is layout.with_order((0, 1)).with_order()
    assert "[32, 32]" in str(layout), "numbers are Python's, whoever gave them first"
