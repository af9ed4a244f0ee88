"""The report on machine code, and tuning without a device: what they print, write and refuse."""

from __future__ import annotations

import json
import re

import pytest

from benchmarks import __main__ as command
from benchmarks import isa, isa_tuning
from benchmarks.isa_cases import CASES, REFERENCES
from benchmarks.isa_library import BARS, LIBRARY
from tests.tools import require_tool
from xetile.errors import ArgumentError
from xetile.runtime.autotune.candidates import Config


@pytest.fixture(autouse=True)
def tools() -> None:
    require_tool("ocloc")
    require_tool("iga64")


def run(*arguments: str) -> int:
    return command.main(["isa", *arguments])


def test_a_report_is_printed_and_written(tmp_path, capsys) -> None:
    assert run("--only", "matmul bf16, summed", "--target", "bmg", "--results", str(tmp_path)) == 0
    shown = capsys.readouterr().out
    assert re.search(r"matmul bf16, summed in bf16 +bmg +256 +32 +3 +1 ", shown)
    found = json.loads((tmp_path / "isa.json").read_text())
    (row,) = found["rows"]
    assert (row["case"], row["target"], row["dpas"], row["loads"], row["prefetch"]) == (
        "matmul bf16, summed in bf16",
        "bmg",
        32,
        3,
        1,
    )
    assert row["total"] == sum(
        row[k] for k in ("dpas", "loads", "prefetch", "stores", "slm", "scratch", "mov", "alu", "sync", "other")
    )
    assert abs(row["registers"] - row["reported"]) < 16
    assert row["met"]
    assert found["compiler"].startswith(("IGC", "driver"))
    assert found["date"].endswith("Z")
    text = (tmp_path / "isa.md").read_text()
    assert found["compiler"] in text
    assert "| matmul bf16, summed in bf16 | bmg | 256 |" in text


def test_references_stand_beside_the_same_work() -> None:
    rows = [isa.Row("matmul f16", "pvc", dpas=32, total=70, bar=70)]
    text = isa.table(rows).plain()
    assert len([r for r in REFERENCES if (r.case, r.target) == ("matmul f16", "pvc")]) == 4
    assert text.count("\n  ") == 4
    assert "182.5" in text
    assert {r.case for r in REFERENCES} <= {case.name for case in CASES}


@pytest.mark.parametrize(
    ("row", "met"),
    [
        (isa.Row("k", "pvc", total=70, bar=70), True),
        (isa.Row("k", "pvc", total=71, bar=70), False),
        (isa.Row("k", "pvc", dpas=20, total=100, least_share=0.2), True),
        (isa.Row("k", "pvc", dpas=19, total=100, least_share=0.2), False),
        (isa.Row("k", "pvc", error="refused"), False),
    ],
)
def test_bars(row, met) -> None:
    assert row.met is met


def test_unknown_kernels_are_named(capsys) -> None:
    with pytest.raises(SystemExit) as ended:
        run("--only", "no such kernel")
    assert ended.value.code == 2
    assert "there are matmul f16" in capsys.readouterr().err


def test_tuning_ranks_and_compiles_the_best(tmp_path, capsys) -> None:
    space = "BM=64,256 BN=256 num_subgroups=16,32"
    arguments = ("--only", "matmul f16", "--target", "bmg", "--size", "2048", "--top", "1", "--results", str(tmp_path))
    assert run("--tune", space, *arguments) == 0
    shown = capsys.readouterr().out
    assert "matmul f16 for bmg: f16[2048,2048], f16[2048,2048], f32[2048,2048]" in shown
    found = json.loads((tmp_path / "isa_tuning.json").read_text())
    rows = found["rankings"][0]["rows"]
    assert len(rows) == 4
    assert rows[0]["dpas_share"] > 0.3
    assert rows[0]["spill_bytes"] == 0
    assert all("dpas_share" not in row for row in rows[1:])
    # 16 subgroups of 64x64 each: the accumulator alone fills the register file.
    assert rows[-1]["config"] == {"BM": 256, "BN": 256, "num_subgroups": 16}
    assert rows[-1]["estimated_spill_bytes"] > 0
    assert "# Configurations by the roofline model" in (tmp_path / "isa_tuning.md").read_text()


def test_spaces_are_read() -> None:
    assert isa_tuning.configurations("BM=64,128 num_subgroups=8") == [
        Config(BM=64, num_subgroups=8),
        Config(BM=128, num_subgroups=8),
    ]
    with pytest.raises(ArgumentError, match="'BM' is no choice of values"):
        isa_tuning.configurations("BM")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--tune", "BM", "--only", "matmul f16"), "is no choice of values"),
        (("--tune", "BM=64", "--only", "matmul"), "--tune takes one kernel"),
        (("--tune", "BM=64", "--only", "matmul f16", "--shapes", "f16[4,4]"), "needs B"),
    ],
)
def test_bad_command_lines(arguments, why, capsys) -> None:
    assert run(*arguments) == 2
    assert why in capsys.readouterr().err


# Bytes of a thread that the one kernel of the library spills which does.
SPILLED = {("ops: attention, paged", "pvc"): 512, ("ops: attention, paged", "bmg"): 512}
BARRED = [(case, target) for case in LIBRARY for target in case.bars]


@pytest.mark.every(288, 109)
@pytest.mark.parametrize(("case", "target"), BARRED, ids=lambda held: getattr(held, "name", held))
def test_kernels_of_the_library_keep_their_bars(case, target) -> None:
    row = isa.measure(case, target, clocks=False)
    assert not row.error
    assert row.total <= case.bars[target], f"{row.total} instructions, {case.bars[target]} are allowed"
    assert (row.spill_bytes or 0) <= SPILLED.get((case.name, target), 0)


def test_every_kernel_of_the_library_has_a_bar_on_each_of_its_targets() -> None:
    assert {case.name.removeprefix("ops: ") for case in LIBRARY} == BARS.keys()
    for case in LIBRARY:
        assert case.bars.keys() == {*case.targets} - {"lnl"}, case.name  # lnl has bmg's machine code
