"""Benchmarks of kernels: checked before timed, compared, drawn, written."""

import importlib.util
import json
import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import xetile as xt
from benchmarks import environment, library, plots, timing
from benchmarks.__main__ import main
from benchmarks.suites.table import SUITES
from benchmarks.throughput import Runner, parse, run
from benchmarks.timing import Subject, Timing, compare
from tests import tools
from xetile.errors import DeviceError
from xetile.runtime.devices import find_device

pytestmark = pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    monkeypatch.setattr(timing, "PAUSE_SECONDS", 0.0)


@pytest.mark.every(2, 1)
@pytest.mark.parametrize("suite", SUITES.values(), ids=SUITES.keys())
def test_every_case_is_right(suite):
    """At small ragged sizes, by the reference interpreter."""
    sizes = [(2, 40, 64), (48,)] if suite.name == "attention" else [(48,), (36, 20, 52) if suite.name == "matmul" else (36, 20)]
    with xt.device("numpy") as device:
        runner = Runner(device, parse(suite, ["--device", "numpy"]), suite)
        runner._time = lambda *args: None
        for case in suite.cases(sizes):
            row = runner.measure(case)
            assert not row.failure, f"{case.name}: {row.failure}"
            assert row.error <= case.error


@pytest.mark.every(4)
@pytest.mark.device
@pytest.mark.parametrize("name,only", [("matmul", "A^T"), ("matmul", "B^T"), ("matmul", "split-K"), ("reduction", "")])
def test_arrays_on_the_device_are_timed_by_events(name, only):
    """As on a GPU."""
    try:
        device = find_device("cpu")
    except DeviceError as error:
        tools.missing("a cpu device", str(error))
    suite = SUITES[name]
    with xt.device(device):
        runner = Runner(device, parse(suite, ["--quiet"]), suite)
        runner.remote, runner.queue = True, xt.Queue(device, profiling=True)
        runner.peaks = SimpleNamespace(arithmetic=lambda dtype: ("known", 1e12), bandwidth=lambda size: 1e11)
        rows = [runner.measure(case) for case in suite.cases([(64,)]) if only in case.name]
    assert rows
    for row in rows:
        assert not row.failure
        assert row.ours.p20 > 0 and row.ours.samples >= 30
        assert row.roof == pytest.approx(max(row.flops / 1e12, row.traffic / 1e11) / row.ours.median)


def test_a_wrong_result_is_not_timed(capsys):
    suite = SUITES["vector_add"]
    wrong = replace(suite, cases=lambda sizes: [replace(c, reference=lambda a: a["X"]) for c in suite.cases(sizes)])
    assert run(wrong, ["--device", "numpy", "--size", "32", "--quiet"]) == 1
    assert "wrong: differs by" in capsys.readouterr().out


def test_results_are_shown_written_and_drawn(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    picture, file = tmp_path / "new" / "out.png", tmp_path / "out.json"
    options = ["--device", "numpy", "--size", "16,32", "--only", "f16 square", "--vs", "numpy"]
    assert main(["matmul", *options, "--plot", str(picture), "--json", str(file)]) == 0
    out = capsys.readouterr().out
    assert "f16 square 32x32x32" in out and "x numpy" in out
    assert picture.read_bytes()[:4] == b"\x89PNG"
    assert "| f16 square 32x32x32 |" in file.with_suffix(".md").read_text()
    found = json.loads(file.read_text())
    assert {"date", "revision", "machine", "versions", "device", "peaks", "load"} <= found.keys()
    row = found["rows"][0]
    assert row["ours"]["samples"] >= 30 and row["peers"]["numpy"]["samples"] >= 30
    assert 0 < row["ours"]["p20"] <= row["ours"]["median"] <= row["ours"]["p80"]
    assert row["rate"] == pytest.approx(2 * 16**3 / row["ours"]["median"] / 1e9)


def test_tuning_comes_first_when_asked_for(device, tmp_path, monkeypatch):
    monkeypatch.setenv("XETILE_CACHE_DIR", str(tmp_path))
    suite = SUITES["vector_add"]
    configs = (xt.Config(BM=8, BN=128, num_subgroups=4), xt.Config(BM=16, BN=64, num_subgroups=4))

    def two(case):
        return replace(case, steps=tuple(replace(step, space=configs) for step in case.steps))

    few = replace(suite, cases=lambda sizes: map(two, suite.cases(sizes)))
    file = tmp_path / "out.json"
    assert run(few, ["--device", device, "--size", "32x128", "--autotune", "--json", str(file)]) == 0
    assert json.loads(file.read_text())["rows"][0]["config"] in [[config.values] for config in configs]


@pytest.mark.parametrize("arguments,words", [
    (["--size", "12x"], "no list of sizes"), (["--size", "0"], "one to three numbers from 1"), (["--vs", "jax"], "none of numpy"),
    (["--samples", "3"], "at least 30"),
])  # fmt: skip
def test_wrong_options_are_told(arguments, words, capsys):
    with pytest.raises(SystemExit) as status:
        main(["softmax", *arguments])
    assert status.value.code == 2
    assert words in capsys.readouterr().err


def test_a_missing_device_and_no_case_are_told(capsys):
    assert main(["softmax", "--device", "77"]) == 2
    assert main(["softmax", "--device", "numpy", "--only", "f77"]) == 2
    err = capsys.readouterr().err
    assert "there is no device 77" in err and "no case has 'f77'" in err


def test_cases_that_memory_cannot_hold_are_left_out(monkeypatch, capsys):
    monkeypatch.setattr(environment, "free_memory", lambda: 1 << 10)
    suite = SUITES["vector_add"]
    untouched = replace(
        suite, cases=lambda sizes: [replace(c, inputs=lambda rng: pytest.fail("made")) for c in suite.cases(sizes)]
    )
    assert run(untouched, ["--device", "numpy", "--size", "32", "--quiet"]) == 0
    assert "left out: needs 0.0 GiB of memory" in capsys.readouterr().out
    assert main(["ops", "--device", "numpy", "--only", "rms_norm"]) == 0
    assert "rms_norm 4096x4096: left out" in capsys.readouterr().err


def test_free_memory_is_that_of_this_machine():
    free = environment.free_memory()
    assert free is None or 1 << 20 < free < 1 << 50
    assert environment.memory_objection(1 << 60) if free is not None else True
    assert not environment.memory_objection(1)


@pytest.mark.parametrize("missing,arguments", [("matplotlib", ["--plot", "out.png"]), ("torch", ["--vs", "torch"])])
def test_what_is_missing_is_told_before_anything_is_measured(missing, arguments, monkeypatch, capsys):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == missing else "there")
    monkeypatch.setattr(Runner, "measure", lambda *args: pytest.fail("measured"))
    with pytest.raises(SystemExit) as status:
        main(["softmax", "--device", "numpy", *arguments])
    assert status.value.code == 2
    assert missing in capsys.readouterr().err


