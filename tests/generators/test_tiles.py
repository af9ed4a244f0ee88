"""Random tiles agree between all levels, and with the CPU device: `--hypothesis-examples 10000` checks that many."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import tools
from tests.generators.tiles import TileCase, kernel, tiles
from tests.sampling import few

# What the generator has found.
FOUND = [
    TileCase((24, 32), "f16", (24, 32), 64, (0, 0), (("total", 0), ("total", 40))),
    TileCase((23, 7), "i64", (23, 14), 64, (6, -4), (("dropped", 47), ("transposed", 4)), 3, ((1, 3), (1, 7)), "dg2"),
    TileCase((48, 24), "f16", (48, 24), 64, (0, 0), (("transposed", 1), ("twice", 1)), 4),
    TileCase((5, 33), "f16", (5, 33), 64, (0, 0), (("total", 0), ("twice", 1))),
    TileCase((33, 17), "f32", (33, 24), 64, (0, 0), (("twice", 1),), 8, None, "dg2"),
    TileCase((28, 15), "i16", (28, 14), 64, (0, 0), (("bits", 27),), 8, None, "dg2"),
    TileCase((33, 18), "i8", (28, 25), 25, (-3, -2), (("scattered", 16),), 16, room=(0, 0)),
]


@pytest.mark.every(2)
@pytest.mark.parametrize("case", FOUND, ids=lambda case: f"{case.shape}-{case.operations[0][0]}")
def test_found_before(case):
    case.check()


@pytest.mark.every(4)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize(("case", "types"), [
    (TileCase((38, 15), "f32", (33, 10), 64, (0, 0), (("slice_from_anywhere", 39),), 3, room=(3, 3)), "f32[?,?;scattered] f32[?;lines]"),
    (TileCase((33, 10), "f32", (40, 10), 11, (0, 0), (("column_tile", 52), ("slice_from_anywhere", 35)), 3, room=(1, 16)),
     "f32[?,?;scattered] f32[?]"),
], ids=lambda case: case.operations[-1][0] if isinstance(case, TileCase) else "")  # fmt: skip
def test_found_by_intels_compiler(case, types, target):
    """It ends by an internal error where lanes hand each other what it knows to be one number: loads that no lane carries out."""
    tools.require_tool("ocloc")
    given = (*types.split(), "f32[?,?,?;free]", "i32[?,?]")
    compiled = kernel.compile(*given, target=target, num_subgroups=case.subgroups, **case.case())
    tools.ocloc_compile(compiled.spirv, target, compiled.build_options)


@few(5)
@given(st.randoms(use_true_random=False))
def test_levels_agree(random):
    check_levels(random)


@pytest.mark.slow
@given(st.randoms(use_true_random=False))
def test_levels_agree_on_more(random):
    check_levels(random)


def check_levels(random):
    case = tiles(random)
    small = (min(case.shape[0], 24), min(case.shape[1], 40))  # the larger ones are for the command line
    replace(case, shape=small, map=case.map if small == case.shape else None, way="").check()


@pytest.mark.every(32)
@pytest.mark.device
@pytest.mark.parametrize("first", range(0, 160, 5))
def test_levels_and_the_cpu_agree(first):
    """Smaller tiles than the command line draws: a case takes as long as its tile is large."""
    for seed in range(first, first + 5):
        case = tiles(Random(seed))
        small = (min(case.shape[0], 24), min(case.shape[1], 40))
        given = case.map if small == case.shape else None
        try:
            replace(case, shape=small, map=given, way="vector").check()
        except Exception as error:
            raise AssertionError(f"seed {seed}: {error}") from error


@pytest.mark.every(2)
@pytest.mark.parametrize("dtype, target", [("f32", "dg2"), ("i32", "dg2"), ("f16", "pvc"), ("i8", "bmg")])
def test_a_tile_ends_inside_of_a_run_of_the_second_subgroup(dtype, target):
    """Subgroups share 129 columns as 96 and 33: the second one's end is no whole run, nor whole words."""
    case = TileCase((2, 129), dtype, (2, 136), 192, (0, 0), (("cast", 0),), None, None, target, "vector", (3, 32), aligned=True)
    assert case.check() is not None
