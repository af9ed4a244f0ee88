"""Tables: on the terminal (through rich where it is installed), as plain text, and as Markdown."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Table:
    """Rows under headers; numbers are right-aligned. A row that is None is a rule between groups."""

    headers: Sequence[str]
    title: str = ""
    rows: list[Sequence[Any] | None] = field(default_factory=list)

    def add(self, *cells: Any) -> None:
        """One more row."""
        if len(cells) != len(self.headers):
            raise ValueError(f"a row of {len(cells)} cells under {len(self.headers)} headers")
        self.rows.append(cells)

    def rule(self) -> None:
        """End a group of rows."""
        if self.rows and self.rows[-1] is not None:
            self.rows.append(None)

    def plain(self) -> str:
        """Text with columns aligned by spaces."""
        texts = [[text(cell) for cell in row] for row in self.rows if row is not None]
        widths = [max(map(len, column)) for column in zip(self.headers, *texts)]
        right = [self._is_number(i) for i in range(len(self.headers))]
        lines = [self.title] if self.title else []
        lines += [_line(self.headers, widths, right), "  ".join("-" * w for w in widths)]
        lines += ["" if row is None else _line([text(c) for c in row], widths, right) for row in self.rows]
        return "\n".join(line.rstrip() for line in lines).rstrip() + "\n"

    def markdown(self) -> str:
        """A Markdown table."""
        rules = ["---:" if self._is_number(i) else "---" for i in range(len(self.headers))]
        rows = [list(self.headers), rules, *([text(c) for c in row] for row in self.rows if row is not None)]
        body = "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows)
        return f"{f'## {self.title}' + chr(10) * 2 if self.title else ''}{body}\n"

    def show(self) -> None:
        """Print to the terminal."""
        try:
            from rich.console import Console
            from rich.table import Table as Rich
        except ImportError:
            print(self.plain())
            return
        if not sys.stdout.isatty():
            print(self.plain())
            return
        table = Rich(title=self.title or None, title_justify="left")
        for i, header in enumerate(self.headers):
            table.add_column(header, justify="right" if self._is_number(i) else "left", no_wrap=True)
        for row in self.rows:
            if row is None:
                table.add_section()
            else:
                table.add_row(*[text(cell).replace("[", r"\[") for cell in row])
        Console().print(table)

    def _is_number(self, column: int) -> bool:
        cells = [row[column] for row in self.rows if row is not None and row[column] is not None]
        return bool(cells) and all(isinstance(cell, (int, float)) or _looks_numeric(cell) for cell in cells)


def text(cell: Any) -> str:
    """A cell as it is shown: None is empty, floats have three digits or one behind the point."""
    if cell is None:
        return ""
    if isinstance(cell, float):
        if cell != cell:
            return "nan"
        return f"{cell:.0f}" if cell == round(cell) or abs(cell) >= 1000 else f"{cell:.1f}" if abs(cell) >= 10 else f"{cell:.3g}"
    return str(cell)


def _looks_numeric(cell: Any) -> bool:
    head = str(cell).replace("%", "").replace(",", "").replace("~", "").split(" ")[0]
    try:
        float(head)
    except ValueError:
        return str(cell) in ("", "-")
    return True


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    return "  ".join(cell.rjust(w) if r else cell.ljust(w) for cell, w, r in zip(cells, widths, right))
