"""Every tutorial runs, and checks its own results; what 05 says of mistakes is what debug mode finds."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

import xetile as xt
from tests import tools

TUTORIALS = sorted((Path(__file__).parents[1] / "tutorials").glob("[0-9]*.py"))


@pytest.mark.every(14, 4)
@pytest.mark.device
@pytest.mark.parametrize("path", [path for path in TUTORIALS if path.stem != "18_dask"], ids=lambda path: path.stem)
def test_runs(path, device, capsys, monkeypatch):
    monkeypatch.setenv("XETILE_DEVICE", device)  # for processes that a tutorial starts
    if "xt.ops" in path.read_text():  # many kernels, whose emulated modules take Intel's compiler a minute
        monkeypatch.setenv("XETILE_CPU", "")
    with xt.device(device):
        runpy.run_path(str(path), run_name="__main__")  # raises SystemExit where a result is wrong
    assert capsys.readouterr().out


@pytest.mark.slow
def test_a_cluster_runs(capsys, monkeypatch):
    """Its workers build the same kernels as tutorial 17, so numpy is enough. Starting them takes longer than all other tutorials."""
    monkeypatch.setenv("XETILE_DEVICE", "numpy")
    runpy.run_path(str(find("18")), run_name="__main__")
    assert capsys.readouterr().out


@pytest.mark.slow
def test_the_library_runs_emulated(capsys):
    if not any(info.kind == "cpu" and info.usable for info in xt.devices()):
        tools.missing("a CPU OpenCL device", "pip install -e '.[cpu]'")
    with xt.device("cpu"):
        runpy.run_path(str(find("17")), run_name="__main__")
    assert "off by" in capsys.readouterr().out


def test_shared_memory_is_refused_where_a_barrier_is_missing(capsys):
    runpy.run_path(str(find("08")), run_name="__main__")
    says = [line.split(": ")[:2] for line in capsys.readouterr().out.splitlines()[1:]]
    assert says == [["no barrier", "RaceError"], ["the buffer is used again too early", "RaceError"],
                    ["a barrier for some", "CompileError"]]  # fmt: skip


def test_the_c_program_is_built_and_runs(capsys):
    if not any(info.kind == "cpu" and info.usable for info in xt.devices()):
        tools.missing("a CPU OpenCL device", "pip install -e '.[cpu]'")
    if not runpy.run_path(str(find("15")))["build_is_possible"]():
        tools.missing("a C compiler with OpenCL's header", "apt-get install gcc ocl-icd-opencl-dev")
    runpy.run_path(str(find("15")), run_name="__main__")
    assert "the C program says: 1000 elements are right, the last one is 1999" in capsys.readouterr().out


def find(number: str) -> Path:
    return next(path for path in TUTORIALS if path.name.startswith(number))


def test_they_are_numbered_in_order():
    assert [path.stem[:2] for path in TUTORIALS] == [f"{i + 1:02}" for i in range(len(TUTORIALS))]


def test_debug_mode_says_what_the_tutorial_promises(capsys):
    runpy.run_path(str(TUTORIALS[4]), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    says = [line.split(": ")[:2] for line in lines if "Error: " in line]
    assert says == [["shifted", "OutOfBoundsError"], ["histogram", "RaceError"], ["transposed", "RaceError"],
                    ["summed", "UndefinedValueError"], ["checked", "KernelAssertionError"]]  # fmt: skip
    assert [line for line in lines if line.startswith("program (1, 0, 0)")] and not any(
        line.startswith("program (0") for line in lines
    )
