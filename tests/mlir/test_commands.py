"""`python -m xetile opt` and `run`: text in, text and results out."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import xetile as xt
from tests import tools
from tests.kernels import matmul
from tests.mlir.workgroup import MODULES
from xetile import cli

GEMM = str(Path(__file__).parents[2] / "tutorials" / "xegpu_gemm.mlir")


@pytest.fixture(autouse=True)
def _needs_mlir_opt():
    tools.require_tool("mlir-opt")


@pytest.fixture
def product(tmp_path):
    """XeTile's text of a matmul, and the arguments of a call of it."""
    file = tmp_path / "matmul.mlir"
    compiled = matmul.matmul.compile("f16[?,?]", "f16[?,?]", "f32[?,?]", BM=64, BN=64)
    file.write_text(compiled.ir["xetile"])
    shapes = {"A": (100, 80), "B": (80, 72), "C": (100, 72)}
    words = [f"{name}={'zeros' if name == 'C' else 'random'}:{rows}x{columns}" for name, (rows, columns) in shapes.items()]
    return str(file), [part for word in words for part in ("--arg", word)]


def run(capsys, *words):
    assert cli.main(list(words)) == 0
    return capsys.readouterr().out


def test_opt_writes_what_upstream_reads(capsys):
    text = run(capsys, "opt", GEMM, "--pipeline", "canonicalize")
    assert "xegpu.dpas" in text and tools.mlir_opt(text)


def test_opt_reads_its_own_text(capsys, tmp_path):
    first, second = tmp_path / "1.mlir", tmp_path / "2.mlir"
    run(capsys, "opt", GEMM, "-o", str(first))
    run(capsys, "opt", str(first), "-o", str(second))
    assert first.read_text() == second.read_text() != ""


@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_opt_estimates_kernels_of_xegpu(capsys, target):
    """Registers, messages and matrix instructions are counted for modules as for Python's kernels."""
    said = run(capsys, "opt", GEMM, "--target", target, "--emit", "estimate")
    assert "registers" in said and "dpas" in said.lower()


def test_run_computes_the_product(capsys, tmp_path):
    rng = np.random.default_rng(1)
    a, b = rng.integers(-4, 4, (256, 128)).astype(np.float16), rng.integers(-4, 4, (128, 256)).astype(np.float16)
    np.save(tmp_path / "a.npy", a)
    np.save(tmp_path / "b.npy", b)
    out = tmp_path / "c.npy"
    said = run(capsys, "run", GEMM, "--device", "numpy", "--grid", "2,2", "--arg", str(tmp_path / "a.npy"),
               "--arg", f"B={tmp_path / 'b.npy'}", "--arg", "C=zeros", "--out", f"C={out}")  # fmt: skip
    expected = a.astype(np.float32) @ b.astype(np.float32)
    assert (np.load(out) == expected).all()
    assert said.startswith("C: 256x256xfloat32") and f"sum {expected.sum():.9g}" in said


@pytest.mark.every(8, 2)
@pytest.mark.parametrize("pipeline", ["", "layout", "subgroup,blocked", "xegpu", "xegpu,lane", "lane,canonicalize"])
def test_each_level_of_xetile_runs_alike(capsys, product, pipeline):
    file, words = product
    plain = run(capsys, "run", file, *words, "--grid", "2,2", "--device", "numpy")
    assert plain.startswith("C: 100x72")
    assert run(capsys, "run", file, *words, "--grid", "2,2", "--device", "numpy", "--pipeline", pipeline) == plain


@pytest.mark.simulated
def test_a_module_is_compiled_for_the_gpu_that_runs_it(capsys, product):
    test_devices_run_alike(capsys, product, "sim:dg2")


def test_devices_run_alike(capsys, product, device):
    file, words = product
    plain = run(capsys, "run", file, *words, "--grid", "2,2", "--device", "numpy")
    assert run(capsys, "run", file, *words, "--grid", "2,2", "--device", device) == plain


LEVELS = ("workgroup", "layout", "subgroup", "blocked", "xegpu", "lane")
ARGUMENTS = ("--arg", "random", "--arg", "random", "--arg", "zeros", "--grid", "2,2")


@pytest.mark.every(15, 2)
@pytest.mark.parametrize("level", LEVELS)
def test_each_level_of_xegpu_runs_alike(capsys, tmp_path, level, device):
    """On each device; also when the level was written down and read again."""
    plain = run(capsys, "run", GEMM, *ARGUMENTS, "--device", "numpy")
    assert run(capsys, "run", GEMM, *ARGUMENTS, "--device", device, "--pipeline", level) == plain
    file = tmp_path / "level.mlir"
    target = ("--target", device.removeprefix("sim:")) if device.startswith("sim:") else ()
    run(capsys, "opt", GEMM, "--pipeline", level, *target, "-o", str(file))
    assert run(capsys, "run", str(file), *ARGUMENTS, "--device", device) == plain


