"""A `View` as one HTML page that needs nothing else: styles and script are inside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xetile.cli.view import Column, Picture, View
    from xetile.estimate.profile import Step

_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 960, 206, 44, 8


def page(view: View) -> str:
    """The whole page."""
    template = resources.files("xetile.cli").joinpath("view.html").read_text(encoding="utf-8")
    parts = {
        "TITLE": escape(view.title),
        "TOGGLES": "".join(_toggle(number, column) for number, column in enumerate(view.columns)),
        "COLUMNS": "".join(_column(number, column, view.first) for number, column in enumerate(view.columns)),
        "REGISTERS": registers(view.steps, view.grf),
        "PICTURES": "".join(map(_picture, view.pictures)) or "<p>No layouts.</p>",
        "BUFFERS": _buffers(view.buffers),
        "ESTIMATE": escape(view.estimate) or "There is none for this target.",
    }
    for name, text in parts.items():
        template = template.replace(f"<!--{name}-->", text)
    return template


def _toggle(number: int, column: Column) -> str:
    return f'<label><input type="checkbox" checked data-column="{number}"> {escape(column.name)}</label>'


def _column(number: int, column: Column, first: int) -> str:
    remark = f"<small>{escape(column.remark)}</small>" if column.remark else ""
    rows = "".join(_line(text, lines, number == 0) for text, lines in column.lines)
    begin = f' data-first="{first}"' if number == 0 else ""
    return f'<section id="column-{number}"{begin}><h2>{escape(column.name)} {remark}</h2><div class="code">{rows}</div></section>'


def _line(text: str, lines: Sequence[int], numbered: bool) -> str:
    label = f"<i>{lines[0]}</i>" if numbered else ""
    return f"<div{_marks(lines)}>{label}{escape(text) or ' '}</div>"


def _marks(lines: Sequence[int]) -> str:
    return f' data-lines="{" ".join(map(str, lines))}"' if lines else ""


def _picture(picture: Picture) -> str:
    return f"<figure{_marks(picture.lines)}><figcaption>{escape(picture.title)}</figcaption>{picture.svg}</figure>"


def _buffers(buffers: Sequence[str]) -> str:
    if not buffers:
        return "<p>No shared local memory.</p>"
    return "<ul>" + "".join(f"<li><code>{escape(buffer)}</code></li>" for buffer in buffers) + "</ul>"


def registers(steps: Sequence[Step], grf: int) -> str:
    """Registers over the program as SVG: a bar for each op, marked with its source line; a line for what the thread has."""
    if not steps:
        return "<p>Registers are the matter of the target's compiler.</p>"
    mark = grf // 4 or 32  # then the limit is one of the marks
    most = max(mark, -(-max(grf, *(step.registers for step in steps)) // mark) * mark)
    inner, across = _HEIGHT - _BOTTOM - 8, _WIDTH - _LEFT - 4
    wide = across / len(steps)

    def height(value: float) -> float:
        return inner * value / most

    lines = [
        f'<svg class="registers" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" font-size="14" fill="currentColor">'
    ]
    lines += _axis(most, mark, inner)
    for number, step in enumerate(steps):
        line = (step.at.line,) if step.at is not None else ()
        tip = f"{step.op}, {step.registers:.0f} registers" + (f", line {line[0]}" if line else "")
        tall = height(step.registers)
        lines.append(
            f'<rect class="step depth{min(step.depth, 3)}"{_marks(line)} x="{_LEFT + number * wide:.2f}" y="{8 + inner - tall:.2f}" '
            f'width="{max(wide, 0.6):.2f}" height="{tall:.2f}"><title>{escape(tip)}</title></rect>'
        )
    if grf:
        y = 8 + inner - height(grf)
        lines.append(f'<line x1="{_LEFT}" x2="{_WIDTH - 4}" y1="{y:.2f}" y2="{y:.2f}" class="limit"/>')
    told = (
        f"<p><small>{len(steps)} ops at lane level, as written; darker in loops; line: {grf} registers. "
        "The compiler orders them again: the estimate tells what they then need.</small></p>"
    )
    return "\n".join([*lines, "</svg>", told])


def _axis(most: float, mark: int, inner: float) -> Iterator[str]:
    for value in range(0, int(most) + 1, mark * max(1, int(most) // (8 * mark))):
        y = 8 + inner - inner * value / most
        yield f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value}</text>'
        yield f'<line x1="{_LEFT}" x2="{_WIDTH - 4}" y1="{y:.1f}" y2="{y:.1f}" class="grid"/>'
