"""Random programs of integers: assignments, branches, loops, jumps, lists and dicts give the same numbers as kernel and as plain Python."""

from __future__ import annotations

import importlib.util
import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import xetile as xt
from tests.language.running import scalars
from tests.sampling import few

NAMES = "abcd"
ITEMS = ["xs[0]", "xs[-1]", "table['u']", "table['v']", "pairs[1][0]"]
ARGUMENTS = [(0, 0), (5, 2), (-7, 3), (12, -4)]
COUNTER = itertools.count()


@st.composite
def expressions(draw: st.DrawFn, depth: int = 2) -> str:
    kind = draw(
        st.sampled_from(
            ["name", "name", "number", "item"] if depth == 0 else ["name", "number", "binary", "binary", "choice", "call"]
        )
    )
    if kind == "item":
        return draw(st.sampled_from(ITEMS))
    if kind == "name":
        return draw(st.sampled_from(NAMES))
    if kind == "number":
        return str(draw(st.integers(-9, 9)))
    left, right = draw(expressions(depth=depth - 1)), draw(expressions(depth=depth - 1))
    if kind == "binary":
        return f"({left} {draw(st.sampled_from(['+', '-', '*']))} {right}) % 101"
    if kind == "call":
        return f"{draw(st.sampled_from(['min', 'max']))}({left}, {right})"
    return f"({left} if {draw(conditions())} else {right})"


@st.composite
def conditions(draw: st.DrawFn) -> str:
    simple = f"{draw(expressions(depth=0))} {draw(st.sampled_from(['<', '<=', '==', '!=']))} {draw(expressions(depth=0))}"
    form = draw(st.sampled_from(["{}", "{}", "not {}", "{} and a < 5", "b > 2 or {}"]))
    return form.format(simple)


@st.composite
def blocks(draw: st.DrawFn, depth: int, in_loop: bool = False) -> list[str]:
    """Lines of a block."""
    lines = []
    for _ in range(draw(st.integers(1, 3))):
        kinds = ["assign", "assign", "augment", "swap", "item", "return"] + (
            ["if", "if", "for", "while", "unroll", "match"] if depth else []
        )
        kind = draw(st.sampled_from(kinds + (["jump", "jump"] if in_loop else [])))
        if kind == "jump":
            lines += [f"if {draw(conditions())}:", f"    {draw(st.sampled_from(['break', 'continue']))}"]
        elif kind == "item":
            lines.append(f"{draw(st.sampled_from(ITEMS))} {draw(st.sampled_from(['=', '+=']))} {draw(expressions(depth=1))}")
        elif kind == "match":
            lines += [f"match {draw(expressions())} % 4:", "    case 0:", *indented(indented(draw(blocks(depth - 1, in_loop))))]
            if draw(st.booleans()):
                lines += [f"    case 1 | 2 if {draw(conditions())}:", *indented(indented(draw(blocks(depth - 1, in_loop))))]
            lines += [
                "    case k:" if draw(st.booleans()) else "    case _:",
                *indented(indented(draw(blocks(depth - 1, in_loop)))),
            ]
        elif kind == "assign":
            lines.append(f"{draw(st.sampled_from(NAMES))} = {draw(expressions())}")
        elif kind == "augment":
            lines.append(f"{draw(st.sampled_from(NAMES))} += {draw(expressions(depth=1))}")
        elif kind == "swap":
            x, y = draw(st.permutations(NAMES))[:2]
            lines.append(f"{x}, {y} = {y}, {x}")
        elif kind == "return":
            lines += [f"if {draw(conditions())}:", f"    return {draw(expressions())}"]
        elif kind == "if":
            lines += [f"if {draw(conditions())}:", *indented(draw(blocks(depth - 1, in_loop)))]
            if draw(st.booleans()):
                lines += ["else:", *indented(draw(blocks(depth - 1, in_loop)))]
        else:
            lines += draw(loops(kind, depth))
            if draw(st.integers(0, 3)) == 0:
                lines += ["else:", *indented(draw(blocks(depth - 1, in_loop)))]
    return lines


@st.composite
def loops(draw: st.DrawFn, kind: str, depth: int) -> list[str]:
    body = indented(draw(blocks(depth - 1, True)))
    if kind == "unroll":
        return [f"for i in xt.static_range({draw(st.integers(0, 3))}):", *body]
    if kind == "for":
        bounds = draw(st.sampled_from(["a % 4", "b % 3, 5", "0, c % 7, 2", "d % 5, 0, -1", "3"]))
        name = draw(st.sampled_from(["i", "j", "a"]))
        if bounds == "3" and draw(st.booleans()):  # a list by the counter: unrolled
            body = [f"    xs[{name}] += {draw(expressions(depth=1))}", *body]
        return [f"for {name} in range({bounds}):", *body]
    count = f"n{depth}"  # of its own: a loop inside must not start it again
    if draw(st.booleans()):
        return [f"{count} = 0", f"while ({count} := {count} + 1) < 4 and ({draw(conditions())}):", *body]
    return [f"{count} = 0", f"while {count} < 4 and ({draw(conditions())}):", f"    {count} += 1", *body]


def indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


@st.composite
def programs(draw: st.DrawFn) -> str:
    lines = [
        "c, d = 3, a - b",
        "i = j = k = n1 = n2 = n3 = 0",
        "xs = [a, 2, b]",
        "table, pairs = {'u': a, 'v': 1}, [[b, 1], [2, a]]",
        *draw(blocks(3)),
    ]
    lines += [f"return {draw(expressions())} + xs[1] + 3 * pairs[1][0] + 5 * table['v']"]
    return "\n".join(["import xetile as xt", "", "", "def program(a, b):", *indented(lines), ""])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("programs")


def agree(folder, source):
    file = folder / f"program_{next(COUNTER)}.py"
    file.write_text(source)
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kernel = xt.jit(module.program)
    for a, b in ARGUMENTS:
        assert scalars(kernel, a, b, given=xt.index) == [module.program(a, b)], (a, b)


@few(3)
@given(source=programs())
def test_kernel_and_python_agree(folder, source):
    agree(folder, source)


@pytest.mark.slow
@given(source=programs())
def test_kernel_and_python_agree_on_more(folder, source):
    agree(folder, source)
