"""The documentation has all that there is: a page for each name, a place for each exception, tutorial and setting."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import pytest

from docs.extensions.docstrings import Part, examples, parts
from docs.extensions.names import page, public_names, types, write_reference
from xetile import cli, errors

ROOT = Path(__file__).parents[2]


def text(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def test_each_exception_has_its_place_on_the_page_of_errors():
    known = [n for n, v in vars(errors).items() if isinstance(v, type) and issubclass(v, errors.XetileError)]
    assert sorted(re.findall(r"^## (\w+)$", text("errors.md"), re.MULTILINE)) == sorted(set(known) - {"XetileError"})


def test_each_tutorial_is_listed():
    listed = re.findall(r"^\| `(\w+\.py)`", text("tutorials.md"), re.MULTILINE)
    assert listed == sorted(path.name for path in (ROOT / "tutorials").glob("[0-9]*.py"))


def test_each_command_is_described():
    (commands,) = [action for action in cli._parser()._actions if isinstance(action, argparse._SubParsersAction)]
    listed = re.findall(r"^\| `(\w+)` \|", text("guide/command-line.md"), re.MULTILINE)
    assert sorted(listed) == sorted(commands.choices)


def test_each_page_of_the_guide_is_reached_from_the_first():
    reached = set(re.findall(r"^([\w/-]+)$", text("index.md"), re.MULTILINE))
    pages = {str(path.relative_to(ROOT / "docs").with_suffix("")) for path in (ROOT / "docs").rglob("*.md")}
    assert {name for name in pages if not name.startswith("reference/names")} - {"index"} <= reached


def test_the_reference_has_a_page_for_each_name(tmp_path):
    write_reference(tmp_path)
    names = [name for name in (*public_names(), *types()) if name.is_described]
    assert {path.stem for path in tmp_path.glob("*.md")} == {name.page for name in names} | {"index"}
    assert len({name.page.lower() for name in names}) == len(names)  # file systems that do not tell cases apart
    index = (tmp_path / "index.md").read_text()
    assert all(f"({name.page}.md)" in index for name in names)


def test_a_page_shows_signature_errors_and_the_section_of_the_rfc():
    (name,) = [name for name in public_names() if name.text == "xt.load_tile"]
    shown = page(name, public_names())
    assert "xt.load_tile(" in shown and "padding" in shown
    assert "[`CompileError`](../../errors.md#compileerror)" in shown
    assert "docs/rfcs/XeTile.md" in shown
    assert "```output\n[ 1.  1.  1.  1. -1. -1.]\n```" in shown


DOCSTRING = """
First sentence (RFC).

a         one thing, told
          on two lines
b, c      `x` and y

Raises DtypeError.

Example:
    x = 1

    print(x)

Prints:
    1

After that.
"""


@pytest.mark.parametrize("part", [
    Part("text", "First sentence (RFC)."),
    Part("table", rows=(("a", "one thing, told on two lines"), ("b, c", "`x` and y"))),
    Part("text", "Raises DtypeError."),
    Part("code", "x = 1\n\nprint(x)"),
    Part("output", "1"),
    Part("text", "After that."),
])  # fmt: skip
def test_docstrings_are_read_in_parts(part):
    assert part in parts(DOCSTRING)
    assert examples(DOCSTRING) == [("x = 1\n\nprint(x)", "1")]
