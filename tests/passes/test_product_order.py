"""The order of a subgroup's part of a product, against what its registers hold."""

from __future__ import annotations

import pytest

from xetile.passes.analysis.product_order import Part
from xetile.passes.analysis.products import MmaTypes
from xetile.target import get_target

F16 = MmaTypes("f16", "f16", "f32")


@pytest.mark.parametrize(
    ("part", "target", "rows", "depth"),
    [
        (Part(64, 32, 32, F16), "pvc", 64, 32),  # 8 KiB of sums, 4 KiB of A
        (Part(128, 16, 32, F16), "pvc", 32, 32),  # 8 KiB of sums, 8 KiB of A: a message at a time
        (Part(128, 16, 32, F16), "bmg", 32, 32),
        (Part(128, 16, 64, F16), "pvc", 32, 32),  # two messages of A as deep as that are as much as there is: part by part
        (Part(256, 16, 64, F16), "pvc", 256, 64),  # 16 KiB of sums: no order fits
        (Part(128, 16, 32, F16), "dg2", 128, 32),  # no block messages
    ],
)
def test_rows_and_depth_at_a_time(part, target, rows, depth):
    assert part.at_a_time(get_target(target)) == (rows, depth)


@pytest.mark.parametrize(
    ("part", "target", "columns"),
    [
        (Part(8, 128, 32, F16), "pvc", 32),  # 4 KiB of sums, 8 KiB of B: a message at a time
        (Part(8, 128, 32, F16), "bmg", 32),
        (Part(8, 64, 64, F16), "pvc", 64),  # 2 KiB of sums, 4 KiB of B at a time
        (Part(16, 64, 128, F16), "pvc", 64),  # rows of one message are fewer than a message's columns of all depth
        (Part(8, 128, 32, F16), "dg2", 128),  # no block messages
    ],
)
def test_columns_at_a_time(part, target, columns):
    assert part.columns_at_a_time(get_target(target)) == columns


@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_what_is_multiplied_at_a_time_fits(target):
    """Over parts of all sizes: rows are taken apart only where all of them do not fit, and what is left does."""
    chip = get_target(target)
    budget = max(chip.grf_capacity(mode.registers) for mode in chip.grf_modes)
    apart = 0
    for rows in (8, 16, 32, 64, 128, 256):
        for columns in (16, 32, 64, 128):
            for depth in (16, 32, 64):
                part = Part(rows, columns, depth, F16)
                tall, deep = part.at_a_time(chip)
                if tall < rows:
                    apart += 1
                    live = part.bytes_by_rows(chip) if deep == depth else part.bytes_by_parts(chip)
                    assert part.acc_bytes + part.bytes_by_depth(chip) > budget >= part.acc_bytes + live
    assert apart
