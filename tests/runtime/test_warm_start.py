"""A process that finds its kernels on disk: no compiler module, no build, the same results."""

import ast
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from xetile.runtime import cache, settings

COMPILER = ("ir", "dialects", "frontend", "passes", "target", "layout", "xegpu")
LIGHT = {
    "xetile.language",
    "xetile.language.ambient",
    "xetile.language.host",
    "xetile.language.static",
    "xetile.target",
    "xetile.target.block_rules",
    "xetile.target.names",
}

PROGRAM = """
import json, sys
import numpy as np
import xetile as xt
from tests.runtime.sample import matmul, scale
rng = np.random.default_rng(0)
x = rng.standard_normal((50, 64), dtype=np.float32)
a, b = (rng.integers(-3, 4, shape).astype(np.float16) for shape in ((64, 96), (96, 64)))
c = np.zeros((64, 64), np.float32)
with xt.device("cpu"):
    y = scale(x, alpha=2.0)
    matmul(a, b, c)
right = bool(np.array_equal(y, x * 2) and np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32)))
counts = xt.stats()
print(json.dumps({"right": right, "compiles": counts.compiles, "builds": counts.builds, "corrupt": counts.cache_corrupt,
                  "modules": [name for name in sys.modules if name.startswith("xetile.")]}))
"""
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module", autouse=True)
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy of the package as it is installed: nobody edits it while a test runs, and then nothing would be kept."""
    global _installed
    _installed = tmp_path_factory.mktemp("installed")
    skip = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "xetile", _installed / "xetile", ignore=skip)
    shutil.copytree(ROOT / "backends", _installed / "xetile" / "backends", ignore=skip)
    (_installed / "tests" / "runtime").mkdir(parents=True)
    shutil.copy(Path(__file__).with_name("sample.py"), _installed / "tests" / "runtime")
    yield _installed
    shutil.rmtree(_installed)


_installed = ROOT


def python(code: str) -> "subprocess.Popen[str]":
    environment = {**os.environ, "PYTHONPATH": str(_installed)}
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", code], cwd=_installed, stdout=pipe, stderr=pipe, text=True, env=environment)


def start() -> "subprocess.Popen[str]":
    return python(PROGRAM)


def finished(process: "subprocess.Popen[str]") -> dict:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return json.loads(out)


@pytest.mark.device
def test_a_warm_start_imports_no_compiler(cpu):
    cold = finished(start())
    assert cold["right"]
    assert cold["compiles"] == cold["builds"] == 2
    warm = finished(start())
    assert warm["right"]
    assert warm["compiles"] == warm["builds"] == 0
    heavy = {name for name in warm["modules"] if name.split(".")[1] in COMPILER or name.startswith("xetile.backends.spirv")}
    heavy |= {name for name in warm["modules"] if name.startswith("xetile.language")}
    assert not heavy - LIGHT


@pytest.mark.device
def test_damaged_entries_are_made_again(cpu):
    finished(start())
    for entry in list(cache.entries(("kernels", "native"))):
        entry.path.write_bytes(entry.path.read_bytes()[:-7])
    again = finished(start())
    assert again["right"]
    assert again["corrupt"] == 4
    assert again["compiles"] == again["builds"] == 2


def test_importing_and_decorating_loads_little():
    code = (
        "import sys, numpy; import xetile as xt; from tests.runtime import sample; "
        "print([m for m in sys.modules if m.startswith(('xetile.', 'pyopencl'))])"
    )
    out, err = python(code).communicate()
    assert not err
    loaded = ast.literal_eval(out)
    assert not [m for m in loaded if m.split(".")[1:2] and m.split(".")[1] in (*COMPILER, "backends") and m not in LIGHT]
    assert "pyopencl" not in loaded


def together(count: int, restarts: int) -> None:
    """Processes on a cold cache, killed at random and started again; then all may finish."""
    chance = random.Random(2)
    processes = [start() for _ in range(count)]
    try:
        for _ in range(restarts):
            time.sleep(chance.uniform(0.05, 1.0))
            victim = chance.randrange(len(processes))
            if processes[victim].poll() is not None:
                assert finished(processes[victim])["right"]
            else:
                processes[victim].send_signal(signal.SIGKILL)
                processes[victim].communicate()
            processes[victim] = start()
        results = [finished(process) for process in processes]
    finally:
        for process in processes:
            if process.poll() is None:
                process.kill()
    assert all(result["right"] for result in results)
    assert not any(result["corrupt"] for result in results)
    cache.clean()
    assert not list(settings.cache_directory().rglob(f"*{cache.UNFINISHED}"))
    kinds = [entry.kind for entry in cache.entries()]
    assert kinds.count("kernels") == kinds.count("native") == 2


@pytest.mark.device
def test_processes_starting_together_may_be_killed(cpu):
    together(2, restarts=2)


@pytest.mark.device
@pytest.mark.slow
def test_processes_starting_together_may_be_killed_50_times(cpu):
    together(8, restarts=50)


def test_nothing_is_kept_while_the_sources_change(monkeypatch):
    """An edited compiler makes other code, and what is loaded cannot be told from its files any more."""
    from xetile.runtime import fingerprint

    monkeypatch.setattr(fingerprint, "_STARTED", 0.0)
    fingerprint.of_compiler.cache_clear()
    try:
        assert fingerprint.of_compiler() == ""
        assert not fingerprint.is_unchanged()
    finally:
        fingerprint.of_compiler.cache_clear()
