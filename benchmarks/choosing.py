"""What of a benchmark its command line asks for: some of the kernels, some of the targets, and whether the results are kept."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from .environment import RESULTS


def add_options(parser: argparse.ArgumentParser, name: str, targets: str = "") -> None:
    """`--only`, `--target`, `--results` and `--no-write` of a benchmark whose results are in NAME.json and NAME.md."""
    shown = "%(default)s" if targets else "all"
    parser.add_argument("--only", default="", metavar="TEXT", help="kernels whose name holds TEXT")
    parser.add_argument("--target", default=targets, metavar="NAMES", help=f"targets, separated by commas (default: {shown})")
    parser.add_argument("--results", type=Path, metavar="FOLDER",
                        help=f"folder for {name}.json and {name}.md (default: {RESULTS.name}, of runs of all kernels)")  # fmt: skip
    parser.add_argument("--no-write", action="store_true", help="only print")


def folder_of(options: argparse.Namespace, targets: str = "") -> Path | None:
    """Where the results are written; None for nowhere, and for a part of the kernels where no folder is named: it would replace the whole."""
    if options.no_write:
        return None
    found: Path | None = options.results or (None if options.only or options.target != targets else RESULTS)
    return found


def targets_of(parser: argparse.ArgumentParser, text: str, known: Iterable[str]) -> tuple[str, ...]:
    """Targets by their names; ends the program where there is none of a name."""
    chosen = tuple(name.strip() for name in text.split(",") if name.strip())
    names = sorted(set(known))
    for name in chosen:
        if name not in names:
            parser.error(f"there is no target {name!r} here: the targets are {', '.join(names)}")
    return chosen


def check_chosen(parser: argparse.ArgumentParser, only: str, chosen: Iterable[object], names: Iterable[str]) -> None:
    """Ends the program where no name holds the text."""
    if not any(True for _ in chosen):
        parser.error(f"nothing has {only!r} in its name; there are {', '.join(names)}")