def test_the_library_is_measured_without_torch(monkeypatch, capsys):
    monkeypatch.setattr(importlib.util, "find_spec", lambda *name: None)
    small = library.Case("sum", (np.ones((8, 8), np.float32),), xt.ops.sum, np.sum, lambda torch, x: pytest.fail("called"))
    with xt.device("numpy"):
        assert set(library.measure(small).peers) == {"numpy"}


def test_pictures_tell_peers_apart_and_are_800_pixels_wide(tmp_path):
    mpl = pytest.importorskip("matplotlib")
    assert len(set(plots.PEERS.values())) == len(plots.PEERS) == len({color for color, _ in plots.PEERS.values()})
    assert math.gcd(len(plots.VARIANT_COLOURS), len(plots.VARIANT_MARKERS)) == 1  # so that pairs repeat late
    folder = environment.RESULTS if environment.RESULTS.is_dir() else pytest.skip("no results here")
    plots.plot(tmp_path / "out.png", json.loads((folder / "cpu-matmul.json").read_text()))
    assert mpl.image.imread(tmp_path / "out.png").shape[1] == 800


def test_timings_are_of_one_run():
    calls = []
    subjects = {"a": Subject([lambda: calls.append(0), lambda: calls.append(1)]), "b": Subject([lambda: 3.0], lambda x, s: x, 6)}
    found = compare(subjects)
    assert found["b"] == Timing(3.0, 3.0, 3.0, 3.0, 6)
    assert found["a"].samples == 30 and 0 < found["a"].least < 1e-4
    slow = {
        "slow": Subject([lambda: 4.0], lambda x, s: x, limit=9.0),
        "slower": Subject([lambda: 40.0], lambda x, s: x, limit=9.0),
    }
    assert [found.samples for found in compare(slow).values()] == [6, 3]
    assert abs(calls.count(0) - calls.count(1)) <= 1
    assert Timing.of(np.arange(11.0).tolist()) == Timing(5.0, 2.0, 8.0, 0.0, 11)


def test_what_was_measured_before_an_interrupt_is_kept(monkeypatch, tmp_path, capsys):
    """Ctrl-C at the third case: two rows are shown and written, and the exit status is that of an interrupt."""
    measured, measure = [], Runner.measure

    def interrupted(runner, case):
        measured.append(case.name)
        if len(measured) == 3:
            raise KeyboardInterrupt
        return measure(runner, case)

    monkeypatch.setattr(Runner, "measure", interrupted)
    monkeypatch.setattr(Runner, "_time", lambda *args: None)
    out = tmp_path / "found.json"
    assert main(["matmul", "--device", "numpy", "--size", "32", "--quiet", "--json", str(out)]) == 130
    found = json.loads(out.read_text(encoding="utf-8"))
    assert found["interrupted"]
    assert [row["name"] for row in found["rows"]] == measured[:2]
    assert "interrupted" in out.with_suffix(".md").read_text(encoding="utf-8").splitlines()[0]
    shown = capsys.readouterr()
    assert measured[1] in shown.out
    assert "interrupted" in shown.err
