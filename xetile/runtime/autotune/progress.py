"""A progress bar: by rich or tqdm where one is installed, else one line that is written over."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol


class Progress(Protocol):
    """What the bar is told."""

    def step(self, note: str) -> None:
        """One more is done."""


class _Silent:
    def step(self, note: str) -> None:
        """Say nothing."""


class _Line:
    def __init__(self, title: str, total: int) -> None:
        self.title, self.total, self.done = title, total, 0
        self.show("")

    def step(self, note: str) -> None:
        """One more is done."""
        self.done += 1
        self.show(note)

    def show(self, note: str) -> None:
        """Write the line again."""
        print(f"\r{self.title}: {self.done}/{self.total} {note}\033[K", end="", file=sys.stderr, flush=True)


class _Lines(_Line):
    def show(self, note: str) -> None:
        """Write one more line."""
        print(f"{self.title}: {self.done}/{self.total} {note}", file=sys.stderr, flush=True)


class _Rich:
    def __init__(self, bar: Any, title: str, total: int) -> None:
        self.bar, self.title = bar, title
        self.task = bar.add_task(title, total=total)

    def step(self, note: str) -> None:
        """One more is done."""
        self.bar.update(self.task, advance=1, description=f"{self.title} {note}")


class _Tqdm:
    def __init__(self, bar: Any) -> None:
        self.bar = bar

    def step(self, note: str) -> None:
        """One more is done."""
        self.bar.set_postfix_str(note, refresh=False)
        self.bar.update(1)


@contextmanager
def progress_bar(title: str, total: int, wanted: bool | None) -> Iterator[Progress]:
    """A bar on stderr within the block.  wanted: True, False, or None: when stderr is a terminal."""
    on_terminal = sys.stderr.isatty()
    if not (on_terminal if wanted is None else wanted):
        yield _Silent()
        return
    if not on_terminal:  # a log: no cursor to move
        yield _Lines(title, total)
        return
    try:
        from rich.console import Console
        from rich.progress import Progress as Bar
    except ImportError:
        with _other_bar(title, total) as bar:
            yield bar
        return
    with Bar(console=Console(stderr=True), transient=True) as rich:
        yield _Rich(rich, title, total)


@contextmanager
def _other_bar(title: str, total: int) -> Iterator[Progress]:
    try:
        from tqdm import tqdm  # type: ignore[import-untyped]
    except ImportError:
        yield _Line(title, total)
        print(file=sys.stderr)
        return
    with tqdm(total=total, desc=title, file=sys.stderr, leave=False) as bar:
        yield _Tqdm(bar)
