"""Mistakes in XeGPU modules: what upstream's verifier refuses, ours refuses at the same line, with and without upstream's help."""

from __future__ import annotations

import re

import pytest

from tests import tools
from tests.mlir.users import kernel
from tests.mlir.users_mistakes import ARGUMENTS, MISTAKES
from xetile import mlir
from xetile.errors import XetileError

OURS = ("packed of f32", "transpose twice the same", "chunks of 5", "chunks that the value has not", "matrix stored by one offset",
        "order that is none", "barriers below none")  # fmt: skip
"""What LLVM 22.1.8 takes: rules of the seeds, and of what an op means."""
CRASHES = ("matrix of global memory",)
"""What LLVM 22.1.8 crashes at."""
_UNCHECKED = (
    "--mlir-very-unsafe-disable-verifier-on-parsing",
    "--verify-each=false",
    "--mlir-print-op-generic",
    "--mlir-print-debuginfo",
)


def text(name: str) -> str:
    return kernel(ARGUMENTS, "    " + MISTAKES[name])


def upstream(name: str, *flags: str) -> tools.Answer:
    """What mlir-opt makes of a mistake: of all at once, but for those at which its checks crash."""
    names = [name] if name in CRASHES else [other for other in MISTAKES if other not in CRASHES]
    return tools.mlir_opt_each(tuple(map(text, names)), *flags)[names.index(name)]


def refused(text: str) -> XetileError:
    with pytest.raises(XetileError) as found:
        mlir.parse(text, "bad.mlir")
    assert type(found.value).__name__ in ("MlirTextError", "VerifyError"), found.value
    return found.value


@pytest.mark.every(3)
@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_refused_at_its_line(name):
    error = refused(text(name))
    assert error.at is not None and error.at.file == "bad.mlir"
    if name in CRASHES:
        with pytest.raises(AssertionError, match=r"failed \(-"):
            tools.mlir_opt(text(name))
        return
    answer = upstream(name)
    found = re.search(r":(\d+):\d+: error:", answer.said)
    assert bool(answer.printed) == (found is None) == (name in OURS), answer
    assert found is None or int(found[1]) == error.at.line


@pytest.mark.parametrize("name", MISTAKES)
def test_our_own_checks_find_it_too(name):
    """What mlir-opt reads without its checks is read by ours alone, as generic text always is."""
    generic = upstream(name, *_UNCHECKED)
    if not generic.printed:  # no type or attribute: its parser refuses it
        return
    line = (refused(text(name)).at or pytest.fail(name)).line
    at = refused(generic.printed).at
    assert at is not None and at.line == line
