"""Every tutorial runs, and checks its own results; what 05 says of mistakes is what debug mode finds."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

import xetile as xt

TUTORIALS = sorted((Path(__file__).parents[1] / "tutorials").glob("[0-9]*.py"))


@pytest.mark.device
@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_runs(path, device, capsys):
    with xt.device(device):
        runpy.run_path(str(path), run_name="__main__")  # raises SystemExit where a result is wrong
    assert capsys.readouterr().out


def test_they_are_numbered_in_order():
    assert [path.stem[:2] for path in TUTORIALS] == [f"{i + 1:02}" for i in range(len(TUTORIALS))]


def test_debug_mode_says_what_the_tutorial_promises(capsys):
    runpy.run_path(str(TUTORIALS[4]), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    says = [line.split(": ")[:2] for line in lines if "Error: " in line]
    assert says == [["shifted", "OutOfBoundsError"], ["histogram", "RaceError"], ["turned", "RaceError"],
                    ["summed", "UndefinedValueError"], ["checked", "KernelAssertionError"]]  # fmt: skip
    assert [line for line in lines if line.startswith("program (1, 0, 0)")] and not any(
        line.startswith("program (0") for line in lines
    )
