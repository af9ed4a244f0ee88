"""Addresses in shared local memory by mem_layout (seed 002, MemDescType)."""

from __future__ import annotations

from itertools import product

import pytest

from xetile.errors import LayoutError
from xetile.layout import BlockOrder, MemLayout, parse_block_order


def addresses(layout: MemLayout) -> list[list[int]]:
    return [[layout.address((i, j)) for j in range(layout.shape[1])] for i in range(layout.shape[0])]


def test_row_major_is_the_default():
    assert addresses(MemLayout((2, 3))) == [[0, 1, 2], [3, 4, 5]]


def test_column_major():
    assert addresses(MemLayout((2, 3), stride=(1, 2))) == [[0, 2, 4], [1, 3, 5]]


def test_blocks_lie_row_major_and_so_do_their_elements():
    assert addresses(MemLayout((4, 6), block=(2, 3))) == [
        [0, 1, 2, 6, 7, 8],
        [3, 4, 5, 9, 10, 11],
        [12, 13, 14, 18, 19, 20],
        [15, 16, 17, 21, 22, 23],
    ]


def test_column_major_blocks():
    assert addresses(MemLayout((4, 6), stride=(1, 4), block=(2, 3))) == [
        [0, 2, 4, 12, 14, 16],
        [1, 3, 5, 13, 15, 17],
        [6, 8, 10, 18, 20, 22],
        [7, 9, 11, 19, 21, 23],
    ]


def test_the_seed_s_three_descriptors():
    column, block, both = (MemLayout((128, 128), *args) for args in (((1, 128),), ((), (8, 8)), ((1, 128), (8, 8))))
    assert column.address((3, 5)) == 3 + 5 * 128
    assert block.address((9, 17)) == (1 * 16 + 2) * 64 + 1 * 8 + 1
    assert both.address((9, 17)) == (2 * 16 + 1) * 64 + 1 * 8 + 1


CASES = [
    MemLayout((8, 8)),
    MemLayout((8, 8), (1, 8)),
    MemLayout((8, 8), (12, 1)),
    MemLayout((8, 8), block=(2, 4)),
    MemLayout((8, 8), block=(8, 4)),
    MemLayout((8, 8), block=(2, 8)),
    MemLayout((8, 8), (1, 8), (4, 2)),
    MemLayout((8, 8), (16, 1), (2, 4)),
    MemLayout((2, 4, 8), block=(1, 2, 4)),
    MemLayout((2, 4, 8), (32, 1, 4), (1, 2, 4)),
    MemLayout((1, 8), block=(1, 4)),
]


@pytest.mark.parametrize("layout", CASES, ids=str)
def test_no_two_elements_share_an_address(layout):
    found = [layout.address(index) for index in product(*map(range, layout.shape))]
    assert len(set(found)) == len(found)
    assert min(found) == 0
    assert max(found) + 1 == layout.size


@pytest.mark.parametrize("layout", CASES, ids=str)
def test_the_terms_say_what_the_address_is(layout):
    for index in product(*map(range, layout.shape)):
        total = 0
        for term in layout.terms():
            part = index[term.dim] // term.divisor
            total += (part % term.modulus if term.modulus else part) * term.stride
        assert total == layout.address(index)


@pytest.mark.parametrize("layout", CASES, ids=str)
def test_contiguous_runs(layout):
    for dim, extent in enumerate(layout.shape):
        run = layout.contiguous(dim)
        for start in range(0, extent, run):
            index = [0] * len(layout.shape)
            index[dim] = start
            first = layout.address(index)
            for i in range(run):
                index[dim] = start + i
                assert layout.address(index) == first + i


def test_padding_keeps_rows_apart():
    assert MemLayout((4, 4), (8, 1)).address((3, 3)) == 27
    assert MemLayout((4, 4), (8, 1), (2, 2)).address((2, 0)) == 4 * 4


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (((4, 4), (1,)), "rank 2"),
        (((4, 4), (2, 1)), "share addresses"),
        (((4, 1, 4), (3, 2, 1)), "share addresses"),
        (((4, 4), (0, 1)), "below 1"),
        (((4, 4), (), (3, 4)), "does not divide"),
        (((4, 4), (8, 2), (2, 2)), "stride of 1"),
        (((4, 4), (5, 1), (2, 2)), "whole number of blocks"),
    ],
)
def test_bad_layouts_are_refused(arguments, words):
    with pytest.raises(LayoutError, match=words):
        MemLayout(*arguments)


@pytest.mark.parametrize("order", [BlockOrder((16, 32)), BlockOrder((64, 16), 4), BlockOrder((1, 1))], ids=str)
def test_orders_of_blocks_are_read_as_they_are_written(order):
    assert parse_block_order(str(order)) == order


@pytest.mark.parametrize("order", [BlockOrder((4, 8)), BlockOrder((4, 2), 2)], ids=str)
def test_an_order_of_blocks_is_the_map_that_it_is_as_text(order):
    """MLIR's meaning: places in the order of the map's results, the last one fastest; each place is taken once."""
    results = str(order).split("-> (")[1].removesuffix(")>").replace("floordiv", "//").replace("mod", "%").split(", ")
    places = {tuple(eval(r, {"d0": i, "d1": j}) for r in results) for i, j in product(range(8), range(16))}
    assert len(places) == 8 * 16


@pytest.mark.parametrize("text", ["affine_map<(d0, d1) -> (d1, d0)>", str(BlockOrder((8, 8))).replace("d0 mod 8", "d0 mod 4"),
                                  str(BlockOrder((8, 8))).replace("8", "0")])  # fmt: skip
def test_other_maps_are_refused(text):
    with pytest.raises(LayoutError, match="does not cut"):
        parse_block_order(text)


@pytest.mark.parametrize(
    ("order", "shape"), [(BlockOrder((8, 8)), (20, 16)), (BlockOrder((8, 8)), (8,)), (BlockOrder((3, 8), 2), (6, 8))]
)
def test_orders_that_do_not_fill_a_matrix_are_refused(order, shape):
    with pytest.raises(LayoutError, match="do not fill"):
        order.check(shape)
