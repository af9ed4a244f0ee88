"""What `benchmarks/results/estimate.json` holds of all kernels of the tests: so many builds may be told wrong, and so many be far off."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.plots import plot_estimates

ROWS = json.loads((Path(__file__).parents[2] / "benchmarks/results/estimate.json").read_text(encoding="utf-8"))
TOLERANCE = 24
# Of 854 builds, the one that is told wrong is DG2's: a scan in vain, by 49 registers.
SILENT, FALSE, FAR = 0, 1, 45


def test_as_many_kernels_are_told_right_as_were():
    assert {row["target"] for row in ROWS} == {"pvc", "bmg", "dg2"}
    assert len(ROWS) >= 854
    assert sum(1 for row in ROWS if row["spilled"] and not row["announced"]) <= SILENT
    assert sum(1 for row in ROWS if row["announced"] and not row["spilled"]) <= FALSE
    fits = [row for row in ROWS if not row["spilled"] and not row["announced"]]
    assert sum(1 for row in fits if abs(row["estimated"] - row["reported"]) > TOLERANCE) <= FAR


def test_where_block_messages_are_nothing_is_told_wrong():
    assert all(bool(row["spilled"]) == bool(row["announced"]) for row in ROWS if row["target"] != "dg2")


def test_they_are_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    page = tmp_path / "estimate.png"
    plot_estimates(page, [(row["target"], row["estimated"], row["reported"], row["spilled"] > 0) for row in ROWS], TOLERANCE)
    assert page.read_bytes().startswith(b"\x89PNG")
