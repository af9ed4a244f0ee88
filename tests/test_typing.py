"""Editors and type checkers see every public name, and find nothing to complain about in README's and the tutorials' code."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import xetile as xt

ROOT = Path(__file__).parents[1]
STUB = ast.parse((ROOT / "xetile/__init__.pyi").read_text(encoding="utf-8"))
README = (ROOT / "README.md").read_text(encoding="utf-8")

GOOD = """
import xetile as xt

@xt.jit
def helper(x: xt.Value, n: int) -> xt.Value:
    return xt.exp(-x) * 2 + 1 / x @ x.T - (x < n).to(xt.f32)[:, None]

@xt.jit(grid=lambda A: 1, num_subgroups=4)
def kernel(A: xt.Array, mode: xt.constexpr = "fast", sizes: xt.constexpr = (1, 2)) -> None:
    if mode == "fast" and sizes[0] == 1:
        for i in range(0, A.shape[1], sizes[1]):
            xt.store_tile(helper(xt.load_tile(xt.init_tile(A, (i, 0), (8, 8))), i), xt.init_tile(A, (i, 0), (8, 8)))

@xt.jit(out={"C": lambda A: xt.empty(A.shape, A.dtype), "S": lambda: xt.empty((), xt.f32)}, grid=1)
def stored(A: xt.Array, C: xt.Array, S: xt.Array, scale: float = 1.0) -> None:
    part = A[0:8, 0:8]
    C[0:8, 0:8] = xt.load_tile(part) * scale
    C[0, 1] = A[0, 1] + A[1, 0]
    C.T[0:4, 0:4] += 1
    S[()] = xt.max(xt.load_tile(part))
    xt.atomic_rmw_tile("add", xt.load_tile(part), part)

kernel[1, 2](0, mode="slow", queue=None)
bound = stored.bind(0)
bound()
print(bound.results, bound.grid)
kernel.compile("f32[?,?]", target="bmg").spirv.hex()
"""
WRONG = (
    "xt.lod_tile(3)",
    "xt.load_tile(3)",
    "xt.arange(8) + 'a'",
    "xt.exp(1).transposed",
    "xt.jit(gird=1)",
    "xt.arange(8, dtype=32)",
    "xt.load_tile(xt.init_tile(xt.alloc_slm((8, 8)), (0, 0), (8, 8)), paddin=1)",
)


def stub_imports() -> dict[str, tuple[str, str]]:
    found = {}
    for node in STUB.body:
        for alias in node.names if isinstance(node, ast.ImportFrom) else ():
            found[alias.asname or alias.name] = (str(node.module), alias.name)
    return found


def test_asking_the_writer_of_the_stub_for_help_writes_nothing() -> None:
    before = (ROOT / "xetile/__init__.pyi").read_text(encoding="utf-8")
    said = subprocess.run([sys.executable, "tools/write_stub.py", "--help"], cwd=ROOT, check=True, capture_output=True)
    assert said.stdout and (ROOT / "xetile/__init__.pyi").read_text(encoding="utf-8") == before


def test_the_stub_names_what_is_there() -> None:
    expected = {**xt._NAMES, **{name: ("xetile", name) for name in xt._MODULES}}
    assert stub_imports() == expected
    listed = next(n.value for n in STUB.body if isinstance(n, ast.Assign))
    assert sorted(ast.literal_eval(listed)) == sorted(expected)
    assert sorted(xt.__all__) == sorted(expected) and set(xt.__all__) <= set(dir(xt))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Users' code in a folder of its own, without settings of ours."""
    folder = tmp_path_factory.mktemp("user")
    for tutorial in (ROOT / "tutorials").glob("[0-9]*.py"):
        shutil.copy(tutorial, folder)
    (folder / "readme.py").write_text("\n".join(re.findall(r"^```python\n(.*?)^```$", README, re.M | re.S)), encoding="utf-8")
    (folder / "good.py").write_text(GOOD)
    (folder / "wrong.py").write_text("import xetile as xt\n\n" + "\n".join(WRONG) + "\n")
    (folder / "pyrightconfig.json").write_text('{"typeCheckingMode": "standard", "reportUnusedExpression": false}')
    return {file.name: file for file in sorted(folder.glob("*.py"))}


def checked(words: list[str], files: dict[str, Path]) -> str:
    if find_spec(words[0]) is None:
        pytest.skip(f"needs {words[0]}: pip install -e '.[dev]'")
    folder = next(iter(files.values())).parent
    names = [name for name in files if name != "wrong.py"]
    command = [sys.executable, "-m", *words]
    done = subprocess.run([*command, *names], cwd=folder, env=_environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return subprocess.run(
        [*command, "wrong.py"], cwd=folder, env=_environment(), capture_output=True, text=True, check=False
    ).stdout


def _environment() -> dict[str, str]:
    return {**os.environ, "MYPYPATH": str(ROOT)}


def assert_all_found(shown: str) -> None:
    for line, code in enumerate(WRONG, 3):
        assert re.search(rf"wrong\.py:{line}:.*error", shown), f"nothing about {code!r} in:\n{shown}"


@pytest.mark.slow
def test_pyright_is_content_with_users_code(files: dict[str, Path]) -> None:
    assert_all_found(checked(["basedpyright"], files))


@pytest.mark.slow
def test_mypy_is_content_with_users_code(files: dict[str, Path], request: pytest.FixtureRequest) -> None:
    kept = request.config.cache.mkdir("mypy")  # type: ignore[union-attr]
    assert_all_found(checked(["mypy", "--strict", "--explicit-package-bases", "--cache-dir", str(kept)], files))
