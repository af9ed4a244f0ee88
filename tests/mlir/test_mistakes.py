"""Mistakes in XeGPU modules: what upstream's verifier refuses, ours refuses at the same line, with and without upstream's help."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from typing import NamedTuple

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


class Said(NamedTuple):
    """What mlir-opt says of a mistake: whether it takes it, the line of its first error, and what it prints."""

    taken: bool
    line: int | None
    printed: str


@cache
def all_said(*flags: str) -> dict[str, Said]:
    """What mlir-opt says of each mistake, by one run: it takes longer to start than all else takes.  Where it crashes, by one more."""
    found: dict[str, Said] = {}
    for names in ([name for name in MISTAKES if name not in CRASHES], *([name] for name in CRASHES)):
        texts = [kernel(ARGUMENTS, "    " + MISTAKES[name]) for name in names]
        done = subprocess.run(
            [tools.require_tool("mlir-opt"), "--split-input-file", *flags], input="// -----\n".join(texts),
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        lines = sorted(int(line) for line in re.findall(r":(\d+):\d+: error:", done.stderr))
        printed = (re.split(r"^// -----$", done.stdout, flags=re.M) + [""] * len(names))[: len(names)]
        before = 0
        for name, text, out in zip(names, texts, printed, strict=True):
            after = before + text.count("\n") + 1  # and the mark between two
            line = next((line - before for line in lines if before < line <= after), None)
            here = re.sub(r'"(<stdin>|-)":(\d+)', lambda at, lines=before: f'"{at[1]}":{int(at[2]) - lines}', out)
            found[name] = Said(bool(out.strip()), line, here)
            before = after
    return found


def refused(text: str) -> XetileError:
    with pytest.raises(XetileError) as found:
        mlir.parse(text, "bad.mlir")
    assert type(found.value).__name__ in ("MlirTextError", "VerifyError"), found.value
    return found.value


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_refused_at_its_line(name):
    error, upstream = refused(kernel(ARGUMENTS, "    " + MISTAKES[name])), all_said()[name]
    assert error.at is not None and error.at.file == "bad.mlir"
    assert upstream.taken == (name in OURS) and (upstream.line is None) == (name in (*OURS, *CRASHES)), upstream
    assert upstream.line in (None, error.at.line)


@pytest.mark.parametrize("name", MISTAKES)
def test_our_own_checks_find_it_too(name):
    """What mlir-opt reads without its checks is read by ours alone, as generic text always is."""
    generic = all_said(*_UNCHECKED)[name]
    if not generic.taken:  # no type or attribute: its parser refuses it
        return
    line = (refused(kernel(ARGUMENTS, "    " + MISTAKES[name])).at or pytest.fail(name)).line
    at = refused(generic.printed).at
    assert at is not None and at.line == line
