"""README tells the truth: its Python runs, its commands are those that CI runs, and the files and options it names exist."""

from __future__ import annotations

import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import xetile as xt
from tests import tools
from xetile import cli

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

PYTHON = [code for language, code in FENCE.findall(README) if language == "python"]
COMMANDS = [line for language, code in FENCE.findall(README) if not language for line in code.splitlines()]
RUN = "pip install -e '.[cpu]' && python tutorials/03_matmul.py"
TEST = "pip install -e '.[cpu,test]' && pytest"


def test_python_blocks_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One file of all of them: a later block uses what an earlier one made, and kernels need source to read."""
    file = tmp_path / "readme.py"
    file.write_text("\n".join(PYTHON), encoding="utf-8")
    monkeypatch.chdir(tmp_path)  # one of them saves a kernel
    names = runpy.run_path(str(file))
    assert names["C"].shape == (300, 200)
    assert (names["C"] == 128).all()
    assert (tmp_path / "matmul.spv").exists()
    assert names["k"].local_size == (512, 1, 1)


def test_first_and_second_command_are_those_that_ci_runs() -> None:
    assert COMMANDS[:2] == [RUN, TEST]
    ci = (ROOT / ".ci/run").read_text(encoding="utf-8")
    assert f'README_RUN="{RUN}"\nREADME_TEST="{TEST}"\n' in ci


@pytest.mark.every(2)
@pytest.mark.parametrize("command", [line for line in COMMANDS if line.startswith("python -m xetile ")])
def test_command_lines_work(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if ".mlir" in command:
        tools.require_tool("mlir-opt")
    monkeypatch.chdir(tmp_path)  # one of them writes a file
    (tmp_path / "tutorials").symlink_to(ROOT / "tutorials")
    assert cli.main(shlex.split(command)[3:]) == 0
    assert capsys.readouterr().out.strip()


def test_names_of_the_language_exist() -> None:
    rows = re.search(r"## The language\n(.*?)\n\n", README, re.DOTALL)
    assert rows is not None
    names = {name for name in re.findall(r"`(\w+)`", rows[1]) if name not in {"xt", "padding", "order", "wg_map"}}
    assert names | set(re.findall(r"\bxt\.(\w+)", README)) <= set(dir(xt))
    assert len(names) > 40


@pytest.mark.parametrize("module", ["xetile", "benchmarks.isastat"])
def test_modules_have_help(module: str) -> None:
    done = subprocess.run([sys.executable, "-m", module, "--help"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "usage:" in done.stdout


@pytest.mark.parametrize("page", [README, CONTRIBUTING], ids=["README", "CONTRIBUTING"])
def test_files_named_exist(page: str) -> None:
    words = re.findall(r"`([^`\n]+)`|\]\(([^)]+)\)", page)
    paths = {path for word in words for text in word for path in re.findall(r"(?:^|(?<=\s))[\w.]+(?:/[\w.-]+)+", text)}
    paths -= {"backends/NAME", "FOLDER/bin", "build/docs"}
    assert paths
    assert not [path for path in paths if not (ROOT / path).exists()]


def test_the_table_of_cpus_is_that_of_the_measurements() -> None:
    """Numbers, date, versions and the sentence about Numba are those of the page that the tool wrote."""
    page = (ROOT / "benchmarks/results/cpu-all.md").read_text(encoding="utf-8")
    titles, *measured = [_cells(line) for line in page.partition("## Other bars")[0].splitlines() if line.startswith("| ")]
    by_name = {cells[0]: dict(zip(titles, cells, strict=True)) for cells in measured[1:]}
    table = README[README.index("| what | x numpy | x torch |") : README.index("numpy multiplies bf16 and i8 as f32")]
    rows = [_cells(line) for line in table.splitlines()[2:] if line]
    assert len(rows) >= 10
    for name, numpy, torch in rows:
        assert (numpy, torch) == (by_name[name]["x numpy"], by_name[name]["x torch"]), name
    numba = {name: float(cells["x numba"]) for name, cells in by_name.items() if cells["x numba"]}
    slower = {name.split()[0]: times for name, times in numba.items() if times < 1}
    words = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight")
    prose = " ".join(README.split())
    told = re.search(r"also compare with Numba: (\w+) of (\w+) (?:is|are) slower than its loops(?:, ([^:]*?\)))?\.", prose)
    assert told is not None and (told[1], told[2]) == (words[len(slower)], words[len(numba)])
    assert sorted(re.findall(r"\(([\d.]+)\)", told[3] or "")) == sorted(f"{times:.2f}" for times in slower.values())
    date, cores = re.search(r"(\d{4}-\d\d-\d\d)T", page), re.search(r"(\d+ cores)", page)
    versions = dict(re.findall(r"(numpy|torch) (\d+\.\d+)", page))
    assert date is not None and cores is not None
    assert f"{cores[1]}, {date[1]}: how many times as fast as numpy {versions['numpy']} and PyTorch {versions['torch']}" in prose


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]
