"""2-D block messages: the portable table, planning, lane layouts, and the rules for arrays."""

from __future__ import annotations

from functools import cache
from itertools import product

import pytest

from xetile.layout import Layout
from xetile.target import Message, Placed, get_target

PVC = get_target("pvc").block2d
POWERS = (1, 2, 4, 8, 16, 32)

# The table of the OpenCL environment for SPV_INTEL_2d_block_io: kind, element bytes, width, heights, counts.
PORTABLE = [
    ("load", 1, 32, POWERS, (1, 2)),
    ("load", 1, 16, (8, 16, 32), (4,)),
    ("load", 2, 16, POWERS, (1, 2)),
    ("load", 4, 8, POWERS[1:], (1, 2)),
    ("load", 4, 16, POWERS, (1,)),
    ("transform", 1, 16, (32,), (1, 2, 4)),
    ("transform", 2, 16, (16, 32), (1, 2)),
    ("transpose", 4, 8, (16,), (1,)),
    ("store", 1, 16, (1, 2, 4, 8), (1,)),
    ("store", 1, 32, (1, 2, 4, 8), (1,)),
    ("store", 2, 16, (1, 2, 4, 8), (1,)),
    ("store", 4, 16, (1, 2, 4, 8), (1,)),
    ("prefetch", 1, 32, POWERS, (1, 2)),
    ("prefetch", 1, 16, (32,), (1, 2)),
    ("prefetch", 1, 16, (8, 16, 32), (4,)),
    ("prefetch", 2, 16, POWERS, (1, 2)),
    ("prefetch", 4, 8, POWERS, (1, 2)),
    ("prefetch", 4, 16, POWERS, (1,)),
]
KINDS = ("load", "transform", "transpose", "prefetch", "store")


def test_exactly_the_portable_messages_are_legal():
    listed = {(kind, size, Message(w, h, c)) for kind, size, w, heights, counts in PORTABLE for h in heights for c in counts}
    for kind, size in product(KINDS, (1, 2, 4, 8)):
        assert set(PVC.messages(kind, size)) == {m for k, s, m in listed if (k, s) == (kind, size)}
    assert PVC.is_legal("load", 2, Message(16, 32, 2))
    assert not PVC.is_legal("load", 2, Message(16, 64, 1))
    assert not PVC.messages("load", 8)


def test_hardware_limits_hold_for_all_messages():
    """At most 64 bytes a row, 32 rows a load, 8 rows a store; VNNI only below 32 bits, transpose only from 32 bits on."""
    for kind, size in product(KINDS, (1, 2, 4, 8)):
        for message in PVC.messages(kind, size):
            assert message.columns * size <= 64
            assert message.height <= (8 if kind == "store" else 32)
            assert kind != "transform" or size < 4
            assert kind != "transpose" or size >= 4


@pytest.mark.parametrize("name", ["bmg", "lnl"])
def test_xe2_shares_the_table(name):
    assert get_target(name).block2d == PVC


@pytest.mark.parametrize("name", ["dg2", "cpu", "amx"])
def test_others_have_none(name):
    assert get_target(name).block2d is None
    assert get_target(name).check_2d_block(0, 4096, 8, 4096) == [f"{name} has no 2-D block messages"]


@pytest.mark.parametrize(
    ("size", "rows", "cols", "transform", "expected"),
    [
        (2, 32, 32, False, Message(16, 32, 2)),
        (2, 32, 64, True, Message(16, 32, 2)),
        (2, 8, 16, False, Message(16, 8, 1)),
        (2, 20, 100, False, Message(16, 16, 2)),
        (1, 32, 64, False, Message(32, 32, 2)),
        (1, 32, 64, True, Message(16, 32, 4)),
        (4, 32, 16, False, Message(16, 32, 1)),
        (4, 8, 8, False, Message(8, 8, 1)),
        (2, 8, 8, False, None),
        (4, 16, 16, True, None),
        (8, 8, 8, False, None),
    ],
)
def test_largest_load(size, rows, cols, transform, expected):
    assert PVC.largest("transform" if transform else "load", size, rows, cols) == expected


