"""The language reference: a page for each public name, made of its docstring when the documentation is built."""

from __future__ import annotations

import inspect
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import xetile as xt
from docs.extensions.docstrings import Part, parts
from xetile import errors, xegpu
from xetile.dtypes import DType
from xetile.language.arrays import Array, Tile
from xetile.language.sync import NamedBarrier
from xetile.language.values import Value
from xetile.layout import Layout
from xetile.runtime.compiled import CompiledKernel
from xetile.runtime.jit import Kernel
from xetile.runtime.launcher import Bound

XETILE_RFC = "https://github.com/intel/mlir-extensions/blob/main/docs/rfcs/XeTile.md#xetile-dialect"
XEGPU_RFC = "https://github.com/intel/mlir-extensions/blob/main/docs/rfcs/XeGPU.md"
XEGPU_DIALECT = "https://mlir.llvm.org/docs/Dialects/XeGPU/"
# How docstrings name the documents that define what they describe.
_SOURCES = (
    (re.compile(r"\bseed 000\b"), f"[XeGPU RFC]({XEGPU_RFC})"),
    (re.compile(r"\bseed 001\b"), f"[XeTile RFC]({XETILE_RFC})"),
    (re.compile(r"\bseed 002\b|(?<=\()MLIR's xegpu dialect\b"), f"[MLIR's xegpu dialect]({XEGPU_DIALECT})"),
    (re.compile(r"(?<=\()RFC\b"), f"[XeTile RFC]({XETILE_RFC})"),
)
# What kernels and their callers hold, besides the public names.
TYPES: tuple[type, ...] = (Value, Array, Tile, NamedBarrier, Layout, Kernel, Bound, CompiledKernel)
_HIDDEN = {"with_ir", "mro"}
_WIDTH = 90  # characters of code that a page shows without scrolling


@dataclass(frozen=True)
class Name:
    """A public name: `xt.load_tile`, and what it stands for."""

    text: str
    value: Any

    @property
    def page(self) -> str:
        """The page's name, told apart from others also where case does not count."""
        return self.text.removeprefix("xt.").replace(".", "-") + ("-class" if self.text.rpartition(".")[2][0].isupper() else "")

    @property
    def home(self) -> str:
        """The module that defines it."""
        return "xetile.dtypes" if isinstance(self.value, DType) else getattr(self.value, "__module__", "xetile")

    @property
    def is_described(self) -> bool:
        """Whether it has a page of its own: the dtypes share one."""
        return not isinstance(self.value, (DType, ModuleType))


def public_names() -> list[Name]:
    """All names that users reach through `xt`, those of `xt.xegpu` and those of `xt.ops`."""
    listed = getattr(xt, "__all__", None) or [n for n in dir(xt) if not n.startswith("_")]
    own = [Name(f"xt.{n}", getattr(xt, n)) for n in sorted(listed)]
    own = [name for name in own if name.home.startswith("xetile.") and not isinstance(name.value, ModuleType)]
    return own + [
        Name(f"xt.{part.__name__[7:]}.{n}", getattr(part, n))
        for part in (xegpu, xt.ops, xt.ops.distributed)
        for n in part.__all__
    ]


def types() -> list[Name]:
    """Classes whose objects kernels and callers meet."""
    public = {id(name.value) for name in public_names()}
    return [Name(cls.__name__, cls) for cls in TYPES if id(cls) not in public]


def write_reference(folder: Path) -> None:
    """A page for each name, and the list of them by theme."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    names = public_names()
    described = [name for name in names if name.is_described]
    for name in [*described, *types()]:
        (folder / f"{name.page}.md").write_text(page(name, names), encoding="utf-8")
    (folder / "index.md").write_text(_index(described), encoding="utf-8")


def _index(names: list[Name]) -> str:
    lines = ["# Language reference", "", _INDEX_HEAD, ""]
    for theme, members in _by_theme(names):
        lines += [f"## {theme}", "", "| name | |", "| --- | --- |"]
        lines += [f"| [`{name.text}`]({name.page}.md) | {_first_sentence(name.value)} |" for name in members]
        lines.append("")
    lines += ["## Types", "", "| type | |", "| --- | --- |"]
    lines += [f"| [`{name.text}`]({name.page}.md) | {_first_sentence(name.value)} |" for name in types()]
    pages = "\n".join(name.page for name in [*names, *types()])
    return "\n".join([*lines, "", "```{toctree}\n:hidden:\n", pages, "```", ""])


_INDEX_HEAD = """One page for each name: signature, shapes, dtypes, errors, and an example that runs after

```python
import numpy as np
import xetile as xt
from xetile import errors, xegpu
```

