"""`tools/compare_code.py` compiles every kernel that the tests, benchmarks and tutorials launch, and sees a changed one."""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.isa_cases import CASES
from benchmarks.isa_library import LIBRARY

ROOT = Path(__file__).resolve().parents[1]


def _tool(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_, _, kernels, compare = map(_tool, ("compared_algorithms", "compared_types", "compared_kernels", "compare_code"))


def _launched(path: Path) -> list[str]:
    """Functions of a file whose decorator is xt.jit with a grid, or with anything else that a launch needs."""
    found = []
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            calls = [d for d in node.decorator_list if isinstance(d, ast.Call)]
            found += [node.name for d in calls if any(k.arg in ("grid", "num_subgroups", "out") for k in d.keywords)]
    return found


FILES = [p for folder in kernels.FOLDERS for p in sorted((ROOT / folder).glob("*.py")) if _launched(p)]


@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_every_kernel_is_compared(path: Path) -> None:
    file = str(path.relative_to(ROOT))
    if file in kernels.ELSEWHERE:
        measured = {case.kernel.__name__ for case in (*CASES, *LIBRARY)}
        measured |= {name.partition(":")[2] for name in kernels.NOT_COMPILED if name.startswith(f"{file}:")}
        assert not [name for name in _launched(path) if name not in measured], "add them to benchmarks/isa_cases.py"
        return
    listed = {name for name, _, _ in kernels.SIGNATURES.get(file, ())}
    missing = [name for name in _launched(path) if name not in listed and f"{file}:{name}" not in kernels.NOT_COMPILED]
    assert not missing, f"add them to tools/compared_types.py: {missing}"


def test_the_table_can_be_read() -> None:
    cases = list(kernels.cases())
    assert len({case.name for case in cases}) == len(cases)
    for case in cases:
        assert case.constants.keys() <= set(getattr(case.kernel, "kernel", case.kernel).constants), case.name


def test_a_changed_kernel_is_seen(capsys: pytest.CaptureFixture[str]) -> None:
    base = {"one for pvc": {"xetile": "a\nb", "spirv": "x"}, "two for pvc": {"xetile": "c", "spirv": "y"}}
    new = {"one for pvc": {"xetile": "a\nb", "spirv": "z"}, "two for pvc": {"xetile": "c", "spirv": "y"}}
    assert compare._report(base, base) == 0
    capsys.readouterr()
    assert compare._report(base, new) == 1
    shown = capsys.readouterr().out
    assert "one for pvc: differs at spirv" in shown
    assert "1 of 2 are identical" in shown
