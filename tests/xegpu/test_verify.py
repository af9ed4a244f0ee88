"""Each rule: a twin that breaks it is refused by our verifier and, where it has the rule, by upstream's, for the same reason."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

import pytest

from tests import tools
from tests.xegpu import valid
from tests.xegpu.twins import table
from xetile.errors import LayoutError, VerifyError
from xetile.ir.core import OPS
from xetile.ir.printer import print_op
from xetile.ir.verifier import verify
from xetile.layout import Layout, parse

TWINS = table()


@pytest.mark.parametrize("name", TWINS)
def test_our_verifier_refuses(name):
    with pytest.raises(VerifyError, match=TWINS[name].ours):
        verify(TWINS[name].module())


CHECKED = [name for name, twin in TWINS.items() if twin.upstream]
UNCHECKED = [name for name, twin in TWINS.items() if not twin.upstream and "view" not in name]


@cache
def upstream() -> dict[str, tools.Answer]:
    """What mlir-opt makes of each twin."""
    names = CHECKED + UNCHECKED
    return dict(zip(names, tools.mlir_opt_each(tuple(print_op(TWINS[name].module()) for name in names)), strict=True))


@pytest.mark.parametrize("name", CHECKED)
def test_upstream_refuses_for_the_same_reason(name):
    answer = upstream()[name]
    assert not answer.printed and re.search(TWINS[name].upstream, answer.said), answer


@pytest.mark.parametrize("name", UNCHECKED)
def test_upstream_does_not_check(name):
    """Where this fails upstream has got the rule: give the twin its message."""
    answer = upstream()[name]
    assert answer.printed and not answer.said, answer


def test_every_twin_quotes_a_seed():
    assert all(t.seed and re.match(r"00[0-4] ", t.where) for t in TWINS.values())


# Attributes refuse by themselves: seed 002, LayoutAttr and SliceAttr (upstream's LayoutAttr::verify).
LAYOUTS = [
    ("sg_data = [16, 2]", "at least one of", "at least one of sg_layout, inst_data or lane_layout"),
    ("sg_layout = [1, 1, 1], lane_layout = [8, 1]", "same rank", "sg_layout and lane_layout to have the same rank"),
    ("sg_layout = [1, 1, 1], inst_data = [16, 2]", "same rank", "sg_layout and inst_data to have the same rank"),
    ("inst_data = [16, 2, 1], lane_layout = [8, 1]", "same rank", "inst_data and lane_layout to have the same rank"),
    ("lane_layout = [8, 1], lane_data = [1, 2, 1]", "same rank", "lane_data and lane_layout to have the same rank"),
    ("sg_layout = [1, 1], sg_data = [16, 2, 1]", "same rank", "sg_data and sg_layout to have the same rank"),
    ("sg_data = [16, 2], lane_layout = [8, 1]", "sg_data needs sg_layout", "sg_layout being used with sg_data"),
    ("inst_data = [16, 2], lane_data = [1, 2]", "lane_data needs lane_layout", "lane_layout being used with lane_data"),
    ("inst_data = [16, 2], order = [0, 1]", "order needs", "sg_layout/lane_layout being used with order"),
    ("sg_layout = [1, 1], order = [0, 1, 2]", "same rank", "order and sg_layout to have the same rank"),
    ("lane_layout = [1, 1], order = [0, 1, 2]", "same rank", "order and lane_layout to have the same rank"),
]


def _with_layout(attribute: str, type: str) -> str:
    return f"func.func @f(%v: {type}) {{\n %0 = math.exp %v {{layout_result_0 = {attribute}}} : {type}\n return\n}}"


@pytest.mark.every(2)
@pytest.mark.parametrize("text,ours,upstream", LAYOUTS)
def test_layouts_that_contradict_themselves(text, ours, upstream):
    attribute = f"#xegpu.layout<{text}>"
    with pytest.raises(LayoutError, match=ours):
        parse(attribute)
    with pytest.raises(AssertionError, match=upstream):
        tools.mlir_opt(_with_layout(attribute, "vector<16x2xf32>"))


@pytest.mark.parametrize("dims,ours,upstream", [("[-1]", "no dimension", "invalid dim"), ("[0, 0]", "twice", "repeated dim")])
def test_slices_that_contradict_themselves(dims, ours, upstream):
    attribute = f"#xegpu.slice<{Layout((2, 2))}, dims = {dims}>"
    with pytest.raises(LayoutError, match=ours):
        parse(attribute)
    with pytest.raises(AssertionError, match=upstream):
        tools.mlir_opt(
            f"func.func @f(%v: vector<16xf32>) {{\n %0 = math.exp %v {{layout_result_0 = {attribute}}} : vector<16xf32>\n return\n}}"
        )


def test_every_op_with_rules_has_a_twin():
    broken: Counter[str] = Counter()
    for twin in TWINS.values():
        try:
            verify(twin.module())
        except VerifyError as error:
            broken[error.message.split(":")[0]] += 1
    rules = {name for name, kind in OPS.items() if name.startswith("xegpu.") and "rules" in vars(kind)}
    assert rules - set(broken) <= {"xegpu.alloc_nbarrier"}


@pytest.mark.parametrize("bits", [0, 7, 8, 24, 512])
def test_transposed_words_hold_whole_elements_of_a_row(bits):
    module = valid.module("load_nd with transpose_bit_width")
    load = next(op for op in module.walk() if "transpose_bit_width" in op.attributes)
    load.attributes["transpose_bit_width"] = bits
    with pytest.raises(VerifyError, match=f"transpose_bit_width {bits} puts no whole number of f16s of a row together"):
        verify(module)