@pytest.mark.every(2)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_opt_gives_machine_code(capsys, target):
    tools.require_tool("ocloc")
    tools.require_tool("iga64")
    assert "dpas.8x8" in run(capsys, "opt", GEMM, "--target", target, "--emit", "isa")


def test_a_module_goes_down_not_up(capsys, tmp_path):
    file = tmp_path / "low.mlir"
    run(capsys, "opt", GEMM, "--pipeline", "xegpu", "-o", str(file))
    assert cli.main(["opt", str(file), "--pipeline", "layout"]) == 1
    assert "is at level 'xegpu' and cannot go up to 'layout'" in capsys.readouterr().err


@pytest.mark.every(3, 1)
@pytest.mark.parametrize("level", ["layout", "blocked", "xegpu", "lane"])
def test_a_level_written_down_goes_on_from_there(capsys, product, tmp_path, level):
    """From the text of a level, the rest of the pipeline gives the same SPIR-V."""
    file, _ = product
    half, whole, rest = tmp_path / "half.mlir", tmp_path / "whole.spv", tmp_path / "rest.spv"
    run(capsys, "opt", file, "--pipeline", level, "-o", str(half))
    run(capsys, "opt", file, "--emit", "spirv", "-o", str(whole))
    run(capsys, "opt", str(half), "--emit", "spirv", "-o", str(rest))
    assert whole.read_bytes()[:4] == b"\x03\x02\x23\x07"
    assert whole.read_bytes() == rest.read_bytes()


