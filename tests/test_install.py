"""What an installation holds, and that its own clone cannot hide it."""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import xetile

ROOT = Path(__file__).parents[1]
SCRIPT = """
import numpy as np, xetile as xt

@xt.jit(out={"Y": lambda X: xt.empty(X.shape, X.dtype)}, grid=1)
def double(X, Y):
    xt.store_tile(xt.load_tile(xt.init_tile(X, (0,), (8,))) * 2, xt.init_tile(Y, (0,), (8,)))

with xt.device("numpy"):
    print(double(np.arange(8, dtype=np.float32)).sum())
"""


def run(*words: str, folder: Path, path: str | None = None) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | (
        {"PYTHONPATH": path} if path else {}
    )
    done = subprocess.run([sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def is_editable() -> bool:
    try:
        found = importlib.metadata.distribution("xetile").read_text("direct_url.json")
    except importlib.metadata.PackageNotFoundError:
        return False
    return bool(json.loads(found or "{}").get("dir_info", {}).get("editable"))


@pytest.mark.skipif(not is_editable(), reason="needs `pip install -e .`")
def test_a_script_in_the_folder_that_holds_the_clone_finds_the_package(tmp_path: Path) -> None:
    """There the clone's folder, which has the package's name, comes first on the path."""
    (tmp_path / "xetile").symlink_to(ROOT)
    (tmp_path / "script.py").write_text(SCRIPT)
    assert run("script.py", folder=tmp_path) == "56.0\n"
    assert run("-c", "import xetile.backends.opencl, xetile.benchmarks.registry; print(1)", folder=tmp_path) == "1\n"


def test_the_version_is_the_packages() -> None:
    shown = run("-m", "xetile", "--version", folder=ROOT, path=str(ROOT)).split()
    assert shown == ["xetile", xetile.__version__]
    if is_editable():
        assert importlib.metadata.version("xetile") == xetile.__version__


def test_benchmarks_are_commands_of_the_package(tmp_path: Path) -> None:
    shown = run("-m", "xetile", "benchmarks", folder=tmp_path, path=str(ROOT))
    assert "vector_add" in shown
    assert "usage:" in run("-m", "xetile", "benchmarks", "matmul", "--help", folder=tmp_path, path=str(ROOT))
