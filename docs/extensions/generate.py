"""What pages show and the compiler makes, when the documentation is built: directives, and the reference's pages.

```{layout} 64x32                         a picture of a layout, in the text of its attribute
#xegpu.layout<sg_layout = [4, 1], ...>
```
```{levels} tutorials/03_matmul.py:matmul  every level of a kernel, side by side
:signature: f16[?,?],f16[?,?],f32[?,?]
:set: BM=64 BN=64
:num_subgroups: 4
```
```{settings}                             the table of settings
```
```{passes} PIPELINE                      the passes of a table of xetile/passes/order.py, in order
```
```{isa} matmul f16, matmul tf32           rows of benchmarks/results/isa.json
```
"""

from __future__ import annotations

import ast
import html
import importlib
import inspect
import json
import re
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive, directives
from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

from docs.extensions.names import write_reference
from xetile import layout
from xetile.cli import IR_LEVELS, _find_kernel, _split_types
from xetile.layout import draw
from xetile.passes import order
from xetile.runtime import settings
from xetile.runtime.dump import DISASSEMBLER

ROOT = Path(__file__).parents[2]
_LONG_ATTRIBUTE = re.compile(r" kernel attributes \{xetile\.args.*\} \{$", re.MULTILINE)


class LayoutPicture(Directive):
    """A drawing of a layout on a tile of the shape that the argument gives."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """The picture, and the attribute's text below it."""
        text = "\n".join(self.content)
        shape = tuple(map(int, self.arguments[0].split("x")))
        svg = draw.picture(layout.parse(text), shape)
        return [_raw(f'<div class="layouts">{svg}</div>'), nodes.literal_block(text, text, language="text")]


class Levels(Directive):
    """All levels of a kernel of a file, in columns."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {
        "signature": directives.unchanged_required, "set": directives.unchanged, "num_subgroups": directives.positive_int,
        "target": directives.unchanged,
    }  # fmt: skip

    def run(self) -> list[nodes.Node]:
        """One column for each level."""
        file, _, name = self.arguments[0].rpartition(":")
        kernel = _find_kernel(f"{ROOT / file}:{name}")
        constants = {key: ast.literal_eval(value) for key, _, value in (word.partition("=") for word in self._words("set"))}
        compiled = kernel.compile(*_split_types(self.options["signature"]), target=self.options.get("target", "pvc"),
                                  num_subgroups=self.options.get("num_subgroups"), **constants)  # fmt: skip
        columns = [(level, _LONG_ATTRIBUTE.sub(" kernel {", compiled.ir[level])) for level in IR_LEVELS]
        disassemble = importlib.import_module(DISASSEMBLER).disassemble
        columns.append(("SPIR-V", disassemble(compiled.spirv)))
        shown = "".join(f"<section><h4>{level}</h4><pre>{html.escape(text)}</pre></section>" for level, text in columns)
        return [_raw(f'<div class="levels">{shown}</div>')]

    def _words(self, option: str) -> list[str]:
        return str(self.options.get(option, "")).split()


class Settings(Directive):
    """A table of all settings."""

    def run(self) -> list[nodes.Node]:
        """The table."""
        rows = [(s.variable, "unset" if s.default in (None, "") else str(s.default), s.doc) for s in settings.SETTINGS]
        return [_table(("variable", "default", "meaning"), rows, code=(0, 1))]


class Passes(Directive):
    """A table of the passes that make each level."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The level that each belongs to, its name, and the first sentence of its docstring."""
        steps = [(level, step) for level, passes in getattr(order, self.arguments[0]) for step in passes]
        rows = [(level, step.__name__, _first_sentence(step)) for level, step in steps]
        return [_table(("level", "pass", "what it does"), rows, code=(0, 1))]


def _first_sentence(step: Any) -> str:
    sentence, end, _ = " ".join(str(inspect.getdoc(step)).split("\n\n")[0].split()).partition(". ")
    return (sentence + end).strip().replace("`", "")


class IsaRows(Directive):
    """Rows of the table of machine code."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """The rows whose cases the argument names, for all targets."""
        wanted = [name.strip() for name in self.arguments[0].split(";")]
        rows = json.loads((ROOT / "benchmarks/results/isa.json").read_text(encoding="utf-8"))["rows"]
        columns = ("case", "target", "grf", "dpas", "loads", "prefetch", "slm", "scratch", "mov", "alu", "sync", "total")
        found = [row for row in rows if row["case"] in wanted]
        missing = set(wanted) - {row["case"] for row in found}
        if missing:
            raise self.error(f"benchmarks/results/isa.json has no rows {', '.join(sorted(missing))}")
        return [_table(columns, [tuple(_number(row.get(c, "")) for c in columns) for row in found])]


def _number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, (int, float)) else str(value)


def _raw(text: str) -> nodes.raw:
    return nodes.raw("", text, format="html")


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]], code: tuple[int, ...] = ()) -> nodes.table:
    group = nodes.tgroup(cols=len(head))
    group += [nodes.colspec(colwidth=1) for _ in head]
    group += nodes.thead("", _row(head, ()))
    group += nodes.tbody("", *(_row(row, code) for row in rows))
    return nodes.table("", group)


def _row(cells: tuple[str, ...], code: tuple[int, ...]) -> nodes.row:
    shown = [nodes.literal(text, text) if i in code else nodes.Text(text) for i, text in enumerate(cells)]
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", "", cell)) for cell in shown))


_DIRECTIVES = {"layout": LayoutPicture, "levels": Levels, "settings": Settings, "passes": Passes, "isa": IsaRows}


def setup(app: Sphinx) -> dict[str, bool]:
    """Register directives, the words after ``` that pages use, and the making of the reference."""
    for name, directive in _DIRECTIVES.items():
        app.add_directive(name, directive)
    for word in ("output", "error", "mlir"):
        app.add_lexer(word, TextLexer)
    app.connect("builder-inited", lambda app: write_reference(Path(app.srcdir, "reference", "names")))
    return {"parallel_read_safe": False}