REFUSED = {
    "unknown pass": (["opt", GEMM, "--pipeline", "vectorize"], "no pass or level 'vectorize'"),
    "unknown target": (["opt", GEMM, "--target", "h100"], "h100"),
    "no file": (["opt", "missing.mlir"], "cannot read missing.mlir"),
    "too few arguments": (["run", GEMM, "--arg", "random"], "takes 3 arguments, not 1"),
    "unknown argument": (["run", GEMM, "--arg", "D=zeros", "--arg", "random", "--arg", "random"], "no argument 'D'"),
    "wrong shape": (["run", GEMM, "--arg", "random:16x16", "--arg", "random", "--arg", "zeros"], "shape (16, 16) does not fit"),
    "no number": (["run", GEMM, "--arg", "fast", "--arg", "random", "--arg", "zeros"], "'fast' is no value"),
    "number for an array": (["run", GEMM, "--arg", "1", "--arg", "random", "--arg", "zeros"], "pass an array"),
    "no array file": (["run", GEMM, "--arg", "no.npy", "--arg", "random", "--arg", "zeros"], "cannot read no.npy"),
    "grid": (["run", GEMM, "--grid", "2;2"], "is no grid"),
    "output": (["run", GEMM, "--arg", "random", "--arg", "random", "--arg", "zeros", "--out", "D"], "no array 'D'"),
    "subgroups": (["opt", GEMM, "--num-subgroups", "8"], "is for 16 subgroups, not 8"),
    "element type": (["run", GEMM, "--arg", "random:256x128xf8", "--arg", "random", "--arg", "zeros"], "no element type 'f8'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name, capsys):
    words, reason = REFUSED[name]
    assert cli.main(words) == 1
    said = capsys.readouterr()
    assert reason in said.err and "Traceback" not in said.err and not said.out


@pytest.mark.parametrize("barrier", [True, False])
def test_a_race_in_a_module_is_found_at_its_line(barrier, tmp_path, capsys, monkeypatch):
    """Subgroups read rows of a matrix in shared memory that others have written, with or without a barrier between."""
    from xetile.runtime import settings

    text = MODULES["matrices in shared memory"]
    file = tmp_path / "race.mlir"
    file.write_text(text if barrier else text.replace("    gpu.barrier\n", ""))
    monkeypatch.setenv("XETILE_DEBUG", "1")
    assert settings.get("debug")
    status = cli.main(["run", str(file), "--pipeline", "subgroup", "--arg", "arange", "--arg", "zeros", "--device", "numpy"])
    said = capsys.readouterr()
    if barrier:
        assert status == 0 and said.out.startswith("R: 64x64")
        return
    line = next(i for i, code in enumerate(file.read_text().splitlines(), 1) if "xegpu.load_matrix" in code)
    assert status == 1 and "RaceError" in said.err and "no barrier between" in said.err
    assert f'File "{file}", line {line}' in said.err


def test_a_barrier_that_only_some_reach_is_found_at_its_line(tmp_path, capsys, monkeypatch):
    text = MODULES["branch"]
    for old, new in (("%x = gpu.grid_dim x", "%x = gpu.subgroup_id : index"), ("%y = arith", "gpu.barrier\n%y = arith")):
        assert old in text
        text = text.replace(old, new)
    file = tmp_path / "divergent.mlir"
    file.write_text(text)
    monkeypatch.setenv("XETILE_DEBUG", "1")
    assert cli.main(["run", str(file), "--pipeline", "subgroup", "--arg", "arange", "--arg", "zeros", "--device", "numpy"]) == 1
    said = capsys.readouterr().err
    line = next(i for i, code in enumerate(text.splitlines(), 1) if "gpu.barrier" in code)
    assert "barrier" in said and f'File "{file}", line {line}' in said


@xt.jit
def asserts(A, Out, n):
    assert A.shape[0] % 16 == 0, f"A has {A.shape[0]} rows"
    assert n < 5
    xt.store_tile(xt.load_tile(xt.init_tile(A, (0, 0), (16, 16))) + n, xt.init_tile(Out, (0, 0), (16, 16)))


def asserting(folder, level: str = "xetile") -> str:
    file = folder / "asserts.mlir"
    file.write_text(asserts.compile("f32[?,?]", "f32[?,?]", "f32", target="pvc", num_subgroups=1).ir[level])
    return str(file)


@pytest.mark.every(24, 5)
@pytest.mark.parametrize("level", ["xetile", "blocked", "lane"])
def test_run_checks_what_a_kernel_asserts(capsys, tmp_path, level):
    file = asserting(tmp_path, level)
    words = ["run", file, "--device", "numpy", "--arg", "Out=zeros:16x16"]
    for command in (words, ["bisect", *words[1:2], *words[4:]]):
        assert cli.main([*command, "--arg", "A=ones:16x16", "--arg", "n=4"]) == 0
        capsys.readouterr()
        assert cli.main([*command, "--arg", "A=ones:17x16", "--arg", "n=4"]) == 1
        assert "asserts: A has 17 rows: `A.shape[0] % 16 == 0` does not hold: A.shape[0] is 17" in capsys.readouterr().err
        assert cli.main([*command, "--arg", "A=ones:16x16", "--arg", "n=5"]) == 1
        assert "asserts: `n < 5` does not hold: n is 5" in capsys.readouterr().err


@xt.jit
def asserts_of_numbers_alone(A, Out, n):
    assert n < 5
    xt.store_tile(xt.load_tile(xt.init_tile(A, (0, 0), (16, 16))) + n, xt.init_tile(Out, (0, 0), (16, 16)))


def test_arguments_that_the_text_tells_are_known(capsys, tmp_path):
    file = tmp_path / "asserts.mlir"
    file.write_text(asserts_of_numbers_alone.compile("f32[16,16]", "f32[16,16]", "f32", target="pvc").ir["xetile"])
    for number in (4, 5):
        words = ["run", str(file), "--device", "numpy", "--arg", "Out=zeros", "--arg", "A=ones", "--arg", f"n={number}"]
        assert cli.main(words) == (number >= 5), capsys.readouterr().err


@pytest.mark.parametrize("names", ["canonicalize", "subgroup", "lane"])
def test_opt_keeps_what_a_kernel_asserts(capsys, tmp_path, names):
    file, lowered = asserting(tmp_path), tmp_path / "lowered.mlir"
    run(capsys, "opt", file, "--pipeline", names, "-o", str(lowered))
    assert (
        cli.main(["run", str(lowered), "--device", "numpy", "--arg", "Out=zeros:16x16", "--arg", "A=ones:15x16", "--arg", "n=1"])
        == 1
    )
    assert "does not hold: A.shape[0] is 15" in capsys.readouterr().err


@pytest.mark.parametrize("text,message", [
    ("nonsense", "is no JSON"),
    ('{"steps": [["dim", "Z", 0]], "asserted": []}', "speaks of dim Z 0"),
    ('{"steps": [["dim", "A", 2]], "asserted": []}', "speaks of dim A 2"),
    ('{"steps": [["scalar", "A"]], "asserted": []}', "speaks of scalar A"),
    ('{"steps": [["open", "A"]], "asserted": []}', "a step"),
])  # fmt: skip
def test_assertions_that_are_none_are_refused(capsys, tmp_path, text, message):
    file = Path(asserting(tmp_path))
    file.write_text(re.sub(r'xetile.requires = ".*?[^\\]"', lambda _: f"xetile.requires = {json.dumps(text)}", file.read_text()))
    assert cli.main(["opt", str(file)]) == 1
    assert message in capsys.readouterr().err


def test_numbers_of_assertions_stay_small(capsys, tmp_path):
    """Each squares the one before it."""
    steps = [["const", 3], *(["mul", i, i] for i in range(60)), ["gt", 60, 0]]
    asserted = [{"step": 61, "text": "large", "message": [], "at": None}]
    file = Path(asserting(tmp_path))
    text = json.dumps(json.dumps({"steps": steps, "asserted": asserted}))
    file.write_text(re.sub(r'xetile.requires = ".*?[^\\]"', lambda _: f"xetile.requires = {text}", file.read_text()))
    words = ["run", str(file), "--device", "numpy", "--arg", "Out=zeros:16x16", "--arg", "A=ones:16x16", "--arg", "n=1"]
    assert cli.main(words) == 1
    assert "`large` does not hold" in capsys.readouterr().err
