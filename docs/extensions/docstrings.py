"""Docstrings as this project writes them, in parts.

First sentence, then paragraphs.

name        what it is, a table of names: two spaces or more between, further lines indented

Raises SomeError.

Example:
    code that runs

Prints:
    what it prints
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from textwrap import dedent
from typing import Any, Literal

PartKind = Literal["text", "table", "code", "output", "list"]
_ROW = re.compile(r"(?P<name>[`\w][\w`.*, ]*?(?: \.\.\.)?) {2,}(?P<text>\S.*)")
_TITLES: dict[str, PartKind] = {"Example:": "code", "Prints:": "output"}


@dataclass(frozen=True)
class Part:
    """A paragraph, a table (lines of name and text), a list, code, or what the code before it prints."""

    kind: PartKind
    text: str = ""
    rows: tuple[tuple[str, str], ...] = ()


def parts(thing: Any) -> list[Part]:
    """The docstring of an object, or a text, in its parts."""
    text = thing if isinstance(thing, str) else inspect.getdoc(thing) or ""
    return [part for paragraph in _paragraphs(text) for part in _part(paragraph)]


def examples(thing: Any) -> list[tuple[str, str]]:
    """The examples of a docstring: code, and what it prints (nothing where the docstring does not tell)."""
    found: list[tuple[str, str]] = []
    for part in parts(thing):
        if part.kind == "code":
            found.append((part.text, ""))
        elif part.kind == "output" and found:
            found[-1] = (found[-1][0], part.text)
    return found


def _paragraphs(text: str) -> list[list[str]]:
    """Lines between blank ones; an indented block keeps the blank lines inside of it."""
    found: list[list[str]] = [[]]
    for line in text.splitlines():
        if line.strip():
            begins_anew = not line.startswith(" ") and any(last.startswith("    ") for last in found[-1][:1])
            if begins_anew or line.strip() in _TITLES:
                found.append([])
            found[-1].append(line)
        elif found[-1]:
            inside = found[-1][0].startswith("    ") or found[-1][0].strip() in _TITLES
            if inside:
                found[-1].append("")
            else:
                found.append([])
    return [_joined for lines in found if (_joined := _without_blank_end(lines))]


def _without_blank_end(lines: list[str]) -> list[str]:
    while lines and not lines[-1]:
        lines = lines[:-1]
    return lines


def _part(lines: list[str]) -> list[Part]:
    title = lines[0].strip()
    if title in _TITLES:
        return _titled(_TITLES[title], lines[1:])
    if lines[0].startswith("    "):
        return [Part("code", dedent("\n".join(lines)))]
    if lines[0].startswith("- "):
        return [Part("list", "\n".join(lines))]
    first = next((i for i, line in enumerate(lines) if _ROW.fullmatch(line)), None)
    if first is None:
        return [Part("text", "\n".join(lines))]
    before, rows, after = lines[:first], [], []
    for line in lines[first:]:
        row = _ROW.fullmatch(line)
        if row and not after:
            rows.append([row["name"], row["text"]])
        elif line.startswith(" ") and not after:
            rows[-1][1] += " " + line.strip()
        else:
            after.append(line)
    table = Part("table", rows=tuple((name, text) for name, text in rows))
    return [*([Part("text", "\n".join(before))] if before else []), table, *([Part("text", "\n".join(after))] if after else [])]


def _titled(kind: PartKind, lines: list[str]) -> list[Part]:
    """The indented lines below a title; lines at the margin after them are a paragraph again."""
    end = next((i for i, line in enumerate(lines) if line and not line.startswith(" ")), len(lines))
    block = Part(kind, dedent("\n".join(_without_blank_end(lines[:end]))))
    return [block, *([Part("text", "\n".join(lines[end:]))] if lines[end:] else [])]
