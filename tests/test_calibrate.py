"""tools/calibrate.py runs a case on a device, asks both models, and writes all of it down."""

from __future__ import annotations

import json

import pytest

from tests import tools
from tools import calibrate
from xetile.errors import DeviceError
from xetile.runtime.devices import find_device


@pytest.fixture
def cpu() -> None:
    try:
        find_device("cpu")
    except DeviceError as error:
        tools.missing("a cpu device", str(error))


def test_times_stand_beside_both_estimates(cpu, tmp_path, monkeypatch, capsys):
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)
    monkeypatch.setattr(calibrate, "CASES", (calibrate.CASES[0], calibrate.CASES[-1]))
    out = tmp_path / "found.json"
    assert calibrate.main(["--device", "cpu", "--target", "bmg", "--divide", "64", "--out", str(out)]) == 0
    found = json.loads(out.read_text())
    assert (found["target"], found["kind"]) == ("bmg", "cpu")
    assert found["driver"] == find_device("cpu").driver_version
    for row in found["rows"]:
        assert row["measured"] >= row["least"] > 0
        assert row["roofline"] > 0 and row["machine_code"] > 0
        assert not row["failure"]
    assert "the ratios mean nothing" in capsys.readouterr().out


def test_every_case_has_types_that_divide():
    for case in calibrate.CASES:
        assert case.divided(10**9).types != case.types
        assert all("[" in text for text in case.divided(8).types)
