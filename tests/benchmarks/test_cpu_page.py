"""The page of all that a CPU is measured by says of each bar whether it is met, and what stands in the way where it is not."""

from __future__ import annotations

import pytest
from xetile.benchmarks.cpu_page import Result, _page
from xetile.benchmarks.cpu_verdicts import Other, kept, reason
from xetile.benchmarks.environment import _OURS
from xetile.benchmarks.suites.cpu import lines
from xetile.benchmarks.timing import Timing


def timing(seconds):
    return Timing(seconds, seconds, seconds, seconds, 1)


def result(name, gain, *, held, beyond=False, roof=0.8):
    peers = {"numpy": timing(gain)}
    return Result(name, "1.5 numpy", 0.0, 80.0, "GFLOP", roof, timing(1.0), peers, held=held, beyond=beyond)


FOUND = {"machine": {"cpu": "a CPU"}, "date": "today", "peaks": {}}


def test_missed_bars_are_told_with_what_was_measured_and_why(tmp_path):
    pytest.importorskip("matplotlib")
    results = [
        result("exp", 2.0, held=True),
        result("tanh", 1.0, held=False),
        result("f32 square", 1.0, held=False, beyond=True),
        result("erf", 1.0, held=None),
    ]
    others = [Other("two cores", "1.59 x", "1.8 x", "missed"), Other("AMX", "1.3 x", "1 x", "met")]
    page = _page(results, FOUND, others, tmp_path / "page.png")
    assert page.startswith("Of 5 bars 2 are met and 3 missed.")
    missed = page[page.index("## Missed") :].splitlines()[1:4]
    assert missed[0].startswith("- tanh: 1.00 x numpy, 80% of the roof; the bar is 1.5 numpy. ")
    assert "numpy has 80% of the roof" in missed[1] and "more than all of it" in missed[1]
    assert missed[2] == "- two cores: 1.59 x, the bar is 1.8 x."
    assert (tmp_path / "page.png").stat().st_size > 1000


def test_where_all_is_met_there_is_no_such_part(tmp_path):
    pytest.importorskip("matplotlib")
    assert "Missed" not in _page([result("exp", 2.0, held=True)], FOUND, [], tmp_path / "page.png")


def test_bars_of_other_pages_are_taken_from_what_was_kept():
    whats = [other.what for other in kept(_OURS)]
    assert any("cores against one" in what for what in whats)
    assert {"AMX bf16 2048", "AMX bf16 4096", "AMX i8 4096"} <= set(whats)


def test_reasons_are_about_lines_that_there_are():
    assert sum(bool(reason(line.case.name)) for line in lines()) >= 8
