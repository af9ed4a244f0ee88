"""Printed modules are accepted and kept by upstream's tool."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

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


OF_BOTH = [name for name in VALID if name not in SEED_ONLY]


def upstream(texts: Iterable[str]) -> dict[str, str]:
    """What mlir-opt makes of the texts of all valid modules, in their order."""
    answers = dict(zip(OF_BOTH, tools.mlir_opt_each(tuple(texts)), strict=True))
    assert not any(answer.said for answer in answers.values()), answers
    return {name: answer.printed for name, answer in answers.items()}


@cache
def once() -> dict[str, str]:
    return upstream(print_op(module(name)) for name in OF_BOTH)


@pytest.mark.parametrize("name", OF_BOTH)
def test_upstream_accepts_and_round_trips(name):
    assert once()[name] and upstream(once().values())[name] == once()[name]


@pytest.mark.parametrize("name", OF_BOTH)
def test_upstream_reads_what_we_mean(name):
    """Names of values aside, upstream prints each xegpu op as we do."""
    ours, theirs = _xegpu_lines(print_op(module(name))), _xegpu_lines(once()[name])
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
