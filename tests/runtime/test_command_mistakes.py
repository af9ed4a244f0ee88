"""Every sub-command with wrong files, odd words, outputs that cannot be written, readers that go away: no traceback, a status."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests import tools
from xetile import cli

ROOT = Path(__file__).parents[2]
GEMM = str(ROOT / "tutorials" / "xegpu_gemm.mlir")
KERNEL = f"{ROOT / 'tests' / 'runtime' / 'sample.py'}:scale"
TYPES = ["--signature", "f32[?,?],f32[?,?],f32"]
FILES = {
    "binary.mlir": bytes(range(256)) * 10,
    "zeros.mlir": bytes(100),
    "empty.mlir": b"",
    "binary.py": bytes(range(256)),
    "syntax.py": b"def (",
    "raises.py": b"import os\n\nraise RuntimeError('of mine')\n",
    "leaves.py": b"import sys\nsys.exit(3)\n",
    "none.py": b"x = 1\n",
    "text.txt": b"hello",
    "noarray.npy": b"hello",
}

# Words of a command line; what its error says.
MISTAKES = {
    "compile: no file": (["compile", "nowhere.py:k", *TYPES], "names no kernel: there is no file nowhere.py"),
    "compile: a file misspelt": (["compile", "synntax.py:k", *TYPES], "did you mean syntax.py:k?"),
    "compile: a folder": (["compile", ".:k", *TYPES], "names no kernel"),
    "compile: no kernel given": (["compile", "none.py", *TYPES], "write none.py:KERNEL"),
    "compile: no such kernel": (["compile", "none.py:k", *TYPES], "has no kernel 'k'"),
    "compile: another kind of file": (["compile", "text.txt:k", *TYPES], "is no Python file"),
    "compile: binary": (["compile", "binary.py:k", *TYPES], "cannot be imported"),
    "compile: syntax": (["compile", "syntax.py:k", *TYPES], "cannot be imported: SyntaxError"),
    "compile: the file fails": (["compile", "raises.py:k", *TYPES], "RuntimeError: of mine (line 3)"),
    "compile: the file ends the process": (["compile", "leaves.py:k", *TYPES], "SystemExit"),
    "compile: no type": (["compile", KERNEL, "--signature", "f32{,f32[?,?],f32"], "is not a parameter type"),
    "compile: a long size": (["compile", KERNEL, "--signature", f"f32[{'9' * 5000},?],f32[?,?],f32"], "is not a parameter type"),
    "compile: too few types": (["compile", KERNEL, "--signature", "f32"], "Error"),
    "compile: no target": (["compile", KERNEL, *TYPES, "--target", "h100"], "h100"),
    "compile: no constant": (["compile", KERNEL, *TYPES, "--set", "XX=1"], "XX"),
    "compile: no value": (["compile", KERNEL, *TYPES, "--set", "BM"], "gives no value"),
    "compile: a value of brackets": (["compile", KERNEL, *TYPES, "--set", "BM=" + "(" * 100_000], "BM"),
    "compile: a value of digits": (["compile", KERNEL, *TYPES, "--set", "BM=" + "9" * 5000], "Error"),
    "compile: a word for a number": (["compile", f"{ROOT}/tutorials/03_matmul.py:matmul", "--set", "BM=abc"], "BM is a number, 256"),
    "compile: no types, and no call": (["compile", KERNEL], "sample.py does not call scale where it runs"),
    "compile: a list": (["compile", KERNEL, *TYPES, "--set", "BM=[1]"], "does not take index scalar and tuple"),
    "compile: no subgroups": (["compile", KERNEL, *TYPES, "--num-subgroups", "-3"], "Error"),
    "compile: output in no folder": (["compile", KERNEL, *TYPES, "-o", "nowhere/x"], "cannot write nowhere/x"),
    "compile: output to a folder": (["compile", KERNEL, *TYPES, "-o", "."], "cannot write ."),
    "opt: no file": (["opt", "nowhere.mlir"], "cannot read nowhere.mlir"),
    "opt: a folder": (["opt", "."], "cannot read ."),
    "opt: another kind of file": (["opt", str(ROOT / "README.md")], "README.md is read as MLIR text"),
    "opt: binary": (["opt", "binary.mlir"], "cannot read binary.mlir"),
    "opt: zeros": (["opt", "zeros.mlir"], "zero character"),
    "opt: empty": (["opt", "empty.mlir"], "has 0 kernels"),
    "opt: no pass": (["opt", GEMM, "--pipeline", "fly"], "no pass or level 'fly'"),
    "opt: no kernel": (["opt", GEMM, "--kernel", "fly"], "has no kernel fly"),
    "opt: output in no folder": (["opt", GEMM, "-o", "nowhere/x"], "cannot write nowhere/x"),
    "opt: subgroups": (["opt", GEMM, "--num-subgroups", "99999999999"], "Error"),
    "run: no arguments": (["run", GEMM], "takes"),
    "run: no grid": (["run", GEMM, "--grid", "0"], "is no grid"),
    "run: a large grid": (["run", GEMM, "--grid", "9" * 30], "is no grid"),
    "run: no device": (["run", GEMM, *["--arg", "zeros"] * 3, "--device", "h100"], "h100"),
    "run: no array in the file": (["run", GEMM, "--arg", "noarray.npy", *["--arg", "zeros"] * 2], "cannot read noarray.npy"),
    "run: output in no folder": (["run", GEMM, *["--arg", "zeros"] * 3, "--device", "numpy", "--out", "C=nowhere/c.npy"],
                                 "cannot write"),
    "run: no such output": (["run", GEMM, *["--arg", "zeros"] * 3, "--out", "Q"], "no array 'Q'"),
}  # fmt: skip

USAGE = {
    "no command": [],
    "no such command": ["fly"],
    "seconds": ["opt", GEMM, "--seconds", "soon"],
    "negative seconds": ["opt", GEMM, "--seconds", "-1"],
    "seed": ["run", GEMM, "--seed", "-1"],
    "memory": ["run", GEMM, "--memory", "9" * 5000],
    "cache": ["cache", "burn"],
}


@pytest.fixture(autouse=True)
def _somewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, contents in FILES.items():
        Path(name).write_bytes(contents)


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_said_in_words(name, capsys):
    words, why = MISTAKES[name]
    if words[0] != "compile":
        tools.require_tool("mlir-opt")
    status = cli.main(words)
    said = capsys.readouterr()
    assert status == 1
    assert why in said.err and "Traceback" not in said.err and "InternalError" not in said.err and len(said.err) < 6000


@pytest.mark.parametrize("name", USAGE)
def test_a_wrong_command_line_is_answered_with_usage(name, capsys):
    with pytest.raises(SystemExit) as left:
        cli.main(USAGE[name])
    assert left.value.code == 2
    assert "usage:" in capsys.readouterr().err


def started(*words: str, **how: object) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("PYTHONUNBUFFERED", None)  # what is buffered fails late
    return subprocess.Popen([sys.executable, "-m", *words], stderr=pipe, text=True, env=environment, **{"stdout": pipe, **how})  # type: ignore[call-overload, no-any-return]


@pytest.mark.parametrize("words", [["xetile", "settings"], ["benchmarks"]])
def test_a_reader_that_goes_away_is_no_error(words):
    process = started(*words)
    process.stdout.close()
    _, said = process.communicate(timeout=60)
    assert said == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a file to which nothing can be written")
@pytest.mark.parametrize("words", [["xetile", "settings"], ["benchmarks"]])
def test_an_output_that_takes_nothing_is_said(words):
    with open("/dev/full", "w") as full:
        process = started(*words, stdout=full)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "No space left" in said and "Traceback" not in said


def test_an_interrupt_ends_it_quietly():
    os.mkfifo("pipe.mlir")
    process = started("xetile", "opt", "pipe.mlir")
    writer = os.open("pipe.mlir", os.O_WRONLY)  # opens when the command does, so it is running now
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    os.close(writer)
    assert process.returncode == 130
    assert said == "interrupted\n"


def test_a_kernels_file_may_be_part_of_a_package(tmp_path, capsys):
    """Its relative imports are those of the package, whose own file runs only where one is."""
    inner = tmp_path / "package_of_kernels" / "inner"
    inner.mkdir(parents=True)
    for folder in (inner.parent, inner):
        (folder / "__init__.py").write_text("")
    (inner / "sizes.py").write_text("WIDTH = 8\n")
    (inner / "kernels.py").write_text(
        "import xetile as xt\nfrom .sizes import WIDTH\nfrom ..inner import sizes\n\n@xt.jit(grid=1)\ndef kernel(X):\n"
        "    x = xt.init_tile(X, 0, (WIDTH,))\n    xt.store_tile(xt.load_tile(x) * sizes.WIDTH, x)\n"
    )
    assert cli.main(["compile", f"{inner}/kernels.py:kernel", "--signature", "f32[?]", "--emit", "xetile"]) == 0
    assert "8xf32" in capsys.readouterr().out


def test_a_kernels_file_sees_its_neighbours(tmp_path, capsys):
    (tmp_path / "neighbour_of_kernels.py").write_text("WIDTH = 8\n")
    (tmp_path / "kernels.py").write_text(
        "import xetile as xt\nfrom neighbour_of_kernels import WIDTH\n\n@xt.jit(grid=1)\ndef kernel(X):\n"
        "    xt.store_tile(xt.zeros((WIDTH,)), X[0:WIDTH])\n"
    )
    assert cli.main(["compile", f"{tmp_path}/kernels.py:kernel", "--signature", "f32[?]", "--emit", "xetile"]) == 0
    assert "xetile.store_tile" in capsys.readouterr().out
