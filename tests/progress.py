"""--progress FILE: a long run that goes on where it was interrupted.

Each test's outcome is a line of JSON in FILE as soon as it is known; tests that passed or were skipped there are left out of the next
run.  `python -m tests.progress FILE...` counts them: "device" says on which device a test's kernels ran under --on ("" for tests that
asked for none).
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

USED = "device"
"""The property of a report that names the device."""
SETTLED = frozenset({"passed", "skipped"})


class Progress:
    """The plug-in of one run."""

    def __init__(self, file: Path, *, writes: bool) -> None:
        self.file, self.writes = file, writes
        self.settled = {line["test"] for line in read(file) if line["outcome"] in SETTLED}
        self._worst: dict[str, dict[str, Any]] = {}

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        left_out = [item for item in items if item.nodeid in self.settled]
        if left_out:
            config.hook.pytest_deselected(items=left_out)
            items[:] = [item for item in items if item.nodeid not in self.settled]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        line = self._worst.setdefault(report.nodeid, {"test": report.nodeid, "outcome": "passed", "seconds": 0.0, "why": ""})
        line["seconds"] = round(line["seconds"] + report.duration, 2)
        if report.outcome != "passed" and line["outcome"] != "failed":
            line |= {"outcome": report.outcome, "why": _why(report)}
        if report.when == "teardown":
            line[USED] = dict(report.user_properties).get(USED, "")
            del self._worst[report.nodeid]
            if self.writes:
                with self.file.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")


def _why(report: pytest.TestReport) -> str:
    if isinstance(report.longrepr, tuple):
        return str(report.longrepr[2])
    crash = getattr(report.longrepr, "reprcrash", None)
    return str(crash.message if crash else report.longrepr)[:2000]


def read(file: Path) -> list[dict[str, Any]]:
    """The lines of a file of progress, a later one of a test in place of an earlier one; a line cut short by an end is left out."""
    found = {}
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        found[entry["test"]] = entry
    return list(found.values())


def summary(lines: Iterable[dict[str, Any]]) -> dict[tuple[str, str], Counter[str]]:
    """Outcomes by folder and device."""
    found: dict[tuple[str, str], Counter[str]] = {}
    for line in lines:
        folder = "/".join(line["test"].split("::")[0].split("/")[:2])
        found.setdefault((folder, line.get(USED, "")), Counter())[line["outcome"]] += 1
    return found


def main(files: list[str]) -> None:
    for name in files:
        lines = read(Path(name))
        for (folder, device), counts in sorted(summary(lines).items()):
            print(f"{folder:20} {device or '-':10} " + ", ".join(f"{n} {outcome}" for outcome, n in sorted(counts.items())))
        for line in lines:
            if line["outcome"] == "failed":
                first = line["why"].strip().splitlines()[:1]
                print(f"  failed: {line['test']} ({line['seconds']} s): {first[0] if first else ''}")


if __name__ == "__main__":
    main(sys.argv[1:])