def test_the_width_can_be_fixed():
    assert PVC.largest("load", 4, 32, 16, width=8) == Message(8, 32, 2)
    assert PVC.widths("load", 4) == (8, 16)
    assert PVC.widths("load", 1) == (16, 32)


def test_plans_for_the_matrix_product():
    """256x256x32 over 32 subgroups: one message for A, two for B, sixteen stores of C (32x64 each)."""
    assert PVC.plan("load", 2, 32, 32) == (Placed(0, 0, Message(16, 32, 2)),)
    assert PVC.plan("transform", 2, 32, 64) == (Placed(0, 0, Message(16, 32, 2)), Placed(0, 32, Message(16, 32, 2)))
    stores = PVC.plan("store", 4, 32, 64)
    assert len(stores) == 16
    assert {placed.message for placed in stores} == {Message(16, 8, 1)}
    assert PVC.plan("prefetch", 2, 8, 32) == (Placed(0, 0, Message(16, 8, 2)),)
    assert len(PVC.plan("load", 1, 32, 64)) == 1
    assert len(PVC.plan("transform", 1, 64, 64)) == 2
    assert len(PVC.plan("transpose", 4, 64, 16)) == 8
    assert PVC.plan("load", 4, 16, 8) == (Placed(0, 0, Message(8, 16, 1)),)
    assert len(PVC.plan("load", 4, 32, 16, width=8)) == 1


