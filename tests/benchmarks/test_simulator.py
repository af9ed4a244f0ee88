"""`benchmarks simulator`: shapes fit all its kernels, and what a launch gives is checked."""

from __future__ import annotations

import json

import pytest

from benchmarks import __main__ as command
from benchmarks import simulator
from benchmarks.isa_cases import CASES
from tests import tools


def test_every_kernel_has_a_problem():
    for case in CASES:
        shapes, reference = simulator.problem(case)
        given = simulator.arrays(case, shapes)
        wanted = reference(*(x.astype(float) for x in given[:-1]))
        assert len(given) == len(case.types)
        assert wanted.shape in (given[-1].shape, given[-1].shape[1:])


def test_a_kernel_is_run_and_checked(tmp_path, capsys, monkeypatch):
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)
    arguments = ["simulator", "--only", "transpose f32", "--target", "bmg", "--results", str(tmp_path)]
    assert command.main(arguments) == 0
    (row,) = json.loads((tmp_path / "simulator.json").read_text())["rows"]
    assert row["error"] == 0
    assert row["instructions"] > row["steps"] > 0
    assert "million a second" in (tmp_path / "simulator.md").read_text()
    monkeypatch.setattr(simulator, "problem", lambda case: ([(100, 200), (200, 100)], lambda x: x.T + 1))
    assert command.main(arguments) == 1


@pytest.mark.parametrize("row, text", [(simulator.Row("k", "pvc", failure="it broke"), "it broke"),
                                       (simulator.Row("k", "pvc", 4, 1000, 10, 0.001), "1.00")])  # fmt: skip
def test_rows(row, text):
    assert text in simulator.table([row]).plain()
