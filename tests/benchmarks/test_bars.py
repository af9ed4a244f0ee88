"""Benchmarks with bars: launch overhead and start-up run, and say what is missed.  What they measure is not judged here."""

import pytest

from benchmarks import launch, startup, timing
from benchmarks.__main__ import main
from benchmarks.bars import Measured, document, table
from benchmarks.isa_plain import plain_cases
from benchmarks.timing import Timing
from tests import tools
from xetile.errors import DeviceError
from xetile.runtime.devices import find_device

ONE = Timing(2e-6, 1e-6, 3e-6, 1e-6, 30)


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(timing, "PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(launch, "LAUNCHES", 3)
    monkeypatch.setattr(launch, "SAMPLES", 3)
    monkeypatch.setattr(startup, "_samples", lambda: range(2))


def test_a_missed_bar_is_shown():
    rows = [Measured("slow", 7.0, "us", ONE, 5.0), Measured("fast", 4.0, "us", ONE, 5.0), Measured("told", 9.0, "us", ONE)]
    assert [row.met for row in rows] == [False, True, True]
    lines = table(rows).plain().splitlines()
    assert "NO" in lines[2] and "yes" in lines[3]
    assert [row["met"] for row in document("launch", rows)["rows"]] == [False, True, True]


@pytest.mark.device
def test_launches_are_measured(few, capsys, tmp_path):
    try:
        find_device("cpu")
    except DeviceError as error:
        tools.missing("a cpu device", str(error))
    assert main(["launch", "--device", "cpu", "--json", str(tmp_path / "out.json")]) in (0, 1)
    out = capsys.readouterr().out
    assert "bound, over that" in out and "call on numpy arrays" in out
    assert (tmp_path / "out.json").exists()


def test_launching_needs_a_queue(capsys):
    assert main(["launch", "--device", "numpy"]) == 2
    assert "no queue" in capsys.readouterr().err


def test_starts_are_measured(few, tmp_path):
    rows = [*startup.python_part(), *startup.warm_start(tmp_path, "numpy", "process_time")]
    assert [row.bar for row in rows] == [80, 150, None, 500, None]
    assert all(0 < row.value < 60_000 for row in rows)


def test_the_slowest_kernel_is_told(monkeypatch):
    """In the processor's seconds, whatever else the machine does; what a target lacks is left out."""
    cases = [case for case in plain_cases() if case.name in ("plain: activations", "plain: f32 as tf32")]
    monkeypatch.setattr("benchmarks.isa_plain.plain_cases", lambda: cases)
    rows = [*startup.slowest_plain()]
    assert [row.what.rpartition(" ")[2] for row in rows] == ["pvc", "bmg", "dg2"]
    assert all(
        row.bar == 1500 and row.remark in [case.name for case in cases] and 1e3 * row.timing.least <= row.value for row in rows
    )


def test_a_share_is_shown(monkeypatch):
    """What the cover checks take of compiling, with its bar."""
    monkeypatch.setattr(startup, "COVERED", ("softmax f16",))
    row = startup.cover_checks()
    assert 0 < row.value < 100 and row.bar == 3.0
    assert "%" in table([row]).plain()
