"""Printed modules are accepted and kept by upstream's tool."""

from __future__ import annotations

import re

import pytest

from tests import tools
from tests.xegpu.valid import SEED_ONLY, VALID, module
from xetile.dialects import xegpu
from xetile.ir.core import OPS
from xetile.ir.printer import print_op
from xetile.ir.verifier import verify


@pytest.mark.parametrize("name", VALID)
def test_our_verifier_accepts(name):
    verify(module(name))


@pytest.mark.parametrize("name", [n for n in VALID if n not in SEED_ONLY])
def test_upstream_accepts_and_round_trips(name):
    once = tools.mlir_opt(print_op(module(name)))
    assert tools.mlir_opt(once) == once


@pytest.mark.parametrize("name", [n for n in VALID if n not in SEED_ONLY])
def test_upstream_reads_what_we_mean(name):
    """Names of values aside, upstream prints each xegpu op as we do."""
    ours, theirs = (_xegpu_lines(text) for text in (print_op(module(name)), tools.mlir_opt(print_op(module(name)))))
    assert ours == theirs


def _xegpu_lines(text: str) -> list[str]:
    lines = [re.sub(r"%\w+(:\d+)?", "%", line.strip()) for line in text.splitlines() if re.search(r"(^| = |^ +)xegpu\.", line)]
    return [_sorted_braces(re.sub(r"\s*([:,>\]=])\s*", r"\1", line)) for line in lines]


def _sorted_braces(line: str) -> str:
    """Attributes of a dictionary in one order."""

    def ordered(found: re.Match[str]) -> str:
        return "{" + ",".join(sorted(re.split(r",(?=\w+(?:=|$|,))", found[1]))) + "}"

    return re.sub(r"\{([^{}]*)\}", ordered, line)


@pytest.mark.parametrize("name", sorted(SEED_ONLY))
def test_what_only_the_seeds_have_is_unknown_to_upstream(name):
    with pytest.raises(AssertionError, match=r"unknown|transpose_bit_width|expecting lhs|not consistent|does not have|invalid"):
        tools.mlir_opt(print_op(module(name)))


def test_every_op_has_a_case():
    used = {type(op) for name in VALID for op in module(name).walk()}
    ops = {kind for name, kind in OPS.items() if name.startswith("xegpu.")}
    assert ops <= used


def test_every_type_and_attribute_has_a_case():
    text = "".join(print_op(module(name)) for name in VALID)
    for word in ("tensor_desc", "mem_desc", "nbarrier", "layout", "slice", "block_tdesc_attr", "scatter_tdesc_attr", "mem_layout",
                 "cache_hint", "range", *xegpu.CACHE_HINTS):  # fmt: skip
        assert re.search(rf"xegpu\.{word}\b|<{word}>", text), word