def test_long_rows_take_the_fewest_messages_too():
    widest = max(message.columns for message in PVC.messages("load", 4) if message.height == 1)
    for columns in (5 * 1024 + 16, 1 << 16, (1 << 18) + 48):  # seconds and minutes, where every length below is kept as a list
        plan = PVC.plan("load", 4, 1, columns)
        assert len(plan) == -(-columns // widest)
        assert [placed.column for placed in plan][-1] + plan[-1].message.columns == columns


def test_what_no_messages_cover():
    assert PVC.plan("load", 2, 32, 24) is None
    assert PVC.plan("transform", 2, 8, 16) is None
    assert PVC.plan("store", 8, 8, 8) is None
    assert PVC.plan("load", 1, 8, 16) is None


@pytest.mark.parametrize("kind", KINDS)
def test_plans_cover_each_element_once_with_legal_messages(kind):
    planned = 0
    for size, rows, cols in product((1, 2, 4), (1, 2, 3, 8, 16, 24, 32, 40, 64), (8, 16, 32, 48, 64, 80, 128)):
        plan = PVC.plan(kind, size, rows, cols)
        if plan is None:
            continue
        planned += 1
        covered = [
            (placed.row + i, placed.column + j)
            for placed in plan
            for i, j in product(range(placed.message.height), range(placed.message.columns))
        ]
        assert len(covered) == len(set(covered)) == rows * cols
        assert all(PVC.is_legal(kind, size, placed.message) for placed in plan)
        assert max(i for i, _ in covered) < rows
        assert max(j for _, j in covered) < cols
    assert planned >= 4


def test_no_plan_is_shorter():
    """Against a search over all ways to cut columns into strips and strips into rows."""
    for size, rows, cols in product((1, 2, 4), (8, 12, 24, 32), (16, 32, 48, 64, 96)):
        plan = PVC.plan("load", size, rows, cols)
        assert (plan is None) == (shortest(size, rows, cols) is None)
        assert plan is None or len(plan) == shortest(size, rows, cols)


@cache
def shortest(size: int, rows: int, cols: int) -> int | None:
    if cols == 0:
        return 0
    found = []
    for width, count in {(m.width, m.count) for m in PVC.messages("load", size)}:
        heights = {m.height for m in PVC.messages("load", size) if (m.width, m.count) == (width, count)}
        strip = fewest(rows, heights)
        rest = shortest(size, rows, cols - width * count) if strip and width * count <= cols else None
        if strip and rest is not None:
            found.append(strip + rest)
    return min(found, default=None)


def fewest(rows: int, heights: set[int]) -> int | None:
    best = {0: 0}
    for total in range(1, rows + 1):
        options = [best[total - h] + 1 for h in heights if total - h in best]
        if options:
            best[total] = min(options)
    return best.get(rows)


# Lane layouts, and that they are those of DPAS's operands.


@pytest.mark.parametrize(
    ("kind", "size", "message", "lanes", "data"),
    [
        ("load", 2, Message(16, 8), (1, 16), (1, 1)),
        ("load", 4, Message(16, 8), (1, 16), (1, 1)),
        ("load", 1, Message(32, 8), (1, 16), (1, 2)),
        ("load", 1, Message(16, 8, 4), (1, 16), (1, 1)),
        ("load", 4, Message(8, 8), (2, 8), (1, 1)),
        ("transform", 2, Message(16, 16), (1, 16), (2, 1)),
        ("transform", 1, Message(16, 32), (1, 16), (4, 1)),
        ("transpose", 4, Message(8, 16), (16, 1), (1, 1)),
        ("store", 1, Message(32, 8), (1, 16), (1, 2)),
    ],
)
def test_lane_layouts_of_messages(kind, size, message, lanes, data):
    assert PVC.lane_layout(kind, size, message) == (lanes, data)


@pytest.mark.parametrize(
    ("dtype", "role", "kind", "size", "message"),
    [
        ("f16", "a", "load", 2, Message(16, 8)),
        ("f16", "b", "transform", 2, Message(16, 16)),
        ("i8", "a", "load", 1, Message(32, 8)),
        ("i8", "b", "transform", 1, Message(16, 32)),
        ("tf32", "a", "load", 4, Message(8, 8)),
        ("tf32", "b", "load", 4, Message(16, 8)),
        ("f16", "acc", "store", 4, Message(16, 8)),
    ],
)
def test_messages_bring_operands_as_the_matrix_unit_wants_them(dtype, role, kind, size, message):
    operand = get_target("pvc").get_mma(dtype)
    assert PVC.lane_layout(kind, size, message) == operand.operand_layout(role)
    assert (message.height, message.width) == operand.operand_shape(role)
    layout = Layout(lane_layout=operand.operand_layout(role).lane_layout, lane_data=operand.operand_layout(role).lane_data)
    assert layout.fragment_length((message.height, message.width)) == operand.elements_per_lane(role)


# Rules for arrays.


def test_a_good_array_breaks_no_rule():
    assert PVC.check(0x10000, 4096 * 2, 4096, 4096 * 2) == []
    assert PVC.check(64, 64, 1, 64) == get_target("pvc").check_2d_block(64, 64, 1, 64) == []
    assert PVC.check(64, 68, 3, 80) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((16, 128, 8, 128), ["the address must be a multiple of 64 bytes"]),
        ((64, 60, 8, 64), ["a row must have at least 64 bytes, not 60"]),
        ((64, 66, 8, 80), ["a row must be a multiple of 4 bytes long, not 66"]),
        ((64, 64, 8, 72), ["rows must lie a multiple of 16 bytes apart, not 72"]),
        ((64, 128, 8, 64), ["rows must not overlap: 64 bytes apart, 128 long"]),
        ((64, 128, 0, 128), ["there must be at least one row"]),
        ((64, 128, 1 << 24, 128), ["there must be fewer than 16777216 rows, not 16777216"]),
        ((64, 128, 8, 1 << 24), ["rows must lie less than 16777216 bytes apart, not 16777216"]),
        (
            (4, 52, 8, 52),
            [
                "the address must be a multiple of 64 bytes",
                "a row must have at least 64 bytes, not 52",
                "rows must lie at least 64 bytes apart, not 52",
                "rows must lie a multiple of 16 bytes apart, not 52",
            ],
        ),
    ],
)
def test_broken_rules_are_named(arguments, words):
    assert PVC.check(*arguments) == words


def test_rows_of_wide_elements_are_whole():
    assert PVC.check(64, 68, 8, 80, elem_bytes=8) == ["a row must be a multiple of 8 bytes long, not 68"]


def test_coordinates_of_narrow_elements_are_aligned():
    assert dict(PVC.x_multiple) == {1: 4, 2: 2, 4: 1, 8: 1}
