"""Rows that come by turns: who picks them where subgroups share rows, and who loads what of tiles that are odd or small."""

from __future__ import annotations

import numpy as np
import pytest

from xetile.dialects import arith, vector
from xetile.dialects.types import I32, VectorType
from xetile.ir.builder import Builder
from xetile.ir.core import Block
from xetile.passes.analysis.owners import own_rows, shares
from xetile.passes.analysis.turns import by_turns, part_of, rows_by_turns
from xetile.passes.workgroup.loops.shares import share
from xetile.target import get_target

DG2 = get_target("dg2")


def values(count: int, rows: int) -> tuple[Builder, list]:
    build = Builder(Block())
    kind = VectorType((rows, 4), I32)
    return build, [build(arith.Constant, value=n, result=kind) for n in range(count)]


@pytest.mark.parametrize("count", [2, 4, 8])
def test_parts_of_rows_by_turns_are_the_values(count):
    build, parts = values(count, 6)
    whole = rows_by_turns(parts, build)
    assert whole.type.shape == (6 * count, 4)
    assert by_turns(whole, axis=0) == count
    assert [part_of(whole, at, count, build, axis=0) for at in range(count)] == parts


@pytest.mark.parametrize("parts", [1, 2, 3, 6])
def test_a_subgroup_picks_rows_of_its_part(parts):
    build, (a, b) = values(2, 6)
    shuffle = rows_by_turns([a, b], build).op
    mask = own_rows(shuffle, parts)
    rows = np.arange(12).reshape(2, parts, 6 // parts)  # of both operands, by parts
    each = np.array(shuffle.mask).reshape(parts, -1)
    for part in range(parts):
        assert list(each[part]) == list(rows[:, part].ravel()[list(mask)])


@pytest.mark.parametrize("mask", [(6, 1, 2, 3, 4, 0), (1, 0, 3, 2, 4, 5), (3, 4, 5, 0, 1, 2)])
def test_rows_of_other_parts_are_no_own_ones(mask):
    build, (a, b) = values(2, 6)
    shuffle = build(vector.Shuffle, a, b, mask=mask).op
    assert own_rows(shuffle, 3) is None
    assert own_rows(shuffle, 1) == mask


@pytest.mark.parametrize(
    ("shape", "role", "subgroups"), [((128, 48), "a", 32), ((64, 96), "a", 16), ((32, 16), "b", 32), ((32, 16), "b", 64)]
)
def test_all_elements_of_odd_and_small_tiles_are_loaded(shape, role, subgroups):
    found = share(shape, (2, 2), role, subgroups, DG2, pieces=True)
    assert found is not None
    assert found.wg_map.num_subgroups == subgroups
    down, across = shares(found.wg_map, shape)
    assert (down.extent, across.extent) == shape
    (high, beside), (_, run) = found.lane_map.lane_layout, found.lane_map.lane_data
    assert high * beside == DG2.subgroup_size
    assert across.size == beside * run
    assert down.size % high == 0


def test_pieces_are_for_the_depth_and_few_elements_for_several():
    assert share((128, 48), (2, 2), "a", 32, DG2) is None
    assert share((64, 72), (2, 2), "a", 64, DG2) is None