[Element types](../../guide/dtypes.md) and [exceptions](../../errors.md) have pages of their own."""


def _by_theme(names: list[Name]) -> Iterator[tuple[str, list[Name]]]:
    homes: dict[str, list[Name]] = {}
    for name in names:
        homes.setdefault(name.home, []).append(name)
    order = sorted(homes, key=lambda home: (".ops" in home, ".xegpu" in home, "language" not in home, home))
    for home in order:
        yield _theme(home), homes[home]


def _theme(home: str) -> str:
    doc = (sys.modules[home].__doc__ or home).split("\n\n")[0]
    sentence = re.split(r"(?<=[a-z])[.:](?:\s|$)|: |\. ", doc.replace("\n", " "))[0].rstrip(".")
    return f"{sentence} (`xt.{part}`)" if (part := home.split(".")[1]) in ("xegpu", "ops") else sentence


def _first_sentence(value: Any) -> str:
    first = (inspect.getdoc(value) or "").split("\n\n")[0].replace("\n", " ")
    sentence = re.split(r"(?<=[\w)`])\. ", first)[0].rstrip(".")
    return _text(sentence).replace("|", "\\|")


def page(name: Name, names: list[Name]) -> str:
    """A name's page, in Markdown."""
    kind = "class" if inspect.isclass(name.value) else "function"
    lines = [f"# `{name.text}`", "", f"```{{py:{kind}}} {name.text}{signature(name.value)}", ":no-typesetting:", "```", ""]
    lines += ["```python", _wrapped(name.text, signature(name.value)), "```", ""]
    lines += [*_body(name.value)]
    if inspect.isclass(name.value):
        lines += _members(name.value)
    siblings = [n for n in names if n.home == name.home and n.is_described and n.text != name.text]
    if siblings:
        lines += ["", "See also " + ", ".join(f"[`{n.text}`]({n.page}.md)" for n in siblings) + "."]
    return "\n".join(lines) + "\n"


def _wrapped(name: str, text: str) -> str:
    """A signature as code; a parameter a line where it is long."""
    if len(name + text) <= _WIDTH:
        return name + text
    inside, end = re.fullmatch(r"\((.*)\)(.*)", text, re.DOTALL).groups()  # type: ignore[union-attr]
    parameters = re.split(r", (?![^\[(]*[\])])", inside)
    return f"{name}(\n" + "".join(f"    {parameter},\n" for parameter in parameters) + f"){end}"


def _members(cls: type) -> list[str]:
    lines: list[str] = []
    for name, member in sorted(vars(cls).items()):
        doc = inspect.getdoc(member)
        if name.startswith("_") or name in _HIDDEN or not doc or not (callable(member) or isinstance(member, property)):
            continue
        lines += ["", f"## `{name}{'' if isinstance(member, property) else signature(member)}`", "", *_body(member)]
    return lines


def signature(value: Any) -> str:
    """Parameters with their types and defaults, as in the source; empty where there are none to tell."""
    if not callable(value):
        return ""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    kept = [p for p in found.parameters.values() if p.name != "self"]
    text = str(found.replace(parameters=kept))
    return re.sub(r"'([^']*\w[\w\[\] |.,\"]*)'(?=[,)=]| =|$)", r"\1", text).replace("typing.", "").replace(" -> None", "")


def _body(value: Any) -> list[str]:
    lines: list[str] = []
    for part in parts(value):
        lines += [*_RENDER[part.kind](part), ""]
    return lines


def _text(text: str) -> str:
    for pattern, link in _SOURCES:
        text = pattern.sub(link, text)
    return text.replace("*", "\\*") if "`" not in text else _outside_code(text)


def _outside_code(text: str) -> str:
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(p if p.startswith("`") else p.replace("*", "\\*") for p in pieces)


_ERROR = re.compile(r"\b(" + "|".join(n for n in vars(errors) if n.endswith("Error")) + r")\b")


def _linked(text: str) -> str:
    """Exceptions as links to their places on the page of errors."""
    return _ERROR.sub(lambda m: f"[`{m[1]}`](../../errors.md#{m[1].lower()})", text)


def _table(part: Part) -> list[str]:
    cells = [(f"`{name.strip('`')}`", _linked(_text(text)).replace("|", "\\|")) for name, text in part.rows]
    return ["| | |", "| --- | --- |", *(f"| {name} | {text} |" for name, text in cells)]


_RENDER = {
    "text": lambda part: [_linked(_text(part.text))],
    "list": lambda part: [_linked(_text(part.text))],
    "table": _table,
    "code": lambda part: ["```python", part.text, "```"],
    "output": lambda part: ["```output", part.text, "```"],
}
